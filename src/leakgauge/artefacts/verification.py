"""What came of checking a record."""

from __future__ import annotations

from typing import Annotated

import msgspec

from leakgauge.artefacts.kinds import Artefact, Part
from leakgauge.artefacts.quantity import Origin
from leakgauge.sentences import Sentence


class Check(Part, frozen=True):
    """One thing that was looked at.

    Attributes:
        name: what.
        holds: whether it is as it should be; None where it could not be looked at.
        reason: what was found instead, or why it was not looked at.
    """

    name: Annotated[Sentence, Origin.PUBLIC]
    holds: Annotated[bool | None, Origin.PUBLIC]
    reason: Sentence = msgspec.field(default_factory=Sentence)

    @property
    def failure(self) -> Sentence:
        """What is wrong where it does not hold, in a short sentence without a full stop."""
        return Sentence("{check}: {reason}", check=self.name, reason=self.reason)


class Verified(Artefact, frozen=True, tag="leakgauge/verification/1"):
    """Every check of a record.

    Attributes:
        holds: whether nothing was found wrong.
        signed: whether a signature was asked for and holds.
        shows: what that shows; None where something is wrong.
        private: whether the record says that the release is no simulation; None of a record that cannot be read.
        rows: how many it says.
        digest: of the record.
        checks: each by itself.
    """

    holds: bool
    signed: bool
    shows: Sentence | None
    private: bool | None
    rows: int | None
    digest: str | None
    checks: tuple[Check, ...]

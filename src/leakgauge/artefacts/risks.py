"""The three risks of a release in people, before it and with it: singling out, linking and inferring (WP29 05/2014)."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Final

from leakgauge.artefacts.quantity import Origin, Part, Quantity, Real
from leakgauge.artefacts.scores import Attacker, AttackerName

PEOPLE: Final = "people"
"""The unit of a number of people, who may have several rows each."""


class RiskKind(Enum):
    """What may happen to a person by a release."""

    SINGLING_OUT = "singling out"
    LINKING = "linking"
    INFERRING = "inferring"


class Certain(Part, frozen=True):
    """People of one value who become all but certain to an attacker.

    Attributes:
        value: of the secret, or the tenth of its numbers: the one of whose holders the largest part becomes certain.
        people: holders of it who are all but certain with the release.
        holders: people who have the value.
        before: those of them who are all but certain without the release.
        secret: the columns that the value is of; empty where an earlier version did not say.
    """

    value: str
    people: Quantity
    holders: Quantity
    before: Quantity
    secret: Annotated[tuple[str, ...], Origin.DECLARED] = ()


class Risk(Part, frozen=True, kw_only=True):
    """One risk in people.

    Attributes:
        before: people whom it befalls without the release; None where it is not known.
        after: people whom it befalls with the release; None where it is not known.
        of: the people of the table.
        limit: the largest share that is allowed, of what the kind of risk is limited by.
        met: whether the limit is met; None without one.
        attacker: for whom the numbers hold.
        knows: the columns of the background that she knows.
        links: the published columns by which she finds rows.
        secret: that is inferred.
        only: of linking, people whose row is the only one in question; the limit is on their share.
        certain: of inferring, people of the worst-off value who become all but certain.
        surest: of inferring, how much surer one becomes about the most exposed tenth of a value; the limit is on it.
        surest_of: and the attacker who becomes so, who may be another one.
    """

    kind: RiskKind
    before: Quantity | None
    after: Quantity | None
    of: Quantity
    attacker: AttackerName
    limit: Real | None = None
    met: bool | None = None
    knows: Annotated[tuple[str, ...], Origin.DECLARED] = ()
    links: Annotated[tuple[str, ...], Origin.DECLARED] = ()
    secret: Annotated[tuple[str, ...], Origin.DECLARED] = ()
    only: Quantity | None = None
    certain: Certain | None = None
    surest: Quantity | None = None
    surest_of: Attacker | None = None

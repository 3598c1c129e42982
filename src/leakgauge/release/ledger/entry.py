"""Entries of a ledger, each holding the hash of the one before."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from functools import cached_property

import msgspec

from leakgauge.artefacts.codec import encode
from leakgauge.errors import OptionError, VerificationError
from leakgauge.mechanisms.steps import Step
from leakgauge.release.ledger.account import NEIGHBOURS, Account, NeighboursName
from leakgauge.release.ledger.cost import Total
from leakgauge.release.ledger.limits import Limit
from leakgauge.release.ledger.steps import step_from_json

START = "0" * 64
"""What the first entry has in place of the hash of the one before."""
_MOST_DIGITS = 1000


class Kind(StrEnum):
    """What an entry says."""

    OPEN = "open"
    SPEND = "spend"
    COMPLETE = "complete"


class Sums(msgspec.Struct, frozen=True):
    """Σ ε and Σ ρ as the decimals they are.

    Raises:
        ValueError: they are not sums of levels.
    """

    epsilon: Decimal
    rho: Decimal

    def __post_init__(self) -> None:
        for level in (self.epsilon, self.rho):
            # Comparing NaN is an invalid operation. No sum of floats has a thousand digits; more could not be added up.
            if level.is_nan() or level < 0 or (level.is_finite() and level.adjusted() >= _MOST_DIGITS):
                raise ValueError

    @classmethod
    def of(cls, total: Total) -> Sums:
        """The sums of a total."""
        return cls(total.epsilon, total.rho)

    @property
    def total(self) -> Total:
        """The sums to add to."""
        return Total(self.epsilon, self.rho)


class Body(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an entry says; hashes are over its spelling, so that what its kind does not say is left out.

    Attributes:
        spent: on the data set up to and with this entry.
        limit: of the account that it opens.
        unit: that the account protects.
        neighbours: by their name in files.
        cost: of a spend.
        steps: that were spent.
        rule: that admitted them, by its name.
        digest: of the record of a completed release.
    """

    spent: Sums
    limit: Limit | None = None
    unit: str | None = None
    neighbours: NeighboursName | None = None
    cost: Sums | None = None
    steps: tuple[dict[str, object], ...] = ()
    rule: str | None = None
    digest: str | None = None


@dataclass(frozen=True)
class Entry:
    """One line of a ledger; never changed once written.

    Attributes:
        sequence: 1, 2, 3 … over the whole ledger.
        time: UTC in ISO 8601.
        body: the spelling of what it says, a ``Body``.
        reference: the caller's name of the spend; the data set's name where an account is opened.
        previous: the hash of the entry before.
        hash: SHA-256 over all of the above.
    """

    sequence: int
    dataset: str
    kind: Kind
    time: str
    body: str
    purpose: str
    reference: str
    previous: str
    hash: str

    @classmethod
    def after(
        cls,
        last: Entry | None,
        *,
        dataset: str,
        kind: Kind,
        body: Body,
        purpose: str,
        reference: str,
    ) -> Entry:
        """The entry that follows the last one, of this moment."""
        time = datetime.now(UTC).isoformat(timespec="microseconds")
        text = _canonical(encode(body))
        sequence, previous = (last.sequence + 1, last.hash) if last else (1, START)
        told = (sequence, dataset, kind, time, text, purpose, reference, previous)
        return cls(*told, _hash(*told))

    @property
    def spent(self) -> Total:
        """Σ ε and Σ ρ of the data set up to and with this entry."""
        return self._said.spent.total

    @property
    def cost(self) -> Total:
        """Σ ε and Σ ρ of this entry; nothing where it spends nothing."""
        if self.kind is not Kind.SPEND:
            return Total()
        if self._said.cost is None:
            raise _unreadable(self.sequence)
        return self._said.cost.total

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that were spent, without labels."""
        return tuple(map(step_from_json, self._said.steps))

    @property
    def rule(self) -> str | None:
        """The name of the rule that admitted the spend."""
        return self._said.rule

    @property
    def digest(self) -> str | None:
        """The digest of the record of a completed release."""
        return self._said.digest

    def account(self) -> Account:
        """The account that this entry opened."""
        said = self._said
        if said.limit is None or said.unit is None or said.neighbours is None:
            raise _unreadable(self.sequence)
        try:
            return Account(self.dataset, said.limit, said.unit, NEIGHBOURS[said.neighbours], self.time)
        except OptionError:
            raise _unreadable(self.sequence) from None

    def is_whole(self) -> bool:
        """Whether the hash is that of the entry."""
        told = (self.sequence, self.dataset, self.kind, self.time, self.body, self.purpose, self.reference)
        return self.hash == _hash(*told, self.previous)

    def require_whole(self) -> Entry:
        """The entry itself.

        Raises:
            VerificationError: it is not what was written.
        """
        if not self.is_whole():
            raise VerificationError(
                "Entry {sequence} of the ledger is not what was written; run `leakgauge ledger check`.",
                sequence=self.sequence,
            )
        return self

    @cached_property
    def _said(self) -> Body:
        try:
            return msgspec.json.decode(self.body, type=Body)
        except (msgspec.DecodeError, RecursionError):
            raise _unreadable(self.sequence) from None


def _unreadable(sequence: int) -> VerificationError:
    return VerificationError(
        "Entry {sequence} of the ledger cannot be read; do not spend from it, restore it from a copy.",
        sequence=sequence,
    )


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _hash(*told: object) -> str:
    return hashlib.sha256(_canonical(told).encode()).hexdigest()

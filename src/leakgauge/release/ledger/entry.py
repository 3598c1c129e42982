"""Entries of a ledger, each holding the hash of the one before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any

from leakgauge.errors import OptionError, VerificationError
from leakgauge.notions.composition import Step
from leakgauge.release.ledger.account import NEIGHBOURS, Account
from leakgauge.release.ledger.cost import Total
from leakgauge.release.ledger.limits import limit_from_json, limit_to_json
from leakgauge.release.ledger.steps import step_from_json

START = "0" * 64
"""What the first entry has in place of the hash of the one before."""
_MOST_DIGITS = 1000


class Kind(StrEnum):
    """What an entry says."""

    OPEN = "open"
    SPEND = "spend"
    COMPLETE = "complete"


@dataclass(frozen=True)
class Entry:
    """One line of a ledger; never changed once written.

    Attributes:
        sequence: 1, 2, 3 … over the whole ledger.
        time: UTC in ISO 8601.
        body: JSON of what this kind of entry says, with the sums spent on the data set up to and with it.
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
        body: Mapping[str, Any],
        spent: Total,
        purpose: str,
        reference: str,
    ) -> Entry:
        """The entry that follows the last one, of this moment."""
        time = datetime.now(UTC).isoformat(timespec="microseconds")
        text = _canonical({**body, "spent": total_to_json(spent)})
        sequence, previous = (last.sequence + 1, last.hash) if last else (1, START)
        told = (sequence, dataset, kind, time, text, purpose, reference, previous)
        return cls(*told, _hash(*told))

    @property
    def spent(self) -> Total:
        """Σ ε and Σ ρ of the data set up to and with this entry."""
        return total_from_json(self._fields().get("spent"), self.sequence)

    @property
    def cost(self) -> Total:
        """Σ ε and Σ ρ of this entry; nothing where it spends nothing."""
        return total_from_json(self._fields().get("cost"), self.sequence) if self.kind is Kind.SPEND else Total()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that were spent, without labels."""
        kept = self._fields().get("steps", [])
        if not isinstance(kept, list) or not all(isinstance(step, dict) for step in kept):
            raise _unreadable(self.sequence)
        return tuple(map(step_from_json, kept))

    @property
    def rule(self) -> str | None:
        """The name of the rule that admitted the spend."""
        return self._text("rule")

    @property
    def digest(self) -> str | None:
        """The digest of the record of a completed release."""
        return self._text("digest")

    def account(self) -> Account:
        """The account that this entry opened."""
        told = self._fields()
        try:
            limit = limit_from_json(told["limit"])
            return Account(self.dataset, limit, told["unit"], NEIGHBOURS[told["neighbours"]], self.time)
        except (KeyError, TypeError, OptionError):
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

    def _fields(self) -> dict[str, Any]:
        try:
            fields = json.loads(self.body)
        except (ValueError, RecursionError):
            fields = None
        if not isinstance(fields, dict):
            raise _unreadable(self.sequence)
        return fields

    def _text(self, name: str) -> str | None:
        found = self._fields().get(name)
        if found is not None and not isinstance(found, str):
            raise _unreadable(self.sequence)
        return found


def account_to_json(account: Account) -> dict[str, Any]:
    """What the entry that opens an account says."""
    name = next(name for name, kind in NEIGHBOURS.items() if kind is account.neighbours)
    return {"limit": limit_to_json(account.limit), "unit": account.unit, "neighbours": name}


def total_to_json(total: Total) -> dict[str, str]:
    """Sums as the decimals they are."""
    return {"epsilon": str(total.epsilon), "rho": str(total.rho)}


def total_from_json(fields: object, sequence: int) -> Total:
    """The sums that were kept.

    Raises:
        VerificationError: they are no sums of levels.
    """
    if not isinstance(fields, dict):
        raise _unreadable(sequence)
    return Total(_level(fields.get("epsilon"), sequence), _level(fields.get("rho"), sequence))


def _level(text: object, sequence: int) -> Decimal:
    try:
        level = Decimal(text) if isinstance(text, str) else Decimal(-1)
        # Comparing NaN is an invalid operation. No sum of floats has a thousand digits; more could not be added up.
        if level >= 0 and (level.is_infinite() or level.adjusted() < _MOST_DIGITS):
            return level
    except InvalidOperation:
        pass
    raise _unreadable(sequence)


def _unreadable(sequence: int) -> VerificationError:
    return VerificationError(
        "Entry {sequence} of the ledger cannot be read; do not spend from it, restore it from a copy.",
        sequence=sequence,
    )


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _hash(*told: object) -> str:
    return hashlib.sha256(_canonical(told).encode()).hexdigest()

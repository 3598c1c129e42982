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

from leakgauge.errors import VerificationError
from leakgauge.notions.composition import Step
from leakgauge.release.ledger.account import NEIGHBOURS, Account
from leakgauge.release.ledger.cost import Total
from leakgauge.release.ledger.limits import limit_from_json, limit_to_json
from leakgauge.release.ledger.steps import step_from_json

START = "0" * 64
"""What the first entry has in place of the hash of the one before."""


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
        return total_from_json(self._fields()["spent"], self.sequence)

    @property
    def cost(self) -> Total:
        """Σ ε and Σ ρ of this entry; nothing where it spends nothing."""
        return total_from_json(self._fields()["cost"], self.sequence) if self.kind is Kind.SPEND else Total()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that were spent, without labels."""
        return tuple(step_from_json(step) for step in self._fields().get("steps", ()))

    @property
    def rule(self) -> str | None:
        """The name of the rule that admitted the spend."""
        return self._fields().get("rule")

    @property
    def digest(self) -> str | None:
        """The digest of the record of a completed release."""
        return self._fields().get("digest")

    def account(self) -> Account:
        """The account that this entry opened."""
        told = self._fields()
        limit = limit_from_json(told["limit"])
        return Account(self.dataset, limit, told["unit"], NEIGHBOURS[told["neighbours"]], self.time)

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
        fields: dict[str, Any] = json.loads(self.body)
        return fields


def account_to_json(account: Account) -> dict[str, Any]:
    """What the entry that opens an account says."""
    name = next(name for name, kind in NEIGHBOURS.items() if kind is account.neighbours)
    return {"limit": limit_to_json(account.limit), "unit": account.unit, "neighbours": name}


def total_to_json(total: Total) -> dict[str, str]:
    """Sums as the decimals they are."""
    return {"epsilon": str(total.epsilon), "rho": str(total.rho)}


def total_from_json(fields: Mapping[str, str], sequence: int) -> Total:
    """The sums that were kept."""
    try:
        return Total(Decimal(fields["epsilon"]), Decimal(fields["rho"]))
    except (InvalidOperation, KeyError, TypeError):
        raise VerificationError("Entry {sequence} of the ledger has no sums.", sequence=sequence) from None


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _hash(*told: object) -> str:
    return hashlib.sha256(_canonical(told).encode()).hexdigest()

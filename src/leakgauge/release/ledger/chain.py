"""The check of a ledger, entry by entry: hashes, order, sums, limits."""

from __future__ import annotations

from decimal import Decimal

from leakgauge.errors import VerificationError
from leakgauge.release.ledger.account import Account
from leakgauge.release.ledger.admission import Rule, rule_of_sums
from leakgauge.release.ledger.cost import Cost, Total
from leakgauge.release.ledger.entry import START, Entry, Kind
from leakgauge.release.ledger.limits import Unlimited
from leakgauge.sentences import Sentence

_SAME = Decimal("1e-9")
"""Another version may compute a level a little differently; what is looked for here is larger than that."""


class Chain:
    """What the entries so far add up to."""

    def __init__(self) -> None:
        self.head = START
        self.hashes: set[str] = set()
        self._sequence = 0
        self._accounts: dict[str, Account] = {}
        self._spent: dict[str, Total] = {}
        self._spends: dict[str, str] = {}

    def add(self, entry: Entry) -> None:
        """Take the next entry.

        Raises:
            VerificationError: it is not the next one, or not what it says.
        """
        if entry.sequence != self._sequence + 1:
            self._refuse(self._sequence + 1, Sentence("is missing"))
        if entry.previous != self.head:
            self._refuse(entry.sequence, Sentence("does not follow the one before it"))
        if not entry.is_whole():
            self._refuse(entry.sequence, Sentence("is not what was written"))
        self._add_up(entry)
        self.head, self._sequence = entry.hash, entry.sequence
        self.hashes.add(entry.hash)

    def _add_up(self, entry: Entry) -> None:
        if entry.kind is Kind.OPEN:
            if entry.dataset in self._accounts:
                self._refuse(entry.sequence, Sentence("opens an account that was open"))
            self._accounts[entry.dataset], self._spent[entry.dataset] = entry.account(), Total()
        elif entry.dataset not in self._accounts:
            self._refuse(entry.sequence, Sentence("is about a data set without an account"))
        elif entry.kind is Kind.SPEND:
            self._spend(entry)
        elif self._spends.get(entry.reference) != entry.dataset:
            self._refuse(entry.sequence, Sentence("completes a spend that was not made"))
        if entry.spent != self._spent[entry.dataset]:
            self._refuse(entry.sequence, Sentence("has sums that are not those of the entries"))

    def _spend(self, entry: Entry) -> None:
        told, steps = entry.cost, entry.steps
        if not steps:
            self._refuse(entry.sequence, Sentence("spends without a step"))
        computed = Cost(steps).total
        if _less(told.epsilon, computed.epsilon) or _less(told.rho, computed.rho):
            self._refuse(entry.sequence, Sentence("costs less than its steps"))
        account, before = self._accounts[entry.dataset], self._spent[entry.dataset]
        after = self._spent[entry.dataset] = before.plus(told)
        self._spends[entry.reference] = entry.dataset
        if isinstance(account.limit, Unlimited) or told.is_nothing:
            return
        # What was admitted alone is not composed anew: the bound may need an extra that is not installed here.
        alone = entry.rule == Rule.ALONE.name.lower() and before.is_nothing
        if not alone and rule_of_sums(account.limit, _a_little_less(after)) is None:
            self._refuse(entry.sequence, Sentence("spends more than the limit"))

    def _refuse(self, sequence: int, what: Sentence) -> None:
        raise VerificationError(
            "Entry {sequence} of the ledger {what}; do not spend from it, restore it from a copy.",
            sequence=sequence,
            what=what,
        )


def _less(told: Decimal, computed: Decimal) -> bool:
    return told < computed and not told >= computed * (1 - _SAME)


def _a_little_less(total: Total) -> Total:
    return Total(total.epsilon * (1 - _SAME), total.rho * (1 - _SAME))

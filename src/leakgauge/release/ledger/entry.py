"""Entries of a ledger, each containing the hash of the one before, and the check of all entries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from functools import cached_property

import msgspec

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.codec import encode
from leakgauge.artefacts.ledger import ColumnTold
from leakgauge.errors import OptionError, VerificationError
from leakgauge.mechanisms.steps import Step
from leakgauge.notions.composition import Neighbours
from leakgauge.release.ledger.account import Account, ApproximateLimit, Limit, Unlimited
from leakgauge.release.ledger.admission import Rule, charged, nothing_of, rule_of_sums
from leakgauge.release.ledger.cost import NOTHING, Cost, Total, Used, step_from_json
from leakgauge.release.ledger.period import YEARS, Period, Span, now
from leakgauge.release.ledger.splits import Split, SplitLimit, are_within
from leakgauge.sentences import Sentence

START = "0" * 64
"""What the first entry has in place of the hash of the one before."""
_SAME = Decimal("1e-9")
"""Another version may compute a level a little differently; what a check looks for is larger than that."""
_NEARLY_SAME = Decimal("1e-5")
"""The same of the time of a clock, which is searched for."""


class Kind(StrEnum):
    """What an entry says."""

    OPEN = "open"
    SPEND = "spend"
    COMPLETE = "complete"


class Bits(msgspec.Struct, frozen=True):
    """I(X;Y) of one release and H(X), both of all rows of a unit of protection.

    A release through a finite channel reveals I(X;Y) per row, and of a person who has several rows so many times that,
    as the account counts it; noisy numbers have no finite channel, and are listed without bits. Bits follow from the
    exact counts of a table: a ledger that contains them is kept private.
    """

    told: float
    entropy: float

    def __post_init__(self) -> None:
        if not 0 <= self.told < float("inf") or not 0 <= self.entropy < float("inf"):
            raise ValueError


class KeptCost(msgspec.Struct, frozen=True):
    """What a mechanism whose noise is kept costs in one release, and what it reads.

    Releases of one person and value with the same ``draw`` are the same.
    """

    draw: str
    cost: Total
    reads: tuple[str, ...]


class Kept(msgspec.Struct, frozen=True):
    """By which key, which is not said, a release keeps noise, and what the mechanisms cost that do."""

    key: str
    costs: tuple[KeptCost, ...]


Told = Mapping[str, "Bits | None"]
"""For each column that is read, what a release reveals about it; None where that is not known in bits."""


class PeriodLimit(msgspec.Struct, frozen=True):
    """A limit that renews, with its splits, as the entry that opens an account holds them."""

    period: Period
    limit: Limit
    splits: tuple[Split, ...] = ()


class Body(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of an entry; hashes cover its JSON text, so fields that its kind does not have are left out."""

    spent: Total
    limit: Limit | None = None
    unit: str | None = None
    neighbours: Neighbours | None = None
    cost: Total | None = None
    steps: tuple[dict[str, object], ...] = ()
    rule: str | None = None
    digest: str | None = None
    told: dict[str, Bits | None] = {}
    kept: Kept | None = None
    split_limit: SplitLimit | None = None
    """In place of a limit: earlier versions, which would sum up ρ beside it, find no limit and refuse the account."""
    period_limit: PeriodLimit | None = None
    """In place of both: earlier versions, which would add up all periods, refuse the account as well."""


@dataclass(frozen=True)
class Entry:
    """One line of a ledger; never changed once written.

    The sequence is 1, 2, 3 … over the whole ledger; the time is UTC in ISO 8601, and never before that of the entry it
    follows (in entries of earlier versions it may be); the body is the JSON text of a ``Body``. The reference is the
    caller's name for the spend, or the data set when an account is opened. The hash is SHA-256 over all other fields,
    including the hash of the previous entry.
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
        dataset: str,
        kind: Kind,
        body: Body,
        purpose: str,
        reference: str,
        moment: datetime | None = None,
    ) -> Entry:
        """The entry that follows the last one, of a moment; of now unless one is given."""
        time = (moment or now()).isoformat(timespec="microseconds")
        text = _canonical(encode(body))
        sequence, previous = (last.sequence + 1, last.hash) if last else (1, START)
        told = (sequence, dataset, kind, time, text, purpose, reference, previous)
        return cls(*told, _hash(*told))

    @property
    def moment(self) -> datetime:
        """The time of the entry."""
        try:
            return _in_utc(datetime.fromisoformat(self.time))
        except ValueError:
            raise _unreadable(self.sequence) from None

    @property
    def spent(self) -> Total:
        """Σ ε and Σ ρ of the data set up to and with this entry; of a limit that renews, in the period of its time."""
        return self._said.spent

    @property
    def cost(self) -> Total:
        """Σ ε and Σ ρ of this entry; 0 if it has no cost."""
        if self.kind is not Kind.SPEND:
            return NOTHING
        if self._said.cost is None:
            raise _unreadable(self.sequence)
        return self._said.cost

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the cost, without labels."""
        return tuple(map(step_from_json, self._said.steps))

    @property
    def rule(self) -> str | None:
        """The name of the rule that admitted the cost."""
        return self._said.rule

    @property
    def digest(self) -> str | None:
        """The digest of the record of a completed release."""
        return self._said.digest

    @property
    def told(self) -> Told:
        """What the release reveals about the columns it reads; empty in entries of versions that did not count it."""
        return self._said.told

    @property
    def kept(self) -> Kept | None:
        """The noise that the release keeps; None where it is generated afresh."""
        return self._said.kept

    def account(self) -> Account:
        """The account that this entry opened."""
        said, split, renewing = self._said, self._said.split_limit, self._said.period_limit
        if said.unit is None or said.neighbours is None:
            raise _unreadable(self.sequence)
        whom = said.unit, said.neighbours, self.time
        try:
            if renewing is not None:
                if said.limit is not None or split is not None:
                    raise _unreadable(self.sequence)
                whom = said.unit, said.neighbours, self.moment.isoformat(timespec="microseconds")
                return Account(self.dataset, renewing.limit, *whom, renewing.splits, renewing.period)
            if said.limit is not None and split is None:
                return Account(self.dataset, said.limit, *whom)
            if said.limit is not None or split is None:
                raise _unreadable(self.sequence)
            limit = ApproximateLimit(split.epsilon, split.delta)
            return Account(self.dataset, limit, *whom, split.splits)
        except OptionError:
            raise _unreadable(self.sequence) from None

    def is_whole(self) -> bool:
        """Whether the hash is that of the entry."""
        *told, found = astuple(self)
        return bool(found == _hash(*told))

    def require_whole(self) -> Entry:
        """The entry itself."""
        if not self.is_whole():
            raise VerificationError(
                "Entry {sequence} of the ledger was changed after it was written; run `leakgauge ledger check`.",
                sequence=self.sequence,
            )
        return self

    @cached_property
    def _said(self) -> Body:
        try:
            return msgspec.json.decode(self.body, type=Body)
        except (msgspec.DecodeError, RecursionError):
            raise _unreadable(self.sequence) from None


class Chain:
    """What the entries so far add up to."""

    def __init__(self) -> None:
        self.head = START
        self.hashes: set[str] = set()
        self._sequence = 0
        self._accounts: dict[str, Account] = {}
        self._spent: dict[str, Total] = {}
        self._periods: dict[str, Span] = {}
        self._spends: dict[str, str] = {}

    def add(self, entry: Entry) -> None:
        """Take the next entry."""
        if entry.sequence != self._sequence + 1:
            self._refuse(self._sequence + 1, Sentence("is missing"))
        if entry.previous != self.head:
            self._refuse(entry.sequence, Sentence("does not follow the one before it"))
        if not entry.is_whole():
            self._refuse(entry.sequence, Sentence("was changed after it was written"))
        if entry.kind is Kind.OPEN:
            if entry.dataset in self._accounts:
                self._refuse(entry.sequence, Sentence("opens an account that was open"))
            account = self._accounts[entry.dataset] = entry.account()
            limit = account.limit
            if isinstance(limit, ApproximateLimit) and not are_within(account.splits, limit.epsilon, limit.delta):
                self._refuse(entry.sequence, Sentence("splits its limit into more than it is"))
            self._spent[entry.dataset] = nothing_of(account)
        elif entry.dataset not in self._accounts:
            self._refuse(entry.sequence, Sentence("is about a data set without an account"))
        self._renew(entry)
        if entry.kind is Kind.SPEND:
            self._spend(entry)
        elif entry.kind is Kind.COMPLETE and self._spends.get(entry.reference) != entry.dataset:
            self._refuse(entry.sequence, Sentence("completes a spend that was not made"))
        if entry.spent != self._spent[entry.dataset]:
            self._refuse(entry.sequence, Sentence("has sums that are not those of the entries"))
        self.head, self._sequence = entry.hash, entry.sequence
        self.hashes.add(entry.hash)

    def _renew(self, entry: Entry) -> None:
        """Nothing is spent of a period that has just begun; periods never come back."""
        account = self._accounts[entry.dataset]
        if account.period is None:
            return
        now, before = account.period.at(entry.moment), self._periods.get(entry.dataset)
        if before is not None and now.number < before.number:
            self._refuse(entry.sequence, Sentence("is of an earlier period than the one before it"))
        if before is not None and now.number > before.number:
            self._spent[entry.dataset] = nothing_of(account)
        self._periods[entry.dataset] = now

    def _spend(self, entry: Entry) -> None:
        told, steps = entry.cost, entry.steps
        if not steps:
            self._refuse(entry.sequence, Sentence("spends without a step"))
        account, before = self._accounts[entry.dataset], self._spent[entry.dataset]
        least = _a_little_less(charged(_a_little_larger(account), before, Cost(steps)))
        if len(told.splits) != len(least.splits) or not _is_no_less(told, least):
            self._refuse(entry.sequence, Sentence("costs less than its steps"))
        after = self._spent[entry.dataset] = before.plus(told)
        self._spends[entry.reference] = entry.dataset
        if isinstance(account.limit, Unlimited) or told.is_nothing:
            return
        # A release admitted alone is not composed again: the bound may need an extra that is not installed here.
        alone = entry.rule == Rule.ALONE.name.lower() and before.is_nothing
        if not alone and rule_of_sums(account, _a_little_less(after)) is None:
            self._refuse(entry.sequence, Sentence("spends more than the limit"))

    def _refuse(self, sequence: int, what: Sentence) -> None:
        raise VerificationError(
            "Entry {sequence} of the ledger {what}; do not spend from it, restore it from a copy.",
            sequence=sequence,
            what=what,
        )


def in_all_periods(entries: Iterable[Entry]) -> Total:
    """Σ ε and Σ ρ of all entries together, however often a limit renewed between them."""
    total = NOTHING
    for entry in entries:
        total = total.plus(Total(entry.cost.epsilon, entry.cost.rho))
    return total


def added_up(releases: Iterable[Told]) -> tuple[ColumnTold, ...]:
    """The most that all releases reveal about each column.

    Given the rows, releases are independent, so several reveal at most the sum, and never more than H(X).
    """
    by_column: dict[str, list[Bits | None]] = {}
    for told in releases:
        for column, bits in told.items():
            by_column.setdefault(column, []).append(bits)
    return tuple(_column(column, found) for column, found in by_column.items())


def _column(column: str, found: list[Bits | None]) -> ColumnTold:
    known = [bits for bits in found if bits is not None]
    # Tables of one data set may differ from release to release: the largest entropy is never too little.
    entropy = max((bits.entropy for bits in known), default=None)
    return ColumnTold(
        column,
        releases=len(found),
        uncounted=len(found) - len(known),
        bits=None if entropy is None else Quantity(min(sum(bits.told for bits in known), entropy), "bits"),
        entropy=None if entropy is None else Quantity(entropy, "bits"),
    )


def _in_utc(time: datetime) -> datetime:
    """The same time in UTC; a time without a zone, or one that no calendar reaches, is refused."""
    if time.tzinfo is None or not YEARS[0] <= time.year <= YEARS[1]:
        raise ValueError
    return time.astimezone(UTC)


def _unreadable(sequence: int) -> VerificationError:
    return VerificationError(
        "Entry {sequence} of the ledger cannot be read; do not spend from it, restore it from a copy.",
        sequence=sequence,
    )


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _hash(*told: object) -> str:
    return hashlib.sha256(_canonical(told).encode()).hexdigest()


def _a_little_less(total: Total) -> Total:
    splits = tuple(Used(used.sure * (1 - _SAME), used.time * (1 - _NEARLY_SAME)) for used in total.splits)
    return Total(total.epsilon * (1 - _SAME), total.rho * (1 - _SAME), splits)


def _a_little_larger(account: Account) -> Account:
    """The account with splits in which everything fits that fitted by another computation of the same."""
    wider = ((split.sure * (1 + float(_SAME)), split.time * (1 + float(_SAME))) for split in account.splits)
    splits = tuple(
        msgspec.structs.replace(split, sure=sure, time=time)
        for split, (sure, time) in zip(account.splits, wider, strict=True)
    )
    return replace(account, splits=splits)


def _is_no_less(told: Total, least: Total) -> bool:
    return (
        told.epsilon >= least.epsilon
        and told.rho >= least.rho
        and all(
            one.sure >= other.sure and one.time >= other.time
            for one, other in zip(told.splits, least.splits, strict=True)
        )
    )

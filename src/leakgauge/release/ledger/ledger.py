"""The ledger itself: accounts, spends, completions, the check of all of it, and what it says of its accounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Self

from msgspec.structs import asdict
from msgspec.structs import replace as replaced

from leakgauge.artefacts import Origin, Quantity
from leakgauge.artefacts.ledger import (
    AccountTold,
    BudgetLeft,
    BudgetSums,
    ColumnTold,
    Completed,
    CompositionTold,
    LimitTold,
    SpendTold,
    SpentSums,
)
from leakgauge.drafts import target
from leakgauge.errors import FileError, InputError, OptionError, VerificationError, did_you_mean
from leakgauge.notions.composition import Composition, Neighbours, compose
from leakgauge.randomness.keyed import NoiseKey
from leakgauge.release.ledger.account import ONE_ROW, Account, ApproximateLimit, Limit, require_text
from leakgauge.release.ledger.admission import Spending, Verdict, nothing_of, spending
from leakgauge.release.ledger.cost import NOTHING, Cost, Total, as_float, step_to_json
from leakgauge.release.ledger.entry import START, Body, Chain, Entry, Kept, Kind, Told, added_up
from leakgauge.release.ledger.noise_keys import noise_key
from leakgauge.release.ledger.postgresql import PostgresqlStore
from leakgauge.release.ledger.splits import SplitLimit, splits_of
from leakgauge.release.ledger.sqlite import SqliteStore, make_sqlite
from leakgauge.release.ledger.store import Store
from leakgauge.release.ledger.unchanged import bits_unchanged, cost_unchanged
from leakgauge.sentences import Sentence
from leakgauge.tables.postgresql.address import SCHEMES, without_secrets


class Ledger:
    """Budgets of data sets that cannot be overspent; made by ``open_ledger``, used by one thread.

    Example:
        >>> import tempfile
        >>> from leakgauge.mechanisms.steps import LaplaceNoise
        >>> from leakgauge.release.ledger import ApproximateLimit, open_ledger
        >>> from leakgauge.release.ledger.cost import Cost
        >>> folder = tempfile.TemporaryDirectory()
        >>> with open_ledger(folder.name + "/budget.ledger", create=True) as ledger:
        ...     account = ledger.open_account("survey", ApproximateLimit(1.0))
        ...     entry = ledger.spend("survey", Cost((LaplaceNoise(0.4),)), "mean age", "a-random-name")
        ...     ledger.spent("survey").epsilon_left
        0.6
        >>> folder.cleanup()
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._accounts: dict[str, Account] = {}

    def __repr__(self) -> str:
        return f"Ledger({self._store.name!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file or the connection."""
        self._store.close()

    @property
    def head(self) -> str:
        """The hash of the newest entry, which stands for all of them; zeros where there is none."""
        last = self._store.last()
        return last.hash if last else START

    def open_account(
        self,
        dataset: str,
        limit: Limit,
        *,
        unit: str = ONE_ROW,
        neighbours: Neighbours = Neighbours.REPLACE_ONE,
    ) -> Account:
        """The new account of a data set."""
        account = Account(dataset, limit, unit, neighbours)  # refuses what an account cannot be
        body = Body(NOTHING, limit, unit, neighbours)
        if isinstance(limit, ApproximateLimit) and (splits := splits_of(limit.epsilon, limit.delta)):
            spent = nothing_of(replace(account, splits=splits))
            body = Body(spent, None, unit, neighbours, split_limit=SplitLimit(limit.epsilon, limit.delta, splits))
        with self._store.writing():
            if self._store.find(Kind.OPEN, dataset) is not None:
                raise OptionError(
                    "Data set {dataset!r} has an account already, whose limit stays; see `leakgauge ledger show`.",
                    dataset=dataset,
                )
            entry = self._append(Kind.OPEN, dataset, body, "", dataset)
        return entry.account()

    def account(self, dataset: str) -> Account:
        """The account of a data set."""
        if dataset not in self._accounts:
            entry = self._store.find(Kind.OPEN, dataset)
            if entry is None:
                known = [account.dataset for account in self.accounts()]
                raise OptionError(
                    "There is no account of data set {dataset!r}: {hint}",
                    dataset=dataset,
                    hint=did_you_mean(dataset, known),
                )
            self._accounts[dataset] = entry.account()
        return self._accounts[dataset]

    def accounts(self) -> tuple[Account, ...]:
        """All accounts, in the order they were opened."""
        return tuple(entry.require_whole().account() for entry in self._store.opened())

    def spent(self, dataset: str) -> Spending:
        """The budget that a data set has used, in nats."""
        account = self.account(dataset)
        spent = spending(account, self._total(dataset))
        if not isinstance(account.limit, ApproximateLimit):
            return spent
        # All that was admitted is together within the limit, by whichever rule it was: the sums may say less.
        return replace(spent, at_delta=min(spent.at_delta, account.limit.epsilon))

    def preview(self, dataset: str, cost: Cost) -> Verdict:
        """The account as it would be after a cost; nothing is used."""
        return Verdict(self.account(dataset), cost, self._total(dataset))

    def noise_key(self, dataset: str) -> NoiseKey:
        """The secret key by which releases of a data set keep their noise; it is on disk before this returns.

        Raises:
            VerificationError: it is not the key of the releases before.
        """
        return noise_key(self._store, dataset, self.entries(dataset))

    def spend(
        self,
        dataset: str,
        cost: Cost,
        purpose: str,
        reference: str,
        *,
        told: Told | None = None,
        kept: Kept | None = None,
    ) -> Entry:
        """The entry of a cost, on disk before this returns: generate noise only afterwards.

        The reference is a name of this spend that occurs only once, such as a random one. When no answer came back,
        ``entry(reference)`` tells whether the spend was made. ``told`` is what the release reveals about its columns,
        in bits, and ``kept`` which of its noise is kept; they limit nothing: a person's value may change every time.

        Raises:
            BudgetError: the cost does not fit; nothing was written.
            OptionError: the reference was used before, or there is no such account.
            ModelError: a step that says nothing of the account's kind of neighbours.
        """
        require_text(purpose, Sentence("The purpose of a spend"))
        require_text(reference, Sentence("The reference of a spend"))
        steps = tuple(map(step_to_json, cost.steps))
        verdict = self.preview(dataset, cost)
        # First without the lock: the slow part is computed here, and a cost that does not fit now never will.
        self._require_new(reference)
        verdict.require()
        with self._store.writing():
            self._require_new(reference)
            before = self._total(dataset)
            if before != verdict.spent:
                verdict = Verdict(verdict.account, cost, before)
            body = Body(
                before.plus(verdict.charged),
                cost=verdict.charged,
                steps=steps,
                rule=verdict.require().name.lower(),
                told=dict(told or {}),
                kept=kept,
            )
            return self._append(Kind.SPEND, dataset, body, purpose, reference)

    def complete(self, spend: Entry, digest: str) -> Entry:
        """The entry that says the release of a spend was written, with the digest of its record; it costs nothing.

        Said again with the same digest, the first entry comes back.
        """
        require_text(digest, Sentence("The digest of a record"))
        with self._store.writing():
            found = self.entry(spend.reference)
            if found is None or found.hash != spend.hash:
                raise FileError(
                    "The ledger {ledger!s} has no spend {reference!r}; use the ledger it was spent in.",
                    ledger=self._store.name,
                    reference=spend.reference,
                )
            done = self.completion(spend.reference)
            if done is not None:
                if done.digest == digest:
                    return done
                raise OptionError(
                    "The spend {reference!r} was completed already, with another digest, as entry {sequence}.",
                    reference=spend.reference,
                    sequence=done.sequence,
                )
            body = Body(self._total(spend.dataset), digest=digest)
            return self._append(Kind.COMPLETE, spend.dataset, body, spend.purpose, spend.reference)

    def entry(self, reference: str) -> Entry | None:
        """The entry of the cost with a reference; None if there is none."""
        return self._store.find(Kind.SPEND, reference)

    def completion(self, reference: str) -> Entry | None:
        """The entry that says the release of a spend was written; None where it was not said."""
        return self._store.find(Kind.COMPLETE, reference)

    def entries(self, dataset: str | None = None) -> tuple[Entry, ...]:
        """All entries in order, of one data set or of all."""
        if dataset is not None:
            self.account(dataset)
        return tuple(entry.require_whole() for entry in self._store.entries(dataset))

    def check(self, expected_head: str | None = None) -> str:
        """The head, after every hash and every sum was recomputed and found right.

        An expected head, such as the one in a record, must occur: only this shows that entries were cut off at the end.
        """
        chain = Chain()
        for entry in self._store.entries():
            chain.add(entry)
        if expected_head is not None and expected_head not in chain.hashes:
            raise VerificationError(
                "The ledger {ledger!s} has no entry {head}: entries were removed, or it is another ledger.",
                ledger=self._store.name,
                head=expected_head,
            )
        return chain.head

    def composition(self, dataset: str, delta: float | None = None) -> Composition:
        """The smallest ε in nats proved for all steps so far, if the sequence had been fixed in advance.

        At the δ of the account's limit unless another is given; refused where nothing was spent yet.
        """
        account = self.account(dataset)
        steps = [step for entry in self.entries(dataset) for step in entry.steps]
        return compose(steps, account.delta if delta is None else delta, neighbours=account.neighbours)

    def _append(self, kind: Kind, dataset: str, body: Body, purpose: str, reference: str) -> Entry:
        entry = Entry.after(self._store.last(), dataset, kind, body, purpose, reference)
        self._store.append(entry)
        return entry

    def _total(self, dataset: str) -> Total:
        last = self._store.last(dataset)
        return last.spent if last else NOTHING

    def _require_new(self, reference: str) -> None:
        used = self.entry(reference)
        if used is not None:
            raise OptionError(
                "The reference {reference!r} was used already, as entry {sequence}; take a new one for a new release.",
                reference=reference,
                sequence=used.sequence,
            )


def ledger_files(address: str | PathLike[str]) -> tuple[Path, ...]:
    """The files a ledger at an address is made of: its own and the two that lie beside it; none on a server."""
    text = str(address)
    if "://" in text:
        return ()
    path = target(Path(text))
    return tuple(path.with_name(path.name + end) for end in ("", "-wal", "-shm"))


def open_ledger(address: str | PathLike[str], *, create: bool = False) -> Ledger:
    """The ledger at an address, a file or ``postgresql://…``; close it, or use it in a ``with`` block.

    Raises:
        FileError: there is no ledger, or something else, or one from a newer version.
        EngineError: the file or the server cannot be used.
        OptionError: the extra for PostgreSQL is not installed.
    """
    text = str(address)
    if text.startswith(SCHEMES):
        return Ledger(PostgresqlStore(text, create))
    if "://" in text:
        raise FileError(
            "{address} is not the address of a ledger; give a file or postgresql://….", address=without_secrets(text)
        )
    if create:
        make_sqlite(Path(text))
    return Ledger(SqliteStore(Path(text)))


def account_told(account: Account, ledger: Ledger | None = None) -> AccountTold:
    """An account; with its ledger what was spent of it, and every spend."""
    opened = (account.dataset, _limit(account.limit), account.unit, account.neighbours.value, account.opened)
    if ledger is None:
        return AccountTold(*opened)
    spent, entries = ledger.spent(account.dataset), ledger.entries(account.dataset)
    completed = {entry.reference: entry for entry in entries if entry.kind is Kind.COMPLETE}
    spends = [entry for entry in entries if entry.kind is Kind.SPEND]
    return AccountTold(
        *opened,
        SpentSums(nats(spent.epsilon), nats(spent.rho), nats(spent.at_delta)),
        left_of(spent),
        _composition(ledger, account),
        tuple(_spend(entry, completed.get(entry.reference)) for entry in spends),
        _told_of_columns(spends),
        sum(not entry.told for entry in spends),
        _unchanged(spends),
    )


def _told_of_columns(spends: Sequence[Entry]) -> tuple[ColumnTold, ...]:
    unchanged = bits_unchanged(spends)
    return tuple(replaced(one, unchanged=unchanged.get(one.column)) for one in added_up(each.told for each in spends))


def _unchanged(spends: Sequence[Entry]) -> BudgetSums | None:
    if all(entry.kept is None for entry in spends):
        return None
    found = cost_unchanged(spends)
    return BudgetSums(nats(as_float(found.epsilon)), nats(as_float(found.rho)))


def left_of(spent: Spending) -> BudgetLeft:
    """What may still be spent."""
    return BudgetLeft(*(None if left is None else nats(left) for left in (spent.epsilon_left, spent.rho_left)))


def nats(value: float, origin: Origin = Origin.ACCOUNTED) -> Quantity:
    """An amount of a budget."""
    return Quantity(value, "nats", origin=origin)


def _limit(limit: Limit) -> LimitTold:
    kind, levels = str(limit.__struct_config__.tag), asdict(limit)
    delta = levels.pop("delta", None)
    return LimitTold(kind, delta=delta, **{name: nats(level, Origin.DECLARED) for name, level in levels.items()})


def _composition(ledger: Ledger, account: Account) -> CompositionTold | None:
    try:
        found = ledger.composition(account.dataset)
    except InputError:
        return None  # nothing was spent, or nothing is proved of the sequence
    if isinstance(account.limit, ApproximateLimit) and found.epsilon > account.limit.epsilon:
        return None  # the bound is a weak one: the limit holds even of a sequence that was not fixed
    return CompositionTold(nats(found.epsilon), found.delta, found.method.value)


def _spend(entry: Entry, done: Entry | None) -> SpendTold:
    return SpendTold(
        sequence=entry.sequence,
        time=entry.time,
        purpose=entry.purpose,
        reference=entry.reference,
        epsilon=nats(float(entry.cost.epsilon)),
        rho=nats(float(entry.cost.rho)),
        admitted_by=entry.rule,
        completed=None if done is None else Completed(done.time, done.digest),
        hash=entry.hash,
        noise_key=None if entry.kept is None else entry.kept.key,
    )

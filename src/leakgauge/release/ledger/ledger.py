"""The ledger itself: accounts, spends, completions, and the check of all of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Self

from msgspec import structs

from leakgauge.drafts import target
from leakgauge.errors import FileError, OptionError, VerificationError, did_you_mean
from leakgauge.notions.composition import Composition, Neighbours, compose
from leakgauge.randomness.keyed import NoiseKey
from leakgauge.release.ledger.account import ONE_ROW, Account, ApproximateLimit, Limit, require_text
from leakgauge.release.ledger.admission import Spending, Verdict, nothing_of, spending
from leakgauge.release.ledger.cost import NOTHING, Cost, Total, step_to_json
from leakgauge.release.ledger.entry import START, Body, Chain, Entry, Kept, Kind, PeriodLimit, Told
from leakgauge.release.ledger.noise_keys import noise_key
from leakgauge.release.ledger.period import Period, Span, now
from leakgauge.release.ledger.postgresql import PostgresqlStore
from leakgauge.release.ledger.splits import SplitLimit, splits_of
from leakgauge.release.ledger.sqlite import SqliteStore, make_sqlite
from leakgauge.release.ledger.store import Store
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
        period: Period | None = None,
    ) -> Account:
        """The new account of a data set; with a period its limit renews whenever the next one begins."""
        account = Account(dataset, limit, unit, neighbours, period=period)  # refuses what an account cannot be
        splits = splits_of(limit.epsilon, limit.delta) if isinstance(limit, ApproximateLimit) else ()
        body = Body(nothing_of(replace(account, splits=splits)), None, unit, neighbours)
        if period is not None:
            body = structs.replace(body, period_limit=PeriodLimit(period, limit, splits))
        elif isinstance(limit, ApproximateLimit) and splits:
            body = structs.replace(body, split_limit=SplitLimit(limit.epsilon, limit.delta, splits))
        else:
            body = structs.replace(body, limit=limit)
        with self._store.writing():
            moment = self._moment(dataset)
            if self._store.find(Kind.OPEN, dataset) is not None:
                raise _open_already(self.account(dataset), account, moment)
            entry = self._append(Kind.OPEN, dataset, body, "", dataset, moment)
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

    def running(self, dataset: str) -> Span | None:
        """The period that runs now; None of a limit that does not renew."""
        return self.account(dataset).running(self._moment(dataset))

    def spent(self, dataset: str) -> Spending:
        """The budget that a data set has used, in nats; of a limit that renews, in the running period."""
        account, moment = self.account(dataset), self._moment(dataset)
        spent = replace(spending(account, self._total(dataset, moment)), period=account.running(moment))
        if not isinstance(account.limit, ApproximateLimit):
            return spent
        # All that was admitted is together within the limit, by whichever rule it was: the sums may say less.
        return replace(spent, at_delta=min(spent.at_delta, account.limit.epsilon))

    def preview(self, dataset: str, cost: Cost) -> Verdict:
        """The account as it would be after a cost; nothing is used."""
        return self._verdict(dataset, cost, self._moment(dataset))

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
        # First without the lock: the slow part is computed here, and a cost that does not fit now is refused.
        self._require_new(reference)
        verdict.require()
        with self._store.writing():
            self._require_new(reference)
            # The period of the entry's own time: meanwhile another may have begun.
            moment = self._moment(dataset)
            latest = self._verdict(dataset, cost, moment)
            if latest.spent != verdict.spent:
                verdict = latest
            body = Body(
                verdict.spent.plus(verdict.charged),
                cost=verdict.charged,
                steps=steps,
                rule=verdict.require().name.lower(),
                told=dict(told or {}),
                kept=kept,
            )
            return self._append(Kind.SPEND, dataset, body, purpose, reference, moment)

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
            moment = self._moment(spend.dataset)
            body = Body(self._total(spend.dataset, moment), digest=digest)
            return self._append(Kind.COMPLETE, spend.dataset, body, spend.purpose, spend.reference, moment)

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

    def _append(self, kind: Kind, dataset: str, body: Body, purpose: str, reference: str, moment: datetime) -> Entry:
        entry = Entry.after(self._store.last(), dataset, kind, body, purpose, reference, moment)
        self._store.append(entry)
        return entry

    def _moment(self, dataset: str) -> datetime:
        """The time of the next entry: a clock that goes back opens no period again, and no entry is before another."""
        written = (self._store.last(), self._store.last(dataset))
        return max((now(), *(entry.moment for entry in written if entry is not None)))

    def _verdict(self, dataset: str, cost: Cost, moment: datetime) -> Verdict:
        account = self.account(dataset)
        return Verdict(account, cost, self._total(dataset, moment), account.running(moment))

    def _total(self, dataset: str, moment: datetime) -> Total:
        """What is spent at a moment: of a limit that renews, since the running period began."""
        last = self._store.last(dataset)
        if last is None:
            return NOTHING
        period = self.account(dataset).period
        if period is not None and period.at(last.moment).number < period.at(moment).number:
            return nothing_of(self.account(dataset))
        return last.spent

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


def _open_already(account: Account, asked: Account, moment: datetime) -> OptionError:
    if account.period is None and asked.period is None:
        return OptionError(
            "Data set {dataset!r} has an account already, whose limit stays; see `leakgauge ledger show`.",
            dataset=account.dataset,
        )
    return OptionError(
        "Data set {dataset!r} has an account already, whose limit holds {held}; a limit {asked} would overlap it, so "
        "limit and period stay; see `leakgauge ledger show`.",
        dataset=account.dataset,
        held=_reach(account, moment),
        asked=_reach(asked, moment),
    )


def _reach(account: Account, moment: datetime) -> Sentence:
    if account.period is None:
        return Sentence("over all time")
    running = account.period.at(moment)
    return Sentence(
        "{each} ({first} to {last})",
        each=account.period.each,
        first=running.first.isoformat(),
        last=running.last.isoformat(),
    )

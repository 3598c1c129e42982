"""What a ledger says of its accounts: limits, sums, what is left, and every spend."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import structs

from leakgauge.artefacts import Origin, Quantity
from leakgauge.artefacts.ledger import (
    AccountTold,
    BudgetLeft,
    BudgetSums,
    ColumnTold,
    Completed,
    CompositionTold,
    LimitTold,
    PeriodTold,
    SpendTold,
    SpentSums,
)
from leakgauge.errors import InputError
from leakgauge.release.ledger.account import Account, ApproximateLimit, Limit
from leakgauge.release.ledger.admission import Spending
from leakgauge.release.ledger.cost import NOTHING, Total, as_float
from leakgauge.release.ledger.entry import Entry, Kind, added_up, in_all_periods
from leakgauge.release.ledger.ledger import Ledger
from leakgauge.release.ledger.period import Span
from leakgauge.release.ledger.unchanged import bits_unchanged, cost_unchanged


def account_told(account: Account, ledger: Ledger | None = None) -> AccountTold:
    """An account; with its ledger what was spent of it, and every spend."""
    opened = (account.dataset, _limit(account.limit), account.unit, account.neighbours.value, account.opened)
    if ledger is None:
        return AccountTold(*opened, period=_period(account, account.running(datetime.fromisoformat(account.opened))))
    spent, entries = ledger.spent(account.dataset), ledger.entries(account.dataset)
    completed = {entry.reference: entry for entry in entries if entry.kind is Kind.COMPLETE}
    spends = [entry for entry in entries if entry.kind is Kind.SPEND]
    return AccountTold(
        *opened,
        SpentSums(nats(spent.epsilon), nats(spent.rho), nats(spent.at_delta)),
        left_of(spent),
        _composition(ledger, account, spent.period),
        tuple(_spend(entry, completed.get(entry.reference)) for entry in spends),
        _told_of_columns(spends),
        sum(not entry.told for entry in spends),
        _period(account, spent.period, in_all_periods(entries)),
        _unchanged(spends),
    )


def _told_of_columns(spends: Sequence[Entry]) -> tuple[ColumnTold, ...]:
    unchanged = bits_unchanged(spends)
    found = added_up(each.told for each in spends)
    return tuple(structs.replace(one, unchanged=unchanged.get(one.column)) for one in found)


def _unchanged(spends: Sequence[Entry]) -> BudgetSums | None:
    return _sums(cost_unchanged(spends)) if any(entry.kept is not None for entry in spends) else None


def spent_in_all_periods(ledger: Ledger, dataset: str) -> BudgetSums:
    """Σ ε and Σ ρ of all that was ever spent of an account, however often its limit renewed."""
    return _sums(in_all_periods(ledger.entries(dataset)))


def left_of(spent: Spending) -> BudgetLeft:
    """What may still be spent."""
    return BudgetLeft(*(None if left is None else nats(left) for left in (spent.epsilon_left, spent.rho_left)))


def nats(value: float, origin: Origin = Origin.ACCOUNTED) -> Quantity:
    """An amount of a budget."""
    return Quantity(value, "nats", origin=origin)


def _limit(limit: Limit) -> LimitTold:
    kind, levels = str(limit.__struct_config__.tag), structs.asdict(limit)
    delta = levels.pop("delta", None)
    return LimitTold(kind, delta=delta, **{name: nats(level, Origin.DECLARED) for name, level in levels.items()})


def _renewed(account: Account, running: Span) -> int:
    """How often the limit has renewed since the account was opened."""
    first = account.running(datetime.fromisoformat(account.opened))
    return 0 if first is None else running.number - first.number


def _period(account: Account, running: Span | None, spent: Total = NOTHING) -> PeriodTold | None:
    if account.period is None or running is None:
        return None
    renewed = _renewed(account, running)
    allowed = account.limit_over(renewed + 1)
    return PeriodTold(
        account.period.length,
        running.first.isoformat(),
        running.renews.isoformat(),
        renewed,
        _sums(spent),
        None if allowed is None else _limit(allowed),
    )


def _sums(total: Total) -> BudgetSums:
    return BudgetSums(nats(as_float(total.epsilon)), nats(as_float(total.rho)))


def _composition(ledger: Ledger, account: Account, running: Span | None) -> CompositionTold | None:
    try:
        found = ledger.composition(account.dataset)
    except InputError:
        return None  # nothing was spent, or nothing is proved of the sequence
    periods = 1 if running is None else 1 + _renewed(account, running)
    if isinstance(account.limit, ApproximateLimit) and found.epsilon > periods * account.limit.epsilon:
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

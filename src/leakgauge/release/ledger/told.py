"""What a ledger says of its accounts, as it is stored."""

from __future__ import annotations

from leakgauge.artefacts import Origin, Quantity
from leakgauge.artefacts.ledger import AccountTold, Completed, CompositionTold, Left, LimitTold, SpendTold, Spent
from leakgauge.errors import InputError
from leakgauge.release.ledger.account import Account, name_of
from leakgauge.release.ledger.admission import Spending
from leakgauge.release.ledger.entry import Entry, Kind
from leakgauge.release.ledger.ledger import Ledger
from leakgauge.release.ledger.limits import ApproximateLimit, ConcentratedLimit, Limit


def account_told(account: Account, ledger: Ledger | None = None) -> AccountTold:
    """An account; with its ledger what was spent of it, and every spend."""
    name = name_of(account.neighbours)
    opened = (account.dataset, _limit(account.limit), account.unit, name, account.opened)
    if ledger is None:
        return AccountTold(*opened)
    spent, entries = ledger.spent(account.dataset), ledger.entries(account.dataset)
    completed = {entry.reference: entry for entry in entries if entry.kind is Kind.COMPLETE}
    return AccountTold(
        *opened,
        Spent(nats(spent.epsilon), nats(spent.rho), nats(spent.at_delta)),
        left_of(spent),
        _composition(ledger, account),
        tuple(_spend(entry, completed.get(entry.reference)) for entry in entries if entry.kind is Kind.SPEND),
    )


def left_of(spent: Spending) -> Left:
    """What may still be spent."""
    epsilon, rho = spent.epsilon_left, spent.rho_left
    return Left(None if epsilon is None else nats(epsilon), None if rho is None else nats(rho))


def nats(value: float, origin: Origin = Origin.ACCOUNTED) -> Quantity:
    """An amount of a budget."""
    return Quantity(value, "nats", origin=origin)


def _limit(limit: Limit) -> LimitTold:
    if isinstance(limit, ApproximateLimit):
        return LimitTold("approximate", nats(limit.epsilon, Origin.DECLARED), limit.delta)
    if isinstance(limit, ConcentratedLimit):
        return LimitTold("concentrated", rho=nats(limit.rho, Origin.DECLARED))
    return LimitTold("unlimited")


def _composition(ledger: Ledger, account: Account) -> CompositionTold | None:
    try:
        found = ledger.composition(account.dataset)
    except InputError:
        return None  # nothing was spent, or nothing is proved of the sequence
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
    )

"""``leakgauge ledger``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leakgauge.cli import options
from leakgauge.cli.output import Output, deliver
from leakgauge.drafts import require_writable
from leakgauge.errors import OptionError

if TYPE_CHECKING:
    from leakgauge.release.ledger.account import Limit
    from leakgauge.release.ledger.period import Period


@click.group()
def command() -> None:
    """A budget per data set that cannot be overspent.

    LEDGER is a file, or postgresql://… for several machines.
    """


@command.command("open")
@click.argument("ledger", type=options.ADDRESS)
@click.option("--dataset", required=True, metavar="NAME", help="The data set whose budget it is.")
@click.option("--epsilon", type=float, metavar="E", help="Limit on ε over all releases, in nats.")
@click.option("--delta", type=float, metavar="D", help="The δ beside ε; 0 unless given.")
@click.option("--rho", type=float, metavar="R", help="Limit on ρ of zCDP over all releases, in nats.")
@click.option("--unlimited", is_flag=True, help="No limit; costs are only added up.")
@click.option(
    "--unit", default="one row", show_default=True, metavar="TEXT", help="The unit of protection, spelt as below."
)
@options.neighbours
@click.option(
    "--period", metavar="PERIOD", help="After how long the limit renews: year, quarter, month or a number of days."
)
@click.option(
    "--from", "first", metavar="DAY", help="First day of a period, UTC; default: as in the calendar, or today."
)
@options.output
def open_account(ledger: str, dataset: str, unit: str, neighbours: str, to: Output, **terms: Any) -> None:
    """Open the account of a data set; a ledger that does not exist is created.

    \b
    leakgauge ledger open budget.ledger --dataset survey --epsilon 1 --delta 1e-6
    leakgauge ledger open budget.ledger --dataset visits --rho 0.1 \\
        --unit "one value of 'person'"
    leakgauge ledger open budget.ledger --dataset panel --epsilon 12 --period year

    The unit is what releases and queries of this data set must protect: "one row", or "one value of 'COLUMN'" for
    queries with --unit COLUMN.

    With --period the limit holds for each year, quarter, month or span of days by itself. What is spent in all periods
    still adds up for people who stay in the data; `ledger show` says the sum.
    """
    from leakgauge.artefacts import LedgerTold
    from leakgauge.notions.composition import Neighbours
    from leakgauge.release.ledger import Account, open_ledger
    from leakgauge.release.ledger.ledger import ledger_files
    from leakgauge.release.ledger.summary import account_told
    from leakgauge.telling.budget import opened

    require_writable(to.file, *ledger_files(ledger))
    period = _period(terms.pop("period"), terms.pop("first"))
    asked = Account(dataset, _limit(**terms), unit, Neighbours(neighbours), period=period)  # before a ledger is made
    with open_ledger(ledger, create=True) as kept:
        account = kept.open_account(dataset, asked.limit, unit=unit, neighbours=asked.neighbours, period=period)
        told = account_told(account)
        found = LedgerTold(kept.head, (told,))
    deliver(found, to, lambda voice: opened(voice, account, told))


@command.command()
@click.argument("ledger", type=options.ADDRESS)
@click.option("--dataset", metavar="NAME", help="Only this data set.")
@options.output
def show(ledger: str, dataset: str | None, to: Output) -> None:
    """The limits, what is used, what is left, and every entry."""
    from leakgauge.artefacts import LedgerTold
    from leakgauge.release.ledger import open_ledger
    from leakgauge.release.ledger.ledger import ledger_files
    from leakgauge.release.ledger.summary import account_told
    from leakgauge.telling.budget import budget

    require_writable(to.file, *ledger_files(ledger))
    with open_ledger(ledger) as opened:
        accounts = opened.accounts() if dataset is None else (opened.account(dataset),)
        told = tuple(account_told(account, opened) for account in accounts)
        found = LedgerTold(opened.head, told)
    shown = tuple(zip(accounts, told, strict=True))
    deliver(found, to, lambda voice: (block for one in shown for block in budget(voice, *one)))


@command.command()
@click.argument("ledger", type=options.ADDRESS)
@click.option("--head", metavar="HASH", help="A hash that the ledger must contain, such as that of a record.")
@options.output
def check(ledger: str, head: str | None, to: Output) -> None:
    """Recompute every hash and every sum; exit 1 at the first wrong entry."""
    from leakgauge.artefacts import LedgerTold
    from leakgauge.release.ledger import open_ledger
    from leakgauge.release.ledger.ledger import ledger_files
    from leakgauge.telling.budget import unchanged

    require_writable(to.file, *ledger_files(ledger))
    with open_ledger(ledger) as opened:
        found, count = opened.check(head), len(opened.entries())
    told = LedgerTold(found, entries=count)
    deliver(told, to, lambda voice: [unchanged(voice, told)])


def _period(length: str | None, first: str | None) -> Period | None:
    from leakgauge.release.ledger.period import Period, now

    if length is None:
        if first is not None:
            raise OptionError("--from is the first day of a period, but no --period is given; give both or neither.")
        return None
    return Period.parse(length, first, now().date())


def _limit(epsilon: float | None, delta: float | None, rho: float | None, unlimited: bool) -> Limit:
    from leakgauge.release.ledger import ApproximateLimit, ConcentratedLimit, Unlimited

    if (epsilon is not None) + (rho is not None) + unlimited != 1 or (delta is not None and epsilon is None):
        raise OptionError("An account needs one limit; give --epsilon (with or without --delta), --rho or --unlimited.")
    if epsilon is not None:
        return ApproximateLimit(epsilon, delta or 0.0)
    return Unlimited() if rho is None else ConcentratedLimit(rho)

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
@options.output
def open_account(ledger: str, dataset: str, unit: str, neighbours: str, to: Output, **limits: Any) -> None:
    """Open the account of a data set; a ledger that does not exist is created.

    \b
    leakgauge ledger open budget.ledger --dataset survey --epsilon 1 --delta 1e-6
    leakgauge ledger open budget.ledger --dataset visits --rho 0.1 \\
        --unit "one value of 'person'"

    The unit is what releases and queries of this data set must protect: "one row", or "one value of 'COLUMN'" for
    queries with --unit COLUMN.
    """
    from leakgauge.artefacts import LedgerTold
    from leakgauge.notions.composition import Neighbours
    from leakgauge.release.ledger import Account, open_ledger
    from leakgauge.release.ledger.ledger import account_told, ledger_files
    from leakgauge.telling.budget import account_of

    require_writable(to.file, *ledger_files(ledger))
    asked = Account(dataset, _limit(**limits), unit, Neighbours(neighbours))  # refused before a ledger is made
    with open_ledger(ledger, create=True) as opened:
        account = opened.open_account(asked.dataset, asked.limit, unit=asked.unit, neighbours=asked.neighbours)
        told = LedgerTold(opened.head, (account_told(account),))
    deliver(told, to, lambda voice: [account_of(voice, account)])


@command.command()
@click.argument("ledger", type=options.ADDRESS)
@click.option("--dataset", metavar="NAME", help="Only this data set.")
@options.output
def show(ledger: str, dataset: str | None, to: Output) -> None:
    """The limits, what is used, what is left, and every entry."""
    from leakgauge.artefacts import LedgerTold
    from leakgauge.release.ledger import open_ledger
    from leakgauge.release.ledger.ledger import account_told, ledger_files
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


def _limit(epsilon: float | None, delta: float | None, rho: float | None, unlimited: bool) -> Limit:
    from leakgauge.release.ledger import ApproximateLimit, ConcentratedLimit, Unlimited

    if (epsilon is not None) + (rho is not None) + unlimited != 1 or (delta is not None and epsilon is None):
        raise OptionError("An account needs one limit; give --epsilon (with or without --delta), --rho or --unlimited.")
    if epsilon is not None:
        return ApproximateLimit(epsilon, delta or 0.0)
    return Unlimited() if rho is None else ConcentratedLimit(rho)

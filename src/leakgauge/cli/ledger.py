"""``leakgauge ledger``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from leakgauge.cli import options
from leakgauge.cli.language import retell, say
from leakgauge.cli.output import Output, Parts, deliver, grid, number
from leakgauge.drafts import require_writable
from leakgauge.errors import OptionError
from leakgauge.rounding import at_least, at_most

if TYPE_CHECKING:
    from leakgauge.artefacts.ledger import AccountTold, ColumnTold, CompositionTold
    from leakgauge.release.ledger import Account
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
@click.option("--unlimited", is_flag=True, help="No limit; spends are only added up.")
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

    require_writable(to.file, *ledger_files(ledger))
    asked = Account(dataset, _limit(**limits), unit, Neighbours(neighbours))  # refused before a ledger is made
    with open_ledger(ledger, create=True) as opened:
        account = opened.open_account(asked.dataset, asked.limit, unit=asked.unit, neighbours=asked.neighbours)
        told = LedgerTold(opened.head, (account_told(account),))
    deliver(told, to, lambda: [_title(account)])


@command.command()
@click.argument("ledger", type=options.ADDRESS)
@click.option("--dataset", metavar="NAME", help="Only this data set.")
@options.output
def show(ledger: str, dataset: str | None, to: Output) -> None:
    """The limits, what is spent, what is left, and every entry."""
    from leakgauge.artefacts import LedgerTold
    from leakgauge.release.ledger import open_ledger
    from leakgauge.release.ledger.ledger import account_told, ledger_files

    require_writable(to.file, *ledger_files(ledger))
    with open_ledger(ledger) as opened:
        accounts = opened.accounts() if dataset is None else (opened.account(dataset),)
        told = tuple(account_told(account, opened) for account in accounts)
        found = LedgerTold(opened.head, told)
    rendered = zip(accounts, told, strict=True)
    deliver(found, to, lambda: [part for pair in rendered for part in _render(*pair)])


@command.command()
@click.argument("ledger", type=options.ADDRESS)
@click.option("--head", metavar="HASH", help="A hash that the ledger must contain, such as that of a record.")
@options.output
def check(ledger: str, head: str | None, to: Output) -> None:
    """Recompute every hash and every sum; exit 1 at the first wrong entry."""
    from leakgauge.artefacts import LedgerTold
    from leakgauge.release.ledger import open_ledger
    from leakgauge.release.ledger.ledger import ledger_files

    require_writable(to.file, *ledger_files(ledger))
    with open_ledger(ledger) as opened:
        found, count = opened.check(head), len(opened.entries())
    sentence = say("{count:d} entries are unchanged; head {head!s}", count=count, head=found)
    deliver(LedgerTold(found, entries=count), to, lambda: [sentence])


def _limit(epsilon: float | None, delta: float | None, rho: float | None, unlimited: bool) -> Limit:
    from leakgauge.release.ledger import ApproximateLimit, ConcentratedLimit, Unlimited

    if (epsilon is not None) + (rho is not None) + unlimited != 1 or (delta is not None and epsilon is None):
        raise OptionError("An account needs one limit; give --epsilon (with or without --delta), --rho or --unlimited.")
    if epsilon is not None:
        return ApproximateLimit(epsilon, delta or 0.0)
    return Unlimited() if rho is None else ConcentratedLimit(rho)


def _render(account: Account, told: AccountTold) -> Parts:

    parts: Parts = [_title(account), *_lines(told, account.delta)]
    if told.entries:
        entries = grid(say("entry|time (UTC)|purpose|ε|ρ|completed"))
        for entry in told.entries:
            numbers = (number(at_most(spent.value)) for spent in (entry.epsilon, entry.rho))
            done = say("no") if entry.completed is None else say("yes")
            time, purpose = entry.time[:19].replace("T", " "), retell(entry.purpose)
            entries.add_row(str(entry.sequence), time, purpose, *numbers, done)
        parts.append(entries)
    if told.told:
        parts.append(_told(told.told))
        if any(one.uncounted for one in told.told):
            parts.append(say("Releases not counted in bits, such as noisy numbers, still add their ε."))
        if told.without_bits:
            without = say(
                "Spends without bits (queries, or releases of earlier versions): {count}.", count=told.without_bits
            )
            parts.append(without)
        parts.append(say("Bits follow from the exact counts of the table: keep the ledger private."))
    return parts


def _told(columns: Sequence[ColumnTold]) -> Table:
    """What all releases reveal about each column."""
    table = grid(say("column|releases|bits revealed at most|of|not counted"))
    for one in columns:
        bits = ["" if amount is None else number(amount.value) for amount in (one.bits, one.entropy)]
        table.add_row(one.column, str(one.releases), *bits, str(one.uncounted or ""))
    return table


def _lines(told: AccountTold, delta: float) -> list[str]:
    spent, left, found = told.spent, told.left, told.composition
    assert spent is not None and left is not None
    sums = {"epsilon": number(at_most(spent.epsilon.value)), "rho": number(at_most(spent.rho.value))}
    if delta > 0:
        whole: dict[str, object] = {**sums, "together": number(at_most(spent.epsilon_at_delta.value)), "delta": delta}
        lines = [say("spent: ε {epsilon}, ρ {rho}; together ε {together} at δ {delta:g}", **whole)]
    else:
        lines = [say("spent: ε {epsilon}, ρ {rho}", **sums)]
    amounts = {"ε": left.epsilon, "ρ": left.rho}
    limited = [f"{name} {number(at_least(one.value))}" for name, one in amounts.items() if one is not None]
    if limited:
        lines.append(say("left: {amounts!s}", amounts=say(" or ").join(limited)))
    if found is not None:
        lines.append(_fixed(found))
    return lines


def _fixed(found: CompositionTold) -> str:
    epsilon = number(at_most(found.epsilon.value))
    fields: dict[str, object] = {"epsilon": epsilon, "delta": found.delta, "method": found.method}
    if found.delta:
        return say("if the sequence had been fixed in advance: ε {epsilon} at δ {delta:g} ({method})", **fields)
    return say("if the sequence had been fixed in advance: ε {epsilon} ({method})", **fields)


def _title(account: Account) -> str:
    return say(
        "{dataset!s}: limit {limit}, protects {unit}, neighbours: {neighbours}",
        dataset=account.dataset,
        limit=account.limit.sentence,
        unit=account.unit,
        neighbours=account.neighbours.words,
    )

"""``leakgauge ledger``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leakgauge.claims.quantities import exact_json
from leakgauge.cli.output import deliver, output_options, shown
from leakgauge.cli.speaking import retell, say
from leakgauge.drafts import require_writable
from leakgauge.errors import InputError, OptionError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leakgauge.notions.composition import Composition
    from leakgauge.release.ledger import Account, Entry, Ledger, Limit, Spending

SCHEMA = "leakgauge/ledger/1"


@click.group()
def command() -> None:
    """A budget per data set that cannot be overspent.

    LEDGER is a file, or postgresql://… for several machines.
    """


@command.command("open")
@click.argument("ledger")
@click.option("--dataset", required=True, metavar="NAME", help="Whose budget it is.")
@click.option("--epsilon", type=float, metavar="E", help="At most so much ε, in nats, over all releases.")
@click.option("--delta", type=float, metavar="D", help="The δ beside ε; 0 unless given.")
@click.option("--rho", type=float, metavar="R", help="At most so much ρ of zCDP, in nats, over all releases.")
@click.option("--unlimited", is_flag=True, help="No limit: add up only.")
@click.option(
    "--unit", default="one row", show_default=True, metavar="TEXT", help="What is protected, in the words below."
)
@click.option(
    "--neighbours",
    type=click.Choice(["replace-one", "add-or-remove"]),
    default="replace-one",
    show_default=True,
    help="Which data sets the guarantee compares.",
)
@output_options
def open_account(
    ledger: str,
    dataset: str,
    epsilon: float | None,
    delta: float | None,
    rho: float | None,
    unlimited: bool,
    unit: str,
    neighbours: str,
    as_json: bool,
    output: Path | None,
) -> None:
    """Open the account of a data set; makes the ledger where there is none.

    \b
    leakgauge ledger open budget.ledger --dataset survey --epsilon 1 --delta 1e-6
    leakgauge ledger open budget.ledger --dataset visits --rho 0.1 --unit "one value of 'person'"

    The unit is what releases and queries of this data set must protect: "one row", or "one value of 'COLUMN'" for
    queries with --unit COLUMN.
    """
    from leakgauge.release.ledger import ledger_files, open_ledger
    from leakgauge.release.ledger.account import NEIGHBOURS

    require_writable(output, *ledger_files(ledger))
    limit = _limit(epsilon, delta, rho, unlimited)
    with open_ledger(ledger, create=True) as opened:
        account = opened.open_account(dataset, limit, unit=unit, neighbours=NEIGHBOURS[neighbours])
        fields = {"schema": SCHEMA, "head": opened.head, "accounts": [_account_json(account)]}
    deliver(fields, as_json, output, lambda: [_title(account)])


@command.command()
@click.argument("ledger")
@click.option("--dataset", metavar="NAME", help="Only this one.")
@output_options
def show(ledger: str, dataset: str | None, as_json: bool, output: Path | None) -> None:
    """Limits, what was spent and what is left, and every entry."""
    from leakgauge.release.ledger import ledger_files, open_ledger

    require_writable(output, *ledger_files(ledger))
    with open_ledger(ledger) as opened:
        accounts = opened.accounts() if dataset is None else (opened.account(dataset),)
        told = [_Told(opened, account) for account in accounts]
        fields = {"schema": SCHEMA, "head": opened.head, "accounts": [one.as_fields() for one in told]}
    deliver(fields, as_json, output, lambda: [part for one in told for part in one.render()])


@command.command()
@click.argument("ledger")
@click.option("--head", metavar="HASH", help="A hash that must occur, such as that of a record.")
@output_options
def check(ledger: str, head: str | None, as_json: bool, output: Path | None) -> None:
    """Compute every hash and every sum anew; exit 1 at the first entry that is wrong."""
    from rich.text import Text

    from leakgauge.release.ledger import ledger_files, open_ledger

    require_writable(output, *ledger_files(ledger))
    with open_ledger(ledger) as opened:
        found, count = opened.check(head), len(opened.entries())
    fields = {"schema": SCHEMA, "head": found, "entries": count}
    told = say("{count:d} entries are as they were written; head {head!s}", count=count, head=found)
    deliver(fields, as_json, output, lambda: [Text(told)])


def _limit(epsilon: float | None, delta: float | None, rho: float | None, unlimited: bool) -> Limit:
    from leakgauge.release.ledger import ApproximateLimit, ConcentratedLimit, Unlimited

    if (epsilon is not None) + (rho is not None) + unlimited != 1 or (delta is not None and epsilon is None):
        raise OptionError("An account needs one limit; give --epsilon (with or without --delta), --rho or --unlimited.")
    if epsilon is not None:
        return ApproximateLimit(epsilon, delta or 0.0)
    return Unlimited() if rho is None else ConcentratedLimit(rho)


class _Told:
    """One account with all that is shown of it."""

    def __init__(self, ledger: Ledger, account: Account) -> None:
        self.account = account
        self.spent: Spending = ledger.spent(account.dataset)
        self.entries = ledger.entries(account.dataset)
        self.completed = {entry.reference: entry for entry in self.entries if entry.kind == "complete"}
        self.spends = [entry for entry in self.entries if entry.kind == "spend"]
        try:
            self.composition: Composition | None = ledger.composition(account.dataset)
        except InputError:
            self.composition = None  # nothing was spent, or nothing is proved of the sequence

    def as_fields(self) -> dict[str, Any]:
        """The account as JSON."""
        spent = self.spent
        return {
            **_account_json(self.account),
            "spent": {
                "epsilon": _nats(spent.epsilon),
                "rho": _nats(spent.rho),
                "epsilon_at_delta": _nats(spent.at_delta),
            },
            "left": {"epsilon": _nats(spent.epsilon_left), "rho": _nats(spent.rho_left)},
            "composition": self.composition
            and {
                "epsilon": _nats(self.composition.epsilon),
                "delta": self.composition.delta,
                "method": self.composition.method.value,
            },
            "entries": [self._entry_json(entry) for entry in self.spends],
        }

    def render(self) -> list[RenderableType]:
        """The account as text and a table."""
        from rich.table import Table
        from rich.text import Text

        parts: list[RenderableType] = [_title(self.account), *map(Text, self._lines())]
        if self.spends:
            grid = Table(*say("entry|time (UTC)|purpose|ε|ρ|completed").split("|"))
            for entry in self.spends:
                numbers = shown(float(entry.cost.epsilon)), shown(float(entry.cost.rho))
                done = say("yes") if entry.reference in self.completed else say("no")
                time, purpose = entry.time[:19].replace("T", " "), Text(retell(entry.purpose))
                grid.add_row(str(entry.sequence), time, purpose, *numbers, done)
            parts.append(grid)
        return parts

    def _lines(self) -> list[str]:
        spent, delta = self.spent, self.account.delta
        sums: dict[str, object] = {"epsilon": shown(spent.epsilon), "rho": shown(spent.rho)}
        if delta > 0:
            whole = {**sums, "together": shown(spent.at_delta), "delta": delta}
            lines = [say("spent: ε {epsilon}, ρ {rho}; together ε {together} at δ {delta:g}", **whole)]
        else:
            lines = [say("spent: ε {epsilon}, ρ {rho}", **sums)]
        left = {"ε": spent.epsilon_left, "ρ": spent.rho_left}
        limited = [f"{name} {shown(value)}" for name, value in left.items() if value is not None]
        if limited:
            lines.append(say("left: {amounts!s}", amounts=say(" or ").join(limited)))
        if self.composition is not None:
            lines.append(_fixed(self.composition))
        return lines

    def _entry_json(self, entry: Entry) -> dict[str, Any]:
        done = self.completed.get(entry.reference)
        return {
            "sequence": entry.sequence,
            "time": entry.time,
            "purpose": entry.purpose,
            "reference": entry.reference,
            "epsilon": _nats(float(entry.cost.epsilon)),
            "rho": _nats(float(entry.cost.rho)),
            "admitted_by": entry.rule,
            "completed": None if done is None else {"time": done.time, "digest": done.digest},
            "hash": entry.hash,
        }


def _fixed(found: Composition) -> str:
    fields: dict[str, object] = {"epsilon": shown(found.epsilon), "delta": found.delta, "method": found.method.value}
    if found.delta:
        return say("had the sequence been fixed beforehand: ε {epsilon} at δ {delta:g} ({method})", **fields)
    return say("had the sequence been fixed beforehand: ε {epsilon} ({method})", **fields)


def _account_json(account: Account) -> dict[str, Any]:
    from leakgauge.release.ledger.entry import account_to_json

    told = account_to_json(account)
    limit = {name: value if name in ("kind", "delta") else _nats(value) for name, value in told["limit"].items()}
    return {"dataset": account.dataset, **told, "limit": limit, "opened": account.opened}


def _title(account: Account) -> RenderableType:
    from rich.text import Text

    return Text(
        say(
            "{dataset!s}: limit {limit}, protects {unit}, neighbours: {neighbours}",
            dataset=account.dataset,
            limit=str(account.limit),
            unit=account.unit,
            neighbours=account.neighbours.value,
        )
    )


def _nats(value: float | None) -> dict[str, Any] | None:
    return None if value is None else exact_json(value, "nats")

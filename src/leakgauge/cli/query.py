"""``leakgauge query``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import click
from rich.table import Column, Table
from rich.text import Text

from leakgauge.cli import options
from leakgauge.cli.language import retell, say
from leakgauge.cli.options import FILE
from leakgauge.cli.output import Parts, deliver, number, working
from leakgauge.drafts import draft, require_writable
from leakgauge.errors import FileError, LeakgaugeError, OptionError

if TYPE_CHECKING:
    from leakgauge.artefacts import Answer
    from leakgauge.jobs.query import Asked
    from leakgauge.release import queries
    from leakgauge.release.ledger import Cost, Entry, Spending, Verdict
    from leakgauge.release.queries import Condition, Protection, Query

Made = TypeVar("Made", bound=Callable[..., None])


class _Shared(TypedDict):
    """What every query is told."""

    epsilon: float
    confidence: float
    where: Condition | None


_COMMON = (
    click.option("--epsilon", type=float, required=True, metavar="E", help="The budget of this answer, in nats."),
    options.confidence,
    click.option("--where", metavar="COLUMN=VALUE", help="Only rows with this value; (missing) for those without."),
    click.option("--unit", metavar="COLUMN", help="Protect all rows of one value of it; by default one row."),
    click.option("--rows-per-unit", type=int, metavar="N", help="Use at most so many rows of each unit; 1 by default."),
    options.neighbours,
    options.missing,
    click.option("--ledger", metavar="ADDRESS", help="Spend from this ledger."),
    click.option("--dataset", metavar="NAME", help="Whose account; by default TABLE's name without its extension."),
    click.option("--dry-run", is_flag=True, help="Only what it would cost and leave; draws and spends nothing."),
    click.option("--simulate", type=int, metavar="SEED", help="Noise from a seed: not private, not a release."),
)
_DELTA = (click.option("--delta", type=float, metavar="D", help="Gaussian noise with this δ, instead of Laplace."),)
_COLUMN = (click.option("--column", required=True, metavar="COLUMN", help="Whose values."),)
_BOUNDS = (
    click.option("--lower", type=float, metavar="NUMBER", help="Lower bound; values below are raised to it."),
    click.option("--upper", type=float, metavar="NUMBER", help="Upper bound; values above are lowered to it."),
    click.option("--missing-value", type=float, metavar="NUMBER", help="The number that stands for missing values."),
)
_LABELS = (
    click.option("--labels", metavar="A|B|C", help="The values to count; (missing) for those without."),
    click.option("--labels-file", type=FILE, metavar="FILE", help="Or a file with one per line."),
)


def _options(*groups: tuple[Callable[[Any], Any], ...]) -> Callable[[Made], Made]:
    def add(made: Made) -> Made:
        made = options.output(made)
        for option in reversed([option for group in (*groups, _COMMON) for option in group]):
            made = option(made)
        return made

    return add


@click.group()
@click.argument("table")
@click.pass_context
def command(ctx: click.Context, table: str) -> None:
    """Private answers about TABLE: noise hides what one row, or one person, contributes.

    TABLE is a CSV, TSV, Parquet, JSON lines or DuckDB file.

    \b
    leakgauge query people.csv mean --column age --lower 0 --upper 120 --epsilon 0.5 --ledger budget.ledger
    leakgauge query people.csv count --where city=A --epsilon 0.1 --unit person --rows-per-unit 3
    leakgauge query people.csv histogram --column city --labels "A|B|(missing)" --epsilon 1 --dry-run
    """
    ctx.obj = table


@command.command()
@_options(_DELTA)
@click.pass_context
def count(ctx: click.Context, /, delta: float | None, **common: Any) -> None:
    """How many rows there are, or how many have a value."""
    from leakgauge.release.queries import Count

    _run(ctx, lambda shared: Count(delta=delta, **shared), **common)


@command.command("sum")
@_options(_COLUMN, _BOUNDS, _DELTA)
@click.pass_context
def total(ctx: click.Context, /, delta: float | None, **rest: Any) -> None:
    """The sum of a column, its values clamped to the bounds."""
    from leakgauge.release.queries import Sum

    _run_bounded(ctx, partial(Sum, delta=delta), **rest)


@command.command()
@_options(_COLUMN, _BOUNDS, _DELTA)
@click.pass_context
def mean(ctx: click.Context, /, delta: float | None, **rest: Any) -> None:
    """The mean of a column, its values clamped to the bounds."""
    from leakgauge.release.queries import Mean

    _run_bounded(ctx, partial(Mean, delta=delta), **rest)


@command.command()
@_options(_COLUMN, _LABELS, _DELTA)
@click.option("--edges", metavar="1,2,3", help="Or where numbers are cut; the outermost bins have no end.")
@click.pass_context
def histogram(
    ctx: click.Context,
    /,
    column: str,
    labels: str | None,
    labels_file: Path | None,
    edges: str | None,
    delta: float | None,
    **common: Any,
) -> None:
    """How many rows have each declared value, or lie between edges."""
    from leakgauge.release.queries import Histogram

    declared, cuts = _labels(labels, labels_file), _edges(edges)
    _run(ctx, lambda shared: Histogram(column, declared, cuts, delta=delta, **shared), labels_file, **common)


@command.command()
@_options(_COLUMN, _BOUNDS)
@click.option("--at", type=float, default=0.5, show_default=True, metavar="SHARE", help="The share of values below.")
@click.option("--grid", type=float, metavar="STEP", help="Answer in multiples of it, such as 1; by default a fine one.")
@click.pass_context
def quantile(ctx: click.Context, /, at: float, grid: float | None, **rest: Any) -> None:
    """A number below which a share of the values lies."""
    from leakgauge.release.queries import Quantile

    _run_bounded(ctx, partial(Quantile, at=at, grid=grid), **rest)


@command.command()
@_options(_COLUMN, _LABELS)
@click.option("--k", type=int, default=1, show_default=True, metavar="K", help="How many.")
@click.pass_context
def top(
    ctx: click.Context, /, column: str, labels: str | None, labels_file: Path | None, k: int, **common: Any
) -> None:
    """The declared values that most rows have."""
    from leakgauge.release.queries import TopLabels

    declared = _labels(labels, labels_file)
    if declared is None:
        raise OptionError("The labels to choose from are missing; give --labels or --labels-file.")
    _run(ctx, lambda shared: TopLabels(column, k, declared, **shared), labels_file, **common)


def _run_bounded(
    ctx: click.Context,
    make: Callable[..., Query[Any]],
    *,
    column: str,
    lower: float | None,
    upper: float | None,
    missing_value: float | None,
    **common: Any,
) -> None:
    """Run a query about numbers between bounds."""
    _run(ctx, lambda shared: make(column, lower=lower, upper=upper, missing=missing_value, **shared), **common)


def _run(
    ctx: click.Context,
    make: Callable[[_Shared], Query[Any]],
    labels_file: Path | None = None,
    *,
    epsilon: float,
    confidence: float,
    where: str | None,
    unit: str | None,
    rows_per_unit: int | None,
    neighbours: str,
    missing: tuple[str, ...],
    ledger: str | None,
    dataset: str | None,
    dry_run: bool,
    simulate: int | None,
    as_json: bool,
    output: Path | None,
) -> None:
    from leakgauge.jobs.query import ask, preview, require_no_ledger, stored_answer, stored_preview
    from leakgauge.notions.composition import Neighbours
    from leakgauge.release.ledger import default_dataset, ledger_files, open_ledger
    from leakgauge.release.queries import Protection
    from leakgauge.tables import open_table, source_files

    place = str(ctx.obj)
    protection = Protection(unit, 1 if rows_per_unit is None else rows_per_unit, Neighbours(neighbours))
    query = make({"epsilon": epsilon, "confidence": confidence, "where": _condition(where)})
    if simulate is not None and dry_run:
        raise OptionError("--dry-run and --simulate exclude each other; a dry run draws nothing.")
    if simulate is not None:
        require_no_ledger(ledger)
    inputs = [*source_files(place), Path(place), *([labels_file] if labels_file else [])]
    require_writable(output, *inputs, *(ledger_files(ledger) if ledger is not None else ()))
    name = None if ledger is None else dataset or default_dataset(place)
    # An output that cannot be written is found before anything is spent: its folder takes a draft, or refuses.
    tried = draft(output) if output else nullcontext()
    with tried, _spending() as on_spend:
        with (
            working(say("Asking {table!s} …", table=Path(place).name)),
            nullcontext() if ledger is None else open_ledger(ledger) as kept,
            open_table(place, missing=missing) as source,
        ):
            if dry_run:
                cost, verdict = preview(query, source, protection, kept, name)
            else:
                asked = ask(query, source, protection, kept, name, simulate, on_spend)
        if dry_run:
            told = stored_preview(query, protection, cost, verdict, place)
            deliver(told, as_json, output, lambda: render_dry(query, protection, cost, verdict))
            if verdict is not None:
                verdict.require()
            return
        if ledger is None and simulate is None:
            click.echo(say("No --ledger is given: nothing counts this answer against a budget."), err=True)
        _hand_over(stored_answer(asked, place), as_json, output, lambda: render(asked))


@contextmanager
def _spending() -> Iterator[Callable[[Entry], None]]:
    """Takes the spend; when anything breaks off afterwards, says on standard error that it stays."""
    spends: list[Entry] = []
    try:
        yield spends.append
    except BaseException:
        for entry in spends:
            stays = say(
                "ε {epsilon}, ρ {rho} stay spent in the ledger, as entry {entry:d}.",
                epsilon=number(float(entry.cost.epsilon)),
                rho=number(float(entry.cost.rho)),
                entry=entry.sequence,
            )
            click.echo(f"leakgauge: {stays}", err=True)
        raise


def _hand_over(answer: Answer, as_json: bool, output: Path | None, rendered: Callable[[], Parts]) -> None:
    try:
        deliver(answer, as_json, output, rendered)
    except LeakgaugeError:
        # The file could not be written after all; the answer was paid for, so it is shown.
        deliver(answer, as_json, None, rendered)
        raise


def _condition(text: str | None) -> Condition | None:
    from leakgauge.release.queries import Condition
    from leakgauge.release.queries.labels import read

    if text is None:
        return None
    column, equals, value = text.partition("=")
    if not equals or not column:
        raise OptionError("--where {text!r} is not a column, '=' and a value; write e.g. city=A.", text=text)
    return Condition(column, read(value))


def _labels(text: str | None, file: Path | None) -> list[str | None] | None:
    from leakgauge.release.queries.labels import read

    if text is not None and file is not None:
        raise OptionError("--labels and --labels-file are both given; give one of them.")
    if file is not None:
        try:
            texts = [line for line in file.read_text(encoding="utf-8").splitlines() if line]
        except (OSError, UnicodeDecodeError):
            raise FileError("{path} cannot be read as text; give a file with one label per line.", path=file) from None
    elif text is not None:
        texts = text.split("|")
    else:
        return None
    return [read(one) for one in texts]


def _edges(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError("--edges {text!r} is not a list of numbers; write e.g. 0,18,65.", text=text) from None


def render(asked: Asked) -> Parts:
    """The answer as a table for a person."""

    from leakgauge.probability import Estimate
    from leakgauge.release.queries import SIMULATION

    answer = asked.answer
    parts: Parts = [Text(retell(SIMULATION))] if answer.simulated else []
    named = any(label is not None for label, _ in answer.values)
    interval = say("{percent:.6g} % interval", percent=100 * answer.query.confidence)
    noisy = isinstance(answer.value, Estimate)
    # Texts, not markup: conditions and labels may hold brackets.
    asked_for = Column(Text(retell(answer.query.sentence), "bold"))
    grid = Table(*([""] * named), asked_for, *([interval] * noisy))
    for label, found in answer.values:
        cells = [Text(_label(label or ""))] * named
        if isinstance(found, Estimate):
            cells += [Text(number(found.value)), Text(say(" to ").join((number(found.low), number(found.high))))]
        else:
            cells.append(Text(_label(found) if isinstance(found, str) else number(found)))
        grid.add_row(*cells)
    parts.append(grid)
    parts.extend(Text(line) for line in _lines(answer))
    if asked.spent is not None:
        parts.append(
            Text(
                say(
                    "Budget: ε {epsilon}, ρ {rho} spent now; {left!s}.",
                    **_told_cost(asked.cost),
                    left=_told_left(asked.spent),
                )
            )
        )
    return parts


def render_dry(query: Query[Any], protection: Protection, cost: Cost, verdict: Verdict | None) -> Parts:
    """A dry run as lines for a person."""

    lines = [
        say("Dry run of: {question}; protects {unit}", question=query.sentence, unit=protection.sentence),
        say("It would cost ε {epsilon}, ρ {rho}.", **_told_cost(cost)),
    ]
    if verdict is not None:
        before, after = _told_left(verdict.before), _told_left(verdict.after)
        if verdict.allowed:
            lines.append(say("It fits; afterwards {after!s}; before it {before!s}.", after=after, before=before))
        else:
            lines.append(say("It does not fit; before it {before!s}.", before=before))
    return [Text("\n".join(lines))]


def _lines(answer: queries.Answer) -> list[str]:
    lines = []
    if answer.rank_error is not None:
        lines.append(
            say(
                "Off by at most {rows} rows with {percent:.6g} % confidence.",
                rows=number(answer.rank_error),
                percent=100 * answer.query.confidence,
            )
        )
    fields = {
        "claims": say(" and ").join(str(claim) for claim in answer.claims),
        "unit": answer.protection.sentence,
        "neighbours": answer.protection.neighbours.words,
    }
    if answer.simulated:
        lines.append(say("A release would guarantee: {claims!s}; protects {unit}: {neighbours}.", **fields))
    else:
        lines.append(say("Guarantee: {claims!s}; protects {unit}: {neighbours}.", **fields))
    lines.append(say("Mechanism: {mechanisms!s}", mechanisms=retell(answer.mechanism)))
    return lines


def _label(text: str) -> str:
    """A declared value as it is; the two that stand for others in the language spoken."""
    from leakgauge.release.queries.labels import MISSING, OTHER

    return {MISSING: say("(missing)"), OTHER: say("(other)")}.get(text, text)


def _told_cost(cost: Cost) -> dict[str, str]:
    return {"epsilon": number(cost.epsilon), "rho": number(cost.rho)}


def _told_left(spent: Spending) -> str:
    left = [f"ε {number(spent.epsilon_left)}"] if spent.epsilon_left is not None else []
    left += [f"ρ {number(spent.rho_left)}"] if spent.rho_left is not None else []
    return say("{amounts!s} left", amounts=say(" or ").join(left)) if left else say("no limit")

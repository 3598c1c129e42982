"""``leakgauge query``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leakgauge.artefacts.request import Reading
from leakgauge.cli import options
from leakgauge.cli.language import current, say
from leakgauge.cli.options import FILE
from leakgauge.cli.output import Output, deliver, require_not_read, working
from leakgauge.drafts import draft
from leakgauge.errors import FileError, LeakgaugeError, OptionError
from leakgauge.languages import message

if TYPE_CHECKING:
    from leakgauge.release.ledger import Entry
    from leakgauge.release.queries import Groups, Query
    from leakgauge.telling.blocks import Content
    from leakgauge.telling.voice import Voice

_Option = Callable[[Any], Any]
_COMMON = (
    click.option("--epsilon", type=float, required=True, metavar="E", help="The budget of this answer, in nats."),
    options.confidence,
    click.option(
        "--where",
        multiple=True,
        metavar="CONDITION",
        help="Only rows with city=A, 'age>=18', 'city in A|B', …; repeated: all must hold; (missing) for no value.",
    ),
    click.option(
        "--unit", metavar="COLUMN", help="Protect all rows with the same value in this column; by default one row."
    ),
    click.option(
        "--rows-per-unit", type=int, metavar="N", help="Use at most this many rows of each unit; 1 by default."
    ),
    options.neighbours,
    options.taking(reading=Reading),
    click.option("--ledger", type=options.ADDRESS, metavar="ADDRESS", help="Use the budget of this ledger."),
    click.option("--dataset", metavar="NAME", help="The account; by default TABLE's name without its extension."),
    click.option(
        "--dry-run", is_flag=True, help="Only show the cost and the remaining budget; no answer, no budget used."
    ),
    click.option("--simulate", type=int, metavar="SEED", help="Noise from a seed: not private, not a release."),
    options.output,
)
_DELTA = (click.option("--delta", type=float, metavar="D", help="Gaussian noise with this δ, instead of Laplace."),)
_COLUMN = (click.option("--column", required=True, metavar="COLUMN", help="Whose values."),)
_BOUNDS = (
    click.option("--lower", type=float, metavar="NUMBER", help="Lower bound; values below are raised to it."),
    click.option("--upper", type=float, metavar="NUMBER", help="Upper bound; values above are lowered to it."),
    click.option(
        "--missing-value",
        type=float,
        metavar="NUMBER",
        help="The number that replaces missing values; without it they are left out.",
    ),
)
_LABELS = (
    click.option("--labels", metavar="A|B|C", help="The values to count; (missing) for rows without a value."),
    click.option("--labels-file", type=FILE, metavar="FILE", help="Or a file with one per line."),
)
_EDGES = (
    click.option("--edges", metavar="1,2,3", help="Or where numbers are cut into bins; the outermost bins are open."),
)
_GROUPS = (
    click.option("--by", metavar="COLUMN", help="One answer for each declared group of this column's values."),
    click.option("--groups", metavar="A|B|C", help="The groups; (missing) for rows without a value."),
    click.option("--groups-file", type=FILE, metavar="FILE", help="Or a file with one per line."),
    click.option("--group-edges", metavar="1,2,3", help="Or where numbers are cut into groups."),
)
_SHARE = (
    click.option(
        "--at",
        type=float,
        default=0.5,
        show_default=True,
        metavar="SHARE",
        help="The share of values below the answer.",
    ),
    click.option(
        "--grid", type=float, metavar="STEP", help="Answer in multiples of this, such as 1; by default a fine grid."
    ),
)
_MOST = (
    click.option("--k", type=int, default=1, show_default=True, metavar="K", help="How many."),
    click.option(
        "--noise",
        type=click.Choice(["gumbel", "exponential", "laplace"]),
        default="gumbel",
        show_default=True,
        help="The noise in the counts: gumbel costs least in ρ, exponential misses the best least for the same ε.",
    ),
)
_AS_GIVEN = ("epsilon", "confidence", "delta", "column", "lower", "upper", "at", "grid", "k", "noise")
"""Fields of queries whose options have the same name and meaning."""


@click.group()
@click.argument("table", type=options.ADDRESS)
@click.pass_context
def command(ctx: click.Context, table: str) -> None:
    """Private answers about TABLE: noise hides what one row, or one person, contributes.

    TABLE is a CSV, Excel, Parquet, JSON lines, SPSS, Stata, SAS or DuckDB file.

    \b
    leakgauge query people.csv mean --column age --lower 0 --upper 120 \\
        --epsilon 0.5 --ledger budget.ledger
    leakgauge query people.csv count --where city=A --where "age>=18" \\
        --epsilon 0.1 --unit person --rows-per-unit 3
    leakgauge query people.csv mean --column age --lower 0 --upper 120 --by city \\
        --groups "A|B" --epsilon 1
    leakgauge query people.csv histogram --column city --labels "A|B|(missing)" \\
        --epsilon 1 --dry-run
    """
    ctx.obj = table


def _verb(name: str, kind: str, told: str, *groups: tuple[_Option, ...], last: tuple[_Option, ...] = ()) -> None:
    """Add the verb that asks a kind of query, with the options of these groups before and after the common ones."""

    @click.pass_obj
    def ask(table: str, /, **given: Any) -> None:
        _run(table, kind, given)

    for option in reversed([*chain(*groups), *_COMMON, *last]):
        ask = option(ask)
    command.command(name, help=told)(ask)


_verb("count", "Count", message("How many rows there are, or how many meet conditions."), _GROUPS, _DELTA)
_NUMBERS = (_COLUMN, _BOUNDS, _GROUPS)
_verb("sum", "Sum", message("The sum of a column, its values clamped to the bounds."), *_NUMBERS, _DELTA)
_verb("mean", "Mean", message("The mean of a column, its values clamped to the bounds."), *_NUMBERS, _DELTA)
_verb(
    "histogram",
    "Histogram",
    message("How many rows have each declared value, or lie between edges."),
    *(_COLUMN, _LABELS, _DELTA),
    last=_EDGES,
)
_verb(
    "quantile", "Quantile", message("The number below which a given share of the values lies."), *_NUMBERS, last=_SHARE
)
_verb("top", "TopLabels", message("The declared values that most rows have."), _COLUMN, _LABELS, last=_MOST)


def _run(table: str, kind: str, given: Mapping[str, Any]) -> None:
    from leakgauge.jobs.query import ask, preview, require_no_ledger, stored_answer, stored_preview
    from leakgauge.notions.composition import Neighbours
    from leakgauge.release.ledger import open_ledger
    from leakgauge.release.ledger.account import default_dataset
    from leakgauge.release.ledger.ledger import ledger_files
    from leakgauge.release.queries import Protection
    from leakgauge.tables import open_table
    from leakgauge.telling.answers import answer, dry_run

    ledger, simulate, to = given["ledger"], given["simulate"], given["to"]
    rows = 1 if given["rows_per_unit"] is None else given["rows_per_unit"]
    protection = Protection(given["unit"], rows, Neighbours(given["neighbours"]))
    if simulate is not None and given["dry_run"]:
        raise OptionError("--dry-run and --simulate exclude each other; a dry run draws nothing.")
    if simulate is not None:
        require_no_ledger(ledger)
    files = (given.get("labels_file"), given.get("groups_file"))
    require_not_read(to.file, table, *files, *(() if ledger is None else ledger_files(ledger)))
    name = None if ledger is None else given["dataset"] or default_dataset(table)
    # An output that cannot be written is found before anything is spent: its folder takes a draft, or refuses.
    tried = draft(to.file) if to.file else nullcontext()
    with tried, _spending() as on_spend:
        with (
            working(say("Asking {table!s} …", table=Path(table).name)),
            nullcontext() if ledger is None else open_ledger(ledger) as kept,
            open_table(table, **given["reading"].given()) as source,
        ):
            query = _query(kind, given, [column.name for column in source.columns()])
            if given["dry_run"]:
                cost, verdict = preview(query, source, protection, kept, name)
            else:
                paid = ask(query, source, protection, kept, name, simulate, on_spend)
        if given["dry_run"]:
            dry = stored_preview(query, protection, cost, verdict, table)
            deliver(dry, to, lambda voice: dry_run(voice, query, protection, cost, verdict))
            if verdict is not None:
                verdict.require()
            return
        if ledger is None and simulate is None:
            click.echo(say("No --ledger is given: nothing counts this answer against a budget."), err=True)
        found = stored_answer(paid, table)

        def tell(voice: Voice) -> Iterator[Content]:
            return answer(voice, paid.answer, paid.cost, paid.spent)

        try:
            deliver(found, to, tell)
        except LeakgaugeError:
            # The file could not be written, but the answer was paid for, so it is shown.
            deliver(found, Output(to.as_json), tell)
            raise


def _query(kind: str, given: Mapping[str, Any], columns: Sequence[str]) -> Query[Any]:
    """A query from the options that its verb takes, about a table with these columns."""
    from leakgauge.release import queries
    from leakgauge.release.queries.conditions import read_condition

    fields = {name: given[name] for name in _AS_GIVEN if name in given}
    if "missing_value" in given:
        fields["missing"] = given["missing_value"]
    if "labels" in given:
        fields["labels"] = _labels("labels", given)
        if kind == "TopLabels" and fields["labels"] is None:
            raise OptionError("The labels to choose from are missing; give --labels or --labels-file.")
    if "edges" in given:
        fields["edges"] = _edges("edges", given)
    if "by" in given:
        fields["by"] = _groups(given)
    fields["where"] = [read_condition(text, columns) for text in given["where"]]
    query: Query[Any] = getattr(queries, kind)(**fields)
    return query


def _groups(given: Mapping[str, Any]) -> Groups | None:
    from leakgauge.release.queries import Groups

    labels, edges = _labels("groups", given), _edges("group_edges", given)
    if given["by"] is None and (labels is not None or edges is not None):
        raise OptionError("Groups are declared without the column whose values they are; name it with --by.")
    if given["by"] is not None and labels is None and edges is None:
        raise OptionError(
            "--by {column!r} lacks its groups, which are never read from the table, where they may be secret; declare "
            "them with --groups, --groups-file or --group-edges.",
            column=given["by"],
        )
    return None if given["by"] is None else Groups(given["by"], labels, edges)


@contextmanager
def _spending() -> Iterator[Callable[[Entry], None]]:
    """Records the spend; if anything fails afterwards, says on standard error that it stays spent."""
    spends: list[Entry] = []
    try:
        yield spends.append
    except BaseException:
        if spends:
            from leakgauge.cli.terminal import voice_of
            from leakgauge.telling.answers import stays_spent
            from leakgauge.telling.blocks import text_of

            for entry in spends:
                click.echo(f"leakgauge: {text_of(stays_spent(voice_of(), entry), current())}", err=True)
        raise


def _labels(option: str, given: Mapping[str, Any]) -> list[str | None] | None:
    from leakgauge.release.queries.labels import read

    text, file = given[option], given[f"{option}_file"]
    if text is not None and file is not None:
        raise OptionError("--{option!s} and --{option!s}-file are both given; give one of them.", option=option)
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


def _edges(option: str, given: Mapping[str, Any]) -> list[float] | None:
    text = given[option]
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(
            "--{option!s} {text!r} is not a list of numbers; write e.g. 0,18,65.",
            option=option.replace("_", "-"),
            text=text,
        ) from None

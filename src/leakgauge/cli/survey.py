"""``leakgauge survey``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.table import Column, Table

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.surveying import Surveying
from leakgauge.cli import options
from leakgauge.cli.language import listed, retell, say
from leakgauge.cli.output import Output, Parts, alert, counting, deliver, require_not_read
from leakgauge.rounding import outwards, percent

if TYPE_CHECKING:
    from leakgauge.artefacts import Quantity, Survey
    from leakgauge.artefacts.survey import SurveyedColumn

SHOWN = 12
"""Combinations on the screen; the JSON has them all."""


@click.command()
@click.argument("table", type=options.ADDRESS)
@click.option("--secret", multiple=True, metavar="COLUMN", help="A column to protect; may be repeated.")
@options.taking(asked=Surveying, reading=Reading)
@options.output
def command(table: str, secret: tuple[str, ...], asked: Surveying, reading: Reading, to: Output) -> None:
    """Which columns identify people, before anything is released.

    For every column: whether it identifies people, how many rows are unique in it, and what it reveals about each
    secret. Then the smallest sets of columns in which rows are unique, and a suggested role for each column.

    \b
    leakgauge survey people.parquet --secret illness
    """
    from leakgauge.jobs.survey import survey
    from leakgauge.tables.levels import level_files

    require_not_read(to.file, table, *level_files(asked.levels))
    with counting(say("looking through the columns")) as progress:
        found = survey(table, secret, progress=progress, **asked.given(), **reading.given())
    deliver(found, to, lambda: render(found))


def render(found: Survey) -> Parts:
    """One ranked table of the columns, the combinations that single people out, and what to do."""
    heads = [say("column"), say("values"), say("missing"), say("alone")]
    for secret in found.secrets:
        heads += [say("bits of {secret!s}", secret=secret), say("guessed")]
    # Names are never cut off: part of a name identifies no column.
    name, more = Column(heads[0], overflow="fold"), (say("suggested"), say("because"))
    columns = Table(name, *heads[1:], *more, title=found.table, title_justify="left")
    for head in columns.columns[1 : len(heads)]:
        head.justify = "right"
    for one in found.columns:
        columns.add_row(*_row(one, found))
    parts: Parts = [say("{rows:,} rows of {table!s}", rows=found.rows, table=found.table), columns]
    named = [one.name for one in found.columns if one.identifier is not None]
    if named:
        parts.append(
            alert(say("These columns identify people; do not publish them: {columns!s}.", columns=listed(named)))
        )
    if found.combinations:
        parts.append(_combinations(found))
    if found.sampled < found.rows:
        parts.append(
            say("What the columns reveal was measured on {sampled:,} rows chosen at random.", sampled=found.sampled)
        )
    return parts


def _row(column: SurveyedColumn, found: Survey) -> list[str]:
    cells = [column.name, f"{column.distinct:,}", f"{column.missing:,}", percent(column.alone / found.rows)]
    told = {one.secret: one for one in column.tells}
    for secret in found.secrets:
        one = told.get(secret)
        if one is None:
            cells += ["", ""]
        elif not one.significant:
            cells += ["–", percent(one.success.value)]
        else:
            cells += [_bits(one.information), percent(one.success.value)]
    return [*cells, retell(column.suggested.value), retell(column.reason)]


def _bits(information: Quantity) -> str:
    low, high = outwards(*information.ends, digits=2)
    return f"{low:.2g} – {high:.2g}"


def _combinations(found: Survey) -> Table:
    table = Table(
        say("columns"),
        say("unique rows"),
        say("smallest group"),
        title=say("Columns that single people out together"),
        title_justify="left",
    )
    for one in found.combinations[:SHOWN]:
        table.add_row(listed(one.columns), f"{one.alone:,} ({percent(one.alone / found.rows)})", f"{one.smallest:,}")
    return table

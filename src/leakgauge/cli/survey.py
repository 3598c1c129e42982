"""``leakgauge survey``."""

from __future__ import annotations

import click

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.verbs import Surveying
from leakgauge.cli import options
from leakgauge.cli.language import say
from leakgauge.cli.output import Output, counting, deliver, require_not_read


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
    from leakgauge.telling.survey import surveyed

    require_not_read(to.file, table, *level_files(asked.levels))
    with counting(say("looking through the columns")) as progress:
        found = survey(table, secret, progress=progress, **asked.given(), **reading.given())
    deliver(found, to, lambda voice: surveyed(voice, found))

"""``leakgauge location protect``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.places import PlaceProtection, PlaceRelease, Places
from leakgauge.cli import options
from leakgauge.cli.language import current, say
from leakgauge.cli.output import Output, deliver, require_not_read
from leakgauge.cli.release import progress_of
from leakgauge.cli.terminal import terminal, voice_of

if TYPE_CHECKING:
    from leakgauge.telling.blocks import Content
    from leakgauge.telling.voice import Voice


@click.command()
@click.argument("table", type=options.ADDRESS)
@options.taking(places=Places, protection=PlaceProtection, asked=PlaceRelease)
@click.option(
    "-o", "--output", "folder", required=True, type=options.FILE, metavar="DIR", help="Folder of the results."
)
@click.option("--overwrite", is_flag=True, help="Replace existing files.")
@options.report_language
@options.taking(reading=Reading)
@options.as_json
def protect(
    table: str,
    places: Places,
    protection: PlaceProtection,
    asked: PlaceRelease,
    folder: Path,
    reading: Reading,
    as_json: bool,
    **writing: Any,
) -> None:
    """A table with protected places, its record, and a report with maps.

    \b
    leakgauge location protect pickups.parquet --lat lat --lon lon --cell 500m \\
        --epsilon-per-km 2 -o protected
    leakgauge location protect pickups.parquet --lat lat --lon lon --cell 500m \\
        --box 40.70,40.82,-74.02,-73.92 --max-distance 800m -o protected
    leakgauge location protect pings.csv --lat lat --lon lon --cell 1km \\
        --user person --reports-per-user 50 --epsilon-per-km 1 \\
        --ledger budget.ledger -o protected

    Instead of coordinates the release has a column cell (or area): the centre of the released cell, its latitude and
    longitude. Rows are written in a random order, since that of the table may reveal whose they are; those without a
    place on the map are left out. With --user the reports of a person add up, in the budget and in the report.

    released.parquet, release.public.json and centres.csv may be handed out; everything else is for its owner only.
    """
    from leakgauge.artefacts.dossier import Dossier
    from leakgauge.jobs.location.protect import protect_places

    if folder.exists() and not folder.is_dir():
        require_not_read(folder, table)
    if asked.ledger is None and asked.simulate is None:
        told = say("no --ledger is given, so nothing counts this release against a budget.")
        click.echo(f"leakgauge: {told}", err=True)
    with progress_of(1, counted=asked.ledger is not None) as tell:
        found = protect_places(
            table,
            places,
            folder=folder,
            report_language=writing.pop("report_language") or current().code,
            progress=tell,
            **writing,
            **protection.given(),
            **asked.given(),
            **reading.given(),
        )
    deliver(found, Output(as_json), lambda: terminal(_shown(voice_of(Dossier(location=found)), folder)))


def _shown(voice: Voice, folder: Path) -> Iterator[Content]:
    from leakgauge.artefacts.dossier import PUBLIC_RECORD
    from leakgauge.telling.places import released
    from leakgauge.telling.releasing import simulation
    from leakgauge.telling.voice import own

    found = voice.dossier.location
    if found is None:
        return
    yield from released(voice, found)
    yield voice.say("Report: {report}.", report=own(str(folder / "report.html")))
    if found.private:
        files = voice.listed(filter(None, (found.released, PUBLIC_RECORD.name, found.centres)))
        yield voice.say("To hand out: {files}.", files=files)
    else:
        yield simulation(voice)

"""``leakgauge location protect``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.places import PlaceProtection, PlaceRelease, Places
from leakgauge.cli import options
from leakgauge.cli.language import current, listed, retell, say
from leakgauge.cli.location.design import mechanism_facts
from leakgauge.cli.location.options import facts, metres, on_the_map, warned
from leakgauge.cli.output import Output, Parts, deliver, number, require_not_read, simulation_warning
from leakgauge.cli.release import progress_of

if TYPE_CHECKING:
    from leakgauge.artefacts.location import LocationProtection


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
    deliver(found, Output(as_json), lambda: _render(found, folder))


def _render(found: LocationProtection, folder: Path) -> Parts:
    told = mechanism_facts(found.used, metres(found.radius))
    if found.measured_distance is not None:
        told[say("distance of the places written")] = metres(found.measured_distance)
    told[say("best guess without a report is off by")] = metres(found.best_guess)
    told[say("entropy of a place")] = say("{bits} bits", bits=number(found.entropy.value))
    if found.epsilon_per_person is not None and found.repeats is not None:
        told[say("ε per km over all reports of a person")] = number(found.epsilon_per_person.value)
    if found.repeats is not None:
        told[say("reports of a person, at most")] = f"{found.repeats.most:,}"
        if found.repeats.same_place is not None:
            told[say("cell that all of them lead to is off by")] = metres(found.repeats.same_place)
    parts: Parts = [
        say(
            "{rows:,} rows are released in {folder!s}; {left:,} without a place on the map are left out.",
            rows=found.rows,
            folder=folder / found.released,
            left=found.left_out,
        ),
        on_the_map(found.areas),
        facts(told, retell(found.used.mechanism)),
        *warned(found.warnings),
        say("Report: {report!s}.", report=folder / "report.html"),
    ]
    if not found.private:
        return [*parts, simulation_warning()]
    from leakgauge.artefacts.dossier import PUBLIC_RECORD

    files = listed(filter(None, (found.released, PUBLIC_RECORD.name, found.centres)))
    return [*parts, say("To hand out: {files!s}.", files=files)]

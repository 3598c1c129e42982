"""``leakgauge location protect``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leakgauge.cli import options
from leakgauge.cli.language import current, listed, retell, say
from leakgauge.cli.location.design import mechanism_facts
from leakgauge.cli.location.options import facts, length, metres, on_the_map, places, protection, warned, within
from leakgauge.cli.output import Parts, deliver, number, require_not_read, simulation_warning
from leakgauge.cli.release import progress_of

if TYPE_CHECKING:
    from leakgauge.artefacts.location import LocationProtection
    from leakgauge.jobs.location.places import Places


@click.command()
@click.argument("table", type=options.ADDRESS)
@places
@protection
@click.option("--public", multiple=True, metavar="COLUMN", help="Released as it is; may be repeated.")
@click.option(
    "--reports-per-user",
    type=int,
    default=1,
    show_default=True,
    metavar="N",
    help="Publicly known: rows of a person at most, all of which count against the budget.",
)
@click.option("--ledger", type=options.ADDRESS, metavar="PATH|ADDRESS", help="The ledger whose budget is spent.")
@options.dataset
@within
@click.option(
    "-o", "--output", "folder", required=True, type=options.FILE, metavar="DIR", help="Folder of the results."
)
@click.option("--overwrite", is_flag=True, help="Replace existing files.")
@options.report_language
@click.option(
    "--simulate", type=int, metavar="SEED", help="Not private: noise from a seed, every output marked, nothing spent."
)
@options.reading
@options.as_json
def protect(
    table: str,
    places: Places,
    folder: Path,
    max_distance: str | None,
    within: str,
    report_language: str | None,
    reading: Mapping[str, Any],
    as_json: bool,
    **given: Any,
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
    if given["ledger"] is None and given["simulate"] is None:
        told = say("no --ledger is given, so nothing counts this release against a budget.")
        click.echo(f"leakgauge: {told}", err=True)
    with progress_of(1, counted=given["ledger"] is not None) as tell:
        found = protect_places(
            table,
            places,
            folder=folder,
            max_distance=length(max_distance, "--max-distance"),
            within=length(within, "--within") or 0.0,
            report_language=report_language or current().code,
            progress=tell,
            **given,
            **reading,
        )
    deliver(found, as_json, None, lambda: _render(found, folder))


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

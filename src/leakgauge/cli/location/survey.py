"""``leakgauge location survey``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
from rich.table import Table

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.part import Option, RequestPart
from leakgauge.artefacts.request.places import Places
from leakgauge.cli import options
from leakgauge.cli.language import say
from leakgauge.cli.location.options import MapReport, facts, metres, on_the_map, require_report, warned, write_report
from leakgauge.cli.output import Output, Parts, deliver, number, require_not_read, working
from leakgauge.rounding import percent

if TYPE_CHECKING:
    from leakgauge.artefacts.location import LocationSurvey


class PlaceSurveying(RequestPart, frozen=True):
    """Where people are few."""

    few: Annotated[int, Option("Count areas with fewer people than this.", "K")] = 10


@click.command()
@click.argument("table", type=options.ADDRESS)
@options.taking(places=Places, asked=PlaceSurveying, beside=MapReport, reading=Reading)
@options.output
def survey(table: str, places: Places, asked: PlaceSurveying, beside: MapReport, reading: Reading, to: Output) -> None:
    """Where the points of a table lie, how much a place reveals, and where people are few.

    \b
    leakgauge location survey pickups.parquet --lat lat --lon lon --cell 500m
    leakgauge location survey pickups.parquet --lat lat --lon lon --time time \\
        --cell 12x12 --box 40.70,40.82,-74.02,-73.92 --report map.html
    leakgauge location survey german_towns.parquet --lat lat --lon lon \\
        --weight population --cell 50km

    With --time the entropy of the places is shown hour by hour, with --user people are counted instead of points.
    """
    from leakgauge.artefacts.dossier import Dossier
    from leakgauge.jobs.location.survey import survey_places

    require_not_read(to.file, table, places.areas)
    require_report(beside.report, Path(table), to.file)
    with working(say("Looking through {table!s} …", table=Path(table).name)):
        found = survey_places(table, places, few=asked.few, **reading.given())
    write_report(beside.report, Dossier(location_survey=found))
    deliver(found, to, lambda: _render(found))


def _render(found: LocationSurvey) -> Parts:
    rows = found.points + found.outside + found.missing
    told = {
        say("points on the map"): say("{points:,} of {rows:,} rows", points=found.points, rows=rows),
        say("outside the map"): f"{found.outside:,}",
        say("without a place"): f"{found.missing:,}",
        say("areas with points"): say("{some:,} of {count:,}", some=found.occupied, count=found.areas.count),
    }
    if found.users is not None:
        told[say("people")] = f"{found.users:,}"
    told |= {
        say("entropy of a place"): say("{bits} bits", bits=number(found.entropy.value)),
        say("best guess without a report is off by"): metres(found.best_guess),
        say("areas of fewer than {few:,}", few=found.few): say(
            "{areas:,}, with {share!s} of the points",
            areas=found.areas_of_few,
            share=percent(found.points_of_few / max(found.points, 1)),
        ),
    }
    parts: Parts = [on_the_map(found.areas), facts(told, found.table)]
    if found.hours:
        hours = Table(say("hour"), say("points"), say("entropy, bits"), title=say("By hour"), title_justify="left")
        for one in found.hours:
            hours.add_row(f"{one.hour:02d}", f"{one.points:,}", number(one.entropy.value))
        parts.append(hours)
    parts += warned(found.notes)
    if found.areas_of_few:
        parts.append(
            say("Where people are few, a place alone may reveal who it is: choose larger cells, or protect the places.")
        )
    return parts

"""``leakgauge location survey``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.part import Option, RequestPart
from leakgauge.artefacts.request.places import Places
from leakgauge.cli import options
from leakgauge.cli.language import say
from leakgauge.cli.location.options import MapReport, require_report, write_report
from leakgauge.cli.output import Output, deliver, require_not_read, working
from leakgauge.cli.terminal import terminal, voice_of


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
    from leakgauge.telling.places import surveyed

    require_not_read(to.file, table, places.areas)
    require_report(beside.report, Path(table), to.file)
    with working(say("Looking through {table!s} …", table=Path(table).name)):
        found = survey_places(table, places, few=asked.few, **reading.given())
    dossier = Dossier(location_survey=found)
    write_report(beside.report, dossier)
    deliver(found, to, lambda: terminal(surveyed(voice_of(dossier))))

"""``leakgauge location compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.part import METRES, Option, RequestPart
from leakgauge.artefacts.request.places import WITHIN, Near, Places
from leakgauge.cli import options
from leakgauge.cli.language import say
from leakgauge.cli.location.options import MapReport, require_report, write_report
from leakgauge.cli.output import Output, deliver, require_not_read, working
from leakgauge.cli.terminal import terminal, voice_of


class PlaceComparing(RequestPart, frozen=True):
    """The distance at which mechanisms are compared."""

    max_distance: Annotated[
        float, METRES, Option("The mean distance that all are set to, such as 800m.", "LENGTH", required=True)
    ]
    within: Near = WITHIN


@click.command()
@click.argument("table", type=options.ADDRESS)
@click.argument("mechanisms", nargs=-1, metavar="[MECHANISM]...")
@options.taking(places=Places, asked=PlaceComparing, beside=MapReport, reading=Reading)
@options.output
def compare(
    table: str,
    mechanisms: tuple[str, ...],
    places: Places,
    asked: PlaceComparing,
    beside: MapReport,
    reading: Reading,
    to: Output,
) -> None:
    """Mechanisms for places at one mean distance, in metres, bits, ε per kilometre, identifiability and a tracker's
    error.

    MECHANISM is one with settings of its own, such as coarser-cells:level=2, or a channel file. Planar Laplace noise,
    the exponential mechanism, blocks of cells, dummies and the least leaking channel are always shown, each set to the
    distance or as close below it as it comes.

    \b
    leakgauge location compare pickups.parquet --lat lat --lon lon --cell 12x12 \\
        --box 40.70,40.82,-74.02,-73.92 --max-distance 1km
    leakgauge location compare german_towns.parquet --lat lat --lon lon \\
        --weight population --cell 50km --max-distance 60km --within 50km
    """
    from leakgauge.artefacts.dossier import Dossier
    from leakgauge.jobs.location.compare import compare_places
    from leakgauge.telling.places import compared

    require_not_read(to.file, table, places.areas, *(Path(name) for name in mechanisms if ":" not in name))
    require_report(beside.report, Path(table), to.file)
    with working(say("Comparing for {table!s} …", table=Path(table).name)):
        found = compare_places(table, places, mechanisms, **asked.given(), **reading.given())
    dossier = Dossier(location_comparison=found)
    write_report(beside.report, dossier)
    deliver(found, to, lambda: terminal(compared(voice_of(dossier))))

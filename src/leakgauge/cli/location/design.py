"""``leakgauge location design``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.part import METRES, Option, RequestPart
from leakgauge.artefacts.request.places import WITHIN, Near, Places
from leakgauge.cli import options
from leakgauge.cli.language import say
from leakgauge.cli.location.options import MapReport, require_report, write_report
from leakgauge.cli.output import Output, deliver, require_not_read, working
from leakgauge.cli.terminal import terminal, voice_of

if TYPE_CHECKING:
    from leakgauge.telling.blocks import Content
    from leakgauge.telling.voice import Voice


class PlaceDesigning(RequestPart, frozen=True):
    """The target of a channel between areas."""

    max_distance: Annotated[
        float | None, METRES, Option("The least leakage at this mean distance, such as 800m.", "LENGTH")
    ] = None
    max_leakage: Annotated[float | None, Option("The least mean distance at these bits.", "BITS")] = None
    epsilon_per_km: Annotated[float | None, Option("The least mean distance at this metric privacy.", "E")] = None
    within: Near = WITHIN


@click.command()
@click.argument("table", type=options.ADDRESS)
@options.taking(places=Places, asked=PlaceDesigning, beside=MapReport, reading=Reading)
@options.as_json
@click.option("-o", "--output", type=options.FILE, metavar="CHANNEL", help="Write the channel to this file.")
def design(
    table: str,
    places: Places,
    asked: PlaceDesigning,
    beside: MapReport,
    reading: Reading,
    as_json: bool,
    output: Path | None,
) -> None:
    """The channel between areas that leaks least at a mean distance, or errs least at an ε per kilometre.

    \b
    leakgauge location design pickups.parquet --lat lat --lon lon --cell 500m \\
        --box 40.70,40.82,-74.02,-73.92 --max-distance 800m -o channel.json
    leakgauge location design pickups.parquet --lat lat --lon lon --cell 8x8 \\
        --box 40.70,40.82,-74.02,-73.92 --epsilon-per-km 2

    The channel goes into "location protect --mechanism channel.json". It is designed from this table's counts, so it
    must be kept private.
    """
    from leakgauge.artefacts import codec
    from leakgauge.artefacts.dossier import Dossier
    from leakgauge.jobs.location.design import design_places

    require_not_read(output, table, places.areas)
    require_report(beside.report, Path(table), output)
    with working(say("Designing for {table!s} …", table=Path(table).name)):
        found, channel = design_places(table, places, **asked.given(), **reading.given())
    if output is not None:
        codec.write(output, channel)
    dossier = Dossier(location_design=found)
    write_report(beside.report, dossier)
    deliver(found, Output(as_json), lambda: terminal(_shown(voice_of(dossier), output)))


def _shown(voice: Voice, output: Path | None) -> Iterator[Content]:
    from leakgauge.telling.places import compared
    from leakgauge.telling.voice import own

    yield from compared(voice)
    if output is not None:
        yield voice.note(
            "The channel is in {file}; it follows from this table's counts: keep it private.", file=own(str(output))
        )

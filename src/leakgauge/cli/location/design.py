"""``leakgauge location design``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.part import METRES, Option, RequestPart
from leakgauge.artefacts.request.places import WITHIN, Near, Places
from leakgauge.cli import options
from leakgauge.cli.language import retell, say
from leakgauge.cli.location.options import MapReport, facts, metres, on_the_map, or_dash, require_report, write_report
from leakgauge.cli.output import Output, Parts, deliver, number, require_not_read, told_level, working
from leakgauge.rounding import percent

if TYPE_CHECKING:
    from leakgauge.artefacts.location import LocationDesign, PlacedMechanism


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
    write_report(beside.report, Dossier(location_design=found))
    deliver(found, Output(as_json), lambda: _render(found, output))


def mechanism_facts(one: PlacedMechanism, radius: str) -> dict[str, str]:
    """What a mechanism does, line by line."""
    what = say("mean distance of the release") if one.size is None else say("mean distance of the release's middle")
    told = {
        what: "–" if one.distance is None else metres(one.distance),
        say("leakage"): or_dash(one.leakage, lambda bits: say("{bits} bits", bits=number(bits))),
        say("ε per km"): or_dash(one.epsilon, told_level),
        say("identifiability"): or_dash(one.identifiability, told_level),
        say("a tracker's guess is off by"): "–" if one.tracker_error is None else metres(one.tracker_error),
        say("a tracker's guess is within {radius!s}", radius=radius): or_dash(one.within, percent),
    }
    if one.contains is not None and one.size is not None:
        told[say("the release contains the truth")] = percent(one.contains.value)
        told[say("areas in a release")] = number(one.size.value)
    return told


def _render(found: LocationDesign, output: Path | None) -> Parts:
    told = mechanism_facts(found.designed, metres(found.radius))
    told |= {
        say("best guess without a report is off by"): metres(found.best_guess),
        say("entropy of a place"): say("{bits} bits", bits=number(found.entropy.value)),
    }
    proven = (
        say("No channel at this distance leaks less, proven to {gap:.1e} bits.", gap=found.gap.value)
        if found.gap.unit == "bits"
        else say("No channel with this ε is nearer to the truth on average, proven to {gap!s}.", gap=metres(found.gap))
    )
    parts: Parts = [on_the_map(found.areas), facts(told, retell(found.designed.mechanism)), proven]
    if output is not None:
        parts.append(
            say("The channel is in {file!s}; it follows from this table's counts: keep it private.", file=output)
        )
    return parts

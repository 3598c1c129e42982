"""``leakgauge location compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
from rich.table import Column, Table
from rich.text import Text

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.part import METRES, Option, RequestPart
from leakgauge.artefacts.request.places import WITHIN, Near, Places
from leakgauge.cli import options
from leakgauge.cli.language import retell, say
from leakgauge.cli.location.options import MapReport, metres, on_the_map, or_dash, require_report, write_report
from leakgauge.cli.output import Output, Parts, deliver, number, require_not_read, told_level, working
from leakgauge.rounding import percent

if TYPE_CHECKING:
    from leakgauge.artefacts.location import LocationComparison, PlacedMechanism


NARROW = 9
"""Characters of a column whose head may stand on two lines."""


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

    require_not_read(to.file, table, places.areas, *(Path(name) for name in mechanisms if ":" not in name))
    require_report(beside.report, Path(table), to.file)
    with working(say("Comparing for {table!s} …", table=Path(table).name)):
        found = compare_places(table, places, mechanisms, **asked.given(), **reading.given())
    write_report(beside.report, Dossier(location_comparison=found))
    deliver(found, to, lambda: _render(found))


def _render(found: LocationComparison) -> Parts:
    title = say("Mechanisms for the places of {table!s}, the least leaking first", table=found.table)
    heads = (
        say("mean distance"),
        say("bits"),
        say("ε per km"),
        say("identifiability"),
        say("tracker's error"),
        say("within {radius!s}", radius=metres(found.radius)),
        say("wasted bits"),
    )
    ranking = Table(
        Column(say("mechanism"), overflow="fold"),
        *(Column(head, justify="right", max_width=NARROW, overflow="fold") for head in heads),
        title=title,
        title_justify="left",
    )
    for one in found.ranking:
        # A mechanism's name may hold brackets, which would be read as markup.
        ranking.add_row(*map(Text, _row(one)))
    parts: Parts = [on_the_map(found.areas), ranking]
    parts += [retell(one) for one in found.left_out]
    parts.append(
        say(
            "A place has {bits} bits, and the best guess without a report is off by {guess!s}. The tracker knows how "
            "often each area is visited and sees one report. ε per km is infinite where a report rules an area out.",
            bits=number(found.entropy.value),
            guess=metres(found.best_guess),
        )
    )
    return parts if found.advice is None else [*parts, retell(found.advice)]


def _name(one: PlacedMechanism) -> str:
    """The mechanism with the setting that was found for it."""
    if one.role.value == "given":
        return one.mechanism
    name = retell(one.mechanism)
    return name if one.setting is None else f"{name} ({number(one.setting)})"


def _row(one: PlacedMechanism) -> tuple[str, ...]:
    return (
        _name(one),
        "–" if one.distance is None else metres(one.distance),
        or_dash(one.leakage, number),
        or_dash(one.epsilon, told_level),
        or_dash(one.identifiability, told_level),
        "–" if one.tracker_error is None else metres(one.tracker_error),
        or_dash(one.within, percent),
        or_dash(one.waste, number),
    )

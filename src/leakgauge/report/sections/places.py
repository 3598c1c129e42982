"""Places: where points are, mechanisms on one scale, what a protected place still reveals, and tracks; with maps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from msgspec.structs import replace

from leakgauge.artefacts.design import Role
from leakgauge.artefacts.location import (
    AreasTold,
    LocationComparison,
    LocationDesign,
    LocationProtection,
    LocationSurvey,
    LocationTrack,
    MapShown,
    PlacedMechanism,
    Repeats,
)
from leakgauge.artefacts.report import Paragraph, Picture
from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.figures.map import VALUES, map_figure, metres
from leakgauge.report.sections.teller import NOTHING, Cell, Teller, own
from leakgauge.sentences import Sentence

_KINDS: Final = {
    "cells": message("cells"),
    "hexagons": message("hexagons"),
    "polygons": message("polygons"),
    "named areas": message("named areas"),
}
_MOST_ROWS = 20
"""Areas in the table behind a map: those with the largest values."""
Mapped: TypeAlias = LocationSurvey | LocationComparison | LocationDesign | LocationProtection | LocationTrack
"""A result with a map."""


def surveyed(tell: Teller) -> Iterator[Content]:
    """Where the points are; everybody may not know."""
    found = tell.dossier.location_survey
    if tell.external or found is None:
        return
    yield from _areas(tell, found.areas)
    yield tell.say(
        "{points} points lie on the map, in {occupied} of its areas; {outside} lie outside it, and {missing} rows have "
        "no place.",
        **{name: tell.number(found, name, count=True) for name in ("points", "occupied", "outside", "missing")},
    )
    yield tell.say(
        "A place has an entropy of {entropy}. The best guess of somebody who knows the map and sees no report is off "
        "by {guess} on average.",
        entropy=tell.number(found, "entropy"),
        guess=tell.number(found, "best_guess"),
    )
    if found.areas_of_few:
        yield tell.say(
            "In {areas} areas there are fewer than {few} people, or points where no column names people: a place alone "
            "may reveal who it is.",
            areas=tell.number(found, "areas_of_few", count=True),
            few=tell.number(found, "few"),
        )
    yield from _map(tell, found.map, "prior")
    yield from tell.grid(
        "By hour",
        "Hour|Points|Entropy",
        (
            (f"{one.hour:02d}", tell.number(one, "points", count=True), tell.number(one, "entropy"))
            for one in found.hours
        ),
    )
    yield from _paragraphs(tell, "note", found.notes)


def compared(tell: Teller) -> Iterator[Content]:
    """Mechanisms at one mean distance, and designed channels."""
    if tell.external:
        return
    for found in (tell.dossier.location_comparison, tell.dossier.location_design):
        if found is not None:
            yield from _compared(tell, found)


def _compared(tell: Teller, found: LocationComparison | LocationDesign) -> Iterator[Content]:
    yield from _areas(tell, found.areas)
    if isinstance(found, LocationComparison):
        yield tell.say(
            "Each mechanism is set so that the released place is {distance} from the true one on average; the one that "
            "leaks least comes first.",
            distance=tell.number(found, "max_distance"),
        )
        if found.advice is not None:
            yield (tell.told(found.advice),)
    placed = found.ranking if isinstance(found, LocationComparison) else (found.designed,)
    yield from tell.grid(
        "Mechanisms",
        "Mechanism|Mean distance|Leakage|ε per km|Identifiability|Tracker's error|Guess is near|Wasted",
        (_mechanism(tell, one) for one in placed),
    )
    yield tell.note(
        "The tracker knows how often each area is visited and sees one report; a guess is near within {radius}. "
        "Without a report the best guess is off by {guess}, and a place has {entropy}. ε per km is infinite where a "
        "report rules an area out. “Wasted” is the leakage that an equally useful channel need not have.",
        radius=tell.number(found, "radius"),
        guess=tell.number(found, "best_guess"),
        entropy=tell.number(found, "entropy"),
    )
    if isinstance(found, LocationComparison):
        yield from _paragraphs(tell, "note", found.left_out)
    yield from _map(tell, found.map, "prior", "released", "error")


def _mechanism(tell: Teller, one: PlacedMechanism) -> Iterator[Cell]:
    setting = tell.maybe(one, "setting")
    if one.role is Role.GIVEN or setting is None:
        yield own(one.mechanism) if one.role is Role.GIVEN else tell.language.retell(one.mechanism)
    else:
        yield tell.say("{name!s} ({setting})", name=tell.language.retell(one.mechanism), setting=setting)
    for key in ("distance", "leakage", "epsilon", "identifiability", "tracker_error", "within", "waste"):
        yield tell.cell(one, key)


def protected(tell: Teller) -> Iterator[Content]:
    """What the released places still tell; everybody may know how the map was cut, and the declared numbers."""
    found = tell.dossier.location
    if found is None:
        return
    yield from _areas(tell, found.areas)
    yield tell.say(
        "Places are protected as cells: two points in one cell are released alike, but two points a metre apart may "
        "lie in neighbouring cells. Rows are in a random order; those whose place is missing or outside the map are "
        "not released."
    )
    if tell.external:
        return
    yield tell.say(
        "Rows that are not released: {count}.", count=tell.number(found, "left_out", count=True, unit="rows")
    )
    yield from tell.grid(
        "A place before and after",
        "What|Without a report|With the released place|With the true area",
        _before_and_after(tell, found),
    )
    if found.measured_distance is None:
        return
    yield tell.say(
        "The released places are {measured} from the true areas on average; the mechanism's own mean is {expected}.",
        measured=tell.number(found, "measured_distance"),
        expected=tell.number(found.used, "distance"),
    )
    if found.repeats is not None:
        yield from _repeats(tell, found.repeats)
    yield from _map(tell, found.map, "prior", "released")


def told_places(tell: Teller) -> Iterator[Content]:
    """What protects the places and what a tracker still infers, in a few sentences and a map, for the decision."""
    found = tell.dossier.location
    if found is None or found.used.tracker_error is None:
        return
    yield tell.say(
        "Somebody who knows how often each area is visited errs by {blind} without a report, and by {error} with the "
        "released place, which reveals {leakage} of the {entropy} of a place.",
        blind=tell.number(found, "best_guess"),
        error=tell.number(found.used, "tracker_error"),
        leakage=tell.number(found.used, "leakage"),
        entropy=tell.number(found, "entropy"),
    )
    yield from _paragraphs(tell, "warning", found.warnings)
    yield from _map(tell, found.map, "error")


def _before_and_after(tell: Teller, found: LocationProtection) -> Iterator[tuple[Cell, ...]]:
    say, used = tell.language.say, found.used
    yield say("bits revealed about the area"), "0", tell.cell(used, "leakage"), tell.number(found, "entropy")
    yield say("error of the best guess"), tell.number(found, "best_guess"), tell.cell(used, "tracker_error"), "0"
    yield say("probability of a near guess"), NOTHING, tell.cell(used, "within"), "100 %"


def _repeats(tell: Teller, found: Repeats) -> Iterator[Content]:
    yield tell.say(
        "{people} people made {typical} reports each in the middle, and {most} at most. Reports of one person add up: "
        "ε per km is {epsilon} over {most} reports.",
        people=tell.number(found, "people", count=True),
        typical=tell.number(found, "typical"),
        most=tell.number(found, "most", count=True),
        epsilon=tell.number(found, "epsilon"),
    )
    if found.same_place is not None:
        yield tell.say(
            "The cell of somebody who reports one place {most} times, each with fresh noise, is guessed {error} off on "
            "average, from centre to centre.",
            most=tell.number(found, "most", count=True),
            error=tell.number(found, "same_place"),
        )


def tracked(tell: Teller) -> Iterator[Content]:
    """What trackers make of released traces."""
    found = tell.dossier.location_track
    if tell.external or found is None:
        return
    yield from _areas(tell, found.areas)
    if found.simulated is not None:
        yield tell.note("The traces are simulated from a mobility model, and nobody's own.")
    yield tell.say(
        "{traces} traces of {steps} steps in all; the released places are {error} from the true ones on average.",
        traces=tell.number(found, "traces", count=True),
        steps=tell.number(found, "steps", count=True),
        error=tell.number(found, "released_error"),
    )
    yield from tell.grid(
        "Trackers, the weakest first",
        "Tracker|Error|Error it expects itself|Guess is near",
        (
            (
                tell.language.retell(one.attacker),
                tell.number(one, "error"),
                tell.cell(one, "predicted"),
                tell.number(one, "within"),
            )
            for one in found.attackers
        ),
    )
    yield tell.say(
        "A window of {window} steps reveals {whole} about the steps in it; one step reveals {step}.",
        window=tell.number(found, "window"),
        whole=tell.number(found, "window_leakage"),
        step=tell.number(found, "step_leakage"),
    )
    yield from _paragraphs(tell, "warning", found.warnings)
    yield from _map(tell, found.map, "prior")


def _areas(tell: Teller, areas: AreasTold) -> Iterator[Content]:
    if areas.height is not None:
        yield tell.say(
            "The map is cut into {count} cells of {height} from south to north by {width} from west to east.",
            count=tell.number(areas, "count"),
            height=tell.number(areas, "height"),
            width=tell.number(areas, "width"),
        )
    else:
        kind = own(tell.language.say(_KINDS[areas.kind]))
        yield tell.say("The map has {count} {kind}.", count=tell.number(areas, "count"), kind=kind)
    if areas.stretch is not None:
        yield tell.note(
            "Distances are between the centres of areas, those of a flat map, and off by {stretch} of themselves at "
            "most.",
            stretch=tell.number(areas, "stretch", percent=True),
        )


def _paragraphs(tell: Teller, tone: str, sentences: tuple[Sentence, ...]) -> Iterator[Content]:
    for one in sentences:
        yield Paragraph(tone, (tell.told(one),))


def _map(tell: Teller, shown: MapShown, *values: str) -> Iterator[Content]:
    for value in (one for one in values if one in shown.values):
        figure = map_figure(shown if value == values[0] else replace(shown, paths={}), value, tell.language)
        caption = VALUES[value].caption
        if shown.paths and value == values[0]:
            caption = message("One of the traces, its released places and a tracker's guesses, a little apart.")
        yield Picture(tell.language.say(caption), figure.told, figure.spec)


def behind_maps(tell: Teller) -> Iterator[Content]:
    """The tables behind the maps."""
    dossier = tell.dossier
    drawn: tuple[tuple[Mapped | None, tuple[str, ...]], ...] = (
        (dossier.location_survey, ("prior",)),
        (dossier.location_comparison, ("prior", "error")),
        (dossier.location_design, ("prior", "released", "error")),
        (dossier.location, ("prior", "released", "error")),
        (dossier.location_track, ("prior",)),
    )
    for found, values in () if tell.external else drawn:
        if found is not None:
            for value in (one for one in values if one in found.map.values):
                yield from _largest(tell, found.map, value)


def _largest(tell: Teller, shown: MapShown, value: str) -> Iterator[Content]:
    """The table behind a map: the areas with the largest values, by where they lie."""
    numbers = [(one, at) for at, one in enumerate(shown.values[value]) if one is not None]
    largest = sorted(numbers, key=lambda pair: (-pair[0], pair[1]))[:_MOST_ROWS]
    kind = VALUES[value]
    rows = ((*_where(shown, at), kind.tell(one)) for one, at in largest)
    yield from tell.grid(
        "{title!s}: the largest values",
        "East of the map's corner|North of it|Value",
        rows,
        title=tell.language.say(kind.title),
    )


def _where(shown: MapShown, at: int) -> tuple[str, str]:
    if shown.columns is not None and shown.rows is not None:
        up, along = divmod(at, shown.columns)
        return metres((along + 0.5) * shown.width / shown.columns), metres((up + 0.5) * shown.height / shown.rows)
    corners = [corner for ring in shown.outlines[at] for corner in ring]
    return metres(sum(x for x, _ in corners) / len(corners)), metres(sum(y for _, y in corners) / len(corners))

"""Places: where points are, mechanisms on one scale, what a protected place still reveals, and tracks; with maps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING
from pathlib import Path
from typing import Final, TypeAlias

from msgspec.structs import replace

from leakgauge.artefacts.design import Role
from leakgauge.artefacts.dossier import PUBLIC_RECORD
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
from leakgauge.sentences import Sentence
from leakgauge.telling.blocks import Content, Inline
from leakgauge.telling.figures.map import VALUES, map_figure, metres
from leakgauge.telling.releasing import simulation
from leakgauge.telling.voice import NOTHING, ROWS, Voice, own

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


_SCALE: Final = ("distance", "leakage", "epsilon", "identifiability", "tracker_error", "within", "waste")


def surveyed(voice: Voice) -> Iterator[Content]:
    """Where the points are; everybody may not know."""
    found = voice.dossier.location_survey
    if voice.external or found is None:
        return
    yield from _areas(voice, found.areas)
    yield voice.say(
        "{points} points lie on the map, in {occupied} of its areas; {outside} lie outside it, and {missing} rows have "
        "no place.",
        **voice.fields(found, "points", "occupied", "outside", "missing", count=True),
    )
    if found.users is not None:
        yield voice.say("They are the points of {people} people.", people=voice.number(found, "users", count=True))
    yield voice.say(
        "A place has an entropy of {entropy}. The best guess of an attacker who knows the map and sees no "
        "report is off by {guess} on average.",
        entropy=voice.number(found, "entropy"),
        guess=voice.number(found, "best_guess"),
    )
    if found.areas_of_few:
        yield voice.say(
            "In {areas} areas, with {points} points, there are fewer than {few} people (or points, if no column "
            "identifies people): a place alone may reveal who it is. Choose larger areas, or protect the places.",
            areas=voice.number(found, "areas_of_few", count=True),
            points=voice.number(found, "points_of_few", count=True),
            few=voice.number(found, "few"),
        )
    yield from _map(voice, found.map, "prior")
    yield from voice.grid(
        "By hour",
        "Hour|Points|Entropy",
        (
            (f"{one.hour:02d}", voice.number(one, "points", count=True), voice.number(one, "entropy"))
            for one in found.hours
        ),
    )
    yield from _paragraphs(voice, "caution", found.notes)


def compared(voice: Voice) -> Iterator[Content]:
    """Mechanisms at one mean distance, and designed channels."""
    if voice.external:
        return
    for found in (voice.dossier.location_comparison, voice.dossier.location_design):
        if found is not None:
            yield from _compared(voice, found)


def _compared(voice: Voice, found: LocationComparison | LocationDesign) -> Iterator[Content]:
    yield from _areas(voice, found.areas)
    if isinstance(found, LocationComparison):
        yield voice.say(
            "Each mechanism is set so that the released place is {distance} from the true one on average; the one that "
            "leaks least comes first.",
            distance=voice.number(found, "max_distance"),
        )
        if found.advice is not None:
            yield (voice.told(found.advice),)
    yield from _mechanisms(voice, found.ranking if isinstance(found, LocationComparison) else (found.designed,))
    if isinstance(found, LocationDesign):
        least = message("No channel at this distance leaks less, proven to {gap}.")
        if found.gap.unit != "bits":
            least = message("No channel with this ε is nearer to the truth on average, proven to {gap}.")
        yield voice.say(least, gap=voice.number(found, "gap", digits=2, rounding=ROUND_CEILING))
    yield voice.note(
        "The tracker knows how often each area is visited and sees one report; a guess is near within {radius}. "
        "Without a report the best guess is off by {guess}, and a place has {entropy}. ε per km is infinite where a "
        "report rules an area out. The avoidable leakage is what an equally useful channel need not have.",
        **voice.fields(found, "radius", "entropy"),
        guess=voice.number(found, "best_guess"),
    )
    if isinstance(found, LocationComparison):
        yield from _paragraphs(voice, "note", found.left_out)
    yield from _map(voice, found.map, "prior", "released", "error")


def _mechanisms(voice: Voice, placed: Sequence[PlacedMechanism]) -> Iterator[Content]:
    """Mechanisms on one scale, and the areas that a release of several has."""
    yield from voice.grid(
        "Mechanisms",
        "Mechanism|Mean distance|Leakage|ε per km|Identifiability|Tracker's error|Guess is near|Avoidable leakage",
        ((_name(voice, one), *(voice.cell(one, key) for key in _SCALE)) for one in placed),
    )
    for one in placed:
        if one.contains is not None and one.size is not None:
            yield voice.say(
                "Of {mechanism} a release has {size} areas on average; the true one is among them with a probability "
                "of {contains}. Its distance is that of the middle of the release.",
                mechanism=_name(voice, one),
                size=voice.number(one.size, "value"),
                contains=voice.number(one.contains, "value", percent=True),
            )


def _name(voice: Voice, one: PlacedMechanism) -> Inline:
    """A mechanism with the setting that was found for it."""
    setting = voice.maybe(one, "setting")
    if one.role is Role.GIVEN:
        return (str(own(one.mechanism)),)
    name = voice.language.retell(one.mechanism)
    return (name,) if setting is None else voice.say("{name!s} ({setting})", name=name, setting=setting)


def designed(voice: Voice, file: Path | None) -> Iterator[Content]:
    """A designed channel, and where it lies if it was written."""
    yield from compared(voice)
    if file is not None:
        yield voice.note(
            "The channel is in {file}; it follows from this table's counts: keep it private.", file=own(str(file))
        )


def released(voice: Voice, folder: Path) -> Iterator[Content]:
    """A table whose places were protected, by itself, and what of the folder may be handed out."""
    found = voice.dossier.location
    if found is None:
        return
    yield voice.say("{rows} are released.", rows=voice.number(found, "rows", unit=ROWS, count=True))
    yield from (*protected(voice), *_paragraphs(voice, "warning", found.warnings))
    yield voice.say("Report: {report}.", report=own(str(folder / "report.html")))
    if found.private:
        files = voice.listed(filter(None, (found.released, PUBLIC_RECORD.name, found.centres)))
        yield voice.say("To hand out: {files}.", files=files)
    else:
        yield simulation(voice)


def protected(voice: Voice) -> Iterator[Content]:
    """What the released places still tell; everybody may know how the map was cut, and the declared numbers."""
    found = voice.dossier.location
    if found is None:
        return
    yield from _areas(voice, found.areas)
    yield voice.say(
        "Places are protected as cells: two points in one cell are released alike, but two points a metre apart may "
        "lie in neighbouring cells. Rows are in a random order; those whose place is missing or outside the map are "
        "not released."
    )
    if voice.external:
        return
    yield voice.say(
        "Rows that are not released: {count}.", count=voice.number(found, "left_out", count=True, unit="rows")
    )
    say, used = voice.language.say, found.used
    yield from voice.grid(
        "A place before and after",
        "What|Without a report|With the released place|With the true area",
        (
            (say("bits revealed about the area"), "0", voice.cell(used, "leakage"), voice.number(found, "entropy")),
            (say("error of the best guess"), voice.number(found, "best_guess"), voice.cell(used, "tracker_error"), "0"),
            (say("probability of a near guess"), NOTHING, voice.cell(used, "within"), "100%"),
        ),
    )
    yield from _mechanisms(voice, (found.used,))
    if found.measured_distance is not None:
        yield voice.say(
            "The released places are {measured} from the true areas on average; the mechanism's own mean is "
            "{expected}.",
            measured=voice.number(found, "measured_distance"),
            expected=voice.number(found.used, "distance"),
        )
    if found.epsilon_per_person is not None:
        yield voice.say(
            "Over all reports that a person may make, ε is {epsilon}.",
            epsilon=voice.number(found, "epsilon_per_person"),
        )
    if found.repeats is not None:
        yield from _repeats(voice, found.repeats)
    yield from _map(voice, found.map, "prior", "released")


def told_places(voice: Voice) -> Iterator[Content]:
    """What protects the places and what a tracker still infers, in a few sentences and a map, for the decision."""
    found = voice.dossier.location
    if found is None or found.used.tracker_error is None:
        return
    yield voice.say(
        "An attacker who knows how often each area is visited errs by {blind} without a report, and by "
        "{error} with the released place, which reveals {leakage} of the {entropy} of a place.",
        blind=voice.number(found, "best_guess"),
        error=voice.number(found.used, "tracker_error"),
        leakage=voice.number(found.used, "leakage"),
        entropy=voice.number(found, "entropy"),
    )
    yield from _paragraphs(voice, "warning", found.warnings)
    yield from _map(voice, found.map, "error")


def _repeats(voice: Voice, found: Repeats) -> Iterator[Content]:
    yield voice.say(
        "{people} people made {typical} reports each in the middle, and {most} at most. Reports of one person add up: "
        "ε per km is {epsilon} over {most} reports.",
        **voice.fields(found, "people", "most", count=True),
        **voice.fields(found, "typical", "epsilon"),
    )
    if found.same_place is not None:
        yield voice.say(
            "If somebody reports one place {most} times, each with new noise, their cell is guessed {error} "
            "off on average, from centre to centre.",
            most=voice.number(found, "most", count=True),
            error=voice.number(found, "same_place"),
        )


def tracked(voice: Voice) -> Iterator[Content]:
    """What trackers make of released traces."""
    found = voice.dossier.location_track
    if voice.external or found is None:
        return
    yield from _areas(voice, found.areas)
    if found.simulated is not None:
        yield voice.note("The traces are simulated from a mobility model and belong to no real person.")
    yield voice.say(
        "{traces} traces of {steps} steps in all; {mechanism} releases places that are {error} from the true ones on "
        "average. A guess is near within {radius}.",
        mechanism=own(voice.told(found.mechanism)),
        radius=voice.number(found, "radius"),
        **voice.fields(found, "traces", "steps", count=True),
        error=voice.number(found, "released_error"),
    )
    yield from voice.grid(
        "Trackers, the weakest first",
        "Tracker|Error|Error it expects itself|Guess is near",
        (
            (
                voice.language.retell(one.attacker),
                voice.number(one, "error"),
                voice.cell(one, "predicted"),
                voice.number(one, "within"),
            )
            for one in found.attackers
        ),
    )
    yield voice.say(
        "A window of {window} steps reveals {whole} about the steps in it; one step reveals {step}.",
        window=voice.number(found, "window"),
        whole=voice.number(found, "window_leakage"),
        step=voice.number(found, "step_leakage"),
    )
    yield from _paragraphs(voice, "warning", found.warnings)
    yield from _map(voice, found.map, "prior")


def _areas(voice: Voice, areas: AreasTold) -> Iterator[Content]:
    if areas.height is not None and areas.width is not None:
        cells: Inline = (voice.number(areas, "count"),)
        if areas.rows is not None and areas.columns is not None:
            # Everybody is told how many there are, and not how they lie.
            cells = voice.say("{rows} × {columns}", **voice.fields(areas, "rows", "columns"))
        yield voice.say(
            "The map is cut into {cells} cells of {height} from south to north by {width} from west to "
            "east. A point is up to {reach} from the centre of its own.",
            cells=cells,
            **voice.fields(areas, "height", "width"),
            reach=metres(math.hypot(areas.height.value, areas.width.value) / 2),
        )
    else:
        kind = own(voice.language.say(_KINDS[areas.kind]))
        yield voice.say("The map has {count} {kind}.", count=voice.number(areas, "count"), kind=kind)
    if areas.stretch is not None:
        yield voice.note(
            "Distances are between the centres of areas, those of a flat map, and off by {stretch} of themselves at "
            "most.",
            stretch=voice.number(areas, "stretch", percent=True),
        )


def _paragraphs(voice: Voice, tone: str, sentences: tuple[Sentence, ...]) -> Iterator[Content]:
    for one in sentences:
        yield Paragraph(tone, (voice.told(one),))


def _map(voice: Voice, shown: MapShown, *values: str) -> Iterator[Content]:
    for value in (one for one in values if one in shown.values):
        figure = map_figure(shown if value == values[0] else replace(shown, paths={}), value, voice.language)
        caption = VALUES[value].caption
        if shown.paths and value == values[0]:
            caption = message("One of the traces, its released places and a tracker's guesses, a little apart.")
        yield Picture(voice.language.say(caption), figure.told, figure.spec)


def behind_maps(voice: Voice) -> Iterator[Content]:
    """The tables behind the maps."""
    dossier = voice.dossier
    drawn: tuple[tuple[Mapped | None, tuple[str, ...]], ...] = (
        (dossier.location_survey, ("prior",)),
        (dossier.location_comparison, ("prior", "error")),
        (dossier.location_design, ("prior", "released", "error")),
        (dossier.location, ("prior", "released", "error")),
        (dossier.location_track, ("prior",)),
    )
    for found, values in () if voice.external else drawn:
        if found is not None:
            for value in (one for one in values if one in found.map.values):
                yield from _largest(voice, found.map, value)


def _largest(voice: Voice, shown: MapShown, value: str) -> Iterator[Content]:
    """The table behind a map: the areas with the largest values, by where they lie."""
    numbers = [(one, at) for at, one in enumerate(shown.values[value]) if one is not None]
    largest = sorted(numbers, key=lambda pair: (-pair[0], pair[1]))[:_MOST_ROWS]
    kind = VALUES[value]
    rows = ((*map(metres, _middle(shown, at)), kind.tell(one)) for one, at in largest)
    yield from voice.grid(
        "{title!s}: the largest values",
        "East of the map's corner|North of it|Value",
        rows,
        title=voice.language.say(kind.title),
    )


def _middle(shown: MapShown, at: int) -> tuple[float, float]:
    if shown.columns is not None and shown.rows is not None:
        up, along = divmod(at, shown.columns)
        return (along + 0.5) * shown.width / shown.columns, (up + 0.5) * shown.height / shown.rows
    corners = [corner for ring in shown.outlines[at] for corner in ring]
    return sum(x for x, _ in corners) / len(corners), sum(y for _, y in corners) / len(corners)

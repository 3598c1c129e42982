"""Places: where points are, mechanisms on one scale, what a protected place still reveals, and tracks; with maps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from leakgauge.artefacts.report import Paragraph, Picture
from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.figures.map import VALUES, map_figure
from leakgauge.report.sections.teller import NOTHING, Cell, Teller, own

SURVEY: Final = "location-survey.json"
DESIGN: Final = "location-design.json"
COMPARISON: Final = "location-comparison.json"
PROTECTION: Final = "location.json"
TRACK: Final = "location-track.json"
_KINDS: Final = {
    "cells": message("cells"),
    "hexagons": message("hexagons"),
    "polygons": message("polygons"),
    "named areas": message("named areas"),
}
_MOST_ROWS = 20
"""Areas in the table behind a map: those with the largest values."""


def surveyed(tell: Teller) -> Iterator[Content]:
    """Where the points are; everybody may not know."""
    if tell.external or not tell.has(SURVEY):
        return
    yield from _areas(tell, SURVEY)
    yield tell.say(
        "{points} points lie on the map, in {occupied} of its areas; {outside} lie outside it, and {missing} rows have "
        "no place.",
        **{name: tell.number(SURVEY, name, count=True) for name in ("points", "occupied", "outside", "missing")},
    )
    yield tell.say(
        "A place has an entropy of {entropy}. The best guess of somebody who knows the map and sees no report is off "
        "by {guess} on average.",
        entropy=tell.number(SURVEY, "entropy"),
        guess=tell.number(SURVEY, "best_guess"),
    )
    if tell.get(SURVEY, "areas_of_few"):
        yield tell.say(
            "In {areas} areas there are fewer than {few} people, or points where no column names people: a place alone "
            "may reveal who it is.",
            areas=tell.number(SURVEY, "areas_of_few", count=True),
            few=tell.number(SURVEY, "few"),
        )
    yield from _map(tell, SURVEY, "prior")
    hours = range(len(tell.items(SURVEY, "hours")))
    yield from tell.grid(
        "By hour",
        "Hour|Points|Entropy",
        (
            (
                f"{tell.get(SURVEY, 'hours', at, 'hour'):02d}",
                tell.number(SURVEY, "hours", at, "points", count=True),
                tell.number(SURVEY, "hours", at, "entropy"),
            )
            for at in hours
        ),
    )
    yield from _notes(tell, SURVEY, "notes")


def compared(tell: Teller) -> Iterator[Content]:
    """Mechanisms at one mean distance, and designed channels."""
    if tell.external:
        return
    for file, rows in ((COMPARISON, "ranking"), (DESIGN, "designed")):
        if tell.has(file):
            yield from _compared(tell, file, rows)


def _compared(tell: Teller, file: str, rows: str) -> Iterator[Content]:
    yield from _areas(tell, file)
    if file == COMPARISON:
        yield tell.say(
            "Each mechanism is set so that the released place is {distance} from the true one on average; the one that "
            "leaks least comes first.",
            distance=tell.number(file, "max_distance"),
        )
    if tell.has(file, "advice"):
        yield (tell.told(tell.get(file, "advice")),)
    places: list[tuple[str | int, ...]] = [(rows, at) for at in range(len(tell.items(file, rows)))] or [(rows,)]
    yield from tell.grid(
        "Mechanisms",
        "Mechanism|Mean distance|Leakage|ε per km|Identifiability|Tracker's error|Guess is near|Wasted",
        (_mechanism(tell, file, *place) for place in places),
    )
    yield tell.note(
        "The tracker knows how often each area is visited and sees one report; a guess is near within {radius}. "
        "Without a report the best guess is off by {guess}, and a place has {entropy}. ε per km is infinite where a "
        "report rules an area out. “Wasted” is the leakage that an equally useful channel need not have.",
        radius=tell.number(file, "radius"),
        guess=tell.number(file, "best_guess"),
        entropy=tell.number(file, "entropy"),
    )
    yield from _notes(tell, file, "left_out")
    yield from _map(tell, file, "prior", "released", "error")


def _mechanism(tell: Teller, file: str, *place: str | int) -> Iterator[Cell]:
    name, role = (str(tell.get(file, *place, key)) for key in ("mechanism", "role"))
    if role == "given" or not tell.has(file, *place, "setting"):
        yield own(name) if role == "given" else tell.language.retell(name)
    else:
        setting = tell.number(file, *place, "setting")
        yield tell.say("{name!s} ({setting})", name=tell.language.retell(name), setting=setting)
    for key in ("distance", "leakage", "epsilon", "identifiability", "tracker_error", "within", "waste"):
        yield tell.number(file, *place, key) if tell.has(file, *place, key) else NOTHING


def protected(tell: Teller) -> Iterator[Content]:
    """What the released places still tell; everybody may know how the map was cut, and the declared numbers."""
    if not tell.has(PROTECTION):
        return
    yield from _areas(tell, PROTECTION)
    yield tell.say(
        "Places are protected as cells: two points in one cell are released alike, but two points a metre apart may "
        "lie in neighbouring cells. Rows are in a random order; those whose place is missing or outside the map are "
        "not released."
    )
    if tell.external:
        return
    yield tell.say(
        "Rows that are not released: {count}.", count=tell.number(PROTECTION, "left_out", count=True, unit="rows")
    )
    place = (PROTECTION, "used")
    yield from tell.grid(
        "A place before and after",
        "What|Without a report|With the released place|With the true area",
        _before_and_after(tell),
    )
    if not tell.has(PROTECTION, "measured_distance"):
        return
    yield tell.say(
        "The released places are {measured} from the true areas on average; the mechanism's own mean is {expected}.",
        measured=tell.number(PROTECTION, "measured_distance"),
        expected=tell.number(*place, "distance"),
    )
    if tell.has(PROTECTION, "repeats"):
        yield from _repeats(tell)
    yield from _map(tell, PROTECTION, "prior", "released")


def told_places(tell: Teller) -> Iterator[Content]:
    """What protects the places and what a tracker still infers, in a few sentences and a map, for the decision."""
    if not tell.has(PROTECTION) or not tell.has(PROTECTION, "used", "tracker_error"):
        return
    yield tell.say(
        "Somebody who knows how often each area is visited errs by {blind} without a report, and by {error} with the "
        "released place, which reveals {leakage} of the {entropy} of a place.",
        blind=tell.number(PROTECTION, "best_guess"),
        error=tell.number(PROTECTION, "used", "tracker_error"),
        leakage=tell.number(PROTECTION, "used", "leakage"),
        entropy=tell.number(PROTECTION, "entropy"),
    )
    for warning in tell.items(PROTECTION, "warnings"):
        yield Paragraph("warning", (tell.told(warning),))
    yield from _map(tell, PROTECTION, "error")


def _before_and_after(tell: Teller) -> Iterator[tuple[Cell, ...]]:
    say, used = tell.language.say, (PROTECTION, "used")
    after = {key: tell.number(*used, key) for key in ("leakage", "tracker_error", "within") if tell.has(*used, key)}
    yield (
        say("bits revealed about the area"),
        "0",
        after.get("leakage", NOTHING),
        tell.number(PROTECTION, "entropy"),
    )
    guess = tell.number(PROTECTION, "best_guess")
    yield say("error of the best guess"), guess, after.get("tracker_error", NOTHING), "0"
    yield say("probability of a near guess"), NOTHING, after.get("within", NOTHING), "100 %"


def _repeats(tell: Teller) -> Iterator[Content]:
    place = (PROTECTION, "repeats")
    yield tell.say(
        "{people} people made {typical} reports each in the middle, and {most} at most. Reports of one person add up: "
        "ε per km is {epsilon} over {most} reports.",
        people=tell.number(*place, "people", count=True),
        typical=tell.number(*place, "typical"),
        most=tell.number(*place, "most", count=True),
        epsilon=tell.number(*place, "epsilon"),
    )
    if tell.has(*place, "same_place"):
        yield tell.say(
            "The cell of somebody who reports one place {most} times, each with fresh noise, is guessed {error} off on "
            "average, from centre to centre.",
            most=tell.number(*place, "most", count=True),
            error=tell.number(*place, "same_place"),
        )


def tracked(tell: Teller) -> Iterator[Content]:
    """What trackers make of released traces."""
    if tell.external or not tell.has(TRACK):
        return
    yield from _areas(tell, TRACK)
    if tell.get(TRACK, "simulated") is not None:
        yield tell.note("The traces are simulated from a mobility model, and nobody's own.")
    yield tell.say(
        "{traces} traces of {steps} steps in all; the released places are {error} from the true ones on average.",
        traces=tell.number(TRACK, "traces", count=True),
        steps=tell.number(TRACK, "steps", count=True),
        error=tell.number(TRACK, "released_error"),
    )
    yield from tell.grid(
        "Trackers, the weakest first",
        "Tracker|Error|Error it expects itself|Guess is near",
        (
            (
                tell.language.retell(str(tell.get(TRACK, "attackers", at, "attacker"))),
                tell.number(TRACK, "attackers", at, "error"),
                tell.number(TRACK, "attackers", at, "predicted")
                if tell.has(TRACK, "attackers", at, "predicted")
                else NOTHING,
                tell.number(TRACK, "attackers", at, "within"),
            )
            for at in range(len(tell.items(TRACK, "attackers")))
        ),
    )
    yield tell.say(
        "A window of {window} steps reveals {whole} about the steps in it; one step reveals {step}.",
        window=tell.number(TRACK, "window"),
        whole=tell.number(TRACK, "window_leakage"),
        step=tell.number(TRACK, "step_leakage"),
    )
    for warning in tell.items(TRACK, "warnings"):
        yield Paragraph("warning", (tell.told(warning),))
    yield from _map(tell, TRACK, "prior")


def _areas(tell: Teller, file: str) -> Iterator[Content]:
    place = (file, "areas")
    if tell.has(*place, "height"):
        yield tell.say(
            "The map is cut into {count} cells of {height} from south to north by {width} from west to east.",
            count=tell.number(*place, "count"),
            height=tell.number(*place, "height"),
            width=tell.number(*place, "width"),
        )
    else:
        kind = str(tell.get(*place, "kind"))
        yield tell.say(
            "The map has {count} {kind}.", count=tell.number(*place, "count"), kind=own(tell.language.say(_KINDS[kind]))
        )
    if tell.has(*place, "stretch"):
        yield tell.note(
            "Distances are between the centres of areas, those of a flat map, and off by {stretch} of themselves at "
            "most.",
            stretch=tell.number(*place, "stretch", percent=True),
        )


def _notes(tell: Teller, file: str, field: str) -> Iterator[Content]:
    for note in tell.items(file, field):
        yield Paragraph("note", (tell.told(note),))


def _map(tell: Teller, file: str, *values: str) -> Iterator[Content]:
    shown = tell.get(file, "map")
    for value in (one for one in values if one in shown["values"]):
        figure = map_figure(shown if value == values[0] else {**shown, "paths": {}}, value, tell.language)
        caption = VALUES[value].caption
        if shown.get("paths") and value == values[0]:
            caption = message("One of the traces, its released places and a tracker's guesses, a little apart.")
        yield Picture(tell.language.say(caption), figure.told, figure.spec)


def behind_maps(tell: Teller) -> Iterator[Content]:
    """The tables behind the maps."""
    drawn = {SURVEY: ("prior",), COMPARISON: ("prior", "error"), DESIGN: ("prior", "released", "error")}
    drawn |= {PROTECTION: ("prior", "released", "error"), TRACK: ("prior",)}
    for file, values in drawn.items():
        shown = None if tell.external else tell.get(file, "map")
        for value in (one for one in values if shown is not None and one in shown["values"]):
            yield from _largest(tell, file, value)


def _largest(tell: Teller, file: str, value: str) -> Iterator[Content]:
    """The table behind a map: the areas with the largest values, by where they lie."""
    shown = tell.get(file, "map")
    numbers = [(one, at) for at, one in enumerate(shown["values"][value]) if one is not None]
    largest = sorted(numbers, key=lambda pair: (-pair[0], pair[1]))[:_MOST_ROWS]
    kind = VALUES[value]
    rows = ((*_where(shown, at), kind.tell(one)) for one, at in largest)
    yield from tell.grid(
        "{title!s}: the largest values",
        "East of the map's corner|North of it|Value",
        rows,
        title=tell.language.say(kind.title),
    )


def _where(shown: dict[str, object], at: int) -> tuple[str, str]:
    from leakgauge.report.figures.map import metres

    columns, rows = shown.get("columns"), shown.get("rows")
    if isinstance(columns, int) and isinstance(rows, int):
        up, along = divmod(at, columns)
        wide, tall = float(str(shown["width"])), float(str(shown["height"]))
        return metres((along + 0.5) * wide / columns), metres((up + 0.5) * tall / rows)
    outlines = shown["outlines"]
    assert isinstance(outlines, list)
    corners = [corner for ring in outlines[at] for corner in ring]
    return metres(sum(x for x, _ in corners) / len(corners)), metres(sum(y for _, y in corners) / len(corners))

"""What explains the dials and decides nothing: criteria with their leaves, and the scores of the paper."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_FLOOR
from typing import TypeAlias

from leakgauge.artefacts.report import Paragraph
from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.sections.dials import secret_of
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import NOTHING, Cell, Plain, Teller, own

_FILE = "verdict.json"
Place: TypeAlias = tuple[str | int, ...]
"""A place in it."""


def criteria(tell: Teller) -> Iterator[Content]:
    """The criteria of the secret that is spoken of, where it was released and judged."""
    place = ("beside", secret_of(tell, _FILE))
    if tell.external or not tell.has(_FILE, *place):
        return
    yield tell.say(
        "The criteria explain the dials and decide nothing. Each is a mean of indicators, from 0 to 100, and none is "
        "better than the dial that it explains."
    )
    yield from pictures(tell, "criteria")
    yield from (*_beside(tell, (*place, "criteria")), *_leaves(tell, (*place, "criteria")))
    yield from (*_published(tell, place), *_over_arcs(tell, place), *_comprehensive(tell, place))


def _beside(tell: Teller, place: Place) -> Iterator[Content]:
    if beside := tell.told(tell.get(_FILE, *place, "beside") or ""):
        yield (beside,)
    if tell.has(_FILE, *place, "audit", "points"):
        yield tell.say(
            "Strength of the audit: {points} of 100. It says how close the audit came to the claimed level; it does "
            "not add protection.",
            points=_points(tell, (*place, "audit")),
        )


def _leaves(tell: Teller, place: Place) -> Iterator[Content]:
    places: list[Place] = [(*place, "criteria", at) for at in range(len(tell.items(_FILE, *place, "criteria")))]
    places += [(*place, name) for name in ("needed", "audit") if tell.has(_FILE, *place, name)]
    yield from tell.grid(
        "Criteria and their indicators",
        "No.|Criterion or indicator|Found|Points|Weight|Standing|From",
        (row for one in places for row in _rows(tell, one)),
    )
    known = [one for one in places if tell.has(_FILE, *one, "points")]
    unknown = [tell.named(tell.get(_FILE, *one)) for one in places if one not in known]
    if unknown:
        yield tell.say("Not asked, or not known: {names}.", names=_listed(tell, unknown))
    missing = [
        tell.named(leaf)
        for one in known
        for leaf in tell.items(_FILE, *one, "leaves")
        if leaf["leaf"] in tell.items(_FILE, *one, "missing")
    ]
    if missing:
        yield tell.say("Missing, and counted at the unfavourable end: {names}.", names=_listed(tell, missing))


def _listed(tell: Teller, names: list[str]) -> Plain:
    return Plain(tell.language.say(", ").join(names))


def _points(tell: Teller, place: Place) -> Cell:
    if not tell.has(_FILE, *place, "points"):
        return tell.told(tell.get(_FILE, *place, "said") or NOTHING)
    return tell.number(_FILE, *place, "points", "value", interval=(*place, "points"), rounding=ROUND_FLOOR)


def _rows(tell: Teller, place: Place) -> Iterator[tuple[Cell, ...]]:
    """A line for the criterion, and one for each of its leaves."""
    criterion = tell.get(_FILE, *place)
    standing = tell.told(criterion["standing"])
    yield "", tell.named(criterion), "", _points(tell, place), "", standing, ""
    for at, leaf in enumerate(criterion["leaves"]):
        found: Place = (*place, "leaves", at)
        weight: Cell = tell.say("not counted")
        if leaf["weight"]:
            weight = tell.number(_FILE, *found, "weight", percent=True)
        yield (
            str(leaf["leaf"]),
            tell.named(leaf),
            tell.cell(_FILE, *found, "value", unit=str(leaf["unit"])),
            _points(tell, found),
            weight,
            tell.told(leaf["standing"]),
            tell.told(leaf["source"]),
        )


def _published(tell: Teller, place: Place) -> Iterator[Content]:
    found = (*place, "published")
    if tell.has(_FILE, *found):
        yield tell.note(
            "By the published method the score is {score} and the grade {grade}. {why}",
            score=tell.number(_FILE, *found, "score"),
            grade=own(str(tell.get(_FILE, *found, "grade"))),
            why=Plain(tell.told(tell.get(_FILE, *found, "why_not"))),
        )


def _over_arcs(tell: Teller, place: Place) -> Iterator[Content]:
    found = (*place, "over_arcs")
    if not tell.has(_FILE, *found):
        return
    names = {"score": message("score"), "privacy": message("privacy"), "utility": message("utility")}
    rows = ((tell.say(said), tell.cell(_FILE, *found, name)) for name, said in names.items())
    yield from tell.grid("Over the arcs of the diagram", "Score|Points", rows)
    yield Paragraph("note", (tell.told(tell.get(_FILE, *found, "why_not")),))
    yield from pictures(tell, "influence")


def _comprehensive(tell: Teller, place: Place) -> Iterator[Content]:
    found = (*place, "comprehensive")
    if not tell.has(_FILE, *found):
        return
    rows: list[list[Cell]] = [
        [own(one["name"]), *(tell.number(_FILE, *found, "factors", at, "memberships", state) for state in range(5))]
        for at, one in enumerate(tell.items(_FILE, *found, "factors"))
    ]
    yield from tell.grid("Fuzzy comprehensive evaluation, memberships", "Factor|VLL|LL|ML|HL|VHL", rows)
    yield tell.note(
        "By the comprehensive evaluation the grade is {grade}. {why}",
        grade=own(str(tell.get(_FILE, *found, "grade"))),
        why=Plain(tell.told(tell.get(_FILE, *found, "why_not"))),
    )

"""What explains the dials and decides nothing: criteria with their leaves, and the scores of the paper."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_FLOOR

from leakgauge.artefacts.criteria import Criteria, Criterion, CriterionLeaf
from leakgauge.artefacts.report import Paragraph
from leakgauge.artefacts.verdict import Beside
from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.figures.criteria import own_name
from leakgauge.report.sections.dials import secret_in
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import NOTHING, Cell, Plain, Teller, own


def criteria(tell: Teller) -> Iterator[Content]:
    """The criteria of the secret that is spoken of, where it was released and judged."""
    verdict = tell.dossier.verdict
    found = None if verdict is None else verdict.beside.get(secret_in(tell, verdict))
    if found is None:
        return
    yield tell.say(
        "The criteria explain the dials and decide nothing. Each is a mean of indicators, from 0 to 100, and none is "
        "better than the dial that it explains."
    )
    yield from pictures(tell, "criteria")
    yield from (*_beside(tell, found.criteria), *_leaves(tell, found.criteria))
    yield from (*_published(tell, found), *_over_arcs(tell, found), *_comprehensive(tell, found))


def _beside(tell: Teller, found: Criteria) -> Iterator[Content]:
    if beside := tell.told(found.beside):
        yield (beside,)
    if found.audit is not None and found.audit.points is not None:
        yield tell.say(
            "Strength of the audit: {points} of 100. It says how close the audit came to the claimed level; it does "
            "not add protection.",
            points=_points(tell, found.audit),
        )


def _leaves(tell: Teller, found: Criteria) -> Iterator[Content]:
    every = [one for one in (*found.criteria, found.needed, found.audit) if one is not None]
    yield from tell.grid(
        "Criteria and their indicators",
        "No.|Criterion or indicator|Found|Points|Weight|Standing|From",
        (row for one in every for row in _rows(tell, one)),
    )
    unknown = [own_name(one, tell.language) for one in every if one.points is None]
    if unknown:
        yield tell.say("Not asked, or not known: {names}.", names=_listed(tell, unknown))
    missing = [
        own_name(leaf, tell.language)
        for one in every
        for leaf in one.leaves
        if one.points is not None and leaf.leaf in one.missing
    ]
    if missing:
        yield tell.say("Missing, and counted at the unfavourable end: {names}.", names=_listed(tell, missing))


def _listed(tell: Teller, names: list[str]) -> Plain:
    return Plain(tell.language.say(", ").join(names))


def _points(tell: Teller, found: Criterion | CriterionLeaf) -> Cell:
    if found.points is None:
        said = tell.told(found.said) if isinstance(found, Criterion) else ""
        return said or NOTHING
    return tell.number(found.points, "value", interval=found.points, rounding=ROUND_FLOOR)


def _rows(tell: Teller, criterion: Criterion) -> Iterator[tuple[Cell, ...]]:
    """A line for the criterion, and one for each of its leaves."""
    standing = tell.told(criterion.standing.value)
    yield "", own_name(criterion, tell.language), "", _points(tell, criterion), "", standing, ""
    for leaf in criterion.leaves:
        yield (
            leaf.leaf,
            own_name(leaf, tell.language),
            tell.cell(leaf, "value", unit=leaf.unit),
            _points(tell, leaf),
            tell.number(leaf, "weight", percent=True) if leaf.weight else tell.say("not counted"),
            tell.told(leaf.standing.value),
            tell.told(leaf.source),
        )


def _published(tell: Teller, beside: Beside) -> Iterator[Content]:
    found = beside.published
    if found is not None:
        yield tell.note(
            "By the published method the score is {score} and the grade {grade}. {why}",
            score=tell.number(found, "score"),
            grade=own(found.grade),
            why=Plain(tell.told(found.why_not)),
        )


def _over_arcs(tell: Teller, beside: Beside) -> Iterator[Content]:
    found = beside.over_arcs
    if found is None:
        return
    names = {"score": message("score"), "privacy": message("privacy"), "utility": message("utility")}
    rows = ((tell.say(said), tell.cell(found, name)) for name, said in names.items())
    yield from tell.grid("Over the arcs of the diagram", "Score|Points", rows)
    yield Paragraph("note", (tell.told(found.why_not),))
    yield from pictures(tell, "influence")


def _comprehensive(tell: Teller, beside: Beside) -> Iterator[Content]:
    found = beside.comprehensive
    if found is None:
        return
    rows: list[list[Cell]] = [
        [own(one.name), *(tell.number(one.memberships, state) for state in range(5))] for one in found.factors
    ]
    yield from tell.grid("Fuzzy comprehensive evaluation, memberships", "Factor|VLL|LL|ML|HL|VHL", rows)
    yield tell.note(
        "By the comprehensive evaluation the grade is {grade}. {why}",
        grade=own(found.grade),
        why=Plain(tell.told(found.why_not)),
    )

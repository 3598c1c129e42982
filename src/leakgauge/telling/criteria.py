"""What explains the scores and decides nothing: criteria with their leaves, and the scores of the paper."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_FLOOR

from leakgauge.artefacts.criteria import Criteria, Criterion, CriterionLeaf
from leakgauge.artefacts.report import Paragraph
from leakgauge.artefacts.verdict import Judgement
from leakgauge.languages import message
from leakgauge.telling.blocks import Content, Inline, unprinted
from leakgauge.telling.figures.criteria import own_name
from leakgauge.telling.pictures import pictures
from leakgauge.telling.published_score import published_score
from leakgauge.telling.scores import secret_in
from leakgauge.telling.voice import NOTHING, Cell, Plain, Voice, own


def criteria(voice: Voice) -> Iterator[Content]:
    """The criteria of the secret that is spoken of, where it was released and judged."""
    verdict = voice.dossier.verdict
    if verdict is not None:
        yield from explained(voice, verdict, secret_in(voice, verdict))


def explained(voice: Voice, verdict: Judgement, secret: str, *, short: bool = False) -> Iterator[Content]:
    """The criteria of a secret of a verdict, where it was released; without their leaves where it is to be short."""
    found = verdict.beside.get(secret)
    if found is None:
        return
    if not short:
        yield voice.say(
            "The criteria explain the scores and do not affect the decision. Each is a mean of indicators, from 0 to "
            "100, and none is better than the score that it explains."
        )
    if beside := voice.told(found.criteria.beside):
        yield (beside,)
    audit = found.criteria.audit
    if audit is not None and audit.points is not None:
        yield voice.say(
            "Audit strength {points} of 100: how close the tests came to the claimed ε. It is not additional "
            "protection.",
            points=_points(voice, audit),
        )
    yield from _leaves(voice, found.criteria, secret, short=short)
    if (published := found.published) is not None:
        # The tables are many lines: only where a diagram with arcs was asked for.
        yield from published_score(voice, published, tables=found.over_arcs is not None, short=short)
    if (arcs := found.over_arcs) is not None:
        names = {"score": message("score"), "privacy": message("privacy"), "utility": message("utility")}
        rows = ((voice.say(said), voice.cell(arcs, name)) for name, said in names.items())
        yield from voice.grid("Over the arcs of the diagram", "Score|Points", rows)
        yield Paragraph("note", (voice.told(arcs.why_not),))
        yield from pictures(voice, "influence")
    if (fuzzy := found.comprehensive) is not None:
        states: Iterator[tuple[Cell, ...]] = (
            (voice.told(one.name), *(voice.number(one.memberships, state) for state in range(5)))
            for one in fuzzy.factors
        )
        yield from voice.grid("Fuzzy comprehensive evaluation, memberships", "Factor|VLL|LL|ML|HL|VHL", states)
        yield voice.note(
            "By the comprehensive evaluation the grade is {grade}. {why}",
            grade=own(fuzzy.grade),
            why=Plain(voice.told(fuzzy.why_not)),
        )


def _leaves(voice: Voice, found: Criteria, secret: str, *, short: bool) -> Iterator[Content]:
    every = [one for one in (*found.criteria, found.needed, found.audit) if one is not None]
    if short:
        rows = ((own_name(one, voice.language), _points(voice, one), voice.told(one.standing.value)) for one in every)
        yield from voice.grid("Criteria of {secret}", "Criterion|Points|Source", rows, secret=own(secret))
    else:
        yield from voice.grid(
            "Criteria and their indicators, with points and weight",
            "Criterion|Points|Source|Indicators",
            (
                (
                    own_name(one, voice.language),
                    _points(voice, one),
                    voice.told(one.standing.value),
                    _counted(voice, one),
                )
                for one in every
            ),
        )
        # Where each indicator comes from is a table of pages.
        yield from unprinted(
            voice.grid(
                "Criteria and their indicators",
                "No.|Criterion or indicator|Found|Points|Weight|Source|From",
                (row for one in every for row in _rows(voice, one)),
            )
        )
    unknown = [own_name(one, voice.language) for one in every if one.points is None]
    if unknown:
        yield voice.say("Not asked, or not known: {names}.", names=_listed(voice, unknown))
    missing = [
        own_name(leaf, voice.language)
        for one in every
        for leaf in one.leaves
        if one.points is not None and leaf.leaf in one.missing
    ]
    if missing:
        yield voice.say("Missing, and counted as the worst case: {names}.", names=_listed(voice, missing))


def _listed(voice: Voice, names: list[str]) -> Plain:
    return Plain(voice.language.say(", ").join(names))


def _points(voice: Voice, found: Criterion | CriterionLeaf) -> Cell:
    if found.points is None:
        said = voice.told(found.said) if isinstance(found, Criterion) else ""
        return said or NOTHING
    return voice.number(found.points, "value", interval=found.points, rounding=ROUND_FLOOR)


def _counted(voice: Voice, criterion: Criterion) -> Inline:
    """The indicators of which something is known and that count, one after the other."""
    said: list[Inline] = []
    for leaf in criterion.leaves:
        points = voice.maybe(leaf.points, "value", rounding=ROUND_FLOOR)
        if points is not None and leaf.weight:
            name, weight = Plain(own_name(leaf, voice.language)), voice.number(leaf, "weight", percent=True)
            said.append(voice.say("{name} {points} ({weight})", name=name, points=points, weight=weight))
    between = voice.language.say("; ")
    return tuple(part for one in said for part in (*one, between))[:-1] or (NOTHING,)


def _rows(voice: Voice, criterion: Criterion) -> Iterator[tuple[Cell, ...]]:
    """A line for the criterion, and one for each of its leaves."""
    points, standing = _points(voice, criterion), voice.told(criterion.standing.value)
    yield "", own_name(criterion, voice.language), "", points, "", standing, ""
    for leaf in criterion.leaves:
        yield (
            leaf.leaf,
            own_name(leaf, voice.language),
            voice.cell(leaf, "value", unit=leaf.unit),
            _points(voice, leaf),
            voice.number(leaf, "weight", percent=True) if leaf.weight else voice.say("not counted"),
            voice.told(leaf.standing.value),
            voice.told(leaf.source),
        )

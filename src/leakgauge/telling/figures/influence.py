"""An influence diagram, coloured by the states its nodes are in."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, pairwise
from statistics import fmean
from typing import Any

from leakgauge.artefacts.criteria import OverArcs
from leakgauge.assessment.diagram import Diagram
from leakgauge.languages import ENGLISH, Language
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import Figure, lines_of, position_in_percent

Place = tuple[int, float]
"""A column and a row."""
NODE_ROWS = 2.0
"""Rows that a node has to itself; a leaf, or an arc that passes, has one."""
_SIGNS = {frozenset({1}): "▲", frozenset({-1}): "▼", frozenset({1, -1}): "↕"}
_ROW, _LETTER, _LEADING, _NUMBER = 29, 11, 12.5, 20
_LEAVES, _GAP = 154, 34
_NARROWEST = 90
_SHADES = [0, 175]
"""The darkest state is still light enough for black letters."""


def influence_figure(over_arcs: OverArcs, diagram: Diagram, language: Language = ENGLISH) -> Figure:
    """The diagram from its leaves on the left to its value on the right, every node coloured by its expected state.

    Nodes of which nothing is known are white. What is said of a node, in its mark's ``aria-label``, starts with its key
    and a colon.
    """
    known = over_arcs.nodes
    score = language.say("not known") if over_arcs.score is None else f"{over_arcs.score:.3g}"
    places, ways, rows = layout(diagram)
    columns = max(column for column, _ in places.values())
    box = min(max((chart.WIDTH - 12 - _LEAVES) / columns - _GAP, _NARROWEST), _LEAVES)
    size = {"width": round(_LEAVES + columns * (box + _GAP)), "height": round(rows * _ROW)}
    signs = diagram.path_signs()
    nodes = [
        _box(
            key,
            f"{_SIGNS[frozenset(signs[key])]} {key} {name_of(diagram, key, language)}",
            None if key not in known else round(position_in_percent(known[key].states), 1),
            (_left(column, box), box if column else _LEAVES, row * _ROW),
            language,
        )
        for key, (column, row) in places.items()
    ]
    under = [
        language.say("Dashed: more of the one is less of the other. ▲ more is good, ▼ less is good, ↕ trade-off."),
        language.say("States from 0, very low, to 100, very high; white with ?: not known."),
        language.say("Score: {score}, the last state stretched to what the known leaves can attain.", score=score),
    ]
    spec = {
        "title": {"text": language.say("What leads to the protection effect"), "subtitle": under},
        **size,
        "view": {"stroke": None},
        "layer": [_arcs(diagram, ways, box, size), *_boxes(nodes, size)],
    }
    told = language.say(
        "{nodes} nodes from {leaves} leaves on the left to {value!s} on the right, which has a score of {score}; "
        "{missing} leaves are missing.",
        nodes=len(diagram.nodes),
        leaves=len(diagram.leaves),
        value=name_of(diagram, diagram.value, language),
        score=score,
        missing=sum(key not in known for key in diagram.leaves),
    )
    return Figure(spec, told)


def name_of(diagram: Diagram, key: str, language: Language) -> str:
    """The name of a node in a language."""
    node = diagram.nodes[key]
    return node.chinese or node.name if language.code == "zh" else node.name


def _left(column: int, box: float) -> float:
    return 0.0 if column == 0 else _LEAVES + _GAP + (column - 1) * (box + _GAP)


def _box(
    key: str, name: str, state: float | None, place: tuple[float, float, float], language: Language
) -> dict[str, Any]:
    left, width, middle = place
    lines = lines_of(name, width - _NUMBER - 8, _LETTER)
    half = max(len(lines) * _LEADING / 2 + 1.5, 9.5)
    shown = language.say("not known") if state is None else f"{state:.0f}"
    return {
        "key": key,
        "name": name,
        "lines": "\n".join(lines),
        "state": state,
        "shade": state or 0.0,
        "shown": "?" if state is None else shown,
        "said": f"{key}: {name}, {shown}",
        "left": left,
        "right": left + width,
        "top": middle - half,
        "bottom": middle + half,
        "middle": middle,
        # Of several lines the first stands where it is put.
        "first": middle - (len(lines) - 1) * _LEADING / 2,
    }


def _boxes(nodes: list[dict[str, Any]], size: Mapping[str, int]) -> list[dict[str, Any]]:
    """The boxes, the name and the state in each, and over them clear marks that alone are read out and take clicks."""
    edges = {
        "x": _across("left", size["width"]),
        "x2": {"field": "right"},
        "y": _down("top", size["height"]),
        "y2": {"field": "bottom"},
    }
    box = {"type": "rect", "cornerRadius": 3, "stroke": "#5b6770", "strokeWidth": 0.8, "aria": False}
    white = {"test": "datum.state === null", "value": "white"}
    fill = chart.quantitative("shade", condition=white, scale={"scheme": "blues", "domain": _SHADES}, legend=None)
    common = {"fontSize": _LETTER, "baseline": "middle", "lineBreak": "\n", "lineHeight": _LEADING}
    left = chart.text_mark(**common, align="left", dx=5, fontWeight="normal")
    right = chart.text_mark(**common, align="right", dx=-5, fontWeight="bold")
    words = [
        chart.layer(
            mark,
            nodes,
            x=_across(mark["align"], size["width"]),
            y=_down(height, size["height"]),
            text=chart.nominal(field),
        )
        for field, mark, height in (("lines", left, "first"), ("shown", right, "middle"))
    ]
    cover = {"type": "rect", "fill": "white", "fillOpacity": 0}
    return [chart.layer(box, nodes, **edges, fill=fill), *words, chart.layer(cover, nodes, **edges, **chart.SAID)]


def _arcs(diagram: Diagram, ways: list[list[Place]], box: float, size: Mapping[str, int]) -> dict[str, Any]:
    values = []
    for arc, way in zip(diagram.arcs, ways, strict=True):
        points = [(_left(at, box) + edge * (box if at else _LEAVES), row) for at, row in way for edge in (0, 1)][1:-1]
        values += [
            {
                "arc": f"{arc.source} → {arc.target}",
                "direction": "mirrored" if arc.mirrored else "same",
                "step": step,
                "across": across,
                "down": row * _ROW,
            }
            for step, (across, row) in enumerate(points)
        ]
    kinds = ["same", "mirrored"]
    colours = {"domain": kinds, "range": [chart.FAINT, chart.ALARM]}
    dashes = {"domain": kinds, "range": [[1, 0], [5, 3]]}
    return chart.layer(
        {"type": "line", "strokeWidth": 1.1, "opacity": 0.85},
        values,
        x=_across("across", size["width"]),
        y=_down("down", size["height"]),
        order=chart.quantitative("step"),
        detail=chart.nominal("arc"),
        stroke=chart.nominal("direction", legend=None, scale=colours),
        strokeDash=chart.nominal("direction", legend=None, scale=dashes),
        description={"field": "arc"},
    )


def _across(field: str, width: int) -> dict[str, Any]:
    return chart.quantitative(field, axis=None, scale={"domain": [0, width], "nice": False})


def _down(field: str, height: int) -> dict[str, Any]:
    return chart.quantitative(field, axis=None, scale={"domain": [0, height], "reverse": True, "nice": False})


def layout(diagram: Diagram) -> tuple[dict[str, Place], list[list[Place]], float]:
    """Where each node stands, for each arc the places it passes, its ends included, and how many rows there are.

    All leaves stand in the first column, every other node as far from the value as its longest way to it. An arc over
    several columns has a row of its own in each, so that it runs between boxes. Rows follow the middle of their
    neighbours, back and forth a few times, so that few arcs cross.
    """
    far: dict[str, int] = {}
    for key in reversed(diagram.order):
        far[key] = max((far[arc.target] + 1 for arc in diagram.arcs if arc.source == key), default=0)
    last = max(far.values())
    column: dict[object, int] = {key: 0 if key in diagram.leaves else last - far[key] for key in diagram.nodes}
    sizes: dict[object, float] = {key: 1.0 if key in diagram.leaves else NODE_ROWS for key in diagram.nodes}
    ways: list[list[object]] = []
    for arc in diagram.arcs:
        between = [(arc.source, arc.target, at) for at in range(column[arc.source] + 1, column[arc.target])]
        column |= {one: one[2] for one in between}
        sizes |= dict.fromkeys(between, 1.0)
        ways.append([arc.source, *between, arc.target])
    rows, most = _rows(column, sizes, ways)
    places = {one: (column[one], rows[one]) for one in column}
    return {key: places[key] for key in diagram.nodes}, [[places[one] for one in way] for way in ways], most


def _rows(
    column: Mapping[object, int], sizes: Mapping[object, float], ways: list[list[object]]
) -> tuple[dict[object, float], float]:
    steps = [step for way in ways for step in pairwise(way)]
    after = {one: [end for start, end in steps if start == one] for one in column}
    before = {one: [start for start, end in steps if end == one] for one in column}
    groups = [[one for one in column if column[one] == at] for at in range(max(column.values()) + 1)]
    most = max(sum(sizes[one] for one in group) for group in groups)
    rows: dict[object, float] = {}
    for group in groups:
        rows |= _evenly(group, sizes, most)
    for neighbours, order in [(after, groups[::-1]), (before, groups)] * 12:
        for group in order:
            middle = {one: fmean([rows[other] for other in neighbours[one]] or [rows[one]]) for one in group}
            group.sort(key=lambda one: (middle[one], rows[one]))
            rows |= _evenly(group, sizes, most)
    return rows, most


def _evenly(group: list[object], sizes: Mapping[object, float], most: float) -> dict[object, float]:
    """The middles of so many things spread over all rows, each with room for its size."""
    stretch = most / sum(sizes[one] for one in group)
    tops = accumulate((stretch * sizes[one] for one in group), initial=0.0)
    return {one: top + stretch * sizes[one] / 2 for one, top in zip(group, tops, strict=False)}

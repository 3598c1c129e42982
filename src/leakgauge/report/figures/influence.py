"""An influence diagram, coloured by the states its nodes are in."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from leakgauge.assessment.assessment import Assessment
from leakgauge.assessment.diagram import Diagram
from leakgauge.errors import OptionError
from leakgauge.report.figures.figure import Figure

WORDS = {
    "en": {
        "title": "What leads to the protection effect",
        "legend": "Dashed: more of the one is less of the other. ▲ more is good, ▼ less is good, ↕ trade-off.",
        "numbers": "States from 0, very low, to 100, very high. Score: {score:.3g}, the last one stretched to what the "
        "known leaves can attain.",
        "unknown": "not known",
        "told": "{nodes} nodes from {leaves} leaves on the left to {value} on the right, which has a score of "
        "{score:.3g}; {missing} leaves are missing.",
    },
    "zh": {
        "title": "保护效果的影响图",
        "legend": "虚线：前者越高，后者越低。▲ 越高越好，▼ 越低越好，↕ 权衡。",
        "numbers": "状态从 0（非常低）到 100（非常高）。得分 {score:.3g}：按已知指标可达到的范围换算。",
        "unknown": "未知",
        "told": "{nodes} 个节点，从左侧 {leaves} 个指标到右侧的{value}，得分 {score:.3g}；缺失 {missing} 个指标。",
    },
}
_SIGNS = {frozenset({1}): "▲", frozenset({-1}): "▼", frozenset({1, -1}): "↕"}
_WRITTEN = (("name", "left"), ("shown", "right"))
_ROW, _WIDTH, _GAP, _BOX = 25, 214, 90, 19
_SHADES = [0, 145]
"""The darkest state is still light enough for black letters."""

Place = tuple[int, float]
"""A column and a row."""


def influence_figure(assessment: Assessment, language: str = "en") -> Figure:
    """The diagram from its leaves on the left to its value on the right, every node coloured by its expected state.

    Nodes of which nothing is known are white.

    Args:
        assessment: whose nodes are drawn.
        language: of the names, ``en`` or ``zh``.

    Raises:
        OptionError: another language.
    """
    if language not in WORDS:
        raise OptionError("There are no names in {language!r}; use en or zh.", language=language)
    words, diagram = WORDS[language], assessment.diagram
    places, ways = layout(diagram)
    size = {
        "width": (max(column for column, _ in places.values()) + 1) * (_WIDTH + _GAP) - _GAP,
        "height": round((max(row for way in ways for _, row in way) + 1) * _ROW),
    }
    signs = diagram.path_signs()
    nodes = [_box(assessment, key, places[key], _SIGNS[frozenset(signs[key])], language) for key in places]
    under = [words["legend"], words["numbers"].format(score=assessment.score)]
    spec = {
        "title": {"text": words["title"], "subtitle": under, "subtitleFontSize": 12},
        **size,
        "view": {"stroke": None},
        "layer": [_arcs(diagram, ways, size), _boxes(nodes, size), *_texts(nodes, size)],
    }
    told = words["told"].format(
        nodes=len(nodes),
        leaves=len(diagram.leaves),
        value=_name(diagram, diagram.value, language),
        score=assessment.score,
        missing=len(assessment.missing),
    )
    return Figure(spec, told)


def layout(diagram: Diagram) -> tuple[dict[str, Place], list[list[Place]]]:
    """Where each node stands, and for each arc the places it passes, its ends included.

    All leaves stand in the first column, every other node as far from the value as its longest way to it. An arc over
    several columns has a row of its own in each, so that it runs between boxes. Rows follow the middle of their
    neighbours, back and forth a few times, so that few arcs cross.
    """
    far: dict[str, int] = {}
    for key in reversed(diagram.order):
        far[key] = max((far[arc.target] + 1 for arc in diagram.arcs if arc.source == key), default=0)
    last = max(far.values())
    column: dict[object, int] = {key: 0 if key in diagram.leaves else last - far[key] for key in diagram.nodes}
    ways: list[list[object]] = []
    for arc in diagram.arcs:
        between = [(arc.source, arc.target, at) for at in range(column[arc.source] + 1, column[arc.target])]
        column |= {one: one[2] for one in between}
        ways.append([arc.source, *between, arc.target])
    rows = _rows(column, ways)
    places = {one: (column[one], rows[one]) for one in column}
    return {key: places[key] for key in diagram.nodes}, [[places[one] for one in way] for way in ways]


def _rows(column: Mapping[object, int], ways: list[list[object]]) -> dict[object, float]:
    after: dict[object, list[object]] = {one: [] for one in column}
    before: dict[object, list[object]] = {one: [] for one in column}
    for way in ways:
        for one, other in pairwise(way):
            after[one].append(other)
            before[other].append(one)
    groups = [[one for one in column if column[one] == at] for at in range(max(column.values()) + 1)]
    most = max(map(len, groups))
    rows: dict[object, float] = {}
    for group in groups:
        rows |= _evenly(group, most)
    for turn in range(24):
        backwards = turn % 2 == 0
        neighbours = after if backwards else before
        for group in reversed(groups) if backwards else groups:
            middle = {one: _mean([rows[other] for other in neighbours[one]], rows[one]) for one in group}
            group.sort(key=lambda one: (middle[one], rows[one]))
            rows |= _evenly(group, most)
    return rows


def _evenly(group: list[object], most: int) -> dict[object, float]:
    """So many things spread over all rows."""
    step = most / len(group)
    return {one: (at + 0.5) * step - 0.5 for at, one in enumerate(group)}


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _box(assessment: Assessment, key: str, place: Place, sign: str, language: str) -> dict[str, Any]:
    known = key in assessment.nodes
    state = round(100 * assessment.position(key), 1) if known else None
    left, middle = place[0] * (_WIDTH + _GAP), (place[1] + 0.5) * _ROW
    return {
        "key": key,
        "name": f"{sign} {key} {_name(assessment.diagram, key, language)}",
        "state": state,
        "shade": state or 0.0,
        "shown": WORDS[language]["unknown"] if state is None else f"{state:.0f}",
        "left": left,
        "right": left + _WIDTH,
        "top": middle - _BOX / 2,
        "bottom": middle + _BOX / 2,
        "middle": middle,
    }


def _name(diagram: Diagram, key: str, language: str) -> str:
    node = diagram.nodes[key]
    return node.chinese or node.name if language == "zh" else node.name


def _boxes(nodes: list[dict[str, Any]], size: Mapping[str, int]) -> dict[str, Any]:
    return {
        "data": {"values": nodes},
        "mark": {"type": "rect", "cornerRadius": 3, "stroke": "#5b6770", "strokeWidth": 0.8},
        "encoding": {
            "x": _across("left", size["width"]),
            "x2": {"field": "right"},
            "y": _down("top", size["height"]),
            "y2": {"field": "bottom"},
            "fill": {
                "condition": {"test": "datum.state === null", "value": "white"},
                "field": "shade",
                "type": "quantitative",
                "scale": {"scheme": "blues", "domain": _SHADES},
                "legend": None,
            },
            "tooltip": [{"field": "name", "type": "nominal"}, {"field": "shown", "type": "nominal"}],
        },
    }


def _arcs(diagram: Diagram, ways: list[list[Place]], size: Mapping[str, int]) -> dict[str, Any]:
    values = []
    for arc, way in zip(diagram.arcs, ways, strict=True):
        points = [(at * (_WIDTH + _GAP) + edge, row) for at, row in way for edge in (0, _WIDTH)][1:-1]
        values += [
            {
                "arc": f"{arc.source} → {arc.target}",
                "direction": "mirrored" if arc.mirrored else "same",
                "step": step,
                "across": across,
                "down": (row + 0.5) * _ROW,
            }
            for step, (across, row) in enumerate(points)
        ]
    kinds = ["same", "mirrored"]
    return {
        "data": {"values": values},
        "mark": {"type": "line", "strokeWidth": 1.1, "opacity": 0.8},
        "encoding": {
            "x": _across("across", size["width"]),
            "y": _down("down", size["height"]),
            "order": {"field": "step", "type": "quantitative"},
            "detail": {"field": "arc", "type": "nominal"},
            "stroke": {
                "field": "direction",
                "type": "nominal",
                "scale": {"domain": kinds, "range": ["#7a868f", "#a33b20"]},
                "legend": None,
            },
            "strokeDash": {
                "field": "direction",
                "type": "nominal",
                "scale": {"domain": kinds, "range": [[1, 0], [5, 3]]},
                "legend": None,
            },
        },
    }


def _texts(nodes: list[dict[str, Any]], size: Mapping[str, int]) -> list[dict[str, Any]]:
    """The words in the boxes: the name, and the state on the right."""
    return [
        {
            "data": {"values": nodes},
            "mark": {
                "type": "text",
                "align": side,
                "dx": 6 if side == "left" else -6,
                "fontSize": 11,
                "baseline": "middle",
                "limit": _WIDTH - 40,
                "color": "#14191d",
            },
            "encoding": {
                "x": _across(side, size["width"]),
                "y": _down("middle", size["height"]),
                "text": {"field": field, "type": "nominal"},
            },
        }
        for field, side in _WRITTEN
    ]


def _across(field: str, width: int) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", "axis": None, "scale": {"domain": [0, width], "nice": False}}


def _down(field: str, height: int) -> dict[str, Any]:
    scale = {"domain": [0, height], "reverse": True, "nice": False}
    return {"field": field, "type": "quantitative", "axis": None, "scale": scale}

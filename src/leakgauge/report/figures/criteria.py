"""The criteria of a release, before and after."""

from __future__ import annotations

from typing import Any

from leakgauge.assessment.diagram import Diagram
from leakgauge.languages import ENGLISH, Language
from leakgauge.report.figures import chart
from leakgauge.report.figures.chart import Fields, Figure, position_in_percent
from leakgauge.report.figures.texts import ended, joined, lines_of, listed, named

_LABELS, _AREA, _BAR = 180, 520, 15


def criteria_figure(
    before: Fields | None, assessment: Fields, diagram: Diagram, language: Language = ENGLISH
) -> Figure:
    """The nodes that lead straight to the value, from 0, very low, to 100, very high, before the release and after.

    They are those of ``before.json``, where there is one, and of ``assessment.json``.
    """
    sides = {} if before is None else {language.say("table as it is"): before["nodes"]}
    sides[language.say("release")] = assessment["nodes"]
    rows = [
        _row(name_of(diagram, arc.source, language), arc.mirrored, side, nodes.get(arc.source), language)
        for arc in diagram.into(diagram.value)
        for side, nodes in sides.items()
    ]
    scale = {"domain": list(sides), "range": [chart.LIGHT, chart.DARK][-len(sides) :]}
    fill = chart.nominal("side", scale=scale, legend={"orient": "bottom", "title": None})
    spec = {
        "title": {
            "text": language.say("The criteria before and after"),
            "subtitle": language.say("▲ more is good, ▼ less is good."),
        },
        "width": _AREA,
        "height": {"step": _BAR + 4, "for": "offset"},
        "data": {"values": rows},
        "encoding": {
            "x": chart.quantitative(
                "position",
                title=language.say("0 very low, 100 very high"),
                scale={"domain": [0, 108], "nice": False},
                axis={"values": [0, 20, 40, 60, 80, 100]},
            ),
            "y": chart.nominal(
                "criterion",
                sort=None,
                title=None,
                axis=chart.row_axis(_LABELS + 30),
                scale={"paddingInner": 0.35, "paddingOuter": 0.2},
            ),
            "yOffset": chart.nominal("side", sort=list(sides)),
        },
        "layer": [
            chart.layer({**chart.BAR, "height": _BAR}, fill=fill, **chart.SAID),
            chart.layer(chart.text_mark(align="left", dx=5), text=chart.nominal("number")),
        ],
    }
    return Figure(spec, joined(language, *(row["said"] for row in rows)))


def name_of(diagram: Diagram, key: str, language: Language) -> str:
    """The name of a node in a language."""
    node = diagram.nodes[key]
    return node.chinese or node.name if language.code == "zh" else node.name


def _row(name: str, mirrored: bool, side: str, node: Fields | None, language: Language) -> dict[str, Any]:
    position = None if node is None else position_in_percent(node["states"])
    number = language.say("not known") if position is None else f"{position:.1f}"
    return {
        "criterion": "\n".join(lines_of(f"{'▼' if mirrored else '▲'} {name}", _LABELS)),
        "side": side,
        "position": position or 0.0,
        "number": number,
        "said": ended(language, named(language, listed(language, name, side), number)),
    }

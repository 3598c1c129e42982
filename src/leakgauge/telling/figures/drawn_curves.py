"""The curves that a paper draws without printing its numbers, as we compute them: a panel for each of its figures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from leakgauge.artefacts.codec import sentence_of
from leakgauge.languages import ENGLISH, Language
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import Fields, Figure, joined, shown

_COLUMNS, _WIDTH, _HEIGHT = 3, 168, 150
"""Panels in a row, and the size of each in pixels."""


def drawn_curves_figure(name: str, curves: Sequence[Fields], language: Language = ENGLISH) -> Figure:
    """Panels from the ``curves`` of ``leakgauge/reproduction/1``; a curve in space has one for each axis but the first.

    Args:
        name: of the paper, as the command line has it.
        curves: those of one figure one after the other.
        language: of the words.
    """
    panels, told = [], []
    for number, found in groupby(curves, lambda curve: int(curve["figure"])):
        together = list(found)
        title = language.say("Figure {number}", number=number)
        first, *others = together[0]["axes"]
        panels += [_panel(title, together, at, language) for at in range(1, len(others) + 1)]
        axes = [language.retell(axis) for axis in (first, *others)]
        told.append(language.say("{figure}: {axes}.", figure=title, axes=language.listed(axes)))
    under = language.say("Computed again: the paper draws these curves without printing their numbers.")
    spec = {
        "title": chart.titled(language.say("The figures of {paper}", paper=name), under),
        "columns": _COLUMNS,
        "concat": panels,
    }
    return Figure(spec, joined(language, *told))


def _panel(title: str, curves: Sequence[Fields], at: int, language: Language) -> dict[str, Any]:
    """One number of the points over their first; each of several curves has its name at its first point."""
    across, up = (language.retell(curves[0]["axes"][axis]) for axis in (0, at))
    nice = {"zero": False, "nice": False}
    axes = {
        "x": chart.quantitative("across", title=across, scale=nice, axis={"tickCount": 5}),
        "y": chart.quantitative("up", title=up, scale={"nice": False}, axis={"tickCount": 5}),
    }
    layers = []
    for curve in curves:
        points = [
            {
                "across": float(point[0]),
                "up": float(point[at]),
                "said": f"{across} {shown(float(point[0]))}, {up} {shown(float(point[at]))}",
            }
            for point in curve["points"]
        ]
        layers.append(chart.layer({"type": "line", "color": chart.LINE}, points, **axes, **chart.SAID))
        if curve.get("label"):
            label = [{**points[0], "label": language.retell(sentence_of(curve["label"]))}]
            # The first is a white edge around the letters: a line that falls runs through its own name.
            layers += [
                chart.layer(chart.text_mark(align="right", dy=-7, **edge), label, **axes, text=chart.nominal("label"))
                for edge in ({"stroke": "white", "strokeWidth": 4}, {})
            ]
    heading = {"text": title, "fontSize": 13, "fontWeight": "normal", "offset": 8, "frame": "group"}
    return {"title": heading, "width": _WIDTH, "height": _HEIGHT, "layer": layers}

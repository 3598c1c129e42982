"""The criteria that explain the scores of a release, as bars from 0 to 100, each with its interval."""

from __future__ import annotations

from typing import Any

from leakgauge.artefacts.criteria import Criteria, Criterion, CriterionLeaf, PublishedLeaf
from leakgauge.artefacts.quantity import Quantity
from leakgauge.languages import ENGLISH, Language
from leakgauge.rounding import at_least
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import Figure, ended, joined, lines_of, named, width_of

_LABELS, _BAR = 210, 17
SEEN = 1.0
"""Points from which on an interval is wide enough to be seen."""


def criteria_figure(criteria: Criteria, language: Language = ENGLISH) -> Figure:
    """The criteria of one secret from 0 to 100, from top to bottom, the number of each to the right of all."""
    under = language.say("They do not affect the decision. Missing evidence counts as the worst case.")
    rows = [_row(one, language) for one in criteria.criteria]
    area = chart.WIDTH - _LABELS - 30 - max(width_of(row["number"]) for row in rows) - 16
    bar, fill = {**chart.BAR, "height": _BAR, "opacity": 0.85}, {"value": chart.DARK}
    wide = [row for row in rows if row["low"] is not None and row["high"] - row["low"] > SEEN]
    # White under the line, so that it is seen on the bar and beside it.
    lines = ({"strokeWidth": 5, "color": "white"}, {"strokeWidth": 2, "color": chart.INK}) if wide else ()
    ends = {"x": chart.quantitative("low"), "x2": {"field": "high"}}
    spec = {
        "title": {"text": language.say("The criteria"), "subtitle": [under]},
        "width": area,
        **chart.rows_of(rows, "name", chart.row_axis(_LABELS + 20), step=_BAR + 14),
        "layer": [
            chart.layer(bar, x=chart.of_a_hundred("value"), fill=fill, **chart.SAID),
            *(chart.layer({"type": "rule", "aria": False, **line}, wide, **ends) for line in lines),
            chart.layer(chart.text_mark(align="left"), x={"value": area + 10}, text=chart.nominal("number")),
        ],
    }
    return Figure(spec, joined(language, *(row["said"] for row in rows)))


def _row(criterion: Criterion, language: Language) -> dict[str, Any]:
    name, points = own_name(criterion, language), criterion.points
    low, high = (None if points is None else ends_of(points)) or (None, None)
    number = language.say("not known") if points is None else f"{at_least(points.value):.3g}"
    return {
        "name": "\n".join(lines_of(name, _LABELS)),
        "value": 0.0 if points is None else points.value,
        "low": low,
        "high": high,
        "number": number,
        "said": ended(language, named(language, name, number)),
    }


def own_name(node: Criterion | CriterionLeaf | PublishedLeaf, language: Language) -> str:
    """The name of a criterion or a leaf in a language."""
    return node.chinese or node.name if language.code == "zh" else node.name


def ends_of(quantity: Quantity) -> tuple[float, float] | None:
    """The interval of a quantity; None where it is exact."""
    return None if quantity.low is None or quantity.high is None else (quantity.low, quantity.high)

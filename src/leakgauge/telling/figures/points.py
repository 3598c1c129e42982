"""Numbers from 0 to 100 as bars, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leakgauge.artefacts.quantity import Quantity
from leakgauge.languages import Language
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import Figure
from leakgauge.telling.figures.texts import ended, joined, lines_of, named, width_of

_LABELS, _BAR = 210, 17
_SEEN = 1.0
"""Points from which on an interval is wide enough to be seen."""


@dataclass(frozen=True)
class Bar:
    """A number from 0 to 100.

    Attributes:
        ends: of its interval; None where it is exact, or not known.
        shown: the number in words, such as ``37.2 of 100``.
    """

    name: str
    value: float | None
    shown: str
    ends: tuple[float, float] | None = None


def ends_of(quantity: Quantity) -> tuple[float, float] | None:
    """The interval of a quantity; None where it is exact."""
    return None if quantity.low is None or quantity.high is None else (quantity.low, quantity.high)


def points_figure(title: str, under: Sequence[str], bars: Sequence[Bar], language: Language) -> Figure:
    """The bars from top to bottom, what each shows to the right of all."""
    rows = [_row(bar, language) for bar in bars]
    most = max(width_of(row["number"]) for row in rows)
    area = chart.WIDTH - _LABELS - 30 - most - 16
    across = chart.quantitative(
        "value",
        title=None,
        scale={"domain": [0, 100], "nice": False},
        axis={"values": [0, 20, 40, 60, 80, 100]},
    )
    fill = {"value": chart.DARK}
    spec = {
        "title": {"text": title, "subtitle": list(under)},
        "width": area,
        "height": {"step": _BAR + 14},
        "data": {"values": rows},
        "encoding": {"y": chart.nominal("name", sort=None, title=None, axis=chart.row_axis(_LABELS + 20))},
        "layer": [
            chart.layer({**chart.BAR, "height": _BAR, "opacity": 0.85}, x=across, fill=fill, **chart.SAID),
            *_intervals([row for row in rows if row["low"] is not None and row["high"] - row["low"] > _SEEN]),
            chart.layer(chart.text_mark(align="left"), x={"value": area + 10}, text=chart.nominal("number")),
        ],
    }
    return Figure(spec, joined(language, *(row["said"] for row in rows)))


def _row(bar: Bar, language: Language) -> dict[str, Any]:
    low, high = bar.ends or (None, None)
    return {
        "name": "\n".join(lines_of(bar.name, _LABELS)),
        "value": bar.value or 0.0,
        "low": low,
        "high": high,
        "number": bar.shown,
        "said": ended(language, named(language, bar.name, bar.shown)),
    }


def _intervals(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not rows:
        return []
    # White under the line, so that it is seen on the bar and beside it.
    marks = ({"strokeWidth": 5, "color": "white"}, {"strokeWidth": 2, "color": chart.INK})
    return [
        chart.layer({"type": "rule", "aria": False, **mark}, rows, x=chart.quantitative("low"), x2={"field": "high"})
        for mark in marks
    ]

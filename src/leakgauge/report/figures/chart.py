"""What charts are made of: colours, encodings, axes and columns of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WIDTH = 736
"""The widest drawing that fits a printed page with the room around it, in pixels."""
DARK, MIDDLE, LIGHT = "#1b3a57", "#dd8a35", "#e4eaef"
"""Three fills that differ in lightness, so that they differ in print and without colour vision."""
LINE, FAINT, ALARM = "#1f5fa8", "#76828b", "#a33b20"
"""Strokes: what is measured, what is beside it, what limits or alarms."""
INK = "#14191d"
BAR = {"type": "bar", "stroke": FAINT, "strokeWidth": 0.8}
SAID = {"description": {"field": "said"}, "tooltip": {"field": "said"}}
"""What is told of a mark, to those who cannot see it and to those who point at it."""


def nominal(field: str, **more: Any) -> dict[str, Any]:
    """An encoding by names."""
    return {"field": field, "type": "nominal", **more}


def quantitative(field: str, **more: Any) -> dict[str, Any]:
    """An encoding by numbers."""
    return {"field": field, "type": "quantitative", **more}


def text_mark(**more: Any) -> dict[str, Any]:
    """Letters that are not read out: another mark says what they say."""
    return {"type": "text", "aria": False, **more}


def number_columns(
    heads: Mapping[str, str], start: int, width: int, *, bold: str = "", color: str = INK
) -> list[dict[str, Any]]:
    """Numbers in columns to the right of a chart, those of ``<name>_written`` under the head of each name."""
    layers: list[dict[str, Any]] = []
    for at, (name, said) in enumerate(heads.items(), 1):
        right = {"value": start + width * at}
        layers += [
            {
                "mark": text_mark(align="right", fontWeight="bold" if name == bold else "normal"),
                "encoding": {"x": right, "text": nominal(f"{name}_written")},
            },
            {
                "data": {"values": [{"head": said}]},
                "mark": text_mark(align="right", color=color),
                "encoding": {"x": right, "y": {"value": -9}, "text": nominal("head")},
            },
        ]
    return layers


def row_axis(longest: float) -> dict[str, Any]:
    """The axis of rows with long names, which ``lines_of`` broke; each name in the middle of its row."""
    return {
        "labelExpr": "split(datum.label, '\\n')",
        "labelOffset": {
            "condition": [
                {"test": f"length(split(datum.value, '\\n')) === {lines}", "value": -7 * (lines - 1)}
                for lines in (2, 3, 4)
            ],
            "value": 0,
        },
        "labelLimit": longest,
        "domain": False,
        "ticks": False,
        "labelPadding": 8,
    }

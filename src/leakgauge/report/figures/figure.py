"""A chart as data, and its picture."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leakgauge.report.visible import visible

WIDTH = 736
"""The widest drawing that fits a printed page with the room around it, in pixels."""
DARK, MIDDLE, LIGHT = "#1b3a57", "#dd8a35", "#e4eaef"
"""Three fills that differ in lightness, so that they differ in print and without colour vision."""
LINE, FAINT, ALARM = "#1f5fa8", "#76828b", "#a33b20"
"""Strokes: what is measured, what is beside it, what limits or alarms."""
INK = "#14191d"

_CONFIG = {
    "axis": {
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": "#e8ecef",
        "labelFlush": False,
    },
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "symbolOpacity": 1},
    "text": {"fontSize": 12, "color": INK},
    "title": {
        "fontSize": 15,
        "subtitleFontSize": 12,
        "subtitleColor": "#3a444c",
        "subtitlePadding": 5,
        "anchor": "start",
        "frame": "bounds",
        "offset": 10,
    },
    "view": {"stroke": "#d3dade"},
}
_FONT = "Arial, Helvetica, Liberation Sans, sans-serif"
"""Widths are those of Arial; other fonts are wider, so that letters may stand out of the frame: they are not cut."""
_PADDING = {"left": 22, "right": 12, "top": 5, "bottom": 5}
"""Room on the left, where labels end at the axis: a wider font needs it."""
_FONTS = "Noto Sans CJK SC, Source Han Sans SC, PingFang SC, Microsoft YaHei"
_CHINESE = re.compile("[\u4e00-\u9fff]")


@dataclass(frozen=True)
class Figure:
    """A Vega-Lite chart with the words for those who cannot see it.

    Attributes:
        spec: the chart as data, its numbers included.
        told: what it shows, in a sentence or a few.
    """

    spec: Mapping[str, Any]
    told: str

    def __post_init__(self) -> None:
        # Names of columns and values are the user's: a sign that turns letters would turn those around it too.
        object.__setattr__(self, "spec", visible(self.spec))
        object.__setattr__(self, "told", visible(self.told))

    def to_svg(self) -> str:
        """The picture as SVG, drawn here, without a browser and without a network."""
        import vl_convert

        # What draws without a browser takes Chinese letters from any font unless one that has them comes first.
        chinese = _CHINESE.search(json.dumps(self.spec, ensure_ascii=False)) is not None
        config = {**_CONFIG, "font": f"{_FONTS}, {_FONT}" if chinese else _FONT}
        whole = {"background": "white", "padding": _PADDING, "config": config, **self.spec, "description": self.told}
        picture: str = vl_convert.vegalite_to_svg(whole)
        return picture.replace("<svg ", '<svg overflow="visible" ', 1)


def figure_of_words(title: str, said: str) -> Figure:
    """What stands in the place of a chart that there are no data for."""
    spec = {
        "title": title,
        "width": 600,
        "height": 40,
        "view": {"stroke": None},
        "data": {"values": [{"said": said}]},
        "mark": {"type": "text", "align": "left", "fontSize": 13},
        "encoding": {"x": {"value": 0}, "y": {"value": 16}, "text": {"field": "said", "type": "nominal"}},
    }
    return Figure(spec, said)

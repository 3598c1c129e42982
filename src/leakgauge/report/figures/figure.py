"""A chart as data, its picture, and numbers as artefacts store them and pictures write them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leakgauge.report.figures import chart
from leakgauge.report.visible import visible

Fields = Mapping[str, Any]
"""The parsed JSON of an artefact, or a part of it; or a part of a chart."""

_CONFIG = {
    "axis": {
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": "#e8ecef",
        "labelFlush": False,
    },
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "symbolOpacity": 1},
    "text": {"fontSize": 12, "color": chart.INK},
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
    """A Vega-Lite chart with its numbers, and in words for those who cannot see it."""

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


def value_of(fields: Fields, name: str) -> float | None:
    """The value of a stored quantity, infinite where the file says so; None where there is none."""
    found = fields.get(name)
    number = found.get("value") if isinstance(found, Mapping) else found
    return None if number is None else float(number)


def interval_of(fields: Fields, name: str) -> tuple[float | None, float | None]:
    """The ends of a stored quantity's interval; None where it has none."""
    low, high = (None if fields[name].get(end) is None else float(fields[name][end]) for end in ("low", "high"))
    return low, high


def shown(value: float) -> str:
    """A number with four digits that count; the same in every language."""
    return f"{value:.4g}" if math.isfinite(value) else "∞" if value > 0 else "−∞"


def position_in_percent(states: Sequence[float]) -> float:
    """Where the mean of a distribution over states lies between the lowest, 0, and the highest, 100."""
    return 100 * math.fsum(at * share for at, share in enumerate(states)) / (len(states) - 1)

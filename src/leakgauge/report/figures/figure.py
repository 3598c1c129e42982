"""A chart as data, and its picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_STYLE = {
    "background": "white",
    "config": {
        "font": "sans-serif",
        "axis": {"labelFontSize": 12, "titleFontSize": 13},
        "title": {"fontSize": 15, "anchor": "start"},
    },
}


@dataclass(frozen=True)
class Figure:
    """A Vega-Lite chart with the words for those who cannot see it.

    Attributes:
        spec: the chart as data, its numbers included.
        told: what it shows, in a sentence.
    """

    spec: Mapping[str, Any]
    told: str

    def to_svg(self) -> str:
        """The picture as SVG, drawn here, without a browser and without a network."""
        import vl_convert

        picture: str = vl_convert.vegalite_to_svg({**_STYLE, **self.spec, "description": self.told})
        return picture

"""What charts are made of: the figure, its colours, encodings, axes and numbers, and texts that fit."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from leakgauge.languages import Language
from leakgauge.visible import visible

Fields = Mapping[str, Any]
"""The parsed JSON of an artefact, or a part of it; or a part of a chart."""
WIDTH = 736
"""The widest drawing that fits a printed page with the room around it, in pixels."""
NARROW = 300
"""The widest that fits a telephone of 360 pixels with the room around it."""
DARK, MIDDLE, LIGHT = "#1b3a57", "#dd8a35", "#e4eaef"
"""Three fills that differ in lightness, so that they differ in print and without colour vision."""
LINE, FAINT, ALARM = "#1f5fa8", "#76828b", "#a33b20"
"""Strokes: what is measured, what is beside it, what limits or alarms."""
INK = "#14191d"
BAR = {"type": "bar", "stroke": FAINT, "strokeWidth": 0.8}
SAID = {"description": {"field": "said"}, "tooltip": {"field": "said"}}
"""What is told of a mark, to those who cannot see it and to those who point at it."""
_TITLE = 15
_FONT = "Arial, Helvetica, Liberation Sans, sans-serif"
"""Widths are those of Arial; other fonts are wider, so that letters may stand out of the frame: they are not cut."""
_CONFIG = {
    "font": _FONT,
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
        "fontSize": _TITLE,
        "subtitleFontSize": 12,
        "subtitleColor": "#3a444c",
        "subtitlePadding": 5,
        "anchor": "start",
        "frame": "bounds",
        "offset": 10,
    },
    "view": {"stroke": "#d3dade"},
}
_PADDING = {"left": 22, "right": 12, "top": 5, "bottom": 5}
"""Room on the left, where labels end at the axis: a wider font needs it."""
_FONTS = "Noto Sans CJK SC, Source Han Sans SC, PingFang SC, Microsoft YaHei"
_CHINESE = re.compile("[\u4e00-\u9fff]")
_ID = re.compile(r'(\bid="|url\(#|href="#)(\w+)')
_KEPT = 64
"""Pictures that are not drawn again: a report is shown in editions and languages, one after the other."""


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
        whole = {"background": "white", "padding": _PADDING, "config": _CONFIG, **self.spec, "description": self.told}
        return _drawn(json.dumps(whole, ensure_ascii=False))


@lru_cache(maxsize=_KEPT)
def _drawn(chart: str) -> str:
    import vl_convert

    # Ids are counted over all pictures drawn before; counted in each, one chart is one text.
    ids: dict[str, str] = {}
    picture: str = _ID.sub(
        lambda found: found[1] + ids.setdefault(found[2], f"id{len(ids)}"), vl_convert.vegalite_to_svg(chart)
    )
    if _CHINESE.search(chart):
        # What draws without a browser takes Chinese letters from any font unless one that has them comes first. They
        # are named only now: letters are as wide without, and to measure every text in so large a font takes long.
        picture = picture.replace(f'font-family="{_FONT}"', f'font-family="{_FONTS}, {_FONT}"')
    return picture.replace("<svg ", '<svg overflow="visible" ', 1)


def titled(text: str, *under: str, width: float = WIDTH, **more: Any) -> dict[str, Any]:
    """A title, and below it sentences, all in lines of the drawing's width."""
    lines = [line for one in under for line in lines_of(one, width - 40)]
    # Letters of a title are bold.
    return {"text": lines_of(text, 0.9 * width - 40, _TITLE), "subtitle": lines, **more}


def legend_below(width: float, **more: Any) -> dict[str, Any]:
    """A legend below a drawing, an entry under the other; long ones were broken by ``wrapped``."""
    split = {"labelExpr": "split(datum.label, '\\n')"}
    return {"orient": "bottom", "columns": 1, "title": None, "labelLimit": width, **split, **more}


def wrapped(text: str, width: float) -> str:
    """The text with a line break where a line of the width ends."""
    return "\n".join(lines_of(text, width))


def rows_of(
    values: Sequence[Fields], field: str, axis: Fields, sort: Sequence[str] | None = None, step: float | Fields = 24
) -> dict[str, Any]:
    """Values that stand in rows, by the name of each in a field."""
    return {
        "height": step if isinstance(step, Mapping) else {"step": step},
        "data": {"values": values},
        "encoding": {"y": nominal(field, sort=sort, title=None, axis=axis)},
    }


def of_a_hundred(field: str, title: str | None = None) -> dict[str, Any]:
    """An encoding by numbers from 0 to 100."""
    scale, axis = {"domain": [0, 100], "nice": False}, {"values": [0, 20, 40, 60, 80, 100]}
    return quantitative(field, title=title, scale=scale, axis=axis)


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


def shown(value: float) -> str:
    """A number with three digits that count; the same in every language."""
    return f"{value:.3g}" if math.isfinite(value) else "∞" if value > 0 else "−∞"


def position_in_percent(states: Sequence[float]) -> float:
    """Where the mean of a distribution over states lies between the lowest, 0, and the highest, 100."""
    return 100 * math.fsum(at * share for at, share in enumerate(states)) / (len(states) - 1)


def nominal(field: str, **more: Any) -> dict[str, Any]:
    """An encoding by names."""
    return {"field": field, "type": "nominal", **more}


def quantitative(field: str, **more: Any) -> dict[str, Any]:
    """An encoding by numbers."""
    return {"field": field, "type": "quantitative", **more}


def layer(mark: Mapping[str, Any], values: Any = None, **encoding: Any) -> dict[str, Any]:
    """Marks of one kind, of the values given or of those of the whole chart."""
    return {**({} if values is None else {"data": {"values": values}}), "mark": mark, "encoding": encoding}


def text_mark(**more: Any) -> dict[str, Any]:
    """Text that is not read out, because another mark has the same words."""
    return {"type": "text", "aria": False, **more}


def number_columns(
    heads: Mapping[str, str], start: int, width: int, *, bold: str = "", color: str = INK
) -> list[dict[str, Any]]:
    """Numbers in columns to the right of a chart, those of ``<name>_written`` under the head of each name."""
    layers: list[dict[str, Any]] = []
    for at, (name, said) in enumerate(heads.items(), 1):
        right = {"value": start + width * at}
        number = text_mark(align="right", fontWeight="bold" if name == bold else "normal")
        head = text_mark(align="right", color=color)
        layers += [
            layer(number, x=right, text=nominal(f"{name}_written")),
            layer(head, [{"head": said}], x=right, y={"value": -9}, text=nominal("head")),
        ]
    return layers


def domain_with_room(bars: Sequence[tuple[float, str]], area: float) -> float:
    """Where an axis from 0 ends so that each bar has room for the text after it, in an area of so many pixels."""
    return max(end * area / max(area - width_of(text) - 14, 1.0) for end, text in bars) or 1.0


def row_step(names: Iterable[str], least: int) -> dict[str, Any]:
    """The height of rows in which the name with most lines fits, and at least so many pixels."""
    return {"step": max(least, 14 * max(name.count("\n") + 1 for name in names) + 6)}


def row_axis(longest: float, room: float = 0) -> dict[str, Any]:
    """The axis of rows with long names, which ``lines_of`` broke; each name in the middle of its row.

    ``room`` is what the names take by ``width_of``: what draws may take them for narrower than a browser shows them.
    """
    return {
        "minExtent": room,
        "labelExpr": "split(datum.label, '\\n')",
        "labelOffset": {
            "condition": [
                {"test": f"length(split(datum.value, '\\n')) === {lines}", "value": -7 * (lines - 1)}
                for lines in (2, 3, 4, 5)
            ],
            "value": 0,
        },
        "labelLimit": longest,
        "domain": False,
        "ticks": False,
        "labelPadding": 8,
    }


_PIECES = re.compile(r"[(\[（《]*[⺀-￯][)\]）》、，。；：]*|[^\s⺀-￯]+\s*|\s+")
_LONG_PIECES = re.compile(r"[^-_:,;/=|]+[-_:,;/=|]*|[-_:,;/=|]+")


_NARROW, _WIDE = set("ijlt f|.,:;'!()[]-r"), set("mwMW%@▲▼↕")


def width_of(text: str, size: float = 12) -> float:
    """About how wide a text is, in pixels, rather more than less: fonts differ from machine to machine."""
    return size * sum(map(_letter, text))


def _letter(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if letter in _WIDE:
        return 0.9
    return 0.33 if letter in _NARROW else 0.74 if letter.isupper() else 0.59


def lines_of(text: str, width: float, size: float = 12) -> list[str]:
    """The text in lines of at most a width: broken at blanks, between Chinese letters, and in long names at signs."""
    made = [""]
    for piece in _pieces(text, width, size):
        if made[-1] and width_of((made[-1] + piece).rstrip(), size) > width:
            made.append("")
        made[-1] += piece
    return [line.strip() for line in made]


def _pieces(text: str, width: float, size: float) -> list[str]:
    found = []
    for piece in _PIECES.findall(text):
        if width_of(piece.rstrip(), size) <= 0.7 * width:
            found.append(piece)
            continue
        for part in _LONG_PIECES.findall(piece):
            if width_of(part.rstrip(), size) <= width:
                found.append(part)
                continue
            most = max(int(width / size / 0.6), 1)
            found += [part[at : at + most] for at in range(0, len(part), most)]
    return found


def shortened(text: str, width: float, size: float = 12) -> str:
    """The text with its middle left out where it is too wide: names often differ at their ends."""
    short, kept = text, len(text)
    while kept > 2 and width_of(short, size) > width:
        kept -= 1
        short = f"{text[: kept // 2]}…{text[len(text) - (kept - kept // 2) :]}"
    return short


def told_apart(names: Sequence[str]) -> list[str]:
    """The names, numbered where several look alike: marks of one name would lie on each other."""
    return [
        f"{name} ({names[:at].count(name) + 1})" if names.count(name) > 1 else name for at, name in enumerate(names)
    ]


def apart(wanted: Sequence[float], least: float, lowest: float, highest: float) -> list[float]:
    """Places as near as can be to those wanted, in their order, at least so far apart and from one end to the other.

    Less so many of the least distances, places must not fall: an isotonic regression.
    """
    from scipy.optimize import isotonic_regression

    order = np.argsort(wanted, kind="stable")
    steps = least * np.arange(len(order))
    nearest = isotonic_regression(np.asarray(wanted)[order] - steps).x if len(order) else steps
    places = np.empty(len(order))
    places[order] = np.clip(nearest, lowest, max(highest - least * (len(order) - 1), lowest)) + steps
    return [float(place) for place in places]


def joined(language: Language, *sentences: str) -> str:
    """Sentences one after the other; empty ones are left out."""
    return ("" if language.code == "zh" else " ").join(one for one in sentences if one)


def listed(language: Language, *things: str) -> str:
    """Words one after the other, with commas."""
    return ("，" if language.code == "zh" else ", ").join(things)


def clauses(language: Language, *things: str) -> str:
    """Things that may hold commas themselves, one after the other."""
    return ("；" if language.code == "zh" else "; ").join(things)


def named(language: Language, name: str, what: str) -> str:
    """A name, a colon, and what is said of it."""
    return f"{name}{'：' if language.code == 'zh' else ': '}{what}"


def ended(language: Language, text: str) -> str:
    """The text with a full stop."""
    return text + ("。" if language.code == "zh" else ".")

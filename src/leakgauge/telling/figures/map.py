"""A map of areas coloured by a value, with a scale bar, and traces over it; north is up."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np

from leakgauge.artefacts.location import MapShown
from leakgauge.languages import ENGLISH, Language, message
from leakgauge.rounding import rounded, written
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import Figure, joined, lines_of, named, width_of

_WIDE, _TALL, _NARROW = 560, 520, 360
"""Pixels of the largest map, and the least that legend and scale bar need."""
_READ_OUT = 150
"""Areas up to which each is named to those who cannot see it; of more the table beside the map reveals."""
_SHADES: Final = ("#f7f4c4", "#c7e9b4", "#7fcdbb", "#41a8c4", "#2c6fb0", "#25307a")
"""From few to many: they differ in lightness, in print and without colour vision too."""
_SKEWED = 8.0
"""Times the middle value that the largest may be for classes of equal width."""
_NICE = (1, 2, 5)
_PALE = 0.45
"""The fill of areas below traces."""


@dataclass(frozen=True)
class _Value:
    title: str
    caption: str
    legend: str
    nothing: str
    tell: Callable[[float], str]


def _share(part: float) -> str:
    """A share as a percentage with two digits that count: classes of a fine map lie far below a hundredth."""
    return f"{written(rounded(100 * part, 2))}%"


def metres(length: float) -> str:
    """A length for a person, in metres or kilometres.

    Example:
        >>> metres(87.4), metres(1234.5), metres(0.2)
        ('87.4 m', '1.23 km', '<1 m')
    """
    if 0 < length < 1:
        return "<1 m"
    return f"{written(rounded(length / 1000))} km" if length >= 1000 else f"{written(rounded(length))} m"


VALUES: Final[Mapping[str, _Value]] = {
    "prior": _Value(
        message("Where the points are"),
        message("The share of all points in each area, as the table has them."),
        message("share of all points"),
        message("white: no points"),
        _share,
    ),
    "released": _Value(
        message("Where the released places are"),
        message("The share of all released places in each area."),
        message("share of all releases"),
        message("white: never released"),
        _share,
    ),
    "error": _Value(
        message("How far off a tracker's guess is, by where a person is"),
        message("The mean error of somebody who knows how often each area is visited and sees one report."),
        message("mean distance between guess and truth"),
        message("white: no points"),
        metres,
    ),
    "risk": _Value(
        message("How often a tracker's guess is near, by where a person is"),
        message("The probability that the guess of such a tracker is near."),
        message("probability of a near guess"),
        message("white: no points"),
        _share,
    ),
}
"""What a map may show, by the name of its values in an artefact."""
_PATHS: Final[Mapping[str, tuple[str, Mapping[str, Any], str, str]]] = {
    "true": (message("true trace"), {}, "circle", chart.INK),
    "released": (message("released places"), {"strokeDash": [2, 4]}, "cross", "#a33b20"),
    "inferred": (message("tracker's guesses"), {"strokeDash": [8, 4]}, "triangle-up", "#7a2a8a"),
}
"""Traces differ by dashes and signs, and by colour only on top."""


def map_figure(shown: MapShown, value: str, language: Language = ENGLISH, *, few: str = "") -> Figure:
    """The areas of a map coloured by a value in six classes; its paths over them.

    Args:
        shown: the areas with their values.
        value: which of its values: prior, released, error or risk.
        few: a sentence below the title; none by default.
    """
    kind = VALUES[value]
    numbers = shown.values[value]
    scale = min(_WIDE / shown.width, _TALL / shown.height)
    wide, tall = shown.width * scale, shown.height * scale
    paths = {name: shown.paths[name] for name in _PATHS if shown.paths.get(name)}
    top = 22 * len(paths)
    breaks = _breaks([one for one in numbers if one is not None])
    across = max(wide, _NARROW)
    areas = _areas(shown, numbers, breaks, scale, tall + top, kind, language)
    legend, bottom = _legend(breaks, tall + top + 14, across, kind, language)
    if paths:
        # Paler, so that the traces stand out.
        for layer in (areas[0], legend[1]):
            layer["mark"] |= {"fillOpacity": _PALE}
    coarse = (
        language.say("{count} × {count} cells are drawn as one, so that they can be seen.", count=shown.merged)
        if shown.merged > 1
        else ""
    )
    under = joined(language, few, coarse)
    title: dict[str, Any] = {"text": language.say("One trace on the map") if paths else language.say(kind.title)}
    if under:
        title["subtitle"] = lines_of(under, across)
    spec = {
        "title": title,
        "width": across,
        "height": bottom,
        "view": {"stroke": None},
        "layer": [
            *areas,
            *_frame(wide, tall, top),
            *_traces(paths, scale, tall + top, language),
            *_bar(shown.width, scale, tall + top + 18, language),
            *legend,
        ],
        "encoding": {"x": _place("x", across), "y": _place("y", bottom, reverse=True)},
    }
    return Figure(spec, _told(shown, numbers, paths, kind, language))


def _place(field: str, size: float, **more: Any) -> dict[str, Any]:
    """Pixels as they are."""
    return chart.quantitative(field, axis=None, scale={"domain": [0, size], "nice": False, "zero": False, **more})


def _areas(
    shown: MapShown,
    numbers: Sequence[float | None],
    breaks: Sequence[float],
    scale: float,
    bottom: float,
    kind: _Value,
    language: Language,
) -> list[dict[str, Any]]:
    read_out = len(numbers) <= _READ_OUT
    mark = {"stroke": "#c3ccd3", "strokeWidth": 0.5, "aria": read_out}
    said = chart.SAID if read_out else {"tooltip": chart.SAID["tooltip"]}
    fill = {"field": "shade", "type": "nominal", "scale": None, "legend": None}
    rows: list[dict[str, Any]] = [
        {
            "shade": "#ffffff" if one is None else _SHADES[int(np.searchsorted(breaks, one, side="right"))],
            "said": language.say(kind.nothing) if one is None else kind.tell(one),
        }
        for one in numbers
    ]
    if shown.rows and shown.columns:
        columns = shown.columns
        side = (shown.width * scale / columns, shown.height * scale / shown.rows)
        for at, row in enumerate(rows):
            up, along = divmod(at, columns)
            row |= {"x": _pixel(along * side[0]), "x2": _pixel((along + 1) * side[0])}
            row |= {"y": _pixel(bottom - (up + 1) * side[1]), "y2": _pixel(bottom - up * side[1])}
        ends = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
        return [chart.layer({"type": "rect", **mark}, rows, fill=fill, **ends, **said)]
    shapes = [
        {
            "type": "Feature",
            "properties": row,
            "geometry": {
                "type": "MultiPolygon",
                "coordinates": [[[[_pixel(x * scale), _pixel(bottom - y * scale)] for x, y in ring]] for ring in rings],
            },
            **row,
        }
        for row, rings in zip(rows, shown.outlines, strict=True)
    ]
    # Outlines are in pixels already; the places of the other layers are not theirs.
    return [
        {
            "data": {"values": shapes},
            "projection": {"type": "identity", "scale": 1, "translate": [0, 0]},
            "mark": {"type": "geoshape", **mark, "stroke": "#7b8790"},
            "encoding": {"x": None, "y": None, "fill": fill, **said},
        }
    ]


def _pixel(length: float) -> float:
    return round(length, 2)


def _breaks(numbers: Sequence[float]) -> list[float]:
    """Where classes meet: of equal width, or each a multiple of the one before where a few values are far larger."""
    positive = np.array([one for one in numbers if one > 0])
    if not positive.size or positive.max() - positive.min() <= 1e-9 * positive.max():
        return []
    high, middle, classes = float(positive.max()), float(np.median(positive)), len(_SHADES)
    low = float(positive.min())
    if high > _SKEWED * middle:
        low = max(low, high / 1000)
        edges = [low * (high / low) ** (at / classes) for at in range(1, classes)]
    else:
        edges = [low + (high - low) * at / classes for at in range(1, classes)]
    return sorted({float(rounded(edge, 2)) for edge in edges})


def _legend(
    breaks: Sequence[float], top: float, across: float, kind: _Value, language: Language
) -> tuple[list[dict[str, Any]], float]:
    """Swatches with their classes below the map, and where they end."""
    names = [language.say("up to {end!s}", end=kind.tell(breaks[0]))] if breaks else [language.say("any")]
    names += [f"{kind.tell(low)} – {kind.tell(high)}" for low, high in pairwise(breaks)]
    names += [language.say("from {start!s}", start=kind.tell(breaks[-1]))] if breaks else []
    step = max(map(width_of, names)) + 34
    per_row = max(int(across // step), 1)
    head = {"x": 0.0, "y": top + 42, "name": f"{language.say(kind.legend)} ({language.say(kind.nothing)})"}
    rows: list[dict[str, Any]] = [
        {
            "x": at % per_row * step,
            "x2": at % per_row * step + 18,
            "y": top + 56 + at // per_row * 20,
            "y2": top + 68 + at // per_row * 20,
            "shade": shade,
            "name": name,
        }
        for at, (name, shade) in enumerate(zip(names, _SHADES, strict=False))
    ]
    fill = {"field": "shade", "type": "nominal", "scale": None, "legend": None}
    words = [{"x": row["x"] + 24, "y": (row["y"] + row["y2"]) / 2, "name": row["name"]} for row in rows]
    swatch = {"type": "rect", "stroke": chart.FAINT, "strokeWidth": 0.8, "aria": False}
    layers = [
        chart.layer(chart.text_mark(align="left"), [head, *words], text=chart.nominal("name")),
        chart.layer(swatch, rows, x2={"field": "x2"}, y2={"field": "y2"}, fill=fill),
    ]
    return layers, top + 62 + 20 * math.ceil(len(rows) / per_row)


def _frame(wide: float, tall: float, top: float) -> list[dict[str, Any]]:
    edge = [{"x": 0, "x2": wide, "y": top, "y2": top + tall}]
    mark = {"type": "rect", "fill": None, "stroke": chart.FAINT, "strokeWidth": 1, "aria": False}
    return [chart.layer(mark, edge, x2={"field": "x2"}, y2={"field": "y2"})]


def _bar(width: float, scale: float, below: float, language: Language) -> list[dict[str, Any]]:
    """The scale bar below the map at its left, and which way north is."""
    length = _nice(width * 0.35)
    pixels = length * scale
    line = [{"x": 1, "y": below, "x2": 1 + pixels, "y2": below}]
    ends = [{"x": x, "y": below - 4, "x2": x, "y2": below + 4} for x in (1, 1 + pixels)]
    words = [
        {"x": 9 + pixels, "y": below, "name": metres(length)},
        {"x": 9 + pixels + width_of(metres(length)) + 18, "y": below, "name": language.say("↑ north")},
    ]
    mark = {"type": "rule", "stroke": chart.INK, "strokeWidth": 2, "aria": False}
    return [
        chart.layer(mark, [*line, *ends], x2={"field": "x2"}, y2={"field": "y2"}),
        chart.layer(chart.text_mark(align="left"), words, text=chart.nominal("name")),
    ]


def _nice(most: float) -> float:
    """The longest of 1, 2 and 5 times a power of ten that is not above a length."""
    power = 10.0 ** math.floor(math.log10(most))
    return max(step * power for step in _NICE if step * power <= most)


def _traces(
    paths: Mapping[str, Sequence[Sequence[float]]], scale: float, bottom: float, language: Language
) -> list[dict[str, Any]]:
    layers = []
    for at, (name, path) in enumerate(paths.items()):
        said, dashes, sign, colour = _PATHS[name]
        # A few pixels apart, so that traces in the same areas do not hide each other.
        aside = 5 * (at - 1)
        points = [
            {"x": _pixel(x * scale + aside), "y": _pixel(bottom - y * scale + aside), "step": step}
            for step, (x, y) in enumerate(path)
        ]
        key = [{"x": 2, "y": 8 + 22 * at, "step": 0}, {"x": 34, "y": 8 + 22 * at, "step": 1}]
        words = [{"x": 42, "y": 8 + 22 * at, "name": language.say(said)}]
        order = {"field": "step", "type": "quantitative"}
        for data in (points, key):
            line = {"type": "line", "aria": False, "interpolate": "linear"}
            # White under the line, so that it is seen on dark areas too.
            layers.append(
                chart.layer({**line, "stroke": "white", "strokeWidth": 4.5, "opacity": 0.85}, data, order=order)
            )
            layers.append(chart.layer({**line, "stroke": colour, "strokeWidth": 1.8, **dashes}, data, order=order))
            mark = {"type": "point", "shape": sign, "filled": True, "size": 42, "opacity": 1, "aria": False}
            layers.append(chart.layer({**mark, "fill": colour, "stroke": "white", "strokeWidth": 0.7}, data))
        layers.append(chart.layer(chart.text_mark(align="left"), words, text=chart.nominal("name")))
    return layers


def _told(
    shown: MapShown,
    numbers: Sequence[float | None],
    paths: Mapping[str, Sequence[object]],
    kind: _Value,
    language: Language,
) -> str:
    known = [one for one in numbers if one is not None]
    size = language.say(
        "A map of {count} areas, {width!s} from west to east and {height!s} from south to north.",
        count=len(numbers),
        width=metres(shown.width),
        height=metres(shown.height),
    )
    if not known:
        return joined(language, size, language.say("It has no values."))
    ends = language.say(
        "{what!s}: from {low!s} to {high!s} in {count} areas.",
        what=language.say(kind.legend).capitalize(),
        low=kind.tell(min(known)),
        high=kind.tell(max(known)),
        count=len(known),
    )
    traces = [
        named(language, language.say(_PATHS[name][0]), language.say("{count} steps.", count=len(path)))
        for name, path in paths.items()
    ]
    return joined(language, size, ends, *traces)

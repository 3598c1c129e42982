"""The guarantee of a release in every notion."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from leakgauge.artefacts.quantity import Level
from leakgauge.artefacts.record import Claims
from leakgauge.languages import ENGLISH, Language, message
from leakgauge.rounding import at_most
from leakgauge.telling.blocks import unit_of
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import (
    Figure,
    clauses,
    figure_of_words,
    joined,
    lines_of,
    listed,
    named,
    shortened,
    shown,
    width_of,
)

NOTIONS = {
    "identifiability": message("identifiability"),
    "local-dp": message("local differential privacy"),
    "dp": message("differential privacy"),
    "approximate-dp": message("differential privacy at δ = {delta}"),
    "renyi-dp": message("Rényi differential privacy of order {order}"),
    "zcdp": message("zero-concentrated differential privacy, ρ"),
    "gaussian-dp": message("Gaussian differential privacy, μ"),
    "total-variation": message("total variation"),
    "metric-privacy": message("metric privacy"),
    "mutual-information": message("mutual-information privacy"),
    "mutual-information-dp": message("mutual-information differential privacy"),
    "maximal-leakage": message("maximal leakage"),
    "min-entropy-leakage": message("min-entropy leakage"),
    "sibson-leakage": message("Sibson leakage of order {order}"),
    "alpha-leakage": message("α-leakage of order {order}"),
}
"""What notions are called with their parameters."""
_UNITS = ("nats", "bits", "standard deviations", "probability", "nats per unit of distance")
_AREA, _LABELS = 450, 260


def levels_figure(claims: Mapping[str, Claims], language: Language = ENGLISH) -> Figure:
    """The level that a record claims in each notion, one axis per unit; the smaller, the more is protected."""
    rows = [
        _row(column, name, level, len(claims) > 1, language)
        for name in dict.fromkeys(name for claim in claims.values() for name in claim.levels)
        for column, claim in claims.items()
        if (level := claim.levels.get(name)) is not None
    ]
    title = language.say("The guarantee in every notion")
    if not rows:
        return figure_of_words(title, language.say("The record states no guarantee."))
    by_unit: dict[str, list[dict[str, Any]]] = {unit: [] for unit in _UNITS}
    for row in rows:
        by_unit.setdefault(row["unit"], []).append(row)
    under = language.say("The smaller the number, the stronger the protection.")
    if len(claims) == 1:
        under = language.say(
            "Column {column!s}. The smaller the number, the stronger the protection.",
            column=shortened(next(iter(claims)), 240),
        )
    # The axes of all units start at the same place.
    labels = 8 + max(width_of(line) for row in rows for line in row["notion"].split("\n"))
    spec = {
        "title": chart.titled(title, under),
        "spacing": 14,
        "vconcat": [_chart(group, unit, labels, language) for unit, group in by_unit.items() if group],
    }
    told = clauses(language, *(row["said"] for row in rows))
    return Figure(spec, joined(language, under, language.say("Levels: {levels}.", levels=told)))


def _row(column: str, name: str, level: Level, several: bool, language: Language) -> dict[str, Any]:
    value, unit = level.value, level.unit
    given = {"delta": level.delta, "order": level.order}
    parameters = {key: shown(one) for key, one in given.items() if one is not None}
    notion = language.say(NOTIONS.get(name, name), **parameters)
    number = shown(at_most(value))
    said = named(language, notion, f"{number} {unit_of(unit, language)}".rstrip())
    return {
        "notion": "\n".join(
            lines_of(listed(language, notion, shortened(column, _LABELS)) if several else notion, _LABELS)
        ),
        "column": column,
        "unit": unit,
        # An infinite level has no bar, and a sign in its place.
        "level": value if math.isfinite(value) else 0.0,
        "number": number,
        "said": listed(language, column, said) if several else said,
    }


def _chart(rows: list[dict[str, Any]], unit: str, labels: float, language: Language) -> dict[str, Any]:
    notions = list(dict.fromkeys(row["notion"] for row in rows))
    most = max(row["level"] for row in rows) or 1.0
    # Beyond the longest bar there must be room for its number.
    scale = {"domain": [0, most * 1.25], "nice": False}
    x = chart.quantitative(
        "level", title=unit_of(unit, language) or language.say("level"), scale=scale, axis={"tickCount": 6}
    )
    axis = {**chart.row_axis(_LABELS + 30, labels), "maxExtent": labels}
    return {
        "data": {"values": rows},
        "width": _AREA,
        "height": chart.row_step(notions, 32),
        "encoding": {"x": x, "y": chart.nominal("notion", sort=notions, title=None, axis=axis)},
        "layer": [
            chart.layer(
                {"type": "bar", "color": chart.LINE if unit == "nats" else chart.DARK, "height": 13}, **chart.SAID
            ),
            chart.layer(chart.text_mark(align="left", dx=5), text=chart.nominal("number")),
        ],
    }

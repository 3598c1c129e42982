"""Which columns reveal most about a secret."""

from __future__ import annotations

from typing import Any

from leakgauge.artefacts.survey import Survey, SurveyedColumn, Told
from leakgauge.languages import ENGLISH, Language
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import (
    Figure,
    clauses,
    ended,
    figure_of_words,
    joined,
    named,
    shortened,
    told_apart,
    width_of,
)

MOST = 20
"""Columns that are drawn at most; the rest is counted."""
_LABELS = 200


def telling_figure(survey: Survey, secret: str, language: Language = ENGLISH) -> Figure:
    """The bits of a secret that each column of a survey reveals by itself, the most revealing first.

    Columns that identify people are marked. If a column has too many values to count, the bar is the lower bound and
    the line reaches to the upper one.
    """
    title = language.say("What each column reveals about {secret}", secret=shortened(secret, 350, 15))
    found = [
        (column, told)
        for column in survey.columns
        for told in column.tells
        if told.secret == secret and column.name != secret
    ]
    if not found:
        return figure_of_words(title, language.say("No other column was examined."))
    ranked = sorted(found, key=lambda one: -one[1].information.ends[1])
    names = told_apart([shortened(column.name, _LABELS) for column, _ in ranked[:MOST]])
    rows = [_row(name, column, told, language) for name, (column, told) in zip(names, ranked, strict=False)]
    under = [language.say("Bits of the secret that each column reveals by itself; the thin line is the interval.")]
    if any(row["bracket"] for row in rows):
        under.append(
            language.say("Columns with too many values to count have two bounds: the bar and the end of the line.")
        )
    if any(row["identifier"] for row in rows):
        under.append(language.say("White bars: columns that identify people, and so reveal everything."))
    if len(ranked) > MOST:
        under.append(language.say("Columns that reveal less and are not shown: {count:d}.", count=len(ranked) - MOST))
    labels = min(max(map(width_of, names)) + 8, _LABELS + 30)
    area = chart.WIDTH - 44 - labels
    most = chart.domain_with_room([(row["high"], row["number"]) for row in rows], area)
    x = chart.quantitative("bits", title=language.say("bits"), scale={"domain": [0, most], "nice": False})
    fill = {"condition": {"test": "datum.identifier", "value": "white"}, "value": chart.DARK}
    interval = {"type": "rule", "strokeWidth": 2, "color": chart.MIDDLE, "aria": False}
    spec = {
        "title": chart.titled(title, *under),
        "width": area,
        **chart.rows_of(rows, "column", chart.row_axis(_LABELS + 30, labels)),
        "layer": [
            chart.layer({**chart.BAR, "height": 13, "stroke": chart.INK}, x=x, fill=fill, **chart.SAID),
            chart.layer(interval, x={**x, "field": "low"}, x2={"field": "high"}),
            chart.layer(chart.text_mark(align="left", dx=6), x={**x, "field": "high"}, text=chart.nominal("number")),
        ],
    }
    told = clauses(language, *(row["said"] for row in rows))
    return Figure(spec, joined(language, *under, ended(language, told)))


def _row(name: str, column: SurveyedColumn, told: Told, language: Language) -> dict[str, Any]:
    bits, (low, high) = told.information.value, told.information.ends
    identifier = column.identifier is not None
    # What could not be counted has the unfavourable end as its value.
    bracket = not identifier and low < bits == high
    if not told.significant:
        number = language.say("no more than chance")
    elif bracket:
        number = language.say("at least {low}, at most {high}", low=f"{low:.3g}", high=f"{high:.3g}")
    else:
        number = f"{bits:.3g}"
    if identifier:
        number = language.say("{bits}, identifies people", bits=number)
    return {
        "column": name,
        "bits": low if bracket else bits,
        "low": low,
        "high": max(high, bits),
        "identifier": identifier,
        "bracket": bracket,
        "number": number,
        "said": named(language, name, number),
    }

"""How often each value occurs, before the release and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leakgauge.artefacts.measurement import ValueShares
from leakgauge.languages import ENGLISH, Language
from leakgauge.probability import Distribution, Label
from leakgauge.probability.labels import text_of
from leakgauge.rounding import percent
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import (
    Fields,
    Figure,
    ended,
    joined,
    listed,
    named,
    shortened,
    told_apart,
    width_of,
)

_LABELS, _BAR = 200, 13
_NEVER = 1e-9
"""What is released less often than this is never seen."""


def shares_figure(shares: Sequence[ValueShares], language: Language = ENGLISH, *, width: int = chart.WIDTH) -> Figure:
    """The shares of the values in the table and in a release by its law, the most frequent first, side by side.

    Those that everybody may know are rounded, and of the table alone.
    Values that are never released are marked.
    """
    title = language.say("Shares before and after")
    under = language.say("Share of rows with each value: in the original table, and expected in the release.")
    sides = {"table": language.say("original data"), "released": language.say("this release")}
    if any(one.released is None for one in shares):
        title = language.say("Shares in the table")
        under = language.say("Share of rows with each value, rounded so that no count can be computed.")
        del sides["released"]
    order = sorted(shares, key=lambda one: -one.table.value)
    called = told_apart([_name(one, language) for one in order])
    names = [chart.wrapped(one, min(_LABELS + 30, width // 3)) for one in called]
    rows = [
        {**_row(name, one, side, sides, language), "value": line}
        for name, line, one in zip(called, names, order, strict=True)
        for side in sides
    ]
    labels = min(max(width_of(line) for name in names for line in name.split("\n")) + 8, _LABELS + 30)
    most = max(row["share"] for row in rows)
    scale = {"domain": list(sides.values()), "range": [chart.LIGHT, chart.DARK]}
    fill = chart.nominal("side", scale=scale, sort=None, legend={"orient": "bottom", "title": None})
    colour = {"condition": {"test": "datum.lost", "value": chart.ALARM}, "value": chart.INK}
    spec = {
        "title": chart.titled(title, under, width=width),
        # Room on the right for what is said of the longest bar.
        "width": width - 44 - labels,
        "height": {"step": _BAR + 2, "for": "offset"},
        "data": {"values": rows},
        "encoding": {
            "x": chart.quantitative(
                "share",
                title=language.say("share of the rows"),
                scale={"domain": [0, 1.2 * most], "nice": False},
                # The room on the right may be that of more than all.
                axis={"format": "%", "labelExpr": "datum.value > 1 ? '' : datum.label"},
            ),
            "y": chart.nominal(
                "value",
                sort=None,
                title=None,
                axis=chart.row_axis(_LABELS + 30, labels),
                scale={"paddingInner": 0.3, "paddingOuter": 0.2},
            ),
            "yOffset": chart.nominal("side", sort=list(sides.values())),
        },
        "layer": [
            chart.layer({**chart.BAR, "height": _BAR}, fill=fill, **chart.SAID),
            chart.layer(chart.text_mark(align="left", dx=5), text=chart.nominal("number"), color=colour),
        ],
    }
    return Figure(spec, joined(language, *(row["said"] for row in rows)))


def prior_of(shares: Sequence[ValueShares], values: Sequence[Label]) -> Distribution | None:
    """The shares in the table as a law over the values that they name; None where they name others."""
    found = {one.value: one.table.value for one in shares}
    names = [
        tuple(None if part is None else text_of(part) for part in (one if isinstance(one, tuple) else (one,)))
        for one in values
    ]
    total = sum(found.get(name, 0.0) for name in names)
    # What is left out by rounding is no other value.
    if len({*names}) < len(names) or abs(total - 1) > 1e-6:
        return None
    return Distribution(values, [found.get(name, 0.0) / total for name in names])


def _name(one: ValueShares, language: Language) -> str:
    parts = [language.say("(missing)") if part is None else part or language.say("(empty)") for part in one.value]
    return shortened("|".join(parts), _LABELS)


def _row(name: str, one: ValueShares, side: str, sides: Fields, language: Language) -> dict[str, Any]:
    share = (one.released if side == "released" else one.table).value
    lost = side == "released" and share < _NEVER < one.table.value
    number = percent(share)
    return {
        "value": name,
        "side": sides[side],
        "share": share,
        "lost": lost,
        "number": language.say("never released") if lost else number,
        "said": ended(language, named(language, listed(language, name, sides[side]), number)),
    }

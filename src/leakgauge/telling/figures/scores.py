"""The three scores of a secret, for the unchanged table and for the release, and their limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from leakgauge.artefacts.quantity import Quantity
from leakgauge.artefacts.scores import SCORES, Scores
from leakgauge.artefacts.verdict import PolicyLine
from leakgauge.languages import ENGLISH, Language, message
from leakgauge.rounding import at_least, at_most
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import Fields, Figure, clauses, ended, joined, named, width_of
from leakgauge.telling.figures.criteria import SEEN, ends_of

NAMES: Final = {
    "protection": message("protection"),
    "surest": message("surest"),
    "usefulness": message("usefulness"),
}
"""What the scores are called."""
_NOTHING_KNOWN = (0.0, 100.0)
_LABELS, _STEP = 150, 27


def is_known(quantity: Quantity) -> bool:
    """Whether anything is known of a score."""
    return ends_of(quantity) != _NOTHING_KNOWN


def scores_figure(
    scores: Scores,
    policy: Sequence[PolicyLine],
    before: Mapping[str, float],
    language: Language = ENGLISH,
    *,
    width: int = chart.WIDTH,
) -> Figure:
    """The scores of one secret, with the lines of its policy that are about scores.

    Args:
        scores: of the release.
        policy: of the verdict.
        before: those of the unchanged table; one that has none there stands alone.
    """
    limits = {line.name.partition("_")[2]: line.limit for line in policy}
    labels = min(_LABELS, width // 4)
    rows = [_row(name, getattr(scores, name), before.get(name), limits.get(name), labels, language) for name in SCORES]
    sides = {"before": language.say("original data"), "value": language.say("this release")}
    ends = [
        {"name": row["name"], "side": said, "at": row[side], "said": row["said"]}
        for side, said in sides.items()
        for row in rows
        if row[side] is not None
    ]
    names, limited = [row["name"] for row in rows], [row for row in rows if row["limit"] is not None]
    tick = {"type": "tick", "thickness": 3, "size": _STEP - 5, "color": chart.ALARM, "aria": False}
    under = [
        language.say("Higher is better, except for “surest”. The thick band is the interval."),
        language.say("The vertical mark is the limit of the policy; the worse end of the band must meet it."),
    ]
    area = width - labels - 30 - max(width_of(row["number"]) for row in rows) - 16
    spec = {
        "title": chart.titled(language.say("The scores, before and after"), *under, width=width),
        "width": area,
        **chart.rows_of(rows, "name", chart.row_axis(labels + 20), names, chart.row_step(names, _STEP)),
        "layer": [
            *_lines(rows),
            *([chart.layer(tick, limited, x=chart.quantitative("limit"))] if limited else []),
            chart.layer(
                {"type": "point", "opacity": 1, "strokeWidth": 1.6, "size": 110},
                ends,
                x=chart.of_a_hundred("at"),
                stroke=_by_side(sides, chart.DARK, chart.DARK),
                fill=_by_side(sides, "white", chart.DARK),
                shape=_by_side(sides, "circle", "diamond"),
                **chart.SAID,
            ),
            chart.layer(chart.text_mark(align="left"), x={"value": area + 12}, text=chart.nominal("number")),
        ],
    }
    return Figure(spec, joined(language, *(row["said"] for row in rows)))


def _by_side(sides: Mapping[str, str], before: str, after: str) -> dict[str, Any]:
    """Hollow circles before and full diamonds after, which differ without colour."""
    scale = {"domain": list(sides.values()), "range": [before, after]}
    return chart.nominal("side", scale=scale, legend={"orient": "bottom", "title": None, "symbolSize": 110})


def _row(
    name: str, score: Quantity, before: float | None, limit: float | None, labels: float, language: Language
) -> dict[str, Any]:
    surest, known = name == "surest", is_known(score)
    called = language.say(NAMES[name])
    called = language.say("{score!s} (lower is better)", score=called) if surest else called
    low, high = (ends_of(score) if known else None) or (None, None)
    value = score.value
    number = language.say("not known")
    if known:
        after = at_most(value) if surest else at_least(value)
        # What is rare must not read as what never happens.
        ends = ("<0.01" if 0 < one < 0.01 else f"{one:.3g}" for one in (before, after) if one is not None)
        number = " → ".join(ends)
    template = message("limit: at most {limit:.3g}") if surest else message("limit: at least {limit:.3g}")
    held = "" if limit is None else language.say(template, limit=limit)
    told = clauses(language, *(one for one in (number, held) if one))
    return {
        "name": chart.wrapped(called, labels),
        "before": before if known else None,
        "value": value if known else None,
        "low": low,
        "high": high,
        "limit": limit,
        "number": number,
        "said": ended(language, named(language, called, told)),
    }


def _lines(rows: Sequence[Fields]) -> list[dict[str, Any]]:
    """From before to after, and over it the interval where it is wide enough to be seen."""

    def line(start: str, end: str, some: list[Fields], **mark: Any) -> dict[str, Any]:
        return chart.layer(
            {"type": "rule", "aria": False, **mark}, some, x=chart.quantitative(start), x2={"field": end}
        )

    moved = [row for row in rows if row["before"] is not None]
    wide = [row for row in rows if row["low"] is not None and row["high"] - row["low"] > SEEN]
    made = [(line("before", "value", moved, strokeWidth=2.5, color=chart.FAINT), moved)]
    made.append((line("low", "high", wide, strokeWidth=9, color=chart.MIDDLE), wide))
    return [one for one, some in made if some]

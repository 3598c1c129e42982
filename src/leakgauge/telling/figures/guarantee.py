"""How sure a guess can become under a claim: it follows from ε alone, so everybody may see it."""

from __future__ import annotations

import math
from typing import Any

from leakgauge.languages import ENGLISH, Language
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import Figure, ended, joined, named, width_of

_BEFORE = (0.01, 0.1, 0.25, 0.5, 0.75)
"""How sure somebody is of a value before the release."""
_ROW = 30


def guarantee_figure(epsilon: float, language: Language = ENGLISH, *, width: int = chart.WIDTH) -> Figure | None:
    """How sure anyone can become of a value of one person, by how sure they were before; None for an infinite ε.

    Seeing what is protected multiplies the odds of a value by at most e to the power ε, whatever else is known.
    """
    if not math.isfinite(epsilon):
        return None
    rows = [_row(before, surest(before, epsilon), language) for before in _BEFORE]
    under = language.say(
        "Whatever the attacker knows: left, how sure of a person's value before seeing the protected "
        "columns; right, the most afterwards."
    )
    labels = 8 + max(width_of(row["name"]) for row in rows)
    area = width - 40 - max(width_of(row["number"]) for row in rows) - labels
    x = chart.quantitative(
        "before",
        title=language.say("how sure an attacker is of a value"),
        scale={"domain": [0, 1], "nice": False},
        axis={"format": "%"},
    )
    rule = {"type": "rule", "strokeWidth": 4, "color": chart.MIDDLE, "aria": False}
    spec = {
        "title": chart.titled(language.say("How sure an attacker can become"), under, width=width),
        "width": area,
        **chart.rows_of(rows, "name", chart.row_axis(240, labels), step=_ROW),
        "layer": [
            chart.layer(rule, x=x, x2={"field": "after"}),
            chart.layer({"type": "point", "filled": False, "size": 90, "color": chart.DARK, "aria": False}, x=x),
            chart.layer(
                {"type": "point", "filled": True, "size": 110, "opacity": 1, "color": chart.DARK},
                x=chart.quantitative("after"),
                **chart.SAID,
            ),
            chart.layer(chart.text_mark(align="left"), x={"value": area + 10}, text=chart.nominal("number")),
        ],
    }
    return Figure(spec, joined(language, under, *(ended(language, row["said"]) for row in rows)))


def surest(before: float, epsilon: float) -> float:
    """How sure somebody can become at most who was so sure before.

    Example:
        >>> surest(0.5, 1.0)
        0.7310585786300049
    """
    # Of a large ε the factor itself is no number.
    return before / (before + (1 - before) * math.exp(-epsilon))


def _row(before: float, after: float, language: Language) -> dict[str, Any]:
    name = language.say("before: {share}%", share=f"{100 * before:.3g}")
    # Rounded up, so that nobody is promised more than is claimed.
    number = language.say("at most {share}%", share=f"{math.ceil(1000 * after) / 10:.3g}" if after < 0.9995 else "100")
    return {"name": name, "before": before, "after": after, "number": number, "said": named(language, name, number)}

"""What a sequence of mechanisms reveals at most: δ over ε, and the power of tests over their false positives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from leakgauge.languages import ENGLISH, Language
from leakgauge.rounding import DIGITS, at_most, percent
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import Fields, Figure, apart, clauses, joined, shown, value_of, width_of

_WIDTH, _HEIGHT, _BETWEEN = 262, 262, 34
"""Of each panel, and between the two, in pixels."""
_LARGEST, _SMALLEST = 1e-3, 1e-10
"""The axis of δ starts below the first, and at the second unless a smaller one was asked for."""


def privacy_curves_figure(composed: Fields, language: Language = ENGLISH) -> Figure:
    """Two panels from the fields of ``leakgauge/composition/1`` that has curves.

    On the left δ over ε on an axis of powers of ten, with a mark where ε was asked for; on the right the largest power
    of a test over its false positive rate, beside that of guessing. No attacker is above either line.
    """
    curves = composed["curves"]
    asked = [{"delta": float(one["delta"]), "epsilon": value_of(one, "epsilon") or 0.0} for one in composed["spent"]]
    asked = [one for one in asked if one["delta"] and one["epsilon"] < math.inf]
    under = language.say(
        "Both lines are proven: no attacker can exceed them, whatever is known about the other records."
    )
    spec = {
        "title": chart.titled(language.say("The most that the whole sequence can reveal"), under),
        "spacing": _BETWEEN,
        "hconcat": [_deltas(curves, asked, language), _powers(curves, language)],
    }
    return Figure(spec, _told(composed, asked, language))


def _deltas(curves: Fields, asked: Sequence[Fields], language: Language) -> dict[str, Any]:
    smallest = min([_SMALLEST, *(one["delta"] / 10 for one in asked)])
    points = [
        {"epsilon": float(epsilon), "delta": float(delta), "said": _point(epsilon, delta, language)}
        for epsilon, delta in zip(curves["epsilons"], curves["deltas"], strict=True)
        if float(delta) >= smallest
    ]
    most = max([one["epsilon"] for one in (*points, *asked)], default=0.0) or 1.0
    least = min([_LARGEST, *(one["delta"] for one in (*points, *asked))])
    axis = {"format": "~e", "tickCount": 6}
    axes = {
        "x": chart.quantitative(
            "epsilon", title=language.say("ε, nats"), scale={"domain": [0, most], "nice": False}, axis={"tickCount": 6}
        ),
        "y": chart.quantitative(
            "delta", title="δ", scale={"type": "log", "domain": [least, 1], "nice": False}, axis=axis
        ),
    }
    marks = _labelled(asked, most, least, language)
    return _panel(
        language.say("δ for each ε"),
        chart.layer({"type": "line", "color": chart.LINE, "strokeWidth": 2.5}, points, **axes, **chart.SAID),
        *(_marks(marks, axes) if marks else ()),
    )


def _labelled(asked: Sequence[Fields], most: float, least: float, language: Language) -> list[dict[str, Any]]:
    """What was asked for, each with its numbers beside it, in pixels, where there is room: the line falls."""
    downs = apart([_HEIGHT * math.log(one["delta"]) / math.log(least) for one in asked], 16, 10, _HEIGHT - 10)
    marks = []
    for one, down in zip(asked, downs, strict=True):
        label, across = _point(one["epsilon"], one["delta"], language), _WIDTH * one["epsilon"] / most
        after = across + 10 + width_of(label) < _WIDTH
        marks.append({**one, "label": label, "down": down, "across": across + 10 if after else across - 10})
        marks[-1]["align"] = "left" if after else "right"
    return marks


def _marks(marks: Sequence[dict[str, Any]], axes: Fields) -> list[dict[str, Any]]:
    dot = {"type": "point", "filled": True, "shape": "diamond", "size": 120, "opacity": 1, "color": chart.MIDDLE}
    layers = [
        chart.layer({**dot, "stroke": chart.INK, "strokeWidth": 1}, marks, **axes, description={"field": "label"})
    ]
    x, y = (chart.quantitative(one, scale=None) for one in ("across", "down"))
    for align, shift in (("left", -6), ("right", 6)):
        side = [one for one in marks if one["align"] == align]
        text = chart.text_mark(align=align, dy=shift)
        layers += [chart.layer(text, side, x=x, y=y, text=chart.nominal("label"))] if side else []
    return layers


def _powers(curves: Fields, language: Language) -> dict[str, Any]:
    rates, powers = ([float(one) for one in curves[name]] for name in ("false_positive_rates", "powers"))
    points = [
        {"rate": rate, "power": power, "said": _test(rate, power, language)}
        for rate, power in zip(rates, powers, strict=True)
    ]
    share = {"scale": {"domain": [0, 1], "nice": False}, "axis": {"format": ".0%", "tickCount": 5}}
    axes = {
        "x": chart.quantitative("rate", title=language.say("false positive rate"), **share),
        "y": chart.quantitative("power", title=language.say("true positive rate (power)"), **share),
    }
    guess = [{"rate": 0.0, "power": 0.0}, {"rate": 1.0, "power": 1.0}]
    label = [{"rate": 0.62, "power": 0.62, "label": language.say("guessing")}]
    return _panel(
        language.say("Power of tests about one record"),
        chart.layer({"type": "area", "color": chart.LIGHT, "opacity": 0.7, "aria": False}, points, **axes),
        chart.layer({"type": "line", "color": chart.FAINT, "strokeDash": [5, 4], "aria": False}, guess, **axes),
        chart.layer(chart.text_mark(align="left", dx=8, dy=12), label, **axes, text=chart.nominal("label")),
        chart.layer({"type": "line", "color": chart.LINE, "strokeWidth": 2.5}, points, **axes, **chart.SAID),
    )


def _panel(title: str, *layers: dict[str, Any]) -> dict[str, Any]:
    heading = {"text": title, "fontSize": 13, "fontWeight": "normal", "offset": 8, "frame": "group"}
    return {"title": heading, "width": _WIDTH, "height": _HEIGHT, "layer": list(layers)}


def _point(epsilon: Any, delta: Any, language: Language) -> str:
    return language.say(
        "ε {epsilon} at δ {delta}", epsilon=shown(at_most(float(epsilon))), delta=shown(at_most(float(delta)))
    )


def _test(rate: float, power: float, language: Language) -> str:
    return language.say(
        "{power} power at {rate} false positives", power=percent(at_most(power), DIGITS), rate=percent(rate)
    )


def _told(composed: Fields, asked: Sequence[Fields], language: Language) -> str:
    tests = [
        _test(float(one["false_positive_rate"]), value_of(one, "power") or 0.0, language) for one in composed["tests"]
    ]
    spent = [_point(one["epsilon"], one["delta"], language) for one in asked]
    parts = [language.say("The whole sequence uses {spent}.", spent=clauses(language, *spent))] if spent else []
    parts.append(language.say("A test of one record has at most {tests}.", tests=clauses(language, *tests)))
    return joined(language, *parts)

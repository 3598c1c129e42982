"""A channel as a heat map."""

from __future__ import annotations

from typing import Any

from leakgauge.errors import OptionError
from leakgauge.languages import ENGLISH, Language
from leakgauge.probability import Channel, Label
from leakgauge.probability.labels import text_of
from leakgauge.report.figures import chart
from leakgauge.report.figures.chart import Figure, shown
from leakgauge.report.figures.texts import width_of

LARGEST = 60
"""Rows or columns above which nobody could read the map."""
_NUMBERED = 12
"""Rows and columns up to which the cells hold their numbers."""
_SIDE = 44
"""Pixels beside the cells and the labels: the title of an axis, and edges."""


def require_readable(inputs: int, outputs: int) -> None:
    """Refuse a map that nobody could read, before anything is computed for it.

    Raises:
        OptionError: more than 60 inputs or outputs.
    """
    if max(inputs, outputs) > LARGEST:
        raise OptionError(
            "A map of {rows} × {columns} cannot be read; draw channels of up to {most} inputs and outputs.",
            rows=inputs,
            columns=outputs,
            most=LARGEST,
        )


def channel_figure(channel: Channel, language: Language = ENGLISH) -> Figure:
    """The probabilities of the outputs given each input, as a heat map; white is 0 and nothing else.

    Raises:
        OptionError: more than 60 inputs or outputs.
    """
    require_readable(len(channel.inputs), len(channel.outputs))
    inputs, outputs = (
        [label_name(label, language) for label in labels] for labels in (channel.inputs, channel.outputs)
    )
    numbered = max(len(inputs), len(outputs)) <= _NUMBERED
    values = [
        _cell(secret, released, probability, language)
        for secret, row in zip(inputs, channel.matrix.tolist(), strict=True)
        for released, probability in zip(outputs, row, strict=True)
    ]
    step, limits = _sizes(inputs, outputs, 48 if numbered else 24)
    ink = {"condition": {"test": "datum.probability > 0.7", "value": "white"}, "value": chart.INK}
    spec = {
        "title": language.say("The channel"),
        "data": {"values": values},
        "width": {"step": step},
        "height": {"step": min(step, 30)},
        "encoding": {
            "x": _axis("output", language.say("released"), _across(outputs, step), limits["x"], step),
            "y": _axis("input", language.say("secret"), {}, limits["y"], step),
        },
        "layer": [
            _cells(language),
            *([chart.layer(chart.text_mark(fontSize=11), text=chart.nominal("number"), color=ink)] if numbered else []),
        ],
    }
    told = language.say(
        "Probabilities of {outputs} released letters given {inputs} secrets; white is 0.",
        outputs=len(outputs),
        inputs=len(inputs),
    )
    return Figure(spec, told)


def _cell(secret: str, released: str, probability: float, language: Language) -> dict[str, Any]:
    # What hardly ever happens must not read as never, nor what nearly always does as always.
    exact = {0.0: "", 1.0: "1"}.get(probability)
    near = "<0.01" if probability < 0.01 else ">0.99" if probability > 0.99 else f"{probability:.2f}"
    return {
        "input": secret,
        "output": released,
        "probability": probability,
        "number": near if exact is None else exact,
        "said": language.say(
            "{secret!s} released as {released!s}: {probability}",
            secret=secret,
            released=released,
            probability=shown(probability),
        ),
    }


def _sizes(inputs: list[str], outputs: list[str], most: int) -> tuple[float, dict[str, float]]:
    """How wide a column is, and how long the labels of each axis may be, for the whole to fit a page."""
    # Labels written upwards need ten pixels each.
    room = chart.WIDTH - _SIDE
    labels = min(max(map(width_of, inputs)) + 4, 220, room - 10 * len(outputs))
    step = min(most, (room - labels) / len(outputs))
    return step, {"x": min(max(map(width_of, outputs)) + 4, 180), "y": labels}


def _axis(field: str, title: str, labels: dict[str, Any], limit: float, step: float) -> dict[str, Any]:
    axis = {**labels, "labelLimit": limit, "labelOverlap": False, "labelFontSize": 12 if step >= 14 else 11}
    return chart.nominal(field, title=title, sort=None, axis=axis)


def _across(outputs: list[str], step: float) -> dict[str, Any]:
    """Labels lie where all fit into their columns, else they are written slanting or upwards."""
    if max(map(width_of, outputs)) <= step - 4:
        return {"labelAngle": 0}
    return {"labelAngle": -40 if step > 30 else -90, "labelAlign": "right", "labelBaseline": "middle"}


def _cells(language: Language) -> dict[str, Any]:
    colour = chart.quantitative(
        "probability",
        # What can never happen must not look like what hardly ever does.
        condition={"test": "datum.probability === 0", "value": "white"},
        scale={"scheme": "blues", "domain": [0, 1]},
        title=language.say("probability (white: 0)"),
        legend={"orient": "top", "gradientLength": 200, "titleLimit": 300, "format": ".1f"},
    )
    return chart.layer({"type": "rect", "stroke": "#e4eaef", "strokeWidth": 0.6}, color=colour, **chart.SAID)


def label_name(label: Label, language: Language) -> str:
    """How a label is written on an axis, where missing and empty need words."""
    if isinstance(label, tuple):
        return "|".join(label_name(one, language) for one in label)
    return language.say("(missing)") if label is None else text_of(label) or language.say("(empty)")

"""A channel as a heat map."""

from __future__ import annotations

from leakgauge.errors import OptionError
from leakgauge.probability import Channel, Label
from leakgauge.probability.labels import text_of
from leakgauge.report.figures.figure import Figure

LARGEST = 60
"""Rows or columns above which nobody could read the map."""


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


def channel_figure(channel: Channel) -> Figure:
    """The probabilities of the outputs given each input, as a heat map; white is 0 and nothing else.

    Raises:
        OptionError: more than 60 inputs or outputs.
    """
    require_readable(len(channel.inputs), len(channel.outputs))
    inputs, outputs = ([_name(label) for label in labels] for labels in (channel.inputs, channel.outputs))
    values = [
        {"input": inputs[row], "output": outputs[column], "probability": float(channel.matrix[row, column])}
        for row in range(len(inputs))
        for column in range(len(outputs))
    ]
    encoding = {
        "x": {"field": "output", "type": "nominal", "title": "released", "sort": None},
        "y": {"field": "input", "type": "nominal", "title": "secret", "sort": None},
        "color": {
            # What can never happen must not look like what hardly ever does.
            "condition": {"test": "datum.probability === 0", "value": "white"},
            "field": "probability",
            "type": "quantitative",
            "scale": {"scheme": "blues", "domain": [0, 1]},
            "title": ["probability", "(white: 0)"],
        },
        "tooltip": [{"field": name} for name in ("input", "output", "probability")],
    }
    spec = {
        "title": "The channel",
        "data": {"values": values},
        "mark": "rect",
        "encoding": encoding,
        "width": {"step": 32},
        "height": {"step": 32},
    }
    told = f"Probabilities of {len(outputs)} released letters given {len(inputs)} secrets; white is 0."
    return Figure(spec, told)


def _name(label: Label) -> str:
    """How a label is written on an axis, where missing and empty need words."""
    if isinstance(label, tuple):
        return "|".join(map(_name, label))
    return "(missing)" if label is None else text_of(label) or "(empty)"

"""A channel as a heat map."""

from __future__ import annotations

from leakgauge.errors import OptionError
from leakgauge.probability import Channel
from leakgauge.probability.labels import text_of
from leakgauge.report.figures.figure import Figure

LARGEST = 60
"""Rows or columns above which nobody could read the map."""


def channel_figure(channel: Channel) -> Figure:
    """The probabilities of the outputs given each input, as a heat map.

    Raises:
        OptionError: more than 60 inputs or outputs.
    """
    inputs, outputs = ([text_of(label) for label in labels] for labels in (channel.inputs, channel.outputs))
    if max(len(inputs), len(outputs)) > LARGEST:
        raise OptionError(
            "A map of {rows} × {columns} cannot be read; draw channels of up to {most} inputs and outputs.",
            rows=len(inputs),
            columns=len(outputs),
            most=LARGEST,
        )
    values = [
        {"input": inputs[row], "output": outputs[column], "probability": float(channel.matrix[row, column])}
        for row in range(len(inputs))
        for column in range(len(outputs))
    ]
    encoding = {
        "x": {"field": "output", "type": "nominal", "title": "released", "sort": None},
        "y": {"field": "input", "type": "nominal", "title": "secret", "sort": None},
        "color": {
            "field": "probability",
            "type": "quantitative",
            "scale": {"scheme": "blues", "domain": [0, 1]},
            "title": "probability",
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
    return Figure(spec, f"Probabilities of {len(outputs)} released letters given {len(inputs)} secrets.")

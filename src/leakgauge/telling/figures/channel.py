"""A channel as a heat map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from leakgauge.errors import OptionError
from leakgauge.languages import ENGLISH, Language
from leakgauge.probability import Channel, Distribution, Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import text_of
from leakgauge.rounding import percent
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import Figure, joined, lines_of, named, shortened, shown, told_apart, width_of

LARGEST = 60
"""The most rows or columns of a readable map."""
_NUMBERED = 12
"""Rows and columns up to which the cells hold their numbers."""
_NUMBERED_IF_NARROW = 8
"""The same on a narrow screen."""
_BESIDE_BARS = 40
"""Outputs up to which there is room for bars beside the map."""
_LABELS = 180
"""Pixels of the longest label."""
_MARGIN = 60
"""Pixels of the bars beside the map."""
_SIDE = 50
"""Pixels beside the cells and the labels: the title of an axis, and edges."""


def require_readable(inputs: int, outputs: int) -> None:
    """Refuse a map too large to read, before anything is computed for it.

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


def channel_figure(
    channel: Channel, language: Language = ENGLISH, *, prior: Distribution | None = None, width: int = chart.WIDTH
) -> Figure:
    """The probabilities of the outputs given each input, as a heat map; white is 0 and nothing else.

    Args:
        prior: of the inputs. With it the commonest come first, among the outputs too, and bars beside the map show how
            often each input occurs and each output is released.

    Raises:
        OptionError: more than 60 inputs or outputs.
    """
    require_readable(len(channel.inputs), len(channel.outputs))
    shares = None if prior is None else np.array([prior[label] for label in channel.inputs])
    if shares is not None:
        channel, shares = _commonest_first(channel, shares)
    bars = shares is not None and len(channel.outputs) <= _BESIDE_BARS
    is_narrow = width < chart.WIDTH
    room = width - _SIDE - (_MARGIN + 12 if bars and not is_narrow else 0)
    # Labels written upwards need ten pixels each.
    inputs = _names(channel.inputs, room - 10 * len(channel.outputs), language)
    outputs = _names(channel.outputs, _LABELS, language)
    if is_narrow:
        inputs = [chart.wrapped(name, width // 4) for name in inputs]
    numbered = max(len(inputs), len(outputs)) <= (_NUMBERED_IF_NARROW if is_narrow else _NUMBERED)
    values = [
        _cell(secret, released, probability, language, short=is_narrow)
        for secret, row in zip(inputs, channel.matrix.tolist(), strict=True)
        for released, probability in zip(outputs, row, strict=True)
    ]
    across, down = (
        max(width_of(line) for name in names for line in name.split("\n")) + 4 for names in (outputs, inputs)
    )
    step = min(48 if numbered else 24, (room - down) / len(outputs))
    height = min(step, 30) if not is_narrow else chart.row_step(inputs, 24)["step"]
    ink = {"condition": {"test": "datum.probability > 0.7", "value": "white"}, "value": chart.INK}
    title: Any = language.say("The channel")
    if is_narrow:
        title = chart.titled(title, width=width)
    x = _axis("output", language.say("released"), _across(across, step), across, step)
    y = _axis("input", language.say("secret"), {**chart.row_axis(1.3 * down, down + 6), "labelPadding": 2}, down, step)
    map_of_cells = {
        "data": {"values": values},
        "width": {"step": step},
        "height": {"step": height},
        "encoding": {"x": x, "y": y},
        "layer": [
            _cells(language),
            *([chart.layer(chart.text_mark(), text=chart.nominal("number"), color=ink)] if numbered else []),
        ],
    }
    told = language.say(
        "Each row is one of {inputs} true values, each column one of {outputs} released ones; darker is more "
        "likely, white never happens.",
        outputs=len(outputs),
        inputs=len(inputs),
    )
    # On a narrow screen the bars would take the room of the numbers.
    if shares is None or not bars or is_narrow:
        return Figure({"title": title, **map_of_cells}, told)
    released = dict(zip(outputs, (shares @ channel.matrix).tolist(), strict=True))
    above = _margin(released, "output", step, language)
    beside = _margin(dict(zip(inputs, shares.tolist(), strict=True)), "input", height, language)
    under = language.say(
        "The most common values first. Bars: how often each is released (above) and occurs in the table (right)."
    )
    spec = {
        "title": {"text": title, "subtitle": lines_of(under, down + step * len(outputs) + _MARGIN)},
        "spacing": 6,
        "bounds": "flush",
        "vconcat": [above, {"spacing": 6, "bounds": "flush", "hconcat": [map_of_cells, beside]}],
    }
    return Figure(spec, joined(language, told, under))


def _commonest_first(channel: Channel, shares: Floats) -> tuple[Channel, Floats]:
    """The channel with its inputs by their shares; outputs that are inputs too in the same order, then the others."""
    order = np.argsort(-shares, kind="stable")
    inputs = [channel.inputs[at] for at in order]
    rank = {label: at for at, label in enumerate(inputs)}
    released = shares @ channel.matrix
    places = sorted(
        range(len(channel.outputs)), key=lambda at: (rank.get(channel.outputs[at], len(inputs)), -released[at])
    )
    matrix = channel.matrix[order][:, places]
    return Channel(inputs, [channel.outputs[at] for at in places], matrix), shares[order]


def _margin(shares: dict[str, float], field: str, step: float, language: Language) -> dict[str, Any]:
    """The bars above the map, of the outputs, or those to its right, of the inputs."""
    names, above = list(shares), field == "output"
    values = [
        {field: name, "share": share, "said": named(language, name, percent(share))} for name, share in shares.items()
    ]
    along = chart.nominal(field, sort=names, axis=None, scale={"paddingInner": 0.2, "paddingOuter": 0.1})
    most = max(shares.values())
    # The axis names its end alone: the bars are small.
    axis = {"values": [most], "format": ".2~p", "grid": False, "orient": "left" if above else "top"}
    scale = {"domain": [0, most], "nice": False}
    across = chart.quantitative("share", title=None, scale=scale, axis={**axis, "labelOverlap": False})
    size = {"width": {"step": step}, "height": 40} if above else {"width": _MARGIN, "height": {"step": step}}
    return {
        **size,
        "data": {"values": values},
        "view": {"stroke": None},
        **chart.layer(
            {**chart.BAR, "fill": chart.FAINT},
            **dict(zip("xy" if above else "yx", (along, across), strict=True)),
            **chart.SAID,
        ),
    }


def _cell(secret: str, released: str, probability: float, language: Language, *, short: bool) -> dict[str, Any]:
    # What hardly ever happens must not read as never, nor what nearly always does as always.
    exact = {0.0: "", 1.0: "1"}.get(probability)
    near = "<0.01" if probability < 0.01 else ">0.99" if probability > 0.99 else f"{probability:.2f}"
    if short:
        near = near.replace("0.", ".")
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


def _names(labels: Sequence[Label], room: float, language: Language) -> list[str]:
    """How labels are written on an axis: long ones with their middles left out, and those that look alike numbered."""
    return told_apart([shortened(label_name(one, language), min(room, _LABELS)) for one in labels])


def _axis(field: str, title: str, labels: dict[str, Any], longest: float, step: float) -> dict[str, Any]:
    size = 12 if step >= 14 else 11
    axis = {**labels, "labelLimit": 1.3 * longest, "labelOverlap": False, "labelFontSize": size}
    return chart.nominal(field, title=title, sort=None, axis=axis)


def _across(longest: float, step: float) -> dict[str, Any]:
    """Labels lie where all fit into their columns, else they are written slanting or upwards.

    What they take is reckoned here, so that the title stands beyond them in a wider font too.
    """
    if longest <= step:
        return {"labelAngle": 0}
    angle = 40 if step > 30 else 90
    extent = longest * math.sin(math.radians(angle)) + 8
    return {"labelAngle": -angle, "labelAlign": "right", "labelBaseline": "middle", "minExtent": extent}


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

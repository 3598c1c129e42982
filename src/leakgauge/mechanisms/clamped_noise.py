"""Noise that stays within its bounds: the finite channel of a numeric mechanism whose release is clamped."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from leakgauge.errors import OptionError
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.probability import Channel, Label

LARGEST = 1 << 22
"""Cells of the channel, and terms of its tails."""
FAR = 45
"""Standard deviations beyond which noise of either law has less than 2^-53 of the tail before them."""


def clamped_noise(mechanism: NoisyNumber, inputs: Sequence[Label]) -> Channel:
    """The dyadic channel to the grid points between the bounds; what falls beyond a bound is released as that bound.

    It also reads both bounds, the inputs furthest apart, so that its ε is that of all numbers, not of this table's.
    """
    name, span = mechanism.name, mechanism.span
    if span.lowest is None or span.highest is None:
        raise OptionError("{name!s} has no bounds, so that its releases have no end; give lower and upper.", name=name)
    numbers = [mechanism.missing if label is None else label for label in inputs]
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers):
        raise OptionError(
            "{name!s} adds noise to numbers, and the secret has letters that are none; use randomized-response, or "
            "missing=NUMBER where values are missing.",
            name=name,
        )
    points = span.highest - span.lowest + 1
    reach = math.ceil(FAR * mechanism.law.standard_deviation) + 1
    if points * len(inputs) > LARGEST or points + reach > LARGEST:
        raise OptionError(
            "{name!s} has {points} grid points between its bounds, too many to compare; choose a coarser grid.",
            name=name,
            points=points,
        )
    steps = mechanism.on_grid(np.array([float(str(one)) for one in numbers])) - span.lowest
    outputs = mechanism.from_grid(np.arange(span.lowest, span.highest + 1)).tolist()
    ends = {at: outputs[at] for at in (0, points - 1) if outputs[at] not in inputs}
    steps = np.concatenate([steps, np.array(list(ends), dtype=np.int64)])
    chances = mechanism.law.probability(np.arange(points + reach, dtype=np.int64))
    # Summed from the far end, where the terms are small, so that a small tail keeps its digits.
    tails = np.cumsum(chances[::-1])[::-1]
    matrix = chances[np.abs(np.arange(points)[None, :] - steps[:, None])]
    matrix[:, 0], matrix[:, -1] = tails[steps], tails[points - 1 - steps]
    return Channel((*inputs, *ends.values()), outputs, matrix / matrix.sum(axis=1, keepdims=True)).dyadic()

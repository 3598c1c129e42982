"""The most a channel can reveal, over all priors."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from leakgauge.design.certificate import ROUNDING, require_gap
from leakgauge.design.interior import CapacityFit, minimise
from leakgauge.errors import EngineError
from leakgauge.probability import Channel, Distribution

TINY = 1e-200
"""Probabilities whose products with weights would no longer be numbers above 0."""


@dataclass(frozen=True, eq=False)
class Capacity:
    """The capacity of a channel between two proven bounds.

    Attributes:
        bits: what the channel tells about a secret with this source, in bits; the capacity is not below it.
        gap: the capacity is at most ``bits + gap``, in bits.
        source: a prior at which ``bits`` are told.
    """

    bits: float
    gap: float
    source: Distribution = field(repr=False)
    iterations: int


def capacity(channel: Channel, gap: float = 1e-9) -> Capacity:
    """max over p(x) of I(X;Y) in bits, with the prior that reaches it; no prior makes the channel leak more.

    Args:
        gap: how far the bounds may be apart, in nats.

    Raises:
        OptionError: a gap that is not above 0.
        EngineError: the gap was not reached; the message says how close it came.

    Example:
        >>> found = capacity(Channel("ab", "ab", [[0.9, 0.1], [0.1, 0.9]]))
        >>> round(found.bits, 6), found.gap < 1e-8
        (0.531004, True)
    """
    require_gap(gap)
    matrix = channel.matrix
    count = len(channel.inputs)
    # Without outputs so rare that all of them together tell less than the rounding that is given away.
    seen = matrix[:, matrix.max(axis=0) > TINY]
    found = minimise(CapacityFit(seen), np.full(count, 1 / count), gap)
    slack = ROUNDING * (1 + abs(found.lower))
    if found.gap > gap:
        raise EngineError(
            "The capacity is proven to within {found:.3g} nats, not within {asked:.3g}; ask for a larger gap.",
            found=found.gap,
            asked=gap,
        )
    source = Distribution(channel.inputs, found.weights)
    # A gap below 0 is rounding, by which the bounds may be off.
    gap = abs(found.gap) + slack
    return Capacity(max(-found.upper, 0.0) / math.log(2), gap / math.log(2), source, found.steps)

"""Where a channel tells two inputs apart most."""

from __future__ import annotations

import math

import numpy as np

from leakgauge.claims import LocalDP
from leakgauge.notions import Level, Witness
from leakgauge.probability import Channel


def exact_level(channel: Channel) -> Level:
    """The local ε of a channel of multiples of 2^-53 in nats, rounded up, with the output and inputs that reach it."""
    matrix = channel.matrix
    highest, lowest = matrix.max(axis=0), matrix.min(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        # The difference of two multiples of 2^-53 is exact, so that a tiny ε keeps all its digits.
        above = np.where(highest > lowest, (highest - lowest) / lowest, 0.0)
    output = int(above.argmax())
    if above[output] == 0:
        return Level(LocalDP(0.0))
    column = matrix[:, output]
    inputs = channel.inputs[int(column.argmax())], channel.inputs[int(column.argmin())]
    epsilon = math.log1p(float(above[output])) * (1 + 1e-15)
    return Level(LocalDP(epsilon), Witness(inputs, channel.outputs[output]))

"""Sibson's mutual information of order α; at α = ∞ it is maximal leakage and needs no prior.

References: Sibson 1969; Verdú, α-mutual information, 2015; Issa, Wagner and Kamath, An operational approach to
information leakage, IEEE Trans. Inf. Theory 66(3), 2020.
"""

from __future__ import annotations

import math

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.measures.information import Unit
from leakgauge.measures.shannon import mutual_information
from leakgauge.probability import Channel, Distribution, Scenario
from leakgauge.probability.cells import Floats


@checked
def leakage(channel: Channel, prior: Distribution, order: float, unit: Unit = Unit.BITS) -> float:
    """I_α(X;Y) = α/(α−1) · log Σ_y (Σ_x p(x) q(y|x)^α)^(1/α), in bits; grows with α, Shannon's at α = 1."""
    if not order > 0:
        raise OptionError("An order of {order} is not defined; Sibson's orders are above 0.", order=order)
    if order == 1:
        return mutual_information(Scenario(prior, channel), unit)
    Scenario(prior, channel)  # refuses a prior over other letters
    possible = prior.probabilities > 0
    p, q = prior.probabilities[possible], channel.matrix[possible]
    largest = q.max(axis=0)
    if order == math.inf:
        return unit.of_nats(max(math.log(largest.sum()), 0.0))
    seen = largest > 0
    # Divided by the column's maximum first, so that no power underflows to a false zero.
    powers = p @ (q[:, seen] / largest[seen]) ** order
    total = float((largest[seen] * powers ** (1 / order)).sum())
    return unit.of_nats(max(order / (order - 1) * math.log(total), 0.0))


@checked
def maximal_leakage(channel: Channel, unit: Unit = Unit.BITS) -> float:
    """log Σ_y max_x q(y|x), in bits: the most that any prior and any guess about the secret can gain."""
    return unit.of_nats(max(math.log(_column_maxima(channel).sum()), 0.0))


def _column_maxima(channel: Channel) -> Floats:
    return np.asarray(channel.cells.column_maxima())

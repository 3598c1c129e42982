"""Mutual-information differential privacy of a finite channel: the largest capacity of the inputs compared.

Given the other records, the record in question meets the channel of one group of neighbours; the supremum over priors
puts all weight on the worst group and its capacity-achieving law (Cuff and Yu 2016).
"""

from __future__ import annotations

import math

import numpy as np

from leakgauge.claims import MutualInformationDP
from leakgauge.notions.neighbours import Structure, all_pairs
from leakgauge.notions.witness import Level
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats, log_or_zero

GAP = 1e-9
"""Certified: the level is at most so many nats too large, never too small."""
SWEEPS = 20_000


def mutual_information_dp(channel: Channel, structure: Structure | None = None) -> Level | None:
    """sup over records and priors of I(X_i;Y|X_−i), in bits; None where the certificate was not reached."""
    found = [capacity_from_above(channel.matrix[list(group)]) for group in _groups(channel, structure)]
    if any(value is None for value in found):
        return None
    nats = max((value for value in found if value is not None), default=0.0)
    return Level(MutualInformationDP(nats / math.log(2)))


def capacity_from_above(matrix: Floats) -> float | None:
    """An upper bound on the capacity of a channel within ``GAP`` nats of it, or None.

    Blahut–Arimoto: at any input law p, I(p) ≤ capacity ≤ max_x KL(q_x ‖ pq).
    """
    logs = log_or_zero(matrix)
    own = (matrix * logs).sum(axis=1)
    p = np.full(len(matrix), 1 / len(matrix))
    for _ in range(SWEEPS):
        divergence = own - matrix @ log_or_zero(p @ matrix)
        upper = float(divergence.max())
        if upper - float(p @ divergence) <= GAP:
            return max(upper, 0.0)
        p = p * np.exp(divergence - upper)
        p /= p.sum()
    return None


def _groups(channel: Channel, structure: Structure | None) -> tuple[tuple[int, ...], ...]:
    return (structure or all_pairs(channel.inputs)).groups

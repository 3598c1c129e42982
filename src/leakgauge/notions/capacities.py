"""Mutual-information differential privacy of a finite channel: the largest capacity of the inputs compared.

Given the other records, the record in question meets the channel of one group of neighbours; the supremum over priors
puts all weight on the worst group and its capacity-achieving law (Cuff and Yu 2016).
"""

from __future__ import annotations

import math

import numpy as np

from leakgauge.arguments import checked
from leakgauge.claims import MutualInformationDP
from leakgauge.notions.neighbours import Structure, compared
from leakgauge.notions.witness import Level
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats, log_or_zero

GAP = 1e-9
"""The level is certified to be at most so many nats too large, unless the sweeps run out; never too small."""
SWEEPS = 2_000


@checked
def mutual_information_dp(channel: Channel, structure: Structure | None = None) -> Level:
    """sup over records and priors of I(X_i;Y|X_−i), in bits, from above."""
    found = [capacity_from_above(channel.matrix[list(group)]) for group in compared(channel.inputs, structure)]
    return Level(MutualInformationDP(max(found, default=0.0) / math.log(2)))


def capacity_from_above(matrix: Floats) -> float:
    """An upper bound on the capacity of a channel, in nats; within ``GAP`` of it where the sweeps suffice.

    Blahut–Arimoto: at any input law p, I(p) ≤ capacity ≤ max_x KL(q_x ‖ pq), so the smallest bound met is sound.
    """
    best = math.inf
    logs = log_or_zero(matrix)
    own = (matrix * logs).sum(axis=1)
    p = np.full(len(matrix), 1 / len(matrix))
    for _ in range(SWEEPS):
        divergence = own - matrix @ log_or_zero(p @ matrix)
        upper = float(divergence.max())
        best = min(best, upper)
        if upper - float(p @ divergence) <= GAP:
            break
        p = p * np.exp(divergence - upper)
        p /= p.sum()
    return min(max(best, 0.0), math.log(len(matrix)))  # rounding must not promise more than there is to tell

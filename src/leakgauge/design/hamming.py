"""The closed form for Hamming distortion: one sort."""

from __future__ import annotations

import math

import numpy as np

from leakgauge.probability.cells import Floats


def output_marginal(prior: Floats, slope: float) -> Floats:
    """The best probabilities of releasing each letter at a slope, where any letter may be released.

    With p sorted downwards and S_N the sum of the N largest, θ = S_N / (N − 1 + e^slope), N the largest index with
    p_N > θ; the first N letters have probability (p − θ) / (S_N − N θ), the others none.

    Reference: Erokhin, ε-entropy of a discrete random variable, Theory of Probability and its Applications 3(1), 1958.
    """
    if math.isinf(slope):
        return prior
    order = np.argsort(-prior, kind="stable")
    sums = np.cumsum(prior[order])
    counts = np.arange(1, len(prior) + 1)
    # Divided by e^slope on both sides, which cannot overflow.
    shrink = math.exp(-slope)
    thresholds = sums * shrink / ((counts - 1) * shrink + 1)
    above = np.flatnonzero(prior[order] > thresholds)
    used = int(above[-1]) + 1 if len(above) else 1
    kept = np.zeros(len(prior))
    if used == 1:
        # At slopes next to 0 the letter's probability and the threshold are the same number.
        kept[order[0]] = 1.0
        return kept
    kept[order[:used]] = prior[order[:used]] - thresholds[used - 1]
    return np.asarray(kept / kept.sum())

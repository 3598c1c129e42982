"""Information that a predictor shows on rows it was not trained on: a lower bound on mutual information.

For any r(x|w) that was fixed beforehand, I(X;W) ≥ H(X) − E[−log r(X|W)]: a wrong r only loses. On scored rows each has

    t_i = −log₂ p̂(x_i) + log₂ r(x_i|w_i),

p̂ being the shares among the scored rows themselves, whose entropy comes out too small rather than too large. A share
of r is uniform, so that no single row can cost everything.

Reference: Barber and Agakov, The IM algorithm: a variational approach to information maximization, 2003.
"""

from __future__ import annotations

import math

import numpy as np

from leakgauge.errors import ModelError, OptionError
from leakgauge.measures.clusters import unit_sums
from leakgauge.probability import Estimate
from leakgauge.probability.cells import Codes, Floats

UNIFORM = 1e-3
"""The uniform share of r."""


def bits_lost(probabilities: Floats, letters: Codes) -> Floats:
    """−log₂ r(x|w) of what came true in each row, r with its uniform share."""
    given = probabilities[np.arange(len(letters)), letters]
    return np.asarray(-np.log2((1 - UNIFORM) * given + UNIFORM / probabilities.shape[1]))


def held_out_information(
    letters: Codes, probabilities: Floats, units: Codes | None = None, confidence: float = 0.95
) -> Estimate:
    """Bits that r(x|w) reveals about x, with one-sided limits, each at the confidence, neither below 0.

    The lower limit is one on I(X;W); the upper one is on what this r tells, and says nothing of a better one. Both are
    Student's on the means of units, plus Bernstein's term for outcomes that were not seen yet.

    Args:
        letters: the secret of each scored row, as a column of ``probabilities``.
        probabilities: r(x|w), one row per scored row; the uniform share is added here.
        units: the person of each scored row; by default each row is one.
        confidence: of each limit by itself.

    Raises:
        OptionError: the confidence is not between 0 and 1.
        ModelError: fewer than two units.

    Example:
        >>> told = held_out_information(np.array([0, 1] * 500), np.tile(np.eye(2), (500, 1)))
        >>> 0.98 < told.low <= told.value <= 1
        True
    """
    from scipy.special import stdtrit

    if not 0 < confidence < 1:
        raise OptionError("A confidence of {found} is not between 0 and 1; try 0.95.", found=confidence)
    rows, width = probabilities.shape
    seen = np.bincount(letters, minlength=width)
    told, sizes = unit_sums(np.log2(rows / seen[letters]) - bits_lost(probabilities, letters), units)
    count = len(sizes)
    if count < 2:
        raise ModelError("{units} units were scored, too few for a limit; use two or more.", units=count)
    mean = float(told.sum()) / rows
    error = math.sqrt(count / (count - 1) * float(((told - mean * sizes) ** 2).sum())) / rows
    # From the surest guess of the rarest letter to the worst guess of the most frequent one.
    spread = math.log2(rows / seen[seen > 0].min()) + math.log2(width / UNIFORM) - math.log2(rows / seen.max())
    unseen = spread * float(sizes.max()) * math.log(1 / (1 - confidence)) / (3 * rows)
    limit = float(stdtrit(count - 1, confidence)) * error + unseen
    # The entropy of the scored rows is too small by about this, which the upper limit must not profit from.
    bias = (np.count_nonzero(seen) - 1) / (2 * count * math.log(2))
    value = max(mean, 0.0)
    return Estimate(value, max(mean - limit, 0.0), max(mean + limit + bias, value), confidence, rows)

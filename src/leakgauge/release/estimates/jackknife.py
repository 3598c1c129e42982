"""The error of estimates through a channel that was itself rebuilt from released rows: the grouped jackknife.

With θ from all rows and θ_k from those without the k-th of K parts, the variance of θ is (K − 1)/K Σ (θ_k − θ̄)², with
K − 1 degrees of freedom. Errors of the two releases count as independent: noise that is kept for people in both makes
them agree, and as the later shares are q₁ + (q₂ − q₁) Q⁻¹, errors that agree mostly cancel.

Reference: Shao and Tu, The Jackknife and Bootstrap, Springer 1995, section 5.2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leakgauge.probability.cells import Floats


def variance(estimates: Floats) -> Floats:
    """Of an estimate from all rows, from those without each part (the first axis)."""
    parts = len(estimates)
    return np.asarray((parts - 1) / parts * ((estimates - estimates.mean(axis=0)) ** 2).sum(axis=0))


def squared_error(estimates: Sequence[Floats], confidence: float, rows_per_unit: int) -> Floats:
    """The squared half-width of an interval for the error of a rebuilt channel; 0 where it was not rebuilt.

    Args:
        estimates: through the channel rebuilt without each part.
        confidence: how often an interval holds the truth.
        rows_per_unit: rows of one person may be in several parts, which hides so much of the variance at most.
    """
    if not estimates:
        return np.zeros(())
    from scipy.special import stdtrit

    quantile = float(stdtrit(len(estimates) - 1, (1 + confidence) / 2))
    return np.asarray(quantile**2 * rows_per_unit * variance(np.asarray(estimates)))

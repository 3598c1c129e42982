"""Score intervals for shares and means, of which Wilson's is the simplest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from leakgauge.errors import OptionError
from leakgauge.probability.cells import Floats


def squared_quantile(confidence: float) -> float:
    """z², where a normal number is within ±z with this probability."""
    if not 0 < confidence < 1:
        raise OptionError("A confidence of {found} is not between 0 and 1.", found=confidence)
    return NormalDist().inv_cdf((1 + confidence) / 2) ** 2


def share_intervals(
    unbiased: Floats, shares: Floats, own: Floats, others: Floats, doubt: float
) -> tuple[Floats, Floats]:
    """The shares t that unbiased estimates do not rule out: (t̂ − t)² ≤ z² (t a + (1 − t) b − t²) / n.

    Where a share is t, a row's score has the mean square a if the row has the value, else b. With the values themselves
    a = 1 and b = 0, which is Wilson's interval; rare values are held as well, where ±z standard errors fail.

    Args:
        unbiased: the estimates, which may lie outside 0 to 1.
        shares: what is reported, within 0 to 1; the intervals hold it.
        own: a, for each value.
        others: b, for each value.
        doubt: z² / n.
    """
    middle = 2 * unbiased + doubt * (own - others)
    root = np.sqrt(np.maximum(middle**2 - 4 * (1 + doubt) * (unbiased**2 - doubt * others), 0.0))
    low, high = (middle - root) / (2 * (1 + doubt)), (middle + root) / (2 * (1 + doubt))
    # An estimate far outside 0 to 1 leaves next to nothing: then the spread at the reported share is the least.
    spread = np.sqrt(doubt * np.maximum(shares * own + (1 - shares) * others - shares**2, 0.0))
    outside = (high < 0) | (low > 1) | (root == 0)
    low, high = np.where(outside, shares - spread, low), np.where(outside, shares + spread, high)
    return np.clip(np.minimum(low, shares), 0, 1), np.clip(np.maximum(high, shares), 0, 1)


@dataclass(frozen=True)
class WeighedSums:
    """Sums over rows with a number v and a weight w, from which the mean Σ w v / Σ w follows with its interval."""

    weights: float
    products: float
    squared_weights: float
    squared_products: float
    squares: float
    """Σ w, Σ w v, Σ w², Σ w² v and Σ w² v²."""

    def mean(self, otherwise: float) -> float:
        """Σ w v / Σ w; the other number where no rows are left."""
        return self.products / self.weights if self.weights > 0 else otherwise

    def interval(self, quantile: float) -> tuple[float, float]:
        """The means μ that the sums do not rule out: (Σ w (v − μ))² ≤ z² Σ w² (v − μ)² (Fieller's interval).

        Both ends are infinite where the weights themselves may sum to 0.
        """
        lead = self.weights**2 - quantile * self.squared_weights
        if lead <= 0 or self.weights <= 0:
            return -math.inf, math.inf
        half = self.products * self.weights - quantile * self.squared_products
        root = math.sqrt(max(half**2 - lead * (self.products**2 - quantile * self.squares), 0.0))
        return (half - root) / lead, (half + root) / lead

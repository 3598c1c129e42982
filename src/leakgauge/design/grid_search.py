"""The least-leaking channel between the cells of a grid at one slope, found without ever storing it.

At a slope the best channel is q(y|x) = r(y) K(x, y) / s(x), K = e^(−slope · d), s = K r, and r minimises
F(r) = −Σ_x p(x) ln s(x). A sweep r ← r · c, c = K (p/s), needs two products with K; momentum on ln r, dropped whenever
F rises, makes the sweeps few. For any positive s whatever, no channel costs less than −Σ p ln s − ln max c, so the
noise of a product with K loosens the proof only by what is known of that noise.
"""

from __future__ import annotations

import math

import numpy as np

from leakgauge.design.certificate import ROUNDING, not_reached
from leakgauge.design.points import Point
from leakgauge.distances.grid import Grid, GridKernel
from leakgauge.probability.cells import Floats
from leakgauge.probability.channel import DYADIC_BITS

SWEEPS = 5_000
LOWEST = -600.0
"""Weights below e^-600 of the largest are not told apart from it: far below anything that costs."""


class GridSearch:
    """A prior on a grid, and the channels found for it.

    Of a point the channel is given by its weights r in the grid's shape; leakage and distortion are from above, and
    count what the rounding of rows to multiples of 2^-53 may change. The prior has the grid's shape.
    """

    def __init__(self, prior: Floats, grid: Grid) -> None:
        self._prior, self.grid = prior, grid
        # Each entry of a row moves by at most one unit of 2^-53, its exponential by less than 2^14 in all.
        self.rounding = (grid.cells + 2**14) * 2.0**-DYADIC_BITS if grid.cells > 1 else 0.0

    def flat(self) -> Point:
        """The limit at slope 0: always the one cell that is best on the whole."""
        # At a slope this small K is 1 everywhere, so that the product is the mean distance of each cell.
        slope = 1e-12 / self.grid.largest if self.grid.largest > 0 else 1.0
        best = int(self.grid.kernel(slope).weighted.times(self._prior).argmin())
        weights = np.zeros(self.grid.shape)
        weights.flat[best] = 1.0
        mean = float((self._prior * self.grid.distances_from(best)).sum())
        return Point(0.0, weights, 0.0, mean * (1 + ROUNDING), 0.0, 0)

    def at(self, slope: float, gap: float, near: Point | None = None) -> Point:
        """Weights within ``gap`` nats of the best at a slope, started from those of a neighbouring one."""
        walk = _Walk(self._prior, self.grid.kernel(slope), self._start(slope, near))
        wanted, nearest = 0.9 * gap, math.inf
        for sweeps in range(1, SWEEPS + 1):
            walk.sweep()
            if walk.apart > wanted:
                continue
            found = self._measured(slope, walk.kernel, walk.weights, walk.lower, sweeps)
            nearest = min(nearest, found.gap)
            if nearest <= gap:
                return found
            # What is missing is noise and rounding; more sweeps make room for them, but not for ever.
            wanted /= 2
            if wanted < gap / 20:
                break
        last = self._measured(slope, walk.kernel, walk.weights, walk.lower, SWEEPS)
        raise not_reached(min(nearest, last.gap), gap)

    def _start(self, slope: float, near: Point | None) -> Floats:
        """Every cell with some weight.

        One that never occurs may still be a good one to release, and one that is of no use at another slope may be at
        this one, the more so the further off that is.
        """
        fresh = np.asarray(0.9 * self._prior + 0.1 / self._prior.size)
        if near is None:
            return fresh
        share = 0.01 * min(1.0, 3 * abs(math.log(slope / near.slope)))
        return np.asarray((1 - share) * near.channel + share * fresh)

    def _measured(self, slope: float, kernel: GridKernel, weights: Floats, lower: float, sweeps: int) -> Point:
        """The channel of some weights; leakage and distortion from above."""
        low, high = kernel.plain.times_within(weights)
        largest = self.grid.largest
        # K is 1 on its diagonal and nowhere below e^(−slope · largest), whatever the noise says.
        sure = np.maximum(low, weights * (1 - ROUNDING))
        cost = -float((self._prior * np.maximum(np.log(sure), -slope * largest)).sum())
        near, far = kernel.weighted.times_within(weights)
        least = float((self._prior * np.minimum(near / high, largest)).sum())
        most = float((self._prior * np.minimum(far / sure, largest)).sum())
        leakage = cost - slope * least + _entropy_moved(self.rounding, self.grid.cells)
        leakage = max(leakage + ROUNDING * (1 + abs(cost) + slope * least), 0.0)
        distortion = (most + self.rounding * largest) * (1 + ROUNDING)
        return Point(slope, weights, leakage, distortion, lower, sweeps)

    def mixed(self, point: Point, other: Point, share: float) -> Point:
        """The point with a share of another's weights mixed in, at its own slope: the cost is convex in the weights."""
        weights = np.asarray((1 - share) * point.channel + share * other.channel)
        return self._measured(point.slope, self.grid.kernel(point.slope), weights, point.bound, point.steps)


class _Walk:
    """Weights on their way to the best, and the best proof so far."""

    def __init__(self, prior: Floats, kernel: GridKernel, start: Floats) -> None:
        self._prior, self.kernel = prior, kernel
        self._next = start
        self._logarithms: Floats | None = None
        self._value, self._speed = math.inf, 0
        self.lower = -math.inf
        self.weights = self._next

    @property
    def apart(self) -> float:
        """The cost of the weights less the proven bound, in nats, without the noise of the cost."""
        return self._value - self.lower

    def sweep(self) -> None:
        """One update: two products, a bound, and the next weights."""
        self.weights = self._next
        # The upper end is above 0 even where the product drowns in noise, and any positive s proves a bound.
        sums = self.kernel.plain.times_within(self.weights)[1]
        value = -float((self._prior * np.log(sums)).sum())
        low, high = self.kernel.plain.times_within(self._prior / sums)
        loss = math.log(float(high.max()))
        self.lower = max(self.lower, value - loss - ROUNDING * (1 + abs(value) + abs(loss)))
        ratios = np.maximum(0.5 * (low + high), math.exp(LOWEST))
        updated = np.log(self.weights) + np.log(ratios)
        self._speed = self._speed + 1 if value <= self._value and self._logarithms is not None else 0
        self._value = value
        ahead = updated
        if self._speed > 0 and self._logarithms is not None:
            ahead = updated + self._speed / (self._speed + 3) * (updated - self._logarithms)
        self._logarithms = updated
        weights = np.exp(np.maximum(ahead - ahead.max(), LOWEST))
        self._next = np.asarray(weights / weights.sum())


def _entropy_moved(variation: float, letters: int) -> float:
    """How far I(X;Y) in nats may move when every row moves by so much in total variation.

    H(Y) and H(Y|X) each move by at most t ln(n − 1) + h(t): Zhang, Estimating mutual information via Kolmogorov
    distance, IEEE Trans. Information Theory 53(9), 2007.
    """
    if variation == 0:
        return 0.0
    own = -variation * math.log(variation) - (1 - variation) * math.log1p(-variation)
    return 2 * (variation * math.log(letters) + own)

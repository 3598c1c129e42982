"""What a channel of varied output must keep besides its distortion: ratios, or a leakage. All in nats.

Rows are outputs here: a matrix v(y, x) = q(y|x), its output law r(y) = Σ_x p(x) v(y, x).
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from leakgauge.design.certificate import ROUNDING, Secrets, lower_bound
from leakgauge.probability.cells import Floats, log_or_zero

LARGEST_EPSILON = 30.0
SWEEPS = 40


class Bounds(Protocol):
    """What else a channel must keep, as a barrier over its entries and perhaps one more variable an output."""

    def extra(self, entries: Floats) -> Floats:
        """The further variables that suit some entries."""
        ...

    def slacks(self, prior: Floats, entries: Floats, extra: Floats) -> Floats:
        """How far each inequality is from its edge, all above 0 inside."""
        ...

    def barrier(self, prior: Floats, entries: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """Gradient and curvature of −Σ ln slacks in entries, then extras."""
        ...

    def price(self, prior: Floats, entries: Floats, change: Floats) -> float:
        """What the bound itself costs after a step, times the sharpness; 0 where the prices of the rows say it all."""
        ...

    def upper_bound(self, prior: Floats, entries: Floats, costs: Floats, prices: Floats, price: float) -> float:
        """−min over allowed channels of Σ p v costs, plus what the bound itself costs."""
        ...


class RatioBounds:
    """v(y, x) ≤ e^ε v(y, x'): one more variable l(y), and l ≤ v ≤ e^ε l."""

    def __init__(self, epsilon: float) -> None:
        # A larger ε is kept as this one, which is the stricter; its proof then needs no ratios at all.
        self._top, self._capped = math.exp(min(epsilon, LARGEST_EPSILON)), epsilon > LARGEST_EPSILON

    def least_distortion(self, costs: Floats) -> Floats:
        """The channel (a row an input) of least Σ costs · v, as a linear program finds it."""
        from scipy.optimize import linprog

        outputs, inputs = costs.shape
        unit, ones = np.eye(outputs * inputs), np.kron(np.eye(outputs), np.ones((inputs, 1)))
        above, below = np.hstack([-unit, ones]), np.hstack([unit, -self._top * ones])
        sums = np.hstack([np.tile(np.eye(inputs), outputs), np.zeros((inputs, outputs))])
        found = linprog(
            np.concatenate([costs.ravel(), np.zeros(outputs)]),
            A_ub=np.vstack([above, below]),
            b_ub=np.zeros(2 * outputs * inputs),
            A_eq=sums,
            b_eq=np.ones(inputs),
            method="highs",
        )
        rows = np.maximum(found.x[: outputs * inputs].reshape(outputs, inputs), 0.0).T
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))

    def extra(self, entries: Floats) -> Floats:
        """Midway between the ends."""
        return np.asarray(np.sqrt(entries.min(axis=1) * entries.max(axis=1) / self._top))

    def slacks(self, prior: Floats, entries: Floats, extra: Floats) -> Floats:
        """Above the lower edges, then below the upper ones."""
        return np.concatenate([(entries - extra[:, None]).ravel(), (self._top * extra[:, None] - entries).ravel()])

    def barrier(self, prior: Floats, entries: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """Each inequality ties an entry to its output's extra."""
        low, high = 1 / (entries - extra[:, None]), 1 / (self._top * extra[:, None] - entries)
        gradient = np.concatenate([(high - low).ravel(), (low - self._top * high).sum(axis=1)])
        outputs, inputs = entries.shape
        size, at = entries.size, np.arange(entries.size)
        curvature = np.zeros((size + outputs, size + outputs))
        curvature[at, at] = (low**2 + high**2).ravel()
        tied = -(low**2 + self._top * high**2).ravel()
        curvature[at, size + at // inputs] = curvature[size + at // inputs, at] = tied
        own = size + np.arange(outputs)
        curvature[own, own] = (low**2 + self._top**2 * high**2).sum(axis=1)
        return gradient, curvature

    def price(self, prior: Floats, entries: Floats, change: Floats) -> float:
        """0: ratios have no amount that could be paid for."""
        return 0.0

    def upper_bound(self, prior: Floats, entries: Floats, costs: Floats, prices: Floats, price: float) -> float:
        """By linear duality: prices π of the rows, lowered by τp until no column of bounded ratios is a gain."""
        left = prior * costs - prices
        # Between its ends Σ min(c, e^ε c) crosses 0 once; the end kept is the one where no column gains.
        low, high = (-left / prior).min(axis=1), (-left / prior).max(axis=1)
        for _ in range(80):
            middle = (low + high) / 2
            shifted = left + middle[:, None] * prior
            gains = np.minimum(shifted, self._top * shifted).sum(axis=1) < 0
            low, high = np.where(gains, middle, low), np.where(gains, high, middle)
        # Sums of e^ε times rounding must not hide a gain.
        slack = ROUNDING * self._top * (1 + float(abs(left).sum(axis=1).max()))
        if self._capped:
            return _unbounded(prior, costs)
        bound = float(high.max()) - float(prices.sum()) + slack + ROUNDING * float(abs(prices).sum())
        return min(bound, _unbounded(prior, costs))


class LeakageBounds:
    """I(X;Y) ≤ b, and entries of at least 0."""

    def __init__(self, nats: float) -> None:
        self._most = nats

    def extra(self, entries: Floats) -> Floats:
        """None."""
        return np.zeros(0)

    def slacks(self, prior: Floats, entries: Floats, extra: Floats) -> Floats:
        """The entries, then what is left of the leakage."""
        return np.append(entries.ravel(), self._left(prior, entries))

    def barrier(self, prior: Floats, entries: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """The leakage is convex: its curvature is one block an output."""
        left = self._left(prior, entries)
        seen = entries @ prior
        slopes = (prior * np.log(entries / seen[:, None])).ravel()
        gradient = -1 / entries.ravel() + slopes / left
        curvature = np.outer(slopes / left, slopes / left)
        outputs, inputs = entries.shape
        for y in range(outputs):
            own = slice(y * inputs, (y + 1) * inputs)
            curvature[own, own] -= np.outer(prior, prior) / seen[y] / left
        at = np.arange(entries.size)
        curvature[at, at] += np.tile(prior, outputs) / entries.ravel() / left + 1 / entries.ravel() ** 2
        return gradient, curvature

    def price(self, prior: Floats, entries: Floats, change: Floats) -> float:
        """Of a nat of leakage."""
        left = self._left(prior, entries)
        slopes = prior * np.log(entries / (entries @ prior)[:, None])
        return (1 + float((slopes * change).sum()) / left) / left

    def upper_bound(self, prior: Floats, entries: Floats, costs: Floats, prices: Floats, price: float) -> float:
        """By the bound of rate-distortion at the price of the leakage, or at none."""
        if price <= 0:
            return _unbounded(prior, costs)
        secrets, scaled = Secrets.of(prior[:, None]), costs.T / price
        logarithms, best = np.log(entries @ prior)[None], -math.inf
        # Sweeps of Blahut and Arimoto on the output law only tighten the proof.
        for _ in range(SWEEPS):
            best = max(best, lower_bound(secrets, scaled, logarithms))
            scores = logarithms - scaled
            induced = np.exp(scores - scores.max(axis=1, keepdims=True))
            seen = prior @ (induced / induced.sum(axis=1, keepdims=True))
            logarithms = np.log(np.maximum(seen, 1e-250))[None]
        return min(_unbounded(prior, costs), price * (self._most - best) + ROUNDING * price * self._most)

    def _left(self, prior: Floats, entries: Floats) -> float:
        seen = entries @ prior
        told = float(((entries * log_or_zero(entries)) @ prior).sum() - seen @ log_or_zero(seen))
        return self._most - told


def _unbounded(prior: Floats, costs: Floats) -> float:
    """−min over all channels of Σ p v costs: each input releases its cheapest letter."""
    return -float(prior @ costs.min(axis=0)) + ROUNDING * float(abs(costs).max())

"""Walks to the channel of largest output entropy along the centre of what it must keep: ratios, or a leakage. In nats.

Rows are outputs here, as in ``columns``: a matrix v(y, x) = q(y|x), its output law r(y) = Σ_x p(x) v(y, x).

Reference: Boyd and Vandenberghe, Convex optimization, section 11.3, 2004.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from leakgauge.design.certificate import ROUNDING, Secrets, lower_bound
from leakgauge.probability.cells import Floats, log_or_zero

LARGEST_EPSILON = 30.0
SWEEPS = 40


class RatioBounds:
    """v(y, x) ≤ e^ε v(y, x'): one more variable l(y), and l ≤ v ≤ e^ε l."""

    def __init__(self, epsilon: float) -> None:
        # A larger ε is kept as this one, which is the stricter; its proof then needs no ratios at all.
        self.epsilon, self._capped = min(epsilon, LARGEST_EPSILON), epsilon > LARGEST_EPSILON
        self._top = math.exp(self.epsilon)

    def extra(self, entries: Floats) -> Floats:
        """The further variables that suit some entries: midway between the ends."""
        return np.asarray(np.sqrt(entries.min(axis=1) * entries.max(axis=1) / self._top))

    def slacks(self, prior: Floats, entries: Floats, extra: Floats) -> Floats:
        """How far each inequality is from its edge, above 0 inside: the lower edges, then the upper ones."""
        return np.concatenate([(entries - extra[:, None]).ravel(), (self._top * extra[:, None] - entries).ravel()])

    def barrier(self, prior: Floats, entries: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """Gradient and curvature of −Σ ln slacks in entries, then extras: each ties an entry to its output's extra."""
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
        """What the bound itself costs after a step, times the sharpness: 0, the prices of the rows say it all."""
        return 0.0

    def upper_bound(self, prior: Floats, entries: Floats, costs: Floats, prices: Floats, price: float) -> float:
        """−min over allowed channels of Σ p v costs, plus what the bound itself costs.

        By linear duality: prices π of the rows, lowered by τp until no column of bounded ratios is a gain.
        """
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
        """The leakage is convex: its curvature is one block per output."""
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


EntropyBounds: TypeAlias = RatioBounds | LeakageBounds


def _unbounded(prior: Floats, costs: Floats) -> float:
    """−min over all channels of Σ p v costs: each input releases its cheapest letter."""
    return -float(prior @ costs.min(axis=0)) + ROUNDING * float(abs(costs).max())


NEWTON = 60
NEAR = 1e-8
"""Where a step promises less than this, the centre is close enough for its prices to prove a bound."""


class Centre:
    """A channel strictly inside, moved to the centre of what is allowed at one sharpness after another.

    Args:
        prior: p(x), all above 0.
        start: a channel strictly inside, one row per input.
    """

    def __init__(self, prior: Floats, distances: Floats, most: float, bounds: EntropyBounds, start: Floats) -> None:
        self._prior, self._distances, self._most, self._bounds = prior, distances.T, most, bounds
        self._entries = np.ascontiguousarray(start.T)
        self._extra = bounds.extra(self._entries)
        self._prices, self._price, self._own_price, self._sharpness = np.zeros(len(prior)), 0.0, 0.0, 1.0
        self.steps = 0

    @property
    def channel(self) -> Floats:
        """One row per input, summing to 1."""
        rows = self._entries.T
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))

    @property
    def entropy(self) -> float:
        """H(Y) in nats."""
        seen = self._entries @ self._prior
        return -float(seen @ log_or_zero(seen))

    def upper_bound(self) -> float:
        """What no allowed channel's H(Y) exceeds, by the prices met here."""
        price, seen = self._price, self._entries @ self._prior
        costs = np.log(seen / seen.sum())[:, None] + price * self._distances
        paid = price * self._most
        bound = self._bounds.upper_bound(self._prior, self._entries, costs, self._prices, self._own_price)
        return bound + paid + ROUNDING * (1 + paid)

    def centre(self, sharpness: float) -> bool:
        """Newton's steps to the centre; False where rounding leaves no direction."""
        self._sharpness = sharpness
        for _ in range(NEWTON):
            gradient, curvature = self._model()
            try:
                change, prices = self._direction(gradient, curvature)
            except np.linalg.LinAlgError:
                return False
            # Prices that fit the step, not only the place: the rounding of a nearly empty slack then cancels.
            pull = (self._prior * self._distances).ravel() / self._left(self._entries)
            used = 1 + float(pull @ change[: len(pull)])
            self._prices = prices / sharpness
            self._price = max(used / (sharpness * self._left(self._entries)), 0.0)
            moved = change[: self._entries.size].reshape(self._entries.shape)
            self._own_price = self._bounds.price(self._prior, self._entries, moved) / sharpness
            self.steps += 1
            fall = -float(gradient @ change)
            if not math.isfinite(fall):
                return False
            if fall < NEAR or not self._walk(change, fall):
                return True
        return True

    def _left(self, entries: Floats) -> float:
        return self._most - float((entries * self._distances) @ self._prior @ np.ones(len(entries)))

    def _model(self) -> tuple[Floats, Floats]:
        """Gradient and curvature of −sharpness · H(Y) and the barriers."""
        entries, prior = self._entries, self._prior
        gradient, curvature = self._bounds.barrier(prior, entries, self._extra)
        size, (outputs, inputs) = entries.size, entries.shape
        seen, left = entries @ prior, self._left(entries)
        pull = (prior * self._distances).ravel() / left
        gradient[:size] += self._sharpness * (np.log(seen)[:, None] * prior).ravel() + pull
        curvature[:size, :size] += np.outer(pull, pull)
        for y in range(outputs):
            own = slice(y * inputs, (y + 1) * inputs)
            curvature[own, own] += self._sharpness * np.outer(prior, prior) / seen[y]
        return gradient, curvature

    def _direction(self, gradient: Floats, curvature: Floats) -> tuple[Floats, Floats]:
        """The step that keeps the rows' sums (and mends them), and the prices of the rows."""
        outputs, inputs = self._entries.shape
        scale = 1 / np.sqrt(np.diag(curvature))
        sums = np.zeros((inputs, len(gradient)))
        sums[:, : self._entries.size] = np.tile(np.eye(inputs), outputs)
        whole = np.zeros((len(gradient) + inputs,) * 2)
        whole[: len(gradient), : len(gradient)] = curvature * scale * scale[:, None]
        tied = sums * scale
        unit = 1 / np.sqrt((tied**2).sum(axis=1))
        whole[len(gradient) :, : len(gradient)] = tied * unit[:, None]
        whole[: len(gradient), len(gradient) :] = whole[len(gradient) :, : len(gradient)].T
        short = 1 - self._entries.sum(axis=0)
        right = np.concatenate([-gradient * scale, short * unit])
        found = np.linalg.solve(whole, right)
        return scale * found[: len(gradient)], -unit * found[len(gradient) :]

    def _walk(self, change: Floats, fall: float) -> bool:
        """A step as long as it stays inside and falls; False where none does."""
        size, length = self._entries.size, 1.0
        while length > 1e-10:
            entries = self._entries + length * change[:size].reshape(self._entries.shape)
            extra = self._extra + length * change[size:]
            if self._rise(entries, extra) <= -0.1 * length * fall:
                self._entries, self._extra = entries, extra
                return True
            length /= 2
        return False

    def _rise(self, entries: Floats, extra: Floats) -> float:
        """How much higher −sharpness · H(Y) and the barriers are elsewhere; infinite outside.

        As a sum of small differences: at a great sharpness the difference of two sums would be rounding alone.
        """
        prior, left = self._prior, self._left(entries)
        slacks = self._bounds.slacks(prior, entries, extra)
        if left <= 0 or entries.min() <= 0 or slacks.min() <= 0:
            return math.inf
        before, seen = self._entries @ prior, entries @ prior
        moved = (entries - self._entries) @ prior
        rise = float(moved @ np.log(before) + seen @ np.log1p(moved / before))
        closer = np.log(slacks / self._bounds.slacks(prior, self._entries, self._extra)).sum()
        return self._sharpness * rise - math.log(left / self._left(self._entries)) - float(closer)

"""Walks to the channel of largest output entropy along the centre of what is allowed. All in nats.

Rows are outputs here, as in ``columns``: a matrix v(y, x) = q(y|x), its output law r(y) = Σ_x p(x) v(y, x).

Reference: Boyd and Vandenberghe, Convex optimization, section 11.3, 2004.
"""

from __future__ import annotations

import math

import numpy as np

from leakgauge.design.certificate import ROUNDING
from leakgauge.design.entropy_bounds import Bounds
from leakgauge.probability.cells import Floats, log_or_zero

NEWTON = 60
NEAR = 1e-8
"""Where a step promises less than this, the centre is close enough for its prices to prove a bound."""


class Centre:
    """A channel strictly inside, moved to the centre of what is allowed at one sharpness after another.

    Args:
        prior: p(x), all above 0.
        distances: a row an input.
        most: the largest mean distortion.
        bounds: what else to keep.
        start: a channel strictly inside, a row an input.
    """

    def __init__(self, prior: Floats, distances: Floats, most: float, bounds: Bounds, start: Floats) -> None:
        self._prior, self._distances, self._most, self._bounds = prior, distances.T, most, bounds
        self._entries = np.ascontiguousarray(start.T)
        self._extra = bounds.extra(self._entries)
        self._prices, self._price, self._own_price, self._sharpness = np.zeros(len(prior)), 0.0, 0.0, 1.0
        self.steps = 0

    @property
    def channel(self) -> Floats:
        """A row an input, summing to 1."""
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

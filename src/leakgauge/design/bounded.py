"""Minimises over channels whose ratios are bounded, by prices of the rows; without background.

Give each input x a price π(x) for a unit of its row. No column v of the cone with Σ_x p(x) v(x) = 1 costs less than
g_y(π) = min Σ_x p(x) v(x) (ln v(x) + cost(x, y) − π(x)), so every channel costs at least Σ_x p(x) π(x) + min_y g_y(π),
whatever the prices. The least column is known: e^(π − cost) clipped to a window from l to e^ε l, which lies where what
is cut off above balances what is added below. Newton's steps on Σ p π + μ Σ_y ln g_y(π), μ falling, find the best
prices; there the least columns, each μ / g_y times, are the channel. A step costs two products of inputs² × outputs.

Reference: Boyd and Vandenberghe, Convex optimization, sections 11.3 and 11.7, 2004.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leakgauge.design.certificate import ROUNDING
from leakgauge.design.columns import Optimum
from leakgauge.design.cones import Window
from leakgauge.measures.interior import reach
from leakgauge.probability.cells import Floats, log_or_zero

STEPS = 300
TIDYING = 4  # steps after the gap is reached in which a channel without hardly used letters is still looked for
RARE = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8)  # letters released less often than these are left out, the most the proof allows
FINEST = 1e-17  # the least μ in nats: below it, rounding is all that changes
SHRINK = 0.15  # how far μ falls once the present one is as good as met
STIFFEST, SOFTEST = 1e4, 1e-13
"""Most and least of the curvature added to a step; free entries alone have a curvature of 1 in this unit."""


def minimise_bounded(prior: Floats, costs: Floats, window: Window, gap: float) -> Optimum:
    """The channel of least I(X;Y) + E cost whose columns lie in the window; the caller checks how far the bound is.

    Costs are finite; the search ends at the gap, or when its steps run out or lead nowhere.
    """
    search = _Search(Columns(prior, costs, window))
    best, channel = math.inf, np.zeros((0, 0))
    step, spare = 0, TIDYING
    while True:
        cost, now = search.channel(0.0)
        if cost < best:
            best, channel = cost, now
        if best - search.lower <= gap / 2:
            spare -= 1
            for least in RARE:
                cost, now = search.channel(least)
                if cost - search.lower <= gap:
                    return Optimum(now, search.lower, step)
        if spare == 0 or step == STEPS or search.mu < FINEST or not search.advance():
            break
        step += 1
    if best - search.lower <= gap:
        channel = _narrowed(prior, costs, window, channel, search.lower + gap)
    else:
        _, channel = min((search.channel(least) for least in RARE), key=lambda pair: pair[0])
    return Optimum(channel, search.lower, step)


def _narrowed(prior: Floats, costs: Floats, window: Window, channel: Floats, most: float) -> Floats:
    """The best channel of fewer letters, if it costs no more than this; else the channel itself.

    Letters that are all but dead cannot be rounded to multiples of 2^-53 and keep their ratios.
    """
    seen = prior @ channel
    for least in RARE:
        kept = np.flatnonzero(seen > least)
        if 0 < len(kept) < len(seen):
            cost, own = _Search.settled(Columns(prior, costs[:, kept], window), most)
            if cost <= most:
                narrow = np.zeros_like(channel)
                narrow[:, kept] = own
                return narrow
    return channel


@dataclass(frozen=True)
class LeastColumns:
    """The least columns at prices π; rows are outputs.

    ``values`` is g, from below, ``shares`` p(x) v(x), each row summing to 1, and ``free`` what no edge cuts.
    """

    prices: Floats
    values: Floats
    shares: Floats
    free: npt.NDArray[np.bool_]

    def curvature(self, usage: Floats) -> Floats:
        """Of −Σ_y usage(y) g_y(π), for a heat of 1."""
        shares, cut = self.shares, np.where(self.free, 0.0, self.shares)
        parts = cut.sum(axis=1)
        weights = np.where(parts > 0, usage / np.where(parts > 0, parts, 1.0), 0.0)
        matrix = cut.T @ (weights[:, None] * cut) - shares.T @ (usage[:, None] * shares)
        at = np.arange(len(matrix))
        matrix[at, at] += usage @ (shares - cut)
        return np.asarray(matrix)


class Columns:
    """What the columns of the cone cost."""

    def __init__(self, prior: Floats, costs: Floats, window: Window) -> None:
        self.prior, self.costs = prior, np.ascontiguousarray(costs.T)
        self.window, self.low, self.high = window, window.low, window.high
        self._edges = np.log(self.low), np.log(self.high)

    def least(self, prices: Floats, heat: float = 1.0) -> LeastColumns:
        """The least column of each output, with the logarithm counted ``heat`` times.

        The value is proven for any place of the window: edges push by up and down, and where the pull down is made no
        larger than the push up, no column of the cone gains by them.
        """
        scores = (prices - self.costs) / heat
        places = self._places(scores)[:, None]
        up = np.maximum(self._edges[0] - scores - places, 0.0)
        down = np.maximum(scores + places - self._edges[1], 0.0)
        free = (up == 0) & (down == 0)
        pushed, pulled = up @ (self.prior * self.low), down @ (self.prior * self.high)
        balance = np.minimum(pushed / np.where(pulled > 0, pulled, 1.0), 1.0)
        scores += up - balance[:, None] * down
        highest = scores.max(axis=1, keepdims=True)
        shares = self.prior * np.exp(scores - highest)
        totals = shares.sum(axis=1, keepdims=True)
        return LeastColumns(prices, -heat * (highest + np.log(totals))[:, 0], shares / totals, free)

    def lower(self, least: LeastColumns) -> float:
        """What every channel of the cone costs at least, in nats, by columns with a heat of 1."""
        value = float(self.prior @ least.prices + least.values.min())
        size = float(self.prior @ abs(least.prices) + abs(least.prices).max() + self.costs.max())
        return value - ROUNDING * (1 + size)

    def _places(self, scores: Floats) -> Floats:
        """ln of the factor of e^scores at which a window of 1 to e^ε cuts off as much as it adds, an output each.

        Push less pull falls along straight pieces between the places where an entry meets an edge.
        """
        outputs, inputs = scores.shape
        places = np.concatenate([edge - scores for edge in self._edges], axis=1)
        order = np.argsort(places, axis=1)
        places = np.take_along_axis(places, order, axis=1)
        bends = np.concatenate([-self.prior * self.low, self.prior * self.high])[order]
        # Beyond its lower edge an entry is pushed no more, beyond its upper one it is pulled.
        falls = np.maximum(float(self.prior @ self.low) + np.cumsum(bends, axis=1), 0.0)[:, :-1]
        first = (self._edges[0] - scores) @ (self.prior * self.low) - places[:, 0] * float(self.prior @ self.low)
        levels = first[:, None] - np.cumsum(falls * np.diff(places, axis=1), axis=1)
        at, row = (levels > 0).sum(axis=1), np.arange(outputs)
        at = np.minimum(at, 2 * inputs - 2)
        before = np.where(at == 0, first, levels[row, at - 1])
        fall = falls[row, at]
        return np.asarray(places[row, at] + np.where(fall > 0, before / np.where(fall > 0, fall, 1.0), 0.0))


class _Search:
    """Prices on their way to the best, with how often each output is used."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        least = columns.least(np.zeros(len(columns.prior)))
        # All columns about as far from being used, however much they differ.
        spread = max(1.0, float(np.ptp(least.values)))
        self.lower = columns.lower(least)
        self._heat, self._here = 1.0, _shifted(least, float(least.values.min()) - spread)
        self._usage = 1 / self._here.values
        self._usage /= self._usage.sum()
        self.mu = float((self._usage * self._here.values).mean())
        self._stiffness = 1e-3
        self._warm()

    @classmethod
    def settled(cls, columns: Columns, most: float) -> tuple[float, Floats]:
        """The first channel that costs no more than this, or the last one looked at."""
        search = cls(columns)
        for _ in range(STEPS):
            cost, channel = search.channel(0.0)
            if cost <= most or search.lower > most or not search.advance():
                break
        return cost, channel

    def channel(self, least: float) -> tuple[float, Floats]:
        """The cost in nats and the channel of the columns used more often than this; its rows sum to 1."""
        columns, prior = self._columns, self._columns.prior
        usage = np.where(self._usage > least, self._usage, 0.0)
        entries = usage[:, None] * self._here.shares / prior
        totals = entries.sum(axis=0)
        if totals.min() <= 0:
            return math.inf, entries.T
        entries /= totals
        # Mending the rows moves columns out of the cone.
        entries = self._columns.window.inside(entries.T).T
        seen = entries @ prior
        told = log_or_zero(entries) - log_or_zero(seen)[:, None] + columns.costs
        return float((entries * told).sum(axis=0) @ prior), np.asarray(entries.T)

    def advance(self) -> bool:
        """One Newton step, stiffened until it gains; False where none does."""
        here, mu, prior = self._here, self.mu, self._columns.prior
        # Of −Σ p π − μ Σ ln g, with the usage in the place of μ / g.
        steep = here.shares.T @ ((self._usage / here.values)[:, None] * here.shares)
        curvature = steep + here.curvature(self._usage) / self._heat
        short = prior - (mu / here.values) @ here.shares
        now = self._merit(here)
        while self._stiffness <= STIFFEST:
            change = newton_step(curvature, self._stiffness / self._heat, prior, short)
            length, gain = 1.0, 0.0 if change is None else float(short @ change)
            while change is not None and length > 0.05:
                after = self._columns.least(here.prices + length * change, self._heat)
                # Differences below rounding are no reason to stay.
                if self._merit(after) >= now + 1e-4 * length * gain - 1e-14 * (1 + abs(now)):
                    self._go(after, change, length)
                    if gain <= mu and length > 0.3:
                        self.mu *= SHRINK
                        self._warm()
                    return True
                length *= 0.4
            self._stiffness = 10 * self._stiffness
        return False

    def _go(self, after: LeastColumns, change: Floats, length: float) -> None:
        """Take a step of the prices, and of the usage as far as it stays above 0."""
        before, mu = self._here, self.mu
        usage = (mu + self._usage * (before.shares @ change)) / before.values - self._usage
        usage = self._usage + min(length, reach(self._usage, usage, 0.99)) * usage
        centre = mu / after.values
        self._here, self._usage = after, np.clip(usage, 0.01 * centre, 100 * centre)
        if self._heat == 1:
            self.lower = max(self.lower, self._columns.lower(after))
        if length == 1:
            self._stiffness = max(self._stiffness / 5, SOFTEST)
        elif length < 0.3:
            self._stiffness *= 3

    def _warm(self) -> None:
        """Let the heat follow μ.

        Where costs are far wider than the window, every entry is cut and a step sees no curvature; while μ is large it
        does no harm to count the logarithms more, which leaves some entries free.
        """
        heat = max(1.0, self.mu * len(self._here.values))
        if heat != self._heat:
            after = self._columns.least(self._here.prices, heat)
            self._heat, self._here = heat, _shifted(after, float(after.values.min() - self._here.values.min()))

    def _merit(self, least: LeastColumns) -> float:
        if least.values.min() <= 0.01 * self._here.values.min():
            return -math.inf
        return float(self._columns.prior @ least.prices + self.mu * np.log(least.values).sum())


def _shifted(least: LeastColumns, shift: float) -> LeastColumns:
    """The same columns with every price this much higher."""
    return LeastColumns(least.prices + shift, least.values - shift, least.shares, least.free)


def newton_step(matrix: Floats, stiffness: float, prior: Floats, right: Floats) -> Floats | None:
    """The step of a curvature, made stiffer; None where rounding leaves it without a direction."""
    unit = 1 / np.sqrt(prior)
    scaled = matrix * unit * unit[:, None]
    at = np.arange(len(prior))
    scaled[at, at] += stiffness
    try:
        change = np.asarray(unit * np.linalg.solve(scaled, unit * right))
    except np.linalg.LinAlgError:
        return None
    return change if float(right @ change) > 0 else None

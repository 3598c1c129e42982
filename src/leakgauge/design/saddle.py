"""Channels that keep the shares, against an attacker who knows Z: Σ_x p(x) q(y|x) = p(y), least I(X;Y|Z). All in nats.

For any r(y|z) > 0, prices g(y) of the shares, and prices μ(x) ≥ 0 of the least diagonals q(x|x) ≥ κ(x), let

    Φ = Σ p g + Σ κ p μ − Σ_x p(x) ln Σ_y exp(Σ_z p(z|x) ln r(y|z) − cost + g(y) + μ(x) [x = y]).

It is convex in r and concave in the prices. Newton's steps find the best prices for an r exactly, so that Φ is a convex
function of r alone, which Newton's steps make small in turn: sweeps alone stall where values hardly ever change, since
the prices then follow from next to nothing.

With q the normalised terms and c(y,z) = Σ_x p(x|z) q(y|x) / r(y|z), no channel that keeps the shares costs less than

    Φ − ln max Σ_x,y J(x,y) Σ_z p(z|x) c(y,z),

the largest over all plans J whose rows and columns add up to p: the tangent of Φ in r. It is bounded by any numbers of
x and of y whose sums are nowhere below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.linalg.lapack import dposv

from leakgauge.design.certificate import ROUNDING, Secrets, ratio_loss
from leakgauge.design.columns import Optimum
from leakgauge.design.newton import direction, shown
from leakgauge.design.sweeps import STEP_CELLS
from leakgauge.design.transport import LARGEST_MOVE, climbed, mean_cost, rounded_to_shares
from leakgauge.probability.cells import Floats

Flags: TypeAlias = npt.NDArray[np.bool_]

STEPS = 400  # Newton's steps in r at most; less than ten are usual
IDLE = 50  # steps without a gap narrower by a tenth after which rounding is all that is left
BALANCES = 100  # Newton's steps to the prices of one r; about five are usual
START = 1e-3  # the gap in nats of the channel for nobody that the search starts from
SHORTEST = 1e-3  # part of a step below which none helps
RIDGES = (1e-14, 1e-10)
"""Added to the diagonal of the system of the prices, in its unit: values that pass nothing on to others have none."""
LEAST = 1e-250  # no weight falls below it: far below anything that costs


@dataclass(frozen=True)
class _Balanced:
    """Weights w(y,z) = p(z) r(y|z), one row per letter that adds up to its share, and the best prices for them.

    ``value`` is Φ, ``held`` μ.
    """

    weights: Floats
    prices: Floats
    value: float
    channel: Floats
    held: Floats

    @property
    def free(self) -> Floats:
        """The entries that move with the weights."""
        return _without_diagonal(self.channel, self.held > 0)


def alternate_keeping(
    secrets: Secrets, costs: Floats, floors: Floats, gap: float, start: tuple[Floats, Floats] | None = None
) -> tuple[Optimum, tuple[Floats, Floats]]:
    """The channel of least I(X;Y|Z) + E cost that keeps the shares; and w and g, for a neighbour to start from."""
    prior = secrets.prior
    if start is None:
        start = np.outer(prior, secrets.background), climbed(prior, costs, floors, START)[1] - np.log(prior)
    search, light = _Search(secrets, costs, floors, gap), secrets.joint.size * len(prior) <= STEP_CELLS
    here = search.balanced(*start)
    best, lower, channel, done, narrowest, idle = math.inf, -math.inf, np.empty(0), 0, math.inf, 0
    while True:
        lower = max(lower, search.bound(here))
        kept = rounded_to_shares(here.channel, prior, floors, costs)
        value = secrets.leakage(kept) + mean_cost(prior, costs, kept)
        if value < best:
            best, channel = value, kept
        worthwhile = light or best - lower > narrowest / 2
        idle, narrowest = (0, best - lower) if best - lower < 0.9 * narrowest else (idle + 1, narrowest)
        if best - lower <= gap or done == STEPS or idle > IDLE:
            return Optimum(channel, lower, done), (here.weights, here.prices)
        # Where backgrounds are many a step costs far more than a sweep: sweeps alone as long as they lead on. They also
        # bring weights that are far too small up at once, where a step only doubles them.
        here = search.balanced(shown(secrets, here.channel), here.prices)
        here, done = search.stepped(here) if worthwhile else here, done + 1


class _Search:
    """The steps of one problem."""

    def __init__(self, secrets: Secrets, costs: Floats, floors: Floats, gap: float) -> None:
        self._secrets, self._costs, self._floors, self._gap = secrets, costs, floors, gap
        self._prior = secrets.prior

    def seen(self, weights: Floats) -> Floats:
        """ln r(y|z), one row per background."""
        return np.asarray(np.log(weights / self._secrets.background).T)

    def bound(self, here: _Balanced) -> float:
        """What no channel undercuts, by these weights and prices."""
        return keeping_bound(self._secrets, self._costs, self._floors, self.seen(here.weights), here.prices)

    def balanced(self, weights: Floats, prices: Floats) -> _Balanced:
        """The best prices, on from these, until the shares are kept as closely as rounding allows."""
        prior = self._prior
        weights = weights * (prior / weights.sum(axis=1))[:, None]
        weights = np.maximum(weights, LEAST)
        scores = self._secrets.given_secret @ self.seen(weights) - self._costs

        def look(prices: Floats) -> _Balanced:
            channel, sums, held = _induced(scores + prices, self._floors)
            value = float(prior @ (prices - sums)) + float((self._floors * prior) @ held)
            return _Balanced(weights, prices, value, channel, held)

        here, closest = look(prices), math.inf
        for _ in range(BALANCES):
            # What comes in and what goes out, without the diagonal, next to which either may be lost.
            passed = _without_diagonal(here.channel)
            short = prior * passed.sum(axis=1) - prior @ passed
            off = float(abs(short).sum())
            move = self._to_balance(here.free, short)
            promised = float(short @ move)
            # Shares that are off by next to nothing cost much where costs are large.
            if promised <= self._gap / 100 and off > closest / 2:
                break
            closest, length = min(closest, off), LARGEST_MOVE / max(LARGEST_MOVE, float(abs(move).max()))
            while (after := look(here.prices + length * move)).value < here.value + 1e-4 * length * promised - ROUNDING:
                length /= 2
                if length < ROUNDING:
                    return here
            here = after
        return here

    def _to_balance(self, free: Floats, short: Floats) -> Floats:
        """Newton's step of the prices; the diagonal is the sum of what it ties, since a difference would lose it."""
        ties = _without_diagonal((free * (self._prior / free.sum(axis=1))[:, None]).T @ free)
        unit = 1 / np.sqrt(np.maximum(ties.sum(axis=1), np.finfo(np.float64).tiny))
        system = -ties * unit * unit[:, None]
        for ridge in RIDGES:
            np.fill_diagonal(system, 1 + ridge)
            # As cho_solve of cho_factor, which take longer to look at what they are given than to solve it.
            _, move, failed = dposv(system, unit * short, lower=True)
            if failed or not np.isfinite(move).all():
                continue
            move *= unit
            # Prices that all grow alike change nothing.
            return np.asarray(move - self._prior @ move)
        return np.asarray(unit * unit * short)

    def stepped(self, here: _Balanced) -> _Balanced:
        """After Newton's step in r, as much of it as makes Φ smaller; where there is none, what was given."""
        shows = shown(self._secrets, here.channel)
        try:
            change = direction(self._secrets, here.free, shows, shows - here.weights, kept=True)
        except np.linalg.LinAlgError:
            return here
        # The part of it that is the prices' own.
        up = (shows * change).sum(axis=1) / shows.sum(axis=1)
        change -= up[:, None]
        promised, length = float(((shows - here.weights) * change).sum()), 1.0
        while promised > 0 and length > SHORTEST:
            part = length * change
            # Towards 0 by 1 / (1 − δ) instead of 1 + δ, which is the same for small changes and never negative.
            factors = np.where(part < 0, 1 / (1 - np.minimum(part, 0.0)), 1 + np.maximum(part, 0.0))
            prices = here.prices + np.clip(length * up, -LARGEST_MOVE, LARGEST_MOVE)
            after = self.balanced(here.weights * factors, prices)
            # What is less than rounding shows in the proof alone.
            falls = after.value <= here.value - 1e-4 * length * promised
            if self.bound(after) > self.bound(here) if promised <= ROUNDING else falls:
                return after
            length /= 4
        return here


def _without_diagonal(table: Floats, where: Flags | bool = True) -> Floats:
    table = table.copy()
    _diagonal(table)[where] = 0.0
    return table


def _diagonal(table: Floats) -> Floats:
    """The diagonal of a square table, to be read and written."""
    view: Floats = np.einsum("ii->i", table)
    return view


def _induced(scores: Floats, floors: Floats) -> tuple[Floats, Floats, Floats]:
    """The channel ∝ e^scores with at least these diagonals, the logarithm of each row's sum, and the prices μ."""
    highest = scores.max(axis=1, keepdims=True)
    terms = np.exp(scores - highest)
    own = _diagonal(terms)
    others = terms.sum(axis=1) - own
    prices = np.zeros(len(scores))
    low = own < floors * (own + others)
    if low.any():
        with np.errstate(divide="ignore"):
            prices[low] = np.log(floors[low] * others[low] / (1 - floors[low])) - np.log(own[low])
        own *= np.exp(prices)
    totals = terms.sum(axis=1, keepdims=True)
    return terms / totals, (highest + np.log(totals))[:, 0], prices


def keeping_bound(secrets: Secrets, costs: Floats, floors: Floats, seen: Floats, prices: Floats) -> float:
    """What every channel that keeps the shares costs at least, by any ln r(y|z) and prices g of the shares."""
    prior = secrets.prior
    channel, sums, held = _induced(secrets.given_secret @ seen - costs + prices, floors)
    loss, felt = ratio_loss(secrets, channel, seen)
    loss += math.log(min(_most(prior, felt), _most(prior, felt.T)))
    value = float(prior @ prices) + float((floors * prior) @ held) - float(prior @ sums)
    size = 1 + float(prior @ abs(prices)) + float(prior @ abs(sums)) + float(prior @ held) + abs(loss)
    return value - loss - ROUNDING * size


def _most(prior: Floats, table: Floats) -> float:
    """What no plan with these marginals exceeds on the table: the largest of each row, less what no column needs."""
    rows = table.max(axis=1)
    return float(prior @ rows) + float(prior @ (table - rows[:, None]).max(axis=0))

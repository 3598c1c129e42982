"""Minimises over channels that keep the shares and whose ratios are bounded. All in nats.

Every column y has Σ_x p(x) v(x) = p(y), so that in the terms of ``bounded`` it is p(y) times a column of the cone of
sum 1. For any prices π(x) of the rows no such channel costs less than

    Σ_x p(x) π(x) + Σ_y p(y) g_y(π),

g_y(π) the least of Σ_x p(x) v(x) (ln v(x) + cost(x, y) − π(x)) over these columns. Nothing ties the prices: Newton's
steps climb this concave function, and where it is highest the least columns are the channel.

With an attacker who knows Z, the same is done with cost(x, y) − Σ_z p(z|x) ln r(y|z), r(y|z) being what the channel
before shows; the push and pull of the windows are then part of the costs, and the bound is that of ``saddle``.
"""

from __future__ import annotations

import math

import numpy as np

from leakgauge.design.bounded import Columns, LeastColumns, newton_step
from leakgauge.design.certificate import ROUNDING, Secrets
from leakgauge.design.columns import Optimum
from leakgauge.design.cones import Window
from leakgauge.design.saddle import keeping_bound
from leakgauge.design.transport import cost_of, mean_cost, rounded_to_shares
from leakgauge.probability.cells import Floats

STEPS = 400
IDLE = 15  # steps without a smaller gap after which none is expected: at steep slopes rounding is all that is left
SWEEPS = 5_000
COOLING = 0.3  # how far the heat falls once its own best prices are as good as met
SETTLED = 1e-3  # what a step promises then, in the unit of the heat
STIFFEST, SOFTEST, SOFT = 1e4, 1e-13, 1e-6  # most, least and first of the curvature added to a step
LOWEST = -600.0  # weights below e^-600 are not told apart from it


def minimise_balanced(prior: Floats, costs: Floats, window: Window, gap: float) -> Optimum:
    """The channel of least I(X;Y) + E cost that keeps the shares and whose columns lie in the window.

    Costs are finite; the search ends at the gap, or when its steps run out or lead nowhere.
    """
    climb = _Climb(prior, costs, window)
    climb.cool()
    best, channel, lower, idle, step = math.inf, np.empty(0), -math.inf, 0, 0
    while True:
        narrowest = best - lower
        lower = max(lower, climb.bound())
        now = balanced(climb.channel(), prior, window)
        cost = cost_of(prior, costs, now)
        if cost < best:
            best, channel = cost, now
        idle = 0 if best - lower < 0.9 * narrowest else idle + 1
        if best - lower <= gap or idle > IDLE or step == STEPS or not climb.advance():
            return Optimum(channel, lower, climb.steps)
        step += 1


def alternate_balanced(
    secrets: Secrets, costs: Floats, window: Window, gap: float, start: tuple[Floats, Floats] | None = None
) -> tuple[Optimum, tuple[Floats, Floats]]:
    """The same for I(X;Y|Z) + E cost; and ln r and the prices, for a neighbour to start from."""
    prior, unheld = secrets.prior, np.zeros(len(secrets.prior))
    if start is None:
        seen = np.broadcast_to(np.log(prior), (len(secrets.background), len(prior))).copy()
        climb = _Climb(prior, costs - secrets.given_secret @ seen, window)
        climb.cool()
    else:
        seen = start[0]
        climb = _Climb(prior, costs - secrets.given_secret @ seen, window, start[1])
    best, channel, lower, idle, done = math.inf, np.empty(0), -math.inf, 0, 0
    while True:
        narrowest = best - lower
        climb.advance()
        shift, letters = climb.pressure()
        lower = max(lower, keeping_bound(secrets, costs + shift, unheld, seen, letters))
        now = balanced(climb.channel(), prior, window)
        value = secrets.leakage(now) + mean_cost(prior, costs, now)
        if value < best:
            best, channel = value, now
        done, idle = done + 1, 0 if best - lower < 0.9 * narrowest else idle + 1
        if best - lower <= gap or done >= SWEEPS or idle > 10 * IDLE:
            return Optimum(channel, lower, done), (seen, climb.prices)
        with np.errstate(divide="ignore"):
            seen = np.maximum(np.log(secrets.seen(now)), LOWEST)
        climb = climb.with_costs(costs - secrets.given_secret @ seen)


def balanced(channel: Floats, prior: Floats, window: Window) -> Floats:
    """A channel next to this one that keeps the shares and lies in the window.

    As much as it takes is mixed in of the channel that always releases the shares themselves, which does both.
    """
    kept = rounded_to_shares(channel, prior, np.zeros(len(prior)), np.zeros_like(channel))
    low, high = window.low[:, None], window.high[:, None]
    over = (kept / high).max(axis=0) - (kept / low).min(axis=0)
    room = prior / window.low.max() - prior / window.high.min()
    share = float(np.max(np.where(over > 0, over / np.where(over > 0, over + room, 1.0), 0.0)))
    return np.asarray((1 - share) * kept + share * prior)


class _Climb:
    """Prices on their way to the highest bound.

    While the heat is above 1 logarithms count so many times: where costs are far wider than the window every entry is
    cut, and a step would see no curvature.
    """

    def __init__(self, prior: Floats, costs: Floats, window: Window, prices: Floats | None = None) -> None:
        self._prior, self._window, self._columns = prior, window, Columns(prior, costs, window)
        self.prices = np.zeros(len(prior)) if prices is None else prices
        self._heat, self._stiffness, self._promised, self.steps = 1.0, SOFT, 0.0, 0

    def with_costs(self, costs: Floats) -> _Climb:
        """The same prices for other costs."""
        after = _Climb(self._prior, costs, self._window, self.prices)
        after._stiffness = self._stiffness
        return after

    @property
    def _here(self) -> LeastColumns:
        return self._columns.least(self.prices, self._heat)

    def channel(self) -> Floats:
        """The least columns; rows sum to 1 at the best prices only."""
        return np.asarray((self._prior[:, None] * self._here.shares / self._prior).T)

    def bound(self) -> float:
        """What every channel costs at least, by these prices and a heat of 1."""
        prior, values = self._prior, self._here.values
        size = 1 + float(prior @ abs(self.prices)) + float(prior @ abs(values)) + float(abs(self._columns.costs).max())
        return float(prior @ (self.prices + values)) - ROUNDING * size

    def pressure(self) -> tuple[Floats, Floats]:
        """What the windows add to the costs so that they may be left out of a proof, and the prices of the shares."""
        here = self._here
        free = np.log(here.shares / self._prior) - here.values[:, None]
        return np.asarray((self.prices - self._columns.costs - free).T), np.log(self._prior) + here.values

    def cool(self) -> None:
        """From a heat at which the costs fit the window down to 1."""
        room = float(np.log(self._window.high / self._window.low).max())
        self._heat = max(1.0, float(np.ptp(self._columns.costs, axis=1).max()) / min(max(room, 1.0), 4.0))
        while self._heat > 1:
            if not self.advance() or self._promised <= SETTLED * self._heat or self.steps >= STEPS:
                self._heat, self._stiffness = max(1.0, COOLING * self._heat), max(self._stiffness, SOFTEST)

    def advance(self) -> bool:
        """One Newton step, stiffened until it gains; False where none does."""
        prior, here = self._prior, self._here
        value, short = self._value(here), prior - prior @ here.shares
        curvature = here.curvature(prior) / self._heat
        self.steps += 1
        while self._stiffness <= STIFFEST:
            change, length = newton_step(curvature, self._stiffness / self._heat, prior, short), 1.0
            self._promised = 0.0 if change is None else float(short @ change)
            while change is not None and length > 0.05:
                after = self._columns.least(here.prices + length * change, self._heat)
                # Differences below rounding are no reason to stay.
                if self._value(after) >= value + 1e-4 * length * self._promised - 1e-15 * (1 + abs(value)):
                    self.prices = after.prices
                    self._stiffness *= 0.1 if length == 1 else 3.0 if length < 0.3 else 1.0
                    self._stiffness = max(self._stiffness, SOFTEST)
                    return True
                length *= 0.4
            self._stiffness *= 10
        self._stiffness = SOFT
        return False

    def _value(self, least: LeastColumns) -> float:
        return float(self._prior @ (least.prices + least.values))

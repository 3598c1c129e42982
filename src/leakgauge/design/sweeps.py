"""The alternating update for background that the attacker alone knows, accelerated, for problems too large for steps.

Letters that are dying slow it down most, so a letter that every background wants less of is set aside: it keeps its
shape r(y|·), which the proof needs, at next to no weight, and comes back when the proof asks for it, then for good.

Reference: Walker and Ni, Anderson acceleration for fixed-point iterations, SIAM J. Numerical Analysis 49(4), 2011.
"""

from __future__ import annotations

import math

import numpy as np

from leakgauge.design.certificate import Secrets, induced_by, lower_bound
from leakgauge.design.columns import Optimum
from leakgauge.probability.cells import Floats

SWEEPS = 20_000
LOOK = 60
"""Accelerated sweeps between two looks at the bound."""
FIRST_LOOK = 20
"""Sweeps before the first look, while all letters are swept."""
MEMORY = 15
"""Sweeps that one leap is made of."""
CLEARLY = 3.0
"""A letter is set aside when it shrinks so many times faster than any other grows."""
BACK = math.log(0.001)
"""The largest logarithm of a letter that comes back."""
SHAPING = 5
"""Sweeps for the shape of the letters set aside, at each look."""
ASIDE = -60.0
"""The largest logarithm of a letter that is set aside."""
LOWEST = -600.0
"""Weights below e^-600 are not told apart from it: far below anything that costs."""


def alternate(secrets: Secrets, costs: Floats, gap: float, start: Floats | None = None) -> Optimum:
    """The channel of least I(X;Y|Z) + E cost, by r(y|z) ← Σ p(x|z) q(y|x) and q ∝ exp(Σ p(z|x) ln r(y|z) − cost).

    Args:
        costs: in nats; infinite where a letter may not be released.
        gap: in nats; the sweeps end there, or when they run out.
        start: ln r(y|z) of a neighbouring problem.
    """
    shape = (len(secrets.background), costs.shape[1])
    here = np.full(shape, -math.log(shape[1]))
    if start is not None:
        # Halfway: letters that are dead there would take thousands of sweeps to come back from next to nothing.
        here = np.log((np.exp(start) + np.exp(here)) / 2)
    alive, returned = np.ones(shape[1], dtype=np.bool_), np.zeros(shape[1], dtype=np.bool_)
    best, channel, lower, done = math.inf, np.empty(0), -math.inf, 0
    while True:
        count = LOOK if done else FIRST_LOOK
        here[:, alive] = _accelerated(secrets, costs[:, alive], here[:, alive], count)
        done += count
        after, _ = _sweep(secrets, costs, here)
        for _ in range(SHAPING if not alive.all() else 0):
            here[:, ~alive] = _at_level(after[:, ~alive], ASIDE)
            after, _ = _sweep(secrets, costs, here)
        now, value = induced_by(secrets, costs, here)
        if value < best:
            best, channel = value, now
        lower = max(lower, lower_bound(secrets, costs, here))
        if best - lower <= gap or done >= SWEEPS:
            return Optimum(channel, lower, done)
        # Where letters are forbidden, a row whose only letters die would be left without any.
        if np.isinf(costs).any():
            continue
        growth = (after - here).max(axis=0)
        shrinks = growth < -CLEARLY * max(float(growth[alive].max()), gap / 100)
        dying, back = alive & ~returned & shrinks & (here.max(axis=0) < math.log(0.01)), ~alive & (growth > gap / 2)
        here[:, dying], here[:, back] = _at_level(here[:, dying], ASIDE), _at_level(here[:, back], BACK)
        alive, returned = (alive & ~dying) | back, returned | back


def _at_level(logarithms: Floats, level: float) -> Floats:
    """The same shapes, the largest entry of each at the level."""
    return np.asarray(np.maximum(logarithms - logarithms.max(axis=0) + level, LOWEST))


def _accelerated(secrets: Secrets, costs: Floats, start: Floats, count: int) -> Floats:
    """ln r after so many sweeps, each but the first from where the last few together point to.

    A leap that costs more than what was reached before is taken back, and the memory with it.
    """
    here, plain, best = start, start, math.inf
    points: list[Floats] = []
    moves: list[Floats] = []
    for _ in range(count):
        after, value = _sweep(secrets, costs, here)
        if value > best and len(points) > 1:
            here, points, moves = plain, [], []
            continue
        best, plain = min(best, value), after
        points, moves = [*points[-MEMORY:], here], [*moves[-MEMORY:], after - here]
        here = after if len(points) == 1 else _leap(secrets, points, moves)
    return plain


def _leap(secrets: Secrets, points: list[Floats], moves: list[Floats]) -> Floats:
    """Where the moves would vanish if they were linear in the points."""
    # Letters that are dying move without end in logarithms; they count by their weight.
    weights = np.sqrt(secrets.background)[:, None] * np.exp(np.minimum(points[-1] + moves[-1], 0.0) / 2)
    bends = np.diff(np.array(moves), axis=0)
    weighed = (bends * weights).reshape(len(bends), -1)
    system = weighed @ weighed.T
    # A little of the unit matrix keeps moves that hardly differ from being told apart by rounding.
    system[np.diag_indices(len(system))] += 1e-12 * np.trace(system) + np.finfo(np.float64).tiny
    shares = np.linalg.solve(system, weighed @ (moves[-1] * weights).ravel())
    back = np.tensordot(shares, np.diff(np.array(points), axis=0) + bends, 1)
    leap = np.maximum(points[-1] + moves[-1] - back, LOWEST)
    leap -= leap.max(axis=1, keepdims=True)
    return np.asarray(np.maximum(leap - np.log(np.exp(leap).sum(axis=1, keepdims=True)), LOWEST))


def _sweep(secrets: Secrets, costs: Floats, logarithms: Floats) -> tuple[Floats, float]:
    """ln r after one update, and the cost before it."""
    channel, value = induced_by(secrets, costs, logarithms)
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(secrets.seen(channel)), LOWEST), value

"""The alternating update for background that the attacker alone knows, accelerated.

Letters that are dying slow it down most, so a letter that every background wants less of is set aside: it keeps its
shape r(y|·), which the proof needs, at next to no weight, and comes back when the proof asks for it, then for good.

Once the letters are known Newton's steps do the rest, also for a neighbouring slope.

Reference: Walker and Ni, Anderson acceleration for fixed-point iterations, SIAM J. Numerical Analysis 49(4), 2011.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.design.certificate import Secrets, induced_by, lower_bound
from leakgauge.design.columns import Optimum
from leakgauge.design.newton import direction, shown
from leakgauge.probability.cells import Floats

Flags: TypeAlias = npt.NDArray[np.bool_]

SWEEPS = 20_000
LOOK = 60  # accelerated sweeps between two looks at the bound
IDLE = 20
"""Looks without a gap narrower by a tenth after which rounding is all that is left, where the gap is narrow already."""
NARROW = 1e-7
FIRST_LOOK = 20  # sweeps before the first look, while all letters are swept
MEMORY = 15  # sweeps that one leap is made of
CLEARLY = 3.0  # a letter is set aside when it shrinks so many times faster than any other grows
BACK = math.log(0.001)  # the largest logarithm of a letter that comes back
SHAPING = 5  # sweeps for the shape of the letters set aside, at each look
ASIDE = -60.0  # the largest logarithm of a letter that is set aside
CLOSE = 1e-5
"""The gap in nats from which on Newton's steps lead on: the letters that are used are then as good as known."""
STEP_CELLS = 1 << 23
"""Up to inputs × letters × backgrounds of this many numbers: beyond, a step takes longer than the sweeps it saves."""
NEWTON = 8  # Newton's steps between two looks at the bound
DYING = 0.9  # a letter that Newton's step would leave less than a tenth of is set aside
SHORTEST = 0.01  # part of a step below which none helps
RARE = math.log(0.01)  # the largest logarithm of a letter that may be set aside
MOST_WANTED = 0.3
"""Letters come back that the proof asks for at least so much as for the one it asks for most: others may do without."""
RETURNS = 3  # how often a letter may come back until it stays
LOWEST = -600.0  # weights below e^-600 are not told apart from it: far below anything that costs


def alternate(secrets: Secrets, costs: Floats, gap: float, start: Floats | None = None, most: int = SWEEPS) -> Optimum:
    """The channel of least I(X;Y|Z) + E cost, by r(y|z) ← Σ p(x|z) q(y|x) and q ∝ exp(Σ p(z|x) ln r(y|z) − cost).

    Costs are in nats, infinite where a letter may not be released; ``start`` is ln r(y|z) of a neighbouring problem.
    The sweeps end at the gap, or after the most of them.
    """
    shape = (len(secrets.background), costs.shape[1])
    here = np.full(shape, -math.log(shape[1])) if start is None else start
    alive, returned = here.max(axis=0) > ASIDE / 2, np.zeros(shape[1], dtype=np.int64)
    # Where letters are forbidden, a row whose only letters die would be left without any.
    none_forbidden = not np.isinf(costs).any()
    best, channel, lower, done, settles = math.inf, np.empty(0), -math.inf, 0, True
    narrowest, idle = math.inf, 0
    while True:
        open_gap = best - lower
        light = costs.shape[0] * here[:, alive].size <= STEP_CELLS
        if open_gap <= CLOSE and settles and none_forbidden and light:
            here, alive = _settled(secrets, costs, here, alive, returned < RETURNS, gap)
            steps = LOOK
        else:
            steps = LOOK if done else FIRST_LOOK
            here[:, alive] = _accelerated(secrets, costs[:, alive], here[:, alive], steps)
        done += steps
        after, _ = _sweep(secrets, costs, here)
        for _ in range(SHAPING if not alive.all() else 0):
            here[:, ~alive] = _at_level(after[:, ~alive], ASIDE)
            after, _ = _sweep(secrets, costs, here)
        now, value = induced_by(secrets, costs, here)
        if value < best:
            best, channel = value, now
        lower = max(lower, lower_bound(secrets, costs, here))
        idle = 0 if best - lower < 0.9 * narrowest or best - lower > NARROW else idle + 1
        narrowest = best - lower if idle == 0 else narrowest
        if best - lower <= gap or done >= most or idle > IDLE:
            return Optimum(channel, lower, done)
        settles = not settles or best - lower <= open_gap / 2
        if none_forbidden:
            growth = (after - here).max(axis=0)
            wanted = max(gap / 2, MOST_WANTED * float(growth[~alive].max(initial=0.0)))
            shrinks = growth < -CLEARLY * max(float(growth[alive].max()), gap / 100)
            mortal = returned < RETURNS
            dying, back = alive & mortal & shrinks & (here.max(axis=0) < RARE), ~alive & (growth > wanted)
            here[:, dying], here[:, back] = _at_level(here[:, dying], ASIDE), _at_level(here[:, back], BACK)
            alive, returned = (alive & ~dying) | back, returned + back
            here = _normalised(here)


def _settled(
    secrets: Secrets, costs: Floats, here: Floats, alive: Flags, mortal: Flags, gap: float
) -> tuple[Floats, Flags]:
    """ln r after some of Newton's steps in r, and the letters still alive."""
    here, used, shares = here.copy(), alive.copy(), secrets.background[:, None]
    for _ in range(NEWTON):
        weights = (shares * np.exp(here[:, used])).T
        channel, value = induced_by(secrets, costs[:, used], here[:, used])
        seen = shown(secrets, channel)
        try:
            change = direction(secrets, channel, seen, seen - weights)
        except np.linalg.LinAlgError:
            break
        promised = float(((seen - weights) * change).sum())
        dying = mortal[used] & ((seen * change).sum(axis=1) < -DYING * seen.sum(axis=1)) & (seen.sum(axis=1) < 0.01)
        if dying.any() and not dying.all():
            gone = np.flatnonzero(used)[dying]
            here[:, gone], used[gone] = _at_level(here[:, gone], ASIDE), False
            continue
        length, value = 1.0, value + float(weights.sum())
        while length > SHORTEST:
            part = length * change
            # Towards 0 by 1 / (1 − δ) instead of 1 + δ, which is the same for small changes and never negative.
            there = weights * np.where(part < 0, 1 / (1 - np.minimum(part, 0.0)), 1 + np.maximum(part, 0.0))
            logarithms = np.maximum(np.log(there.T / shares), LOWEST)
            if induced_by(secrets, costs[:, used], logarithms)[1] + there.sum() <= value - 1e-4 * length * promised:
                break
            length /= 3
        here[:, used] = logarithms
        if promised <= gap / 100 or length <= SHORTEST:
            break
    return _normalised(here), used


def _normalised(logarithms: Floats) -> Floats:
    """The same weights with a sum of 1 each background."""
    return np.asarray(logarithms - np.log(np.exp(logarithms).sum(axis=1, keepdims=True)))


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

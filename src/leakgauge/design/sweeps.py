"""The alternating update for background that the attacker alone knows, accelerated, for problems too large for steps.

Letters that are dying slow it down most, so a letter that every background wants less of is set aside: it keeps its
shape r(y|·), which the proof needs, at next to no weight, and comes back when the proof asks for it.

Reference: Varadhan and Roland, Simple and globally convergent methods for accelerating the convergence of any EM
algorithm, Scandinavian J. Statistics 35(2), 2008.
"""

from __future__ import annotations

import math

import numpy as np

from leakgauge.design.certificate import Secrets, lower_bound
from leakgauge.design.columns import Optimum
from leakgauge.probability.cells import Floats

SWEEPS = 20_000
LOOK = 10
"""Accelerated sweeps between two looks at the bound."""
SHAPING = 5
"""Sweeps for the shape of the letters set aside, at each look."""
ASIDE = -60.0
"""The largest logarithm of a letter that is set aside."""
LOWEST = -600.0
"""Weights below e^-600 are not told apart from it: far below anything that costs."""


def alternate(secrets: Secrets, costs: Floats, gap: float, start: Floats | None = None) -> Optimum:
    """The channel of least I(X;Y|Z) + E cost, by r(y|z) ← Σ p(x|z) q(y|x) and q ∝ exp(Σ p(z|x) ln r(y|z) − cost).

    Args:
        secrets: p(x, z).
        costs: in nats; infinite where a letter may not be released.
        gap: in nats; the sweeps end there, or when they run out.
        start: ln r(y|z) of a neighbouring problem.
    """
    shape = (len(secrets.background), costs.shape[1])
    here = np.full(shape, -math.log(shape[1])) if start is None else start.copy()
    alive = np.ones(shape[1], dtype=np.bool_)
    lower, done = -math.inf, 0
    while True:
        moving = here[:, alive]
        for _ in range(LOOK):
            moving = _accelerated(secrets, costs[:, alive], moving)
        here[:, alive] = moving
        done += 3 * LOOK
        after, _ = _sweep(secrets, costs, here)
        for _ in range(SHAPING if not alive.all() else 0):
            here[:, ~alive] = _at_level(after[:, ~alive], ASIDE)
            after, _ = _sweep(secrets, costs, here)
        channel, value = _induced(secrets, costs, here)
        lower = max(lower, lower_bound(secrets, costs, here))
        if value - lower <= gap or done >= SWEEPS:
            return Optimum(channel, lower, done)
        growth = (after - here).max(axis=0)
        dying, back = alive & (growth < 0) & (here.max(axis=0) < math.log(0.01)), ~alive & (growth > gap)
        # A row whose only letters die would be left without any; forbidden ones are only met at infinite slopes.
        if not np.isinf(costs).any():
            here[:, dying], here[:, back] = _at_level(here[:, dying], ASIDE), _at_level(here[:, back], math.log(0.001))
            alive = (alive & ~dying) | back


def _at_level(logarithms: Floats, level: float) -> Floats:
    """The same shapes, the largest entry of each at the level."""
    return np.asarray(np.maximum(logarithms - logarithms.max(axis=0) + level, LOWEST))


def _accelerated(secrets: Secrets, costs: Floats, first: Floats) -> Floats:
    """Two sweeps and a leap along their curve, kept only where it costs less."""
    second, _ = _sweep(secrets, costs, first)
    third, value = _sweep(secrets, costs, second)
    step, bend = second - first, third - 2 * second + first
    # Letters that are dying move without end in logarithms; they count by their weight.
    weights = secrets.background[:, None] * np.exp(second)
    size = float((weights * bend**2).sum())
    if size == 0:
        return third
    length = max(math.sqrt(float((weights * step**2).sum()) / size), 1.0)
    leap = np.maximum(first + 2 * length * step + length**2 * bend, LOWEST)
    leap -= leap.max(axis=1, keepdims=True)
    after, leapt = _sweep(secrets, costs, leap - np.log(np.exp(leap).sum(axis=1, keepdims=True)))
    return after if leapt <= value else third


def _sweep(secrets: Secrets, costs: Floats, logarithms: Floats) -> tuple[Floats, float]:
    """ln r after one update, and the cost before it."""
    channel, value = _induced(secrets, costs, logarithms)
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(secrets.seen(channel)), LOWEST), value


def _induced(secrets: Secrets, costs: Floats, logarithms: Floats) -> tuple[Floats, float]:
    """The best channel for these weights, and what both cost in nats."""
    scores = secrets.given_secret @ logarithms - costs
    highest = scores.max(axis=1, keepdims=True)
    channel = np.exp(scores - highest)
    totals = channel.sum(axis=1, keepdims=True)
    return channel / totals, -float(secrets.prior @ (highest + np.log(totals))[:, 0])

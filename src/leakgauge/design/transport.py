"""Channels that keep the shares of the values: Σ_x p(x) q(y|x) = p(y). All in nats.

Where nobody knows a background, I(X;Y) is the divergence of the joint law J from p⊗p, and both its marginals are p: the
least of I(X;Y) + E cost is entropic optimal transport, J(x,y) = exp(f(x) + g(y) − cost). For **any** potentials

    1 + Σ p (f − ln p) + Σ p (g − ln p) + Σ κ p μ − Σ J

bounds it from below, μ(x) ≥ 0 being the prices of the least diagonals J(x,x) ≥ κ(x) p(x), which raise J(x,x) by e^μ.

References: Cuturi, Sinkhorn distances, NIPS 2013; Altschuler, Weed and Rigollet, Near-linear time approximation
algorithms for optimal transport via Sinkhorn iteration, NIPS 2017 (how a plan is rounded to its marginals).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from leakgauge.design.certificate import ROUNDING
from leakgauge.design.columns import Optimum
from leakgauge.probability.cells import Floats, log_or_zero

STEPS = 200
"""Newton's steps at most; about ten are usual."""
LARGEST_MOVE = 20.0
"""Of a potential in one step: beyond it exponentials overflow before the curvature shows."""
BALANCES, BALANCED = 50, 2.0**-52
"""Steps towards exact marginals where letters are forbidden, and how far from them a plan may be."""


def transport(prior: Floats, costs: Floats, floors: Floats, gap: float, hamming: float | None = None) -> Optimum:
    """The channel of least I(X;Y) + E cost that keeps the shares, and has at least these diagonals.

    Args:
        costs: of y for x, in nats; infinite where it is forbidden, never on the diagonal.
        hamming: the cost of every other letter, where it is the same for all and there are no floors.
    """
    if hamming is not None and hamming > 0:
        potentials = _equal_costs(prior, hamming)
        return _transported(prior, costs, floors, potentials, potentials, 1)
    return climbed(prior, costs, floors, gap)[0]


def _equal_costs(prior: Floats, cost: float) -> Floats:
    """The potential where every other letter costs the same: with w = e^f and U = Σ w,
    (1 − e^−cost) w² + e^−cost U w = p, so that one number, U, is left to find."""
    from scipy.optimize import brentq

    off = math.exp(-cost)

    def weights(total: float) -> Floats:
        half = off * total
        return np.asarray(2 * prior / (half + np.sqrt(half * half + 4 * (1 - off) * prior)))

    highest = float(np.sqrt(prior).sum()) / math.sqrt(1 - off)
    highest = min(highest, math.exp(cost / 2)) if cost < 1000 else highest
    total = brentq(lambda one: float(weights(one).sum()) - one, 0.0, 2 * highest, xtol=1e-300, rtol=1e-15)
    return np.asarray(np.log(weights(float(total))))


def climbed(prior: Floats, costs: Floats, floors: Floats, gap: float) -> tuple[Optimum, Floats]:
    """By Newton's method on the concave bound, from the better of two starts; and the potentials g of the outputs."""
    # Otherwise a symmetric problem of twice the size, in which inputs are matched with outputs only.
    count, two_sided = len(prior), not np.array_equal(costs, costs.T)
    # Of a gentle slope the plan is near p⊗p, of a steep one near the diagonal.
    starts = (np.log(prior), np.log(prior) / 2)
    left = right = max(starts, key=lambda one: _value(prior, costs, floors, one, one)[0])
    best = _transported(prior, costs, floors, left, right, 0)
    for step in range(1, STEPS + 1):
        value, plan, free = _value(prior, costs, floors, left, right)
        short = prior - plan.sum(axis=1), prior - plan.sum(axis=0)
        if two_sided:
            matrix = np.block([[np.diag(free.sum(axis=1)), free], [free.T, np.diag(free.sum(axis=0))]])
            move = _solved(matrix, np.concatenate(short))
            along, across = move[:count], move[count:]
        else:
            move = _solved(np.diag(free.sum(axis=1)) + free, short[0])
            along = across = move
        slope = float(short[0] @ along + short[1] @ across)
        size = min(1.0, LARGEST_MOVE / float(abs(move).max() or 1.0))
        for _ in range(60):
            there = left + size * along, right + size * across
            if _value(prior, costs, floors, *there)[0] >= value + 1e-4 * size * slope - ROUNDING:
                break
            size /= 2
        left, right = there
        if slope <= gap / 4 or step % 8 == 0:
            found = _transported(prior, costs, floors, left, right, step)
            best = max(best, found, key=lambda one: one.lower)
            if cost_of(prior, costs, found.channel) - best.lower <= gap:
                return Optimum(found.channel, best.lower, step), right
            if slope <= ROUNDING * gap:
                break
    return best, right


def _solved(matrix: Floats, right: Floats) -> Floats:
    """The step; a little is added to the diagonal, more where the matrix is singular."""
    diagonal = np.diag_indices(len(matrix))
    for ridge in (1e-14, 1e-10, 1e-6):
        damped = matrix.copy()
        damped[diagonal] += ridge * (matrix[diagonal] + matrix[diagonal].max())
        try:
            return np.asarray(cho_solve(cho_factor(damped, lower=True, overwrite_a=True), right))
        except LinAlgError:
            continue
    return np.asarray(right / (matrix[diagonal] + np.finfo(np.float64).tiny))


def _value(prior: Floats, costs: Floats, floors: Floats, left: Floats, right: Floats) -> tuple[float, Floats, Floats]:
    """The bound of two potentials, the plan they give, and the part of it that still moves with them."""
    plan = np.exp(left[:, None] + right - costs)
    free = plan
    least = floors * prior
    diagonal = np.diag_indices(len(prior))
    raw = plan[diagonal]
    held = raw < least
    paid = 0.0
    if held.any():
        paid = float(least[held] @ (np.log(least[held]) - np.log(raw[held])))
        free = plan.copy()
        free[diagonal] = np.where(held, 0.0, raw)
        plan[diagonal] = np.maximum(raw, least)
    logarithms = np.log(prior)
    value = 1 + float(prior @ (left - logarithms)) + float(prior @ (right - logarithms)) + paid - float(plan.sum())
    return value, plan, free


def _transported(prior: Floats, costs: Floats, floors: Floats, left: Floats, right: Floats, steps: int) -> Optimum:
    value, plan, _ = _value(prior, costs, floors, left, right)
    size = 1 + float(prior @ abs(left)) + float(prior @ abs(right)) + abs(value)
    return Optimum(rounded_to_shares(plan / prior[:, None], prior, floors, costs), value - ROUNDING * size, steps)


def cost_of(prior: Floats, costs: Floats, channel: Floats) -> float:
    """I(X;Y) + E cost."""
    told = float(prior @ (channel * (log_or_zero(channel) - np.log(prior @ channel))).sum(axis=1))
    return told + mean_cost(prior, costs, channel)


def mean_cost(prior: Floats, costs: Floats, channel: Floats) -> float:
    """E cost; what is forbidden is never released."""
    return float(prior @ (channel * np.where(channel > 0, costs, 0.0)).sum(axis=1))


def rounded_to_shares(channel: Floats, prior: Floats, floors: Floats, costs: Floats) -> Floats:
    """A channel next to this one that keeps the shares to the last digit, and at least these diagonals.

    Rows and columns that are too large are scaled down, what is missing then is added where it is missing, and as much
    of the channel that changes nothing is mixed in as the diagonals ask for.
    """
    plan = prior[:, None] * channel
    plan *= np.minimum(1.0, prior / plan.sum(axis=1))[:, None]
    columns = plan.sum(axis=0)
    plan *= np.minimum(1.0, np.divide(prior, columns, out=np.ones_like(prior), where=columns > 0))
    rows, columns = prior - plan.sum(axis=1), prior - plan.sum(axis=0)
    missing = float(rows.sum())
    if missing > 0:
        # What is forbidden stays so.
        plan += np.outer(np.maximum(rows, 0.0), np.maximum(columns, 0.0)) / missing * np.isfinite(costs)
    rows = plan.sum(axis=1)
    plan[np.diag_indices(len(prior))] += np.maximum(prior - rows, 0.0)
    if np.isinf(costs).any():
        plan = _with_marginals(plan, prior)
    kept = np.asarray(plan / plan.sum(axis=1, keepdims=True))
    own = kept[np.diag_indices(len(prior))]
    share = float(np.max(np.where(own < floors, (floors - own) / np.maximum(1 - own, ROUNDING), 0.0)))
    return kept if share <= 0 else np.asarray((1 - min(share, 1.0)) * kept + min(share, 1.0) * np.eye(len(prior)))


def _with_marginals(plan: Floats, prior: Floats) -> Floats:
    """A plan next to this one whose rows and columns add up to the shares, and that is 0 where this one is.

    By Newton's steps of a scaling; where they do not get there, the plan that changes nothing, which always keeps them.
    """
    for _ in range(BALANCES):
        rows, columns = plan.sum(axis=1), plan.sum(axis=0)
        short = np.concatenate([prior - rows, prior - columns])
        if abs(short).max() <= BALANCED:
            return plan
        system = np.block([[np.diag(rows), plan], [plan.T, np.diag(columns)]])
        move = np.linalg.lstsq(system, short, rcond=1e-14)[0]
        plan = plan * np.exp(np.clip(move[: len(prior), None] + move[len(prior) :], -1.0, 1.0))
    return np.diag(prior)


def never_together(forbidden: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which values are never released as which where shares are kept: those forbidden, and those with no way back.

    What values pass on to each other comes back to each, so that nothing is passed on that cannot come back.
    """
    from scipy.sparse.csgraph import connected_components

    if not forbidden.any():
        return forbidden
    groups = connected_components(~forbidden, directed=True, connection="strong")[1]
    return np.asarray(forbidden | (groups[:, None] != groups))

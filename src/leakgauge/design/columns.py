"""Minimises over whole channels, a column at a time, by a primal-dual interior point.

For the problems that are more than a choice of the output marginal: background that the attacker alone knows, and
bounds on ratios. The cost I(X;Y|Z) + E cost is a sum over the outputs y, and only the rows' sums tie the columns
together: each step inverts one small system a column and solves one for the rows.

Reference: Boyd and Vandenberghe, Convex optimization, section 11.7, 2004.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from leakgauge.design.certificate import Secrets, lower_bound, weighted_lower_bound
from leakgauge.design.cones import Cone
from leakgauge.measures.interior import reach
from leakgauge.probability.cells import Floats

STEPS = 150
IDLE = 30
"""Steps without a better channel after which none is expected."""
MENDED = 1e-8
"""How far the rows of a candidate may be from summing to 1."""
SHRINK = 0.2
"""How far one step aims below the present product of slacks and duals."""


@dataclass(frozen=True)
class Optimum:
    """A channel (one row per input), what no channel of the problem undercuts in nats, and the steps taken."""

    channel: Floats
    lower: float
    steps: int


def minimise_columns(secrets: Secrets, costs: Floats, cone: Cone, gap: float) -> Optimum:
    """The channel of least I(X;Y|Z) + E cost whose columns lie in the cone; the caller checks how far the bound is."""
    search = _Search(secrets, costs, cone)
    best, channel, lower, idle, step = math.inf, search.channel(), -math.inf, 0, 0
    while True:
        now = search.channel()
        cost = secrets.leakage(now) + float(secrets.prior @ (now * costs).sum(axis=1))
        lower = max(lower, search.bound(now))
        # Rows that do not sum to 1 are mended by scaling, which moves ratios: such a channel is not a candidate.
        if cost < best - 0.01 * gap and search.off_by() <= MENDED:
            best, channel, idle = cost, now, 0
        else:
            idle += 1
        if best - lower <= gap or idle > IDLE or step == STEPS or not search.advance():
            return Optimum(channel, lower, step)
        step += 1


class _State(NamedTuple):
    """Entries v with one more variable a column where the cone has it, slacks, duals; rows are outputs."""

    entries: Floats
    least: Floats
    slacks: Floats
    duals: Floats
    prices: Floats


class _Search:
    """A walk from the uniform channel along the centre of what is allowed."""

    def __init__(self, secrets: Secrets, costs: Floats, cone: Cone) -> None:
        self._secrets, self._costs, self._cone = secrets, costs.T, cone
        entries, least = cone.start(costs.shape[1])
        slacks = cone.slacks(entries, least)
        # Each inequality weighs like its input, so that rare letters are not drowned by the others.
        self._weights = np.tile(secrets.prior, slacks.shape[1] // len(secrets.prior))
        prices = (self._gradient(entries)).mean(axis=0)
        self._state = _State(entries, least, slacks, self._weights / len(slacks) / slacks, prices)

    def channel(self) -> Floats:
        """The entries as a channel, rows summing to 1."""
        rows = self._state.entries.T
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))

    def off_by(self) -> float:
        """How far the rows are from summing to 1."""
        return float(abs(self._state.entries.sum(axis=0) - 1).max())

    def bound(self, channel: Floats) -> float:
        """What no allowed channel undercuts, by the duals met here."""
        shift = self._cone.cost_shift(self._state.duals) / self._secrets.prior
        if self._secrets.weights is not None:
            return weighted_lower_bound(self._secrets, (self._costs + shift).T, self._state.prices)
        with np.errstate(divide="ignore"):
            seen = np.log(self._secrets.seen(channel))
        return lower_bound(self._secrets, (self._costs + shift).T, seen)

    def advance(self) -> bool:
        """One damped Newton step towards the centre; False where rounding leaves no direction."""
        state = self._state
        off = self._gradient(state.entries) - state.prices - self._pulled(state)
        total = float((state.slacks * state.duals).sum())
        # While the conditions of the centre are violated by more than it is wide, the step only centres; where rounding
        # is all that violates them no such step helps, and one ahead may.
        centred = bool(np.abs(off / self._secrets.prior).max() <= total)
        return any(self._step(aim) for aim in ((SHRINK,) if centred else (1.0, SHRINK)))

    def _pulled(self, state: _State) -> Floats:
        """What the duals add up to on each entry."""
        return self._cone.pull(state.duals)[:, : state.entries.shape[1]]

    def _step(self, aim: float) -> bool:
        """One step towards the centre where the product of slacks and duals is this part of the present one."""
        state = self._state
        frame, edges = self._cone.frame(state.slacks)
        ratios = state.duals / state.slacks
        gradient = self._gradient(state.entries)
        total = float((state.slacks * state.duals).sum())
        target = aim * total / (len(state.slacks) * self._weights.sum()) * self._weights
        matrices = frame.swapaxes(1, 2) @ self._curvature(state.entries) @ frame
        matrices = matrices + edges.swapaxes(1, 2) @ (ratios[:, :, None] * edges)
        known = np.einsum("ygb,yg->yb", *_same(edges, target / state.slacks))
        known = known - np.einsum("ynb,yn->yb", *_same(frame, gradient))
        diagonal = np.einsum("ybb->yb", matrices)
        if not (diagonal > 0).all():
            return False
        scale = 1 / np.sqrt(diagonal)
        try:
            solve = _solve if len(frame) == 1 else _solve_whole
            change, prices = solve(matrices, scale, frame, known, 1 - state.entries.sum(axis=0))
        except np.linalg.LinAlgError:
            return False
        slacks = np.einsum("ygb,yb->yg", *_same(edges, change))
        moves = _State(
            np.einsum("ynb,yb->yn", *_same(frame, change)),
            change[:, gradient.shape[1] :],
            slacks,
            target / state.slacks - state.duals - ratios * slacks,
            prices - state.prices,
        )
        return self._walk(moves, target, scale[:, : gradient.shape[1]])

    def _walk(self, moves: _State, target: Floats, scale: Floats) -> bool:
        """Go along the moves as far as the conditions of the centre get better."""
        state = self._state
        length = min(reach(state.slacks, moves.slacks, 0.99), reach(state.duals, moves.duals, 0.99))
        merit = self._merit(state, target, scale)
        while length > 1e-10 and math.isfinite(merit):
            after = _State(*(now + length * move for now, move in zip(state, moves, strict=True)))
            if after.entries.min() > 0 and self._merit(after, target, scale) <= (1 - 0.02 * length) * merit:
                self._state = after
                return True
            length /= 2
        return False

    def _merit(self, state: _State, target: Floats, scale: Floats) -> float:
        off = scale * (self._gradient(state.entries) - state.prices - self._pulled(state))
        uncentred = state.slacks * state.duals - target
        return float((off**2).sum() + (uncentred**2 / target).sum())

    def _gradient(self, entries: Floats) -> Floats:
        """Of the cost in the entries."""
        prior, weights = self._secrets.prior, self._secrets.weights
        if weights is not None:
            mixed = (entries @ prior)[:, None]
            felt = (entries @ (weights * prior))[:, None] / mixed
            return np.asarray(prior * (weights * (np.log(entries / mixed) + 1) - felt + self._costs))
        joint = self._secrets.joint
        mixed = entries @ joint / self._secrets.background
        return np.asarray(self._secrets.prior * (np.log(entries) + self._costs) - np.log(mixed) @ joint.T)

    def _curvature(self, entries: Floats) -> Floats:
        """Of the cost in the entries, one matrix per output."""
        prior, at = self._secrets.prior, np.arange(entries.shape[1])
        if self._secrets.weights is not None:
            own = self._secrets.weights * prior
            mixed = (entries @ prior)[:, None, None]
            cross = np.outer(own, prior)
            felt = (entries @ own)[:, None, None] / mixed
            matrices = (felt * np.outer(prior, prior) - cross - cross.T) / mixed
            matrices[:, at, at] += own / entries
            return np.asarray(matrices)
        joint = self._secrets.joint
        weights = entries @ joint
        matrices = -(joint / weights[:, None, :]) @ joint.T
        matrices[:, at, at] += prior / entries
        return np.asarray(matrices)


def _same(tables: Floats, vectors: Floats) -> tuple[Floats, Floats]:
    return np.broadcast_to(tables, (len(vectors), *tables.shape[1:])), vectors


def _solve(matrices: Floats, scale: Floats, frame: Floats, known: Floats, missing: Floats) -> tuple[Floats, Floats]:
    """Each column's change and the prices of the rows: M change = known + frameᵀ prices, Σ frame change = missing."""
    inverses = np.linalg.inv(matrices * scale[:, :, None] * scale[:, None, :])
    inverses *= scale[:, :, None] * scale[:, None, :]
    rows = (frame @ inverses @ frame.swapaxes(1, 2)).sum(axis=0)
    unit = 1 / np.sqrt(abs(np.diag(rows)))
    # Where few columns are used the rows' prices are not unique; a little of the unit matrix picks some.
    of_rows = np.linalg.inv(rows * unit * unit[:, None] + 1e-14 * np.eye(len(rows)))
    change, prices = np.zeros_like(known), np.zeros(len(missing))
    frames, _ = _same(frame, known)
    # Refined, since along a column itself the cost has no curvature and the systems are close to singular.
    for _ in range(3):
        left = known + prices @ frames - np.einsum("ybc,yc->yb", matrices, change)
        part = np.einsum("ybc,yc->yb", inverses, left)
        short = missing - np.einsum("ynb,yb->n", frames, change + part)
        more = unit * (of_rows @ (unit * short))
        prices = prices + more
        change = change + part + np.einsum("ybc,yc->yb", inverses, more @ frames)
    return change, prices


def _solve_whole(
    matrices: Floats, scale: Floats, frame: Floats, known: Floats, missing: Floats
) -> tuple[Floats, Floats]:
    """The same by one large system: where bounds tie a column's entries, inverting column by column loses the rows."""
    from scipy.linalg import lapack

    count, width = known.shape
    size, rows = count * width, len(missing)
    whole = np.zeros((size + rows, size + rows))
    scaled = matrices * scale[:, :, None] * scale[:, None, :]
    ties = (frame * scale[:, None, :]).swapaxes(1, 2).reshape(size, rows)
    for y in range(count):
        whole[y * width : (y + 1) * width, y * width : (y + 1) * width] = scaled[y]
    # Rows of comparable size keep the pivots of the elimination honest.
    unit = 1 / np.sqrt((ties**2).sum(axis=0))
    whole[:size, size:], whole[size:, :size] = -ties * unit, (ties * unit).T
    right = np.concatenate([(scale * known).ravel(), unit * missing])
    factors, pivots, singular = lapack.dgetrf(whole)
    if singular:
        raise np.linalg.LinAlgError
    found = lapack.dgetrs(factors, pivots, right)[0]
    for _ in range(2):
        found += lapack.dgetrs(factors, pivots, right - whole @ found)[0]
    return scale * found[:size].reshape(count, width), unit * found[size:]

"""The linear program of metric privacy on chosen outputs and pairs of inputs, by an interior-point method.

    least Σ_x Σ_y C(x,y) q(y|x)   with   Σ_y q(y|x) = 1   and   q(y|x) ≤ e^(ε d(x,x')) q(y|x')  for the pairs (x, x')

A pair bounds one output at a time, and only the rows' sums tie the outputs together. Newton's equations are therefore
one symmetric matrix per output, of the size of the inputs, and one more for the prices u(x) of the rows' sums.

**Bound.** For any prices u and any weights λ ≥ 0 of the bounds, with r_y = C_y − u − Aᵀλ_y the cost that is left over,

    Σ_x ( u(x) + min_y r_y(x) )

is at most the cost of every channel that keeps the bounds: its probabilities of the outputs sum to 1 in each row, and
λ_y · A q_y ≥ 0.

References: Bordenabe, Chatzikokolakis and Palamidessi, Optimal geo-indistinguishable mechanisms for location privacy,
CCS 2014 (the program); Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optim. 2 (1992);
Gondzio, Multiple centrality corrections in a primal-dual method for linear programming, Comput. Optim. Appl. 6 (1996);
Narasimhan and Smid, Geometric spanner networks, 2007 (the greedy spanner).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import blas, lapack

from leakgauge.design.certificate import ROUNDING
from leakgauge.probability.cells import Codes, Floats

STEPS = 150  # Newton's steps at most; on maps of 400 cells, 20 to 40 reach a gap of 0.3 %
CORRECTIONS = 4  # corrections of a step's direction at most: each costs a fraction of the matrices' factors
LONGER = 0.3  # by how much a correction tries to lengthen a step
INSIDE = 0.95  # the share of the way to the boundary that a step goes at most
PRICING_STEPS = 40
EXACT = 1e-12  # ways that are longer by no more than this share are as long


@dataclass(frozen=True, eq=False)
class Ratios:
    """Bounds on ratios: what is at ``above`` is at most e^bound times what is at ``below``, in nats."""

    inputs: int
    above: Codes
    below: Codes
    bounds: Floats

    @cached_property
    def slacks(self) -> Any:
        """A: e^bound · v(below) − v(above), one row per bound."""
        from scipy import sparse

        rows = np.arange(len(self.bounds))
        values = np.concatenate([self._factors, -np.ones(len(rows))])
        places = (np.tile(rows, 2), np.concatenate([self.below, self.above]))
        return sparse.csr_array((values, places), shape=(len(rows), self.inputs))

    @cached_property
    def transposed(self) -> Any:
        """Aᵀ."""
        return self.slacks.T.tocsr()

    @cached_property
    def sizes(self) -> Any:
        """|A|ᵀ, which rounding is proportional to."""
        return abs(self.transposed)

    @property
    def _factors(self) -> Floats:
        return np.exp(self.bounds)

    @cached_property
    def _cells(self) -> Codes:
        """The cells of Aᵀ W A on and below its diagonal, as positions in a matrix stored by columns."""
        crossing = np.minimum(self.above, self.below) * self.inputs + np.maximum(self.above, self.below)
        return np.unique(np.concatenate([self._diagonal, crossing]))

    @property
    def _diagonal(self) -> Codes:
        return np.arange(self.inputs) * (self.inputs + 1)

    @cached_property
    def _assembly(self) -> Any:
        """The matrix that takes weights of the bounds to the cells of Aᵀ W A."""
        from scipy import sparse

        crossing = np.minimum(self.above, self.below) * self.inputs + np.maximum(self.above, self.below)
        places = [self._diagonal[self.above], self._diagonal[self.below], crossing]
        rows = np.searchsorted(self._cells, np.concatenate(places))
        values = np.concatenate([np.ones(len(self.bounds)), self._factors**2, -self._factors])
        columns = np.tile(np.arange(len(self.bounds)), 3)
        return sparse.csr_array((values, (rows, columns)), shape=(len(self._cells), len(self.bounds)))

    def factors(self, weights: Floats) -> list[Floats] | None:
        """The Cholesky factors of Aᵀ W A for each column of weights; None where one has none, for rounding."""
        found = []
        for values in np.ascontiguousarray((self._assembly @ weights).T):
            matrix = np.zeros(self.inputs**2)
            matrix[self._cells] = values
            factor, failed = lapack.dpotrf(matrix.reshape(self.inputs, -1).T, lower=1, overwrite_a=1, clean=0)
            if failed:
                return None
            found.append(factor)
        return found


@dataclass(frozen=True, eq=False)
class Interior:
    """A channel strictly inside the bounds, and prices of its rows."""

    channel: Floats  # one row per input, one column per output
    prices: Floats  # u
    lower: float  # what no channel of these outputs undercuts
    left: Floats  # min_y r_y(x) from below, with which other outputs' are compared


def least_cost(costs: Floats, ratios: Ratios, gap: float) -> Interior:
    """The channel of least cost within bounds, up to a share ``gap`` of its cost unless rounding stops it before.

    Each output keeps the bounds; a chain of them ties every input to every other.
    """
    unit = float(costs.mean(axis=1).sum()) or 1.0
    costs = costs / unit
    channel = np.full(costs.shape, 1 / costs.shape[1])
    slack = ratios.slacks @ channel
    weights = 1 / (slack * slack.size)
    prices = np.asarray((costs - ratios.transposed @ weights).mean(axis=1))
    best: Interior | None = None
    for _ in range(STEPS):
        left = costs - prices[:, None] - ratios.transposed @ weights
        floor = proven(costs, prices, weights, ratios, left)
        lower, cost = float((prices + floor).sum()), float((costs * channel).sum())
        if best is None or lower * unit > best.lower or lower >= cost * (1 - gap):
            best = Interior(channel, unit * prices, unit * lower, unit * floor)
        if cost - lower <= gap * cost:
            break
        step = _Step.of(ratios, slack, weights, left, 1 - channel.sum(axis=1))
        if step is None:
            break
        moved, moved_prices, moved_slack, moved_weights = step.direction()
        forth = min(1.0, INSIDE * _reach(slack, moved_slack))
        back = min(1.0, INSIDE * _reach(weights, moved_weights))
        channel = channel + forth * moved
        prices, weights = prices + back * moved_prices, weights + back * moved_weights
        slack = ratios.slacks @ channel
        if slack.min() <= 0 or max(forth, back) < 1e-4:
            break
    assert best is not None
    return best


def proven(costs: Floats, prices: Floats, weights: Floats, ratios: Ratios, left: Floats) -> Floats:
    """min_y r_y(x) for each x, from below."""
    size = costs + abs(prices)[:, None] + ratios.sizes @ weights
    return np.asarray((left - ROUNDING * size).min(axis=1))


@dataclass(frozen=True, eq=False)
class _Step:
    """Newton's equations at a point."""

    ratios: Ratios
    slack: Floats
    weights: Floats
    curvature: Floats
    pull: Floats
    missing: Floats
    columns: list[Floats]
    coupling: Floats

    @classmethod
    def of(cls, ratios: Ratios, slack: Floats, weights: Floats, left: Floats, missing: Floats) -> _Step | None:
        curvature = weights / slack
        columns = ratios.factors(curvature)
        if columns is None:
            return None
        total = np.zeros((ratios.inputs, ratios.inputs), order="F")
        for factor in columns:
            total += lapack.dpotri(factor, lower=1)[0]
        coupling, failed = lapack.dpotrf(total, lower=1, overwrite_a=1)
        if failed:
            return None
        pull = -(ratios.transposed @ weights) - left
        return cls(ratios, slack, weights, curvature, pull, missing, columns, coupling)

    def direction(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The changes of channel, prices, slacks and weights."""
        mean = float((self.slack * self.weights).mean())
        found = self._towards(np.zeros_like(self.slack))
        forth, back = self._reaches(found)
        after = ((self.slack + forth * found[2]) * (self.weights + back * found[3])).mean()
        target = mean * (float(after) / mean) ** 3
        aim = (target - found[2] * found[3]) / self.slack
        found = self._towards(aim)
        forth, back = self._reaches(found)
        for _ in range(CORRECTIONS):
            further = min(1.0, forth * 1.08 + LONGER), min(1.0, back * 1.08 + LONGER)
            products = (self.slack + further[0] * found[2]) * (self.weights + further[1] * found[3])
            change = np.maximum(np.clip(products, 0.1 * target, 10 * target) - products, -10 * target)
            corrected = aim + change / self.slack
            other = self._towards(corrected)
            reaches = self._reaches(other)
            if sum(reaches) < forth + back + 0.02:
                break
            aim, found, (forth, back) = corrected, other, reaches
        return found

    def _towards(self, aim: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """The direction in which the products of slacks and weights become slack · aim."""
        right = np.asfortranarray(self.ratios.transposed @ aim + self.pull)
        moved = np.empty_like(right)
        for at, factor in enumerate(self.columns):
            moved[:, at] = _solved(factor, right[:, at])
        prices = _solved(self.coupling, self.missing - moved.sum(axis=1))
        for at, factor in enumerate(self.columns):
            moved[:, at] = _solved(factor, right[:, at] + prices)
        slack = self.ratios.slacks @ np.ascontiguousarray(moved)
        return moved, prices, slack, aim - self.weights - self.curvature * slack

    def _reaches(self, moved: tuple[Floats, Floats, Floats, Floats]) -> tuple[float, float]:
        return min(1.0, _reach(self.slack, moved[2])), min(1.0, _reach(self.weights, moved[3]))


def _solved(factor: Floats, right: Floats) -> Floats:
    """The solution for a matrix given by its Cholesky factor."""
    return np.asarray(blas.dtrsv(factor, blas.dtrsv(factor, right, lower=1), lower=1, trans=1))


def _reach(values: Floats, moved: Floats) -> float:
    """How far positive values can move before one is 0."""
    fastest = float((-moved / values).max())
    return 1 / fastest if fastest > 0 else np.inf


@dataclass(frozen=True, eq=False)
class Priced:
    """Which outputs that were left out may lower the cost, and min_y r_y(x) from below over those that would not."""

    left: Floats
    wanted: npt.NDArray[np.bool_]


def price(costs: Floats, prices: Floats, ratios: Ratios) -> Priced:
    """Which outputs could lower the cost at these prices of the rows, and a proof for those that could not.

    An output cannot if C_y − u = Aᵀλ with weights λ ≥ 0. Those of the barrier are looked for: at the v that makes
    (C_y − u) · v − Σ ln (A v) least, λ = 1 / A v; Newton's next λ keeps the equation exactly, so that the first one
    without a negative weight is a proof.
    """
    inputs, outputs = costs.shape
    reduced = costs - prices[:, None]
    left, wanted = np.zeros(inputs), np.zeros(outputs, dtype=np.bool_)
    shapes = np.ones(costs.shape)
    at = np.arange(outputs)
    for _ in range(PRICING_STEPS):
        values = (reduced[:, at] * shapes).sum(axis=0)
        wanted[at[values <= 0]] = True
        at, shapes, values = at[values > 0], shapes[:, values > 0], values[values > 0]
        if not len(at):
            break
        shapes = shapes * (len(ratios.bounds) / values)
        slack = ratios.slacks @ shapes
        factors = ratios.factors(slack**-2)
        if factors is None:
            break
        slope = ratios.transposed @ (1 / slack) - reduced[:, at]
        moved = np.stack([_solved(factor, slope[:, j]) for j, factor in enumerate(factors)], axis=1)
        relative = (ratios.slacks @ moved) / slack
        proof = relative.max(axis=0) <= 1
        if proof.any():
            weights = (1 - relative[:, proof]) / slack[:, proof]
            own, done = costs[:, at[proof]], reduced[:, at[proof]] - ratios.transposed @ weights
            left = np.minimum(left, proven(own, prices, weights, ratios, done))
        length = 1 / np.maximum(np.maximum(-relative.min(axis=0), 0) / INSIDE, 1.0)
        decrement = np.sqrt((relative**2).sum(axis=0))
        length = np.where(decrement < 0.5, 1.0, np.minimum(length, 1.0))
        shapes = (shapes + length * moved)[:, ~proof]
        at = at[~proof]
    wanted[at] = True
    return Priced(left, wanted)


def spanner(distances: Floats, stretch: float) -> tuple[Codes, Codes]:
    """Pairs of positions, each once, such that a chain of them joins any two at most ``stretch`` times their distance.

    With a stretch of 1 only pairs are left out whose distance a chain adds up to exactly, so that nothing is lost.
    """
    count = len(distances)
    first, second = np.triu_indices(count, 1)
    order = np.argsort(distances[first, second], kind="stable")
    walked = np.where(np.eye(count, dtype=np.bool_), 0.0, np.inf)
    kept = []
    longest = stretch * (1 + EXACT)
    for x, z in zip(first[order].tolist(), second[order].tolist(), strict=True):
        if walked[x, z] <= longest * distances[x, z]:
            continue
        kept.append((x, z))
        direct = distances[x, z]
        np.minimum(walked, (walked[:, x] + direct)[:, None] + walked[z], out=walked)
        np.minimum(walked, (walked[:, z] + direct)[:, None] + walked[x], out=walked)
    left, right = np.array(kept, dtype=np.int64).reshape(-1, 2).T
    return left, right

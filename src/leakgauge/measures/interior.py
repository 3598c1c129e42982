"""Minimises a smooth convex function of a few weights that may not be negative, by a primal-dual interior point.

The functions here are φ(A u) plus a linear term, with φ a sum over the entries of A u, and are made so that the minimum
over all u ≥ 0 is the wanted one over distributions up to scale: nothing has to hold the sum at 1. Each step solves one
linear system in the weights that still matter (Mehrotra's predictor and corrector).

Reference: Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optimization 2(4), 1992; for
weights of mixtures, Koenker and Mizera, Convex optimization, shape constraints, compound decisions, and empirical Bayes
rules, J. American Statistical Association 109, 2014.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.measures.banded import Band
from leakgauge.probability.cells import Floats, log_or_zero

STEPS = 100
IDLE = 25
"""Steps without a lower value after which none is expected; a search may swing between two corners for a dozen."""
DECOUPLED = 1e-6
"""A weight whose curvature is this much below its slack moves on its own and is left out of the linear system."""
ROUNDS = 24  # how often letters are added to a choice of them before all are taken
COARSE = 1e-4  # the gap in nats to which a first choice of letters is solved; it only has to show which letters lack
SWEEPS = 100  # plain sweeps after the last step, where the gap is still open
LEAST = 1e-290  # no weight falls below it in sweeps
TRACE = 1e-18  # the weight of letters that were not looked at: next to none


@dataclass(frozen=True)
class Look:
    """A function at one point: slope and curvature, and what is proven of its minimum."""

    gradient: Floats
    curvature: Floats
    upper: float
    lower: float


class MixtureFit:
    """−Σ_x p(x) ln (K u)(x) + Σ u: least where the output marginal u is best at this slope."""

    def __init__(self, kernel: Floats, prior: Floats) -> None:
        self.matrix, self.squares, self._prior = kernel, kernel * kernel, prior
        self.band = Band(kernel)

    def look(self, weights: Floats) -> Look:
        """Gradient in u, φ'' at each entry of A u, and bounds in nats of the least I(X;Y) + cost."""
        mixed = self.matrix @ weights
        shares = self._prior / mixed
        ratios = self.matrix.T @ shares
        value = -float(self._prior @ np.log(mixed))
        upper, lower = value + math.log(weights.sum()), value - math.log(ratios.max())
        # The curvature only directs the search: where inputs next to never occur, it is kept from overflowing.
        return Look(1 - ratios, np.minimum(shares, 1e140) / np.maximum(mixed, 1e-140), upper, lower)


class CapacityFit:
    """Σ_y s ln s − Σ_x u(x) Σ_y q ln q with s = qᵀu: least where the input law u sends most."""

    def __init__(self, channel: Floats) -> None:
        self.matrix = np.ascontiguousarray(channel.T)
        self.squares = self.matrix * self.matrix
        self.band = Band(self.matrix)
        self._own = (channel * log_or_zero(channel)).sum(axis=1)

    def look(self, weights: Floats) -> Look:
        """Bounds in nats of minus the capacity."""
        seen = self.matrix @ weights
        logarithms = np.log(seen)
        cross = self.matrix.T @ logarithms
        total = float(weights.sum())
        divergences = self._own - cross + math.log(total)
        sent = float(weights @ divergences) / total
        return Look(1 + cross - self._own, 1 / seen, -sent, -float(divergences.max()))


Function: TypeAlias = MixtureFit | CapacityFit


@dataclass(frozen=True)
class Minimum:
    """Where the search ended."""

    weights: Floats  # all above 0, summing to 1
    slacks: Floats  # how far each weight's derivative is above 0, about 0 for the weights that are used
    proof: Floats  # the weights at which the best lower bound was met
    upper: float  # the least value met on the way, in nats
    lower: float  # the best bound met on the way, in nats
    steps: int

    @property
    def gap(self) -> float:
        """How far the bounds are apart, in nats."""
        return self.upper - self.lower


def minimise_from(kernel: Floats, prior: Floats, gap: float, near: Sequence[tuple[Floats, ...]]) -> Minimum:
    """The best output marginal at a slope, looked for first among the letters that matter at neighbouring slopes.

    The proof is over all letters: those it asks for are added until it asks for none. The kernel is e^(−cost); ``near``
    has weights and slacks at each neighbouring slope, and is empty to look at all letters at once.
    """
    whole = MixtureFit(kernel, prior)
    outputs = kernel.shape[1]
    everywhere = np.full(outputs, 1 / outputs)
    chosen = _chosen(near, outputs)
    if not chosen.any() or whole.band.width(np.arange(outputs)) is not None:
        return _polished(whole, minimise(whole, everywhere, gap), gap)
    steps, fine = 0, max(COARSE, gap / 2)
    for _ in range(ROUNDS):
        part = kernel[:, chosen]
        if 2 * chosen.sum() > outputs or part.max(axis=1).min() == 0:
            break
        found = minimise(MixtureFit(part, prior), np.full(part.shape[1], 1 / part.shape[1]), fine)
        steps += found.steps
        weights, proof = np.full(outputs, TRACE), np.full(outputs, TRACE)
        weights[chosen], proof[chosen] = found.weights, found.proof
        look = whole.look(proof)
        if found.upper - look.lower <= gap:
            slacks = np.maximum(look.gradient, TRACE)
            slacks[chosen] = found.slacks
            return Minimum(weights / weights.sum(), slacks, proof, found.upper, look.lower, steps)
        lacking = _lowest_of_runs(np.where(chosen, 0.0, look.gradient), -gap / 4)
        if not lacking.any() and fine <= gap / 2:
            break
        chosen |= lacking
        fine = max(gap / 2, min(fine, found.upper - look.lower) / 100) if lacking.any() else gap / 2
    found = minimise(whole, everywhere, gap)
    return _polished(whole, replace(found, steps=found.steps + steps), gap)


def _polished(function: MixtureFit, found: Minimum, gap: float) -> Minimum:
    """The minimum after some plain sweeps, where steps alone have not closed the gap.

    Letters far below the rounding of the others are lost in a common step, but not in a sweep, which moves each by its
    own ratio; at steep slopes, where hardly anything ties the letters together, one sweep is all it takes.
    """
    u, best = found.weights, found
    while best.gap > gap and best.steps < found.steps + SWEEPS:
        look = function.look(u)
        best = replace(best, steps=best.steps + 1)
        if look.upper < best.upper:
            best = replace(best, weights=u, slacks=np.maximum(look.gradient, TRACE), upper=look.upper)
        if look.lower > best.lower:
            best = replace(best, proof=u, lower=look.lower)
        u = np.maximum(u * (1 - look.gradient), LEAST)
        u /= u.sum()
    return best


def _chosen(near: Sequence[tuple[Floats, ...]], outputs: int) -> npt.NDArray[np.bool_]:
    """The letters that matter at neighbouring slopes, or come close to it; none without neighbours.

    Where all letters matter at the neighbours, as at an infinite slope, a few spread over the alphabet.
    """
    chosen = np.zeros(outputs, dtype=np.bool_)
    for weights, slacks in near:
        used = weights > slacks
        few = max(3 * int(used.sum()), 32)
        if 2 * few <= outputs:
            chosen |= used
            chosen[np.argpartition(slacks, few - 1)[:few]] = True
    if near and not chosen.any():
        chosen[:: max(outputs // 64, 1)] = True
    return chosen


def _lowest_of_runs(values: Floats, below: float) -> npt.NDArray[np.bool_]:
    """Which values below a limit are lower than those beside them, and those beside them.

    Neighbouring letters often stand for nearly the same; one of them and its neighbours is enough at a time.
    """
    padded = np.concatenate([[math.inf], values, [math.inf]])
    lowest = (values < below) & (values <= padded[:-2]) & (values <= padded[2:])
    lowest[1:] |= lowest[:-1].copy()
    lowest[:-1] |= lowest[1:].copy()
    return np.asarray(lowest)


def minimise(function: Function, start: Floats, gap: float) -> Minimum:
    """The weights at which both bounds are within ``gap`` nats, or the best met when no step helps any more."""
    u = start
    look = function.look(u)
    v = np.maximum(look.gradient, 0.1)
    best, at, best_at, lower, proof = math.inf, u, v, -math.inf, u
    idle = step = 0
    while True:
        if look.lower > lower:
            lower, proof = look.lower, u
        if look.upper < best - 0.01 * gap:
            best, at, best_at, idle = look.upper, u, v, 0
        else:
            idle += 1
        if best - lower <= gap or step == STEPS or idle > IDLE:
            break
        moved = _step(function, look, u, v)
        if moved is None:
            break
        u, v = moved
        look = function.look(u)
        step += 1
    total = at.sum()
    return Minimum(at / total, best_at, proof / proof.sum(), best, lower, step)


def _step(function: Function, look: Look, u: Floats, v: Floats) -> tuple[Floats, Floats] | None:
    """The next weights and slacks; None where rounding leaves no direction."""
    live = np.flatnonzero(u * (look.curvature @ function.squares) > DECOUPLED * v)
    scale = np.sqrt(u[live])
    solve = function.band.solver(np.sqrt(look.curvature), live, scale, v[live])
    if solve is None:
        return None

    def direction(target: Floats) -> tuple[Floats, Floats]:
        right = target / u - look.gradient
        du = right * u / v
        du[live] = scale * solve(scale * right[live])
        return du, target / u - v - v / u * du

    mean = float(u @ v) / len(u)
    du, dv = direction(np.zeros(len(u)))
    reached = float((u + reach(u, du, 1.0) * du) @ (v + reach(v, dv, 1.0) * dv)) / len(u)
    du, dv = direction((reached / mean) ** 3 * mean - du * dv)
    u, v = u + reach(u, du, 0.995) * du, v + reach(v, dv, 0.995) * dv
    return (u, v) if np.isfinite(u).all() and u.min() > 0 and v.min() > 0 else None


def reach(values: Floats, change: Floats, share: float) -> float:
    """The longest step up to 1 that goes ``share`` of the way to the nearest zero."""
    falling = change < 0
    if not falling.any():
        return 1.0
    with np.errstate(over="ignore"):
        return min(1.0, share * float((values[falling] / -change[falling]).min()))

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
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from leakgauge.probability.cells import Floats, log_or_zero

STEPS = 100
DECOUPLED = 1e-8
"""A weight whose curvature is this much below its slack moves on its own and is left out of the linear system."""
ROUNDS = 8
TRACE = 1e-18
"""The weight of letters that were not looked at: next to none."""


@dataclass(frozen=True)
class Look:
    """A function at one point: slope and curvature, and what is proven of its minimum."""

    gradient: Floats
    curvature: Floats
    upper: float
    lower: float


class Function(Protocol):
    """φ(A u) + a linear term."""

    matrix: Floats
    squares: Floats

    def look(self, weights: Floats) -> Look:
        """Gradient in u, φ'' at each entry of A u, and bounds of the minimum from both sides."""
        ...


class MixtureFit:
    """−Σ_x p(x) ln (K u)(x) + Σ u: least where the output marginal u is best at this slope."""

    def __init__(self, kernel: Floats, prior: Floats) -> None:
        self.matrix, self.squares, self._prior = kernel, kernel * kernel, prior

    def look(self, weights: Floats) -> Look:
        """Bounds in nats of the least I(X;Y) + cost."""
        mixed = self.matrix @ weights
        shares = self._prior / mixed
        ratios = self.matrix.T @ shares
        value = -float(self._prior @ np.log(mixed))
        upper, lower = value + math.log(weights.sum()), value - math.log(ratios.max())
        return Look(1 - ratios, shares / mixed, upper, lower)


class CapacityFit:
    """Σ_y s ln s − Σ_x u(x) Σ_y q ln q with s = qᵀu: least where the input law u sends most."""

    def __init__(self, channel: Floats) -> None:
        self.matrix = np.ascontiguousarray(channel.T)
        self.squares = self.matrix * self.matrix
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


@dataclass(frozen=True)
class Minimum:
    """Where the search ended.

    Attributes:
        weights: all above 0, summing to 1.
        slacks: how far each weight's derivative is above 0, about 0 for the weights that are used.
        proof: the weights at which the best lower bound was met.
        upper: the least value met on the way, in nats.
        lower: the best bound met on the way, in nats.
        steps: linear systems solved.
    """

    weights: Floats
    slacks: Floats
    proof: Floats
    upper: float
    lower: float
    steps: int

    @property
    def gap(self) -> float:
        """How far the bounds are apart, in nats."""
        return self.upper - self.lower


def minimise_from(kernel: Floats, prior: Floats, gap: float, near: tuple[Floats, ...] | None) -> Minimum:
    """The best output marginal at a slope, looked for first among the letters that matter at a neighbouring slope.

    Args:
        kernel: e^(−cost), a row an input.
        prior: of the inputs.
        gap: in nats.
        near: weights and slacks at the neighbouring slope; None to look at all letters at once.
    """
    whole = MixtureFit(kernel, prior)
    outputs = kernel.shape[1]
    if near is None:
        return minimise(whole, np.full(outputs, 1 / outputs), gap)
    weights, slacks = near
    chosen = weights > slacks
    few = min(max(8 * int(chosen.sum()), 32), outputs)
    chosen[np.argpartition(slacks, few - 1)[:few]] = True
    steps = 0
    for _ in range(ROUNDS):
        part = kernel[:, chosen]
        if 2 * chosen.sum() > outputs or part.max(axis=1).min() == 0:
            break
        found = minimise(MixtureFit(part, prior), np.full(part.shape[1], 1 / part.shape[1]), gap / 2)
        steps += found.steps
        weights, proof = np.full(outputs, TRACE), np.full(outputs, TRACE)
        weights[chosen], proof[chosen] = found.weights, found.proof
        look = whole.look(proof)
        if found.upper - look.lower <= gap:
            slacks = np.maximum(look.gradient, TRACE)
            slacks[chosen] = found.slacks
            return Minimum(weights / weights.sum(), slacks, proof, found.upper, look.lower, steps)
        missed = ~chosen & (look.gradient < 0)
        if not missed.any():
            break
        chosen |= missed
    found = minimise(whole, np.full(outputs, 1 / outputs), gap)
    return replace(found, steps=found.steps + steps)


def minimise(function: Function, start: Floats, gap: float) -> Minimum:
    """The weights at which both bounds are within ``gap`` nats, or the best met when no step helps any more.

    Args:
        function: what to minimise.
        start: weights above 0.
        gap: in nats.
    """
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
        if best - lower <= gap or step == STEPS or idle > 8:
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
    from scipy.linalg import lapack

    live = np.flatnonzero(u * (look.curvature @ function.squares) > DECOUPLED * v)
    scale = np.sqrt(u[live])
    columns = function.matrix if len(live) == len(u) else function.matrix[:, live]
    scaled = np.sqrt(look.curvature)[:, None] * columns * scale
    system = scaled.T @ scaled
    system[np.diag_indices(len(live))] += v[live]
    factor, failed = lapack.dpotrf(system, lower=1, overwrite_a=1)
    if failed:
        return None

    def direction(target: Floats) -> tuple[Floats, Floats]:
        right = target / u - look.gradient
        du = right * u / v
        du[live] = scale * lapack.dpotrs(factor, scale * right[live], lower=1)[0]
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
    return min(1.0, share * float((values[falling] / -change[falling]).min())) if falling.any() else 1.0

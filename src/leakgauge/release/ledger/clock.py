"""The Gaussian clock: how far a step moves it, never too little.

Let g_t be the density of N(t/2, t), the privacy loss of two Gaussians √t standard deviations apart, and D_t(x) their
hockey-stick curve E(1 − e^(x − ℓ))⁺. A step whose curve is H moves a clock that keeps at least t by the least c with

    E D_t(x − ℓ) ≤ D_(t + c)(x) for every x: the step and a Gaussian of t are dominated by a Gaussian of t + c.

Both sides minus D_t(x) = E(1 − e^(x − g))⁺ are integrals against g_t. With K(y) = H(y) − (1 − e^y)⁺, an even function
times e^(y/2) where H is the largest curve of both orders of a pair, and with ∂D_s/∂s = g_s/2, dividing by g_t(x) and
writing w = x/t leaves, without any difference of nearly equal numbers,

    L(w) = 2 ∫₀ H(y) e^(−y/2 − y²/2t) cosh(wy) dy  ≤  R(w) = t ∫₁^√(1 + c/t) e^(t(1 − 1/q²)w²/2 − t(q² − 1)/8) dq.

Both are mixtures of functions whose logarithm is convex in w, so their logarithms are convex: between two points of a
grid ln L lies below its chord and ln R above its tangent, and beyond the last point nothing is left to check once the
slope of ln R exceeds the largest loss, which bounds that of ln L. By symmetry w ≥ 0 is enough.

Of ρ-zCDP alone, (e^(α(α − 1)ρ) − 1)/(α(α − 1)) with α = w + 1/2 bounds L, and c = 2ρt/(t − 2ρ) suffices while
2ρ ≤ 12(1 − 2ρ/t). Without a reserve (t = 0) an ε-DP step is dominated by a Gaussian of 2Φ⁻¹(e^ε/(1 + e^ε)).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from leakgauge.mechanisms.steps import Step
from leakgauge.mechanisms.steps.step import LARGEST_EXACT_LOSS
from leakgauge.notions.formulas import gaussian_of_pure
from leakgauge.probability.cells import Floats

LARGEST_EPSILON, LEAST_DELTA = 300.0, 1e-15
"""Limits beyond have no clock: sums of their losses leave the range of floats, or rounding shows in their δ."""
_SAFE_SIDE = 1e-9
"""δ is taken this much smaller, relatively, and a cost larger, for rounding and for losses that are beyond a curve."""
_BEYOND, _LEAST_BEYOND = 1e-38, 1e-10
"""A curve that ends at no more than the first, as that of noise cut off at 14 standard deviations, is taken without it,
and moves a clock at least by the second: the few 10^12 such steps that fit stay within the safe side of every δ."""
_LARGEST_POWER = 6000.0
"""Of e in L and R; a step for which it is larger is counted without the reserve."""
_PANELS = 16
_TOLERANCE = 1e-5
_SMALLEST, _LEAST = 1e-12, 1e-300
"""Losses of curves, and costs, that are no smaller."""


@lru_cache(maxsize=1024)
def largest_time(epsilon: float, delta: float) -> float:
    """The largest t for which Gaussians √t standard deviations apart are within (ε, δ); 0 where there is no clock."""
    if not 0 < epsilon <= LARGEST_EPSILON or delta < LEAST_DELTA:
        return 0.0
    low, high = 0.0, 1.0
    while _within(high, epsilon, delta):
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if middle < 1e-12:
            return 0.0
        low, high = (middle, high) if _within(middle, epsilon, delta) else (low, middle)
    return low


def _within(time: float, epsilon: float, delta: float) -> bool:
    from scipy.special import log_ndtr, ndtr

    mu = math.sqrt(time)
    above = float(ndtr(mu / 2 - epsilon / mu))
    curve = above - float(np.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu)))
    # Both terms are exact to some units in the last place, which for a small μ is more than that of their difference.
    return curve + 2e-14 * above <= delta * (1 - _SAFE_SIDE)


def clock_cost(step: Step, reserve: float) -> float:
    """How far one run moves a clock that keeps at least ``reserve`` afterwards; infinite where that is not known."""
    if step.pure_epsilon() == 0:
        return 0.0
    # The square of a small level may fall out of the range of floats; it is not nothing.
    return max(_cost(replace(step, count=1, sampling_probability=1.0), reserve), _LEAST)


@lru_cache(maxsize=4096)
def _cost(step: Step, reserve: float) -> float:
    loss = step.loss()
    if loss is not None and loss.mu is not None:
        return loss.mu**2 * (1 + _SAFE_SIDE)
    found = _without_reserve(step.pure_epsilon())
    if reserve == 0:
        return found
    curve = _curve(step)
    if curve is not None and curve[0][-1] > _SMALLEST:
        losses, deltas, beyond = curve
        return min(found, max(_by_curve(losses, deltas, reserve), _LEAST_BEYOND if beyond else 0.0))
    spread = 2 * step.rho() * (1 + _SAFE_SIDE)
    if spread < reserve and spread <= 12 * (1 - spread / reserve):
        return min(found, spread / (1 - spread / reserve) * (1 + _SAFE_SIDE))
    return found


def pure_of_gaussian(mu: float) -> float:
    """The largest ε in nats, rounded down, such that Gaussians μ standard deviations apart dominate every ε-DP step."""
    from scipy.special import log_ndtr

    return max(float(log_ndtr(mu / 2) - log_ndtr(-mu / 2)) * (1 - 1e-6), 0.0)


@lru_cache(maxsize=256)
def _curve(step: Step) -> tuple[Floats, Floats, bool] | None:
    """The curve without what lies beyond its end, and whether anything does; None without one, or if too much does."""
    curve = step.curve()
    if curve is None or curve[1][-1] > _BEYOND or curve[0][-1] > LARGEST_EXACT_LOSS:
        return None
    losses, deltas = curve
    last = int(np.argmax(deltas <= _BEYOND))
    return losses[: last + 1], deltas[: last + 1] - deltas[last], bool(deltas[last] > 0)


def _without_reserve(epsilon: float) -> float:
    if epsilon > LARGEST_EXACT_LOSS:
        return math.inf
    if epsilon < 1e-3:
        return math.pi / 2 * epsilon * epsilon * (1 + 1e-6) + math.ulp(0.0)  # the next term is −0.03 ε⁴
    return gaussian_of_pure(epsilon) ** 2 * (1 + _SAFE_SIDE)


def _by_curve(losses: Floats, deltas: Floats, time: float) -> float:
    """The least c, found on a grid of w that proves it; infinite where the step is too large beside the reserve."""
    largest = float(losses[-1])
    left = _left_side(losses, deltas, time)
    least = 2 * math.exp(float(left(np.zeros(1))[0]))  # R(0) ≤ c/2
    power = largest * largest * (1 / least + 1 / time)
    if power > _LARGEST_POWER:
        return math.inf
    nodes, count = (32, 128) if power < 50 else (128, 192)
    last = largest * (1 / least + 1 / time)
    while _right_side(least, time, np.array([last]), nodes)[1][0] < largest:
        last *= 1.2
    weights = last * np.linspace(0, 1, count) ** 1.5
    logs = left(weights)

    def holds(cost: float) -> bool:
        right, slopes = _right_side(cost, time, weights, nodes)
        tangents = right[:-1] + slopes[:-1] * np.diff(weights)
        return bool(logs[0] <= right[0] and (logs[1:] <= tangents).all() and slopes[-1] >= largest)

    low = high = least
    while not holds(high):
        low, high = high, 1.5 * high
    while high - low > _TOLERANCE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high * (1 + _SAFE_SIDE)


def _left_side(losses: Floats, deltas: Floats, time: float) -> Callable[[Floats], Floats]:
    """ln L, the curve connected by chords in e^y, which lie above it."""
    largest = float(losses[-1])
    near = math.sqrt(time) * np.linspace(0, 8, _PANELS + 1)
    edges = np.unique(np.concatenate([losses, np.linspace(0, largest, _PANELS + 1), near[near < largest]]))
    nodes, weights = _gauss_legendre(8 if len(edges) <= 4 * _PANELS else 3)
    half = np.diff(edges)[:, None] / 2
    y = (edges[:-1, None] + half * (1 + nodes)).ravel()
    curve = np.interp(np.expm1(y), np.expm1(losses), deltas)
    mass = (half * weights).ravel() * curve * (1 + _SAFE_SIDE)

    def logs(w: Floats) -> Floats:
        # 2 cosh(wy) = e^(wy) · (1 + e^(−2wy)), and the largest power is taken out.
        wy = np.multiply.outer(w, y)
        powers = wy - y / 2 - y * y / (2 * time)
        top = powers.max(axis=1, keepdims=True)
        return np.asarray(top[:, 0] + np.log((np.exp(powers - top) * (1 + np.exp(-2 * wy))) @ mass))

    return logs


def _right_side(cost: float, time: float, w: Floats, count: int) -> tuple[Floats, Floats]:
    """ln R and its slope, by so many nodes."""
    nodes, weights = _gauss_legendre(count)
    widest = cost / time / (1 + math.sqrt(1 + cost / time))  # √(1 + c/t) − 1
    q_less_one = widest * (1 + nodes) / 2
    s = time * q_less_one * (2 + q_less_one)
    spread = s / (1 + s / time)
    powers = np.multiply.outer(w * w, spread / 2) - s / 8
    top = powers.max(axis=1, keepdims=True)
    parts = np.exp(powers - top) * weights
    total = parts.sum(axis=1)
    return top[:, 0] + np.log(total * time * widest / 2), w * (parts @ spread) / total


@lru_cache(maxsize=8)
def _gauss_legendre(count: int) -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return nodes, weights

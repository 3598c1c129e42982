"""The bounds behind the implications, in nats, on numbers or arrays of numbers.

Each grows with its first argument, and each errs upwards in rounding.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np

from leakgauge.probability.cells import Floats

Number = TypeVar("Number", float, Floats)
_SLACK = 1 + 1e-12
"""Rounding of a bound goes up, towards promising less."""


def information_of_ratio(epsilon: Number) -> Number:
    """The most I(D;E) that rows within e^ε allow: A − 1 − ln A with A = ε/(1 − e^−ε), about ε²/8 for small ε.

    Per output the rows lie between m and m·e^ε; the share α of rows at the top that maximises the divergence gives
    A = 1 + α(e^ε − 1). Subset selection over growing alphabets reaches it.
    """
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        a = np.where(np.asarray(epsilon) > 0, epsilon / -np.expm1(-np.asarray(epsilon, dtype=float)) - 1, 0.0)
        # a − ln(1 + a) cancels for small a; its series does not.
        series = a * a * (1 / 2 - a * (1 / 3 - a * (1 / 4 - a / 5)))
        exact = np.where(a < 1e-3, series * (1 + 1e-9), a - np.log1p(a))
    return _same(np.where(np.isinf(a), math.inf, exact) * _SLACK, epsilon)


def renyi_of_pure(epsilon: Number, order: float) -> Number:
    """D_α of randomized response at ε, the most that ε-differential privacy allows (Bun and Steinke 2016)."""
    e = np.asarray(epsilon, dtype=float)
    if order == math.inf:
        return epsilon
    if order == 1:
        return _same(e * np.tanh(e / 2) * _SLACK, epsilon)
    # (e^(αε) + e^((1−α)ε)) / (1 + e^ε), from its larger exponent so that nothing overflows.
    total = order * e + np.log1p(np.exp((1 - 2 * order) * e)) - np.logaddexp(0.0, e)
    return _same(np.minimum(np.maximum(total / (order - 1), 0.0) * _SLACK, e), epsilon)


def concentration_of_pure(epsilon: Number) -> Number:
    """ρ = ε·tanh(ε/2), reached by randomized response; ε²/2 is the familiar looser form."""
    e = np.asarray(epsilon, dtype=float)
    return _same(e * np.tanh(e / 2) * _SLACK, epsilon)


def gaussian_of_pure(epsilon: Number) -> Number:
    """μ = 2 Φ⁻¹(e^ε/(1 + e^ε)), reached by randomized response."""
    from scipy.special import ndtri

    return _same(-2 * ndtri(1 / (1 + np.exp(np.minimum(np.asarray(epsilon, dtype=float), 700.0)))) * _SLACK, epsilon)


def approximate_of_pure(epsilon: Number, delta: float) -> Number:
    """The ε' at which ε-differential privacy has this δ: ln(e^ε − δ(1 + e^ε)), reached by randomized response."""
    e = np.asarray(epsilon, dtype=float)
    inner = 1 - delta * (1 + np.exp(-e))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(inner > 0, e + np.log(np.maximum(inner, 1e-300)), 0.0)
    return _same(np.maximum(found, 0.0), epsilon)


def approximate_of_renyi(epsilon: float, order: float, delta: float) -> float:
    """ε at this δ from one Rényi order: ε_α + ln(1 − 1/α) − (ln δ + ln α)/(α − 1) (Canonne et al. 2020)."""
    if delta <= 0:
        return epsilon if order == math.inf else math.inf
    if order <= 1:
        return math.inf
    if order == math.inf:
        return float(approximate_of_pure(epsilon, delta))
    return max(epsilon + math.log1p(-1 / order) - (math.log(delta) + math.log(order)) / (order - 1), 0.0)


def approximate_of_concentration(rho: float, delta: float) -> float:
    """The best of ``approximate_of_renyi`` over all orders for a level ρα."""
    if rho == 0:
        return 0.0
    if delta <= 0 or rho == math.inf:
        return math.inf
    from scipy.optimize import minimize_scalar

    def at(logarithm: float) -> float:
        order = 1 + math.exp(logarithm)
        return approximate_of_renyi(rho * order, order, delta)

    # Any order gives a sound bound, so an imperfect minimum errs towards privacy.
    best = minimize_scalar(at, bounds=(-12.0, 25.0), method="bounded", options={"xatol": 1e-6})
    return float(best.fun) * _SLACK


def approximate_of_gaussian(mu: float, delta: float) -> float:
    """The ε at which N(0,1) against N(μ,1) has this δ, exactly (Balle and Wang 2018)."""
    if mu == 0:
        return 0.0
    if delta <= 0 or mu == math.inf:
        return math.inf
    from scipy.optimize import brentq

    if gaussian_delta(mu, 0.0) <= delta:
        return 0.0
    high = 1.0
    while gaussian_delta(mu, high) > delta:
        high *= 2
    # brentq stops on either side of the root; its tolerance is added to stay above.
    return float(brentq(lambda epsilon: gaussian_delta(mu, epsilon) - delta, 0.0, high, xtol=1e-12)) + 1e-11


def gaussian_delta(mu: float, epsilon: float) -> float:
    """δ(ε) of N(0,1) against N(μ,1): Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2)."""
    from scipy.special import log_ndtr

    first = log_ndtr(-epsilon / mu + mu / 2)
    second = epsilon + log_ndtr(-epsilon / mu - mu / 2)
    return float(math.exp(first) * -math.expm1(min(second - first, 0.0)))


def variation_of_information(information: float) -> float:
    """The largest δ of (0, δ)-differential privacy that mutual-information DP allows.

    Solves ln 2 − h((1 + δ)/2) = information; sharp, where √(2·information) is the familiar looser form.
    """
    if information <= 0:
        return 0.0
    if information >= math.log(2):
        return 1.0
    from scipy.optimize import brentq

    def gap(delta: float) -> float:
        p, q = (1 + delta) / 2, (1 - delta) / 2
        return math.log(2) + p * math.log(p) + (q * math.log(q) if q > 0 else 0.0) - information

    return min(float(brentq(gap, 0.0, 1.0, xtol=1e-15)) + 1e-12, 1.0)


def _same(found: Floats, like: Number) -> Number:
    """An array where an array came, a float where a float came."""
    return found if isinstance(like, np.ndarray) else float(found)

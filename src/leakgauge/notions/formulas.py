"""The bounds behind the implications, in nats; each grows with its first argument and errs upwards in rounding."""

from __future__ import annotations

import math

import numpy as np

from leakgauge.mechanisms.steps import renyi_curves

_UP = 1 + 1e-12
"""Rounding of a bound goes up, towards promising less."""
_SAFE_SIDE = 1e-9
"""δ is taken this much smaller, relatively, so that rounding cannot make an ε too small."""


def information_of_ratio(epsilon: float) -> float:
    """The most I(D;E) that rows within e^ε allow: A − 1 − ln A with A = ε/(1 − e^−ε), about ε²/8 for small ε.

    Per output the rows lie between m and m·e^ε; the share α of rows at the top that maximises the divergence gives
    A = 1 + α(e^ε − 1). Subset selection over growing alphabets reaches it.
    """
    if epsilon in (0.0, math.inf):
        return epsilon
    if epsilon < 1e-3:
        # Both A − 1 and a − ln(1 + a) cancel here; their series, cut where the next term is negative, lie above.
        a = epsilon / 2 + epsilon * epsilon / 12
        return a * a * (1 / 2 - a * (1 / 3 - a / 4)) * _UP
    a = epsilon / -math.expm1(-epsilon) - 1
    return (a - math.log1p(a)) * _UP


def renyi_of_pure(epsilon: float, order: float) -> float:
    """D_α of randomized response at ε, the most that ε-differential privacy allows (Bun and Steinke 2016)."""
    if order == 1:
        return concentration_of_pure(epsilon)
    if order == math.inf or (order < 1.001 and order * epsilon >= 30):
        return epsilon  # near order 1 and far from 0 the curve's rounding shows, and ε is near
    return min(float(renyi_curves.pure(epsilon, np.array([order]))[0]) * _UP, epsilon)


def concentration_of_pure(epsilon: float) -> float:
    """ρ = ε·tanh(ε/2), reached by randomized response; ε²/2 is the familiar looser form."""
    return epsilon * math.tanh(epsilon / 2) * _UP


def gaussian_of_pure(epsilon: float) -> float:
    """μ = 2 Φ⁻¹(e^ε/(1 + e^ε)), reached by randomized response."""
    from scipy.special import ndtri

    return float(-2 * ndtri(1 / (1 + math.exp(epsilon)))) * _UP if epsilon < 700 else math.inf


def approximate_of_pure(epsilon: float, delta: float) -> float:
    """The ε' at which ε-differential privacy has this δ: ln(e^ε − δ(1 + e^ε)), reached by randomized response."""
    inner = 1 - delta * (1 + math.exp(-epsilon))
    return max(epsilon + math.log(inner), 0.0) * _UP if inner > 0 else 0.0


def approximate_of_renyi(epsilon: float, order: float, delta: float) -> float:
    """ε at this δ from one Rényi order: ε_α + ln(1 − 1/α) − (ln δ + ln α)/(α − 1) (Canonne et al. 2020)."""
    if order == math.inf:
        return approximate_of_pure(epsilon, delta)
    if delta <= 0 or order <= 1:
        return math.inf
    return max(epsilon + math.log1p(-1 / order) - (math.log(delta) + math.log(order)) / (order - 1), 0.0) * _UP


def approximate_of_concentration(rho: float, delta: float) -> float:
    """The best of ``approximate_of_renyi`` over all orders for a level ρα."""
    if rho == 0:
        return 0.0
    return renyi_curves.epsilon_at(lambda orders: orders * rho, delta) if delta > 0 else math.inf


def approximate_of_gaussian(mu: float, delta: float) -> float:
    """The ε of N(μ, 1) against N(0, 1) at δ (Balle and Wang, Improving the Gaussian mechanism, 2018)."""
    from scipy.special import log_ndtr, ndtr

    if mu == 0.0 or mu > 1e100:
        return 0.0 if mu == 0.0 else math.inf
    if delta <= 0:
        return math.inf
    target = delta * (1 - _SAFE_SIDE)
    if math.erf(mu / math.sqrt(8)) <= target:
        return 0.0
    if mu < 1e-3:
        # The difference below cancels for so small a μ; the Rényi bound does not, and is sound.
        return approximate_of_concentration(mu * mu / 2, delta)

    def above(epsilon: float) -> bool:
        tail = float(np.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu)))
        return float(ndtr(mu / 2 - epsilon / mu)) - tail > target

    low, high = 0.0, 1.0
    while above(high):
        low, high = high, 2 * high
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if above(middle) else (low, middle)
    return high


def delta_of_gaussian(mu: float, epsilon: float) -> float:
    """The δ of N(μ, 1) against N(0, 1) at ε, rounded up (Balle and Wang 2018)."""
    from scipy.special import log_ndtr, ndtr

    if mu == 0.0 or mu > 1e100:
        return float(mu > 0.0)
    high = float(ndtr(mu / 2 - epsilon / mu))
    # e^ε Φ(−μ/2 − ε/μ); its difference from the first term may cancel, by no more than a few roundings of that.
    return min(max(high - math.exp(epsilon + float(log_ndtr(-mu / 2 - epsilon / mu))), 0.0) + 1e-14 * high, 1.0)


def variation_of_information(information: float) -> float:
    """The largest δ of (0, δ)-differential privacy that mutual-information DP allows.

    Solves ln 2 − h((1 + δ)/2) = information; sharp, where √(2·information) is the familiar looser form.
    """
    if information <= 0:
        return 0.0
    if information >= math.log(2):
        return 1.0
    if information < 1e-4:
        return math.sqrt(2 * information) * _UP  # Pinsker: above, and within 10^-5 of it here
    from scipy.optimize import brentq

    def gap(delta: float) -> float:
        upper = (1 + delta) * math.log1p(delta)
        lower = (1 - delta) * math.log1p(-delta) if delta < 1 else 0.0
        return (upper + lower) / 2 - information

    return min(float(brentq(gap, 0.0, 1.0, xtol=1e-15)) * (1 + 1e-9), 1.0)

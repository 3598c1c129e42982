"""The bounds behind the implications, in nats; each grows with its first argument and errs upwards in rounding."""

from __future__ import annotations

import math

import numpy as np

from leakgauge.mechanisms.steps import renyi_curves

_UP = 1 + 1e-12
"""Rounding of a bound goes up, towards promising less."""
_SAFE_SIDE = 1e-11
"""δ is taken this much smaller, relatively, so that rounding cannot make an ε too small."""
_NEGLIGIBLE = 40.0
"""A normal variable exceeds this with a chance below the smallest float above 0."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)
"""Points in [−1, 1] and weights by which an analytic function is integrated there."""


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


def approximate_of_approximate(epsilon: float, delta: float, wanted: float) -> float:
    """The ε' at which (ε, δ)-differential privacy has another δ; infinite where that is smaller.

    The worst pair shows with probability δ who it is and answers by randomized response at ε otherwise (Kairouz, Oh and
    Viswanath 2015), so that its δ is δ + (1 − δ)(e^ε − e^ε')/(1 + e^ε) below ε, and never less than δ.
    """
    return approximate_of_pure(epsilon, (wanted - delta) / (1 - delta)) if delta <= wanted < 1 else math.inf


def variation_of_approximate(epsilon: float, delta: float) -> float:
    """δ + (1 − δ) tanh(ε/2): total variation of that worst pair."""
    return min((delta + (1 - delta) * math.tanh(epsilon / 2)) * _UP, 1.0)


def variation_of_gaussian(mu: float) -> float:
    """2Φ(μ/2) − 1: total variation of N(0, 1) and N(μ, 1)."""
    return min(math.erf(mu / math.sqrt(8)) * _UP, 1.0)


def information_of_approximate(epsilon: float, delta: float, values: int) -> float:
    """The most that (ε, δ)-differential privacy lets be told of one of k values, under any prior; sharp for two.

    I = Σ_x p(x) KL(q_x ‖ p(x) q_x + (1 − p(x)) r_x) with r_x the mean of the other rows, which is within (ε, δ) of q_x
    as each of them is. An f-divergence of two laws within (ε, δ) is at most that of the worst pair P, Q, so that
    I ≤ Σ_x φ(p(x)) with φ(a) = a KL(P ‖ aP + (1 − a)Q). φ is concave up to 1/2, and from there on the sum over all
    values falls in the largest share as it does for two values; hence the uniform prior is the worst.
    """
    if values == 1:
        return 0.0
    share, high, low = 1 / values, 1 / (1 + math.exp(-epsilon)), math.exp(-epsilon) / (1 + math.exp(-epsilon))
    told = high * math.log(high / (share * high + (1 - share) * low))
    told += low * math.log(low / (share * low + (1 - share) * high)) if low > 0 else 0.0
    # The two terms nearly cancel for a small ε: what rounding may have lost is given away.
    return (delta * math.log(values) + (1 - delta) * (max(told, 0.0) + 1e-15)) * _UP


def leakage_of_approximate(epsilon: float, delta: float, values: int) -> float:
    """ln of the most that Σ_y max_x q(y|x) can be for k rows within (ε, δ): k(e^ε + (k − 1)δ)/(e^ε + k − 1).

    Let A_x be the outputs at which x is the best guess. q_x(A_x) ≤ e^ε q_u(A_x) + δ for all k − 1 others u; summed over
    all pairs, with S = Σ_x q_x(A_x) and Σ_u q_u(A_x) = k over all x: (k − 1)S ≤ k(k − 1)δ + e^ε(k − S). Reached by
    showing the value with probability δ, and randomized response over all values otherwise.
    """
    others = (values - 1) * math.exp(-epsilon)
    return (math.log(values) + math.log1p(others * delta) - math.log1p(others) + 1e-15) * _UP


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
    """The ε of N(μ, 1) against N(0, 1) at δ, rounded up (Balle and Wang, Improving the Gaussian mechanism, 2018)."""
    if mu == 0.0 or mu > 1e100:
        return 0.0 if mu == 0.0 else math.inf
    if delta <= 0:
        return math.inf
    target = delta * (1 - _SAFE_SIDE)
    if math.erf(mu / math.sqrt(8)) <= target:
        return 0.0
    # Over ε/μ, by halves; from μ/2 + 40 on, δ is below every float above 0.
    least, low, high = math.log(target) if target > 0 else -math.inf, 0.0, mu / 2 + _NEGLIGIBLE
    while high - low > 1e-15 * high:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if _log_delta_of_gaussian(mu, middle - mu / 2) > least else (low, middle)
    return mu * high * _UP


def delta_of_gaussian(mu: float, epsilon: float) -> float:
    """The δ of N(μ, 1) against N(0, 1) at ε, rounded up (Balle and Wang 2018)."""
    if mu == 0.0 or mu > 1e100:
        return float(mu > 0.0)
    threshold = epsilon / mu - mu / 2
    if threshold > _NEGLIGIBLE:
        return 0.0
    # A smaller threshold, by what the difference may have been rounded, has the larger δ.
    logarithm = _log_delta_of_gaussian(mu, threshold - 4e-16 * (epsilon / mu + mu / 2))
    return min(math.exp(logarithm) * (1 + _SAFE_SIDE), 1.0)


def _log_delta_of_gaussian(mu: float, threshold: float) -> float:
    """ln δ at ε = μ(x + μ/2) for a threshold x of at most 40, to 10^-12 or better.

    δ = Φ(−x) − e^ε Φ(−x − μ) = φ(x)(R(x) − R(x + μ)) with Mills' ratio R = Φ(−·)/φ, because e^ε φ(x + μ) = φ(x). For a
    small μ that difference would cancel, and the integral of −R'(t) = 1 − t·R(t) from x to x + μ takes its place.
    """
    from scipy.special import erfcx, ndtr

    mills = math.sqrt(math.pi / 2)
    log_density = -threshold * threshold / 2 - math.log(2 * math.pi) / 2
    if mu < 0.5:
        t = threshold + mu / 2 * (1 + _NODES)
        mean = float(_WEIGHTS @ (1 - t * mills * erfcx(t / math.sqrt(2)))) / 2
        return log_density + math.log(mu) + math.log(mean)
    beyond = mills * float(erfcx((threshold + mu) / math.sqrt(2)))
    if threshold < 0:
        return math.log(float(ndtr(-threshold)) - math.exp(log_density) * beyond)
    return log_density + math.log(mills * float(erfcx(threshold / math.sqrt(2))) - beyond)


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

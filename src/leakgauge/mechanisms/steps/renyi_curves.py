"""Rényi-DP curves in nats, as functions of an array of orders above 1, and what they give at a δ.

References: Mironov, Rényi differential privacy, 2017; Mironov, Talwar and Zhang, Rényi differential privacy of
the sampled Gaussian mechanism, 2019; Asoodeh et al. 2020 and Canonne, Kamath and Steinke, The discrete Gaussian
for differential privacy, 2020, proposition 12 (conversion).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from leakgauge.probability.cells import Floats

ORDERS: Floats = 1 + np.geomspace(1e-2, 1e7, 400)
LARGEST_SAMPLED_ORDER = 256.0
SAMPLED_POINTS = 1 << 12
"""The curve of a sampled Gaussian is computed up to an order, and from so many points of an integral, at most."""
CHANNEL_WORK = 1 << 24
"""Above so many terms a channel's exact curve gives way to that of its exact ε."""


def pure(epsilon: float, orders: Floats) -> Floats:
    """D_α of binary randomized response at ε, in nats: the sharp curve of every ε-DP mechanism."""
    if epsilon in (0.0, math.inf):
        return np.full(orders.shape, epsilon)
    with np.errstate(over="ignore"):
        small = orders * epsilon < 30
    a = np.where(small, orders, 1.5)
    e = epsilon if small.any() else 0.0
    # (e^αε + e^(1−α)ε)/(1 + e^ε) − 1 as a product, so that nothing cancels at small ε.
    excess = np.expm1((a - 1) * e) * np.exp((1 - a) * e) * np.expm1(a * e) / (1 + math.exp(min(e, 700.0)))
    with np.errstate(over="ignore", invalid="ignore"):
        large = np.logaddexp(orders * epsilon, (1 - orders) * epsilon) - np.logaddexp(0.0, epsilon)
        large = np.where(np.isfinite(large), large, math.inf)
    return np.asarray(np.minimum(np.where(small, np.log1p(excess), large) / (orders - 1), epsilon))


def laplace(epsilon: float, orders: Floats) -> Floats:
    """D_α of two Laplace laws whose centres are ε scales apart, in nats (Mironov 2017, table II)."""
    first = np.log(orders / (2 * orders - 1)) + (orders - 1) * epsilon
    second = np.log((orders - 1) / (2 * orders - 1)) - orders * epsilon
    # The worst case of ε-DP is never exceeded; it also hides what rounding does to this sum at small ε.
    return np.minimum(np.maximum(np.logaddexp(first, second) / (orders - 1), 0) + 1e-14, pure(epsilon, orders))


def bounded_range(epsilon: float, orders: Floats) -> Floats:
    """The largest D_α of two laws whose losses span at most ε, in nats: of the exponential mechanism.

    Over the pairs of two points with losses t and t − ε, E[e^(b·loss)] = s^b(A − Bs)/(e^ε − 1) with b = α − 1, s = e^t,
    A = e^ε − e^(−bε) and B = 1 − e^(−bε), which is the largest at s = bA/(αB).
    """
    b = orders - 1
    log_a = np.where(orders * epsilon < 30, np.log(np.expm1(np.minimum(orders * epsilon, 30.0))), orders * epsilon)
    log_a = log_a - b * epsilon
    log_s = np.log(b / orders) + log_a - np.log(-np.expm1(-b * epsilon))
    logs = b * log_s + log_a - np.log(orders) - math.log(math.expm1(min(epsilon, 700.0)))
    # A little above, for what rounding did to the sum of logarithms, the largest of which is about αε.
    return np.asarray((np.maximum(logs, 0.0) + 1e-14 * (1 + orders * epsilon)) / b)


def fixed_size(curve: Callable[[Floats], Floats], largest: float, share: float, orders: Floats) -> Floats:
    """The curve in nats of a mechanism on a batch of a share of the records, drawn without replacement.

    ``curve`` and ``largest``, its level at ∞, hold for replaced records, and so does the answer (Wang, Balle and
    Kasiviswanathan, Subsampled Rényi differential privacy and analytical moments accountant, 2019, theorem 9); exact
    at no order, sound at whole orders to 64 and between them, infinite above.
    """
    from scipy.special import gammaln

    whole = np.arange(2, 65)
    levels = curve(whole.astype(np.float64))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        ratio = np.log(np.expm1(np.minimum(largest, 700.0)))
        logs = whole * math.log(share) + (whole - 1) * levels + np.minimum(math.log(2), whole * ratio)
        # ln 4(e^ε(2) − 1) may be the smaller factor at 2.
        logs[0] = min(logs[0], 2 * math.log(share) + math.log(4) + math.log(math.expm1(min(float(levels[0]), 700.0))))
    logs = logs - gammaln(whole + 1)
    sums = [np.logaddexp.reduce(logs[: a - 1] + gammaln(a + 1) - gammaln(a - whole[: a - 1] + 1)) for a in whole]
    bounds = np.logaddexp(0.0, np.array(sums)) / (whole - 1)
    return interpolated(whole.astype(np.float64), np.minimum(bounds, levels), orders)


def interpolated(known_orders: Floats, epsilons: Floats, orders: Floats) -> Floats:
    """A bound in nats at any order from bounds at some: (α − 1)·D_α is convex, so chords lie above it."""
    finite = np.isfinite(epsilons)
    known_orders, heights = known_orders[finite], (known_orders[finite] - 1) * epsilons[finite]
    chord = np.interp(orders, np.append(1.0, known_orders), np.append(0.0, heights)) / (orders - 1)
    return np.where(orders <= known_orders.max(initial=1.0), chord, math.inf)


def seen_sometimes(curve: Floats, orders: Floats, probability: float) -> Floats:
    """The curve, in nats, of a mechanism that sees the record with this probability.

    E_Q[(P/Q)^α] is jointly convex, and with 1 − p both neighbours lead to the same law; so this holds for
    replaced and for removed records, whatever the mechanism.
    """
    powers = np.logaddexp(math.log1p(-probability), math.log(probability) + (orders - 1) * curve)
    return np.asarray(np.minimum(powers / (orders - 1), curve))


def sampled_gaussian(mu: float, probability: float, orders: Floats) -> Floats:
    """The Poisson-sampled Gaussian's curve in nats, for added or removed records; infinite above the order 256.

    ln E[(1 − s + s·e^L)^α]/(α − 1) with L normal of mean −μ²/2 and variance μ² (Mironov, Talwar and Zhang 2019, whose
    series for other than whole orders this replaces), by the trapezoidal rule. It is as good as exact: the integrand
    is analytic in x = (L + μ²/2)/μ while |Im x| < π/μ, where it is at most e^(|Im x|²/2) times that at Re x, so that
    a step h errs by less than 2e^(y²/2 − 2πy/h) for any such y: 10^-18, relatively, at the steps taken. Outside
    [−9, αμ + 9] the logarithm of the integrand falls by 9 per unit at least, and 10^-18 of the integral lies there.
    """
    step = min(0.5, 0.4 / mu)
    most = min(LARGEST_SAMPLED_ORDER, (SAMPLED_POINTS * step - 18) / mu)
    within = orders <= most
    if not within.any():
        return np.full(orders.shape, math.inf)
    alpha = orders[within]
    x = np.arange(-9.0, float(alpha.max()) * mu + 9.0 + step, step)
    base = np.logaddexp(math.log1p(-probability), math.log(probability) + mu * x - mu * mu / 2)
    exponents = alpha[:, None] * base - x * x / 2
    peak = exponents.max(axis=1)
    logs = peak + np.log(np.exp(exponents - peak[:, None]).sum(axis=1)) + math.log(step / math.sqrt(2 * math.pi))
    curve = np.full(orders.shape, math.inf)
    # A little above, for what rounding did to the sum, which is at least 1.
    curve[within] = (np.maximum(logs, 0.0) * (1 + 1e-14) + 1e-14) / (alpha - 1)
    return curve


def of_rows(matrix: Floats, orders: Floats) -> Floats | None:
    """max over ordered pairs of rows of D_α(row ‖ other row), in nats; None where that is too much work."""
    inputs, outputs = matrix.shape
    if inputs * inputs * outputs * len(orders) > CHANNEL_WORK:
        return None
    worst = np.zeros(len(orders))
    with np.errstate(divide="ignore"):
        logs = np.log(matrix)
    for p in logs:
        seen = p > -np.inf
        for q in logs:
            if np.any(q[seen] == -np.inf):
                return np.full(orders.shape, math.inf)
            terms = orders[:, None] * p[seen] + (1 - orders[:, None]) * q[seen]
            peak = terms.max(axis=1)
            total = peak + np.log(np.exp(terms - peak[:, None]).sum(axis=1))
            worst = np.maximum(worst, total / (orders - 1))
    return worst


def looked_at(corners: Sequence[float]) -> Floats:
    """The orders that are always looked at, and some more."""
    return np.union1d(ORDERS, corners) if corners else ORDERS


def epsilon_at(curve: Callable[[Floats], Floats], delta: float, corners: Sequence[float] = ()) -> float:
    """The smallest ε in nats for which the curve proves (ε, δ)-DP, over orders refined around the best.

    ε = ε_α + ln(1 − 1/α) − (ln δ + ln α)/(α − 1). Every order gives a bound, so no choice of orders is unsafe;
    ``corners`` are orders that must be looked at, where a curve is known at some only.
    """
    orders, best = looked_at(corners), math.inf
    for _ in range(3):
        bound = epsilons_at(curve(orders), orders, delta)
        at = int(np.argmin(bound))
        best = min(best, float(bound[at]))
        low, high = orders[max(at - 1, 0)], orders[min(at + 1, len(orders) - 1)]
        orders = 1 + np.geomspace(low - 1, high - 1, 40)
    # A little above, for what rounding did to a sum of many curves.
    return max(best, 0.0) * (1 + 1e-12) + 1e-12 if best < math.inf else math.inf


def epsilons_at(levels: Floats, orders: Floats, delta: float) -> Floats:
    """The ε in nats that the level at each order proves at δ."""
    with np.errstate(over="ignore"):
        return np.asarray(levels + np.log1p(-1 / orders) - (math.log(delta) + np.log(orders)) / (orders - 1))


def delta_at(levels: Floats, orders: Floats, epsilon: float) -> float:
    """The smallest δ for which levels at some orders prove (ε, δ)-DP: the formula of ``epsilons_at`` inverted."""
    with np.errstate(over="ignore", invalid="ignore"):
        logs = (orders - 1) * (levels - epsilon + np.log1p(-1 / orders)) - np.log(orders)
    # Rounding up, as there.
    return min(math.exp(min(float(np.nan_to_num(logs, nan=math.inf).min()), 0.0)) * (1 + 1e-9), 1.0)

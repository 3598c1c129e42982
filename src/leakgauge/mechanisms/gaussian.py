"""Gaussian noise: on a grid, as little as the exact δ allows, or on the whole numbers by its ρ."""

from __future__ import annotations

import math
from collections.abc import Mapping

from leakgauge.claims import ApproximateDP, ZeroConcentratedDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms.mechanism import Parameter
from leakgauge.mechanisms.noise import DiscreteGaussian
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.mechanisms.span import Span, given, require_budget, span


def gaussian(
    epsilon: float,
    delta: float,
    *,
    sensitivity: float | None = None,
    lower: float | None = None,
    upper: float | None = None,
    grid: float | None = None,
    missing: float | None = None,
    clamp: bool = False,
) -> NoisyNumber:
    """Gaussian noise on a grid: (ε, δ)-differential privacy by the analytic σ, raised where the grid's own δ asks so.

    Args:
        epsilon: the budget in nats.
        delta: above 0, below 1.
        sensitivity: of a query: how far one record moves its answer, in Euclidean length.
        lower, upper, grid, missing, clamp: as of ``laplace``, σ in place of the scale.

    Raises:
        OptionError: an ε, δ, sensitivity, bounds or grid that cannot be used.

    Example:
        >>> age = gaussian(0.1, 1e-3, lower=0, upper=100)
        >>> round(age.added.scale * age.span.grid)
        1740
    """
    require_budget(epsilon)
    if not 0 < delta < 1:
        raise OptionError("A δ of {delta} is not between 0 and 1; without a δ use laplace.", delta=delta)
    multiplier = analytic_multiplier(epsilon, delta)
    spans = span(sensitivity=sensitivity, lower=lower, upper=upper, grid=grid, scale=multiplier)
    law = _calibrated(spans, epsilon, delta, multiplier)
    parameters = {"epsilon": epsilon, "delta": delta, **given(sensitivity, lower, upper, missing), "grid": spans.grid}
    made = gaussian_over(spans, "gaussian", law, parameters, missing, ApproximateDP(epsilon, delta))
    return made.clamped() if clamp else made


def discrete_gaussian(
    rho: float,
    *,
    sensitivity: int | None = None,
    lower: int | None = None,
    upper: int | None = None,
    missing: int | None = None,
    clamp: bool = False,
) -> NoisyNumber:
    """Discrete Gaussian noise on whole numbers with σ = sensitivity/√(2ρ): ρ-zero-concentrated privacy.

    ρ is in nats; the other arguments are those of ``gaussian``, in whole numbers.
    """
    if not 0 < rho < math.inf:
        raise OptionError("A ρ of {rho} is not a finite number above 0; give one that is.", rho=rho)
    spans = span(sensitivity=sensitivity, lower=lower, upper=upper, grid=1.0, scale=1 / math.sqrt(2 * rho))
    # Up by a few units in the last place: more noise, never less.
    law = DiscreteGaussian(spans.steps / math.sqrt(2 * rho) * (1 + 2.0**-50))
    made = gaussian_over(
        spans, "discrete-gaussian", law, {"rho": rho, **given(sensitivity, lower, upper, missing)}, missing
    )
    return made.clamped() if clamp else made


def gaussian_over(
    spans: Span,
    name: str,
    law: DiscreteGaussian,
    parameters: Mapping[str, Parameter],
    missing: float | None,
    headline: ApproximateDP | None = None,
) -> NoisyNumber:
    """The mechanism over a span."""
    concentrated = ZeroConcentratedDP(law.rho(spans.steps))
    claims = (concentrated,) if headline is None else (headline, concentrated)
    return NoisyNumber(name, parameters, claims, law, spans, missing)


def analytic_multiplier(epsilon: float, delta: float) -> float:
    """The smallest σ/sensitivity at which continuous Gaussian noise has (ε, δ)-differential privacy.

    δ = Φ(1/2s − εs) − e^ε Φ(−1/2s − εs) at s = σ/sensitivity (Balle and Wang, Improving the Gaussian mechanism, 2018).
    """
    from scipy.optimize import brentq
    from scipy.special import log_ndtr, ndtr

    def excess(log_multiplier: float) -> float:
        s = math.exp(log_multiplier)
        far = math.exp(min(epsilon + float(log_ndtr(-1 / (2 * s) - epsilon * s)), 0.0))
        return float(ndtr(1 / (2 * s) - epsilon * s)) - far - delta

    low, high = -1.0, 1.0
    while excess(low) < 0:
        low -= 2.0
    while excess(high) > 0:
        high += 2.0
    return math.exp(brentq(excess, low, high, xtol=1e-13))


def _calibrated(spans: Span, epsilon: float, delta: float, multiplier: float) -> DiscreteGaussian:
    """The law on the grid, with σ raised until its own δ, which differs a little from the continuous one, fits."""
    sigma, more = multiplier * spans.steps, 2.0**-40
    while (law := DiscreteGaussian(sigma)).delta(spans.steps, epsilon) > delta:
        # Small steps first, so that little is wasted; they double, so that this ends.
        sigma, more = sigma * (1 + more), min(2 * more, 0.25)
    return law

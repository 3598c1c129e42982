"""Discrete Gaussian noise on the whole numbers, by its zero-concentrated level."""

from __future__ import annotations

import math

from leakgauge.errors import OptionError
from leakgauge.mechanisms.gaussian import gaussian_over
from leakgauge.mechanisms.noise import DiscreteGaussian
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.mechanisms.span import given, span


def discrete_gaussian(
    rho: float,
    *,
    sensitivity: int | None = None,
    lower: int | None = None,
    upper: int | None = None,
    missing: int | None = None,
) -> NoisyNumber:
    """Discrete Gaussian noise on whole numbers with σ = sensitivity/√(2ρ): ρ-zero-concentrated privacy.

    ρ is in nats; the other arguments are those of ``gaussian``, in whole numbers.
    """
    if not 0 < rho < math.inf:
        raise OptionError("A ρ of {rho} is not a finite number above 0.", rho=rho)
    spans = span(sensitivity=sensitivity, lower=lower, upper=upper, grid=1.0, scale=1 / math.sqrt(2 * rho))
    # Up by a few units in the last place: more noise, never less.
    law = DiscreteGaussian(spans.steps / math.sqrt(2 * rho) * (1 + 2.0**-50))
    return gaussian_over(
        spans, "discrete-gaussian", law, {"rho": rho, **given(sensitivity, lower, upper, missing)}, missing
    )

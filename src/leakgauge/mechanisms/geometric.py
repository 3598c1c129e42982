"""Discrete Laplace noise on the whole numbers, also called two-sided geometric."""

from __future__ import annotations

from leakgauge.mechanisms.laplace import laplace_over
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.mechanisms.span import given, require_budget, span


def geometric(
    epsilon: float,
    *,
    sensitivity: int | None = None,
    lower: int | None = None,
    upper: int | None = None,
    missing: int | None = None,
) -> NoisyNumber:
    """Discrete Laplace noise on whole numbers: P(k) ∝ e^(−ε|k|/sensitivity), ε-differential privacy.

    Its arguments are those of ``laplace``, in whole numbers.
    """
    require_budget(epsilon)
    spans = span(sensitivity=sensitivity, lower=lower, upper=upper, grid=1.0, scale=1 / epsilon)
    return laplace_over(spans, "geometric", epsilon, given(sensitivity, lower, upper, missing), missing)

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

    Args:
        epsilon: the budget in nats.
        sensitivity: of a count: how far one record moves it.
        lower: bounds of a column of whole numbers, to which its values are clamped.
        upper: the upper one.
        missing: the number that stands for missing values of a column.

    Raises:
        OptionError: an ε, sensitivity or bounds that cannot be used.
    """
    require_budget(epsilon)
    spans = span(sensitivity=sensitivity, lower=lower, upper=upper, grid=1.0, scale=1 / epsilon)
    return laplace_over(spans, "geometric", epsilon, given(sensitivity, lower, upper, missing), missing)

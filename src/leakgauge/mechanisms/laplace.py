"""Laplace noise, on a grid or on the whole numbers (discrete, also called two-sided geometric)."""

from __future__ import annotations

from collections.abc import Mapping

from leakgauge.claims import CentralDP, LocalDP
from leakgauge.mechanisms.mechanism import Parameter
from leakgauge.mechanisms.noise import DiscreteLaplace, quotient_above
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.mechanisms.span import Span, given, require_budget, span


def laplace(
    epsilon: float,
    *,
    sensitivity: float | None = None,
    lower: float | None = None,
    upper: float | None = None,
    grid: float | None = None,
    missing: float | None = None,
    clamp: bool = False,
) -> NoisyNumber:
    """Laplace noise of scale sensitivity/ε on a grid: ε-differential privacy.

    Args:
        epsilon: the budget in nats.
        sensitivity: of a query: how far one record moves its answer.
        lower, upper: bounds of a column, to which its values are clamped; the sensitivity is their distance.
        grid: a power of two; by default 1 for whole bounds and noise of a scale of 16 or more, else at most a 256th of
            the scale and a 64th of the sensitivity.
        missing: the number that replaces missing values of a column.
        clamp: whether released numbers of a column are clamped to its bounds.

    Raises:
        OptionError: an ε, sensitivity, bounds or grid that cannot be used.

    Example:
        >>> from leakgauge.randomness import Simulated
        >>> age = laplace(1.0, lower=0, upper=120, grid=1)
        >>> str(age.claims[0]), age.run([31, 38, 45], Simulated(simulation_seed=7)).tolist()
        ('local-dp:1', [-91, -93, 59])
    """
    require_budget(epsilon)
    spans = span(sensitivity=sensitivity, lower=lower, upper=upper, grid=grid, scale=1 / epsilon)
    parameters = {**given(sensitivity, lower, upper, missing), "grid": spans.grid}
    made = _laplace_over(spans, "laplace", epsilon, parameters, missing)
    return made.clamped() if clamp else made


def geometric(
    epsilon: float,
    *,
    sensitivity: int | None = None,
    lower: int | None = None,
    upper: int | None = None,
    missing: int | None = None,
    clamp: bool = False,
) -> NoisyNumber:
    """Discrete Laplace noise on whole numbers: P(k) ∝ e^(−ε|k|/sensitivity), ε-differential privacy.

    Its arguments are those of ``laplace``, in whole numbers.
    """
    require_budget(epsilon)
    spans = span(sensitivity=sensitivity, lower=lower, upper=upper, grid=1.0, scale=1 / epsilon)
    made = _laplace_over(spans, "geometric", epsilon, given(sensitivity, lower, upper, missing), missing)
    return made.clamped() if clamp else made


def _laplace_over(
    spans: Span, name: str, epsilon: float, parameters: Mapping[str, Parameter], missing: float | None
) -> NoisyNumber:
    """The mechanism over a span; the scale is rounded up to a float: more noise, never less."""
    claim = CentralDP(epsilon) if spans.lowest is None else LocalDP(epsilon)
    law = DiscreteLaplace(quotient_above(spans.steps, epsilon))
    return NoisyNumber(name, {"epsilon": epsilon, **parameters}, (claim,), law, spans, missing)

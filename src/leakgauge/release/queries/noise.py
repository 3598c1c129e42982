"""Noise for exact whole numbers: how much, on which grid, and what it costs.

A total is a whole number of fine steps. The noise may have a coarser grid, a power of two times the fine one: then the
total is rounded to it first, half up, in whole numbers. Totals within the sensitivity stay within its coarse steps,
rounded up. What a query's noise is follows from the query alone, so it is worked out once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from leakgauge.claims import ApproximateDP, CentralDP, Statement, ZeroConcentratedDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms import gaussian, laplace
from leakgauge.mechanisms.gaussian import analytic_multiplier, gaussian_over
from leakgauge.mechanisms.noise import DiscreteGaussian, quotient_above
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.mechanisms.span import Span, span
from leakgauge.probability import Estimate
from leakgauge.randomness import Randomness
from leakgauge.release.ledger.account import largest_rho


@dataclass(frozen=True)
class TotalNoise:
    """Noise, on its own grid, for totals in whole steps of a fine one."""

    mechanism: NoisyNumber
    grid: float

    def noisy(self, totals: list[int], randomness: Randomness) -> list[float]:
        """Each total with fresh noise, as a number."""
        drawn = self.mechanism.added.noise(len(totals), randomness).tolist()
        # Whole numbers of any size: floats come in only after the noise.
        return [
            float(self.on_grid(total) + noise) * self.mechanism.span.grid
            for total, noise in zip(totals, drawn, strict=True)
        ]

    def on_grid(self, total: int) -> int:
        """A total in steps of the noise's grid, rounded half up."""
        ratio = round(self.mechanism.span.grid / self.grid)
        return (total + ratio // 2) // ratio

    def reach(self, confidence: float) -> float:
        """How far a noisy total lies from the total at most, with this probability; rounding to the grid included."""
        coarse = self.mechanism.span.grid
        return self.mechanism.added.reach(confidence) * coarse + (coarse / 2 if coarse > self.grid else 0.0)

    def estimates(
        self, totals: list[int], confidence: float, randomness: Randomness, rounding: float = 0.0
    ) -> list[Estimate]:
        """Each total with fresh noise and an interval, wider by what the values lost to rounding before."""
        reach = self.reach(confidence) + rounding
        # One draw of noise, which is all that n says: how many rows there are may be secret.
        return [
            Estimate(value, value - reach, value + reach, confidence, 1) for value in self.noisy(totals, randomness)
        ]

    @property
    def rho(self) -> float:
        """The zero-concentrated level in nats of Gaussian noise."""
        rho = self.mechanism.added.rho(self.mechanism.span.steps)
        if rho is None:
            raise TypeError("only Gaussian noise is given a level in zCDP")
        return rho


@lru_cache(maxsize=256)
def total_noise(epsilon: float, delta: float | None, sensitivity: int, grid: float) -> TotalNoise:
    """Noise for one total that a neighbour moves by ``sensitivity`` fine steps: Laplace, or with a δ Gaussian."""
    width = _width(sensitivity, grid)
    try:
        if delta is None:
            return TotalNoise(laplace(epsilon, sensitivity=width, grid=_coarse(width, grid, 1 / epsilon)), grid)
        coarse = _coarse(width, grid, analytic_multiplier(epsilon, delta))
        return TotalNoise(gaussian(epsilon, delta, sensitivity=width, grid=coarse), grid)
    except OptionError:
        raise _beyond(epsilon) from None


@lru_cache(maxsize=256)
def concentrated_noise(epsilon: float, rho: float, sensitivity: int, grid: float) -> TotalNoise:
    """Gaussian noise by a ρ, for one of several totals that together have ``epsilon``."""
    width, multiplier = _width(sensitivity, grid), _multiplier(rho)
    try:
        coarse = _coarse(width, grid, multiplier)
        spans = span(sensitivity=width, lower=None, upper=None, grid=coarse, scale=multiplier)
        return _gaussian_by_rho(spans, rho, width, grid)
    except OptionError:
        raise _beyond(epsilon) from None


@lru_cache(maxsize=256)
def bin_noise(epsilon: float, delta: float | None, rows: int, moved: int) -> TotalNoise:
    """Noise for each of many counts, of which a neighbour raises some by ``rows`` in all and, if two are moved, lowers
    some by as many.

    The grid is 1 always: rounding many counts to a coarser one could move them all.
    """
    try:
        if delta is None:
            return TotalNoise(laplace(share(epsilon, moved), sensitivity=rows, grid=1.0), 1.0)
        # The discrete Gaussian is not the same in all directions as the continuous one is, so that δ is not known from
        # the Euclidean length of a move; ρ is: length²/2σ² (Canonne, Kamath and Steinke 2020), length² ≤ moved · rows².
        rho = concentration(epsilon, delta) / moved
        return _gaussian_by_rho(Span(1.0, rows), rho, rows, 1.0)
    except OptionError:
        raise _beyond(epsilon) from None


def concentration(epsilon: float, delta: float) -> float:
    """A ρ in nats that gives (ε, δ): a billionth below the largest, so that no rounding carries a sum beyond."""
    rho = largest_rho(epsilon, delta) * (1 - 1e-9)
    if not rho > 0:
        raise _beyond(epsilon)
    return rho


def share(epsilon: float, parts: int) -> float:
    """The largest part of a budget of which so many together do not exceed it, in binary and as written."""
    part = epsilon / parts
    while parts * Fraction(part) > Fraction(epsilon) or parts * Decimal(repr(part)) > Decimal(repr(float(epsilon))):
        part = math.nextafter(part, 0.0)
    return part


def together(epsilon: float, delta: float | None, noises: Sequence[TotalNoise]) -> tuple[Statement, ...]:
    """What several noisy totals guarantee that have a budget together."""
    if delta is None:
        return (CentralDP(epsilon),)
    return ApproximateDP(epsilon, delta), ZeroConcentratedDP(sum_above([noise.rho for noise in noises]))


def sum_above(levels: list[float]) -> float:
    """The sum of levels as a float that is never smaller than it."""
    total = sum(map(Fraction, levels), Fraction(0))
    return quotient_above(total.numerator, Fraction(total.denominator))


def _gaussian_by_rho(spans: Span, rho: float, sensitivity: float, grid: float) -> TotalNoise:
    parameters = {"rho": rho, "sensitivity": sensitivity, "grid": spans.grid}
    law = DiscreteGaussian(spans.steps * _multiplier(rho))
    return TotalNoise(gaussian_over(spans, "discrete-gaussian", law, parameters, None), grid)


def _multiplier(rho: float) -> float:
    # Up by a few units in the last place: more noise, never less.
    return (1 + 2.0**-50) / math.sqrt(2 * rho)


def _width(sensitivity: int, grid: float) -> float:
    return quotient_above(sensitivity, 1) * grid


def _coarse(width: float, grid: float, scale: float) -> float:
    """The grid of the noise: fine beside its scale, but not finer than the totals are."""
    return max(grid, span(sensitivity=width, lower=None, upper=None, grid=None, scale=scale).grid)


def _beyond(epsilon: float) -> OptionError:
    return OptionError(
        "An ε of {epsilon} with these bounds and rows per unit asks for noise that cannot be drawn; give a larger ε or "
        "fewer rows per unit.",
        epsilon=epsilon,
    )

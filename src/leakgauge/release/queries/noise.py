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
from leakgauge.mechanisms.steps import Claimed, DiscreteLaplaceNoise, Step
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

    def steps(self) -> tuple[Step, ...]:
        """What it costs, as a ledger counts it."""
        return (self.mechanism.step(),)


@dataclass(frozen=True)
class SpreadNoise(TotalNoise):
    """Noise for each of many totals among which the rows of a neighbour are spread.

    A row adds between −``down`` and ``up`` steps of the noise's grid to one of the totals. Neighbours differ by up to
    ``rows`` rows that are added, or removed, or, where two parts are moved, by as many of both. The move of all totals
    is the difference of two vectors, each a mixture of such in which all rows add the same to one total. A convex
    length is largest where nothing is mixed. So, with m the larger of ``down`` and ``up``, the totals move by at most
    moved · rows · m in all, and the square of the Euclidean length is at most rows² · m², or, where two parts are
    moved, rows² · max(2m², (down + up)²): in two totals, or in one.
    """

    rows: int
    moved: int
    down: int
    up: int

    @property
    def rho(self) -> float:
        """The zero-concentrated level in nats of Gaussian noise in all totals."""
        squares = _squared_length(self.rows, self.moved, self.down, self.up)
        return quotient_above(squares, 2 * Fraction(self.mechanism.added.scale) ** 2)

    def steps(self) -> tuple[Step, ...]:
        """The part that falls and the part that rises, or one of them; with a δ, a level of zCDP.

        A part may spread over several totals. Then all that is known of it is its ε, of which noise with a sensitivity
        of 1 is the worst case. Where rows may add numbers of both signs, both parts may move one total the same way:
        then they are one step of the whole ε, which costs more than two of half of it.
        """
        epsilon = self.mechanism.added.epsilon(self.mechanism.span.steps)
        if epsilon is None:
            return (Claimed(ZeroConcentratedDP(self.rho)),)
        if self.down and self.up:
            return (DiscreteLaplaceNoise(self.moved * epsilon, 1),)
        return (DiscreteLaplaceNoise(epsilon, 1, count=self.moved),)


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
def spread_noise(
    epsilon: float, rho: float | None, ends: tuple[int, int], rows: int, moved: int, grid: float
) -> SpreadNoise:
    """Noise for each of many totals, to one of which a row adds a number of fine steps between two ends, or nothing.

    Laplace noise of ε, or, with a ρ, Gaussian noise. Every total is rounded to the grid of the noise by itself, so that
    each may move by a step more. Therefore the grid is fine beside one row, and what a row adds is rounded up.
    """
    down, up = max(-ends[0], 0), max(ends[1], 0)
    try:
        scale = moved * rows / epsilon if rho is None else rows * _multiplier(rho)
        coarse = _coarse(_width(max(down, up), grid), grid, scale)
        ratio = round(coarse / grid)
        down, up = -(-down // ratio), -(-up // ratio)
        most = rows * max(down, up)
        if rho is None:
            mechanism = laplace(share(epsilon, moved), sensitivity=_width(most, coarse), grid=coarse)
        else:
            # The discrete Gaussian is not the same in all directions as the continuous one is, so that δ is not known
            # from the Euclidean length of a move; ρ is: length²/2σ² (Canonne, Kamath and Steinke 2020).
            part = rho * most**2 / _squared_length(rows, moved, down, up)
            mechanism = _gaussian_by_rho(Span(coarse, most), part, _width(most, coarse), grid).mechanism
    except OptionError:
        raise _beyond(epsilon) from None
    return SpreadNoise(mechanism, grid, rows, moved, down, up)


def bin_noise(epsilon: float, delta: float | None, rows: int, moved: int) -> SpreadNoise:
    """Noise for each of many counts, of which a neighbour raises some by ``rows`` in all and, if two are moved, lowers
    some by as many.

    The grid is 1 always: a row counts 1, and no grid is finer than the counts are.
    """
    rho = None if delta is None else concentration(epsilon, delta)
    return spread_noise(epsilon, rho, (0, 1), rows, moved, 1.0)


def _squared_length(rows: int, moved: int, down: int, up: int) -> int:
    most = max(down, up) ** 2
    return rows**2 * (most if moved == 1 else max(2 * most, (down + up) ** 2))


@lru_cache(maxsize=256)
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

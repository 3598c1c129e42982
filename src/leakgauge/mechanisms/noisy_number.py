"""Numbers on a declared grid plus noise on the same grid: the shape of every numeric mechanism.

A value is clamped to its bounds, rounded to the grid, moved by a whole number of steps. Nothing else of the value
survives: no low bits of a float can tell it apart from its neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.claims import Statement
from leakgauge.errors import ColumnError, OptionError
from leakgauge.mechanisms.laws import DiscreteGaussian, DiscreteLaplace, Steps
from leakgauge.mechanisms.mechanism import Capabilities, Parameter
from leakgauge.probability import Estimate
from leakgauge.randomness import Randomness
from leakgauge.tables import Kind

Numbers: TypeAlias = npt.NDArray[np.float64] | npt.NDArray[np.int64]

LARGEST_STEPS = 2.0**52
"""Grid points up to here are exact floats, and noise cannot carry them out of the whole numbers of the machine."""
FINENESS = 256
"""A grid that is not declared has at least so many steps to the noise's scale, and a quarter of it to the width."""


@dataclass(frozen=True)
class Span:
    """How far one row, or one query over neighbouring tables, can move: in steps of a grid.

    Attributes:
        grid: the distance of neighbouring grid points; a power of two, or 1.
        steps: the sensitivity in whole steps.
        lowest: for a column the bounds in steps, to which values are clamped; else None.
        highest: the upper one.
    """

    grid: float
    steps: int
    lowest: int | None = None
    highest: int | None = None


def span(
    *,
    sensitivity: float | None,
    lower: float | None,
    upper: float | None,
    grid: float | None,
    scale: float,
) -> Span:
    """The span of a query with a sensitivity, or of a column with bounds.

    Args:
        sensitivity: of a query; leave it out for a column.
        lower: the bounds of a column; its sensitivity is their distance.
        upper: the upper one.
        grid: a power of two; by default fine enough for at least 256 steps to the scale and 64 to the width, or 1 for
            whole bounds and noise of a scale of 16 or more. It never follows the data: the grid shows in the release.
        scale: the noise's scale for a sensitivity of 1.

    Raises:
        OptionError: neither or both are given, bounds are missing, reversed or not finite, a sensitivity that is 0 or
            infinite, a grid that is not a power of two or too coarse or too fine.
    """
    width = _width(sensitivity, lower, upper)
    step = _default_grid(width, scale, lower, upper) if grid is None else _require_grid(grid)
    ends = [abs(end) for end in (lower, upper, width) if end is not None]
    if max(ends) / step > LARGEST_STEPS:
        raise OptionError(
            "A grid of {grid:g} cuts {end:g} into more than 2^52 steps; choose a coarser one.", grid=step, end=max(ends)
        )
    if lower is None or upper is None:
        # Rounding half up moves all numbers alike, so that those within the sensitivity stay within its steps.
        return Span(step, math.ceil(width / step))
    lowest, highest = (int(half_up(np.array(end / step))) for end in (lower, upper))
    if highest <= lowest:
        raise OptionError(
            "A grid of {grid:g} rounds the bounds {lower:g} and {upper:g} to one point; choose a finer one.",
            grid=step,
            lower=lower,
            upper=upper,
        )
    return Span(step, highest - lowest, lowest, highest)


@dataclass(frozen=True)
class NoisyNumber:
    """A numeric mechanism: a span, a law of noise in steps, and what they guarantee.

    Made by ``laplace``, ``gaussian``, ``geometric`` or ``discrete_gaussian``.

    Attributes:
        name: as on the command line.
        parameters: as on the command line.
        claims: what is guaranteed, the headline first.
        law: the noise, in steps.
        span: grid, sensitivity and bounds, in steps.
        missing: the number that stands for missing values, which are refused without one.
    """

    name: str
    parameters: Mapping[str, Parameter]
    claims: tuple[Statement, ...]
    law: DiscreteLaplace | DiscreteGaussian
    span: Span
    missing: float | None = None

    def __post_init__(self) -> None:
        if self.missing is not None and not math.isfinite(self.missing):
            raise OptionError("A number of {missing} for missing values is not finite.", missing=self.missing)

    @property
    def capabilities(self) -> Capabilities:
        """Numeric columns where bounds are declared, answers where a sensitivity is."""
        if self.span.lowest is None:
            return Capabilities(answers=True)
        return Capabilities(columns=(Kind.INT, Kind.FLOAT), values=self.span.steps + 1)

    def channel(self) -> None:
        """None: noise has no largest value."""

    def run(self, values: npt.ArrayLike, randomness: Randomness) -> Numbers:
        """Each value on the grid with fresh noise; whole numbers where the grid is 1.

        Raises:
            ColumnError: a value is missing and no number stands for missing ones.
        """
        steps = self.on_grid(np.atleast_1d(np.asarray(values)))
        return self.from_grid(steps + self.law.draw(len(steps), randomness))

    def on_grid(self, values: npt.NDArray[np.generic]) -> Steps:
        """The values in whole steps, clamped to the bounds."""
        limit = round(LARGEST_STEPS)
        low, high = (self.span.lowest, self.span.highest) if self.span.lowest is not None else (-limit, limit)
        if values.dtype == np.int64 and self.span.grid == 1:
            return np.asarray(np.clip(values, low, high), dtype=np.int64)
        numbers = values.astype(np.float64)
        if np.isnan(numbers).any():
            if self.missing is None:
                raise ColumnError(
                    "A value is missing and {name!s} has no number for it; declare one with missing=NUMBER.",
                    name=self.name,
                )
            numbers = np.where(np.isnan(numbers), self.missing, numbers)
        # Quietly: a warning about an overflow would tell about a value, which is clamped in any case.
        with np.errstate(all="ignore"):
            return np.clip(half_up(numbers / self.span.grid), low, high).astype(np.int64)

    def from_grid(self, steps: Steps) -> Numbers:
        """Grid points as numbers."""
        return steps if self.span.grid == 1 else steps.astype(np.float64) * self.span.grid

    def may_release(self, numbers: Numbers) -> bool:
        """Whether all of these are grid points that noise can have carried values to.

        A column's noise has no end, but further from the bounds than it reaches with all but 2^-52 of its probability
        a number was hardly drawn: of 10^8 honest ones, one lies there with a probability of 2 in 10^8.
        """
        # A quotient by a power of two is exact; what is not finite is not a whole number of steps.
        with np.errstate(invalid="ignore"):
            steps = numbers / self.span.grid
            whole = np.isfinite(steps) & (steps == np.floor(steps))
        if self.span.lowest is None or self.span.highest is None:
            return bool(whole.all())
        reach = self.law.reach(1 - 2.0**-52)
        return bool((whole & (steps >= self.span.lowest - reach) & (steps <= self.span.highest + reach)).all())

    def error_bar(self, confidence: float = 0.95) -> float:
        """How far the noise carries an answer at most, with this probability; rounding to the grid included.

        Values beyond the bounds are clamped, which no error bar can know.
        """
        rounding = 0.0 if self.span.grid == 1 else self.span.grid / 2
        return self.law.reach(confidence) * self.span.grid + rounding

    def answer(self, value: float, randomness: Randomness, confidence: float = 0.95, n: int = 1) -> Estimate:
        """One value over ``n`` rows with noise, and the interval that holds the true one with this probability."""
        noisy = float(self.run([value], randomness)[0])
        reach = self.error_bar(confidence)
        return Estimate(noisy, noisy - reach, noisy + reach, confidence, n)


def half_up(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The nearest whole numbers, halves up; exact, where adding 0.5 first would round some numbers up by mistake."""
    below = np.floor(numbers)
    with np.errstate(invalid="ignore"):
        return np.asarray(below + (numbers - below >= 0.5))


def require_budget(epsilon: float) -> None:
    """Refuse an ε that is not a finite number above 0."""
    if not 0 < epsilon < math.inf:
        raise OptionError("An ε of {epsilon} is not a finite number above 0.", epsilon=epsilon)


def given(
    sensitivity: float | None, lower: float | None, upper: float | None, missing: float | None
) -> dict[str, Parameter]:
    """Those parameters that are given."""
    pairs = {"sensitivity": sensitivity, "lower": lower, "upper": upper, "missing": missing}
    return {key: value for key, value in pairs.items() if value is not None}


def _width(sensitivity: float | None, lower: float | None, upper: float | None) -> float:
    if sensitivity is None:
        if lower is None or upper is None:
            raise OptionError("Bounds are missing; give lower and upper for a column, or sensitivity for a query.")
        if not -math.inf < lower < upper < math.inf:
            raise OptionError(
                "The bounds {lower} and {upper} are reversed, equal or infinite; give lower below upper.",
                lower=lower,
                upper=upper,
            )
        return upper - lower
    if lower is not None or upper is not None:
        raise OptionError("Both a sensitivity and bounds are given; a column has bounds, a query a sensitivity.")
    if not 0 < sensitivity < math.inf:
        raise OptionError(
            "A sensitivity of {sensitivity} protects nothing or needs infinite noise; give a finite number above 0.",
            sensitivity=sensitivity,
        )
    return sensitivity


def _default_grid(width: float, scale: float, lower: float | None, upper: float | None) -> float:
    fine = _power_of_two(width * min(scale, 4) / FINENESS)
    whole = lower is not None and upper is not None and float(lower).is_integer() and float(upper).is_integer()
    return 1.0 if whole and fine < 1 and width * scale >= 16 else fine


def _power_of_two(size: float) -> float:
    return math.ldexp(1.0, math.frexp(size)[1] - 1)


def _require_grid(grid: float) -> float:
    if not 0 < grid < math.inf or math.frexp(grid)[0] != 0.5:
        raise OptionError(
            "A grid of {grid} is not a power of two, whose multiples floats hold exactly; give 1, 0.5, 0.25, …",
            grid=grid,
        )
    return float(grid)

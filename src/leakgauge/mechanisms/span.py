"""Grids: how far an input can move, in whole steps, and how values are rounded to them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from leakgauge.errors import OptionError
from leakgauge.mechanisms.mechanism import Parameter

LARGEST_STEPS = 2.0**52
"""Grid points up to here are exact floats, and noise cannot carry them out of the whole numbers of the machine."""
FINENESS = 256
"""A grid that is not declared has at least so many steps to the noise's scale, and a quarter of it to the width."""


@dataclass(frozen=True)
class Span:
    """How far one row, or one query over neighbouring tables, can move: in steps of a grid.

    ``grid`` is the distance of neighbouring grid points, a power of two; ``steps`` is the sensitivity and ``lowest``,
    for a column, the lower bound.
    """

    grid: float
    steps: int
    lowest: int | None = None

    @property
    def bounds(self) -> tuple[int, int]:
        """The steps to which values are clamped; for a query the furthest whose noise the machine's numbers hold."""
        if self.lowest is None:
            return -round(LARGEST_STEPS), round(LARGEST_STEPS)
        return self.lowest, self.lowest + self.steps

    def nearest(self, number: Fraction) -> int:
        """The nearest grid point in whole steps, halves up, clamped to the bounds."""
        lowest, highest = self.bounds
        return min(max(math.floor(number / Fraction(self.grid) + Fraction(1, 2)), lowest), highest)


def span(
    *,
    sensitivity: float | None,
    lower: float | None,
    upper: float | None,
    grid: float | None,
    scale: float,
) -> Span:
    """The span of a query with a sensitivity, or of a column with bounds; the scale is that of a sensitivity of 1.

    A grid that is not given never follows the data, since it shows in the release.

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
    return Span(step, highest - lowest, lowest)


def half_up(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The nearest whole numbers, halves up; exact, where adding 0.5 first would round some numbers up by mistake."""
    below = np.floor(numbers)
    with np.errstate(invalid="ignore"):
        return np.asarray(below + (numbers - below >= 0.5))


def require_budget(epsilon: float) -> None:
    """Refuse an ε that is not a finite number above 0."""
    if not 0 < epsilon < math.inf:
        raise OptionError("An ε of {epsilon} is not a finite number above 0; give one that is.", epsilon=epsilon)


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
        raise OptionError(
            "Both a sensitivity and bounds are given; give bounds for a column, or a sensitivity for a query."
        )
    if not 0 < sensitivity < math.inf:
        raise OptionError(
            "A sensitivity of {sensitivity} gives no noise or infinite noise; give a finite number above 0.",
            sensitivity=sensitivity,
        )
    return sensitivity


def _default_grid(width: float, scale: float, lower: float | None, upper: float | None) -> float:
    fine = math.ldexp(1.0, math.frexp(width * min(scale, 4) / FINENESS)[1] - 1)
    whole = lower is not None and upper is not None and float(lower).is_integer() and float(upper).is_integer()
    return 1.0 if whole and fine < 1 and width * scale >= 16 else fine


def _require_grid(grid: float) -> float:
    if not 0 < grid < math.inf or math.frexp(grid)[0] != 0.5:
        raise OptionError(
            "A grid of {grid} is not a power of two, whose multiples floats hold exactly; give 1, 0.5, 0.25, …",
            grid=grid,
        )
    return float(grid)

"""Numbers of a column, clamped to declared bounds and rounded to a fine grid, so that whole steps add up exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from leakgauge.errors import OptionError
from leakgauge.mechanisms.span import LARGEST_STEPS, half_up
from leakgauge.release.letters import numbers_of
from leakgauge.release.queries.query import ColumnQuery, GroupedQuery, Part
from leakgauge.release.queries.rows import Protection
from leakgauge.sentences import Sentence

PARTS = 2.0**32
"""Values are summed in steps of at most a 2^32th of the distance of their bounds."""


@dataclass(frozen=True)
class Bounds:
    """The bounds of a column in steps."""

    lower: float
    upper: float
    missing: float | None
    grid: float

    @property
    def lowest(self) -> int:
        """The lower bound in steps."""
        return self._step(self.lower)

    @property
    def highest(self) -> int:
        """The upper bound in steps."""
        return self._step(self.upper)

    def steps(self, values: pa.Array) -> npt.NDArray[np.int64]:
        """The values in whole steps, never beyond the bounds whatever comes in; infinite ones are at a bound."""
        numbers = np.array(numbers_of(values), dtype=np.float64)
        # Rows that may not be missing are left out before; should one slip through, it is at a bound like any other.
        numbers[np.isnan(numbers)] = self.lower if self.missing is None else self.missing
        # Clamped before the division: an overflow warning of numpy would reveal something about a value.
        clamped = np.clip(numbers, self.lower, self.upper)
        return np.clip(half_up(clamped / self.grid), self.lowest, self.highest).astype(np.int64)

    def clamped(self, value: float) -> float:
        """A number between the bounds."""
        return min(max(value, float(self.lower)), float(self.upper))

    def _step(self, bound: float) -> int:
        return int(half_up(np.array(bound / self.grid)))


class BoundedQuery(GroupedQuery[Part], ColumnQuery[tuple[Part, ...]]):
    """A query about the numbers of a column, clamped to bounds that each kind declares among its own fields.

    Rows whose number is missing are not used, unless a number stands for it.
    """

    lower: float | None
    upper: float | None
    missing: float | None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.bounds  # noqa: B018  # refuses bounds that cannot be used

    @property
    def needs_numbers(self) -> bool:
        """Always."""
        return True

    @cached_property
    def bounds(self) -> Bounds:
        """The bounds on their grid."""
        return on_grid(self.lower, self.upper, self.missing)

    @property
    def present(self) -> str | None:
        """The column, unless a number stands for missing values."""
        return self.column if self.missing is None else None

    @property
    def read(self) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    @property
    def clamping(self) -> Sentence:
        """The bounds, and that the answer is about the clamped values."""
        return Sentence(
            "Values below {lower:.15g} count as {lower:.15g}, those above {upper:.15g} as {upper:.15g}: the answer is "
            "about the clamped values, and no interval covers what clamping changes.",
            lower=self.bounds.lower,
            upper=self.bounds.upper,
        )

    def numbers(self, rows: pa.RecordBatch) -> npt.NDArray[np.int64]:
        """The values of rows that are used, in steps from the lower bound."""
        return self.bounds.steps(rows.column(self.column)) - self.bounds.lowest

    def _told(self, about: Sentence) -> Sentence:
        """What is asked, and of which values."""
        return about if self.missing is not None else Sentence("{what} (over non-missing values)", what=about)

    def _always_counts(self, protection: Protection) -> bool:
        # Whether a value is missing is the row's own secret.
        return self.missing is not None and super()._always_counts(protection)


def on_grid(
    lower: float | None, upper: float | None, missing: float | None, parts: float = PARTS, grid: float | None = None
) -> Bounds:
    """Bounds with a grid of at least ``parts`` steps between them, coarser where they are far from 0, or a given one.

    The grid follows from declared values alone: one that depended on the table would reveal something about it.
    """
    if lower is None or upper is None:
        raise OptionError("Bounds are missing; give lower and upper, beyond which values are clamped.")
    width, far = upper - lower, max(abs(lower), abs(upper))
    if not (-math.inf < lower < upper < math.inf and math.isfinite(width)):
        raise OptionError(
            "The bounds {lower} and {upper} are reversed, equal or infinite; give lower below upper.",
            lower=lower,
            upper=upper,
        )
    if missing is not None and not math.isfinite(missing):
        raise OptionError("The number {missing} for missing values is not finite; give a finite one.", missing=missing)
    if grid is not None:
        if grid > 0 and 2 <= width / grid <= 2 * parts and far / grid <= LARGEST_STEPS:
            found = Bounds(lower, upper, missing, grid)
            # Rounded to the grid the bounds may have moved together.
            if found.highest - found.lowest >= 2:
                return found
        raise OptionError(
            "A grid of {grid} does not have 2 to {most:.0f} steps from {lower} to {upper}; give another grid, or none.",
            grid=grid,
            most=2 * parts,
            lower=lower,
            upper=upper,
        )
    # A power of two.
    step = math.ldexp(1.0, max(math.frexp(width / parts)[1] - 1, -1000))
    while far / step > LARGEST_STEPS:
        step *= 2
    found = Bounds(lower, upper, missing, step)
    if width < 1e-280 or found.highest - found.lowest < 2:
        raise OptionError(
            "The bounds {lower!r} and {upper!r} are too close to be distinguished; widen them.",
            lower=lower,
            upper=upper,
        )
    return found

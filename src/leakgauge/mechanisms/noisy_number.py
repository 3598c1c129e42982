"""Numbers on a declared grid plus noise on the same grid: the shape of every numeric mechanism.

A value is clamped to its bounds, rounded to the grid, moved by a whole number of steps, and where that is asked for
clamped again. Nothing else of the value survives: no low bits of a float distinguish it from its neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.errors import ColumnError, OptionError
from leakgauge.mechanisms.mechanism import Capabilities, Mechanism, Outputs, Pair, numbers_in
from leakgauge.mechanisms.noise import ClampedNoise, GridNoise, Steps
from leakgauge.mechanisms.span import Span, half_up
from leakgauge.mechanisms.steps import Step
from leakgauge.probability import Channel, Estimate, Label
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Randomness
from leakgauge.tables import Kind

Numbers: TypeAlias = npt.NDArray[np.float64] | npt.NDArray[np.int64]

LARGEST = 1 << 22
"""Cells of the channel, and terms of its tails."""


@dataclass(frozen=True)
class NoisyNumber(Mechanism):
    """A numeric mechanism: a span, a law of noise in steps, and what they guarantee.

    ``missing`` is the number that replaces missing values, which are refused without one. The law is that of the
    released value: the noise, clamped to the bounds if asked for.
    """

    law: GridNoise | ClampedNoise
    span: Span
    missing: float | None = None

    def __post_init__(self) -> None:
        if self.missing is not None and not math.isfinite(self.missing):
            raise OptionError(
                "The number {missing} for missing values is not finite; give a finite one.", missing=self.missing
            )

    @property
    def capabilities(self) -> Capabilities:
        """Numeric columns where bounds are declared, answers where a sensitivity is."""
        if self.span.lowest is None:
            return Capabilities(answers=True)
        finite = self._cells is not None
        return Capabilities(columns=(Kind.INT, Kind.FLOAT), finite=finite, values=self.span.steps + 1)

    def channel(self) -> Channel | None:
        """From every grid point between the bounds to what is released for it; None of noise without bounds of its own.

        Numbers between grid points are rounded to one before anything else, so that it says all of the mechanism.
        """
        if self._cells is None:
            return None
        assert isinstance(self.law, ClampedNoise)
        low, high = self.span.bounds
        steps, ends = np.arange(low, high + 1), np.arange(self.law.low, self.law.high + 1)
        return Channel(self.from_grid(steps).tolist(), self.from_grid(ends).tolist(), self.law.matrix(steps))

    @property
    def _cells(self) -> int | None:
        """Of the channel; None where there is none, or one that is too large to write down."""
        if not isinstance(self.law, ClampedNoise):
            return None
        points = self.span.steps + 1
        cells = points * (self.law.high - self.law.low + 1)
        return cells if cells <= LARGEST and points + self.law.terms <= LARGEST else None

    @property
    def released(self) -> tuple[Label, ...] | None:
        """It releases numbers, not letters."""
        return None

    def recorded_channel(self) -> Channel | None:
        """None: its spelling says all."""
        return None

    @property
    def noise(self) -> NoisyNumber:
        return self

    @property
    def added(self) -> GridNoise:
        """The law of the noise in each value, whatever is done with it afterwards."""
        return self.law.added

    @property
    def clamps(self) -> bool:
        """Whether nothing is released beyond the declared bounds."""
        return isinstance(self.law, ClampedNoise)

    @property
    def declared(self) -> tuple[float, float]:
        """The bounds of a column as they were declared; those that values are clamped to are rounded to the grid."""
        lower, upper = (self.parameters[name] for name in ("lower", "upper"))
        assert isinstance(lower, int | float) and isinstance(upper, int | float)
        return lower, upper

    def clamped(self) -> NoisyNumber:
        """The same with released numbers clamped to the declared bounds, which costs nothing.

        Raises:
            OptionError: no bounds are declared, or fewer than two grid points lie between them.
        """
        return replace(self, parameters={**self.parameters, "clamp": "yes"}, law=self._between_bounds())

    def share_beyond(self, steps: Steps) -> float:
        """The share of numbers that noise carries beyond the declared bounds, by its law, for values in steps."""
        return float(self._between_bounds().beyond(steps).mean())

    def _between_bounds(self) -> ClampedNoise:
        if self.span.lowest is None:
            raise OptionError("{name!s} has no bounds to clamp to; give lower and upper.", name=self.name)
        lower, upper = self.declared
        # Inwards: a released number beyond a bound by less than a step would be as impossible.
        low, high = math.ceil(lower / self.span.grid), math.floor(upper / self.span.grid)
        if low >= high:
            raise OptionError(
                "A grid of {grid:g} has fewer than 2 points between the bounds {lower:g} and {upper:g} to clamp to; "
                "choose a finer one.",
                grid=self.span.grid,
                lower=lower,
                upper=upper,
            )
        return ClampedNoise(self.added, low, high)

    @property
    def reach(self) -> float | None:
        """The sensitivity of a query; the bounds of a column keep any two of its values near enough."""
        return self.span.steps * self.span.grid if self.span.lowest is None else None

    def step(self) -> Step:
        return self.added.step(self.span.steps)

    def neighbours(self) -> list[Pair]:
        """The ends, ends and middle, and far outside the bounds, where a missing clamp would show."""
        if self.reach is not None:
            return [(0.0, self.reach), (1e3 * self.reach, 1e3 * self.reach + self.reach), (-self.reach, 0.0)]
        low, high = (bound * self.span.grid for bound in self.span.bounds)
        width = high - low
        return [(low, high), (low - 10 * width, high + 10 * width), (low, low + width / 2), (low + width / 2, high)]

    def code(self, value: Any) -> int:
        return int(self.on_grid(np.asarray([value], dtype=np.float64))[0])

    def repeated(self, value: Any, count: int, randomness: Randomness) -> Outputs:
        return np.asarray(self.run(np.full(count, value), randomness))

    def log_ratio(self, first: Any, second: Any) -> Callable[[Outputs], Floats]:
        ratio = self.law.log_ratio(self.code(first), self.code(second))
        return lambda numbers: ratio(np.rint(numbers / self.span.grid))

    def read_input(self, text: str) -> float:
        numbers = numbers_in(text)
        if len(numbers) > 1:
            raise OptionError(
                "The input {text!r} has {count} numbers, but {name!s} takes one; give one number.",
                text=text,
                count=len(numbers),
                name=self.name,
            )
        return numbers[0]

    def channel_over(
        self, inputs: Sequence[Label], outputs: Sequence[Label], distances: Callable[[], Floats]
    ) -> Channel:
        """The dyadic channel to the grid points between the bounds; what falls beyond a bound is released as the bound.

        It also reads both bounds, the inputs furthest apart, so that its ε is that of all numbers, not of this table's.
        """
        lowest, highest = self.span.bounds
        if self.span.lowest is None:
            raise OptionError(
                "{name!s} has no bounds, so its releases are unbounded; give lower and upper.", name=self.name
            )
        numbers = [self.missing if label is None else label for label in inputs]
        if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers):
            raise OptionError(
                "{name!s} adds noise to numbers, but some values of the secret are not numbers; use "
                "randomized-response, or missing=NUMBER if values are missing.",
                name=self.name,
            )
        points = highest - lowest + 1
        law = ClampedNoise(self.added, lowest, highest)
        if points * len(inputs) > LARGEST or points + law.terms > LARGEST:
            raise OptionError(
                "{name!s} has {points} grid points between its bounds, too many to compare; choose a coarser grid.",
                name=self.name,
                points=points,
            )
        steps = self.on_grid(np.array([float(str(one)) for one in numbers]))
        grid = self.from_grid(np.arange(lowest, highest + 1)).tolist()
        ends = {at: grid[at] for at in (0, points - 1) if grid[at] not in inputs}
        steps = np.concatenate([steps, lowest + np.array(list(ends), dtype=np.int64)])
        return Channel((*inputs, *ends.values()), grid, law.matrix(steps)).dyadic()

    def run(self, values: npt.ArrayLike, randomness: Randomness) -> Numbers:
        """Each value on the grid with fresh noise; whole numbers where the grid is 1."""
        steps = self.on_grid(np.atleast_1d(np.asarray(values)))
        return self.from_grid(self.law.draw(steps, randomness))

    def on_grid(self, values: npt.NDArray[np.generic]) -> Steps:
        """The values in whole steps, clamped to the bounds."""
        low, high = self.span.bounds
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
        # Warnings are off: one about an overflow would reveal something about a value, which is clamped anyway.
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
        if self.span.lowest is None:
            return bool(whole.all())
        if isinstance(self.law, ClampedNoise):
            return bool((whole & (steps >= self.law.low) & (steps <= self.law.high)).all())
        (low, high), reach = self.span.bounds, self.added.reach(1 - 2.0**-52)
        return bool((whole & (steps >= low - reach) & (steps <= high + reach)).all())

    def error_bar(self, confidence: float = 0.95) -> float:
        """How far the noise carries an answer at most, with this probability; rounding to the grid included.

        Values beyond the bounds are clamped, which no error bar can know.
        """
        rounding = 0.0 if self.span.grid == 1 else self.span.grid / 2
        return self.added.reach(confidence) * self.span.grid + rounding

    def answer(self, value: float, randomness: Randomness, confidence: float = 0.95, n: int = 1) -> Estimate:
        """One value over ``n`` rows with noise, and the interval that holds the true one with this probability."""
        noisy = float(self.run([value], randomness)[0])
        reach = self.error_bar(confidence)
        return Estimate(noisy, noisy - reach, noisy + reach, confidence, n)

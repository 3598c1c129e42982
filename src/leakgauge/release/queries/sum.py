"""A private sum."""

from __future__ import annotations

from dataclasses import dataclass

from leakgauge.mechanisms import spelled
from leakgauge.mechanisms.steps import Step
from leakgauge.probability import Estimate
from leakgauge.randomness import Randomness
from leakgauge.release.queries.answer import Answer
from leakgauge.release.queries.bounded_query import BoundedQuery, Totals
from leakgauge.release.queries.noise import TotalNoise, total_noise
from leakgauge.release.queries.protection import Protection
from leakgauge.sentences import Sentence


@dataclass(frozen=True)
class Sum(BoundedQuery):
    """The sum of a column's values, each clamped to the bounds and rounded to a 2^32th of their distance.

    With L and U the bounds in steps, a neighbour moves the sum by at most:

    * one replaced row, no condition: U − L;
    * one replaced row that may meet a condition or not, or a replaced unit, whose rows may be fewer:
      rows · (max(U, 0) − min(L, 0)), because a row that is not used counts as 0;
    * an added or removed row or unit: rows · max(|L|, |U|).

    The interval is about the sum of the clamped values. Where the number of rows is public it allows for the rounding
    of every value; elsewhere telling how many were rounded would tell the number of rows, so that it is about the
    rounded values. Whole numbers are not changed by rounding unless the bounds are more than 2^32 apart.
    """

    @property
    def about(self) -> Sentence:
        """What is asked of the rows, in words."""
        return Sentence("sum of {column!s}", column=self.column)

    def sensitivity(self, protection: Protection) -> int:
        """In steps of the fine grid; see the class."""
        lowest, highest = self.bounds.lowest, self.bounds.highest
        if not protection.replaces:
            return protection.rows * max(abs(lowest), abs(highest))
        if self._always_counts(protection):
            return highest - lowest
        return protection.rows * (max(highest, 0) - min(lowest, 0))

    def steps(self, protection: Protection) -> tuple[Step, ...]:
        """One noisy number."""
        return (self._noise(protection).step(),)

    def answer(self, exact: Totals, protection: Protection, randomness: Randomness) -> Answer:
        """The sum with noise."""
        noise = self._noise(protection)
        value, reach = noise.noisy([exact.steps], randomness)[0], noise.reach(self.confidence)
        if self._always_counts(protection):
            reach += exact.count * self.bounds.grid / 2
        return Answer(
            self,
            protection,
            ((None, Estimate(value, value - reach, value + reach, self.confidence, 1)),),
            self.column,
            noise.mechanism.claims,
            Sentence(spelled(noise.mechanism)),
            simulated=not randomness.private,
        )

    def _noise(self, protection: Protection) -> TotalNoise:
        return total_noise(self.epsilon, self.delta, self.sensitivity(protection), self.bounds.grid)

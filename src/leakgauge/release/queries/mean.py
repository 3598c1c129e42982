"""A private mean."""

from __future__ import annotations

from dataclasses import dataclass

from leakgauge.claims import ApproximateDP, CentralDP, Statement, ZeroConcentratedDP
from leakgauge.mechanisms import spelled
from leakgauge.mechanisms.steps import Step
from leakgauge.probability import Estimate
from leakgauge.randomness import Randomness
from leakgauge.release.queries.answer import Answer
from leakgauge.release.queries.bounded_query import BoundedQuery, Totals
from leakgauge.release.queries.noise import (
    TotalNoise,
    concentrated_noise,
    concentration,
    share,
    sum_above,
    total_noise,
)
from leakgauge.release.queries.protection import Protection
from leakgauge.sentences import Sentence


@dataclass(frozen=True)
class Mean(BoundedQuery):
    """The mean of a column's values, each clamped to the bounds and rounded to a 2^32th of their distance.

    Values are counted from the middle M of the bounds L and U, in steps. Where the number of rows is public, one noisy
    sum is divided by it; a neighbour moves the sum by U − L. Elsewhere a noisy sum is divided by a noisy count, half of
    ε each (with a δ, half of ρ each): a replaced row or unit moves the sum by rows · (U − L), an added or removed one
    by rows · max(U − M, M − L); both move the count by ``rows``. A row that is not used counts as the middle, which
    lies between the bounds.

    The interval of the quotient is made of one for the sum and one for the count, each missing its number half as often
    as the whole may: of all quotients of numbers in them the smallest and the largest. It never goes beyond the
    bounds. Where no row at all is used there is no mean, and the interval is about nothing.
    """

    @property
    def about(self) -> Sentence:
        """What is asked of the rows, in words."""
        return Sentence("mean of {column!s}", column=self.column)

    @property
    def middle(self) -> int:
        """The middle of the bounds in steps, from which values are counted."""
        return (self.bounds.lowest + self.bounds.highest) // 2

    def sensitivity(self, protection: Protection) -> int:
        """Of the sum of values counted from the middle, in steps of the fine grid; see the class."""
        lowest, highest = self.bounds.lowest, self.bounds.highest
        farthest = highest - lowest if protection.replaces else max(highest - self.middle, self.middle - lowest)
        return protection.rows * farthest

    def steps(self, protection: Protection) -> tuple[Step, ...]:
        """One noisy number, or two."""
        return tuple(noise.step() for noise in self._noises(protection))

    def answer(self, exact: Totals, protection: Protection, randomness: Randomness) -> Answer:
        """The noisy sum over the number of rows, public or noisy."""
        noises = self._noises(protection)
        centred = exact.steps - exact.count * self.middle
        if len(noises) == 1:
            total, reach = noises[0].noisy([centred], randomness)[0], noises[0].reach(self.confidence)
            ends = [(total - reach) / exact.count, total / exact.count, (total + reach) / exact.count]
        else:
            total = noises[0].noisy([centred], randomness)[0]
            count = noises[1].noisy([exact.count], randomness)[0]
            # Both numbers lie in their intervals at once at least as often as asked, whatever they have in common.
            each = 1 - (1 - self.confidence) / 2
            ends = _quotients(total, noises[0].reach(each), count, noises[1].reach(each))
        return Answer(
            self,
            protection,
            ((None, self._estimate(*ends)),),
            self.column,
            self._claims(noises),
            _mechanism(*(spelled(noise.mechanism) for noise in noises)),
            simulated=not randomness.private,
        )

    def _estimate(self, low: float, value: float, high: float) -> Estimate:
        """The interval around the middle, widened by what rounding to the grid takes, within the bounds."""
        assert self.lower is not None and self.upper is not None  # as the constructor made sure
        middle, rounding = self.middle * self.bounds.grid, self.bounds.grid
        ends = (middle + low - rounding, middle + value, middle + high + rounding)
        low, value, high = (min(max(end, self.lower), self.upper) for end in ends)
        return Estimate(value, low, high, self.confidence, 1)

    def _noises(self, protection: Protection) -> tuple[TotalNoise, ...]:
        sensitivity, grid = self.sensitivity(protection), self.bounds.grid
        if self._always_counts(protection):
            return (total_noise(self.epsilon, self.delta, sensitivity, grid),)
        if self.delta is None:
            half = share(self.epsilon, 2)
            return (total_noise(half, None, sensitivity, grid), total_noise(half, None, protection.rows, 1.0))
        rho = concentration(self.epsilon, self.delta) / 2
        return (
            concentrated_noise(self.epsilon, rho, sensitivity, grid),
            concentrated_noise(self.epsilon, rho, protection.rows, 1.0),
        )

    def _claims(self, noises: tuple[TotalNoise, ...]) -> tuple[Statement, ...]:
        if len(noises) == 1:
            return noises[0].mechanism.claims
        if self.delta is None:
            return (CentralDP(self.epsilon),)
        rho = sum_above([noise.rho for noise in noises])
        return ApproximateDP(self.epsilon, self.delta), ZeroConcentratedDP(rho)


def _quotients(total: float, total_reach: float, count: float, count_reach: float) -> list[float]:
    """The smallest quotient, that of the noisy numbers, and the largest; there is at least one row."""
    fewest, most = max(count - count_reach, 1.0), max(count + count_reach, 1.0)
    low, high = total - total_reach, total + total_reach
    return [min(low / fewest, low / most), total / max(count, 1.0), max(high / fewest, high / most)]


def _mechanism(first: str, second: str = "") -> Sentence:
    """The noise of the total, and that of the number of rows where it is not public."""
    return Sentence("{first!s} and {second!s}", first=first, second=second) if second else Sentence(first)

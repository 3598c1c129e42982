"""Private counts, histograms, sums and means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from leakgauge.claims import ZeroConcentratedDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms import spelled
from leakgauge.mechanisms.steps import Claimed, DiscreteLaplaceNoise, Step
from leakgauge.probability import Estimate, Interval
from leakgauge.randomness import Randomness
from leakgauge.release.queries.bounds import BoundedQuery, as_numbers
from leakgauge.release.queries.labels import MISSING, OTHER, DeclaredLabel, declared, positions, shown
from leakgauge.release.queries.noise import (
    TotalNoise,
    bin_noise,
    concentrated_noise,
    concentration,
    share,
    sum_above,
    together,
    total_noise,
)
from leakgauge.release.queries.query import Answer, ColumnQuery, NoisyQuery
from leakgauge.release.queries.rows import Protection, counted, used_rows
from leakgauge.sentences import Sentence
from leakgauge.tables import Table
from leakgauge.tables.binnings import Edges


@dataclass(frozen=True, kw_only=True)
class Count(NoisyQuery[int]):
    """How many rows there are, or how many meet a condition.

    A neighbour moves the count by at most ``rows`` of the protection, 1 where one row is the unit: a replaced row may
    meet the condition or not, an added one counts or not. Where rows are replaced one by one, the number of all rows
    is public and needs no noise.

    Example:
        >>> import pyarrow as pa
        >>> from leakgauge.randomness import Simulated
        >>> from leakgauge.release.queries import Condition, Protection
        >>> from leakgauge.tables import open_table
        >>> with open_table(pa.table({"city": ["A", "B", "A"]})) as people:
        ...     query = Count(where=Condition("city", "A"), epsilon=1.0)
        ...     query.ask(people, Protection(), Simulated(simulation_seed=1)).value.confidence
        0.95
    """

    @property
    def about(self) -> Sentence:
        return Sentence("count")

    def sensitivity(self, protection: Protection) -> int:
        return protection.rows

    def steps(self, protection: Protection) -> tuple[Step, ...]:
        if self._always_counts(protection):
            raise OptionError(
                "The number of rows is public where one row is replaced; read it off the table, or give a condition."
            )
        return (self._noise(protection).mechanism.step(),)

    def exact(self, table: Table, protection: Protection) -> int:
        column = protection.unit if self.where is None else self.where.column
        if column is None:
            return table.rows
        return sum(len(values) for values in used_rows(table, protection, self.where, column))

    def answer(self, exact: int, protection: Protection, randomness: Randomness) -> Answer:
        noise = self._noise(protection)
        (value,) = noise.estimates([exact], self.confidence, randomness)
        claims, mechanism = noise.mechanism.claims, Sentence(spelled(noise.mechanism))
        return Answer(self, protection, ((None, value),), "rows", claims, mechanism, not randomness.private)

    def _noise(self, protection: Protection) -> TotalNoise:
        return total_noise(self.epsilon, self.delta, self.sensitivity(protection), 1.0)


@dataclass(frozen=True)
class Histogram(ColumnQuery[npt.NDArray[np.int64]], NoisyQuery[npt.NDArray[np.int64]]):
    """How many rows have each declared label, or lie between each two edges; each count has its own interval.

    Bins are declared, never found in the table: which values occur may be secret. All other values are counted
    together, also where there are none. Edges cut all numbers into intervals, the outermost without end; missing
    values are counted by themselves.

    A replaced row or unit lowers some counts by at most ``rows`` in all and raises some by as many; an added or removed
    one does only one of both. Each part has half of ε where there are two: noise of scale rows/(ε/2) in every count.
    With a δ, the Euclidean length of the move is at most √2 · rows, or ``rows``.

    Args:
        column: whose values.
        labels: the texts of its values that are counted, None for missing ones.
        edges: or where its numbers are cut.

    Raises:
        OptionError: neither or both, labels that repeat, edges that do not increase.
    """

    labels: Sequence[DeclaredLabel] | None = None
    edges: Sequence[float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.labels is None) == (self.edges is None):
            raise OptionError("A histogram needs labels or edges, and not both; declare its bins in one way.")
        # Tuples, so that nobody changes them afterwards.
        if self.labels is not None:
            object.__setattr__(self, "labels", declared(self.labels))
        if self.edges is not None:
            object.__setattr__(self, "edges", Edges(tuple(float(edge) for edge in self.edges)).cuts)

    @property
    def about(self) -> Sentence:
        return Sentence("histogram of {column!s}", column=self.column)

    @property
    def bins(self) -> tuple[str, ...]:
        """The bins as they are shown."""
        if self.labels is not None:
            return (*map(shown, self.labels), OTHER)
        cuts = [None, *(self.edges or ()), None]
        return (*(str(Interval(low, high)) for low, high in pairwise(cuts)), MISSING)

    def sensitivity(self, protection: Protection) -> int:
        return protection.rows

    def steps(self, protection: Protection) -> tuple[Step, ...]:
        """The part that falls and the part that rises, or one of them; with a δ, a level of zCDP.

        A part may spread over several counts. Then all that is known of it is its ε, of which noise with a sensitivity
        of 1 is the worst case.
        """
        noise, moved = self._noise(protection), self._moved(protection)
        epsilon = noise.mechanism.added.epsilon(protection.rows)
        if epsilon is not None:
            return (DiscreteLaplaceNoise(epsilon, 1, count=moved),)
        return (Claimed(ZeroConcentratedDP(sum_above([noise.rho] * moved))),)

    @property
    def needs_numbers(self) -> bool:
        return self.edges is not None

    def exact(self, table: Table, protection: Protection) -> npt.NDArray[np.int64]:
        """The count of each bin."""
        return counted(map(self._places, used_rows(table, protection, self.where, self.column)), len(self.bins))

    def answer(self, exact: npt.NDArray[np.int64], protection: Protection, randomness: Randomness) -> Answer:
        noise = self._noise(protection)
        values = tuple(zip(self.bins, noise.estimates(exact.tolist(), self.confidence, randomness), strict=True))
        claims = together(self.epsilon, self.delta, [noise] * self._moved(protection))
        mechanism = Sentence("{noise!s} in each count", noise=spelled(noise.mechanism))
        return Answer(self, protection, values, "rows", claims, mechanism, not randomness.private)

    def _places(self, values: pa.Array) -> npt.NDArray[np.int64]:
        if self.labels is not None:
            return positions(self.column, values, tuple(self.labels))
        numbers = as_numbers(values)
        return np.where(np.isnan(numbers), len(self.bins) - 1, np.searchsorted(self.edges or (), numbers, "right"))

    def _moved(self, protection: Protection) -> int:
        return 2 if protection.replaces else 1

    def _noise(self, protection: Protection) -> TotalNoise:
        return bin_noise(self.epsilon, self.delta, protection.rows, self._moved(protection))


@dataclass(frozen=True)
class Totals:
    """The sum of values in steps, and how many there are."""

    steps: int
    count: int


@dataclass(frozen=True)
class TotalQuery(BoundedQuery[Totals], NoisyQuery[Totals]):
    """A noisy query about the sum of a column's numbers."""

    lower: float | None = None
    upper: float | None = None
    missing: float | None = None

    def exact(self, table: Table, protection: Protection) -> Totals:
        """The sum of the clamped values in steps of the fine grid, and their number."""
        total, count = 0, 0
        for steps in self.numbers(table, protection):
            # Counted from the lower bound a batch's sum fits the machine's whole numbers; those of Python have no end.
            total += int(steps.sum())
            count += len(steps)
        return Totals(total + count * self.bounds.lowest, count)


@dataclass(frozen=True)
class Sum(TotalQuery):
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
        return Sentence("sum of {column!s}", column=self.column)

    def sensitivity(self, protection: Protection) -> int:
        lowest, highest = self.bounds.lowest, self.bounds.highest
        if not protection.replaces:
            return protection.rows * max(abs(lowest), abs(highest))
        if self._always_counts(protection):
            return highest - lowest
        return protection.rows * (max(highest, 0) - min(lowest, 0))

    def steps(self, protection: Protection) -> tuple[Step, ...]:
        return (self._noise(protection).mechanism.step(),)

    def answer(self, exact: Totals, protection: Protection, randomness: Randomness) -> Answer:
        noise = self._noise(protection)
        rounding = exact.count * self.bounds.grid / 2 if self._always_counts(protection) else 0.0
        (value,) = noise.estimates([exact.steps], self.confidence, randomness, rounding)
        claims, mechanism = noise.mechanism.claims, Sentence(spelled(noise.mechanism))
        return Answer(self, protection, ((None, value),), self.column, claims, mechanism, not randomness.private)

    def _noise(self, protection: Protection) -> TotalNoise:
        return total_noise(self.epsilon, self.delta, self.sensitivity(protection), self.bounds.grid)


@dataclass(frozen=True)
class Mean(TotalQuery):
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
        return Sentence("mean of {column!s}", column=self.column)

    @property
    def middle(self) -> int:
        """The middle of the bounds in steps, from which values are counted."""
        return (self.bounds.lowest + self.bounds.highest) // 2

    def sensitivity(self, protection: Protection) -> int:
        """Of the sum of values counted from the middle, in steps of the fine grid."""
        lowest, highest = self.bounds.lowest, self.bounds.highest
        farthest = highest - lowest if protection.replaces else max(highest - self.middle, self.middle - lowest)
        return protection.rows * farthest

    def steps(self, protection: Protection) -> tuple[Step, ...]:
        return tuple(noise.mechanism.step() for noise in self._noises(protection))

    def answer(self, exact: Totals, protection: Protection, randomness: Randomness) -> Answer:
        of_sum, *of_count = self._noises(protection)
        (total,) = of_sum.noisy([exact.steps - exact.count * self.middle], randomness)
        claims, mechanism = of_sum.mechanism.claims, Sentence(spelled(of_sum.mechanism))
        if of_count:
            (count,) = of_count[0].noisy([exact.count], randomness)
            # Both numbers lie in their intervals at once at least as often as asked, whatever they have in common.
            each = 1 - (1 - self.confidence) / 2
            ends = _quotients(total, of_sum.reach(each), count, of_count[0].reach(each))
            claims, second = together(self.epsilon, self.delta, [of_sum, *of_count]), spelled(of_count[0].mechanism)
            mechanism = Sentence("{first!s} and {second!s}", first=spelled(of_sum.mechanism), second=second)
        else:
            reach = of_sum.reach(self.confidence)
            ends = [(total - reach) / exact.count, total / exact.count, (total + reach) / exact.count]
        value = self._estimate(*ends)
        return Answer(self, protection, ((None, value),), self.column, claims, mechanism, not randomness.private)

    def _estimate(self, low: float, value: float, high: float) -> Estimate:
        """The interval around the middle, widened by what rounding to the grid takes, within the bounds."""
        middle, rounding = self.middle * self.bounds.grid, self.bounds.grid
        ends = (middle + low - rounding, middle + value, middle + high + rounding)
        low, value, high = map(self.bounds.clamped, ends)
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


def _quotients(total: float, total_reach: float, count: float, count_reach: float) -> list[float]:
    """The smallest quotient, that of the noisy numbers, and the largest; there is at least one row."""
    fewest, most = max(count - count_reach, 1.0), max(count + count_reach, 1.0)
    low, high = total - total_reach, total + total_reach
    return [min(low / fewest, low / most), total / max(count, 1.0), max(high / fewest, high / most)]

"""Private counts, histograms, sums and means."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from leakgauge.errors import OptionError
from leakgauge.mechanisms import spelled
from leakgauge.mechanisms.steps import Step
from leakgauge.probability import Estimate
from leakgauge.randomness import Randomness
from leakgauge.release.queries.bounds import BoundedQuery
from leakgauge.release.queries.labels import DeclaredLabel, Groups
from leakgauge.release.queries.noise import (
    SpreadNoise,
    TotalNoise,
    bin_noise,
    concentrated_noise,
    concentration,
    share,
    spread_noise,
    together,
    total_noise,
)
from leakgauge.release.queries.query import Answer, ColumnQuery, GroupedQuery, NoisyQuery, Part
from leakgauge.release.queries.rows import Protection, counted, used_rows
from leakgauge.sentences import Sentence
from leakgauge.tables import Table


@dataclass(frozen=True, kw_only=True)
class NoisyTotals(GroupedQuery[Part], NoisyQuery[tuple[Part, ...]]):
    """A query answered with noise in a total, or two, of all rows or of each group."""

    @abstractmethod
    def noises(self, protection: Protection) -> tuple[TotalNoise, ...]:
        """The noise of each total; those of all groups have the same."""

    def steps(self, protection: Protection) -> tuple[Step, ...]:
        return tuple(step for noise in self.noises(protection) for step in noise.steps())

    def _answered(self, values: Iterable[Estimate], unit: str, protection: Protection, simulated: bool) -> Answer:
        noises = self.noises(protection)
        mechanism, *second = (spelled(noise.mechanism) for noise in noises)
        told = Sentence(mechanism)
        if second:
            told = Sentence("{first!s} and {second!s}", first=mechanism, second=second[0])
        if self.by is not None:
            told = Sentence("{mechanism!s} in each group", mechanism=told)
        claims = together(self.epsilon, self.delta, noises)
        return Answer(self, protection, tuple(zip(self.names, values, strict=True)), unit, claims, told, simulated)


@dataclass(frozen=True, kw_only=True)
class Count(NoisyTotals[int]):
    """How many rows there are, or how many meet conditions, in all or in each group.

    A neighbour moves the count by at most ``rows`` of the protection, 1 where one row is the unit: a replaced row may
    meet the condition or not, an added one counts or not. Where rows are replaced one by one, the number of all rows
    is public and needs no noise. With groups it is a histogram of them.

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
        return super().steps(protection)

    def nothing(self) -> int:
        return 0

    def part(self, rows: pa.RecordBatch) -> int:
        return int(rows.num_rows)

    def exact(self, table: Table, protection: Protection) -> tuple[int, ...]:
        if self.by is None and not self.conditions and protection.unit is None:
            return (table.rows,)
        return super().exact(table, protection)

    def answer(self, exact: tuple[int, ...], protection: Protection, randomness: Randomness) -> Answer:
        (noise,) = self.noises(protection)
        values = noise.estimates(list(exact), self.confidence, randomness)
        return self._answered(values, "rows", protection, not randomness.private)

    def noises(self, protection: Protection) -> tuple[TotalNoise, ...]:
        if self.by is not None:
            return (bin_noise(self.epsilon, self.delta, protection.rows, protection.moved),)
        return (total_noise(self.epsilon, self.delta, self.sensitivity(protection), 1.0),)


@dataclass(frozen=True)
class Histogram(ColumnQuery[npt.NDArray[np.int64]], NoisyQuery[npt.NDArray[np.int64]]):
    """How many rows have each declared label, or lie between each two edges; each count has its own interval.

    A replaced row or unit lowers some counts by at most ``rows`` in all and raises some by as many; an added or removed
    one does only one of both. Each part has half of ε where there are two: noise of scale rows/(ε/2) in every count.
    With a δ, the Euclidean length of the move is at most √2 · rows, or ``rows``. Labels and edges are as of
    ``Groups``.
    """

    labels: Sequence[DeclaredLabel] | None = None
    edges: Sequence[float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "labels", self._bins.labels)
        object.__setattr__(self, "edges", self._bins.edges)

    @property
    def about(self) -> Sentence:
        return Sentence("histogram of {column!s}", column=self.column)

    @cached_property
    def _bins(self) -> Groups:
        """What is counted."""
        return Groups(self.column, self.labels, self.edges)

    @property
    def bins(self) -> tuple[str, ...]:
        """The bins as they are shown."""
        return self._bins.names

    def sensitivity(self, protection: Protection) -> int:
        return protection.rows

    def steps(self, protection: Protection) -> tuple[Step, ...]:
        return self._noise(protection).steps()

    @property
    def needs_numbers(self) -> bool:
        return self.edges is not None

    def exact(self, table: Table, protection: Protection) -> npt.NDArray[np.int64]:
        """The count of each bin."""
        used = used_rows(table, protection, self.conditions, [self.column])
        return counted((self._bins.places(rows.column(self.column)) for rows in used), len(self.bins))

    def answer(self, exact: npt.NDArray[np.int64], protection: Protection, randomness: Randomness) -> Answer:
        noise = self._noise(protection)
        values = tuple(zip(self.bins, noise.estimates(exact.tolist(), self.confidence, randomness), strict=True))
        claims = together(self.epsilon, self.delta, [noise])
        mechanism = Sentence("{noise!s} in each count", noise=spelled(noise.mechanism))
        return Answer(self, protection, values, "rows", claims, mechanism, not randomness.private)

    def _noise(self, protection: Protection) -> SpreadNoise:
        return bin_noise(self.epsilon, self.delta, protection.rows, protection.moved)


@dataclass(frozen=True)
class Totals:
    """The sum of values in steps, and how many there are."""

    steps: int
    count: int

    def __add__(self, other: Totals) -> Totals:
        return Totals(self.steps + other.steps, self.count + other.count)


@dataclass(frozen=True)
class TotalQuery(BoundedQuery[Totals], NoisyTotals[Totals]):
    """A noisy query about the sum of a column's numbers: in steps of the fine grid, with how many there are."""

    lower: float | None = None
    upper: float | None = None
    missing: float | None = None

    def nothing(self) -> Totals:
        return Totals(0, 0)

    def part(self, rows: pa.RecordBatch) -> Totals:
        # Counted from the lower bound a batch's sum fits the machine's whole numbers; those of Python have no end.
        return Totals(int(self.numbers(rows).sum()) + rows.num_rows * self.bounds.lowest, rows.num_rows)


@dataclass(frozen=True)
class Sum(TotalQuery):
    """The sum of a column's values, each clamped to the bounds and rounded to a 2^32th of their distance.

    With L and U the bounds in steps, a neighbour moves the sum by at most:

    * one replaced row that is always used: U − L;
    * one replaced row that may be used or not, because of a condition or a missing value, or a replaced unit, whose
      rows may be fewer: rows · (max(U, 0) − min(L, 0)), because a row that is not used counts as 0;
    * an added or removed row or unit: rows · max(|L|, |U|).

    With groups a replaced row or unit moves the sums by that twice in all: once for rows that leave their groups, once
    for those that come.

    The interval is about the sum of the clamped values. Where the number of rows is public it allows for the rounding
    of every value; elsewhere that would reveal the number of rows, so it is about the rounded values. Whole numbers are
    not changed by rounding unless the bounds are more than 2^32 apart.
    """

    @property
    def about(self) -> Sentence:
        return self._told(Sentence("sum of {column!s}", column=self.column))

    def sensitivity(self, protection: Protection) -> int:
        lowest, highest = self.bounds.lowest, self.bounds.highest
        if not protection.replaces or self.by is not None:
            return protection.rows * max(abs(lowest), abs(highest))
        if self._always_counts(protection):
            return highest - lowest
        return protection.rows * (max(highest, 0) - min(lowest, 0))

    def answer(self, exact: tuple[Totals, ...], protection: Protection, randomness: Randomness) -> Answer:
        (noise,) = self.noises(protection)
        rounding = exact[0].count * self.bounds.grid / 2 if self._always_counts(protection) else 0.0
        values = noise.estimates([one.steps for one in exact], self.confidence, randomness, rounding)
        return self._answered(values, self.column, protection, not randomness.private)

    def noises(self, protection: Protection) -> tuple[TotalNoise, ...]:
        bounds = self.bounds
        if self.by is None:
            return (total_noise(self.epsilon, self.delta, self.sensitivity(protection), bounds.grid),)
        rho = None if self.delta is None else concentration(self.epsilon, self.delta)
        ends = (bounds.lowest, bounds.highest)
        return (spread_noise(self.epsilon, rho, ends, protection.rows, protection.moved, bounds.grid),)


@dataclass(frozen=True)
class Mean(TotalQuery):
    """The mean of a column's values, each clamped to the bounds and rounded to a 2^32th of their distance.

    Values are counted from the middle M of the bounds L and U, in steps. Where the number of rows that are used is
    public, one noisy sum is divided by it; a neighbour moves the sum by U − L. Elsewhere, as where values may be
    missing, a noisy sum is divided by a noisy count, half of ε each (with a δ, half of ρ each): a replaced row or unit
    moves the sum by rows · (U − L), an added or removed one by rows · max(U − M, M − L); both move the count by
    ``rows``. A row that is not used counts as the middle, which lies between the bounds. With groups a replaced row or
    unit moves the sums, and the counts, as one that is removed and one that is added do.

    The interval of the quotient is made of one for the sum and one for the count, each missing its number half as often
    as the whole may: of all quotients of numbers in them the smallest and the largest. It never goes beyond the
    bounds. Where no row at all is used there is no mean, and the interval is about nothing.
    """

    @property
    def about(self) -> Sentence:
        return self._told(Sentence("mean of {column!s}", column=self.column))

    @property
    def middle(self) -> int:
        """The middle of the bounds in steps, from which values are counted."""
        return (self.bounds.lowest + self.bounds.highest) // 2

    def sensitivity(self, protection: Protection) -> int:
        """Of the sum of values counted from the middle, in steps of the fine grid."""
        lowest, highest = self.bounds.lowest, self.bounds.highest
        replaces = protection.replaces and self.by is None
        farthest = highest - lowest if replaces else max(highest - self.middle, self.middle - lowest)
        return protection.rows * farthest

    def answer(self, exact: tuple[Totals, ...], protection: Protection, randomness: Randomness) -> Answer:
        of_sum, *of_count = self.noises(protection)
        totals = of_sum.noisy([one.steps - one.count * self.middle for one in exact], randomness)
        if of_count:
            counts = of_count[0].noisy([one.count for one in exact], randomness)
            # Both numbers lie in their intervals at once at least as often as asked, whatever they have in common.
            each = 1 - (1 - self.confidence) / 2
            reaches = of_sum.reach(each), of_count[0].reach(each)
            ends = [_quotients(*pair, *reaches) for pair in zip(totals, counts, strict=True)]
        else:
            reach, count = of_sum.reach(self.confidence), exact[0].count
            ends = [((totals[0] - reach) / count, totals[0] / count, (totals[0] + reach) / count)]
        values = [self._estimate(*three) for three in ends]
        return self._answered(values, self.column, protection, not randomness.private)

    def _estimate(self, low: float, value: float, high: float) -> Estimate:
        """The interval around the middle, widened by what rounding to the grid takes, within the bounds."""
        middle, rounding = self.middle * self.bounds.grid, self.bounds.grid
        ends = (middle + low - rounding, middle + value, middle + high + rounding)
        low, value, high = map(self.bounds.clamped, ends)
        return Estimate(value, low, high, self.confidence, 1)

    def noises(self, protection: Protection) -> tuple[TotalNoise, ...]:
        sensitivity, grid, epsilon = self.sensitivity(protection), self.bounds.grid, self.epsilon
        if self._always_counts(protection):
            return (total_noise(epsilon, self.delta, sensitivity, grid),)
        half = share(epsilon, 2) if self.delta is None else epsilon
        rho = None if self.delta is None else concentration(epsilon, self.delta) / 2
        if self.by is not None:
            ends, moved = (self.bounds.lowest - self.middle, self.bounds.highest - self.middle), protection.moved
            return (
                spread_noise(half, rho, ends, protection.rows, moved, grid),
                spread_noise(half, rho, (0, 1), protection.rows, moved, 1.0),
            )
        if rho is None:
            return (total_noise(half, None, sensitivity, grid), total_noise(half, None, protection.rows, 1.0))
        return (
            concentrated_noise(epsilon, rho, sensitivity, grid),
            concentrated_noise(epsilon, rho, protection.rows, 1.0),
        )


def _quotients(total: float, count: float, total_reach: float, count_reach: float) -> tuple[float, float, float]:
    """The smallest quotient, that of the noisy numbers, and the largest; there is at least one row.

    Where the count says that there is none, no mean is ruled out.
    """
    if count + count_reach < 1:
        return -math.inf, total, math.inf
    fewest, most = max(count - count_reach, 1.0), max(count + count_reach, 1.0)
    low, high = total - total_reach, total + total_reach
    return min(low / fewest, low / most), total / max(count, 1.0), max(high / fewest, high / most)

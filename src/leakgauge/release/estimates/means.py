"""Sums of a released number by what was released of other columns, and the means that follow from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leakgauge.errors import ColumnError
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Floats
from leakgauge.release.estimates.correction import Correction
from leakgauge.release.estimates.reading import Noise, released_places
from leakgauge.tables import Table

MOST_GROUPS = 100_000
"""Groups of which means are told."""
DEVIATIONS = 2.0
"""By how many standard deviations the noise is taken to be larger than it should when variances are told apart."""


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Rows, Σ v and Σ v² of each group, the numbers v counted from a centre so that no digits are lost.

    Attributes:
        low: no mean is below it; a mean of published numbers is among them.
        noise: the variance that the mechanism added to each number.
        doubt: by how much the variance may be larger than it shows.
    """

    groups: tuple[tuple[Label, ...], ...]
    rows: Floats
    first: Floats
    second: Floats
    centre: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    noise: float = 0.0
    doubt: float = 1.0

    def by_output(self, name: str, channel: Channel) -> GroupSums:
        """The sums by output of the channel that released the groups."""
        places = released_places(name, [group[0] for group in self.groups], self.rows, channel)
        sums = np.zeros((3, len(channel.outputs)))
        np.add.at(sums.T, places, np.stack([self.rows, self.first, self.second]).T)
        rows, first, second = sums
        outputs = tuple((label,) for label in channel.outputs)
        return replace(self, groups=outputs, rows=rows, first=first, second=second)


def sums_of_numbers(table: Table, column: str, by: tuple[str, ...], noise: Noise | None) -> GroupSums:
    """The sums of a numeric column; with noise, of numbers whose mean is that of the column before it.

    Raises:
        ColumnError: a column that is not numeric, has no numbers, or more groups than are told.
    """
    moments = table.moments(column)[column]
    if moments.mean is None or moments.minimum is None or moments.maximum is None:
        raise ColumnError("Column {name!r} has no numbers, so it has no mean; choose another column.", name=column)
    totals: pa.Table | None = None
    for batch in table.batches(column, *by):
        totals = _added(totals, batch, by, moments.mean)
        if totals.num_rows > MOST_GROUPS:
            raise ColumnError(
                "Grouping by {columns!s} gives more than {limit} groups; choose coarser columns.",
                columns=tuple(map(repr, by)),
                limit=MOST_GROUPS,
            )
    assert totals is not None
    rows, first, second = (np.asarray(totals.column(name), dtype=np.float64) for name in ("rows", "first", "second"))
    keys = [totals.column(f"by{at}").to_pylist() for at in range(len(by))]
    groups = tuple(zip(*keys, strict=True)) if by else ((),)
    order = sorted(range(len(groups)), key=lambda at: [(key is None, key) for key in groups[at]])
    sums = GroupSums(
        tuple(groups[at] for at in order),
        rows[order],
        first[order],
        second[order],
        moments.mean,
        moments.minimum - moments.mean,
        moments.maximum - moments.mean,
    )
    if noise is None:
        return sums
    return replace(
        sums,
        first=sums.first / noise.slope,
        second=sums.second / noise.slope**2,
        centre=(moments.mean - noise.intercept) / noise.slope,
        # Noise may carry numbers anywhere.
        low=-math.inf,
        high=math.inf,
        noise=noise.variance / noise.slope**2,
    )


def sums_of_labels(numbers: Floats, released: Floats, groups: tuple[tuple[Label, ...], ...]) -> GroupSums:
    """The sums of a column whose released values (rows of ``released``) stand for numbers, by group (its columns)."""
    return GroupSums(
        groups,
        released.sum(axis=0),
        numbers @ released,
        numbers**2 @ released,
        low=float(numbers.min()),
        high=float(numbers.max()),
    )


def _added(totals: pa.Table | None, batch: pa.RecordBatch, by: Sequence[str], centre: float) -> pa.Table:
    """The sums so far and those of one more batch."""
    numbers = pc.subtract(pc.cast(batch.column(0), pa.float64(), safe=False), centre)
    keys = [f"by{at}" for at in range(len(by))]
    columns = [*batch.columns[1:], pc.if_else(pc.is_valid(numbers), 1, 0), numbers, pc.multiply(numbers, numbers)]
    more = pa.table(columns, names=[*keys, "rows", "first", "second"]).filter(pc.is_valid(numbers))
    both = more if totals is None else pa.concat_tables([totals, more.cast(totals.schema)])
    sums = [("rows", "sum"), ("first", "sum"), ("second", "sum")]
    return both.group_by(keys, use_threads=False).aggregate(sums).rename_columns([*keys, "rows", "first", "second"])


@dataclass(frozen=True)
class WeighedSums:
    """Sums over rows with a number v and a weight w, from which the mean Σ w v / Σ w follows with its interval."""

    weights: float
    products: float
    squared_weights: float
    squared_products: float
    squares: float
    """Σ w, Σ w v, Σ w², Σ w² v and Σ w² v²."""

    def mean(self, otherwise: float) -> float:
        """Σ w v / Σ w; the other number where no rows are left."""
        return self.products / self.weights if self.weights > 0 else otherwise

    def interval(self, quantile: float) -> tuple[float, float]:
        """The means μ that the sums do not rule out: (Σ w (v − μ))² ≤ z² Σ w² (v − μ)² (Fieller's interval).

        Both ends are infinite where the weights themselves may sum to 0.
        """
        lead = self.weights**2 - quantile * self.squared_weights
        if lead <= 0 or self.weights <= 0:
            return -math.inf, math.inf
        half = self.products * self.weights - quantile * self.squared_products
        root = math.sqrt(max(half**2 - lead * (self.products**2 - quantile * self.squares), 0.0))
        return (half - root) / lead, (half + root) / lead


@dataclass(frozen=True)
class Mean:
    """A mean and the ends of its interval, which may be infinite."""

    value: float
    low: float
    high: float


def means(sums: GroupSums, quantile: float) -> tuple[list[Mean], float]:
    """The mean of each group, and the share of the rows that they are worth."""
    found, noise, spread = list[Mean](), 0.0, 0.0
    for rows, first, second in zip(sums.rows.tolist(), sums.first.tolist(), sums.second.tolist(), strict=True):
        found.append(_mean(WeighedSums(rows, first, rows, first, second), sums, quantile))
        here = max(second - first**2 / rows, 0.0)
        spread, noise = spread + here, noise + rows * sums.noise
    # The unfavourable end: the variance of Laplace noise (kurtosis 6) shows in n rows only to within √(5/n) of itself.
    count = float(sums.rows.sum())
    varied = max(spread - noise * (1 + DEVIATIONS * math.sqrt(5 / count)), 0.0)
    return found, (varied / max(varied + noise, spread) if spread > 0 else 1.0) / sums.doubt


def widened(found: Sequence[Mean], error: Floats, sums: GroupSums) -> list[Mean]:
    """Means whose intervals allow for more, by the squared half-width of each, within what means may be."""
    each = zip(found, np.broadcast_to(error, len(found)).tolist(), strict=True)
    least, most = sums.low + sums.centre, sums.high + sums.centre
    return [
        Mean(
            one.value,
            max(one.value - math.hypot(one.value - one.low, math.sqrt(extra)), least),
            min(one.value + math.hypot(one.high - one.value, math.sqrt(extra)), most),
        )
        for one, extra in each
    ]


def means_by_protected(sums: GroupSums, by: str, channel: Channel, quantile: float) -> list[Mean]:
    """The mean of the rows that had each input of a channel, from sums by what it released of them.

    Every row counts for every value, by its score: the mean of score · number is the value's share times its mean.
    """
    released = sums.by_output(by, channel)
    correction = Correction.of(channel, released.rows / released.rows.sum())
    found = []
    for scores, squares in zip(correction.scores.T, correction.squares.T, strict=True):
        plain = (float(scores @ one) for one in (released.rows, released.first))
        squared = (float(squares @ one) for one in (released.rows, released.first, released.second))
        found.append(_mean(WeighedSums(*plain, *squared), released, quantile))
    return found


def _mean(weighed: WeighedSums, sums: GroupSums, quantile: float) -> Mean:
    value = min(max(weighed.mean(float(sums.first.sum() / sums.rows.sum())), sums.low), sums.high)
    low, high = weighed.interval(quantile * sums.doubt)
    low, high = min(max(low, sums.low), value), max(min(high, sums.high), value)
    return Mean(value + sums.centre, low + sums.centre, high + sums.centre)

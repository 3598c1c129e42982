"""Shares, cross-tables and means from a release, corrected for its channels, each with an interval.

Rows count as drawn from a larger population, so an interval covers the share in the table and that in the population:
it allows for both sampling and the mechanism. Each interval is taken by itself; of twenty at 95 % about one misses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product, zip_longest

import numpy as np

from leakgauge.arguments import checked
from leakgauge.artefacts.estimates import Estimated, EstimatedCell, Method
from leakgauge.artefacts.quantity import Origin, Quantity
from leakgauge.errors import ColumnError, OptionError, did_you_mean
from leakgauge.probability import Channel, Counts, Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import text_of
from leakgauge.release.estimates.correction import Correction
from leakgauge.release.estimates.effective_rows import numbers_among
from leakgauge.release.estimates.jackknife import squared_error
from leakgauge.release.estimates.means import (
    GroupSums,
    means,
    means_by_protected,
    sums_of_labels,
    sums_of_numbers,
    widened,
)
from leakgauge.release.estimates.reading import Protected, by_output, by_value
from leakgauge.release.estimates.shares import (
    TWICE,
    Shares,
    corrected_shares,
    counted_shares,
    share_intervals,
    shares_within_margins,
    squared_quantile,
    unbiased_shares,
)
from leakgauge.sentences import Sentence
from leakgauge.tables import Table, open_table
from leakgauge.tables.reading import ReadingOptions

MOST_CELLS = 100_000
"""Combinations of values that one answer counts."""


@dataclass(frozen=True)
class Corrected:
    """The statistics that follow from a release, given how its protected columns are read.

    Attributes:
        source: the release, as ``open_table`` takes it.
        protected: how columns are read that went through a mechanism; all others count as published as they are.
        rows: that the release must have; None where nobody said.
        rows_per_unit: rows that one person has at most: so many count as one.
        reading: how the release is read.
        notes: what must be known beside every number, as the kit says it.
        sha256: of the release, as the kit says it.
    """

    source: object
    protected: Mapping[str, Protected]
    confidence: float = 0.95
    rows: int | None = None
    rows_per_unit: int = 1
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    notes: tuple[Sentence, ...] = ()
    sha256: str | None = None

    def __post_init__(self) -> None:
        squared_quantile(self.confidence)
        if self.rows_per_unit < 1:
            raise OptionError(
                "A person has {found} rows at most; give a whole number of at least 1.", found=self.rows_per_unit
            )

    @checked
    def shares(self, column: str) -> Estimated:
        """How often each value of a column occurs, as shares of the rows; raises as ``crosstab``."""
        return self.crosstab(column)

    @checked
    def crosstab(self, column: str, *by: str) -> Estimated:
        """The shares of a column's values within each group of rows that agree in published columns.

        Groups of another protected column are right only where the release keeps the cross-table with it.

        Raises:
            OptionError: groups of a protected column, an unknown channel, or noisy numbers.
            LabelError: values that the channel never releases.
            RefusalError: values that the channel does not distinguish.
        """
        self._require_shares(column, by)
        protected = self.protected.get(column)
        kept = protected is not None and protected.reads_directly(by)
        with self._opened() as table:
            counts = table.counts(column, *by, limit=MOST_CELLS)
        found, values, groups, sizes = self._shares(counts, protected, by)
        cells = tuple(self._cells(found, values, groups, sizes))
        return Estimated(
            kind="crosstab" if by else "shares",
            column=column,
            by=by,
            method=found.method,
            rows=counts.n,
            effective_rows=self._worth(found.worth * counts.n),
            cells=cells,
            unseen=tuple(self._unseen(groups, sizes)) if kept and protected and protected.onto is None else (),
        )

    @checked
    def mean(self, column: str, by: Sequence[str] = ()) -> Estimated:
        """The mean of a numeric column, over all rows or within groups.

        Either may be protected: a published number by the values of one protected column, a protected number by
        published columns, or both. Rows without a number are left out.

        Raises:
            OptionError: a protected column among several groups, or a channel that is not known.
            ColumnError: a column that is not numeric.
            LabelError: values that a channel never releases.
            RefusalError: values that a channel does not tell apart.
        """
        names = tuple(by)
        hidden = self._hidden(column, names)
        with self._opened() as table:
            sums, again = self._sums(table, column, names)
        quantile = squared_quantile(self.confidence) * self.rows_per_unit
        rows, worth = int(sums.rows.sum()), None
        sizes: list[int | None]
        if hidden is None or hidden.reads_directly((column,)):
            sums = sums if hidden is None else replace(sums, doubt=TWICE)
            found, share = means(sums, quantile)
            others = [means(one, quantile)[0] for one in again]
            groups, sizes, worth = sums.groups, [int(size) for size in sums.rows], self._worth(share * rows)
        else:
            channel = hidden.known("A mean by group")
            found = means_by_protected(sums, hidden.name, channel, quantile)
            pairs = zip_longest(again, hidden.jackknife)
            others = [means_by_protected(one or sums, hidden.name, each or channel, quantile) for one, each in pairs]
            groups, sizes = tuple((value,) for value in channel.inputs), [None] * len(channel.inputs)
        if others:
            # The channel itself is off by chance.
            found = widened(found, self._error([np.array([mean.value for mean in one]) for one in others]), sums)
        cells = (
            EstimatedCell(None, _texts(group), size, self._quantity("mean", mean.value, mean.low, mean.high))
            for group, size, mean in zip(groups, sizes, found, strict=True)
        )
        method = self._method_of_mean(column, hidden, names)
        return Estimated(
            kind="mean", column=column, by=names, method=method, rows=rows, effective_rows=worth, cells=tuple(cells)
        )

    def require_columns(self) -> None:
        """Refuse a release that lacks a protected column."""
        with self._opened() as table:
            names = [column.name for column in table.columns()]
        for name in self.protected:
            if name not in names:
                raise ColumnError(
                    "The release has no column {name!r}, for which a channel is given; {hint}",
                    name=name,
                    hint=did_you_mean(name, names),
                )

    def _require_shares(self, column: str, by: tuple[str, ...]) -> None:
        """Refuse shares of a column in groups that cannot be told."""
        self._require_readable(column, *by)
        protected = self.protected.get(column)
        if protected is not None and protected.noise is not None:
            raise OptionError(
                "Column {name!r} has noisy numbers, which have a mean but no shares; ask for its mean.",
                name=column,
            )
        kept = protected is not None and protected.reads_directly(by)
        for name in by:
            if name in self.protected and not kept:
                raise OptionError(
                    "Column {name!r} is protected; group by published columns, and name the protected one first.",
                    name=name,
                )

    def _hidden(self, column: str, by: tuple[str, ...]) -> Protected | None:
        """The protected column that means are grouped by; refused where that is impossible."""
        self._require_readable(column, *by)
        hidden = next((self.protected[name] for name in by if name in self.protected), None)
        if hidden is not None and len(by) > 1:
            raise OptionError(
                "Column {name!r} is protected and cannot be one of several grouping columns; group by it alone.",
                name=hidden.name,
            )
        if hidden is not None and hidden.noise is not None:
            raise OptionError(
                "Column {name!r} has noisy numbers, by which rows cannot be grouped; name another column.",
                name=hidden.name,
            )
        return hidden

    def _require_readable(self, *columns: str) -> None:
        for name in columns:
            if name in self.protected:
                self.protected[name].require_readable()

    def _opened(self) -> Table:
        table = open_table(self.source, **self.reading)
        if self.rows is not None and table.rows != self.rows:
            found = table.rows
            table.close()
            raise OptionError(
                "The release has {found} rows, but its kit says {wanted}; give the release of this kit.",
                found=found,
                wanted=self.rows,
            )
        return table

    def _shares(
        self, counts: Counts, protected: Protected | None, by: tuple[str, ...]
    ) -> tuple[Shares, tuple[Label, ...], tuple[tuple[Label, ...], ...], list[int]]:
        """Shares, the values and groups that they are of, and how many rows each group has."""
        doubt = squared_quantile(self.confidence) * self.rows_per_unit
        if protected is not None and not protected.reads_directly(by):
            channel = protected.known("A cross-table" if by else "The share of a value")
            agrees = protected.onto if protected.keeps_shares else None
            channel = channel if agrees is None else agrees
            released, groups = by_output(counts, protected.name, channel)
            if agrees is None:
                error = self._error([unbiased_shares(one, released) for one in protected.jackknife])
                found = corrected_shares(channel, released, doubt, error)
            else:
                found = shares_within_margins(channel, released, doubt)
            values = channel.inputs
        elif protected is None or protected.onto is None:
            released, values, groups = by_value(counts)
            method = Method.AS_PUBLISHED if protected is None else Method.DIRECT
            found = counted_shares(released, doubt, method)
        else:
            released, groups = by_output(counts, protected.name, protected.onto)
            found, values = counted_shares(released, doubt, Method.DIRECT, protected.onto), protected.onto.outputs
        return found, values, groups, released.sum(axis=0).astype(np.int64).tolist()

    def _cells(
        self, found: Shares, values: tuple[Label, ...], groups: tuple[tuple[Label, ...], ...], sizes: list[int]
    ) -> Iterator[EstimatedCell]:
        for (at, group), (place, value) in product(enumerate(groups), enumerate(values)):
            ends = (float(side[at, place]) for side in (found.values, found.lows, found.highs))
            raw = None
            if found.raw is not None:
                sides = (found.raw.values, found.raw.lows, found.raw.highs)
                raw = self._quantity("share", *(float(side[at, place]) for side in sides))
            yield EstimatedCell(text_or_none(value), _texts(group), sizes[at], self._quantity("share", *ends), raw)

    def _unseen(self, groups: tuple[tuple[Label, ...], ...], sizes: list[int]) -> Iterator[EstimatedCell]:
        """The share of a value that is in the table, but in no released row."""
        doubt = TWICE * squared_quantile(self.confidence) * self.rows_per_unit
        none = np.zeros(1)
        for group, size in zip(groups, sizes, strict=True):
            _, (high,) = share_intervals(none, none, none + 1, none, doubt / size)
            yield EstimatedCell(None, _texts(group), size, self._quantity("share", 0.0, 0.0, float(high)))

    def _sums(self, table: Table, column: str, by: tuple[str, ...]) -> tuple[GroupSums, list[GroupSums]]:
        """The numbers of a column, summed by what was released of the groups; and by each channel of a jackknife."""
        protected = self.protected.get(column)
        if protected is None or protected.noise is not None:
            return sums_of_numbers(table, column, by, None if protected is None else protected.noise), []
        counts = table.counts(column, *by, limit=MOST_CELLS)
        if protected.reads_directly(by):
            released, values, groups = by_value(counts)
            return replace(sums_of_labels(_numbers(column, values), released, groups), doubt=TWICE), []
        channel = protected.known("The mean")
        released, groups = by_output(counts, column, channel)
        numbers = _numbers(column, channel.inputs)

        def corrected(by_channel: Channel) -> GroupSums:
            shares = released.sum(axis=1) / released.sum()
            correction = Correction.of(by_channel, shares)
            scores = correction.scores @ numbers
            noise = float(shares @ scores**2 - correction.likeliest(shares) @ numbers**2)
            sums = sums_of_labels(scores, released, groups)
            return replace(sums, low=float(numbers.min()), high=float(numbers.max()), noise=max(noise, 0.0))

        return corrected(channel), [corrected(one) for one in protected.jackknife]

    def _error(self, estimates: Sequence[Floats]) -> Floats:
        return squared_error(estimates, self.confidence, self.rows_per_unit)

    def _method_of_mean(self, column: str, grouped: Protected | None, by: tuple[str, ...]) -> Method:
        read = self.protected.get(column)
        corrected = read is not None and read.noise is None and not read.reads_directly(by)
        if corrected or (grouped is not None and not grouped.reads_directly((column,))):
            return Method.INVERSION
        return Method.AS_PUBLISHED if read is None and grouped is None else Method.DIRECT

    def _quantity(self, unit: str, value: float, low: float, high: float) -> Quantity:
        return Quantity(value, unit, low, high, self.confidence, Origin.PUBLIC)

    def _worth(self, rows: float) -> Quantity:
        return Quantity(rows / self.rows_per_unit, "rows", origin=Origin.PUBLIC)


def _numbers(column: str, labels: Sequence[Label]) -> Floats:
    numbers = numbers_among(labels)
    if numbers is None:
        raise OptionError(
            "Column {name!r} has values that are not numbers, which have no mean; ask for their shares.", name=column
        )
    return numbers


def _texts(group: tuple[Label, ...]) -> tuple[str | None, ...]:
    return tuple(map(text_or_none, group))


def text_or_none(label: Label) -> str | None:
    """A value as text; None where it is missing."""
    return None if label is None else text_of(label)

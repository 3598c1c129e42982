"""Shares, cross-tables and means from a release, corrected for its channels, each with an interval.

Rows count as drawn from a larger population, so an interval covers the share in the table and that in the population:
it allows for both sampling and the mechanism. Each interval is taken by itself; of twenty at 95 % about one misses.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product, zip_longest

import numpy as np

from leakgauge.arguments import checked
from leakgauge.artefacts.estimates import Contrasted, ContrastKind, Estimated, EstimatedCell, Method
from leakgauge.artefacts.quantity import Origin, Quantity
from leakgauge.errors import ColumnError, LabelError, OptionError, did_you_mean
from leakgauge.probability import Channel, Counts, Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import text_of
from leakgauge.release.estimates.contrasts import Contrast, against_another, of_independent, of_protected_groups
from leakgauge.release.estimates.correction import Correction
from leakgauge.release.estimates.effective_rows import numbers_among
from leakgauge.release.estimates.jackknife import squared_error
from leakgauge.release.estimates.means import (
    GroupSums,
    Mean,
    means,
    means_by_protected,
    sums_of_labels,
    sums_of_numbers,
    widened,
)
from leakgauge.release.estimates.reading import Protected, by_output, by_value
from leakgauge.release.estimates.rebuilding import kept_shares
from leakgauge.release.estimates.shares import (
    TWICE,
    Shares,
    corrected_shares,
    counted_shares,
    raw_shares,
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
class Recipient:
    """The statistics that the holder of a release can compute, given how its protected columns are read.

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
            EstimatedCell(None, tuple(map(_text, group)), size, self._quantity("mean", mean.value, mean.low, mean.high))
            for group, size, mean in zip(groups, sizes, found, strict=True)
        )
        method = self._method_of_mean(column, hidden, names)
        return Estimated(
            kind="mean", column=column, by=names, method=method, rows=rows, effective_rows=worth, cells=tuple(cells)
        )

    @checked
    def difference(self, what: str, first: str, second: str) -> Contrasted:
        """The share of a value in one group less that in another; of a column without a value, of its means.

        Args:
            what: a value, ``illness=flu``, or a numeric column, ``age``.
            first: a group, ``city=A``.
            second: the group that is subtracted, ``city=B``.

        Raises:
            OptionError, LabelError, RefusalError: as ``crosstab`` and ``mean``; a value or a group that is not there.
        """
        return self.contrasted(ContrastKind.DIFFERENCE, (what, first, second))

    @checked
    def ratio(self, what: str, first: str, second: str) -> Contrasted:
        """The same, divided; raises where nothing can be told because both may be 0."""
        return self.contrasted(ContrastKind.RATIO, (what, first, second))

    @checked
    def odds_ratio(self, what: str, first: str, second: str, against: str | None = None) -> Contrasted:
        """The odds of a value in one group, divided by those in another.

        Args:
            what: the value, ``illness=flu``.
            first: a group, ``city=A``.
            second: the group that it is compared with.
            against: another value, ``illness=none``; by default all other values.
        """
        others = () if against is None else (against,)
        return self.contrasted(ContrastKind.ODDS_RATIO, (what, *others, first, second))

    @checked
    def contrast(self, what: str, weights: Mapping[str, float]) -> Contrasted:
        """The sum of the shares, or means, of groups by their weights, ``{"city=A": 1, "city=B": -1}``."""
        parts = (f"{group}*{weight!r}" for group, weight in weights.items())
        return self.contrasted(ContrastKind.WEIGHTED, (what, *parts))

    @checked
    def change(self, column: str, since: Recipient) -> Estimated:
        """How much the share of each value has grown since an earlier release of other rows, or of the same people.

        Values that only one of the releases tells of are left out.
        """
        found = self.shares(column)
        before, read = since.shares(column), self.protected.get(column)
        told = {cell.value: cell.estimate for cell in before.cells}
        moved = None if read is None else self._moved(read, since)
        cells = []
        for at, cell in enumerate(found.cells):
            if cell.value in told:
                if moved is None:
                    now, then = cell.estimate, told[cell.value]
                    value = now.value - then.value
                    low = value - math.hypot(now.value - now.ends[0], then.ends[1] - then.value)
                    high = value + math.hypot(now.ends[1] - now.value, then.value - then.ends[0])
                else:
                    value, half = float(moved[0][at]), float(moved[1][at])
                    low, high = value - half, value + half
                ends = (min(max(one, -1.0), 1.0) for one in (value, low, high))
                cells.append(EstimatedCell(cell.value, (), None, self._quantity("share", *ends)))
        return Estimated(kind="change", column=column, method=found.method, rows=found.rows, cells=tuple(cells))

    def _moved(self, read: Protected, since: Recipient) -> tuple[Floats, Floats] | None:
        """The change of each share and half its interval, where both follow from one release; None where they do not.

        The shares of that release are those that the rebuilt channels keep, so that its errors are counted once.
        """
        then = since.protected.get(read.name)
        if not read.jackknife or then is None or read.since is None or read.channel is None:
            return None
        doubt = squared_quantile(self.confidence)
        now, own = self._through(read, (read.channel, *read.jackknife), doubt)
        if read.since == since.sha256:
            before, others = [kept_shares(one) for one in (read.channel, *read.jackknife)], np.zeros(())
        elif read.since == then.since and then.channel == read.channel:
            before, others = since._through(read, (read.channel, *read.jackknife), doubt)
        else:
            return None
        each = [one - other for one, other in zip(now, before, strict=True)]
        return each[0], np.sqrt(own + others + self._error(each[1:]))

    def _through(self, read: Protected, channels: Sequence[Channel], doubt: float) -> tuple[list[Floats], Floats]:
        """The unbiased shares of a column through each channel, and the squared half-width of the first."""
        with self._opened() as table:
            released, _ = by_output(table.counts(read.name, limit=MOST_CELLS), read.name, channels[0])
        alone = raw_shares(channels[0], released, doubt * self.rows_per_unit)
        return [unbiased_shares(one, released)[0] for one in channels], (alone.highs[0] - alone.values[0]) ** 2

    @checked
    def contrasted(self, kind: ContrastKind, texts: Sequence[str]) -> Contrasted:
        """A contrast of one kind from its parts, as they are typed: ``illness=flu``, ``city=A``, ``city=B``."""
        with self._opened() as table:
            contrast = Contrast.parsed(kind, texts, [one.name for one in table.columns()])
            compared = self._compared_shares if contrast.values else self._compared_means
            found, method, rows = compared(table, contrast)
        return Contrasted(
            kind=kind,
            column=contrast.column,
            values=contrast.values,
            by=contrast.by,
            groups=tuple(group for group, _ in contrast.weights),
            weights=tuple(weight for _, weight in contrast.weights),
            method=method,
            rows=rows,
            estimate=self._quantity(
                "ratio" if contrast.is_ratio else "share" if contrast.values else "mean",
                found.value,
                found.low,
                found.high,
            ),
        )

    def _compared_shares(self, table: Table, contrast: Contrast) -> tuple[Mean, Method, int]:
        column, by = contrast.column, (contrast.by,)
        self._require_shares(column, by)
        protected = self.protected.get(column)
        direct = protected is None or protected.reads_directly(by)
        counts = table.counts(column, *by, limit=MOST_CELLS)
        doubt = squared_quantile(self.confidence) * self.rows_per_unit
        again: Sequence[Channel] = ()
        if direct or protected is None:
            released, labels, groups = by_value(counts)
            method, scores = Method.AS_PUBLISHED if protected is None else Method.DIRECT, np.eye(len(labels))
        else:
            channel = protected.known("A cross-table")
            released, groups = by_output(counts, column, channel)
            labels, method, again = channel.inputs, Method.INVERSION, protected.jackknife
            scores = Correction.of(channel, released.sum(axis=1) / released.sum()).scores
        names = [_text(label) or "" for label in labels]
        for value in contrast.values:
            if value not in names:
                raise LabelError(
                    "The estimate has no {wanted!r}; {hint}", wanted=value, hint=did_you_mean(value, names)
                )
        places = [names.index(value) for value in contrast.values]
        weights = contrast.weight_of([_text(group[0]) or "" for group in groups])
        used = np.flatnonzero(weights)
        parts = []
        for at in used.tolist():
            rows = released[:, [at]]
            if len(places) > 1:
                parts.append(
                    against_another(rows[:, 0], scores[:, places], doubt * (TWICE if method is Method.DIRECT else 1.0))
                )
                continue
            shares = (
                counted_shares(rows, doubt, method)
                if direct or protected is None
                else corrected_shares(protected.known("A cross-table"), rows, doubt)
            )
            parts.append(Mean(*(float(one[0, places[0]]) for one in (shares.values, shares.lows, shares.highs))))
        chosen = released[:, used]
        slopes = contrast.slopes(((chosen / chosen.sum(axis=0)).T @ scores)[:, places], weights[used])
        each = [np.array((slopes * unbiased_shares(one, chosen)[:, places]).sum()) for one in again]
        found = of_independent(contrast, parts, weights[used], float(self._error(each)))
        return found, method, int(chosen.sum())

    def _compared_means(self, table: Table, contrast: Contrast) -> tuple[Mean, Method, int]:
        column, by = contrast.column, (contrast.by,)
        hidden = self._hidden(column, by)
        sums, again = self._sums(table, column, by)
        quantile, method = (
            squared_quantile(self.confidence) * self.rows_per_unit,
            self._method_of_mean(column, hidden, by),
        )
        if hidden is None or hidden.reads_directly((column,)):
            sums = sums if hidden is None else replace(sums, doubt=TWICE)
            weights = contrast.weight_of([_text(group[0]) or "" for group in sums.groups])
            used = np.flatnonzero(weights)
            found = [means(one, quantile)[0] for one in (sums, *again)]
            each = np.array([[one[at].value for at in used] for one in found])
            slopes = contrast.slopes(each[0][:, None], weights[used])[:, 0]
            error = float(self._error(list(each[1:] @ slopes)))
            parts = [found[0][at] for at in used]
            return of_independent(contrast, parts, weights[used], error), method, int(sums.rows[used].sum())
        channel = hidden.known("A mean by group")
        weights = contrast.weight_of([_text(label) or "" for label in channel.inputs])
        pairs = [
            (sums, channel),
            *((one or sums, each or channel) for one, each in zip_longest(again, hidden.jackknife)),
        ]
        summed = [one.by_output(hidden.name, each) for one, each in pairs]
        scores = [
            Correction.of(each, one.rows / one.rows.sum()).scores for one, (_, each) in zip(summed, pairs, strict=True)
        ]
        every = np.array([_centred(one, score) for one, score in zip(summed, scores, strict=True)])
        slopes = contrast.slopes(every[0][:, None], weights)[:, 0]
        error = float(self._error(list(every[1:] @ slopes)))
        result = of_protected_groups(contrast, summed[0], scores[0], weights, quantile, error)
        return result, method, int(sums.rows.sum())

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
            yield EstimatedCell(_text(value), tuple(map(_text, group)), sizes[at], self._quantity("share", *ends), raw)

    def _unseen(self, groups: tuple[tuple[Label, ...], ...], sizes: list[int]) -> Iterator[EstimatedCell]:
        """The share of a value that is in the table, but in no released row."""
        doubt = TWICE * squared_quantile(self.confidence) * self.rows_per_unit
        none = np.zeros(1)
        for group, size in zip(groups, sizes, strict=True):
            _, (high,) = share_intervals(none, none, none + 1, none, doubt / size)
            yield EstimatedCell(None, tuple(map(_text, group)), size, self._quantity("share", 0.0, 0.0, float(high)))

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


def _centred(sums: GroupSums, scores: Floats) -> Floats:
    """The mean of each protected group."""
    sizes = scores.T @ sums.rows
    return np.asarray(np.divide(scores.T @ sums.first, sizes, out=np.zeros(len(sizes)), where=sizes != 0) + sums.centre)


def _numbers(column: str, labels: Sequence[Label]) -> Floats:
    numbers = numbers_among(labels)
    if numbers is None:
        raise OptionError(
            "Column {name!r} has values that are not numbers, which have no mean; ask for their shares.", name=column
        )
    return numbers


def _text(label: Label) -> str | None:
    return None if label is None else text_of(label)

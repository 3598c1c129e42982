"""What the holder of a release can compute: shares, cross-tables and means, and how groups and months compare."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np

from leakgauge.arguments import checked
from leakgauge.artefacts.estimates import Contrasted, ContrastKind, Estimated, EstimatedCell, Method
from leakgauge.errors import LabelError, did_you_mean
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats
from leakgauge.release.estimates.contrasts import Contrast, against_another, of_independent, of_protected_groups
from leakgauge.release.estimates.corrected import MOST_CELLS, Corrected, text_or_none
from leakgauge.release.estimates.correction import Correction
from leakgauge.release.estimates.means import GroupSums, Mean, means
from leakgauge.release.estimates.reading import Protected, by_output, by_value
from leakgauge.release.estimates.rebuilding import kept_shares
from leakgauge.release.estimates.shares import (
    TWICE,
    corrected_shares,
    counted_shares,
    raw_shares,
    squared_quantile,
    unbiased_shares,
)
from leakgauge.tables import Table


@dataclass(frozen=True)
class Recipient(Corrected):
    """The holder of a release, who can also compare its groups, and it with an earlier release."""

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
        names = [text_or_none(label) or "" for label in labels]
        for value in contrast.values:
            if value not in names:
                raise LabelError(
                    "The estimate has no {wanted!r}; {hint}", wanted=value, hint=did_you_mean(value, names)
                )
        places = [names.index(value) for value in contrast.values]
        weights = contrast.weight_of([text_or_none(group[0]) or "" for group in groups])
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
            weights = contrast.weight_of([text_or_none(group[0]) or "" for group in sums.groups])
            used = np.flatnonzero(weights)
            found = [means(one, quantile)[0] for one in (sums, *again)]
            each = np.array([[one[at].value for at in used] for one in found])
            slopes = contrast.slopes(each[0][:, None], weights[used])[:, 0]
            error = float(self._error(list(each[1:] @ slopes)))
            parts = [found[0][at] for at in used]
            return of_independent(contrast, parts, weights[used], error), method, int(sums.rows[used].sum())
        channel = hidden.known("A mean by group")
        weights = contrast.weight_of([text_or_none(label) or "" for label in channel.inputs])
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


def _centred(sums: GroupSums, scores: Floats) -> Floats:
    """The mean of each protected group."""
    sizes = scores.T @ sums.rows
    return np.asarray(np.divide(scores.T @ sums.first, sizes, out=np.zeros(len(sizes)), where=sizes != 0) + sums.centre)

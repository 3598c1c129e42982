"""How precise the best estimate is that recipients can make of a column with what they are handed.

The rows of a table are a sample of a population, so an estimate from n rows of the table has the error p (1 − p) / n in
a cell of share p. A release adds what its mechanism does to the estimate that the kit offers: the released values
counted as they are where they keep the cells, or corrected for the channel where the kit has it. Where the kit has a
channel that was fitted to the table and keeps its shares, they are read off it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leakgauge.distances.centres import centres
from leakgauge.errors import LabelError
from leakgauge.probability import Channel, Distribution, Joint, Label
from leakgauge.probability.cells import Codes, Floats, sums_by
from leakgauge.release.estimates.correction import RANK, Correction, confused_values
from leakgauge.release.estimates.effective_rows import KEPT, Part, parts_of, scores_of_mean, worth_beside
from leakgauge.release.estimates.jackknife import variance
from leakgauge.release.estimates.reading import Protected
from leakgauge.release.letters import places_among

NOTHING_VARIES = 1e-9
"""A variance of cells, or of numbers beside their squared range, below which there is nothing to estimate."""


@dataclass(frozen=True, eq=False)
class Precision:
    """The precision of estimates from a release.

    Attributes:
        worth: the share of the rows that would be as precise; 0 where nothing can be estimated.
        cells: the share of each cell, the largest first; none of means.
        errors: the squared error of each cell, times the rows; none of means, and where nothing can be estimated.
    """

    worth: float
    cells: Floats | None = None
    errors: Floats | None = None


@dataclass(frozen=True, eq=False)
class Offered:
    """What a kit offers to estimate one column by.

    Attributes:
        read: the column as the kit has it: its channel only where that is handed out.
        fitted: whether its channel was fitted to the table.
        rows: of the release, which say how much the error of a rebuilt channel counts, the same in all of them.
    """

    read: Protected
    fitted: bool = False
    rows: int = 0

    def of_cells(
        self, channel: Channel, source: Distribution | Joint, by: Sequence[str] = (), onto: Codes | None = None
    ) -> Precision | None:
        """Of the shares of the values, or of their cross-table with published columns; None where no cell varies.

        Args:
            channel: that the values went through, whether it is handed out or not; from the values or from pairs.
            source: p(x), or p(x, z).
            by: the columns that the cross-table is with.
            onto: of each column of the source the number of its combination of these columns; by default all are one.
        """
        table = _Cells.of(*self._with_letters_of_the_kit(channel, source), onto)
        shares = table.merged([part.joint for part in table.parts])
        sampling = shares * (1 - shares)
        if sampling.sum() <= NOTHING_VARIES:
            return None
        order = np.argsort(-shares, axis=None, kind="stable")
        ways = [table.merged(added) for added in self._added(table.parts, tuple(by))]
        if not ways:
            return Precision(0.0, shares.ravel()[order])
        added = np.maximum(min(ways, key=np.sum), 0.0)
        worth = worth_beside(float(sampling.sum()), float(added.sum()))
        return Precision(worth, shares.ravel()[order], (sampling + added).ravel()[order])

    def of_mean(
        self,
        channel: Channel,
        source: Distribution | Joint,
        numbers: Floats,
        rows: int,
        by: Sequence[str] = (),
        onto: Codes | None = None,
    ) -> Precision | None:
        """Of the mean of numbers, or of their means by group, weighed by the rows; None where no number varies.

        Args:
            numbers: that the values stand for.
            rows: of the release, which say how much an error counts that is the same in all of them.
        """
        table = _Cells.of(channel, source, onto)
        shares = table.merged([part.joint for part in table.parts])
        sizes = shares.sum(axis=0)
        means = _ratio(numbers @ shares, sizes)
        sampling = float((numbers**2 @ shares - sizes * means**2).sum())
        if sampling <= NOTHING_VARIES * float(np.ptp(numbers)) ** 2:
            return None
        if self.read.noise is not None:
            return Precision(worth_beside(sampling, self.read.noise.variance / self.read.noise.slope**2))
        if not by and self._holds_shares(table.parts):
            return Precision(1.0)
        found = [0.0]
        for scores in self._scores(table.parts, numbers, tuple(by)):
            each = [
                (part.matrix @ score, part.matrix @ score**2) for part, score in zip(table.parts, scores, strict=True)
            ]
            first, second = (
                table.merged(
                    [made[at][:, None] * part.joint for part, made in zip(table.parts, each, strict=True)]
                ).sum(0)
                for at in (0, 1)
            )
            centre = _ratio(first, sizes)
            added = float((second - sizes * centre**2).sum()) - sampling
            if self.fitted:
                # It keeps the mean of the table, to whose sampling the noise of each row is added.
                noise = (
                    float((one[1] - one[0] ** 2) @ part.marginal) for part, one in zip(table.parts, each, strict=True)
                )
                added = max(added, sum(noise))
            bias = rows * float((sizes**2) @ (centre - means) ** 2)
            found.append(min(worth_beside(sampling, added + bias + self._error_of_means(table, numbers, sizes)), 1.0))
        return Precision(max(found))

    def _added(self, parts: Sequence[Part], by: tuple[str, ...]) -> Iterator[list[Floats]]:
        """What the mechanism adds to the variance of each cell, times the rows, in each way that the kit offers."""
        if not by and self._holds_shares(parts):
            yield [np.zeros(part.joint.shape) for part in parts]
        if self.read.unreadable is None and self.read.reads_directly(by):
            yield [part.added_by_counting() for part in parts]
        if self.read.channel is not None and not any(confused_values(part.channel) for part in parts):
            yield [part.added_by_correction() + self._error_of_channel(part) for part in parts]

    def _error_of_channel(self, part: Part) -> Floats:
        """What a rebuilt channel adds to the squared error of each cell, times the rows: its bias and its chance."""
        known = self.read.channel
        if known is None or not self.read.jackknife:
            return np.zeros(part.joint.shape)
        released, inputs = self._released(part, known), places_among(known.inputs, part.channel.inputs)
        each = np.array([Correction.of(one).scores.T @ released for one in (known, *self.read.jackknife)])
        # A value that the earlier release does not show is not told at all.
        found = np.where((inputs >= 0)[:, None], each[:, inputs], 0.0)
        return np.asarray(self.rows * ((found[0] - part.joint) ** 2 + variance(found[1:])))

    def _released(self, part: Part, known: Channel) -> Floats:
        """The shares of the outputs of a known channel (a row) with each background (a column)."""
        places = places_among(known.outputs, part.channel.outputs)
        released = np.zeros((len(known.outputs), part.joint.shape[1]))
        np.add.at(released, places[places >= 0], (part.matrix.T @ part.joint)[places >= 0])
        return released

    def _error_of_means(self, table: _Cells, numbers: Floats, sizes: Floats) -> float:
        """The same of the means of numbers by group, weighed by the rows."""
        known = self.read.channel
        if known is None or not self.read.jackknife or len(table.parts) > 1:
            return 0.0
        (part,) = table.parts
        places = places_among(known.inputs, part.channel.inputs)
        if places.min() < 0:
            return 0.0
        inside = np.zeros(len(known.inputs))
        inside[places] = numbers[[table.values[label] for label in part.channel.inputs]]
        released = self._released(part, known)
        each = (inside @ (Correction.of(one).scores.T @ released) for one in (known, *self.read.jackknife))
        found = np.zeros((1 + len(self.read.jackknife), len(sizes)))
        for row, sums in zip(found, each, strict=True):
            np.add.at(row, table.onto[part.at], sums)
        moved = np.array([_ratio(row, sizes) for row in found])
        return self.rows * float(sizes**2 @ variance(moved[1:]))

    def _scores(self, parts: Sequence[Part], numbers: Floats, by: tuple[str, ...]) -> Iterator[list[Floats]]:
        """The number that each output counts as, for each part, in each way that the kit offers."""
        read, outputs = self.read, parts[0].channel.outputs
        middle = float(sum(part.marginal @ numbers for part in parts) / sum(part.marginal.sum() for part in parts))
        if read.unreadable is None and read.reads_directly(by) and (places := _places(outputs, middle)) is not None:
            yield [places for _ in parts]
        if read.channel is None:
            return
        if len(parts) == 1 and not {*read.channel.inputs} & {*parts[0].channel.inputs}:
            # Bins of the numbers, which are read at their centres.
            inside = _places(read.channel.inputs, middle)
            if inside is not None and not confused_values(read.channel):
                yield [Correction.of(read.channel).scores @ inside]
            return
        ways = [list(scores_of_mean(part.channel, part.marginal / part.marginal.sum(), numbers)) for part in parts]
        yield from map(list, zip(*ways, strict=False))

    def _holds_shares(self, parts: Sequence[Part]) -> bool:
        """Whether the shares follow from the channel in the kit: p = p q has one solution, and the table has it."""
        if self.read.channel is None or not self.fitted or len(parts) > 1:
            return False
        (part,) = parts
        inputs, outputs = part.channel.inputs, part.channel.outputs
        if set(inputs) != set(outputs):
            return False
        matrix = part.channel.restrict(outputs).matrix
        shares = dict(zip(inputs, part.marginal, strict=True))
        p = np.array([shares[label] for label in outputs])
        moved = np.linalg.svd(np.eye(len(p)) - matrix, compute_uv=False)
        return bool(np.abs(p @ matrix - p).max() <= KEPT) and int((moved <= RANK * moved[0]).sum()) == 1

    def _with_letters_of_the_kit(
        self, channel: Channel, source: Distribution | Joint
    ) -> tuple[Channel, Distribution | Joint]:
        """The channel and the shares of all values that it reads: recipients do not know which of them do not occur."""
        known, values = self.read.channel, source.rows if isinstance(source, Joint) else source.outcomes
        if known is None or len(known.inputs) <= len(values) or {*channel.inputs} != {*values}:
            return channel, source
        places = places_among(known.inputs, values)
        if places.min() < 0:
            return channel, source
        if isinstance(source, Joint):
            matrix = np.zeros((len(known.inputs), len(source.columns)))
            matrix[places] = source.matrix
            return known, Joint(known.inputs, source.columns, matrix)
        shares = np.zeros(len(known.inputs))
        shares[places] = source.probabilities
        return known, Distribution(known.inputs, shares)


def worth_of_counted(before: Codes, after: Codes, beside: Codes) -> Precision | None:
    """The precision of shares counted as they are in a release of which nothing else is known, with their bias.

    Args:
        before: of each row the number of its value.
        after: and of what is released in its place.
        beside: and of what it is cross-tabulated with.
    """
    rows, groups = len(before), int(beside.max()) + 1
    size = (max(int(before.max()), int(after.max())) + 1) * groups
    true, seen = (np.bincount(codes * groups + beside, minlength=size) / rows for codes in (before, after))
    sampling, off = true * (1 - true), rows * (seen - true) ** 2
    if sampling.sum() <= NOTHING_VARIES:
        return None
    order = np.argsort(-true, kind="stable")
    return Precision(worth_beside(float(sampling.sum()), float(off.sum())), true[order], (sampling + off)[order])


def worth_of_counted_mean(before: Floats, after: Floats, beside: Codes) -> Precision | None:
    """The same of the mean of numbers, or of their means by group; NaN is a missing one."""
    known = np.isfinite(before)
    sizes = np.bincount(beside[known], minlength=int(beside.max()) + 1).astype(np.float64)
    means = _ratio(sums_by(beside[known], before[known], len(sizes)), sizes)
    shown = np.isfinite(after)
    seen = np.bincount(beside[shown], minlength=len(sizes)).astype(np.float64)
    found = _ratio(sums_by(beside[shown], after[shown], len(sizes)), seen)
    shares, rows = sizes / max(int(sizes.sum()), 1), int(sizes.sum())
    sampling = float(((before[known] - means[beside[known]]) ** 2).sum()) / max(rows, 1)
    if not rows or sampling <= NOTHING_VARIES * float(np.ptp(before[known])) ** 2:
        return None
    return Precision(worth_beside(sampling, rows * float(shares**2 @ (found - means) ** 2)))


@dataclass(frozen=True, eq=False)
class _Cells:
    """The cells of a source, by the parts of its channel, and the cells that estimates are of."""

    parts: tuple[Part, ...]
    values: dict[Label, int]
    onto: Codes

    @classmethod
    def of(cls, channel: Channel, source: Distribution | Joint, onto: Codes | None) -> _Cells:
        values = source.rows if isinstance(source, Joint) else source.outcomes
        count = len(source.columns) if isinstance(source, Joint) else 1
        groups = np.zeros(count, dtype=np.int64) if onto is None else onto
        return cls(tuple(parts_of(channel, source)), {label: at for at, label in enumerate(values)}, groups)

    @cached_property
    def _size(self) -> int:
        return int(self.onto.max()) + 1

    def merged(self, each: Sequence[Floats]) -> Floats:
        """Numbers of the cells of each part, added up: a row for each value, a column for each combination."""
        whole = np.zeros((len(self.values), self._size))
        for part, numbers in zip(self.parts, each, strict=True):
            rows = np.array([self.values[label] for label in part.channel.inputs], dtype=np.int64)
            np.add.at(whole, (rows[:, None], self.onto[part.at][None, :]), numbers)
        return whole


def _ratio(sums: Floats, sizes: Floats) -> Floats:
    """Sums beside sizes; 0 where there is none."""
    return np.divide(sums, sizes, where=sizes > 0, out=np.zeros(sums.shape))


def _places(labels: Sequence[Label], middle: float) -> Floats | None:
    """Where labels stand as numbers, a blank cell in the middle, as if it were left out; None where one does not."""
    try:
        places = centres([label for label in labels if label is not None])
    except LabelError:
        return None
    if not np.isfinite(places).all():
        return None
    every = np.full(len(labels), middle)
    every[[at for at, label in enumerate(labels) if label is not None]] = places
    return every

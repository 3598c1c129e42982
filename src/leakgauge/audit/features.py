"""Outputs as columns of numbers that a classifier can learn from.

Beside the numbers themselves: flags of numbers that come again and again, such as the −1000 that stands for no answer,
how many of each there are, differences, the order of the numbers, and of texts what each kind of cells says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from leakgauge.audit.outputs import Outputs
from leakgauge.audit.partitions import Partition
from leakgauge.audit.texts import NUMBERS
from leakgauge.probability.cells import Floats

COLUMNS = 48
"""Of longer rows the columns that differ most."""
FLAGS = 4
"""Numbers of one column that have a flag."""
_OFTEN, _AT_LEAST = 0.005, 8
"""A number that makes up this share of its column, and comes so often, has a flag."""
_SMOOTHED = 2.0
"""Outputs of each input that are added to those of a cell, so that a rare cell says little."""
_ALL_PAIRS = 6
"""Up to so many numbers are all compared with each other; of more, neighbours."""
_LARGEST = 1e100
"""Stands for an infinite number."""


@dataclass(frozen=True, eq=False)
class Features:
    """What is read off each output.

    Attributes:
        flags: of each of these columns the numbers that have a flag.
        spread: the columns that have other numbers too, by their place among these.
        middles: of each column the median of the other numbers, which takes the place of those.
        compared: the pairs of columns whose difference and order are read.
        common: numbers that have flags in several columns, and are counted.
        says: partitions with the log-ratio of each cell.
    """

    kept: tuple[int, ...]
    flags: tuple[Floats, ...]
    spread: tuple[int, ...]
    middles: Floats
    compared: tuple[tuple[int, int], ...]
    common: Floats
    says: tuple[tuple[Partition, Floats], ...]

    def plain(self, outputs: Outputs) -> Floats:
        """The numbers, those that have a flag being 0 apart from the middle, and differences of them."""
        _, values = self._columns(outputs)
        differences = [values[:, [one]] - values[:, [other]] for one, other in self.compared]
        return np.hstack([values[:, list(self.spread)], *differences])

    def marks(self, outputs: Outputs) -> Floats:
        """Flags and counts of them, the order of the numbers, and what cells say."""
        numbers, values = self._columns(outputs)
        # Where all numbers have flags, the last one says nothing more.
        shown = [one if at in self.spread else one[:-1] for at, one in enumerate(self.flags)]
        flags = [numbers[:, [at]] == one for at, one in enumerate(shown) if len(one)]
        counts = [(numbers == one).sum(axis=1, keepdims=True) for one in self.common.tolist()]
        order = [values[:, [one]] > values[:, [other]] for one, other in self.compared]
        said = [ratios[partition.places(outputs)][:, None] for partition, ratios in self.says]
        largest = [np.argmax(values, axis=1)[:, None] == np.array(self.spread)] if self.compared else []
        return np.hstack([np.zeros((len(outputs), 0)), *flags, *counts, *order, *largest, *said])

    def _columns(self, outputs: Outputs) -> tuple[Floats, Floats]:
        """The columns that are used, as they are and with the middle in place of what has a flag."""
        numbers = _rows_of(outputs)[:, list(self.kept)]
        values = numbers.copy()
        for at, (flags, middle) in enumerate(zip(self.flags, self.middles, strict=True)):
            values[np.isin(numbers[:, at], flags), at] = middle
        return numbers, values


def features(first: Outputs, second: Outputs, cells: Sequence[Partition] = ()) -> Features:
    """What to read off outputs such as these of two inputs, and what the given partitions say of them."""
    ours, theirs = _rows_of(first), _rows_of(second)
    kept = telling_columns(ours, theirs)
    both = np.concatenate([ours, theirs])[:, kept]
    flags = tuple(_frequent(column) for column in both.T)
    rest = [column[~np.isin(column, some)] for column, some in zip(both.T, flags, strict=True)]
    middles = np.array([np.median(column) if len(column) else 0.0 for column in rest])
    # The order of columns that have few values is in their flags.
    spread = [at for at, column in enumerate(rest) if len(column)]
    compared = list(combinations(spread, 2) if len(spread) <= _ALL_PAIRS else zip(spread[1:], spread, strict=False))
    values, columns = np.unique(np.concatenate([*flags, np.empty(0)]), return_counts=True)
    common = values[columns > 1][:FLAGS]
    says = tuple((one, log_ratios(one, first, second)) for one in cells)
    return Features(tuple(kept), flags, tuple(spread), middles, tuple(compared), common, says)


def _rows_of(outputs: Outputs) -> Floats:
    """The numbers of each output as finite ones; of a text that has none, one that has a flag if it comes often."""
    numbers = outputs[NUMBERS] if outputs.dtype.kind == "V" else outputs
    return np.nan_to_num(finite(numbers.reshape(len(outputs), -1)), nan=2 * _LARGEST)


def finite(rows: Outputs) -> Floats:
    """Infinite numbers as large ones, whose squares are still finite."""
    return np.clip(rows.astype(np.float64), -_LARGEST, _LARGEST)


def telling_columns(first: Floats, second: Floats) -> list[int]:
    """All columns, or of many those whose means lie furthest apart for their spread."""
    if first.shape[1] <= COLUMNS:
        return list(range(first.shape[1]))
    with np.errstate(all="ignore"):
        apart = np.abs(first.mean(axis=0) - second.mean(axis=0)) / (first.std(axis=0) + second.std(axis=0) + 1e-300)
    order = np.argsort(-np.nan_to_num(apart, nan=0.0, posinf=1e300), kind="stable")
    return sorted(order[:COLUMNS].tolist())


def _frequent(column: Floats) -> Floats:
    values, counts = np.unique(column, return_counts=True)
    most = np.argsort(-counts, kind="stable")[:FLAGS]
    return np.sort(values[most[counts[most] >= max(_OFTEN * len(column), _AT_LEAST)]])


def log_ratios(partition: Partition, first: Outputs, second: Outputs, added: float = _SMOOTHED) -> Floats:
    """Of each cell, from the outputs of two inputs and some added to each."""
    counts = [np.bincount(partition.places(one), minlength=partition.cells) + added for one in (first, second)]
    return np.asarray(np.log(counts[0] / counts[0].sum()) - np.log(counts[1] / counts[1].sum()))

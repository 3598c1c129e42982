"""Ways to sort outputs into cells, learnt on outputs that prove nothing themselves.

A cell is a set of outputs; an event is a union of cells. What a partition may learn from is never what it is tested on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from leakgauge.audit.outputs import Outputs, numbers_in
from leakgauge.audit.texts import NUMBERS, TEXT
from leakgauge.probability.cells import Codes, Floats

_TAILS = 2.0 ** -np.arange(7, 14)
_OUTPUTS_A_CELL = 4
_NAMED = 4
"""Parts of an event that are named in its description."""
LETTERS = 512
"""Up to so many different outputs each is a cell of its own."""


class Partition(ABC):
    """Outputs to the numbers of their cells.

    Attributes:
        cells: how many.
        name: of its kind; of each kind there is one at a time.
        known: whether an output of a later cell is known to be likelier under the first input.
        in_order: whether neighbouring cells are neighbours, so that all cells up to one are worth a try.
        stake: what is bet on its events, in shares of what is bet on those of another kind.
    """

    cells: int
    name: str
    known = False
    in_order = False
    stake = 1.0

    @abstractmethod
    def places(self, outputs: Outputs) -> Codes:
        """The cell of each output."""

    @abstractmethod
    def describe(self, cells: Codes) -> str:
        """A union of cells in words, the numbers in ascending order."""


class Letters(Partition):
    """Each of the most frequent outputs a cell, everything else the last.

    Attributes:
        values: those outputs, in ascending order.
    """

    name = "letters"

    def __init__(self, outputs: Outputs) -> None:
        values, counts = np.unique(outputs, return_counts=True)
        self.values = values[np.sort(np.argsort(-counts, kind="stable")[:LETTERS])]
        self.cells = len(self.values) + 1

    def places(self, outputs: Outputs) -> Codes:
        """The cell of each output."""
        at = np.minimum(np.searchsorted(self.values, outputs), len(self.values) - 1)
        return np.where(self.values[at] == outputs, at, len(self.values))

    def describe(self, cells: Codes) -> str:
        """The outputs themselves."""
        values = [str(self.values[cell].item()) for cell in cells if cell < len(self.values)]
        return "output " + listed([*values, *(["any other"] if len(values) < len(cells) else [])])


class Repeats(Letters):
    """Each number that comes far more often than its neighbours a cell, everything else the last."""

    name = "repeats"


class Places(Partition):
    """Where a number lies, or a number computed from the output."""

    in_order = True

    def __init__(
        self,
        outputs: Outputs,
        score: Callable[[Outputs], Floats] | None = None,
        name: str = "output",
        known: bool = False,
    ) -> None:
        self._score, self.name, self.known = score, name, known
        numbers = self._numbers(outputs)
        self._ends = np.unique(np.quantile(numbers, cut_shares(len(numbers)), method="inverted_cdf"))
        self.cells = len(self._ends) + 1

    def places(self, outputs: Outputs) -> Codes:
        """The cell of each output."""
        return np.searchsorted(self._ends, self._numbers(outputs), side="left")

    def describe(self, cells: Codes) -> str:
        """The intervals, neighbouring ones as one."""
        runs = np.split(cells, np.flatnonzero(np.diff(cells) > 1) + 1)
        return f"{self.name} " + listed([self._interval(int(run[0]), int(run[-1])) for run in runs if len(run)])

    def _interval(self, first: int, last: int) -> str:
        if first == 0:
            return "anything" if last == len(self._ends) else f"at most {self._ends[last]:.6g}"
        if last == len(self._ends):
            return f"above {self._ends[first - 1]:.6g}"
        return f"in ({self._ends[first - 1]:.6g}, {self._ends[last]:.6g}]"

    def _numbers(self, outputs: Outputs) -> Floats:
        return outputs.astype(np.float64) if self._score is None else self._score(outputs)


class LowBits(Partition):
    """The lowest bit set in a float: noise added to 0 reaches finer bits than noise added to 1 (Mironov 2012).

    A zero has none, and a sign.
    """

    name = "lowest set bit"
    _FINEST, _COARSEST = -90, 10
    _ODD = ("0", "-0", "infinite")
    cells = _COARSEST - _FINEST + 1 + len(_ODD)

    def places(self, outputs: Outputs) -> Codes:
        """The cell of each output."""
        numbers, lowest, _ = lowest_bits(outputs)
        cells = np.clip(lowest, self._FINEST, self._COARSEST) - self._FINEST
        odd = self.cells - len(self._ODD)
        cells = np.where(numbers == 0, odd + np.signbit(numbers), cells)
        return np.where(np.isinf(numbers), self.cells - 1, cells)

    def describe(self, cells: Codes) -> str:
        """The powers of two."""
        bits = self.cells - len(self._ODD)
        return f"{self.name} " + listed(
            [f"2^{cell + self._FINEST}" if cell < bits else self._ODD[cell - bits] for cell in cells.tolist()]
        )


class FineBits(Partition):
    """The lowest bit set in a float beside its size: which floats of a size are reached depends on the input."""

    name = "size and lowest set bit"
    _SMALLEST, _LARGEST, _DEEP = -24, 23, 8
    cells = (_LARGEST - _SMALLEST + 1) * _DEEP

    def places(self, outputs: Outputs) -> Codes:
        """The cell of each output."""
        _, lowest, exponents = lowest_bits(outputs)
        # A float has 53 bits; what matters is how many of the last of them are 0.
        unused = np.clip(lowest - (exponents - 53), 0, self._DEEP - 1)
        size = np.clip(exponents, self._SMALLEST, self._LARGEST) - self._SMALLEST
        return np.asarray(size * self._DEEP + unused)

    def describe(self, cells: Codes) -> str:
        """Powers of two below the number, and the zeros at its end."""
        sizes = cells // self._DEEP + self._SMALLEST - 1
        zeros = [f"{end} zeros" if end < self._DEEP - 1 else f"{end} zeros or more" for end in cells % self._DEEP]
        return "last bits " + listed(
            [f"of a number from 2^{size} on: {end}" for size, end in zip(sizes.tolist(), zeros, strict=True)]
        )


class OfColumn(Partition):
    """A partition of one number of each row."""

    def __init__(self, inner: Partition, column: int) -> None:
        self._inner, self._column = inner, column
        self.cells, self.name, self.in_order = inner.cells, inner.name, inner.in_order

    def places(self, outputs: Outputs) -> Codes:
        """The cell of each output."""
        return self._inner.places(outputs[:, self._column])

    def describe(self, cells: Codes) -> str:
        """In the words of the one."""
        return f"number {self._column + 1} of each: {self._inner.describe(cells)}"


class Rows(Partition):
    """Each of the most frequent rows of numbers a cell, everything else the last."""

    name = "rows"

    def __init__(self, outputs: Outputs) -> None:
        self._type = outputs.dtype
        self._inner = Letters(_bytes_of(outputs))
        self.cells = self._inner.cells

    def places(self, outputs: Outputs) -> Codes:
        """The cell of each output."""
        return self._inner.places(_bytes_of(outputs.astype(self._type)))

    def describe(self, cells: Codes) -> str:
        """How many rows, not which: they may be long."""
        rows = int((cells < self.cells - 1).sum())
        return f"one of {rows} rows{' or any other' if rows < len(cells) else ''}"


class OfNumbers(Partition):
    """The numbers of outputs that are texts with numbers; texts without are cells of their own, the last ones."""

    def __init__(self, inner: Partition, outputs: Outputs) -> None:
        self._inner = inner
        words = outputs[TEXT][np.isnan(outputs[NUMBERS][:, 0])]
        self._words = Letters(words) if len(words) else None
        self.cells = inner.cells + (1 if self._words is None else self._words.cells)
        self.name, self.in_order = inner.name, inner.in_order

    def places(self, outputs: Outputs) -> Codes:
        """The cell of each output."""
        without = np.isnan(outputs[NUMBERS][:, 0])
        found = np.empty(len(outputs), dtype=np.int64)
        found[~without] = self._inner.places(numbers_in(outputs[~without]))
        words = 0 if self._words is None else self._words.places(outputs[TEXT][without])
        found[without] = self._inner.cells + words
        return found

    def describe(self, cells: Codes) -> str:
        """The numbers first, then the texts."""
        numbers, words = cells[cells < self._inner.cells], cells[cells >= self._inner.cells] - self._inner.cells
        named = [] if self._words is None or not len(words) else [self._words.describe(words)]
        return " or ".join([*([self._inner.describe(numbers)] if len(numbers) else []), *named]) or "any other output"


def _bytes_of(rows: Outputs) -> Outputs:
    """Each row as one string of bytes; all are of one length, so that zeros at the end hide nothing."""
    packed = np.ascontiguousarray(rows)
    return packed.view(np.dtype((np.bytes_, packed.itemsize * packed.shape[1]))).ravel()


def cut_shares(outputs: int) -> Floats:
    """Where numbers are cut: in up to 64 cells hit alike, of many outputs the outer ones further, for a small δ."""
    cells = int(np.clip(2 ** int(np.log2(max(outputs / _OUTPUTS_A_CELL, 1))), 4, 64))
    tails = _TAILS[_TAILS * outputs >= _OUTPUTS_A_CELL]
    return np.sort(np.concatenate([np.arange(1, cells) / cells, tails, 1 - tails]))


def lowest_bits(outputs: Outputs) -> tuple[Floats, Codes, Codes]:
    """The numbers, the power of two of the lowest bit set in each (0 where there is none), and their exponents."""
    numbers: Floats = outputs.astype(np.float64)
    fractions, exponents = np.frexp(np.where(np.isfinite(numbers), numbers, 0.0))
    whole = np.abs(fractions * 2.0**53).astype(np.int64)
    lowest = np.log2(np.maximum(whole & -whole, 1)).astype(np.int64)
    return numbers, np.where(whole > 0, lowest - 53 + exponents, 0), exponents.astype(np.int64)


def listed(parts: list[Any]) -> str:
    """A few of the parts by name, the rest by number."""
    named = " or ".join(parts[:_NAMED])
    return named if len(parts) <= _NAMED else f"{named} or {len(parts) - _NAMED} more"

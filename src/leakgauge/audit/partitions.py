"""Ways to sort outputs into cells, learnt on outputs that prove nothing themselves.

A cell is a set of outputs; an event is a union of cells. What a partition may learn from is never what it is tested on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from leakgauge.artefacts import Sentence
from leakgauge.audit.outputs import Outputs, numbers_in
from leakgauge.audit.texts import NUMBERS, TEXT
from leakgauge.probability.cells import Codes, Floats
from leakgauge.sentences import Field

_TAILS = 2.0 ** -np.arange(7, 14)
_OUTPUTS_A_CELL = 4
_OUTPUT = Sentence("output")
OTHER = (Sentence("any other"),)
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
    def describe(self, cells: Codes) -> Sentence:
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

    def describe(self, cells: Codes) -> Sentence:
        """The outputs themselves."""
        values = [str(self.values[cell].item()) for cell in cells if cell < len(self.values)]
        return Sentence("output {one!s}", one=listed([*values, *OTHER[: len(cells) - len(values)]]))


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
        what: Sentence = _OUTPUT,
        known: bool = False,
        stake: float = 1.0,
    ) -> None:
        self._score, self._what, self.name, self.known, self.stake = score, what, what.template, known, stake
        numbers = self._numbers(outputs)
        self._ends = np.unique(np.quantile(numbers, cut_shares(len(numbers)), method="inverted_cdf"))
        self.cells = len(self._ends) + 1

    def places(self, outputs: Outputs) -> Codes:
        """The cell of each output."""
        return np.searchsorted(self._ends, self._numbers(outputs), side="left")

    def describe(self, cells: Codes) -> Sentence:
        """The intervals, neighbouring ones as one."""
        runs = np.split(cells, np.flatnonzero(np.diff(cells) > 1) + 1)
        where = listed([self._interval(int(run[0]), int(run[-1])) for run in runs if len(run)])
        return Sentence("{what} {where}", what=self._what, where=where)

    def _interval(self, first: int, last: int) -> Sentence:
        ends = self._ends.tolist()
        if first == 0:
            return Sentence("anything") if last == len(ends) else Sentence("at most {end:g}", end=ends[last])
        if last == len(ends):
            return Sentence("above {end:g}", end=ends[first - 1])
        return Sentence("in ({low:g}, {high:g}]", low=ends[first - 1], high=ends[last])

    def _numbers(self, outputs: Outputs) -> Floats:
        return outputs.astype(np.float64) if self._score is None else self._score(outputs)


class LowBits(Partition):
    """The lowest bit set in a float: noise added to 0 reaches finer bits than noise added to 1 (Mironov 2012).

    A zero has none, and a sign.
    """

    name = "lowest set bit"
    _FINEST, _COARSEST = -90, 10
    _ODD: tuple[Field, ...] = ("0", "-0", Sentence("infinite"))
    cells = _COARSEST - _FINEST + 1 + len(_ODD)

    def places(self, outputs: Outputs) -> Codes:
        """The cell of each output."""
        numbers, lowest, _ = lowest_bits(outputs)
        cells = np.clip(lowest, self._FINEST, self._COARSEST) - self._FINEST
        odd = self.cells - len(self._ODD)
        cells = np.where(numbers == 0, odd + np.signbit(numbers), cells)
        return np.where(np.isinf(numbers), self.cells - 1, cells)

    def describe(self, cells: Codes) -> Sentence:
        """The powers of two."""
        bits = self.cells - len(self._ODD)
        powers = [f"2^{cell + self._FINEST}" if cell < bits else self._ODD[cell - bits] for cell in cells.tolist()]
        return Sentence("lowest set bit {bits!s}", bits=listed(powers))


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

    def describe(self, cells: Codes) -> Sentence:
        """Powers of two below the number, and the zeros at its end."""
        sizes = cells // self._DEEP + self._SMALLEST - 1
        ends = (cells % self._DEEP).tolist()
        numbers: list[Field] = [
            Sentence("of a number from 2^{size!s} on: {zeros}", size=size, zeros=self._zeros(end))
            for size, end in zip(sizes.tolist(), ends, strict=True)
        ]
        return Sentence("last bits {bits}", bits=listed(numbers))

    def _zeros(self, count: int) -> Sentence:
        if count < self._DEEP - 1:
            return Sentence("{count:d} zeros", count=count)
        return Sentence("{count:d} zeros or more", count=count)


class View(Partition):
    """A partition of something that is read off each output."""

    def __init__(
        self,
        inner: Partition,
        read: Callable[[Outputs], Outputs],
        name: str,
        describe: Callable[[Codes], Sentence] | None = None,
        stake: float = 1.0,
    ) -> None:
        self._inner, self._read, self._describe = inner, read, describe or inner.describe
        self.cells, self.name, self.in_order, self.stake = inner.cells, name, inner.in_order, stake

    def places(self, outputs: Outputs) -> Codes:
        """The cell of each output."""
        return self._inner.places(self._read(outputs))

    def describe(self, cells: Codes) -> Sentence:
        """In the words of what is read, or in its own."""
        return self._describe(cells)


def one_column(inner: Partition, column: int) -> Partition:
    """A partition of one number of each row."""

    def describe(cells: Codes) -> Sentence:
        return Sentence("number {at:d} of each: {event}", at=column + 1, event=inner.describe(cells))

    return View(inner, lambda rows: rows[:, column], inner.name, describe)


def frequent_rows(outputs: Outputs) -> Partition:
    """Each of the most frequent rows of numbers a cell, everything else the last."""
    inner = Letters(_bytes_of(outputs))

    def describe(cells: Codes) -> Sentence:
        # How many rows, not which: they may be long.
        rows = int((cells < inner.cells - 1).sum())
        if rows < len(cells):
            return Sentence("one of {rows:d} rows or any other", rows=rows)
        return Sentence("one of {rows:d} rows", rows=rows)

    return View(inner, lambda rows: _bytes_of(rows.astype(outputs.dtype)), "rows", describe)


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

    def describe(self, cells: Codes) -> Sentence:
        """The numbers first, then the texts."""
        numbers, words = cells[cells < self._inner.cells], cells[cells >= self._inner.cells] - self._inner.cells
        named = [self._inner.describe(numbers)] if len(numbers) else []
        named += [self._words.describe(words)] if self._words is not None and len(words) else []
        return reduce(either, named) if named else Sentence("any other output")


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


def listed(parts: Sequence[Field]) -> Field:
    """A few of the parts by name, the rest by number."""
    more = len(parts) - _NAMED
    named = parts if more <= 0 else [*parts[:_NAMED], Sentence("{more:d} more", more=more)]
    return reduce(either, named) if named else Sentence("")


def either(one: Field, other: Field) -> Sentence:
    """The one or the other."""
    return Sentence("{one} or {other}", one=one, other=other)

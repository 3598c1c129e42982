"""Ways to sort outputs into cells, learnt on outputs that prove nothing themselves.

A cell is a set of outputs; an event is a union of cells. What a partition may learn from is never what it is tested on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from leakgauge.artefacts import Sentence
from leakgauge.audit.outputs import Outputs, numbers_in
from leakgauge.audit.texts import NUMBERS, TEXT
from leakgauge.probability.cells import Codes, Floats
from leakgauge.sentences import Field

_TAILS = 2.0 ** -np.arange(7, 14)
_SCORE_TAILS = (0.0003, 0.001, 0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35)
"""Tails of a monotone score that are tried, in shares of the outputs: among more, luck would choose."""
_OUTPUTS_A_CELL = 4
_OUTPUT = Sentence("output")
_OTHER = (Sentence("any other"),)
_NAMED = 4
"""Parts of an event that are named in its description."""
LETTERS = 512
"""Up to so many different outputs each is a cell of its own."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Outputs to the numbers of their cells.

    Attributes:
        name: of its kind; of each kind there is one at a time.
        places: the cell of each output.
        describe: a union of cells in words, the numbers in ascending order.
        known: whether an output of a later cell is known to be likelier under the first input.
        in_order: whether neighbouring cells are neighbours, so that all cells up to one are worth a try.
        scores: of cells that are ranges of a learnt score, its mean in each; empty for others.
        stake: what is bet on its events, in shares of what is bet on those of another kind.
    """

    name: str
    cells: int
    places: Callable[[Outputs], Codes]
    describe: Callable[[Codes], Sentence]
    known: bool = False
    in_order: bool = False
    stake: float = 1.0
    scores: tuple[float, ...] = ()

    @property
    def monotone(self) -> bool:
        """Whether a later cell was learnt to be likelier under the first input, so that no other order is tried."""
        return bool(self.scores)

    def reading(self, read: Callable[[Outputs], Outputs]) -> Partition:
        """The same cells, of something that is read off each output."""
        return replace(self, places=lambda outputs: self.places(read(outputs)))


def letters(
    outputs: Outputs,
    name: str = "letters",
    spelled: Callable[[Any], Field] = str,
    said: Callable[[Field], Sentence] = lambda one: Sentence("output {one!s}", one=one),
) -> Partition:
    """Each of the most frequent outputs a cell, everything else the last."""
    values, counts = np.unique(outputs, return_counts=True)
    values = values[np.sort(np.argsort(-counts, kind="stable")[:LETTERS])]

    def places(drawn: Outputs) -> Codes:
        at = np.minimum(np.searchsorted(values, drawn), len(values) - 1)
        return np.where(values[at] == drawn, at, len(values))

    def describe(cells: Codes) -> Sentence:
        named = [spelled(value) for value in values[cells[cells < len(values)]].tolist()]
        return said(listed([*named, *_OTHER[: len(cells) - len(named)]]))

    return Partition(name, len(values) + 1, places, describe)


def ranges(
    outputs: Outputs,
    score: Callable[[Outputs], Floats] = lambda numbers: numbers.astype(np.float64),
    what: Sentence = _OUTPUT,
    known: bool = False,
    stake: float = 1.0,
    monotone: bool = False,
) -> Partition:
    """Where a number lies, or a number computed from the output: in up to 64 ranges hit alike, or of a monotone score
    in those between a few quantiles.
    """
    numbers = score(outputs)
    cells = int(np.clip(2 ** int(np.log2(max(len(numbers) / _OUTPUTS_A_CELL, 1))), 4, 64))
    # Of many outputs the outer ranges are cut further, for a small δ.
    tails = np.array(_SCORE_TAILS) if monotone else _TAILS
    tails = tails[tails * len(numbers) >= _OUTPUTS_A_CELL]
    middle = np.array([0.5]) if monotone else np.arange(1, cells) / cells
    shares = np.sort(np.concatenate([middle, tails, 1 - tails]))
    ends = np.unique(np.quantile(numbers, shares, method="inverted_cdf"))

    def interval(first: int, last: int) -> Sentence:
        if first == 0:
            return Sentence("anything") if last == len(ends) else Sentence("at most {end:g}", end=float(ends[last]))
        low = float(ends[first - 1])
        if last == len(ends):
            return Sentence("above {end:g}", end=low)
        return Sentence("in ({low:g}, {high:g}]", low=low, high=float(ends[last]))

    def describe(cells: Codes) -> Sentence:
        """Neighbouring ranges as one."""
        runs = np.split(cells, np.flatnonzero(np.diff(cells) > 1) + 1)
        where = listed([interval(int(run[0]), int(run[-1])) for run in runs if len(run)])
        return Sentence("{what} {where}", what=what, where=where)

    return Partition(
        what.template,
        len(ends) + 1,
        lambda drawn: np.searchsorted(ends, score(drawn), side="left"),
        describe,
        known,
        in_order=True,
        stake=stake,
        scores=_means(numbers, ends) if monotone else (),
    )


def _means(numbers: Floats, ends: Floats) -> tuple[float, ...]:
    """Of the numbers in each range; only the last can be empty, and has the number at which it begins."""
    cell = np.searchsorted(ends, numbers, side="left")
    counts = np.bincount(cell, minlength=len(ends) + 1)
    means = np.bincount(cell, weights=numbers, minlength=len(ends) + 1) / np.maximum(counts, 1)
    return tuple(np.where(counts > 0, means, numbers.max()).tolist())


_FINEST, _COARSEST = -90, 10
_BITS = _COARSEST - _FINEST + 1
_ODD: tuple[Field, ...] = ("0", "-0", Sentence("infinite"))


def _low_places(outputs: Outputs) -> Codes:
    numbers, lowest, _ = lowest_bits(outputs)
    cells = np.where(numbers == 0, _BITS + np.signbit(numbers), np.clip(lowest, _FINEST, _COARSEST) - _FINEST)
    return np.where(np.isinf(numbers), _BITS + len(_ODD) - 1, cells)


def _low_words(cells: Codes) -> Sentence:
    powers = [f"2^{cell + _FINEST}" if cell < _BITS else _ODD[cell - _BITS] for cell in cells.tolist()]
    return Sentence("lowest set bit {bits!s}", bits=listed(powers))


LOW_BITS = Partition("lowest set bit", _BITS + len(_ODD), _low_places, _low_words)
"""The lowest bit set in a float: noise added to 0 reaches finer bits than noise added to 1 (Mironov 2012).

A zero has none, and a sign.
"""

_SMALLEST, _LARGEST, _DEEP = -24, 23, 8


def _fine_places(outputs: Outputs) -> Codes:
    _, lowest, exponents = lowest_bits(outputs)
    # A float has 53 bits; what matters is how many of the last of them are 0.
    unused = np.clip(lowest - (exponents - 53), 0, _DEEP - 1)
    return np.asarray((np.clip(exponents, _SMALLEST, _LARGEST) - _SMALLEST) * _DEEP + unused)


def _fine_words(cells: Codes) -> Sentence:
    numbers: list[Field] = []
    for cell in cells.tolist():
        size, count = divmod(cell, _DEEP)
        zeros = Sentence("{count:d} zeros" if count < _DEEP - 1 else "{count:d} zeros or more", count=count)
        numbers.append(Sentence("of a number from 2^{size!s} on: {zeros}", size=size + _SMALLEST - 1, zeros=zeros))
    return Sentence("last bits {bits}", bits=listed(numbers))


FINE_BITS = Partition("size and lowest set bit", (_LARGEST - _SMALLEST + 1) * _DEEP, _fine_places, _fine_words)
"""The lowest bit set in a float beside its size: which floats of a size are reached depends on the input."""


def one_column(inner: Partition, column: int) -> Partition:
    """A partition of one number of each row."""

    def describe(cells: Codes) -> Sentence:
        return Sentence("number {at:d} of each: {event}", at=column + 1, event=inner.describe(cells))

    return replace(inner.reading(lambda rows: rows[:, column]), describe=describe)


def frequent_rows(outputs: Outputs) -> Partition:
    """Each of the most frequent rows of numbers a cell, everything else the last."""
    inner = letters(_bytes_of(outputs), "rows")

    def describe(cells: Codes) -> Sentence:
        # How many rows, not which: they may be long.
        rows = int((cells < inner.cells - 1).sum())
        if rows < len(cells):
            return Sentence("one of {rows:d} rows or any other", rows=rows)
        return Sentence("one of {rows:d} rows", rows=rows)

    return replace(inner.reading(lambda rows: _bytes_of(rows.astype(outputs.dtype))), describe=describe)


def of_numbers(inner: Partition, outputs: Outputs) -> Partition:
    """The numbers of outputs that are texts with numbers; texts without are cells of their own, the last ones."""
    texts = outputs[TEXT][np.isnan(outputs[NUMBERS][:, 0])]
    words = letters(texts) if len(texts) else None

    def places(drawn: Outputs) -> Codes:
        without = np.isnan(drawn[NUMBERS][:, 0])
        found = np.full(len(drawn), inner.cells, dtype=np.int64)
        found[~without] = inner.places(numbers_in(drawn[~without]))
        if words is not None:
            found[without] += words.places(drawn[TEXT][without])
        return found

    def describe(cells: Codes) -> Sentence:
        numbers, others = cells[cells < inner.cells], cells[cells >= inner.cells] - inner.cells
        named = [inner.describe(numbers)] if len(numbers) else []
        named += [words.describe(others)] if words is not None and len(others) else []
        return reduce(_either, named) if named else Sentence("any other output")

    return Partition(
        inner.name, inner.cells + (1 if words is None else words.cells), places, describe, in_order=inner.in_order
    )


def _bytes_of(rows: Outputs) -> Outputs:
    """Each row as one string of bytes; all are of one length, so that zeros at the end hide nothing."""
    packed = np.ascontiguousarray(rows)
    return packed.view(np.dtype((np.bytes_, packed.itemsize * packed.shape[1]))).ravel()


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
    return reduce(_either, named) if named else Sentence("")


def _either(one: Field, other: Field) -> Sentence:
    return Sentence("{one} or {other}", one=one, other=other)

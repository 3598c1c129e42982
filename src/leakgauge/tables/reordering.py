"""Rows of a stream put in the order of their marks, whether or not they fit into memory.

Marks are cut into parts of equal width, and rows go to the part of their mark, which is written to a file when memory
is full; then one part after the other is sorted (Rao 1961, Sandelius 1962). The order is that of the marks, however
many parts there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final

import numpy as np

from leakgauge.randomness.row_order import RowOrder, by_marks
from leakgauge.tables import arrow as pa

HELD: Final = 1 << 28
"""Bytes of rows that are held until they are written to a file."""
_PART: Final = 1 << 26
"""Bytes of rows that are sorted at once, about."""
_MOST_PARTS: Final = 1 << 12
_MARK: Final = ""
"""The name of the column of marks: no released column has it."""


@dataclass(frozen=True)
class Extent:
    """Where some rows of a part stand in a file."""

    part: int
    start: int
    size: int


def parts_of(size: int) -> int:
    """The number of parts that so many bytes of rows are cut into."""
    return min(max(math.ceil(size / _PART), 1), _MOST_PARTS)


class Scattered:
    """Rows by the parts of their marks: in memory, and in a file once they are many."""

    def __init__(self, file: BinaryIO, order: RowOrder, parts: int, held: int = HELD) -> None:
        self.extents: list[Extent] = []
        self._file, self._order, self._parts, self._most = file, order, parts, held
        self._held: dict[int, list[pa.RecordBatch]] = {}
        self._bytes = 0

    def add(self, batch: pa.RecordBatch, first: int) -> None:
        """Take rows that follow each other in the table, the first of which has this number."""
        if not batch.num_rows:
            return
        marks = self._order.marks(first, batch.num_rows)
        marked = pa.RecordBatch.from_arrays([*batch.columns, pa.array(marks)], [*batch.schema.names, _MARK])
        self._bytes += marked.nbytes
        part = self._part(marks)
        if self._parts > 1:
            rows = np.argsort(part, kind="stable")
            marked, part = marked.take(pa.array(rows)), part[rows]
        ends = np.flatnonzero(np.diff(part, append=self._parts)) + 1
        for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
            self._held.setdefault(int(part[start]), []).append(marked.slice(start, end - start))
        if self._bytes >= self._most:
            self.spill()

    def spill(self) -> None:
        """Write the rows that are held to the file."""
        for part, batches in sorted(self._held.items()):
            start, rows = self._file.tell(), joined(batches)
            with pa.ipc.new_stream(self._file, rows.schema) as writer:
                writer.write_batch(rows)
            self.extents.append(Extent(part, start, self._file.tell() - start))
        self._held, self._bytes = {}, 0

    def in_order(self) -> Iterator[pa.RecordBatch]:
        """All rows in the order of their marks, one part after the other."""
        for part in range(self._parts):
            read = [read_extent(self._file, one) for one in self.extents if one.part == part]
            batches = [*read, *self._held.pop(part, [])]
            if batches:
                yield sorted_rows(batches)

    def _part(self, marks: np.ndarray) -> np.ndarray:
        # The top 52 bits as a share of 1 are exact, so that a larger mark is never in an earlier part.
        share = (marks >> np.uint64(12)).astype(np.float64) * 2.0**-52
        return (share * self._parts).astype(np.uint16)


def read_extent(file: BinaryIO, extent: Extent) -> pa.RecordBatch:
    """The rows that stand there."""
    file.seek(extent.start)
    with pa.ipc.open_stream(file.read(extent.size)) as reader:
        return joined(list(reader))


def sorted_rows(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Rows of one part in the order of their marks, and without them."""
    rows = joined(batches)
    order = by_marks(rows.column(_MARK).to_numpy())
    names = [name for name in rows.schema.names if name != _MARK]
    return rows.select(names).take(pa.array(order))


def reordered(
    batches: Iterable[pa.RecordBatch], order: RowOrder, file: BinaryIO, parts: int
) -> Iterator[pa.RecordBatch]:
    """All rows of a stream in the order of their marks; those that do not fit into memory are put into the file."""
    scattered, row = Scattered(file, order, parts), 0
    for batch in batches:
        scattered.add(batch, row)
        row += batch.num_rows
    yield from scattered.in_order()


def joined(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """The rows of some batches, one after the other."""
    if len(batches) == 1:
        return batches[0]
    whole = pa.Table.from_batches(batches).unify_dictionaries().combine_chunks()
    return pa.RecordBatch.from_arrays([column.chunk(0) for column in whole.columns], whole.schema.names)

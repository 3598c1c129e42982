"""The rows of a release, drawn block by block and put in the order in which they leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

import pyarrow as pa

from leakgauge.randomness import Randomness
from leakgauge.randomness.row_order import RowOrder
from leakgauge.release.bound import BoundPlan
from leakgauge.tables.reordering import joined, parts_of, reordered

BLOCK = 1 << 17
"""Rows drawn at a time, whatever batches an engine reads: so one seed gives one release on every engine."""


def drawn_rows(
    bound: BoundPlan,
    randomness: Randomness,
    order: RowOrder | None,
    file: BinaryIO,
    size: int,
    tell: Callable[[int], None],
) -> Iterator[pa.RecordBatch]:
    """The released rows in the order in which they leave, the table's where none is given.

    Args:
        file: where rows go that do not fit into memory.
        size: the bytes of all rows, about.
        tell: told how many rows are drawn.
    """
    drawn = _drawn(bound, randomness, tell)
    return drawn if order is None else reordered(drawn, order, file, parts_of(size))


def _drawn(bound: BoundPlan, randomness: Randomness, tell: Callable[[int], None]) -> Iterator[pa.RecordBatch]:
    rows = 0
    for block in in_blocks(bound.table.batches(*bound.reads, size=BLOCK), BLOCK):
        yield bound.made(block, randomness)
        rows += block.num_rows
        tell(rows)


def in_blocks(batches: Iterable[pa.RecordBatch], size: int) -> Iterator[pa.RecordBatch]:
    """The rows of batches of any length in batches of this one; the last may be shorter."""
    held: list[pa.RecordBatch] = []
    lacking = size
    for batch in batches:
        start = 0
        while batch.num_rows - start >= lacking:
            yield joined([*held, batch.slice(start, lacking)])
            start, held, lacking = start + lacking, [], size
        if start < batch.num_rows:
            held.append(batch.slice(start))
            lacking -= batch.num_rows - start
    if held:
        yield joined(held)

"""A column beside what is released in its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from leakgauge.probability import Counts
from leakgauge.tables.aggregates import counted_batches, counts_from_groups
from leakgauge.tables.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

ORIGINAL, RELEASED = "original", "released"
"""The axes of paired counts."""


def paired_counts(original: Table, released: Table, column: str) -> Counts:
    """How often each value of a column occurs with each value in place of it, of two tables with the same rows.

    Example:
        >>> import pyarrow as pa
        >>> from leakgauge.tables import in_bins, open_table
        >>> from leakgauge.tables.binnings import Width
        >>> with open_table(pa.table({"age": [31, 38, 45]})) as people:
        ...     pairs = paired_counts(people, in_bins(people, {"age": Width(10)}), "age")
        >>> pairs.labels("released"), pairs.array().tolist()
        (('[30, 40)', '[40, 50)'), [[1, 0], [1, 0], [0, 1]])
    """
    groups = counted_batches(_beside(original.batches(column), released.batches(column)), 2)
    return counts_from_groups(groups, (ORIGINAL, RELEASED), (None, None))


def _beside(left: Iterator[pa.RecordBatch], right: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The first columns of both side by side; pieces of the two need not be of one length."""
    import pyarrow as pa

    first, second = next(left, None), next(right, None)
    while first is not None and second is not None:
        rows = min(first.num_rows, second.num_rows)
        yield pa.RecordBatch.from_arrays([first.column(0)[:rows], second.column(0)[:rows]], names=[ORIGINAL, RELEASED])
        first, second = first.slice(rows), second.slice(rows)
        first = first if first.num_rows else next(left, None)
        second = second if second.num_rows else next(right, None)

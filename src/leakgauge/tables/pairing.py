"""Two tables side by side: a column and what is released in its place, and people who are in both."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from leakgauge.probability import Counts
from leakgauge.tables import arrow as pa
from leakgauge.tables.aggregates import counted_batches, counts_from_groups
from leakgauge.tables.sampling import decoded
from leakgauge.tables.table import Table

ORIGINAL, RELEASED = "original", "released"
"""The axes of paired counts."""


def paired_counts(original: Table, released: Table, column: str) -> Counts:
    """How often each value of a column occurs with each value in place of it, of two tables with the same rows."""
    groups = counted_batches(_beside(original.batches(column), released.batches(column)), 2)
    return counts_from_groups(groups, (ORIGINAL, RELEASED), (None, None))


def _beside(left: Iterator[pa.RecordBatch], right: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The first columns of both side by side; pieces of the two need not be of one length."""
    first, second = next(left, None), next(right, None)
    while first is not None and second is not None:
        rows = min(first.num_rows, second.num_rows)
        yield pa.RecordBatch.from_arrays([first.column(0)[:rows], second.column(0)[:rows]], names=[ORIGINAL, RELEASED])
        first, second = first.slice(rows), second.slice(rows)
        first = first if first.num_rows else next(left, None)
        second = second if second.num_rows else next(right, None)


_BEFORE, _NOW = 0, 1


def persons_in_both(before: Table, now: Table, unit: str, columns: tuple[str, ...]) -> tuple[int, int]:
    """How many persons are in both tables, and how many of them with the same values of these columns in both.

    For a person with several rows, the set of values counts. Missing values are equal to each other.
    """
    rows = _with_sides(before, now, (unit, *columns))
    person, *values = rows.column_names[:-1]
    # First the tables in which a person has a value, then over all values of the person.
    seen = rows.group_by([person, *values]).aggregate([("side", "min"), ("side", "max")])
    persons = seen.group_by(person).aggregate(
        [(end, over) for end in ("side_min", "side_max") for over in ("min", "max")]
    )
    both = pa.compute.less(persons["side_min_min"], persons["side_max_max"])
    same = pa.compute.less(persons["side_min_max"], persons["side_max_min"])
    return pa.compute.sum(both).as_py() or 0, pa.compute.sum(same).as_py() or 0


def _with_sides(before: Table, now: Table, names: tuple[str, ...]) -> pa.Table:
    """The rows of both tables below each other; the last column says which table a row is of."""
    sides = []
    for side, table in ((_BEFORE, before), (_NOW, now)):
        found = pa.Table.from_batches(list(table.batches(*names)))
        columns = [decoded(column) for column in found.columns]
        sides.append([*columns, pa.array(np.full(found.num_rows, side, dtype=np.int8))])
    # A column that is read as numbers here and as text there is compared as text.
    kinds = [first.type if first.type == second.type else pa.string() for first, second in zip(*sides, strict=True)]
    called = [*map(str, range(len(names))), "side"]
    return pa.concat_tables(
        pa.table([column.cast(kind) for column, kind in zip(side, kinds, strict=True)], names=called) for side in sides
    )

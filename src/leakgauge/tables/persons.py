"""People who are in two tables, and those with the same values in both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leakgauge.tables.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

_BEFORE, _NOW = 0, 1


def persons_in_both(before: Table, now: Table, unit: str, columns: tuple[str, ...]) -> tuple[int, int]:
    """How many persons are in both tables, and how many of them with the same values of these columns in both.

    For a person with several rows, the set of values counts. Missing values are equal to each other.
    """
    import pyarrow.compute as pc

    rows = _with_sides(before, now, (unit, *columns))
    person, *values = rows.column_names[:-1]
    # First the tables in which a person has a value, then over all values of the person.
    seen = rows.group_by([person, *values]).aggregate([("side", "min"), ("side", "max")])
    persons = seen.group_by(person).aggregate(
        [(end, over) for end in ("side_min", "side_max") for over in ("min", "max")]
    )
    both = pc.less(persons["side_min_min"], persons["side_max_max"])
    same = pc.less(persons["side_min_max"], persons["side_max_min"])
    return pc.sum(both).as_py() or 0, pc.sum(same).as_py() or 0


def _with_sides(before: Table, now: Table, names: tuple[str, ...]) -> pa.Table:
    """The rows of both tables below each other; the last column says which table a row is of."""
    import numpy as np
    import pyarrow as pa

    sides = []
    for side, table in ((_BEFORE, before), (_NOW, now)):
        found = pa.Table.from_batches(list(table.batches(*names)))
        columns = [_plain(column) for column in found.columns]
        sides.append([*columns, pa.array(np.full(found.num_rows, side, dtype=np.int8))])
    # A column that is read as numbers here and as text there is compared as text.
    kinds = [first.type if first.type == second.type else pa.string() for first, second in zip(*sides, strict=True)]
    called = [*map(str, range(len(names))), "side"]
    return pa.concat_tables(
        pa.table([column.cast(kind) for column, kind in zip(side, kinds, strict=True)], names=called) for side in sides
    )


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column

"""A table with some columns replaced by released ones: the same rows, other values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leakgauge.tables.streamed import StreamedTable
from leakgauge.tables.table import Table

if TYPE_CHECKING:
    import pyarrow as pa


class ReplacedTable(StreamedTable):
    """Another table with other values in some of its columns, which stand in the order of its rows.

    Example:
        >>> import pyarrow as pa
        >>> from leakgauge.tables import open_table
        >>> with open_table(pa.table({"city": ["A", "B"], "ill": [0, 1]})) as people:
        ...     ReplacedTable(people, {"city": pa.array(["B", "B"])}).counts("city", "ill").array().tolist()
        [[1, 1]]
    """

    def __init__(self, table: Table, values: Mapping[str, pa.Array]) -> None:
        super().__init__(table, values)
        self._values = values

    def _changed(self, batch: pa.RecordBatch, row: int) -> pa.RecordBatch:
        import pyarrow as pa

        names = batch.schema.names
        columns = [
            self._values[name].slice(row, batch.num_rows) if name in self._touched else batch.column(name)
            for name in names
        ]
        return pa.RecordBatch.from_arrays(columns, names=names)

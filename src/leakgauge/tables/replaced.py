"""A table with some columns replaced by released ones: the same rows, other values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leakgauge.tables.streamed import StreamedTable
from leakgauge.tables.table import Table

if TYPE_CHECKING:
    import pyarrow as pa


class ReplacedTable(StreamedTable):
    """Another table with other values in some of its columns, which stand in the order of its rows."""

    def __init__(self, table: Table, values: Mapping[str, pa.Array]) -> None:
        super().__init__(table, values)
        self._values = values

    def _changed(self, name: str, column: pa.Array, row: int) -> pa.Array:
        return self._values[name].slice(row, len(column))

"""A table in DuckDB, embedded in this process, which uses no network and writes no files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import TYPE_CHECKING

from leakgauge.tables import aggregates
from leakgauge.tables.binnings import Bins
from leakgauge.tables.duckdb_columns import DuckDBDialect
from leakgauge.tables.duckdb_failures import guarded
from leakgauge.tables.sql.bins import Bin
from leakgauge.tables.sql.table import Source, SqlTable
from leakgauge.tables.table import GroupSizes, Table

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa


LARGE, FEW_GROUPS = 1 << 18, 1 << 18
"""From so many rows on, groups that are at most so many are counted by the engine, which is then faster."""


class DuckDBTable(SqlTable):
    """A table whose rows stay in DuckDB; made by ``open_table``."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, source: Source) -> None:
        self._connection = connection
        super().__init__(source, DuckDBDialect())

    def group_sizes(
        self, sets: Sequence[Sequence[str]], bins: Bins | None = None, *, unit: str | None = None
    ) -> list[GroupSizes]:
        """For each set of columns how rows fall into groups that agree in them."""
        wanted = [tuple(names) for names in sets]
        few = [names for names in wanted if self._has_few_groups(names)]
        # Sorted digests take 8 bytes a row; many groups of the engine's own would take more, and may not spill.
        many = [names for names in wanted if names not in few]
        found = dict(zip(few, super().group_sizes(few, bins, unit=unit), strict=True)) if few else {}
        found |= dict(zip(many, Table.group_sizes(self, many, bins, unit=unit), strict=True)) if many else {}
        return [found[names] for names in wanted]

    def _has_few_groups(self, names: Sequence[str]) -> bool:
        if self.rows < LARGE:
            return False
        return math.prod(self._distinct.get(name, self.rows) + 1 for name in names) <= FEW_GROUPS

    @cached_property
    def _distinct(self) -> dict[str, int]:
        """About how many values each column has, all in one pass; bins are no more."""
        values = [f"approx_count_distinct({value})" for value in self._values]
        return dict(zip(self._at, self._one(aggregates.select(values, self._source)), strict=True))

    def close(self) -> None:
        """Close the source; the table cannot be used afterwards."""
        self._connection.close()

    def _stream(self, query: str, names: list[str], size: int, binned: Mapping[int, Bin]) -> Iterator[pa.RecordBatch]:
        # A connection holds one running query; with its own, counting goes on while rows stream.
        own = guarded(self._place, self._connection.cursor)
        try:
            self._prepare(own, binned.values())
            reader = guarded(self._place, lambda: own.sql(query).to_arrow_reader(size))
            while (batch := guarded(self._place, lambda: next(reader, None))) is not None:
                yield batch.rename_columns(names)
        finally:
            own.close()

    def _read(self, query: str, binned: Mapping[int, Bin]) -> pa.Table:
        self._prepare(self._connection, binned.values())
        # DuckDB does not always listen to Ctrl-C while it works: this thread listens, another one waits for it.
        with ThreadPoolExecutor(1) as waiting:
            answer = waiting.submit(guarded, self._place, lambda: self._connection.sql(query).to_arrow_table())
            try:
                return answer.result()
            except KeyboardInterrupt:
                self._connection.interrupt()
                raise

    def _prepare(self, connection: duckdb.DuckDBPyConnection, binned: Iterable[Bin]) -> None:
        for statement, parameters in (step for one in binned for step in one.setup):
            guarded(self._place, partial(connection.execute, statement, list(parameters)))

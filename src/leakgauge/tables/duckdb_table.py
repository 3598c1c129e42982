"""A table in DuckDB, embedded in this process, which uses no network and writes no files."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import TYPE_CHECKING

from leakgauge.tables import aggregates
from leakgauge.tables import arrow as pa
from leakgauge.tables.binnings import Bins, CalendarUnit
from leakgauge.tables.duckdb_failures import guarded
from leakgauge.tables.sql.bins import Bin
from leakgauge.tables.sql.dialect import Dialect, Lookup
from leakgauge.tables.sql.table import Source, SqlTable
from leakgauge.tables.table import GroupSizes, Kind, Table

if TYPE_CHECKING:
    import duckdb

_KINDS = {
    "BOOLEAN": Kind.BOOL,
    "DATE": Kind.DATE,
    **dict.fromkeys(["VARCHAR", "UUID", "JSON", '"NULL"'], Kind.STRING),
    **dict.fromkeys(["FLOAT", "DOUBLE"], Kind.FLOAT),
    **dict.fromkeys(["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"], Kind.TIMESTAMP),
    "TIMESTAMP WITH TIME ZONE": Kind.TIMESTAMP,
    **dict.fromkeys(["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"], Kind.INT),
    **dict.fromkeys(["UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"], Kind.INT),
}


class DuckDBDialect(Dialect):
    """What DuckDB spells its own way."""

    double, integer, string = "DOUBLE", "INTEGER", "VARCHAR"
    timestamp, moment = "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"
    kinds, clocks = _KINDS, ("TIME", "TIME_NS", "TIME WITH TIME ZONE")

    def kind_of(self, engine_type: str) -> Kind:
        """The kind of a type; enumerations are text."""
        if re.fullmatch(r"ENUM\(.*\)", engine_type, re.DOTALL):
            return Kind.STRING
        return super().kind_of(engine_type)

    def plain(self, raw: str, engine_type: str) -> str:
        """The value in a column: one spelling of every number and text, NaN as it is."""
        kind = self.kind_of(engine_type)
        if engine_type == "JSON":
            return f"({raw} ->> '$')"
        if kind is Kind.STRING and engine_type != "VARCHAR":
            return f"CAST({raw} AS VARCHAR)"
        if kind is Kind.TIMESTAMP and engine_type not in (self.timestamp, self.moment):
            return f"CAST({raw} AS TIMESTAMP)"
        return super().plain(raw, engine_type)

    def start_of(self, unit: CalendarUnit, value: str, engine_type: str) -> str:
        """Where the calendar interval that holds a date or timestamp starts, in the type of the value."""
        back = engine_type if engine_type in ("DATE", self.moment) else self.timestamp
        return f"CAST(date_trunc('{unit.value}', {value}) AS {back})"

    def quantiles(self, value: str, shares: Sequence[float], engine_type: str) -> str:
        """A list: for each share the smallest value at or below which at least so much lies."""
        return f"quantile_disc({value}, [{', '.join(map(self.literal, shares))}])"

    def digest(self, values: Sequence[str]) -> str:
        """64 bits that are the same where all values are, missing ones included."""
        return f"hash({', '.join(values)})"

    def lookup(self, value: str, kind: Kind, numbers: Mapping[str, int], variable: str) -> Lookup:
        """The number listed for a value: that at the place of its text in a type made of the texts."""
        # A type needs a text, and a list a value.
        listed = {"": -1, **numbers}
        texts = f"SELECT unnest(getvariable('{variable}')::VARCHAR[])"
        setup = (
            (f"SET VARIABLE {variable} = ?", (list(listed),)),
            (f"CREATE OR REPLACE TEMP TYPE {variable}_texts AS ENUM ({texts})", ()),
            (f"SET VARIABLE {variable} = ?", (list(listed.values()),)),
        )
        place = f"enum_code(TRY_CAST(CAST({value} AS VARCHAR) AS {variable}_texts)) + 1"
        return Lookup(f"getvariable('{variable}')[{place}]", setup)


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

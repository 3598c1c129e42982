"""A table in PostgreSQL, as it was when it was opened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from leakgauge.errors import TableError
from leakgauge.tables import arrow as pa
from leakgauge.tables.postgresql.dialect import PostgresqlDialect
from leakgauge.tables.postgresql.session import Session, Statement
from leakgauge.tables.sql.bins import Bin
from leakgauge.tables.sql.table import Source, SqlTable

if TYPE_CHECKING:
    from adbc_driver_manager import AdbcDatabase


class PostgresqlTable(SqlTable):
    """A table whose rows stay in PostgreSQL; made by ``open_table``.

    All answers are about one snapshot: what others write meanwhile is not seen, and rows do not change places.

    Args:
        session: that counts, and holds the snapshot; closed with the table.
        in_order: whether the rows of the snapshot have one order, which those of a view do not.
    """

    holds_still = True

    def __init__(
        self, database: AdbcDatabase, session: Session, snapshot: str, source: Source, *, in_order: bool
    ) -> None:
        self._database = database
        self._session = session
        self._snapshot = snapshot
        self._in_order = in_order
        super().__init__(source, PostgresqlDialect())

    def close(self) -> None:
        """Let go of the source; the table cannot be used afterwards."""
        self._session.close()
        self._database.close()

    def _read(self, query: str, binned: Mapping[int, Bin]) -> pa.Table:
        return self._session.read(query, _setup(binned.values()))

    def _row_place(self) -> str:
        # One scan from the first page to the last, which nothing else runs beside: rows are counted as they come.
        return "row_number() OVER () - 1"

    def _stream(self, query: str, names: list[str], size: int, binned: Mapping[int, Bin]) -> Iterator[pa.RecordBatch]:
        if not self._in_order:
            raise TableError(
                "{place} is a view or a table kept elsewhere, whose rows have no lasting order, so it can be counted "
                "but not read row by row; save it as a table or a materialized view.",
                place=self._place,
            )
        # With a connection of its own, counting goes on while rows stream.
        session = Session(self._database, self._place, self._snapshot)
        try:
            for batch in session.stream(query, _setup(binned.values())):
                for start in range(0, batch.num_rows, size):
                    yield batch.slice(start, size).rename_columns(names)
        finally:
            session.close()


def _setup(binned: Iterable[Bin]) -> list[Statement]:
    return [step for one in binned for step in one.setup]

"""Opening a table in PostgreSQL: what it is called, what its columns are, and the snapshot that it is read from."""
# ruff: noqa: S608  (only quoted names of the server's own catalogue are joined)

from __future__ import annotations

import shlex
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

from leakgauge.errors import TableError, did_you_mean
from leakgauge.tables.aggregates import quoted
from leakgauge.tables.postgresql.address import SCHEMES, Address
from leakgauge.tables.postgresql.dialect import Stored, as_read
from leakgauge.tables.postgresql.failures import connected
from leakgauge.tables.postgresql.session import Session
from leakgauge.tables.postgresql.table import PostgresqlTable
from leakgauge.tables.reading import Reading
from leakgauge.tables.sql.table import Source
from leakgauge.tables.table import Engine, Table

if TYPE_CHECKING:
    from adbc_driver_manager import AdbcDatabase

_OLDEST: Final = 14
"""The server's version; older ones have no digest of a row."""
_TABLES: Final = """
SELECT CAST(c.oid AS bigint), CAST(n.nspname AS text), CAST(c.relname AS text), pg_table_is_visible(c.oid)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema' AND NOT starts_with(n.nspname, 'pg_')
ORDER BY n.nspname, c.relname
"""
_COLUMNS: Final = """
WITH RECURSIVE resolved AS (
    SELECT attnum, attname, atttypid AS type, atttypmod AS modifier
    FROM pg_attribute WHERE attrelid = CAST($1 AS oid) AND attnum > 0 AND NOT attisdropped
        AND has_column_privilege(attrelid, attnum, 'SELECT')
    UNION ALL
    SELECT r.attnum, r.attname, t.typbasetype, t.typtypmod
    FROM resolved r JOIN pg_type t ON t.oid = r.type WHERE t.typtype = 'd'
)
SELECT CAST(r.attname AS text), CAST(t.typname AS text), CAST(t.typtype AS text), CAST(t.typcategory AS text),
    r.modifier
FROM resolved r JOIN pg_type t ON t.oid = r.type WHERE t.typtype <> 'd' ORDER BY r.attnum
"""
_IN_ORDER: Final = """
WITH RECURSIVE parts AS (
    SELECT CAST($1 AS oid) AS oid UNION SELECT i.inhrelid FROM pg_inherits i JOIN parts p ON i.inhparent = p.oid
)
SELECT bool_and(c.relkind = 'p' OR c.relkind IN ('r', 'm') AND COALESCE(a.amname = 'heap', false))
FROM parts JOIN pg_class c ON c.oid = parts.oid LEFT JOIN pg_am a ON a.oid = c.relam
"""
"""Whether the table and all its parts are plain files of the server, which are read from the first page to the last."""


class Postgresql(Engine):
    """Tables in a PostgreSQL server, at addresses such as ``postgresql://host/database#schema.table``."""

    def takes(self, source: object) -> bool:
        """Whether it is such an address."""
        return isinstance(source, str) and source.startswith(SCHEMES)

    def open(self, source: object, reading: Reading) -> Table:
        """The table as it is now."""
        address = Address.of(str(source))
        reading.require_missing_alone(address.shown)
        try:
            import adbc_driver_postgresql
        except ImportError:
            raise TableError(
                "A table in PostgreSQL needs the extra 'postgresql'; install leakgauge[postgresql], or save the table "
                "as CSV."
            ) from None
        with ExitStack() as closed:
            database = connected(address.shown, lambda: adbc_driver_postgresql.connect(address.server))
            closed.callback(database.close)
            session = Session(database, address.shown)
            closed.callback(session.close)
            table = _opened(database, session, address, reading)
            closed.pop_all()  # the table closes them
            return table


def _opened(database: AdbcDatabase, session: Session, address: Address, reading: Reading) -> PostgresqlTable:
    ((version, snapshot),) = _rows(session, "SELECT current_setting('server_version_num'), pg_export_snapshot()")
    if int(version) // 10000 < _OLDEST:
        raise TableError(
            "PostgreSQL at {server} is of version {found}, and {needed} is the oldest that can be read; use a newer "
            "one, or save the table as CSV.",
            server=address.shown,
            found=int(version) // 10000,
            needed=_OLDEST,
        )
    oid, schema, table = _named(session, address)
    session.place = place = repr(f"{address.shown}#{schema}.{table}")
    name = f"{quoted(schema)}.{quoted(table)}"
    # From here on nobody may rewrite or drop the table until it is closed: reading it takes a lock that lasts.
    if _rows(session, f"SELECT EXISTS (SELECT FROM {name})") == [(False,)]:
        raise TableError("{place} has no rows; there is nothing to measure.", place=place)
    columns = [Stored(*row) for row in _rows(session, _COLUMNS, oid)]
    if not columns:
        raise TableError("{place} has no columns; there is nothing to measure.", place=place)
    ((in_order,),) = _rows(session, _IN_ORDER, oid)
    session.keep()
    values, types = zip(*map(as_read, columns), strict=True)
    relation = f"(SELECT {', '.join(values)} FROM {name})"
    source = Source(relation, tuple(one.name for one in columns), types, tuple(reading.missing), place)
    return PostgresqlTable(database, session, snapshot, source, in_order=in_order)


def _named(session: Session, address: Address) -> tuple[int, str, str]:
    """The number, schema and name of the table that is meant."""
    place, wanted = address.shown, address.table
    found = _rows(session, _TABLES)
    if not found:
        raise TableError("{place} has no tables; name another database.", place=place)
    known = {f"{schema}.{table}": (oid, schema, table) for oid, schema, table, _ in found}
    if wanted is None and len(known) > 1:
        raise TableError(
            "{place} has {number} tables; name one by adding {example!s} to the address.",
            place=place,
            number=len(known),
            example=shlex.quote(f"#{next(iter(known))}"),  # as a shell takes it; user and options stay as typed
        )
    short = {table: (oid, schema, table) for oid, schema, table, visible in found if visible}
    wanted = wanted or next(iter(known))
    if wanted not in known and wanted not in short:
        hint = did_you_mean(wanted, known if "." in wanted or not short else short)
        raise TableError("{place} has no table {wanted!r}; {hint}", place=place, wanted=wanted, hint=hint)
    return known.get(wanted) or short[wanted]


def _rows(session: Session, query: str, *parameters: object) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in session.run(query, *parameters).columns), strict=True))

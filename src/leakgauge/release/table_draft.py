"""A release written into PostgreSQL by COPY, in one transaction: it appears whole, or nothing of it is there."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar, cast

import pyarrow as pa
from pyarrow import csv

from leakgauge.errors import (
    ColumnError,
    EngineError,
    FileError,
    LeakgaugeError,
    OptionError,
    TableError,
    UncertainError,
    did_you_mean,
)
from leakgauge.randomness import OperatingSystem
from leakgauge.tables.aggregates import quoted
from leakgauge.tables.postgresql.address import Address
from leakgauge.tables.postgresql.failures import refusal

if TYPE_CHECKING:
    import psycopg

Result = TypeVar("Result")

_LOCK_MILLISECONDS: Final = 10_000
_EXISTS, _IN_USE, _NO_RIGHT = ("42P07",), ("55P03",), ("42501",)
_NO_ROOM: Final = ("53100", "53200")
_LOST: Final = ("08", "57P")


class TableDraft:
    """A table under a hidden name, seen by nobody else until it is kept, with the bytes and digest of the rows sent."""

    def __init__(self, address: Address, few: pa.Table, *, overwrite: bool) -> None:
        self._address = address
        self.bytes, self.sha256 = 0, ""
        self._connection = self._connected()
        try:
            self._guarded(lambda: self._begin(few, overwrite))
        except BaseException:
            self.drop()
            raise

    @contextmanager
    def filling(self) -> Iterator[BinaryIO]:
        """What rows are written to, as CSV with a header."""
        import psycopg

        failure: LeakgaugeError | None = None
        try:
            with self._connection.cursor() as cursor, cursor.copy(self._copy_in()) as copy:
                sent = _Sent(copy)
                yield cast("BinaryIO", sent)
            self.bytes, self.sha256 = sent.size, sent.digest.hexdigest()
        except psycopg.Error as error:
            failure = self._told(error)
        if failure is not None:
            raise failure

    def clear(self) -> None:
        """Remove the table that has the name."""

        def remove() -> None:
            with self._connected() as other:
                other.execute(f"SET lock_timeout = {_LOCK_MILLISECONDS}")
                other.execute(f"DROP TABLE IF EXISTS {self._name}".encode())

        self._guarded(remove)

    def keep(self, overwrite: bool = True) -> None:
        """Give the table its name, and let others see it.

        Raises:
            FileError: something has the name already.
            UncertainError: the connection was lost at the very end.
            EngineError: the server refused.
        """
        import psycopg

        rename = f"ALTER TABLE {self._hidden} RENAME TO {quoted(self._table)}"
        self._guarded(lambda: self._connection.execute(rename.encode()))
        failed = False
        try:
            self._connection.commit()
        except psycopg.Error:
            failed = True
        if failed:
            raise UncertainError(
                "The connection to {place} was lost while the release was being kept, so it may be there or not; look "
                "at the server: if the table is there it is whole, and its record belongs to it.",
                place=self._place,
            )

    def drop(self) -> None:
        """Give up what was not kept."""
        self._connection.close()

    @property
    def _place(self) -> str:
        return f"{self._address.shown}#{self._address.table}"

    def _connected(self) -> psycopg.Connection[Any]:
        try:
            import psycopg
        except ImportError:
            raise OptionError(
                "A release into PostgreSQL needs the extra 'postgresql'; install leakgauge[postgresql], or write "
                "a file."
            ) from None
        try:
            return psycopg.connect(self._address.server)
        except psycopg.Error as error:
            failure = refusal(str(error), self._address.shown)
        raise failure

    def _begin(self, few: pa.Table, overwrite: bool) -> None:
        run = self._connection.execute
        run("SET client_min_messages = warning")
        run("SET synchronous_commit = on")
        run("SET statement_timeout = 0")
        run("SET idle_in_transaction_session_timeout = 0")
        run(f"SET lock_timeout = {_LOCK_MILLISECONDS}".encode())
        run("SET DateStyle = 'ISO, YMD'")
        run("SET TimeZone = 'UTC'")
        schema, dot, table = str(self._address.table).partition(".")
        if not dot:
            ((own,),) = run("SELECT current_schema()").fetchall()
            schema, table = own or "public", schema
        known = [name for (name,) in run("SELECT nspname FROM pg_namespace WHERE NOT starts_with(nspname, 'pg_')")]
        if schema not in known:
            raise TableError(
                "{place} has no schema {schema!r}; {hint}",
                place=self._address.shown,
                schema=schema,
                hint=did_you_mean(schema, known),
            )
        self._table, self._name = table, f"{quoted(schema)}.{quoted(table)}"
        # Drawn, so that two releases at once do not wait for each other.
        self._hidden = f"{quoted(schema)}.{quoted(f'.leakgauge.{int(OperatingSystem().words(1)[0]):016x}')}"
        self._require_free(overwrite)
        columns = ", ".join(f"{quoted(field.name)} {_type_of(field)}" for field in few.schema)
        run(f"CREATE TABLE {self._hidden} ({columns})".encode())
        # What the server cannot hold is known before anything is spent.
        run("SAVEPOINT rehearsal")
        rows = io.BytesIO()
        csv.write_csv(few, rows)
        with self._connection.cursor() as cursor, cursor.copy(self._copy_in()) as copy:
            copy.write(rows.getvalue())
        run("ROLLBACK TO SAVEPOINT rehearsal")

    def _require_free(self, overwrite: bool) -> None:
        """Refuse a name that something has, or that cannot be given to another table."""
        found = self._connection.execute(
            "SELECT relkind = 'r', pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass(%s)",
            (self._name,),
        ).fetchall()
        if not found:
            return
        if not overwrite:
            raise FileError("{place} exists; name another table, or say --overwrite.", place=self._place)
        if found != [(True, True)]:
            raise FileError("{place} is not a table of this user's; name another table.", place=self._place)
        self._connection.execute("SAVEPOINT locked")
        self._connection.execute(f"LOCK TABLE {self._name} IN ACCESS EXCLUSIVE MODE NOWAIT".encode())
        self._connection.execute("ROLLBACK TO SAVEPOINT locked")

    def _copy_in(self) -> bytes:
        return f"COPY {self._hidden} FROM STDIN (FORMAT csv, HEADER true, ENCODING 'UTF8')".encode()

    def _guarded(self, action: Callable[[], Result]) -> Result:
        import psycopg

        try:
            return action()
        except psycopg.Error as error:
            failure = self._told(error)
        # Raised outside the handler, so that the original, which quotes a row, is not even this error's context.
        raise failure

    def _told(self, error: psycopg.Error) -> LeakgaugeError:
        state, place = error.sqlstate, self._place
        if state in _EXISTS:
            return FileError("{place} exists; name another table, or say --overwrite.", place=place)
        if state in _IN_USE:
            return FileError("{place} is open elsewhere; close it there, or name another table.", place=place)
        if state in _NO_RIGHT:
            return TableError(
                "{place} may not be written by this user; ask for the right to CREATE tables in its schema.",
                place=place,
            )
        if state in _NO_ROOM:
            return EngineError(
                "{place} could not be written: the server has no room left; nothing of it was kept.", place=place
            )
        if state is None or state.startswith(_LOST):
            return EngineError(
                "The connection to {place} was lost before the release was whole; nothing of it was kept.", place=place
            )
        if state.startswith("22"):
            return ColumnError("A released column has values that PostgreSQL cannot hold; leave it out.")
        return EngineError(
            "PostgreSQL could not write {place} (error {state}); nothing of it was kept.", place=place, state=state
        )


@contextmanager
def draft_table(address: Address, few: pa.Table, *, overwrite: bool) -> Iterator[TableDraft]:
    """A draft of a table that is gone when the block ends, unless it was kept."""
    made = TableDraft(address, few, overwrite=overwrite)
    try:
        yield made
    finally:
        made.drop()


class _Sent(io.RawIOBase):
    """What is sent to the server, counted and digested on the way."""

    def __init__(self, copy: psycopg.Copy) -> None:
        self._copy = copy
        self.size, self.digest = 0, hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        content = bytes(data)
        self._copy.write(content)
        self.digest.update(content)
        self.size += len(content)
        return len(content)


_TYPES: Final = {
    pa.bool_(): "boolean",
    pa.int8(): "smallint",
    pa.int16(): "smallint",
    pa.int32(): "integer",
    pa.int64(): "bigint",
    pa.uint8(): "smallint",
    pa.uint16(): "integer",
    pa.uint32(): "bigint",
    pa.uint64(): "numeric(20,0)",
    pa.float32(): "double precision",
    pa.float64(): "double precision",
    pa.string(): "text",
    pa.large_string(): "text",
    pa.date32(): "date",
}


def _type_of(field: pa.Field) -> str:
    kind = field.type
    if kind in _TYPES:
        return _TYPES[kind]
    if pa.types.is_timestamp(kind):
        return "timestamp" if kind.tz is None else "timestamptz"
    if pa.types.is_decimal(kind) and kind.scale == 0:
        return f"numeric({kind.precision},0)"
    raise ColumnError(
        "Column {name!r} is of a type that cannot be released into PostgreSQL; leave it out.", name=field.name
    )

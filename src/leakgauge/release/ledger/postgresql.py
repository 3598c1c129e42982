"""A ledger in PostgreSQL, for several machines: the schema ``leakgauge`` of one database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from leakgauge.errors import EngineError, FileError, LeakgaugeError, OptionError
from leakgauge.release.ledger.store import INDEX, TABLE, VERSION, WAIT_SECONDS, Store
from leakgauge.tables.postgresql.address import without_secrets

if TYPE_CHECKING:
    import psycopg

_MAKING = 0x4C6B4C67
"""The advisory lock under which the tables are made."""
_NEVER_CHANGED = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'entries of a ledger are never changed'; END $$;
CREATE TRIGGER entries_never_changed BEFORE UPDATE OR DELETE ON entries
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER entries_never_emptied BEFORE TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
"""


class PostgresqlStore(Store):
    """Entries in the schema ``leakgauge`` of the database at an address, whose password is never shown."""

    def __init__(self, address: str, create: bool) -> None:
        self.name = without_secrets(address)
        try:
            import psycopg
        except ImportError:
            raise OptionError(
                "A ledger in PostgreSQL needs the extra `postgresql`; install it with "
                "`pip install leakgauge[postgresql]`."
            ) from None
        self._error = psycopg.Error
        try:
            self._connection: psycopg.Connection[Any] = psycopg.connect(
                address, autocommit=True, connect_timeout=int(WAIT_SECONDS), application_name="leakgauge"
            )
        except psycopg.ProgrammingError:
            # The driver read the address, and asked no server.
            raise OptionError(
                "The address of the ledger is not well-formed; give one such as postgresql://host/database."
            ) from None
        except psycopg.Error as error:
            raise self._told(error) from None
        try:
            self.run("SET search_path = leakgauge")
            self.run("SET client_min_messages = warning")
            # Whatever the server's default: an acknowledged spend outlives a power cut.
            self.run("SET synchronous_commit = on")
            self.run(f"SET lock_timeout = {int(WAIT_SECONDS * 1000):d}")
            if create:
                self._make()
            if not self._has_table("format"):
                raise FileError(
                    "There is no ledger at {address}; check the address, or make one with `leakgauge ledger open`.",
                    address=self.name,
                )
            ((version,),) = self.run("SELECT version FROM format")
            self.require_known_version(version)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction that locks the table against other writers from its start; readers do not wait."""
        try:
            with self._connection.transaction():
                self.run("LOCK TABLE entries IN EXCLUSIVE MODE")
                yield
        except self._error as error:
            raise self._told(error) from None

    def run(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        try:
            cursor = self._connection.execute(statement.replace("?", "%s").encode(), values or None)
            return [] if cursor.description is None else cursor.fetchall()
        except self._error as error:
            raise self._told(error) from None

    def close(self) -> None:
        self._connection.close()

    def _make(self) -> None:
        with self._connection.transaction():
            self.run(f"SELECT pg_advisory_xact_lock({_MAKING:d})")
            if self._has_table("format"):
                return
            self.run("CREATE SCHEMA IF NOT EXISTS leakgauge")
            for statements in (TABLE, INDEX, _NEVER_CHANGED):
                self.run(statements)
            self.run("CREATE TABLE format (version INTEGER NOT NULL)")
            self.run("INSERT INTO format VALUES (?)", (VERSION,))

    def _has_table(self, table: str) -> bool:
        return self.run("SELECT to_regclass(?)", (f"leakgauge.{table}",)) != [(None,)]

    def _told(self, error: Exception) -> LeakgaugeError:
        state = getattr(error, "sqlstate", None)
        if state == "55P03":
            return EngineError(
                "The ledger {address} was locked by another process for {seconds:g} s; try again.",
                address=self.name,
                seconds=WAIT_SECONDS,
            )
        # The kind of error only: the driver's words may quote the address with its password.
        return EngineError(
            "The ledger {address} could not be used ({kind}{state}); check the server and the address.",
            address=self.name,
            kind=type(error).__name__,
            state=f" {state}" if state else "",
        )

"""A connection to PostgreSQL that only reads, all in one transaction, and whose answers are Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from leakgauge.errors import TableError
from leakgauge.tables import arrow as pa
from leakgauge.tables.postgresql.failures import connected, guarded

if TYPE_CHECKING:
    from adbc_driver_manager import AdbcDatabase, AdbcStatement
    from adbc_driver_manager._reader import AdbcRecordBatchReader

Statement: TypeAlias = tuple[str, tuple[Any, ...]]
"""SQL with its parameters."""
Result = TypeVar("Result")

_SETTINGS: Final = {
    "client_encoding": "UTF8",
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    "jit": "off",  # compiling hundreds of edges takes longer than comparing them
}
_IN_ORDER: Final = {
    "search_path": "pg_catalog",
    "synchronize_seqscans": "off",
    "max_parallel_workers_per_gather": "0",
    "enable_indexscan": "off",
    "enable_indexonlyscan": "off",
    "enable_bitmapscan": "off",
}
"""A table is read from its first page to its last: the rows of a snapshot do not move while it is held."""
_BEGIN: Final = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
_BYTES: Final = "4194304"
"""Of a batch that the driver makes."""
_DIGITS: Final = 38


class Session:
    """One connection and its transaction; blocking calls run in a thread of their own, so that Ctrl-C is heard.

    Args:
        server: how messages call it until the table is found.
        snapshot: another session's, whose rows this one sees, in their order; None for one that counts.
    """

    def __init__(self, database: AdbcDatabase, server: str, snapshot: str | None = None) -> None:
        from adbc_driver_manager import AdbcConnection

        self.place = server
        self._waiting = ThreadPoolExecutor(1)
        self._closed = False
        try:
            self._connection: AdbcConnection | None = None
            self._connection = self._wait(lambda: connected(server, lambda: AdbcConnection(database)))
            settings = _SETTINGS if snapshot is None else _SETTINGS | _IN_ORDER
            self.run(
                "SELECT " + ", ".join(f"set_config('{name}', '{value}', false)" for name, value in settings.items())
            )
            self.run(_BEGIN)
            if snapshot is not None:
                self.run(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
        except BaseException:
            self.close()
            raise

    def run(self, query: str, *parameters: Any) -> pa.Table:
        """The whole answer; after a failure the transaction is of no more use."""
        return self._wait(lambda: guarded(self.place, lambda: self._answer(query, parameters)))

    def keep(self) -> None:
        """From here on a query that fails leaves the transaction, and so the snapshot, as it is."""
        # Functions that others left in a schema of the search path are not taken for the server's own.
        self.run("SET search_path = pg_catalog")
        self.run("SAVEPOINT kept")

    def read(self, query: str, setup: Iterable[Statement]) -> pa.Table:
        """The whole answer to a query that comes after some statements."""

        def answer() -> pa.Table:
            try:
                for statement, parameters in setup:
                    self._answer(statement, parameters)
                return self._answer(query, ())
            except BaseException:
                self._undo()
                raise

        return self._wait(lambda: guarded(self.place, answer))

    def stream(self, query: str, setup: Iterable[Statement]) -> Iterator[pa.RecordBatch]:
        """The rows of a query as they come."""
        from adbc_driver_manager import AdbcStatement

        for statement, parameters in setup:
            self.run(statement, *parameters)
        assert self._connection is not None
        asked = AdbcStatement(self._connection)
        try:

            def begin() -> AdbcRecordBatchReader:
                asked.set_options(**{"adbc.postgresql.batch_size_hint_bytes": _BYTES})
                asked.set_sql_query(query)
                return _reader(asked)

            rows = self._wait(lambda: guarded(self.place, begin))

            def following() -> pa.RecordBatch | None:
                try:
                    return rows.read_next_batch()
                except StopIteration:
                    return None

            try:
                while (batch := self._wait(lambda: guarded(self.place, following))) is not None:
                    yield _plain(batch)
            finally:
                rows.close()
        finally:
            asked.close()

    def close(self) -> None:
        """End the transaction and the connection."""
        self._closed = True
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._waiting.shutdown()

    def _wait(self, action: Callable[[], Result]) -> Result:
        if self._closed:
            raise TableError("{place} was closed; open it again.", place=self.place)
        answer = self._waiting.submit(action)
        try:
            return answer.result()
        except KeyboardInterrupt:
            if self._connection is not None:
                self._connection.cancel()
                answer.exception()
            raise

    def _answer(self, query: str, parameters: Sequence[Any]) -> pa.Table:
        from adbc_driver_manager import AdbcStatement

        assert self._connection is not None
        asked: AdbcStatement = AdbcStatement(self._connection)
        try:
            asked.set_sql_query(query)
            if parameters:
                asked.prepare()
                asked.bind_stream(pa.table({str(at): [value] for at, value in enumerate(parameters)}).to_reader())
            table = _reader(asked).read_all()
        finally:
            asked.close()
        return _plain(table)

    def _undo(self) -> None:
        import adbc_driver_manager as adbc

        try:
            self._answer("ROLLBACK TO SAVEPOINT kept", ())
        except (adbc.Error, OSError):
            return  # the connection is lost, which the next query finds out


def _reader(asked: AdbcStatement) -> AdbcRecordBatchReader:
    from adbc_driver_manager._reader import AdbcRecordBatchReader

    handle, _ = asked.execute_query()  # alive until its stream is taken over
    return AdbcRecordBatchReader._import_from_c(handle.address)


def _plain(rows: Any) -> Any:
    """The rows of a table or a batch with whole numbers that are long as decimals: the driver has them as text."""
    columns = [
        column.cast(pa.string()).cast(pa.decimal128(_DIGITS, 0)) if isinstance(column.type, pa.OpaqueType) else column
        for column in rows.columns
    ]
    return type(rows).from_arrays(columns, names=rows.schema.names)

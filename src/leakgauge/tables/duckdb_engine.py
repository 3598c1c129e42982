"""Files, databases and frames opened in DuckDB, through a connection that can read only this source."""

from __future__ import annotations

import glob
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from leakgauge.errors import TableError, did_you_mean
from leakgauge.tables import arrow as pa
from leakgauge.tables.aggregates import quoted
from leakgauge.tables.csv_files import csv_text
from leakgauge.tables.duckdb_failures import guarded
from leakgauge.tables.duckdb_table import DuckDBTable
from leakgauge.tables.reading import Reading
from leakgauge.tables.sql.table import Source
from leakgauge.tables.statistics_files import READERS, read_statistics_file
from leakgauge.tables.table import Table
from leakgauge.tables.texts import read_texts
from leakgauge.tables.workbooks import WORKBOOKS, read_workbook

if TYPE_CHECKING:
    import duckdb

_DELIMITERS = {".csv": None, ".tsv": "\t", ".tab": "\t"}
_JSON: dict[str, Literal["newline_delimited", "auto"]] = {
    ".jsonl": "newline_delimited",
    ".ndjson": "newline_delimited",
    ".json": "auto",
}
_DATABASES = (".duckdb", ".db")
_COMPRESSED = (".gz", ".zst")
_PARQUET = (".parquet", ".pq")
_FORMS = "CSV, TSV (also .gz or .zst), Excel, Parquet, JSON lines, SPSS, Stata, SAS, or a DuckDB database"


class DuckDB:
    """The engine embedded in this process, for local files and tables in memory: whatever no other engine takes."""

    def takes(self, source: object) -> bool:
        """Everything."""
        return True

    def open(self, source: object, reading: Reading) -> Table:
        """The table in a file, a folder, a database or a frame."""
        if isinstance(source, (str, Path)):
            return _open_path(str(source), reading)
        reading.require_only("The table in memory")
        return _open_arrow(as_arrow(source), "The table in memory", reading)

    def files(self, address: str) -> list[Path]:
        """The files that the address names; the path itself where nothing is there."""
        place = _place(address)
        return place.files or [Path(place.name)]


def _open_path(address: str, reading: Reading) -> Table:
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", address):
        raise TableError(
            "{scheme!r} addresses cannot be opened; give a local file: {forms}.",
            scheme=address.split("://")[0],
            forms=_FORMS,
        )
    place = _place(address)
    name, suffix, files = place.name, place.suffix, place.files
    if not files:
        if place.folder:
            raise TableError("{name!r} is a folder without Parquet files; name a file in it.", name=name)
        raise TableError("No file matches {name!r}; check the pattern.", name=name)
    for file in files:
        _require_readable(file)
    is_text, is_workbook = suffix in _DELIMITERS, suffix in WORKBOOKS
    reading.require_only(repr(name), encoding=is_text or suffix in READERS, no_header=is_text or is_workbook)
    if suffix in _DATABASES:
        return _open_database(name, place.table, reading)
    if is_workbook:
        return _open_arrow(read_workbook(files[0], place.table, reading), repr(address), reading)
    if place.table is not None:
        raise TableError(
            "{name!r} is not a database, so it has no table {table!r}; leave the table's name out.",
            name=name,
            table=place.table,
        )
    if is_text:
        return _open_csv(files[0], _DELIMITERS[suffix], reading)
    if suffix in READERS:
        return _open_arrow(read_statistics_file(files[0], reading), repr(name), reading)
    return _open_files(files, suffix, name, reading)


@dataclass(frozen=True)
class _Place:
    """What an address names: a path, a table in it, the ending that decides its form, and the files to read."""

    name: str
    table: str | None
    suffix: str
    files: list[Path]
    folder: bool


def _place(address: str) -> _Place:
    """What the address names; no files where a pattern matches none or a folder holds none."""
    name, table = address, None
    if "#" in address and not Path(address).exists():
        # The names of sheets may hold the sign too.
        cuts = [at for at, sign in enumerate(address) if sign == "#"]
        cut = next((at for at in cuts if Path(address[:at]).is_file()), cuts[-1])
        name, table = address[:cut], address[cut + 1 :]
    path = Path(name)
    suffixes = [part.lower() for part in path.suffixes] or [""]
    suffix = suffixes[-2] if suffixes[-1] in _COMPRESSED and len(suffixes) > 1 else suffixes[-1]
    if suffix in _PARQUET and any(mark in name for mark in "*?[") and not path.exists():
        return _Place(name, table, suffix, sorted(path.parent.glob(path.name)), folder=False)
    if path.is_dir():
        files = sorted(match for match in path.iterdir() if match.suffix.lower() in _PARQUET)
        return _Place(name, table, ".parquet", files, folder=True)
    return _Place(name, table, suffix, [path], folder=False)


def _open_arrow(content: pa.Table, place: str, reading: Reading) -> Table:
    connection = _connect()

    def bind() -> DuckDBTable:
        relation = connection.from_arrow(content)
        relation.create_view("source")
        return _table(connection, '"source"', relation, content.column_names, reading, place)

    return _opened(place, connection, bind)


def _open_csv(file: Path, delimiter: str | None, reading: Reading) -> Table:
    place = repr(str(file))
    with csv_text(str(file.absolute()), place, reading, delimiter) as text:
        connection = _connect([text.path, text.literal])

        def bind() -> DuckDBTable:
            relation = text.opened(connection, reading, place)
            if text.is_copy:
                relation.create("source")
            else:
                relation.create_view("source")
            # What is missing, and how numbers and dates are written, is read already.
            return _table(connection, '"source"', relation, text.names, Reading(), place)

        return _opened(place, connection, bind)


def _open_files(files: Sequence[Path], suffix: str, name: str, reading: Reading) -> Table:
    place = repr(name)
    if suffix not in {*_JSON, *_PARQUET}:
        raise TableError("{name!r} has an unknown ending; use {forms}.", name=name, forms=_FORMS)
    paths = [str(file.absolute()) for file in files]
    # DuckDB takes [ ] * ? for a pattern, also in the name of a file that exists.
    literal = [glob.escape(path) for path in paths]
    connection = _connect([*paths, *literal])

    def bind() -> DuckDBTable:
        if suffix in _JSON:
            relation = connection.read_json(literal[0], format=_JSON[suffix], sample_size=-1)
        else:
            relation = connection.read_parquet(literal, hive_partitioning=False)
        relation.create_view("source")
        return _table(connection, '"source"', relation, relation.columns, reading, place)

    return _opened(place, connection, bind)


def _open_database(name: str, table: str | None, reading: Reading) -> Table:
    import duckdb

    place = repr(name)
    connection = guarded(place, lambda: duckdb.connect(name, read_only=True, config=_CONFIG))

    def bind() -> DuckDBTable:
        _lock(connection, [])
        found = connection.sql(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal "
            "UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL"
        ).fetchall()
        known = {table if schema == "main" else f"{schema}.{table}": (schema, table) for schema, table in found}
        if not known:
            raise TableError("{place} has no tables; name another database.", place=place)
        if table is None and len(known) > 1:
            raise TableError(
                "{place} has {number} tables; name one by adding {example!s} to the address.",
                place=place,
                number=len(known),
                example=shlex.quote(f"#{next(iter(known))}"),
            )
        wanted = table or next(iter(known))
        if wanted not in known:
            raise TableError(
                "{place} has no table {wanted!r}; {hint}", place=place, wanted=wanted, hint=did_you_mean(wanted, known)
            )
        address = ".".join(quoted(part) for part in known[wanted])
        relation = connection.sql(f"FROM {address}")
        return _table(connection, address, relation, relation.columns, reading, repr(f"{name}#{wanted}"))

    return _opened(place, connection, bind)


def _table(
    connection: duckdb.DuckDBPyConnection,
    address: str,
    relation: duckdb.DuckDBPyRelation,
    names: Sequence[str],
    reading: Reading,
    place: str,
) -> DuckDBTable:
    types = [str(kind) for kind in relation.types]
    if relation.limit(1).aggregate("COUNT(*)").fetchall() == [(0,)]:
        raise TableError("{place} has no rows; there is nothing to measure.", place=place)
    read = read_texts(connection, address, types, names, reading, place)
    if read != address:
        types = [str(kind) for kind in connection.sql(f"FROM {read}").types]
    return DuckDBTable(connection, Source(read, tuple(names), tuple(types), tuple(reading.missing), place))


# Spilling would write rows to a file of the engine's own; without it, memory is the limit.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
}


def _connect(files: Sequence[str] = ()) -> duckdb.DuckDBPyConnection:
    import duckdb

    connection = duckdb.connect(":memory:", config=_CONFIG)
    _lock(connection, files)
    return connection


def _lock(connection: duckdb.DuckDBPyConnection, files: Sequence[str]) -> None:
    """From here on the connection reads these files, whatever a query says."""
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    # Parquet's own statistics leave NaN out; an optimiser that trusts them takes isnan() for false everywhere.
    connection.execute("SET disabled_optimizers = 'statistics_propagation'")
    connection.execute("SET enable_progress_bar = false")  # a library does not write to the terminal
    connection.execute("SET allowed_paths = ?", [list(files)])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _opened(place: str, connection: duckdb.DuckDBPyConnection, bind: Callable[[], DuckDBTable]) -> DuckDBTable:
    """What ``bind`` gives; when it fails the connection is closed, so that no handle outlives an error."""
    try:
        return guarded(place, bind)
    except BaseException:
        connection.close()
        raise


def _require_readable(path: Path) -> None:
    if path.is_dir():
        raise TableError("{path!r} is a folder; name a file in it.", path=str(path))
    try:
        with path.open("rb") as stream:
            first = stream.read(1)
    except FileNotFoundError:
        raise TableError("There is no file {path!r}; check the path.", path=str(path)) from None
    except PermissionError:
        raise TableError("{path!r} may not be read; check its permissions.", path=str(path)) from None
    except OSError:
        raise TableError("{path!r} cannot be read; check the disk and the path.", path=str(path)) from None
    if not first:
        raise TableError("{path!r} is empty; it needs a header and rows.", path=str(path))


def as_arrow(source: Any) -> pa.Table:
    """A pandas or polars frame, or a table, batch or data set of pyarrow, as one pyarrow table.

    Raises:
        TableError: something else, or columns that cannot be told apart or mix kinds of values.
    """
    given = type(source).__name__
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if polars is not None and isinstance(source, polars.LazyFrame):
        source = source.collect()
    if polars is not None and isinstance(source, polars.DataFrame):
        source = source.to_arrow()
    elif pandas is not None and isinstance(source, pandas.DataFrame):
        source = _from_pandas(source)
    elif isinstance(source, pa.RecordBatchReader):
        source = source.read_all()
    elif isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    elif not isinstance(source, pa.Table) and hasattr(source, "__arrow_c_stream__"):
        source = _from_stream(source)
    if not isinstance(source, pa.Table):
        raise TableError(
            "An object of type {kind!s} is not a table; give a path, a pandas or polars frame, or a pyarrow table.",
            kind=given,
        )
    for at, name in enumerate(source.column_names):
        if name in source.column_names[:at]:
            raise TableError("Two columns of the table in memory are named {name!r}; rename one.", name=name)
    if not source.column_names:
        raise TableError("The table in memory has no columns; there is nothing to measure.")
    # A column without any value has no type of its own; as in a CSV file it is text.
    typed = [pa.field(f.name, pa.string() if pa.types.is_null(f.type) else f.type) for f in source.schema]
    return source.cast(pa.schema(typed))


def _from_stream(source: Any) -> pa.Table | None:
    """The rows of an object that hands out Arrow; None where they are not rows of columns."""
    try:
        return pa.RecordBatchReader.from_stream(source).read_all()
    except (pa.ArrowException, TypeError, ValueError):
        # Arrow's message may quote a value.
        return None


def _from_pandas(frame: Any) -> pa.Table:
    if len(set(frame.columns)) < len(frame.columns) or not all(isinstance(name, str) for name in frame.columns):
        raise TableError("The columns of the table in memory need distinct texts as names; rename them.")
    columns = {}
    for name in frame.columns:
        try:
            columns[name] = pa.Array.from_pandas(frame[name])
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            # Arrow's message quotes the value it stumbled over.
            failed = name
        else:
            continue
        raise TableError(
            "Column {name!r} of the table in memory mixes kinds of values; convert it to one kind.", name=failed
        )
    return pa.table(columns)

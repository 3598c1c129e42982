"""Opening a table: the engine that takes its source."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from leakgauge.tables.duckdb_engine import DuckDB
from leakgauge.tables.ibis.table import Ibis
from leakgauge.tables.postgresql.engine import Postgresql
from leakgauge.tables.reading import Reading
from leakgauge.tables.spark.engine import Spark
from leakgauge.tables.table import Engine, Table

ENGINES: Final[list[Engine]] = [Postgresql(), Spark(), Ibis(), DuckDB()]
"""Asked in this order; the last one takes every file and frame. A new engine is a file, a line here and a row in
``docs/reference/command-line.md``."""


def open_table(
    source: object,
    *,
    missing: str | Sequence[str] = (),
    encoding: str | None = None,
    thousands: str | None = None,
    decimal: str = ".",
    date_format: str | Sequence[str] = (),
    no_header: bool = False,
) -> Table:
    """The table in a file, a database, Spark or an object in memory.

    In a CSV file an empty field is missing. A column is read as numbers only if each text in it is written as one, so
    codes such as 007 stay text, while 1.5, 1.50 and 15e-1 are one number. Dates are read in ISO form. Cells of a
    workbook keep their kind.

    Args:
        source: a path to CSV, TSV, JSON lines, Parquet (also a pattern such as ``part-*.parquet``, or a folder of
            such files), a workbook (``file.xlsx``, or ``file.xlsx#sheet``; also .xls, .xlsb and .ods), a file of SPSS,
            Stata or SAS, or a DuckDB database (``file.duckdb``, or ``file.duckdb#table``); the address of a table in
            PostgreSQL (``postgresql://user@host/database#schema.table``), whose password is in PGPASSWORD or
            ``~/.pgpass``; what Spark has, as ``spark://HOST:PORT#PATH``, ``spark://HOST:PORT#SCHEMA.TABLE``,
            ``spark://local[2]#PATH`` or a Spark frame; a table of Ibis, which is counted but not read row by row; or a
            pandas or polars frame, a pyarrow table, or another object that hands out Arrow.
        missing: texts that count as missing, such as ``"?"``; by default none.
        encoding: of a text file, such as ``windows-1252``; by default UTF-8.
        thousands: the thousands separator in texts that are numbers; by default none.
        decimal: the decimal mark in them.
        date_format: how dates are written in text, such as ``%d/%m/%Y`` or ``dd/mm/yyyy``; for one column
            ``born=dd/mm/yyyy``.
        no_header: the first line is a row; columns are called column1, column2, ….

    Raises:
        TableError: the source is missing, empty, unreadable or of an unknown form.
        OptionError: a reading option that does not apply, or is ambiguous.
        EngineError: the engine failed on it.

    Example:
        >>> import pyarrow as pa
        >>> with open_table(pa.table({"city": ["A", "B", "?"]}), missing=["?"]) as people:
        ...     people.rows, people.counts("city").labels("city")
        (3, ('A', 'B', None))
    """
    return _engine_of(source).open(source, Reading(missing, encoding, thousands, decimal, date_format, no_header))


def source_files(address: str) -> list[Path]:
    """The files behind an address that ``open_table`` takes, found without opening any.

    What does not exist is named all the same: the path itself, also for a pattern that nothing matches.
    """
    return _engine_of(address).files(address)


def _engine_of(source: object) -> Engine:
    return next(engine for engine in ENGINES if engine.takes(source))

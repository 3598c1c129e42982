"""Errors of DuckDB, without its own messages, which quote lines and values of the table."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeVar

from leakgauge.errors import ColumnError, EngineError, LeakgaugeError, TableError
from leakgauge.sentences import Sentence

_LINE = re.compile(r"^[^\n]*CSV Error on Line: (\d+)")
NOT_UTF8: Final = "{place} is not UTF-8 text{where}; save it as UTF-8."

Result = TypeVar("Result")


def guarded(place: str, action: Callable[[], Result]) -> Result:
    """What the action gives; what DuckDB raises in it becomes one sentence about ``place``, free of any value."""
    import duckdb

    try:
        return action()
    except LeakgaugeError:
        raise
    except duckdb.Error as error:
        failure = _sentence(error, place)
    except RuntimeError as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise
    if failure is None:
        raise KeyboardInterrupt
    # Raised outside the handler, so that the original, which quotes values, is not even this error's context.
    raise failure


def _sentence(error: Exception, place: str) -> LeakgaugeError | None:
    import duckdb

    said = str(error)
    line = _LINE.match(said)
    where = Sentence(" (line {line:d})", line=int(line.group(1))) if line else ""
    if isinstance(error, duckdb.InterruptException):
        return None
    if isinstance(error, duckdb.OutOfMemoryException):
        return EngineError(
            "Reading {place} needs more memory than there is; bin a column, choose coarser ones, or use fewer.",
            place=place,
        )
    if isinstance(error, duckdb.OutOfRangeException):
        return ColumnError(
            "{place} has a column with infinite or too large numbers, so it has no moments; declare them missing.",
            place=place,
        )
    if "differ only in case" in said:
        return TableError("{place} has column names that differ only in case; rename one of them.", place=place)
    if "unicode" in said or "UTF-8" in said or "utf-8" in said:
        return TableError(NOT_UTF8, place=place, where=where)
    if "Expected Number of Columns" in said:
        found = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", said)
        return TableError(
            "{place} has a line with {found} fields, but the header has {expected}{where}; correct that line.",
            place=place,
            where=where,
            found=found.group(2) if found else "other",
            expected=found.group(1) if found else "another number",
        )
    if "unterminated quote" in said:
        return TableError(
            "{place} has a quote that does not close properly{where}; double quotes inside quoted text.",
            place=place,
            where=where,
        )
    if "Maximum line size" in said:
        return TableError("{place} has a line longer than 2 MB{where}; correct that line.", place=place, where=where)
    if "GZIP" in said or "ZSTD" in said:
        return TableError("{place} is damaged or not compressed as its name says; create it again.", place=place)
    if "CSV" in said:
        return TableError(
            "{place} is not well-formed CSV{where}; check its quotes and that all lines end alike.",
            place=place,
            where=where,
        )
    if "JSON" in said:
        return TableError("{place} is not well-formed JSON; write one object per line.", place=place)
    if "arquet" in said or "Thrift" in said or "TProtocol" in said or "magic bytes" in said:
        return TableError("{place} is not a complete Parquet file; create it again.", place=place)
    if type(error) is duckdb.Error:  # a decoder gave up
        return TableError("{place} is damaged; create it again.", place=place)
    if "not a valid DuckDB database" in said or "Extension" in said:
        return TableError("{place} is not a DuckDB database; save the table as CSV or Parquet.", place=place)
    if ("lock" in said and isinstance(error, duckdb.IOException)) or isinstance(error, duckdb.ConnectionException):
        return TableError("{place} is in use elsewhere; close it there or copy it.", place=place)
    if isinstance(error, duckdb.PermissionException):
        return TableError("{place} refers to other files; save the table itself as CSV or Parquet.", place=place)
    return EngineError(
        "DuckDB could not read {place} ({kind}); check that the source is whole and unchanged since it was opened.",
        place=place,
        kind=type(error).__name__,
    )

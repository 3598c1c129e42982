"""Errors of DuckDB, without its own messages, which quote lines and values of the table."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Final

from leakgauge.errors import ColumnError, EngineError, TableError
from leakgauge.sentences import Sentence
from leakgauge.tables.failures import Result, without_values

_LINE = re.compile(r"^[^\n]*CSV Error on Line: (\d+)")
_FIELDS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
NOT_UTF8: Final = "{place} is not UTF-8 text{where}; save it as UTF-8."
_BY_WORDS: Final = {
    ("differ only in case",): "{place} has column names that differ only in case; rename one of them.",
    ("unicode", "UTF-8", "utf-8"): NOT_UTF8,
    (
        "Expected Number of Columns",
    ): "{place} has a line with {found} fields, but the header has {expected}{where}; correct that line.",
    ("unterminated quote",): (
        "{place} has a quote that does not close properly{where}; double quotes inside quoted text."
    ),
    ("Maximum line size",): "{place} has a line longer than 2 MB{where}; correct that line.",
    ("GZIP", "ZSTD"): "{place} is damaged or not compressed as its name says; create it again.",
    ("CSV",): "{place} is not well-formed CSV{where}; check its quotes and that all lines end alike.",
    ("JSON",): "{place} is not well-formed JSON; write one object per line.",
    ("arquet", "Thrift", "TProtocol", "magic bytes"): "{place} is not a complete Parquet file; create it again.",
}
"""What is said of a source by the words of a message; the first of them counts."""


def guarded(place: str, action: Callable[[], Result]) -> Result:
    """What the action gives; what DuckDB raises in it becomes one sentence about ``place``, free of any value."""
    import duckdb

    return without_values(action, (duckdb.Error, RuntimeError), partial(_sentence, place))


def _sentence(place: str, error: Exception) -> BaseException:
    import duckdb

    said = str(error)
    if isinstance(error, duckdb.InterruptException):
        return KeyboardInterrupt()
    if not isinstance(error, duckdb.Error):
        return KeyboardInterrupt() if "interrupted" in said.lower() else error
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
    for words, template in _BY_WORDS.items():
        if any(word in said for word in words):
            line, counts = _LINE.match(said), _FIELDS.search(said)
            expected, found = counts.groups() if counts else ("another number", "other")
            where = Sentence(" (line {line:d})", line=int(line.group(1))) if line else ""
            fields = {"place": place, "where": where, "found": found, "expected": expected}
            named = {name: value for name, value in fields.items() if f"{{{name}}}" in template}
            return TableError(_BY_WORDS[words], **named)
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

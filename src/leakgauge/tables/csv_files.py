"""CSV files: their header, their delimiter and the types of their columns, decided on all rows.

A column is a number only if each text in it is written as one: codes such as 007, or longer than a number holds, stay
text, while 1.5, 1.50 and 15e-1 become the same number. Dates and timestamps are read in ISO form only, since 01/02/2020
may be two days.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from leakgauge.errors import TableError

if TYPE_CHECKING:
    import duckdb

_WHOLE = "[+-]?(0|[1-9][0-9]{0,17})"
_FLOAT = "(?i)[+-]?((0|[1-9][0-9]{0,14})([.][0-9]*)?|[.][0-9]+)(e[+-]?[0-9]+)?|[+-]?inf(inity)?|nan"
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = _DAY + "[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?"
_FORMS = {"BOOLEAN": "(?i)true|false", "BIGINT": _WHOLE, "DOUBLE": _FLOAT, "DATE": _DAY, "TIMESTAMP": _CLOCK}
_FIRST_FIELDS = 500_000
_HEADER_BYTES = 1 << 20


def open_csv(
    connection: duckdb.DuckDBPyConnection,
    path: str,
    literal: str,
    place: str,
    missing: Sequence[str],
    delimiter: str | None,
) -> tuple[duckdb.DuckDBPyRelation, list[str]]:
    """The typed relation of a CSV file, its columns numbered c0, c1, …, and their names in the header.

    ``literal`` is the path as the engine takes it.
    """
    names, delimiter = _header(path, place, delimiter)
    texts = _relation(connection, literal, ["VARCHAR"] * len(names), delimiter, missing)
    # Most columns show on the first rows what they cannot be; only what is left is looked for on all of them.
    possible = _not_excluded(texts.limit(max(_FIRST_FIELDS // len(names), 100)))
    types = [kinds[0] if kinds else "VARCHAR" for kinds in _possible(texts, possible)]
    return _relation(connection, literal, types, delimiter, missing), names


def _relation(
    connection: duckdb.DuckDBPyConnection, path: str, types: Sequence[str], delimiter: str, missing: Sequence[str]
) -> duckdb.DuckDBPyRelation:
    # Nothing is left to detection: it would take a ragged file for one wide column, and # for a comment.
    return connection.read_csv(
        path,
        columns={f"c{at}": kind for at, kind in enumerate(types)},
        auto_detect=False,
        header=True,
        delimiter=delimiter,
        quotechar='"',
        escapechar='"',
        comment="",
        skiprows=0,
        na_values=["", *missing],
        strict_mode=True,
        null_padding=False,
        ignore_errors=False,
    )


def _not_excluded(texts: duckdb.DuckDBPyRelation) -> list[tuple[str, ...]]:
    """The kinds whose form every text of each column has; all of them for a column without any."""
    import pyarrow.compute as pc

    # Arrow matches at once what in a query would be thousands of expressions, slow to plan when columns are many.
    return [
        tuple(
            kind
            for kind, form in _FORMS.items()
            if pc.all(pc.match_substring_regex(column, f"^(?:{form})$"), min_count=0).as_py()
        )
        for column in texts.to_arrow_table().columns
    ]


def _possible(texts: duckdb.DuckDBPyRelation, kinds: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Which of the kinds every text of each column can be read as; none for a column without any."""
    tests = [(at, kind) for at, some in enumerate(kinds) for kind in some]
    asked = [f"bool_and({_fits(f'c{at}', kind)})" for at, kind in tests]
    # COUNT(*) is asked for even when every column is text: it makes the scanner check the shape of all lines.
    answers = texts.aggregate(", ".join(["COUNT(*)", *asked])).fetchall()[0][1:]
    yes = {test for test, answer in zip(tests, answers, strict=True) if answer}
    return [tuple(kind for kind in some if (at, kind) in yes) for at, some in enumerate(kinds)]


def _fits(column: str, kind: str) -> str:
    form = f"regexp_full_match({column}, '{_FORMS[kind]}')"
    # A column without any value has no answer, and stays text.
    return f"CASE WHEN {column} IS NULL THEN NULL ELSE {form} AND TRY_CAST({column} AS {kind}) IS NOT NULL END"


def _header(path: str, place: str, delimiter: str | None) -> tuple[list[str], str]:
    text = _beginning(path, place)
    if delimiter is None:
        first = next(iter(text.splitlines()), "")
        delimiter = max(",;\t|", key=first.count)
    try:
        names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), [])
    except csv.Error:
        raise TableError("The header of {place} is not well-formed CSV; check its quotes.", place=place) from None
    if not any(names):
        raise TableError("{place} has no header; put the column names on its first line.", place=place)
    empty = [at + 1 for at, name in enumerate(names) if not name]
    if empty:
        raise TableError("Column {at} of {place} has no name; add one to the header.", at=empty[0], place=place)
    # A header may turn out to be a row; so it is not quoted, only where the repetition stands.
    for at, name in enumerate(names):
        if name in names[:at]:
            raise TableError(
                "Columns {first} and {second} of {place} have the same name; rename one in the header.",
                first=names.index(name) + 1,
                second=at + 1,
                place=place,
            )
    return names, delimiter


def _beginning(path: str, place: str) -> str:
    """The first megabyte of the text, decompressed."""
    import pyarrow as pa

    try:
        with pa.input_stream(path, compression="detect") as stream:
            data: bytes = stream.read(_HEADER_BYTES)
    except (OSError, EOFError):
        raise TableError("{place} is damaged or not compressed as its name says; make it again.", place=place) from None
    if not data:
        raise TableError("{place} is empty; it needs a header and rows.", place=place)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:1024]:
        raise TableError("{place} is not UTF-8 text (UTF-16 or binary); save it as CSV in UTF-8.", place=place)
    try:
        # The last character may be cut in two; a wrong byte anywhere before is a wrong encoding.
        return data.decode("utf-8-sig") if len(data) < _HEADER_BYTES else data[:-4].decode("utf-8-sig", "ignore")
    except UnicodeDecodeError:
        raise TableError("{place} is not UTF-8 text; save it as CSV in UTF-8.", place=place) from None

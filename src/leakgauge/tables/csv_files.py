"""CSV files: their header, their delimiter, their encoding and the types of their columns."""

from __future__ import annotations

import csv
import glob
import io
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import IO, TYPE_CHECKING

from leakgauge.errors import OptionError, TableError
from leakgauge.tables.duckdb_failures import NOT_UTF8
from leakgauge.tables.encodings import not_utf8, pieces_of
from leakgauge.tables.reading import Reading
from leakgauge.tables.texts import forms_of_columns, plain_forms

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class CSVText:
    """The text of a CSV file where the engine can read it, its delimiter and the names of its columns.

    Attributes:
        path: of the file itself, or of a copy in memory.
        has_header: whether its first line is to be left out.
        is_copy: whether the path is gone once the text is not in use any more.
    """

    path: str
    names: tuple[str, ...]
    delimiter: str
    has_header: bool
    is_copy: bool

    @property
    def literal(self) -> str:
        """The path as the engine takes it: it would read [ ] * ? as a pattern, also in the name of a file."""
        return glob.escape(self.path)

    def opened(self, connection: duckdb.DuckDBPyConnection, reading: Reading, place: str) -> duckdb.DuckDBPyRelation:
        """The typed relation of the text, its columns numbered c0, c1, …."""
        for text in reading.missing:
            if self.delimiter in text or '"' in text:
                # The engine looks for missing values before it takes quotes away.
                raise OptionError(
                    "--missing {text!r} contains a quote or the delimiter {delimiter!r}, so it cannot be found in "
                    "{place}; leave it out, or save the table as Parquet.",
                    text=text,
                    delimiter=self.delimiter,
                    place=place,
                )
        texts = self._relation(connection, ["VARCHAR"] * len(self.names), reading)
        columns = dict(enumerate(self.names))
        forms = forms_of_columns(texts, columns, plain_forms(reading), reading, place)
        types = [forms[at].engine_type if at in forms and forms[at].is_plain else "VARCHAR" for at in columns]
        relation = self._relation(connection, types, reading)
        if all(form.is_plain for form in forms.values()):
            return relation
        written = {at: form for at, form in forms.items() if not form.is_plain}
        return relation.project(
            ", ".join(f"{written[at].value(f'c{at}')} AS c{at}" if at in written else f"c{at}" for at in columns)
        )

    def _relation(
        self, connection: duckdb.DuckDBPyConnection, types: Sequence[str], reading: Reading
    ) -> duckdb.DuckDBPyRelation:
        # Nothing is left to detection: it would take a ragged file for one wide column, and # for a comment.
        return connection.read_csv(
            self.literal,
            columns={f"c{at}": kind for at, kind in enumerate(types)},
            auto_detect=False,
            # The name of a folder, such as year=2026, is not a column of the file.
            hive_partitioning=False,
            header=self.has_header,
            delimiter=self.delimiter,
            quotechar='"',
            escapechar='"',
            comment="",
            skiprows=0,
            na_values=["", *reading.missing],
            strict_mode=True,
            null_padding=False,
            ignore_errors=False,
        )


@contextmanager
def csv_text(path: str, place: str, reading: Reading, delimiter: str | None) -> Iterator[CSVText]:
    """The text of a CSV file; a copy in memory, until it is left, where the engine cannot read the file as it is.

    Raises:
        TableError: a file without a header, or that is not text of the encoding.
    """
    pieces = pieces_of(path, reading.encoding, place)
    start = next(pieces).removeprefix("\ufeff")
    if not start:
        raise TableError("{place} is empty; it needs a header and rows.", place=place)
    delimiter = delimiter or _delimiter(next(iter(start.splitlines()), ""), reading)
    first, line = _first_record(start, delimiter, place)
    if reading.no_header and not first:
        raise TableError("{place} begins with an empty line; remove that line.", place=place)
    names = [f"column{at + 1}" for at in range(len(first))] if reading.no_header else first
    require_names(names, place)
    # The engine takes the first line break for that of all lines, also one in quotes.
    breaks = re.findall("\r\n|\r|\n", line)
    try:
        if reading.encoding is None and len(set(breaks)) < 2:
            yield CSVText(path, tuple(names), delimiter, not reading.no_header, is_copy=False)
            return
        with _in_memory() as copy:
            rows = chain([start if reading.no_header else start[len(line) :]], pieces)
            copy.write((delimiter.join("c" * len(names)) + (breaks[-1] if breaks else "\n")).encode())
            copy.writelines(piece.encode("utf-8", "replace") for piece in rows)
            copy.flush()
            name = copy.name if isinstance(copy.name, str) else f"/proc/self/fd/{copy.fileno()}"
            yield CSVText(name, tuple(names), delimiter, has_header=True, is_copy=True)
    except TableError as error:
        if error.template != NOT_UTF8:
            raise
        where = error.fields["where"]
    else:
        return
    # Raised outside the handler, so that what the engine said, which quotes values, is not even this error's context.
    raise not_utf8(path, place, where)


def _in_memory() -> IO[bytes]:
    """A file that nobody else sees, and that is gone once it is closed: in memory where the system has such."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("leakgauge"), "w+b")
    return tempfile.NamedTemporaryFile()


def _delimiter(line: str, reading: Reading) -> str:
    """The most frequent separator of the first line; one inside a number does not count."""
    if reading.no_header and reading.writes_numbers:
        signs = re.escape(reading.decimal + reading.between_thousands)
        line = re.sub(f"(?<=[0-9])[{signs}](?=[0-9])", "", line)
    return max(",;\t|", key=line.count)


def _first_record(text: str, delimiter: str, place: str) -> tuple[list[str], str]:
    """The fields of the first record, and the record itself with the end of its line."""
    lines = io.StringIO(text, newline="")
    try:
        fields = next(csv.reader(lines, delimiter=delimiter, strict=True), [])
    except csv.Error:
        raise TableError("The header of {place} is not well-formed CSV; check its quotes.", place=place) from None
    return fields, text[: lines.tell()]


def require_names(names: Sequence[str], place: str) -> None:
    """Refuse a header with names that are empty or the same."""
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

"""Texts that are numbers, dates or truth values: the kind of each column, decided on all rows.

A column is numeric only if each text in it is written as a number: codes such as 007, or longer than a number can hold,
stay text, while 1.5, 1.50 and 15e-1 become the same number. Unless a format is named, dates and timestamps are read in
ISO form only, since 01/02/2020 may be two days.
"""
# ruff: noqa: S608  (names made here, and what was asked for as quoted text, are joined; no value of a table is)

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from leakgauge.errors import ColumnError, TableError, did_you_mean
from leakgauge.tables import arrow as pa
from leakgauge.tables.duckdb_table import DuckDBDialect
from leakgauge.tables.reading import DateFormat, Reading
from leakgauge.tables.table import Kind

if TYPE_CHECKING:
    import duckdb

_FIRST_FIELDS = 500_000
_EXPONENT: Final = "(e[+-]?[0-9]+)?|[+-]?inf(inity)?|nan"


@dataclass(frozen=True)
class Form:
    """A way to write values: the engine's type of them, the form of a text, and the SQL around it that reads it."""

    engine_type: str
    pattern: str
    before: str = ""
    after: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether the engine reads such texts by itself."""
        return not self.before

    def value(self, text: str) -> str:
        """The SQL for the value of a text that is written so; of another it is an error."""
        return f"CAST({self.before}{text}{self.after} AS {self.engine_type})"

    def fits(self, text: str) -> str:
        """The SQL for whether a text is written so; NULL where there is none."""
        form = f"regexp_full_match({text}, {_literal(self.pattern)})"
        return f"CASE WHEN {text} IS NULL THEN NULL ELSE {form} AND TRY({self.value(text)}) IS NOT NULL END"


_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TRUTH = Form("BOOLEAN", "(?i)true|false")
_NUMBERS = (
    Form("BIGINT", "[+-]?(0|[1-9][0-9]{0,17})"),
    Form("DOUBLE", f"(?i)[+-]?((0|[1-9][0-9]{{0,14}})([.][0-9]*)?|[.][0-9]+){_EXPONENT}"),
)
_DATES = (
    Form("DATE", _DAY),
    Form("TIMESTAMP", _DAY + "[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?"),
)


def plain_forms(reading: Reading) -> tuple[Form, ...]:
    """What a text may be written as in a file that knows text alone, the first of them that fits."""
    return (_TRUTH, *_number_forms(reading), *_DATES)


def forms_of_columns(
    texts: duckdb.DuckDBPyRelation,
    columns: Mapping[int, str],
    forms: Sequence[Form],
    reading: Reading,
    place: str,
) -> dict[int, Form]:
    """How the texts in each of the columns c0, c1, … are written, for those that are more than text.

    ``columns`` has their names by their numbers.

    Raises:
        ColumnError: values of a column that are not written in the format named for it; how many, not which.
        TableError: a format that no column is written in.
    """
    named = _named_dates(columns, reading, place)
    free = {_date_form(how): text for (column, how), text in reading.dates.items() if column is None}
    every = [at for at in columns if at not in named]
    first = texts.limit(max(_FIRST_FIELDS // max(len(columns), 1), 100))
    # Most columns show on the first rows what they cannot be; only what is left is looked for on all of them.
    possible = _not_excluded(first, every, (*free, *forms))
    tests = [(at, form) for at in every for form in possible[at]]
    # COUNT(*) is asked for even when every column is text: it makes a scanner check the shape of all lines.
    asked = ["COUNT(*)", *(f"bool_and({form.fits(f'c{at}')})" for at, form in tests)]
    asked += [f"count_if(NOT {form.fits(f'c{at}')})" for at, form in named.items()]
    _, *answers = texts.aggregate(", ".join(asked)).fetchall()[0]
    for at, unfit in zip(named, answers[len(tests) :], strict=True):
        if unfit:
            raise ColumnError(
                "The --date-format of column {name!r} does not fit {unfit:,} of its values; correct it, or name with "
                "--missing the texts that stand for no date.",
                name=columns[at],
                unfit=unfit,
            )
    found = dict(named)
    for (at, form), fits in zip(tests, answers, strict=False):
        if fits:
            found.setdefault(at, form)
    for form, text in free.items():
        if form not in found.values():
            raise TableError(
                "No column of {place} is written as {format!r} throughout; correct the format, or name a column, as in "
                "COLUMN={format!s}.",
                place=place,
                format=text,
            )
    return dict(sorted(found.items()))


def read_texts(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    types: Sequence[str],
    names: Sequence[str],
    reading: Reading,
    place: str,
) -> str:
    """The source, or a query of it in which texts that are written as numbers or dates are such, as it was asked.

    Raises:
        ColumnError, TableError: as ``forms_of_columns``.
    """
    if not (reading.writes_numbers or reading.dates):
        return source
    raw = [f"c{at}" for at in range(len(names))]
    kind_of = DuckDBDialect().kind_of
    dated = [column for column, _ in reading.dates]
    columns = {
        at: name
        for at, (name, engine_type) in enumerate(zip(names, types, strict=True))
        if engine_type == "VARCHAR" or (name in dated and kind_of(engine_type) is Kind.INT)
    }
    for name in dated:
        if name in names and name not in columns.values():
            kind = kind_of(types[names.index(name)]).words
            raise ColumnError(
                "Column {name!r} holds {kind}, not text; leave its --date-format out.", name=name, kind=kind
            )
    connection.execute("SET VARIABLE missing = ?", [list(reading.missing)])
    texts = {at: _present(f"CAST({raw[at]} AS VARCHAR)") for at in columns}
    listed = f"{source} AS source({', '.join(raw)})"
    written = ", ".join(f"{text} AS c{at}" for at, text in texts.items())
    if not written:
        raise TableError(
            "{place} has no column of text to read numbers or dates from; leave --thousands, --decimal and "
            "--date-format out.",
            place=place,
        )
    forms = _number_forms(reading) if reading.writes_numbers else ()
    found = forms_of_columns(connection.sql(f"SELECT {written} FROM {listed}"), columns, forms, reading, place)
    values = [found[at].value(texts[at]) if at in found else raw[at] for at in range(len(names))]
    selected = ", ".join(f"{value} AS {name}" for value, name in zip(values, raw, strict=True))
    # Not a view: a database that is only read takes none, and a temporary one is seen by one connection alone.
    return f"(SELECT {selected} FROM {listed})"


def _present(text: str) -> str:
    return f"CASE WHEN list_contains(getvariable('missing')::VARCHAR[], {text}) THEN NULL ELSE {text} END"


def _number_forms(reading: Reading) -> tuple[Form, ...]:
    if not reading.writes_numbers:
        return _NUMBERS
    grouped, point = "", re.escape(reading.decimal)
    if reading.thousands is not None:
        sign = f"[{re.escape(reading.between_thousands)}]"
        # Groups of two digits are India's: 12,34,567.
        digits = "{2,3}" if reading.thousands == "," else "{3}"
        grouped = f"|[1-9][0-9]{{0,2}}({sign}[0-9]{digits}){{0,3}}{sign}[0-9]{{3}}"
    # The first letter becomes a point, the others vanish.
    read = ("translate(", f", {_literal(reading.decimal + reading.between_thousands)}, '.')")
    return (
        Form("BIGINT", f"[+-]?(0|[1-9][0-9]{{0,17}}{grouped})", *read),
        Form("DOUBLE", f"(?i)[+-]?((0|[1-9][0-9]{{0,14}}{grouped})({point}[0-9]*)?|{point}[0-9]+){_EXPONENT}", *read),
    )


def _date_form(how: DateFormat) -> Form:
    return Form(how.engine_type, how.pattern, "strptime(", f", {_literal(how.directives)})")


def _named_dates(columns: Mapping[int, str], reading: Reading, place: str) -> dict[int, Form]:
    at = {name: number for number, name in columns.items()}
    for column, _ in reading.dates:
        if column is not None and column not in at:
            raise ColumnError(
                "{place} has no column {name!r}; {hint}", place=place, name=column, hint=did_you_mean(column, at)
            )
    return {at[column]: _date_form(how) for column, how in reading.dates if column is not None}


def _not_excluded(
    texts: duckdb.DuckDBPyRelation, columns: Sequence[int], forms: Sequence[Form]
) -> dict[int, tuple[Form, ...]]:
    """The forms that every text of each column has; all of them for a column without any."""
    # Arrow matches at once what in a query would be thousands of expressions, slow to plan when columns are many.
    rows = texts.to_arrow_table()

    def excluded(at: int, form: Form) -> bool:
        fits = pa.compute.match_substring_regex(rows.column(f"c{at}"), f"^(?:{form.pattern})$")
        return not pa.compute.all(fits, min_count=0).as_py()

    return {at: tuple(form for form in forms if not excluded(at, form)) for at in columns}


def _literal(text: str) -> str:
    """A text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"

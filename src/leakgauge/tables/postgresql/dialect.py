"""PostgreSQL's own words: the kind of each type, and the functions and literals that other engines spell otherwise."""
# ruff: noqa: S608  (only expressions made here are joined; values travel as parameters)

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leakgauge.tables.aggregates import quoted
from leakgauge.tables.binnings import CalendarUnit
from leakgauge.tables.sql.dialect import Dialect, Lookup
from leakgauge.tables.table import Kind

_KINDS: Final = {
    "text": Kind.STRING,
    "boolean": Kind.BOOL,
    "integer": Kind.INT,
    "decimal": Kind.INT,
    "real": Kind.FLOAT,
    "double precision": Kind.FLOAT,
    "date": Kind.DATE,
    "timestamp": Kind.TIMESTAMP,
    "timestamptz": Kind.TIMESTAMP,
}
"""The few types that columns are read as, by what they are called from here on; others are read as text."""
_PLAIN: Final = {
    **dict.fromkeys(["int2", "int4", "int8"], "integer"),
    "bool": "boolean",
    "float4": "real",
    "float8": "double precision",
}
_TEXTS: Final = ("uuid", "char", "inet", "cidr", "macaddr", "macaddr8")
_TIMES: Final = ("date", "timestamp", "timestamptz")
_CLOCKS: Final = ("time", "timetz")
_LARGEST_INTEGER, _LARGEST_DECIMAL = 18, 38
"""Digits of whole numbers."""


@dataclass(frozen=True)
class Stored:
    """A column as the catalogue of the server describes it, a domain by the type under it.

    Attributes:
        type_name: the name of its type.
        form: the letter of the type's form, ``e`` for an enumeration.
        category: the letter of the type's category, ``S`` for texts.
        modifier: the number that holds a length or a precision; -1 where there is none.
    """

    name: str
    type_name: str
    form: str
    category: str
    modifier: int


def as_read(column: Stored) -> tuple[str, str]:
    """The SQL that a column is read by, and what its type is called."""
    raw = quoted(column.name)
    text = f'CAST({raw} AS text) COLLATE "C"'  # told apart by their bytes, whatever the collation of the column
    if column.type_name in _PLAIN:
        return raw, _PLAIN[column.type_name]
    if column.type_name in ("json", "jsonb"):
        return f"({raw} #>> '{{}}') COLLATE \"C\"", "text"
    if column.type_name == "numeric":
        return _number(raw, column.modifier)
    if column.type_name in _TIMES:
        # Where the calendar of Python has no place for it; the driver would take it for some other date.
        far = f"WHEN 'infinity' THEN '200000-01-01' WHEN '-infinity' THEN '4000-01-01 BC' ELSE {raw}"
        return f"CASE {raw} {far} END", column.type_name
    if column.form == "e" or column.category == "S" or column.type_name in _TEXTS:
        return text, "text"
    return text, "time" if column.type_name in _CLOCKS else "other"


def _number(raw: str, modifier: int) -> tuple[str, str]:
    # As numeric_in of the server packs it: precision above, an 11-bit signed scale below, 4 more than the number.
    precision, scale = (modifier - 4) >> 16, (((modifier - 4) & 0x7FF) ^ 1024) - 1024
    if modifier < 0 or scale > 0 or precision - scale > _LARGEST_DECIMAL:
        return f"CAST({raw} AS double precision)", "double precision"
    whole = f"NULLIF({raw}, 'NaN')"
    return (f"CAST({whole} AS bigint)", "integer") if precision - scale <= _LARGEST_INTEGER else (whole, "decimal")


class PostgresqlDialect(Dialect):
    """What PostgreSQL spells its own way."""

    double, integer, string = "double precision", "integer", "text"
    timestamp, moment = "timestamp", "timestamptz"
    kinds, clocks = _KINDS, ("time",)

    def is_nan(self, number: str) -> str:
        """Whether a floating-point number is NaN, which the server takes for equal to itself."""
        return f"{number} = CAST('NaN' AS double precision)"

    def start_of(self, unit: CalendarUnit, value: str, engine_type: str) -> str:
        """Where the calendar interval that holds a date or timestamp starts, in the type of the value."""
        if engine_type == self.moment:
            return f"date_trunc('{unit.value}', {value}, 'UTC')"
        start = f"date_trunc('{unit.value}', CAST({value} AS timestamp))"
        return f"CAST({start} AS date)" if engine_type == "date" else start

    def quantiles(self, value: str, shares: Sequence[float], engine_type: str) -> str:
        """A list: for each share the smallest value at or below which at least so much lies."""
        return f"percentile_disc(ARRAY[{', '.join(map(self.literal, shares))}]) WITHIN GROUP (ORDER BY {value})"

    def digest(self, values: Sequence[str]) -> str:
        """64 bits that are the same where all values are, missing ones included."""
        return f"hash_record_extended(ROW({', '.join(values)}), 0)"

    def lookup(self, value: str, kind: Kind, numbers: Mapping[str, int], variable: str) -> Lookup:
        """The number listed for a value: that of its text in an object that a setting of the transaction holds."""
        # No text of the server holds the letter NUL, which its settings cannot.
        listed = json.dumps({text: number for text, number in numbers.items() if "\0" not in text})
        told = "$1"
        if kind is Kind.FLOAT:
            # The server writes some numbers otherwise than Python does.
            own = "CAST(CAST(key AS double precision) AS text)"
            pairs = f"CAST(jsonb_object_agg({own}, value) AS text)"
            told = f"(SELECT COALESCE({pairs}, '{{}}') FROM jsonb_each(CAST($1 AS jsonb)) WHERE key <> '')"
        setup = ((f"SELECT set_config('leakgauge.{variable}', {told}, true)", (listed,)),)
        # In a query of its own the setting is read once, and not once a row.
        known = f"(SELECT CAST(current_setting('leakgauge.{variable}') AS jsonb))"
        return Lookup(f"CAST({known} ->> CAST({value} AS text) AS integer)", setup)

"""DuckDB's own words: the kind of each type, and the functions and literals that other engines spell otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from leakgauge.tables.binnings import CalendarUnit
from leakgauge.tables.sql.dialect import Dialect, Lookup
from leakgauge.tables.table import Kind

_KINDS = {
    "VARCHAR": Kind.STRING,
    "UUID": Kind.STRING,
    "JSON": Kind.STRING,
    '"NULL"': Kind.STRING,
    "BOOLEAN": Kind.BOOL,
    "FLOAT": Kind.FLOAT,
    "DOUBLE": Kind.FLOAT,
    "DATE": Kind.DATE,
    "TIMESTAMP": Kind.TIMESTAMP,
    "TIMESTAMP_S": Kind.TIMESTAMP,
    "TIMESTAMP_MS": Kind.TIMESTAMP,
    "TIMESTAMP_NS": Kind.TIMESTAMP,
    "TIMESTAMP WITH TIME ZONE": Kind.TIMESTAMP,
    **dict.fromkeys(["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"], Kind.INT),
    **dict.fromkeys(["UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"], Kind.INT),
}


class DuckDBDialect(Dialect):
    """What DuckDB spells its own way."""

    double, integer, string = "DOUBLE", "INTEGER", "VARCHAR"
    timestamp, moment = "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"
    kinds, clocks = _KINDS, ("TIME", "TIME_NS", "TIME WITH TIME ZONE")

    def kind_of(self, engine_type: str) -> Kind:
        """The kind of a type; enumerations are text."""
        if re.fullmatch(r"ENUM\(.*\)", engine_type, re.DOTALL):
            return Kind.STRING
        return super().kind_of(engine_type)

    def plain(self, raw: str, engine_type: str) -> str:
        """The value in a column: one spelling of every number and text, NaN as it is."""
        kind = self.kind_of(engine_type)
        if engine_type == "JSON":
            return f"({raw} ->> '$')"
        if kind is Kind.STRING and engine_type != "VARCHAR":
            return f"CAST({raw} AS VARCHAR)"
        if kind is Kind.TIMESTAMP and engine_type not in (self.timestamp, self.moment):
            return f"CAST({raw} AS TIMESTAMP)"
        return super().plain(raw, engine_type)

    def start_of(self, unit: CalendarUnit, value: str, engine_type: str) -> str:
        """Where the calendar interval that holds a date or timestamp starts, in the type of the value."""
        back = engine_type if engine_type in ("DATE", self.moment) else self.timestamp
        return f"CAST(date_trunc('{unit.value}', {value}) AS {back})"

    def quantiles(self, value: str, shares: Sequence[float], engine_type: str) -> str:
        """A list: for each share the smallest value at or below which at least so much lies."""
        return f"quantile_disc({value}, [{', '.join(map(self.literal, shares))}])"

    def digest(self, values: Sequence[str]) -> str:
        """64 bits that are the same where all values are, missing ones included."""
        return f"hash({', '.join(values)})"

    def lookup(self, value: str, kind: Kind, numbers: Mapping[str, int], variable: str) -> Lookup:
        """The number listed for a value: that at the place of its text in a type made of the texts."""
        # A type needs a text, and a list a value.
        listed = {"": -1, **numbers}
        texts = f"SELECT unnest(getvariable('{variable}')::VARCHAR[])"
        setup = (
            (f"SET VARIABLE {variable} = ?", (list(listed),)),
            (f"CREATE OR REPLACE TEMP TYPE {variable}_texts AS ENUM ({texts})", ()),
            (f"SET VARIABLE {variable} = ?", (list(listed.values()),)),
        )
        place = f"enum_code(TRY_CAST(CAST({value} AS VARCHAR) AS {variable}_texts)) + 1"
        return Lookup(f"getvariable('{variable}')[{place}]", setup)

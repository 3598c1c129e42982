"""DuckDB's types: what kind they are, and the SQL for their values as they are handed out."""

from __future__ import annotations

import re

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
_DECIMAL = re.compile(r"DECIMAL\(\d+,(\d+)\)")


def kind_of(engine_type: str) -> Kind:
    """The kind of a DuckDB type."""
    if re.fullmatch(r"ENUM\(.*\)", engine_type, re.DOTALL):
        return Kind.STRING
    if decimal := _DECIMAL.fullmatch(engine_type):
        return Kind.INT if decimal.group(1) == "0" else Kind.FLOAT
    return _KINDS.get(engine_type, Kind.OTHER)


def is_clock(engine_type: str) -> bool:
    """Whether a DuckDB type is a time of day without a date."""
    return engine_type in ("TIME", "TIME_NS", "TIME WITH TIME ZONE")


def value_of(raw: str, engine_type: str, missing: bool) -> str:
    """The SQL for a value: text, number, truth, date or timestamp; NULL when NaN or among the missing texts."""
    value = _plain(raw, engine_type)
    if kind_of(engine_type) is Kind.OTHER:
        return value
    absent = []
    if kind_of(engine_type) is Kind.FLOAT:
        absent.append(f"isnan({value})")
    if missing:
        absent.append(f"list_contains(getvariable('missing')::VARCHAR[], CAST({raw} AS VARCHAR))")
        if kind_of(engine_type) in (Kind.INT, Kind.FLOAT):
            # The text -9 means the number, however this column would write it.
            numbers = "list_transform(getvariable('missing')::VARCHAR[], lambda t: TRY_CAST(t AS DOUBLE))"
            absent.append(f"list_contains({numbers}, CAST({value} AS DOUBLE))")
    return f"CASE WHEN {' OR '.join(absent)} THEN NULL ELSE {value} END" if absent else value


def _plain(raw: str, engine_type: str) -> str:
    kind = kind_of(engine_type)
    if engine_type == "JSON":
        return f"({raw} ->> '$')"
    if kind is Kind.STRING and engine_type != "VARCHAR":
        return f"CAST({raw} AS VARCHAR)"
    if kind is Kind.FLOAT:
        # 0.0 and -0.0 are one number with two faces; added to zero, both show the same.
        return f"(CAST({raw} AS DOUBLE) + CAST(0 AS DOUBLE))"
    if kind is Kind.TIMESTAMP and engine_type not in ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE"):
        return f"CAST({raw} AS TIMESTAMP)"
    return raw

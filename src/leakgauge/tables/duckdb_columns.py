"""Columns in DuckDB: the kind of each type, and the SQL for values as they are handed out and for bins."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

from leakgauge.errors import ColumnError
from leakgauge.probability import Interval
from leakgauge.tables import aggregates
from leakgauge.tables.aggregates import Naming
from leakgauge.tables.binnings import Auto, Binning, Calendar, CalendarUnit, Edges, Learnt, Quantiles, Width
from leakgauge.tables.coarser import coarser_texts
from leakgauge.tables.levels import Levels
from leakgauge.tables.table import Column, Kind

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


_LAST = 2**53
"""Whole numbers up to here have a place of their own among floats."""
_NUMBERS = (Kind.INT, Kind.FLOAT)
_TIMES = (Kind.DATE, Kind.TIMESTAMP)
_MONTHS = {CalendarUnit.YEAR: 12, CalendarUnit.QUARTER: 3, CalendarUnit.MONTH: 1}
_LENGTHS = {
    CalendarUnit.WEEK: timedelta(weeks=1),
    CalendarUnit.DAY: timedelta(days=1),
    CalendarUnit.HOUR: timedelta(hours=1),
}


@dataclass(frozen=True)
class Bin:
    """A key to group by, the values of the variable it refers to, and the interval or text of each key.

    Attributes:
        texts: those of the type, called like the variable, that the key refers to; none where it refers to no type.
    """

    key: str
    values: list[Any]
    naming: Naming
    texts: list[str] = field(default_factory=list)


def make_bin(column: Column, value: str, variable: str, binning: Binning, *, zoned: bool) -> Bin:
    """The bin of a column; ``variable`` is where it looks up its values. What a table decides is settled before."""
    assert not isinstance(binning, Quantiles | Auto)
    match binning:
        case Width(width):
            _require(column, _NUMBERS, "equal widths need numbers")
            wide = float(width)
            number, divisor = f"CAST({value} AS DOUBLE)", f"getvariable('{variable}')[1]"
            # Where the number of a bin has no place for its last digit, neighbours merge; NaN marks it.
            lost = f"NOT isinf({number}) AND ABS({number} / {divisor}) > {_LAST}"
            key = f"CASE WHEN {lost} THEN CAST('NaN' AS DOUBLE) ELSE {aggregates.width_bin(number, divisor)} END"
            return Bin(key, [wide], lambda k: _step(column, float(k), wide))
        case Calendar(unit):
            _require(column, _TIMES, "calendar bins need dates or timestamps")
            if unit is CalendarUnit.HOUR and column.kind is Kind.DATE:
                raise ColumnError("Column {name!r} holds dates without hours; bin it by day.", name=column.name)
            back = "DATE" if column.kind is Kind.DATE else "TIMESTAMP WITH TIME ZONE" if zoned else "TIMESTAMP"
            key = f"CAST(date_trunc('{unit.value}', {value}) AS {back})"
            return Bin(key, [], lambda start: Interval(start, _after(start, unit)))
        case Edges(cuts) | Learnt(cuts):
            _require(column, _NUMBERS + _TIMES, "edges need numbers or dates")
            return _between(value, variable, [_fitting(column, cut, zoned) for cut in cuts])
        case Levels():
            _require(column, tuple(set(Kind) - {Kind.OTHER}), "levels need text, numbers or dates")
            return _coarser(column, value, variable, binning)


NOT_COVERED = -1
"""The key of a value that levels do not list."""


def _coarser(column: Column, value: str, variable: str, levels: Levels) -> Bin:
    """The place of the coarser value among all of them, found in a type that lists the texts of the values."""
    labels = levels.labels
    places = {label: at for at, label in enumerate(labels)}
    listed = {text: places[coarser] for text, coarser in coarser_texts(levels, column).items()}
    missing = listed.get("", "NULL")
    text = f"CAST({value} AS VARCHAR)"
    found = f"getvariable('{variable}')[enum_code(TRY_CAST({text} AS {variable}_texts)) + 1]"
    key = f"CASE WHEN {value} IS NULL THEN {missing} ELSE COALESCE({found}, {NOT_COVERED}) END"
    # A type needs a text, and a list a value.
    listed.setdefault("", NOT_COVERED)
    return Bin(f"CAST({key} AS INTEGER)", list(listed.values()), lambda at: labels[at], list(listed))


def require_quantiles(column: Column) -> None:
    """Refuse a column that has no quantiles."""
    _require(column, _NUMBERS + _TIMES, "quantiles need numbers or dates")


def _step(column: Column, k: float, wide: float) -> Interval:
    if math.isnan(k):
        raise ColumnError(
            "Column {name!r} holds numbers too large for bins of width {width}; give a larger width.",
            name=column.name,
            width=wide,
        )
    return Interval(k * wide, (k + 1) * wide)


def _between(value: str, variable: str, cuts: Sequence[Any]) -> Bin:
    intervals = [Interval(low, high) for low, high in pairwise([None, *cuts, None])]
    return Bin(
        aggregates.edge_bin(value, [f"getvariable('{variable}')[{at + 1}]" for at in range(len(cuts))]),
        list(cuts),
        lambda at: intervals[at],
    )


def _require(column: Column, kinds: Sequence[Kind], rule: str) -> None:
    if column.kind not in kinds:
        raise ColumnError(
            "Column {name!r} holds {kind}, but {rule}; count it without bins or choose another binning.",
            name=column.name,
            kind=column.kind.words,
            rule=rule,
        )


def _fitting(column: Column, cut: float | date, zoned: bool) -> float | date:
    """The cut point in the column's own type, so that intervals compare with its values."""
    if column.kind in _NUMBERS and not isinstance(cut, date):
        return float(cut)
    if column.kind is Kind.DATE and isinstance(cut, date) and not isinstance(cut, datetime):
        return cut
    if column.kind is Kind.TIMESTAMP and isinstance(cut, date):
        moment = cut if isinstance(cut, datetime) else datetime(cut.year, cut.month, cut.day)  # noqa: DTZ001 (set below)
        if zoned:
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
        if moment.tzinfo is None:
            return moment
    raise ColumnError(
        "Column {name!r} holds {kind}, but the edge {cut} is of another kind; give edges of the same kind.",
        name=column.name,
        kind=column.kind.words,
        cut=cut,
    )


def _after(start: date, unit: CalendarUnit) -> date | None:
    """Where the next calendar interval starts; None where the calendar ends."""
    try:
        if unit in _LENGTHS:
            return start + _LENGTHS[unit]
        years, month = divmod(start.month - 1 + _MONTHS[unit], 12)
        return start.replace(year=start.year + years, month=month + 1)
    except (OverflowError, ValueError):
        return None

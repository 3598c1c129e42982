"""Bins as SQL: a key to group by, and the interval or text of each key."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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
from leakgauge.tables.sql.dialect import Dialect
from leakgauge.tables.table import Column, Kind

LAST = 2**53
"""Whole numbers up to here have a place of their own among floats."""
NUMBERS = (Kind.INT, Kind.FLOAT)
TIMES = (Kind.DATE, Kind.TIMESTAMP)
_MONTHS = {CalendarUnit.YEAR: 12, CalendarUnit.QUARTER: 3, CalendarUnit.MONTH: 1}
_LENGTHS = {
    CalendarUnit.WEEK: timedelta(weeks=1),
    CalendarUnit.DAY: timedelta(days=1),
    CalendarUnit.HOUR: timedelta(hours=1),
}
NOT_COVERED = -1
"""The key of a value that levels do not list."""


@dataclass(frozen=True)
class Bin:
    """A key to group by, what a connection runs before it meets the key, and the interval or text of each key."""

    key: str
    naming: Naming
    setup: tuple[tuple[str, tuple[Any, ...]], ...] = ()


def make_bin(dialect: Dialect, column: Column, engine_type: str, value: str, at: int, binning: Binning) -> Bin:
    """The bin of the column number ``at``. What a table decides of a binning is settled before."""
    assert not isinstance(binning, Quantiles | Auto)
    match binning:
        case Width(width):
            require_kind(column, NUMBERS, "equal widths need numbers")
            wide = float(width)
            number, divisor = f"CAST({value} AS {dialect.double})", dialect.literal(wide)
            # Where the number of a bin has no place for its last digit, neighbours merge; NaN marks it.
            finite = f"ABS({number}) <> {dialect.literal(math.inf)}"
            lost = f"{finite} AND ABS({number}) > {dialect.literal(LAST * wide)}"
            place = aggregates.width_bin(number, divisor, dialect.floor(f"({number} / {divisor})"))
            key = f"CASE WHEN {lost} THEN {dialect.literal(math.nan)} ELSE {place} END"
            return Bin(key, lambda k: step_interval(column, float(k), wide))
        case Calendar(unit):
            require_calendar(column, unit)
            key = dialect.start_of(unit, value, engine_type)
            return Bin(key, lambda start: Interval(start, calendar_end(start, unit)))
        case Edges(cuts) | Learnt(cuts):
            require_kind(column, NUMBERS + TIMES, "edges need numbers or dates")
            fitting = [fitting_cut(column, cut, engine_type == dialect.moment) for cut in cuts]
            intervals = [Interval(low, high) for low, high in pairwise([None, *fitting, None])]
            key = aggregates.edge_bin(value, [dialect.literal(cut) for cut in fitting])
            return Bin(key, lambda place: intervals[place])
        case Levels():
            require_kind(column, tuple(set(Kind) - {Kind.OTHER}), "levels need text, numbers or dates")
            return _coarser(dialect, column, value, f"b{at}", binning)


def _coarser(dialect: Dialect, column: Column, value: str, variable: str, levels: Levels) -> Bin:
    """The place of the coarser value among all of them."""
    labels = levels.labels
    places = {label: at for at, label in enumerate(labels)}
    listed = {text: places[coarser] for text, coarser in coarser_texts(levels, column).items()}
    missing = listed.get("", "NULL")
    found = dialect.lookup(value, column.kind, listed, variable)
    key = f"CASE WHEN {value} IS NULL THEN {missing} ELSE COALESCE({found.sql}, {NOT_COVERED}) END"
    return Bin(f"CAST({key} AS {dialect.integer})", lambda at: labels[at], found.setup)


def require_calendar(column: Column, unit: CalendarUnit) -> None:
    """Refuse a column that the calendar does not divide so."""
    require_kind(column, TIMES, "calendar bins need dates or timestamps")
    if unit is CalendarUnit.HOUR and column.kind is Kind.DATE:
        raise ColumnError("Column {name!r} holds dates without hours; bin it by day.", name=column.name)


def require_quantiles(column: Column) -> None:
    """Refuse a column that has no quantiles."""
    require_kind(column, NUMBERS + TIMES, "quantiles need numbers or dates")


def step_interval(column: Column, k: float, wide: float) -> Interval:
    """The interval number k of equal widths; NaN stands for a number too large to have one."""
    if math.isnan(k):
        raise ColumnError(
            "Column {name!r} holds numbers too large for bins of width {width}; give a larger width.",
            name=column.name,
            width=wide,
        )
    return Interval(k * wide, (k + 1) * wide)


def require_kind(column: Column, kinds: Sequence[Kind], rule: str) -> None:
    """Refuse a column of another kind."""
    if column.kind not in kinds:
        raise ColumnError(
            "Column {name!r} holds {kind}, and {rule}; count it as it is or choose another binning.",
            name=column.name,
            kind=column.kind.words,
            rule=rule,
        )


def fitting_cut(column: Column, cut: float | date, zoned: bool) -> float | date:
    """The cut point in the column's own type, so that intervals compare with its values."""
    if column.kind in NUMBERS and not isinstance(cut, date):
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
        "Column {name!r} holds {kind}, which the edge {cut} does not fit; give edges of the same kind.",
        name=column.name,
        kind=column.kind.words,
        cut=cut,
    )


def calendar_end(start: date, unit: CalendarUnit) -> date | None:
    """Where the next calendar interval starts; None where the calendar ends."""
    try:
        if unit in _LENGTHS:
            return start + _LENGTHS[unit]
        years, month = divmod(start.month - 1 + _MONTHS[unit], 12)
        return start.replace(year=start.year + years, month=month + 1)
    except (OverflowError, ValueError):
        return None

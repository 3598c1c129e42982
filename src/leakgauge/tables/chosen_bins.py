"""Bins learnt from a table: edges at its quantiles or a calendar unit; and the error of replacing values by bin
centres."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import numpy as np

from leakgauge.distances.centres import EPOCH, centres, day_of
from leakgauge.probability import Interval
from leakgauge.probability.cells import Floats
from leakgauge.tables import arrow as pa
from leakgauge.tables.binnings import MOST_BINS, Auto, Binning, Calendar, CalendarUnit, Learnt, Quantiles, learnt_edges
from leakgauge.tables.table import Kind, Table

NUMBER, FEWEST = 20, 4
"""The default number of bins of numbers; fewer in a small table."""
ROWS_PER_BIN = 25
FINER = (20, 50, 100, MOST_BINS)
"""Numbers of bins that are tried for an error."""
CANDIDATES, ROWS_PER_CANDIDATE = 1000, 5
"""Edges stand at quantiles, so that no bin singles out the few rows of a long tail."""
BINS_SHARE = 0.25
"""The share of the error allowed that bins may use; the rest is for protection."""
FEW_UNITS, MANY_UNITS = 12, 60
"""Bins of a calendar that are about right."""


def settled(table: Table, column: str, binning: Binning) -> Binning:
    """The binning with everything the table decides."""
    if isinstance(binning, Quantiles):
        return table.learnt(column, binning)
    if not isinstance(binning, Auto):
        return binning
    kinds = {one.name: one.kind for one in table.columns()}
    if kinds.get(column) in (Kind.DATE, Kind.TIMESTAMP):
        return _calendar(table, column, binning, clock=kinds[column] is Kind.TIMESTAMP)
    return _edges(table, column, binning)


def _edges(table: Table, column: str, asked: Auto) -> Learnt:
    if asked.within is None:
        number = min(max(table.rows // ROWS_PER_BIN, FEWEST), NUMBER)
        return Learnt(table.learnt(column, Quantiles(number)).cuts, asked)
    most = min(max(table.rows // ROWS_PER_CANDIDATE, FEWEST), CANDIDATES)
    cuts: Any = table.learnt(column, Quantiles(most)).cuts
    found = Learnt(cuts, asked)
    for number in FINER:
        if len(cuts) < 2 or number > max(asked.most, FINER[0]):
            break
        found = _spread(np.asarray(cuts, dtype=np.float64), number, asked)
        if bin_error(table, column, found) <= BINS_SHARE * asked.within:
            break
    return found


def _spread(cuts: Floats, number: int, asked: Auto) -> Learnt:
    """So many bins between quantiles, placed where they lower the mean absolute error most.

    For that the density of edges goes with the square root of the density of the values (Gish and Pierce, 1968);
    between neighbouring quantiles, which hold equally many rows, with that of their distance.
    """
    steps = np.concatenate([[0.0], np.cumsum(np.sqrt(np.diff(cuts)))])
    places = np.searchsorted(steps, np.linspace(0.0, steps[-1], number - 1))
    chosen = cuts[np.unique(np.minimum(places, len(cuts) - 1))].tolist()
    if len(chosen) < 2:
        return Learnt(tuple(chosen), asked)
    first, last = chosen[1] - chosen[0], chosen[-1] - chosen[-2]
    return learnt_edges(asked, [chosen[0] - first, *chosen, chosen[-1] + last])


_STARTS: dict[CalendarUnit, Callable[[date], object]] = {
    CalendarUnit.YEAR: lambda day: day.year,
    CalendarUnit.QUARTER: lambda day: (day.year, (day.month - 1) // 3),
    CalendarUnit.MONTH: lambda day: (day.year, day.month),
    CalendarUnit.WEEK: lambda day: day - timedelta(days=day.weekday()),
    CalendarUnit.DAY: lambda day: day,
}


def _calendar(table: Table, column: str, asked: Auto, *, clock: bool) -> Calendar:
    """The unit with about the right number of bins; for an error the coarsest that is fine enough."""
    by_day = table.counts(column, bins={column: Calendar(CalendarUnit.DAY)})
    days: list[Any] = [label.low for label in by_day.labels(column) if isinstance(label, Interval)]
    numbers = {unit: len({start(day) for day in days}) for unit, start in _STARTS.items()}
    if clock and numbers[CalendarUnit.DAY] <= MOST_BINS:
        (hours,) = table.group_sizes([(column,)], {column: Calendar(CalendarUnit.HOUR)})
        numbers[CalendarUnit.HOUR] = hours.groups
    if asked.within is None:
        # The coarser of two that are as near.
        far = {unit: max(FEW_UNITS / max(count, 1), count / MANY_UNITS, 1.0) for unit, count in numbers.items()}
        return Calendar(min(far, key=lambda unit: far[unit]), asked)
    fitting = [Calendar(unit, asked) for unit, count in numbers.items() if count <= asked.most]
    for found in fitting:
        if bin_error(table, column, found) <= BINS_SHARE * asked.within:
            return found
    return fitting[-1] if fitting else Calendar(CalendarUnit.YEAR, asked)


def bin_error(table: Table, column: str, binning: Binning) -> float:
    """The mean of |value − centre of its bin| over the rows that have a value, in the column's unit or in days."""
    labels = table.counts(column, bins={column: binning}).labels(column)
    bins = [label for label in labels if isinstance(label, Interval)]
    if not bins:
        return 0.0
    middles, lows = centres(bins), np.array([-np.inf if one.low is None else _place(one.low) for one in bins])
    total, count = 0.0, 0
    for batch in table.batches(column):
        values = places_of(batch.column(0))
        values = values[~np.isnan(values)]
        count += len(values)
        total += float(np.abs(values - middles[np.searchsorted(lows, values, side="right") - 1]).sum())
    return total / max(count, 1)


def present_share(table: Table, column: str) -> float:
    """The share of rows that have a value."""
    missing = sum(int(np.isnan(places_of(batch.column(0))).sum()) for batch in table.batches(column))
    return 1 - missing / max(table.rows, 1)


def places_of(column: pa.Array) -> Floats:
    """The numbers of a column, or its dates in days; NaN where one is missing."""
    kind = column.type
    if pa.types.is_date(kind):
        return _floats(column.cast(pa.date32()).cast(pa.int32())) + EPOCH
    if pa.types.is_timestamp(kind):
        micros = pa.compute.cast(column, pa.timestamp("us", kind.tz), safe=False).cast(pa.int64())
        return _floats(micros) / 86_400e6 + EPOCH
    return _floats(column)


def _floats(column: pa.Array) -> Floats:
    return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def _place(bound: float | date) -> float:
    return day_of(bound) if isinstance(bound, date) else float(bound)

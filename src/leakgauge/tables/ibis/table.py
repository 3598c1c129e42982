"""A table of Ibis: aggregates as expressions, which its backend works out."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast
from zoneinfo import ZoneInfo

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import EngineError, LeakgaugeError, TableError
from leakgauge.probability import Counts, Interval
from leakgauge.tables import arrow as pa
from leakgauge.tables.aggregates import Naming, counts_from_groups, require_within
from leakgauge.tables.binnings import (
    Auto,
    Binning,
    Bins,
    Calendar,
    CalendarUnit,
    Edges,
    Learnt,
    Quantiles,
    Width,
    learnt_edges,
)
from leakgauge.tables.chosen_bins import settled
from leakgauge.tables.failures import Result, without_values
from leakgauge.tables.levels import Levels
from leakgauge.tables.reading import Reading
from leakgauge.tables.sql import bins as shared
from leakgauge.tables.sql.dialect import number_of
from leakgauge.tables.sql.table import (
    moments_of,
    require_columns,
    require_countable,
    require_counted,
    require_numbers,
)
from leakgauge.tables.table import LARGEST, Column, Digests, Engine, GroupSizes, Kind, Moments, Table

if TYPE_CHECKING:
    import ibis
    import ibis.expr.datatypes as dt

_LOST = 2.0**54
"""The number of a bin that a number is too large for; others are below 2^53."""
_UNITS = {
    CalendarUnit.YEAR: "Y",
    CalendarUnit.QUARTER: "Q",
    CalendarUnit.MONTH: "M",
    CalendarUnit.WEEK: "W",
    CalendarUnit.DAY: "D",
    CalendarUnit.HOUR: "h",
}


class IbisTable(Table):
    """A table that Ibis has; made by ``open_table``. Rows are counted where they are, and not read one by one."""

    def __init__(self, rows: ibis.Table, missing: Sequence[str], place: str) -> None:
        from ibis.expr.operations import IsNan

        self._place = place
        self._types: list[dt.DataType] = list(rows.schema().types)
        self._columns = tuple(Column(name, _kind(kind)) for name, kind in rows.schema().items())
        self._at = {column.name: at for at, column in enumerate(self._columns)}
        # Numbered, so that no name means something to a backend.
        self._rows = rows.select(**{f"c{at}": rows[name] for at, name in enumerate(self._at)})
        # What has no word for NaN has no NaN.
        nan = rows.get_backend().has_operation(IsNan)
        self._values = [
            _value(self._rows[f"c{at}"], column, missing, nan=nan) for at, column in enumerate(self._columns)
        ]

    @cached_property
    def rows(self) -> int:
        """The number of rows."""
        return int(self._asked(lambda: self._rows.count().as_table()).column(0)[0].as_py())

    def columns(self) -> tuple[Column, ...]:
        """The columns in the table's order."""
        return self._columns

    @checked
    def counts(self, *columns: str, bins: Bins | None = None, limit: int = LARGEST) -> Counts:
        """How often each combination of values occurs, one axis per column; at most ``limit`` combinations."""
        chosen = self._chosen(columns, "counted")
        require_countable(columns, limit, self._at)
        keys, namings = self._keys(chosen, bins or {})
        named = {f"k{at}": keys[at] for at in chosen}

        def groups() -> ibis.Table:
            keyed = self._rows.select(**named)
            found = keyed.group_by(list(named)).agg(n=keyed.count()).limit(limit + 1)
            # Whole numbers travel as text: with a missing one among them some backends hand out floats.
            return found.mutate(**{name: found[name].cast("string") for name in whole}).select(*named, "n")

        whole = {name: key.type().to_pyarrow() for name, key in named.items() if key.type().is_integer()}
        found = self._asked(groups)
        require_within(found.num_rows, columns, limit)
        for name, kind in whole.items():
            place = found.column_names.index(name)
            found = found.set_column(place, name, found.column(place).cast(kind))
        return counts_from_groups(found, columns, [namings.get(at) for at in chosen])

    @checked
    def moments(self, *columns: str) -> dict[str, Moments]:
        """The moments of each column by its name; without names, of all numeric columns."""
        numeric = [column.name for column in self._columns if column.kind in shared.NUMBERS]
        chosen = self._chosen(columns or numeric, "averaged")
        require_numbers([self._columns[at] for at in chosen])
        parts: dict[str, Any] = {"n": self._rows.count()}
        for at in chosen:
            value = self._values[at].cast("float64")
            found = [value.count(), value.mean(), value.var(how="sample"), value.min(), value.max()]
            parts |= {f"p{at}_{place}": one for place, one in enumerate(found)}
        line = self._asked(lambda: self._rows.aggregate(**parts))
        rows, *numbers = [column[0].as_py() for column in line.columns]
        return moments_of([self._columns[at] for at in chosen], int(rows), numbers)

    def group_sizes(
        self, sets: Sequence[Sequence[str]], bins: Bins | None = None, *, unit: str | None = None
    ) -> list[GroupSizes]:
        """For each set of columns, the sizes of the groups of rows that agree in them; a query for each."""
        person = None if unit is None else self._values[self._chosen([unit], None)[0]]
        found = []
        for names in sets:
            chosen = self._chosen(names, None)
            keys, _ = self._keys(chosen, {name: how for name, how in (bins or {}).items() if name in names})
            line = self._asked(partial(self._sizes, [keys[at] for at in chosen], person))
            groups, alone, smallest, largest = (int(column[0].as_py()) for column in line.columns)
            found.append(GroupSizes(tuple(names), groups, alone, smallest, largest))
        return found

    def learnt(self, column: str, quantiles: Quantiles) -> Learnt:
        """The edges that the quantiles of a column give, rounded, by its distinct values."""
        (at,) = self._chosen([column], "counted")
        shared.require_quantiles(self._columns[at])
        counts = self.counts(column)
        known = [
            (label, int(n)) for label, n in zip(counts.labels(column), counts.array(), strict=True) if label is not None
        ]
        if not known:
            return learnt_edges(quantiles, [])
        values, below = [label for label, _ in known], np.cumsum([n for _, n in known])
        # The smallest value at or below which at least so many rows lie, exactly.
        wanted = [max(-(-step * int(below[-1]) // quantiles.number), 1) for step in range(quantiles.number + 1)]
        edges: list[Any] = [values[place] for place in np.searchsorted(below, wanted)]
        numeric = self._columns[at].kind in shared.NUMBERS
        return learnt_edges(quantiles, [float(edge) if numeric else edge for edge in edges])

    def batches(self, *columns: str, bins: Bins | None = None, size: int = 65536) -> Iterator[pa.RecordBatch]:
        """Refused as soon as a row is asked for: rows of most backends have no order that lasts."""
        self._keys(self._chosen(columns, None), bins or {})
        return self._no_rows()

    def digests(self, sets: Sequence[Sequence[str]], bins: Bins | None = None) -> list[Digests]:
        """Refused, like rows."""
        raise _not_streamed(self._place)

    def close(self) -> None:
        """Nothing: the connection is somebody else's."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._place}; {len(self._columns)} columns)"

    def _no_rows(self) -> Iterator[pa.RecordBatch]:
        raise _not_streamed(self._place)
        yield

    def _asked(self, expression: Callable[[], ibis.Table]) -> pa.Table:
        return guarded(self._place, lambda: expression().to_pyarrow())

    def _chosen(self, names: Sequence[str], use: str | None) -> list[int]:
        require_columns(names, self._columns, self._place, use, [kind.is_time() for kind in self._types])
        return [self._at[name] for name in names]

    def _sizes(self, keys: Sequence[Any], person: Any) -> ibis.Table:
        named = {f"k{at}": key for at, key in enumerate(keys)}
        keyed = self._rows.select(**named, **({} if person is None else {"u": person}))
        each = keyed.group_by(keyed.columns).agg(n=keyed.count())
        # By way of persons, since backends do not agree on whether a missing one is among the distinct.
        groups = each.group_by(list(named)).agg(n=each.n.sum(), people=each.n.sum() if person is None else each.count())
        alone = (groups.people == 1).ifelse(groups.n, 0).sum()
        return groups.aggregate(
            groups=groups.count(), alone=alone, smallest=groups.people.min(), largest=groups.people.max()
        )

    def _keys(self, chosen: Sequence[int], bins: Bins) -> tuple[dict[int, Any], dict[int, Naming]]:
        """What each column is grouped by, and what the keys of bins stand for."""
        require_counted(bins, [self._columns[at].name for at in chosen])
        keys, namings = {at: self._values[at] for at in chosen}, {}
        for name, how in bins.items():
            at = self._at[name]
            keys[at], namings[at] = self._bin(at, settled(self, name, how))
        return keys, namings

    def _bin(self, at: int, how: Binning) -> tuple[Any, Naming]:
        assert not isinstance(how, Quantiles | Auto)
        column, value = self._columns[at], self._values[at]
        match how:
            case Width(width):
                shared.require_kind(column, shared.NUMBERS, "equal widths need numbers")
                wide = float(width)
                return _step(value.cast("float64"), wide), lambda k: shared.step_interval(
                    column, math.nan if k == _LOST else float(k), wide
                )
            case Calendar(unit):
                shared.require_calendar(column, unit)
                zone = _zone(value)
                return value.truncate(_UNITS[unit]), lambda start: _calendar_interval(start, unit, zone)
            case Edges(cuts) | Learnt(cuts):
                shared.require_kind(column, shared.NUMBERS + shared.TIMES, "edges need numbers or dates")
                fitting = [shared.fitting_cut(column, cut, _zone(value) is not None) for cut in cuts]
                intervals = [Interval(low, high) for low, high in pairwise([None, *fitting, None])]
                return _among(value, fitting), lambda place: intervals[place]
            case Levels():
                raise TableError(
                    "Levels of column {name!r} cannot be looked up through Ibis; save {place} as a file.",
                    name=column.name,
                    place=self._place,
                )


def guarded(place: str, action: Callable[[], Result]) -> Result:
    """What the action gives; whatever a backend raises in it becomes one sentence, free of any value."""
    from ibis.common.exceptions import OperationNotDefinedError, UnsupportedOperationError

    def sentence(error: Exception) -> LeakgaugeError:
        if isinstance(error, OperationNotDefinedError | UnsupportedOperationError):
            return TableError(
                "{place} cannot be asked this through Ibis, whose backend has no words for it; save the table as a "
                "file.",
                place=place,
            )
        return EngineError(
            "{place} could not be read through Ibis ({kind}); check the connection, or save the table as a file.",
            place=place,
            kind=type(error).__name__,
        )

    return without_values(action, Exception, sentence)  # every backend has errors of its own


def _not_streamed(place: str) -> TableError:
    return TableError(
        "{place} can be counted through Ibis but not read row by row, since its rows have no lasting order; save it as "
        "a file, or open what its to_pyarrow() gives.",
        place=place,
    )


def _kind(kind: dt.DataType) -> Kind:
    if kind.is_decimal():
        return Kind.INT if kind.scale == 0 else Kind.FLOAT
    kinds = {
        Kind.STRING: kind.is_string() or kind.is_null() or kind.is_uuid(),
        Kind.BOOL: kind.is_boolean(),
        Kind.INT: kind.is_integer(),
        Kind.FLOAT: kind.is_floating(),
        Kind.DATE: kind.is_date(),
        Kind.TIMESTAMP: kind.is_timestamp(),
    }
    return next((one for one, holds in kinds.items() if holds), Kind.OTHER)


def _value(raw: Any, column: Column, missing: Sequence[str], *, nan: bool) -> Any:
    """The value in a column as it is handed out: null where it is NaN or among the missing texts."""
    import ibis

    absent, value = [], raw
    match column.kind:
        case Kind.FLOAT:
            # 0.0 and -0.0 are one number with two faces.
            number = raw.cast("float64")
            value = (number == 0.0).ifelse(0.0, number)
            absent += [value.isnan()] if nan else []
        case Kind.TIMESTAMP if raw.type().timezone is not None:
            value = raw.cast("timestamp('UTC')")
        case Kind.STRING:
            value = raw.cast("string")
        case Kind.OTHER:
            return value
    if missing:
        absent.append(raw.cast("string").isin(missing))
        numbers = [number for text in missing if (number := number_of(text)) is not None]
        if column.kind in shared.NUMBERS and numbers:
            absent.append(value.cast("float64").isin(numbers))
    return value if not absent else ibis.or_(*absent).ifelse(ibis.null(value.type()), value)


def _zone(value: Any) -> ZoneInfo | None:
    """That of a column of moments, which are in UTC."""
    return ZoneInfo("UTC") if value.type().is_timestamp() and value.type().timezone is not None else None


def _calendar_interval(start: Any, unit: CalendarUnit, zone: ZoneInfo | None) -> Interval:
    if zone is not None:
        start = start.replace(tzinfo=zone)  # some backends lose it
    return Interval(start, shared.calendar_end(start, unit))


def _step(number: Any, wide: float) -> Any:
    """The number of the interval of equal width that holds a number; near an edge a rounded quotient may be wrong."""
    import ibis

    k = (number / wide).floor().cast("float64")
    nearer = (number < k * wide).ifelse(-1.0, (number >= (k + 1.0) * wide).ifelse(1.0, 0.0))
    lost = (number.abs() != math.inf) & (number.abs() > shared.LAST * wide)
    return number.isnull().ifelse(ibis.null("float64"), lost.ifelse(_LOST, k + nearer))


def _among(value: Any, cuts: Sequence[Any]) -> Any:
    """How many of the increasing cut points are at or below the value, by bisection; a missing value stays so."""
    import ibis

    points = [ibis.literal(cut, type=value.type() if not isinstance(cut, float) else "float64") for cut in cuts]

    def search(low: int, high: int) -> Any:
        if low == high:
            return ibis.literal(low, type="int64")
        middle = (low + high) // 2
        return (value < points[middle]).ifelse(search(low, middle), search(middle + 1, high))

    return value.isnull().ifelse(ibis.null("int64"), search(0, len(points)))


class Ibis(Engine):
    """Table expressions of Ibis, on the connection that they were made by."""

    def takes(self, source: object) -> bool:
        """Whether it is such an expression; nobody has one before Ibis is loaded."""
        loaded = sys.modules.get("ibis")
        return loaded is not None and isinstance(source, loaded.Table)

    def open(self, source: object, reading: Reading) -> Table:
        """The table, which is counted where it is."""
        rows = cast("ibis.Table", source)
        place = _place(rows)
        reading.require_missing_alone(place)
        table = IbisTable(rows, tuple(reading.missing), place)
        if not table.rows:
            raise TableError("{place} has no rows; there is nothing to measure.", place=place)
        return table


def _place(rows: ibis.Table) -> str:
    """How messages call it."""
    from ibis.common.exceptions import IbisError
    from ibis.expr.operations import DatabaseTable

    try:
        backend = rows.get_backend().name
    except IbisError:
        raise TableError(
            "The Ibis table belongs to no connection; make it by one, as in connection.table(NAME)."
        ) from None
    return f"{rows.get_name()!r} in {backend}" if isinstance(rows.op(), DatabaseTable) else f"Ibis's table in {backend}"

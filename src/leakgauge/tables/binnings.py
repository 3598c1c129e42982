"""Binnings: intervals of numbers and dates, declared or learnt from a table."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.tables.levels import Levels, parse_levels

FORMS = (
    "width:10, quantiles:5, edges:0,18,65, edges:2020-01-01,2021-01-01, year, quarter, month, week, day, hour or auto"
)


@dataclass(frozen=True)
class Width:
    """Intervals [k·width, (k+1)·width) of a numeric column."""

    width: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.width) and self.width > 0):
            raise OptionError(
                "A bin width of {width} is not a finite number above 0; give one that is.", width=self.width
            )
        if self.width < sys.float_info.min:
            raise OptionError(
                "A bin width of {width} is too close to 0 to divide by; give a larger one.", width=self.width
            )


@dataclass(frozen=True)
class Quantiles:
    """This many intervals with about equally many rows each; their edges are learnt from the table: see ``Learnt``."""

    number: int

    def __post_init__(self) -> None:
        if not 2 <= self.number <= 10_000:
            raise OptionError(
                "{number} quantile bins are not 2 to 10000; give a number in that range.", number=self.number
            )


MOST_BINS = 200
"""Bins that are chosen for an error, at most."""


@dataclass(frozen=True)
class Auto:
    """Automatic bins: about 20 edges learnt from the numbers of a column, or the calendar unit of its dates.

    ``within`` is the mean error allowed, in the column's unit or in days: bins are then so fine that replacing values
    by the centres of their bins takes at most a quarter of it, if ``most`` bins suffice.
    """

    within: float | None = None
    most: int = MOST_BINS

    def __post_init__(self) -> None:
        if not 2 <= self.most <= MOST_BINS:
            raise OptionError(
                "{most} bins are not 2 to {limit}; give such a number after auto:ERROR:.",
                most=self.most,
                limit=MOST_BINS,
            )
        if self.within is not None and not 0 < self.within < math.inf:
            raise OptionError(
                "A mean error of {within} is not a finite number above 0; give one after auto:.", within=self.within
            )


@dataclass(frozen=True)
class Edges:
    """Intervals between cut points, all numbers or all dates; the first and the last interval are unbounded."""

    cuts: tuple[float, ...] | tuple[date, ...]

    def __post_init__(self) -> None:
        if not self.cuts:
            raise OptionError("Bin edges need at least one cut point, such as edges:0,18,65.")
        dates = [isinstance(cut, date) for cut in self.cuts]
        clocks = [isinstance(cut, datetime) for cut in self.cuts]
        zones = [isinstance(cut, datetime) and cut.tzinfo is not None for cut in self.cuts]
        if any(dates) != all(dates) or any(clocks) != all(clocks) or any(zones) != all(zones):
            raise OptionError(
                "Bin edges must be all numbers, all dates or all times, but these are mixed; use one kind."
            )
        if not all(isinstance(cut, date) or math.isfinite(cut) for cut in self.cuts):
            raise OptionError("A bin edge is not finite; leave it out, since the outermost bins are unbounded anyway.")
        if any(not low < high for low, high in zip(self.cuts, self.cuts[1:], strict=False)):  # type: ignore[operator]
            raise OptionError(
                "Bin edges must increase strictly, unlike {cuts}; sort them and name each once.",
                cuts=tuple(map(str, self.cuts)),
            )


@dataclass(frozen=True)
class Learnt:
    """Edges that a table's quantiles gave, rounded, equal ones merged; the outermost intervals are unbounded."""

    cuts: tuple[float, ...] | tuple[date, ...]
    asked: Quantiles | Auto

    @property
    def merged(self) -> int:
        """How many intervals fewer there are than were asked for."""
        return self.asked.number - len(self.cuts) - 1 if isinstance(self.asked, Quantiles) else 0


class CalendarUnit(Enum):
    """The calendar's own intervals; a week starts on Monday."""

    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    HOUR = "hour"


@dataclass(frozen=True)
class Calendar:
    """Calendar intervals of a column of dates or timestamps; zoned timestamps are taken in UTC.

    ``asked`` is there where the unit was chosen by what the table holds.
    """

    unit: CalendarUnit
    asked: Auto | None = None


Binning: TypeAlias = Width | Quantiles | Auto | Edges | Learnt | Calendar | Levels
Bins: TypeAlias = Mapping[str, Binning]
"""By the names of the columns."""


@checked
def parse_binning(text: str) -> Binning:
    """The binning written as on the command line.

    Raises:
        OptionError: the text has none of the forms, or its numbers are out of range.

    Example:
        >>> parse_binning("width:10"), parse_binning("year")
        (Width(width=10.0), Calendar(unit=<CalendarUnit.YEAR: 'year'>, asked=None))
    """
    form, colon, rest = text.strip().partition(":")
    try:
        if not colon:
            return Auto() if form.lower() == "auto" else Calendar(CalendarUnit(form.lower()))
        match form.strip().lower():
            case "width":
                return Width(float(rest))
            case "quantiles":
                return Quantiles(int(rest))
            case "auto":
                error, _, most = rest.partition(":")
                return Auto(float(error), int(most)) if most else Auto(float(error))
            case "edges":
                return Edges(_cuts([part.strip() for part in rest.split(",")]))
    except OptionError:
        raise
    except ValueError:
        pass
    raise OptionError("{text!r} is not a binning; write {forms}.", text=text, forms=FORMS)


def spelled_binning(binning: Binning) -> str:
    """The binning as ``parse_binning`` reads it, levels apart; learnt edges as edges."""
    match binning:
        case Width(width):
            return f"width:{_spelled_cut(float(width))}"
        case Quantiles(number):
            return f"quantiles:{number}"
        case Auto(within, most):
            error = "auto" if within is None else f"auto:{_spelled_cut(float(within))}"
            return error if most == MOST_BINS else f"{error}:{most}"
        case Edges(cuts) | Learnt(cuts):
            return f"edges:{','.join(map(_spelled_cut, cuts))}"
        case Calendar(unit):
            return unit.value
        case Levels():
            # What a level does is in its file, which this text does not hold.
            return f"level:{binning.level}"


def asked_binning(binning: Binning) -> Binning:
    """The binning as it was before the table decided on edges or on a unit."""
    match binning:
        case Learnt(_, asked) | Calendar(_, Auto() as asked):
            return asked
        case _:
            return binning


def parse_binnings(
    texts: Iterable[str], columns: Collection[str], levels: Iterable[str] = (), folder: Path | None = None
) -> dict[str, Binning]:
    """How columns are binned, by name, from texts such as ``age=width:10`` and levels such as ``job=FILE:2``."""
    found: dict[str, Binning] = {}
    for text in texts:
        column, equals, how = text.rpartition("=")
        if not equals:
            raise OptionError("--bins {text!r} is not a column, '=' and its bins; write e.g. age=width:10.", text=text)
        if column not in columns:
            raise OptionError(
                "--bins {text!r} names a column that has no role here; give it one, such as --background, or leave its "
                "bins out.",
                text=text,
            )
        if column in found:
            raise OptionError("--bins is given twice for column {column!r}; give it once.", column=column)
        found[column] = parse_binning(how)
    for column, (hierarchy, number) in parse_levels(levels, columns, folder).items():
        if column in found:
            raise both_bins_and_levels(column)
        if number is None:
            raise OptionError(
                "--levels of column {column!r} does not say which level; write e.g. {example!s}, or use --min-k "
                "in protect.",
                column=column,
                example=f"{column}={hierarchy.file}:1",
            )
        found[column] = hierarchy.level(number)
    return found


def both_bins_and_levels(column: str) -> OptionError:
    """The error for a column that is to be coarsened in two ways."""
    return OptionError("Column {column!r} has both bins and levels; give it one of them.", column=column)


def _spelled_cut(cut: float | date) -> str:
    return cut.isoformat() if isinstance(cut, date) else repr(float(cut)).removesuffix(".0")


def _cuts(parts: list[str]) -> tuple[float, ...] | tuple[date, ...]:
    try:
        return tuple(float(part) for part in parts)
    except ValueError:
        pass
    try:
        return tuple(date.fromisoformat(part) for part in parts)
    except ValueError:
        return tuple(datetime.fromisoformat(part) for part in parts)


STEPS = 10
"""An edge is rounded to a step; at least this many steps fit into the narrower of the two neighbouring bins."""
_UNITS: tuple[tuple[timedelta, Callable[[Any], Any]], ...] = (
    (timedelta(days=366), lambda day: day.replace(month=1, day=1)),
    (timedelta(days=92), lambda day: day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)),
    (timedelta(days=31), lambda day: day.replace(day=1)),
    (timedelta(weeks=1), lambda day: day - timedelta(days=day.weekday())),
    (timedelta(days=1), lambda day: day),
)
_CLOCK_UNITS: tuple[tuple[timedelta, Callable[[datetime], datetime]], ...] = (
    (timedelta(hours=1), lambda moment: moment.replace(minute=0, second=0, microsecond=0)),
    (timedelta(minutes=1), lambda moment: moment.replace(second=0, microsecond=0)),
    (timedelta(seconds=1), lambda moment: moment.replace(microsecond=0)),
)
"""Calendar units by their greatest length, and where the one that holds a moment starts."""


def learnt_edges(asked: Quantiles | Auto, found: Sequence[float] | Sequence[date]) -> Learnt:
    """The rounded edges between quantile bins; the least and the greatest value are none of them.

    Numbers are rounded to a step of two significant digits of the narrower neighbouring bin, dates and times down to
    the start of a calendar unit, the second at the finest.

    Args:
        found: the least value, the quantiles, the greatest value.
    """
    edges: list[Any] = sorted(set(found))
    around = zip(pairwise(edges), pairwise(edges[1:]), strict=False)
    rounded = {_rounded(edge, edge - low, high - edge) for (low, edge), (_, high) in around}
    return Learnt(tuple(sorted(one for one in rounded if one is not None and one > edges[0])), asked)


def _rounded(edge: Any, below: Any, above: Any) -> Any:
    if isinstance(edge, datetime):
        moment = edge if edge.tzinfo is None else edge.astimezone(UTC)
        return _start(moment, min(below, above))
    if isinstance(edge, date):
        return next(start(edge) for unit, start in _UNITS if unit * STEPS <= min(below, above) or unit.days == 1)
    if not math.isfinite(edge):
        return None
    width = min((one for one in (below, above) if math.isfinite(one)), default=max(abs(edge), 1.0))
    # The unit in the second significant digit of the width.
    return round(edge, 1 - math.floor(math.log10(width))) + 0.0


def _start(moment: datetime, width: timedelta) -> datetime:
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    for unit, start in _UNITS:
        if unit * STEPS <= width:
            started: datetime = start(midnight)
            return started
    for unit, start in _CLOCK_UNITS:
        if unit * STEPS <= width:
            return start(moment)
    return moment.replace(microsecond=0)

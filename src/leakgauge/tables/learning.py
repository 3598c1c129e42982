"""Edges learnt from a table's quantiles, rounded so that no value of a row, least or greatest, is told to the digit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

from leakgauge.tables.binnings import Learnt, Quantiles

STEPS = 10
"""An edge is rounded to a step of which at least so many fit into the narrower of the two bins beside it."""
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


def learnt_edges(quantiles: Quantiles, found: Sequence[float] | Sequence[date]) -> Learnt:
    """The rounded edges between quantile bins; the least and the greatest value are none of them.

    Numbers are rounded to a step of two significant digits of the narrower neighbouring bin, dates and times down to
    the start of a calendar unit, the second at the finest.

    Args:
        quantiles: what was asked for.
        found: the least value, the quantiles, the greatest value.

    Example:
        >>> learnt_edges(Quantiles(3), [17.0, 24.4713, 61.18, 90.0]).cuts
        (24.5, 61.0)
    """
    edges: list[Any] = sorted(set(found))
    around = zip(pairwise(edges), pairwise(edges[1:]), strict=False)
    rounded = {_rounded(edge, edge - low, high - edge) for (low, edge), (_, high) in around}
    return Learnt(tuple(sorted(one for one in rounded if one is not None and one > edges[0])), quantiles)


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

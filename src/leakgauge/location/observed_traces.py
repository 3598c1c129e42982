"""Where people of a table were, one time after the other: their areas sorted by person and time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from leakgauge.errors import ColumnError, TableError
from leakgauge.location.areas import Areas
from leakgauge.location.placing import Placed, placed
from leakgauge.location.points import Numbering, Points
from leakgauge.probability.cells import Codes
from leakgauge.sentences import Sentence

MOST_ROWS = 10**8
"""Sorting holds some forty bytes of each row in memory."""


@dataclass(frozen=True)
class ObservedTraces:
    """The reports of each person, numbered from 0, in order of time.

    ``areas`` are positions among the labels, −1 outside all; ``times`` are in microseconds since 1970. Of several
    reports of a person at one time the first row counts.
    """

    areas: Codes
    traces: Codes
    times: Codes
    notices: tuple[Sentence, ...] = ()


def observed_traces(points: Points, areas: Areas) -> ObservedTraces:
    """The traces in a table; without a column of users all rows are one person's.

    Raises:
        ColumnError: no column of times is named.
        TableError: no row has a place, a time and a person, or there are too many rows to sort.

    Example:
        >>> import pyarrow as pa
        >>> from datetime import datetime
        >>> from leakgauge.distances import MapCells
        >>> from leakgauge.tables import open_table
        >>> city = MapCells(40.70, 40.82, -74.02, -73.92, rows=2, columns=2)
        >>> pings = {"lat": [40.71, 40.81], "lon": [-74.0, -74.0], "at": [datetime(2020, 1, 2), datetime(2020, 1, 1)]}
        >>> with open_table(pa.table(pings)) as table:
        ...     observed_traces(Points(table, "lat", "lon", time="at"), city).areas.tolist()
        [2, 0]
    """
    if points.time is None:
        raise ColumnError("Traces follow people through time, but no column of times is named; give --time.")
    if points.table.rows > MOST_ROWS:
        raise TableError(
            "Traces of {rows:,} rows are too many to sort in memory; take the rows of some people.",
            rows=points.table.rows,
        )
    people = Numbering()
    parts = [_usable(rows, points.time, points.user, people) for rows in placed(points, areas)]
    if not any(len(codes) for _, _, codes in parts):
        raise TableError(
            "None of the {rows:,} rows has a place, a time and a person; name columns that hold them.",
            rows=points.table.rows,
        )
    return _sorted(points, *(np.concatenate(part) for part in zip(*parts, strict=True)))


def _usable(rows: Placed, time: str, user: str | None, numbers: Numbering) -> tuple[Codes, Codes, Codes]:
    """The person, time and area of each row that has all three."""
    import pyarrow as pa

    times = rows.chunk.column(time)
    usable = rows.possible & np.asarray(times.is_valid())
    people = np.zeros(len(rows.codes), dtype=np.int64)
    if user is not None:
        users = rows.chunk.column(user)
        usable &= np.asarray(users.is_valid())
        people = numbers.codes(users)
    moments = np.asarray(times.cast(pa.timestamp("us", times.type.tz), safe=False).cast(pa.int64()).fill_null(0))
    return people[usable], moments[usable], rows.codes[usable]


def _sorted(points: Points, people: Codes, times: Codes, codes: Codes) -> ObservedTraces:
    backwards = _goes_back(people, times)
    # Rows of the same time stay in the table's order.
    order = np.lexsort((times, people))
    people, times, codes = people[order], times[order], codes[order]
    first = np.concatenate([[True], (people[1:] != people[:-1]) | (times[1:] != times[:-1])])
    kept = codes[first][np.cumsum(first) - 1]
    repeated, contradicting = int((~first).sum()), int((codes != kept).sum())
    # Persons whose rows all lack a place have no trace, so that numbers are given anew.
    traces = np.unique(people[first], return_inverse=True)[1].astype(np.int64)
    notices = tuple(_notices(points, backwards, points.table.rows - len(people), repeated, contradicting))
    return ObservedTraces(codes[first], traces, times[first], notices)


def _goes_back(people: Codes, times: Codes) -> bool:
    """Whether rows of a person stand in another order than their times."""
    order = np.argsort(people, kind="stable")
    same = people[order][1:] == people[order][:-1]
    return bool(np.any(same & (np.diff(times[order]) < 0)))


def _notices(points: Points, backwards: bool, missing: int, repeated: int, contradicting: int) -> Iterator[Sentence]:
    if points.user is None:
        yield Sentence(
            "All rows are taken as the trace of one person; name the column of persons if there are several."
        )
    if backwards:
        yield Sentence("The rows are not in order of time; they were sorted by person and time.")
    if missing:
        yield Sentence(
            "Rows without a place on the earth, a time or a person, which are left out of the traces: {missing:,}.",
            missing=missing,
        )
    if repeated:
        yield Sentence(
            "Rows that report a person at the same time as another row: {repeated:,}, of which {contradicting:,} "
            "name another area; the first row counts.",
            repeated=repeated,
            contradicting=contradicting,
        )

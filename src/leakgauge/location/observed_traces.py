"""Where people of a table were, one time after the other: their areas sorted by person and time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

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

    Attributes:
        areas: the area of each report by its position among the labels, −1 outside all.
        times: in microseconds since 1970.
        n: rows of the table.
        missing: rows without a place on the earth, a time or a person, which are left out.
        repeated: reports of a person at the same time as another, which are left out: the first row counts.
        contradicting: those of them that name another area.
    """

    areas: Codes
    traces: Codes
    times: Codes
    n: int
    missing: int
    repeated: int
    contradicting: int
    notices: tuple[Sentence, ...] = ()

    @property
    def people(self) -> int:
        """How many persons have a trace."""
        return int(self.traces[-1]) + 1 if len(self.traces) else 0


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
    reading = _Reading(points)
    for rows in placed(points, areas):
        reading.add(rows)
    return reading.sorted()


@dataclass
class _Reading:
    points: Points
    n: int = 0
    people: Numbering = field(default_factory=Numbering)
    parts: list[tuple[Codes, Codes, Codes]] = field(default_factory=list)

    def add(self, rows: Placed) -> None:
        import pyarrow as pa

        assert self.points.time is not None
        chunk = rows.chunk
        self.n += len(rows.codes)
        times = chunk.column(self.points.time)
        usable = rows.possible & np.asarray(times.is_valid())
        people = np.zeros(len(rows.codes), dtype=np.int64)
        if self.points.user is not None:
            users = chunk.column(self.points.user)
            usable &= np.asarray(users.is_valid())
            people = self.people.codes(users)
        zone = times.type.tz
        moments = np.asarray(times.cast(pa.timestamp("us", zone), safe=False).cast(pa.int64()).fill_null(0))
        self.parts.append((people[usable], moments[usable], rows.codes[usable]))

    def sorted(self) -> ObservedTraces:
        if not any(len(codes) for _, _, codes in self.parts):
            raise TableError(
                "None of the {rows:,} rows has a place, a time and a person; name columns that hold them.", rows=self.n
            )
        people, times, codes = (np.concatenate(part) for part in zip(*self.parts, strict=True))
        backwards = _goes_back(people, times)
        # Rows of the same time stay in the table's order.
        order = np.lexsort((times, people))
        people, times, codes = people[order], times[order], codes[order]
        first = np.concatenate([[True], (people[1:] != people[:-1]) | (times[1:] != times[:-1])])
        kept = codes[first][np.cumsum(first) - 1]
        repeated, contradicting = int((~first).sum()), int((codes != kept).sum())
        # Persons whose rows all lack a place have no trace, so that numbers are given anew.
        traces = np.unique(people[first], return_inverse=True)[1].astype(np.int64)
        missing = self.n - len(people)
        notices = tuple(_notices(self.points, backwards, missing, repeated, contradicting))
        return ObservedTraces(codes[first], traces, times[first], self.n, missing, repeated, contradicting, notices)


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

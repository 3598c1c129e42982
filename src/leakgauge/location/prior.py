"""How many points lie in each area, in all and by hour or another group, and the prior that follows."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from leakgauge.errors import ColumnError, ModelError, OptionError, TableError
from leakgauge.location.areas import Areas
from leakgauge.location.named_areas import NamedAreas
from leakgauge.location.points import Chunk, Numbering, Points
from leakgauge.location.tallies import Distinct, Tally
from leakgauge.probability import Distribution, Joint
from leakgauge.probability.cells import Cells, Codes, Floats, gather
from leakgauge.probability.labels import Label
from leakgauge.sentences import Sentence

if TYPE_CHECKING:
    import pyarrow as pa

FEW_INSIDE = 0.01
MOST_SWAPPED = 0.5
"""Columns are swapped where hardly a point lies on the map, and half of them or more do with the columns exchanged."""


class Period(enum.Enum):
    """What times are gathered by."""

    HOUR = "hour"
    WEEKDAY_HOUR = "weekday-hour"


Grouping: TypeAlias = Period | str
"""A period of the time column, or the name of a column such as one of user groups."""


@dataclass(frozen=True)
class Visits:
    """How many points lie in each area.

    Attributes:
        counts: rows in each area.
        weights: the same by weight; the counts where there is none.
        n: rows of the table.
        outside: rows whose place is in no area.
        missing: rows without a place.
        impossible: rows with a place off the earth.
        users: distinct users with a point in an area; None where no column names them.
        users_by_area: in each area.
        groups: labels of hours (0 to 23), of weekdays and hours ((1, 0) is Monday midnight), or of another column.
        by_group: weights by area and group; None where no grouping was asked for.
        notices: what a person should look at.
    """

    areas: Areas
    counts: Codes
    weights: Floats
    n: int
    outside: int
    missing: int
    impossible: int = 0
    users: int | None = None
    users_by_area: Codes | None = None
    groups: tuple[Label, ...] = ()
    by_group: Cells | None = None
    notices: tuple[Sentence, ...] = ()

    @property
    def inside(self) -> int:
        """Rows whose place is in an area."""
        return self.n - self.outside - self.missing - self.impossible

    def prior(self, smoothing: float = 0.0) -> Distribution:
        """The shares of the areas, over their labels.

        Args:
            smoothing: added to the weight of each area, so that none is impossible; 0 adds nothing.

        Raises:
            OptionError: a smoothing below 0.
            ModelError: every weight is 0.
        """
        return _shares(self.areas.labels, self.weights, smoothing)

    def prior_in(self, group: Label, smoothing: float = 0.0) -> Distribution:
        """The shares of the areas among the points of one group.

        Raises:
            OptionError: not a group, or a smoothing below 0.
            ModelError: no point of that group lies in an area.
        """
        if self.by_group is None or group not in self.groups:
            raise OptionError("There are no points of a group {group!r}; ask for one that occurs.", group=group)
        areas, groups, weights = self.by_group.nonzero()
        here = groups == self.groups.index(group)
        own = np.bincount(areas[here], weights[here], len(self.areas.labels)).astype(np.float64)
        return _shares(self.areas.labels, own, smoothing)

    def joint(self) -> Joint:
        """p(area, group): what someone who knows the group starts from.

        Raises:
            OptionError: no grouping was asked for.
        """
        if self.by_group is None:
            raise OptionError("The points were counted without groups; ask for hours or a column.")
        return Joint.from_cells(self.areas.labels, self.groups, *_normalised(self.by_group))


def visits(points: Points, areas: Areas, by: Grouping | None = None) -> Visits:
    """The points of each area, in one pass.

    Memory holds the areas, the pairs of areas and groups that occur, and those of areas and users; never the rows.

    Args:
        by: what to gather them by beside the areas; a period needs the time column.

    Raises:
        ColumnError: a period without a time column, columns that are swapped, or weights below 0.
        TableError: no point lies in an area.

    Example:
        >>> import pyarrow as pa
        >>> from leakgauge.distances import MapCells
        >>> from leakgauge.tables import open_table
        >>> city = MapCells(40.70, 40.82, -74.02, -73.92, rows=2, columns=2)
        >>> pings = pa.table({"lat": [40.71, 40.72, 40.81, 41.0], "lon": [-74.0, -74.0, -73.93, -73.93]})
        >>> with open_table(pings) as table:
        ...     found = visits(Points(table, "lat", "lon"), city)
        >>> found.counts.tolist(), found.outside, found.prior(smoothing=1).probabilities.round(3).tolist()
        ([2, 0, 0, 1], 1, [0.429, 0.143, 0.143, 0.286])
    """
    grouped = None if by is None else _Groups.of(points, by)
    counting = _Counting(points, areas, grouped)
    for chunk in points.chunks(*counting.further):
        counting.add(chunk)
    counting.require_points_inside()
    return counting.visits()


@dataclass
class _Groups:
    """The group of each row as a number, and the labels by those numbers."""

    column: str
    numbers: Callable[[pa.Array], Codes]
    labels: Callable[[], tuple[Label, ...]]
    zoned: bool = False

    def codes(self, column: pa.Array) -> Codes:
        self.zoned |= getattr(column.type, "tz", None) is not None
        return self.numbers(column)

    @classmethod
    def of(cls, points: Points, by: Grouping) -> _Groups:
        if isinstance(by, str):
            numbering = Numbering()
            return cls(by, numbering.codes, lambda: numbering.values)
        if points.time is None:
            raise ColumnError(
                "Points are to be gathered by {period!s}, but no column of times is named; give --time.",
                period=by.value,
            )
        hours: tuple[Label, ...] = tuple(range(24))
        if by is Period.WEEKDAY_HOUR:
            hours = tuple((day, hour) for day in range(1, 8) for hour in range(24))
        # The missing time is the last label, and left out where no time is missing.
        return cls(points.time, lambda column: _period_codes(column, by), lambda: (*hours, None))


def _period_codes(column: pa.Array, period: Period) -> Codes:
    import pyarrow.compute as pc

    codes = pc.hour(column)
    last = 24
    if period is Period.WEEKDAY_HOUR:
        codes, last = pc.add(pc.multiply(pc.day_of_week(column), 24), codes), 168
    return np.asarray(codes.fill_null(last), dtype=np.int64)


@dataclass
class _Counting:
    points: Points
    areas: Areas
    grouped: _Groups | None
    n: int = 0
    missing: int = 0
    impossible: int = 0
    users: Numbering = field(default_factory=Numbering)
    pairs: Distinct = field(default_factory=Distinct)

    def __post_init__(self) -> None:
        self.size = len(self.areas.labels)
        self.counts = np.zeros(self.size, dtype=np.int64)
        self.weights = np.zeros(self.size)
        self.by_group = Tally()
        self.named = self.areas.column if isinstance(self.areas, NamedAreas) else None

    @property
    def further(self) -> list[str]:
        """Columns that are read beside those of the points."""
        grouping = None if self.grouped is None else self.grouped.column
        return [name for name in (self.named, grouping) if name is not None]

    def add(self, chunk: Chunk) -> None:
        self.n += len(chunk.latitudes)
        codes = self._codes(chunk)
        inside = codes >= 0
        own = codes[inside]
        weights = self._weights(chunk)[inside] if self.points.weight is not None else None
        self.counts += np.bincount(own, minlength=self.size)
        if weights is not None:
            self.weights += np.bincount(own, weights, self.size)
        if self.grouped is not None:
            groups = self.grouped.codes(chunk.column(self.grouped.column))[inside]
            self.by_group.add(groups * self.size + own, weights)
        if self.points.user is not None:
            users = self.users.codes(chunk.column(self.points.user))[inside]
            self.pairs.add(users * self.size + own)

    def _codes(self, chunk: Chunk) -> Codes:
        if isinstance(self.areas, NamedAreas) and self.named is not None:
            column = chunk.column(self.named)
            self.missing += column.null_count
            return self.areas.codes_of(column)
        self.missing += int((~chunk.known).sum())
        self.impossible += int((chunk.known & ~chunk.possible).sum())
        codes = np.full(len(chunk.latitudes), -1, dtype=np.int64)
        codes[chunk.possible] = self.areas.codes(chunk.latitudes[chunk.possible], chunk.longitudes[chunk.possible])
        return codes

    def _weights(self, chunk: Chunk) -> Floats:
        assert self.points.weight is not None
        weights = np.nan_to_num(chunk.floats(self.points.weight), nan=0.0, posinf=-1.0)
        wrong = int((weights < 0).sum())
        if wrong:
            raise ColumnError(
                "Column {name!r} has {wrong:,} weights that are below 0 or infinite; give numbers of at least 0.",
                name=self.points.weight,
                wrong=wrong,
            )
        return weights

    @property
    def inside(self) -> int:
        return int(self.counts.sum())

    def require_points_inside(self) -> None:
        places = self.n - self.missing - self.impossible
        if self.inside > FEW_INSIDE * places:
            return
        swapped = 0
        if self.named is None:
            for chunk in self.points.chunks():
                here = chunk.possible & (np.abs(chunk.longitudes) <= 90)
                swapped += int((self.areas.codes(chunk.longitudes[here], chunk.latitudes[here]) >= 0).sum())
        if places and swapped >= MOST_SWAPPED * places:
            raise ColumnError(
                "{inside:,} of the {places:,} points lie on the map, but {swapped:,} do with latitude and longitude "
                "exchanged: the columns look swapped; give --lat {lon!s} --lon {lat!s}.",
                inside=self.inside,
                places=places,
                swapped=swapped,
                lat=self.points.lat,
                lon=self.points.lon,
            )
        if not self.inside:
            raise TableError(
                "None of the {places:,} points lies in an area of the map; give a map of the region where they are.",
                places=places,
            )

    def visits(self) -> Visits:
        groups: tuple[Label, ...] = ()
        by_group = None
        if self.grouped is not None:
            keys, weights = self.by_group.total()
            groups = self.grouped.labels()
            if len(groups) > 1 and groups[-1] is None and not np.any(keys // self.size == len(groups) - 1):
                groups = groups[:-1]
            by_group = gather((self.size, len(groups)), keys % self.size, keys // self.size, weights)
        pairs = self.pairs.total()
        users_by_area = np.bincount(pairs % self.size, minlength=self.size) if self.points.user is not None else None
        users = len(np.unique(pairs // self.size)) if self.points.user is not None else None
        outside = self.n - self.missing - self.impossible - self.inside
        return Visits(
            areas=self.areas,
            counts=self.counts,
            weights=self.weights if self.points.weight is not None else self.counts.astype(np.float64),
            n=self.n,
            outside=outside,
            missing=self.missing,
            impossible=self.impossible,
            users=users,
            users_by_area=users_by_area,
            groups=groups,
            by_group=by_group,
            notices=tuple(_notices(self.counts, outside, users, self.grouped)),
        )


def _notices(counts: Codes, outside: int, users: int | None, grouped: _Groups | None) -> list[Sentence]:
    notices = []
    if grouped is not None and grouped.zoned:
        notices.append(
            Sentence("The times in {column!r} have a time zone; their hours are those of UTC.", column=grouped.column)
        )
    if outside:
        notices.append(
            Sentence(
                "{outside:,} of the {places:,} points lie outside the map and are not counted.",
                outside=outside,
                places=outside + int(counts.sum()),
            )
        )
    if np.count_nonzero(counts) == 1 and len(counts) > 1:
        notices.append(
            Sentence("All points lie in one area, so that its place is known beforehand; choose smaller areas.")
        )
    if users == 1:
        notices.append(
            Sentence("All points are of one user: the prior is that user's own, and to be kept private like the rows.")
        )
    return notices


def _shares(labels: tuple[Label, ...], weights: Floats, smoothing: float) -> Distribution:
    if not 0 <= smoothing < math.inf:
        raise OptionError(
            "A smoothing of {smoothing} adds no weight; give a number of at least 0.", smoothing=smoothing
        )
    smoothed = weights + smoothing
    total = smoothed.sum()
    if not total > 0:
        raise ModelError("No area has any weight; add smoothing, or name another column of weights.")
    return Distribution(labels, smoothed / total)


def _normalised(cells: Cells) -> tuple[Codes, Codes, Floats]:
    rows, columns, values = cells.nonzero()
    if not len(values):
        raise ModelError("No area has any weight; add smoothing, or name another column of weights.")
    return rows, columns, values / values.sum()

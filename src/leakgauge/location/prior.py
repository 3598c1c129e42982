"""How many points lie in each area, in all and by hour or another group, and the prior that follows."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from leakgauge.errors import ColumnError, ModelError, OptionError
from leakgauge.location.areas import Areas
from leakgauge.location.counting import Counting, Groups
from leakgauge.location.placing import placed
from leakgauge.location.points import Numbering, Points
from leakgauge.probability import Distribution, Joint
from leakgauge.probability.cells import Cells, Codes, Floats
from leakgauge.probability.labels import Label
from leakgauge.sentences import Sentence

if TYPE_CHECKING:
    import pyarrow as pa


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
        weights: the rows in each area by weight; their counts where there is none.
        n: rows of the table.
        outside: rows whose place is in no area.
        missing: rows without a place.
        impossible: rows with a place off the earth.
        users: distinct users with a point in an area; None where no column names them.
        groups: labels of hours (0 to 23), of weekdays and hours ((1, 0) is Monday midnight), or of another column.
        by_group: weights by area and group; None where no grouping was asked for.
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
        """The shares of the areas, the smoothing added to the weight of each, so that none is impossible.

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
        areas, groups, weights = self.by_group.nonzero()
        if not len(weights):
            raise _without_weight()
        return Joint.from_cells(self.areas.labels, self.groups, areas, groups, weights / weights.sum())


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
    grouped = None if by is None else _groups(points, by)
    counting = Counting(points, areas, grouped)
    for rows in placed(points, areas, *(() if grouped is None else (grouped.column,))):
        counting.add(rows)
    counting.require_points_inside()
    groups, by_group = counting.weights_by_group() if grouped is not None else ((), None)
    users, users_by_area = counting.people() if points.user is not None else (None, None)
    return Visits(
        areas=areas,
        counts=counting.counts,
        weights=counting.counts.astype(np.float64) if points.weight is None else counting.weights,
        n=counting.n,
        outside=counting.outside,
        missing=counting.missing,
        impossible=counting.impossible,
        users=users,
        users_by_area=users_by_area,
        groups=groups,
        by_group=by_group,
        notices=tuple(_notices(counting, users)),
    )


def _groups(points: Points, by: Grouping) -> Groups:
    if isinstance(by, str):
        numbering = Numbering()
        return Groups(by, numbering.codes, lambda: numbering.values)
    if points.time is None:
        raise ColumnError(
            "Points are to be gathered by {period!s}, but no column of times is named; give --time.", period=by.value
        )
    hours: tuple[Label, ...] = tuple(range(24))
    if by is Period.WEEKDAY_HOUR:
        hours = tuple((day, hour) for day in range(1, 8) for hour in range(24))
    # The missing time is the last label, and left out where no time is missing.
    return Groups(points.time, partial(_codes_in, by), lambda: (*hours, None))


def _codes_in(period: Period, column: pa.Array) -> Codes:
    import pyarrow.compute as pc

    codes = pc.hour(column)
    last = 24
    if period is Period.WEEKDAY_HOUR:
        codes, last = pc.add(pc.multiply(pc.day_of_week(column), 24), codes), 168
    return np.asarray(codes.fill_null(last), dtype=np.int64)


def _notices(counting: Counting, users: int | None) -> Iterator[Sentence]:
    outside, counts, grouped = counting.outside, counting.counts, counting.grouped
    if grouped is not None and grouped.column == counting.points.time and grouped.zoned:
        yield Sentence("The times in {column!r} have a time zone; their hours are those of UTC.", column=grouped.column)
    if counting.without_weight:
        yield Sentence(
            "Rows without a weight in {column!r}, which count as 0: {count:,}.",
            count=counting.without_weight,
            column=counting.points.weight or "",
        )
    if outside:
        yield Sentence(
            "Points outside the map, which are not counted: {outside:,} of {places:,}.",
            outside=outside,
            places=outside + int(counts.sum()),
        )
    if np.count_nonzero(counts) == 1 and len(counts) > 1:
        yield Sentence(
            "All points lie in one area, so that there is nothing to hide or to learn; choose smaller areas."
        )
    if users == 1:
        yield Sentence(
            "All points belong to one user: the prior is that user's own and must be kept private like the rows."
        )


def _shares(labels: tuple[Label, ...], weights: Floats, smoothing: float) -> Distribution:
    if not 0 <= smoothing < math.inf:
        raise OptionError(
            "A smoothing of {smoothing} is not a weight; give a number of at least 0.", smoothing=smoothing
        )
    smoothed = weights + smoothing
    total = smoothed.sum()
    if not total > 0:
        raise _without_weight()
    return Distribution(labels, smoothed / total)


def _without_weight() -> ModelError:
    return ModelError("No area has any weight; add smoothing, or name another column of weights.")

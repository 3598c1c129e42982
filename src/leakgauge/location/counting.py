"""Rows counted by area, group and person while they stream, in memory that what occurs fills."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from leakgauge.errors import ColumnError, TableError
from leakgauge.location.areas import Areas
from leakgauge.location.named_areas import NamedAreas
from leakgauge.location.placing import Placed
from leakgauge.location.points import Chunk, Numbering, Points
from leakgauge.probability.cells import Cells, Codes, Floats, gather
from leakgauge.probability.labels import Label

if TYPE_CHECKING:
    import pyarrow as pa

FEW_INSIDE: Final = 0.01
MOST_SWAPPED: Final = 0.5
"""Columns are swapped where hardly a point lies on the map, and half of them or more do with the columns exchanged."""
MERGED_FROM: Final = 1 << 21
"""Keys that wait before they are merged, 16 MiB."""


@dataclass
class Tally:
    """The sum of the weights of each key that was added."""

    _keys: list[Codes] = field(default_factory=list)
    _weights: list[Floats] = field(default_factory=list)
    _waiting: int = 0

    def add(self, keys: Codes, weights: Floats | None = None) -> None:
        """Add a weight, by default 1, to each of the keys."""
        self._append(*_summed(keys, weights))
        if self._waiting > MERGED_FROM:
            merged = self.total()
            self._keys, self._weights, self._waiting = [], [], 0
            self._append(*merged)
            # Keys that are there once stay: what waits is what came since.
            self._waiting = 0

    def total(self) -> tuple[Codes, Floats]:
        """The distinct keys in their order, and their sums."""
        if not self._keys:
            return np.empty(0, dtype=np.int64), np.empty(0)
        return _summed(np.concatenate(self._keys), np.concatenate(self._weights))

    def _append(self, keys: Codes, weights: Floats) -> None:
        self._keys.append(keys)
        self._weights.append(weights)
        self._waiting += len(keys)


@dataclass
class Distinct:
    """The keys that were added, each once."""

    _keys: list[Codes] = field(default_factory=list)
    _waiting: int = 0

    def add(self, keys: Codes) -> None:
        """Add keys, which may be there already."""
        self._keys.append(_distinct(keys))
        self._waiting += len(self._keys[-1])
        if self._waiting > MERGED_FROM:
            self._keys, self._waiting = [self.total()], 0

    def total(self) -> Codes:
        """The distinct keys in their order."""
        return _distinct(np.concatenate(self._keys)) if self._keys else np.empty(0, dtype=np.int64)


def _distinct(keys: Codes) -> Codes:
    """By sorting, which for millions of keys is faster than the hashing of ``np.unique``."""
    ordered = np.sort(keys)
    return np.asarray(ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)]])


def _summed(keys: Codes, weights: Floats | None) -> tuple[Codes, Floats]:
    if weights is None:
        distinct, counts = np.unique(keys, return_counts=True)
        return distinct, counts.astype(np.float64)
    distinct, inverse = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(inverse, weights, len(distinct)).astype(np.float64)


@dataclass
class Groups:
    """The group of each row as a number, and the labels by those numbers."""

    column: str
    numbers: Callable[[pa.Array], Codes]
    labels: Callable[[], tuple[Label, ...]]
    zoned: bool = False

    def codes(self, column: pa.Array) -> Codes:
        """The number of each row's group."""
        self.zoned |= getattr(column.type, "tz", None) is not None
        return self.numbers(column)


@dataclass
class Counting:
    """What has been counted so far."""

    points: Points
    areas: Areas
    grouped: Groups | None
    n: int = 0
    missing: int = 0
    impossible: int = 0
    without_weight: int = 0
    _users: Numbering = field(default_factory=Numbering)
    _pairs: Distinct = field(default_factory=Distinct)
    _by_group: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self._size = len(self.areas.labels)
        self.counts: Codes = np.zeros(self._size, dtype=np.int64)
        self.weights: Floats = np.zeros(self._size)

    def add(self, rows: Placed) -> None:
        """Count some more rows."""
        self.n += len(rows.codes)
        self.missing += int((~rows.known).sum())
        self.impossible += int((rows.known & ~rows.possible).sum())
        chunk, inside = rows.chunk, rows.codes >= 0
        own = rows.codes[inside]
        weights = None if self.points.weight is None else self._weights(chunk, self.points.weight)[inside]
        self.counts += np.bincount(own, minlength=self._size)
        if weights is not None:
            self.weights += np.bincount(own, weights, self._size)
        if self.grouped is not None:
            groups = self.grouped.codes(chunk.column(self.grouped.column))[inside]
            self._by_group.add(groups * self._size + own, weights)
        if self.points.user is not None:
            users = self._users.codes(chunk.column(self.points.user))[inside]
            self._pairs.add(users * self._size + own)

    def _weights(self, chunk: Chunk, column: str) -> Floats:
        weights = chunk.floats(column)
        self.without_weight += int(np.isnan(weights).sum())
        if np.any((weights < 0) | np.isposinf(weights)):
            raise ColumnError(
                "Column {name!r} has weights that are below 0 or infinite; name a column of finite numbers of at least "
                "0.",
                name=column,
            )
        return np.nan_to_num(weights, nan=0.0)

    @property
    def outside(self) -> int:
        """Rows whose place is in no area."""
        return self.n - self.missing - self.impossible - int(self.counts.sum())

    def weights_by_group(self) -> tuple[tuple[Label, ...], Cells]:
        """The labels of the groups, and the weights by area and group."""
        assert self.grouped is not None
        keys, weights = self._by_group.total()
        labels = self.grouped.labels()
        if len(labels) > 1 and labels[-1] is None and not np.any(keys // self._size == len(labels) - 1):
            labels = labels[:-1]
        return labels, gather((self._size, len(labels)), keys % self._size, keys // self._size, weights)

    def people(self) -> tuple[int, Codes]:
        """How many persons there are, and how many in each area."""
        people, areas = np.divmod(self._pairs.total(), self._size)
        # Pairs stand in the order of persons.
        return int(np.count_nonzero(np.diff(people, prepend=-1))), np.bincount(areas, minlength=self._size)

    def require_points_inside(self) -> None:
        """Refuse a map that holds no point, and columns that are swapped."""
        inside, places = int(self.counts.sum()), self.n - self.missing - self.impossible
        if inside > FEW_INSIDE * places:
            return
        swapped = 0
        # Names of areas are believed, wherever the places are.
        for chunk in self.points.chunks() if not isinstance(self.areas, NamedAreas) else ():
            here = chunk.possible & (np.abs(chunk.longitudes) <= 90)
            swapped += int((self.areas.codes(chunk.longitudes[here], chunk.latitudes[here]) >= 0).sum())
        if places and swapped >= MOST_SWAPPED * places:
            raise ColumnError(
                "{inside:,} of the {places:,} points lie on the map as given, and {swapped:,} with latitude and "
                "longitude exchanged: the columns look swapped; give --lat {lon!s} --lon {lat!s}.",
                inside=inside,
                places=places,
                swapped=swapped,
                lat=self.points.lat,
                lon=self.points.lon,
            )
        if not inside:
            raise TableError(
                "None of the {places:,} points lies on the map; give a map of the region where they are.",
                places=places,
            )

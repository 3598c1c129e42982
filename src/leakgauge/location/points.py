"""Points of a table: which columns hold latitude, longitude, time and user, streamed chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from leakgauge.errors import ColumnError, did_you_mean
from leakgauge.probability.cells import Codes, Floats
from leakgauge.probability.labels import Label
from leakgauge.tables.table import Kind, Table

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_AT_ONCE = 1 << 17


@dataclass(frozen=True)
class Points:
    """The points of a table, one per row.

    Args:
        lat: the column of latitudes in degrees, from −90 to 90.
        lon: that of longitudes, from −180 to 180; up to 360 they are turned round.
        time: the column of times; None where they are not asked for.
        user: whose points they are; None where each row is somebody else's.
        weight: how much each row counts, such as the people of a city; None for 1.

    Raises:
        ColumnError: a column that the table does not have, that is named twice or that holds values of another kind.

    Example:
        >>> import pyarrow as pa
        >>> from leakgauge.tables import open_table
        >>> with open_table(pa.table({"lat": [40.71, None], "lon": [-74.0, -73.9]})) as table:
        ...     [chunk.known.tolist() for chunk in Points(table, "lat", "lon").chunks()]
        [[True, False]]
    """

    table: Table
    lat: str
    lon: str
    time: str | None = None
    user: str | None = None
    weight: str | None = None

    def __post_init__(self) -> None:
        kinds = {column.name: column.kind for column in self.table.columns()}
        for name in self.columns:
            if name not in kinds:
                raise ColumnError("The table has no column {name!r}; {hint}", name=name, hint=did_you_mean(name, kinds))
        if self.lat == self.lon:
            raise ColumnError(
                "Column {name!r} is given both as latitude and as longitude; name two columns.", name=self.lat
            )
        for name in dict.fromkeys((self.lat, self.lon, self.weight or self.lat)):
            if kinds[name] not in (Kind.INT, Kind.FLOAT):
                raise ColumnError(
                    "Column {name!r} holds {kind}, not numbers; name another column, say with --decimal how "
                    "numbers are written, or list with --missing the texts that stand for no value.",
                    name=name,
                    kind=kinds[name].words,
                )
        if self.time is not None and kinds[self.time] is not Kind.TIMESTAMP:
            raise ColumnError(
                "Column {name!r} holds {kind}, not dates with a time of day; name another column, or say with "
                "--date-format how its times are written.",
                name=self.time,
                kind=kinds[self.time].words,
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read, each once."""
        named = (self.lat, self.lon, self.time, self.user, self.weight)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    def chunks(self, *more: str) -> Iterator[Chunk]:
        """The points in the order of the table, with these further columns."""
        names = tuple(dict.fromkeys((*self.columns, *more)))
        for batch in self.table.batches(*names, size=ROWS_AT_ONCE):
            yield Chunk.of(batch, self)


@dataclass(frozen=True)
class Chunk:
    """Some rows with latitudes and longitudes in degrees, NaN where missing.

    In ``known`` rows both are present, in ``possible`` ones they are on the earth as well.
    """

    batch: pa.RecordBatch
    latitudes: Floats
    longitudes: Floats
    known: npt.NDArray[np.bool_]
    possible: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, batch: pa.RecordBatch, points: Points) -> Chunk:
        """The rows of a batch."""
        latitudes, longitudes = _floats(batch, points.lat), _floats(batch, points.lon)
        known = ~(np.isnan(latitudes) | np.isnan(longitudes))
        # Comparisons with NaN are false.
        possible = (np.abs(latitudes) <= 90) & (longitudes >= -180) & (longitudes <= 360)
        return cls(batch, latitudes, longitudes, known, possible)

    def column(self, name: str) -> pa.Array:
        """A further column of the rows."""
        return self.batch.column(name)

    def floats(self, name: str) -> Floats:
        """A further column of numbers, NaN where missing."""
        return _floats(self.batch, name)


def _floats(batch: pa.RecordBatch, name: str) -> Floats:
    import pyarrow as pa

    column = batch.column(name)
    if not pa.types.is_float64(column.type):
        column = column.cast(pa.float64())
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)


@dataclass
class Numbering:
    """Values met so far, numbered in the order of their first occurrence; the missing one is a value of its own."""

    _numbers: dict[Label, int] = field(default_factory=dict)

    @property
    def values(self) -> tuple[Label, ...]:
        """By their numbers."""
        return tuple(self._numbers)

    def codes(self, column: Any) -> Codes:
        """The number of each value; new ones are numbered on."""
        encoded = column.dictionary_encode()
        letters: list[Label] = [*encoded.dictionary.to_pylist(), *((None,) if column.null_count else ())]
        own = np.array([self._numbers.setdefault(letter, len(self._numbers)) for letter in letters], dtype=np.int64)
        # The missing value is the last, at −1.
        return np.asarray(own[np.asarray(encoded.indices.fill_null(-1), dtype=np.int64)])

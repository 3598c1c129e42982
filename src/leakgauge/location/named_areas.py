"""Areas with names and centres: those of a column, or of a file of names and places."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from leakgauge.errors import ColumnError, FileError, TableError, did_you_mean
from leakgauge.location.areas import OnFlatMap, codes_of_labels
from leakgauge.location.points import Numbering, Points
from leakgauge.probability.cells import Codes, Floats
from leakgauge.probability.labels import alphabet

MOST_AREAS = 10**5


@dataclass(frozen=True, eq=False)
class NamedAreas(OnFlatMap):
    """Areas with names; a point belongs to the area whose centre is nearest.

    Args:
        labels: their names.
        places: the latitude and longitude of each centre, in degrees.
        column: the column of a table that names the area of each row, and is then believed; None where there is none.

    Example:
        >>> towns = NamedAreas(("Hill", "Lake"), np.array([[47.0, 8.0], [47.5, 8.5]]))
        >>> towns.codes([47.1, 47.4], [8.1, 8.4]).tolist()
        [0, 1]
    """

    labels: tuple[str, ...]
    places: Floats = field(repr=False)
    column: str | None = None

    def codes(self, latitudes: object, longitudes: object) -> Codes:
        """The area of the nearest centre for each point; −1 for what is no place."""
        places = np.stack([np.asarray(latitudes, dtype=np.float64), np.asarray(longitudes, dtype=np.float64)], axis=-1)
        known = np.isfinite(places).all(axis=-1) & (np.abs(places[..., 0]) <= 90)
        codes = np.full(len(places), -1, dtype=np.int64)
        codes[known] = self._nearest.query(_on_sphere(places[known]))[1]
        return codes

    def codes_of(self, names: Any) -> Codes:
        """The area of each name in a column; −1 for a missing one and for names of no area."""
        return codes_of_labels(self.labels, names)

    @cached_property
    def _nearest(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(_on_sphere(self.places))


def areas_of_column(points: Points, column: str) -> NamedAreas:
    """The areas that a column names, each with the mean of its points as its centre.

    Such a centre may be one person's place: it is for distances, and never handed out.

    Raises:
        ColumnError: the table has no such column.
        TableError: no row has both a name and a place, or there are too many names.
    """
    names = [one.name for one in points.table.columns()]
    if column not in names:
        raise ColumnError("The table has no column {name!r}; {hint}", name=column, hint=did_you_mean(column, names))
    numbering, sums = Numbering(), np.zeros((0, 4))
    for chunk in points.chunks(column):
        named = chunk.possible & np.asarray(chunk.column(column).is_valid())
        codes = numbering.codes(chunk.column(column))[named]
        if len(numbering.values) > MOST_AREAS:
            raise TableError(
                "Column {name!r} names more than {most:,} areas; name a column of regions, not of addresses.",
                name=column,
                most=MOST_AREAS,
            )
        sums = np.concatenate([sums, np.zeros((len(numbering.values) - len(sums), 4))])
        # Meridians are averaged as directions, so that an area may lie on both sides of the antimeridian.
        along = np.radians(chunk.longitudes[named])
        parts = (np.ones(len(codes)), chunk.latitudes[named], np.sin(along), np.cos(along))
        for at, part in enumerate(parts):
            sums[:, at] += np.bincount(codes, part, len(sums))
    labels = [(str(value), at) for at, value in enumerate(numbering.values) if value is not None and sums[at, 0]]
    if not labels:
        raise TableError("No row has both an area in {name!r} and a place; name other columns.", name=column)
    order = [at for _, at in sorted(labels)]
    n, up, sine, cosine = sums[order].T
    places = np.stack([up / n, np.degrees(np.arctan2(sine, cosine))], axis=-1)
    return NamedAreas(alphabet([name for name, _ in sorted(labels)], "names of areas"), places, column)  # type: ignore[arg-type]


def read_named_areas(path: Path | str) -> NamedAreas:
    """The areas of a CSV file with the columns name, lat and lon.

    Raises:
        FileError: a file that cannot be read, lacks a column, has a place that is none, or names an area twice.
    """
    place = Path(path)
    try:
        with place.open(encoding="utf-8-sig", newline="") as lines:
            rows = list(csv.DictReader(lines))
    except OSError as error:
        raise FileError(
            "{path} cannot be read: {reason}.", path=place, reason=error.strerror or "the system refused"
        ) from None
    except (UnicodeDecodeError, csv.Error):
        raise FileError("{path} is not UTF-8 CSV; save it in that form.", path=place) from None
    for column in ("name", "lat", "lon"):
        if not rows or column not in rows[0]:
            raise FileError(
                "{path} has no areas with the column {column!r}; write a header name,lat,lon and one line per area.",
                path=place,
                column=column,
            )
    names = [row["name"] for row in rows]
    _require_distinct(place, names)
    try:
        places = np.array([[float(row["lat"]), float(row["lon"])] for row in rows])
    except (TypeError, ValueError):
        places = np.full((1, 2), np.nan)
    if not np.all(np.abs(places) <= (90, 180)):
        raise FileError(
            "{path} has an area without a place on the earth; write latitudes from −90 to 90 and longitudes from −180 "
            "to 180.",
            path=place,
        )
    return NamedAreas(tuple(names), places)


def _require_distinct(path: Path, names: Sequence[str | None]) -> None:
    for name, times in Counter(names).items():
        if not name or times > 1:
            raise FileError(
                "{path} has {times} areas called {name!r}; give each area one line and a name of its own.",
                path=path,
                times=times,
                name=name or "",
            )


def _on_sphere(places: Floats) -> Floats:
    up, along = np.radians(places).T
    return np.stack([np.cos(up) * np.cos(along), np.cos(up) * np.sin(along), np.sin(up)], axis=-1)

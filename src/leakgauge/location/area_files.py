"""Areas from a file: polygons in GeoJSON, or names and centres in CSV."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from leakgauge.errors import FileError
from leakgauge.location.named_areas import NamedAreas
from leakgauge.location.polygons import Polygons, read_polygons


def read_areas(path: Path | str, name: str | None = None) -> NamedAreas | Polygons:
    """The areas of a CSV file (columns name, lat and lon), by its ending, or of a GeoJSON file.

    Args:
        name: the property of a GeoJSON file that names its areas.

    Raises:
        FileError: as ``read_named_areas`` and ``read_polygons``.
    """
    return read_named_areas(path) if Path(path).suffix.lower() == ".csv" else read_polygons(path, name)


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

"""What a first pass over the points tells of them: how many have a place, how far they reach, and what looks wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from leakgauge.distances.map_cells import UNITS
from leakgauge.errors import ColumnError, TableError
from leakgauge.location.points import Points
from leakgauge.probability.cells import Codes, Floats
from leakgauge.sentences import Sentence

PER_DEGREE: Final = 1000
"""Places are gathered by thousandths of a degree, about 100 metres: where the map ends needs no more."""
MOST_IMPOSSIBLE: Final = 0.01
"""Slips of a few devices are counted; where more than this share of the rows is off the earth, columns are wrong."""
HARDLY_ANYBODY: Final = -60
"""Nobody but researchers lives south of this latitude."""


@dataclass(frozen=True)
class Extent:
    """Where the points of a table lie, along each axis alone.

    Attributes:
        missing: rows without a latitude or a longitude.
        impossible: rows with a latitude or longitude that the earth does not have.
        latitudes: points for each thousandth of a degree from −90.
        longitudes: points for each thousandth of a degree from −180.
    """

    points: Points
    n: int
    missing: int
    impossible: int
    latitudes: Codes
    longitudes: Codes
    notices: tuple[Sentence, ...] = ()

    def require_places(self) -> None:
        """Refuse a table in which no row has a latitude and a longitude."""
        if self.n == self.missing + self.impossible:
            raise TableError(
                "None of the {rows:,} rows has both a latitude in {lat!r} and a longitude in {lon!r}; name columns "
                "that hold places.",
                rows=self.n,
                lat=self.points.lat,
                lon=self.points.lon,
            )


def extent_of(points: Points) -> Extent:
    """One pass over the points.

    Raises:
        ColumnError: latitude and longitude are swapped, or more than a hundredth of the rows lie off the earth.
    """
    latitudes = np.zeros(180 * PER_DEGREE + 1, dtype=np.int64)
    longitudes = np.zeros(360 * PER_DEGREE, dtype=np.int64)
    n = missing = impossible = impossible_if_swapped = 0
    for chunk in points.chunks():
        n += len(chunk.latitudes)
        missing += int((~chunk.known).sum())
        impossible += int((chunk.known & ~chunk.possible).sum())
        swapped = np.abs(chunk.longitudes) <= 90
        swapped &= np.abs(chunk.latitudes) <= 360
        impossible_if_swapped += int((chunk.known & ~swapped).sum())
        up, along = chunk.latitudes[chunk.possible], chunk.longitudes[chunk.possible]
        latitudes += np.bincount(_bins(up + 90), minlength=len(latitudes))
        longitudes += np.bincount(_bins(along + 180) % len(longitudes), minlength=len(longitudes))
    _require_possible(points, n - missing, impossible, impossible_if_swapped)
    found = Extent(points, n, missing, impossible, latitudes, longitudes)
    return replace(found, notices=tuple(_notices(found)))


def _bins(degrees: Floats) -> Codes:
    """Thousandths of a degree, told apart by the whole numbers that cells are told apart by."""
    return np.asarray(np.rint(degrees * UNITS).astype(np.int64) // (UNITS // PER_DEGREE))


def _require_possible(points: Points, known: int, impossible: int, impossible_if_swapped: int) -> None:
    if impossible <= known * MOST_IMPOSSIBLE:
        return
    if impossible_if_swapped <= impossible * MOST_IMPOSSIBLE:
        raise ColumnError(
            "{wrong:,} of the {known:,} latitudes in {lat!r} lie beyond ±90 degrees, while all of {lon!r} would be "
            "latitudes: the columns look swapped; give --lat {lon!s} --lon {lat!s}.",
            wrong=impossible,
            known=known,
            lat=points.lat,
            lon=points.lon,
        )
    raise ColumnError(
        "{wrong:,} of the {known:,} places in {lat!r} and {lon!r} are off the earth: latitudes go from −90 to 90 "
        "degrees, longitudes from −180 to 180; give columns in degrees, or mark wrong values as missing.",
        wrong=impossible,
        known=known,
        lat=points.lat,
        lon=points.lon,
    )


def _notices(extent: Extent) -> Iterator[Sentence]:
    points = extent.points
    filled = np.flatnonzero(extent.latitudes)
    if "lon" in points.lat.casefold() and "lat" in points.lon.casefold():
        yield Sentence(
            "Column {lat!r} is read as the latitude and {lon!r} as the longitude; if that is a slip, give --lat "
            "{lon!s} --lon {lat!s}.",
            lat=points.lat,
            lon=points.lon,
        )
    elif len(filled) and filled[-1] < (HARDLY_ANYBODY + 90) * PER_DEGREE:
        yield Sentence(
            "All points lie beyond {latitude} degrees south, where hardly anybody lives; if the columns are "
            "swapped, give --lat {lon!s} --lon {lat!s}.",
            latitude=-HARDLY_ANYBODY,
            lat=points.lat,
            lon=points.lon,
        )
    if extent.missing:
        yield Sentence(
            "Rows without a latitude or a longitude, which are not counted: {missing:,} of {rows:,}.",
            missing=extent.missing,
            rows=extent.n,
        )
    if extent.impossible:
        yield Sentence(
            "Rows off the earth, beyond ±90 degrees of latitude or ±180 of longitude, which are not counted: "
            "{wrong:,} of {rows:,}.",
            wrong=extent.impossible,
            rows=extent.n,
        )

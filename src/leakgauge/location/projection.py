"""Centres of areas on a flat map: metres east and north of its south-western corner."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from leakgauge.distances.map_cells import METRES_PER_DEGREE, stretch_between
from leakgauge.location.areas import Areas
from leakgauge.probability.cells import Floats


def flat_points(places: Floats) -> Floats:
    """Places (latitude, longitude) in metres, by a local projection that keeps distances.

    A step north is as long as on the earth, a step east as long as on the middle latitude;
    ``OnFlatMap.stretch`` says how far that is off.
    """
    latitudes, longitudes = places.T
    across = (longitudes - widest_gap(np.stack([longitudes, longitudes], axis=-1))) % 360
    middle = math.cos(math.radians((latitudes.min() + latitudes.max()) / 2))
    east = (across - across.min()) * METRES_PER_DEGREE * middle
    north = (latitudes - latitudes.min()) * METRES_PER_DEGREE
    return np.stack([east, north], axis=-1)


class OnFlatMap:
    """Areas whose centres, ``places``, lie on a flat map."""

    @cached_property
    def points(self: Areas) -> Floats:
        """The centre of each area in metres east and north of a corner of the map."""
        return flat_points(self.places)

    @property
    def stretch(self: Areas) -> float:
        """By which share of itself a step east is off, at most: at the northernmost or southernmost place."""
        return stretch_between(float(self.places[:, 0].min()), float(self.places[:, 0].max()))


def widest_gap(stretches: Floats) -> float:
    """The longitude in the middle of the widest gap between some stretches (west, east): none of them crosses it.

    Where they go all round the earth it is −180.
    """
    starts = stretches[:, 0] % 360
    ends = starts + stretches[:, 1] - stretches[:, 0]
    order = np.argsort(starts)
    # Stretches over the zero meridian end in the next turn.
    before = np.concatenate([[ends.max() - 360], np.maximum.accumulate(ends[order])[:-1]])
    gaps = starts[order] - np.maximum(before, ends.max() - 360)
    at = int(np.argmax(gaps))
    return turned(float(starts[order][at] - gaps[at] / 2)) if gaps[at] > 0 else -180.0


def turned(longitude: float) -> float:
    """The same meridian from −180 to 180."""
    return (longitude + 180) % 360 - 180


def on_one_side(ring: Floats, west: float) -> Floats:
    """Corners (latitude, longitude) of a small ring, without a jump where it crosses the antimeridian."""
    along = ring[:, 1]
    start = west + (along[0] - west + 180) % 360 - 180
    return np.stack([ring[:, 0], start + (along - along[0] + 180) % 360 - 180], axis=-1)

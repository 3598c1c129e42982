"""What every way to cut the earth into areas offers: labels, the area of a point, and centres on a flat map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from leakgauge.distances.distortions import require_room
from leakgauge.distances.map_cells import METRES_PER_DEGREE, stretch_between
from leakgauge.probability.cells import Codes, Floats

MOST_COMPARED = 4096
"""Areas up to which all pairs of them are laid out."""


class Areas(Protocol):
    """Areas that do not overlap: square cells (``MapCells``), hexagons, or areas with names."""

    @property
    def labels(self) -> tuple[str, ...]:
        """A text for each area."""

    @property
    def places(self) -> Floats:
        """The latitude and longitude of each centre, in degrees."""

    @property
    def points(self) -> Floats:
        """The centre of each area in metres east and north of a corner of the map."""

    def codes(self, latitudes: object, longitudes: object) -> Codes:
        """The area of each point, by its position among the labels; −1 outside all."""


def distances_between(areas: Areas) -> Floats:
    """The straight distances between centres in metres, one row per area."""
    require_room(areas.labels, areas.labels)
    east, north = areas.points.T
    return np.asarray(np.hypot(east[:, None] - east, north[:, None] - north))


def distances_apart(points: Floats, first: Codes, second: Codes) -> Floats:
    """The straight distances between the centres of pairs of areas in metres, pair by pair."""
    return np.asarray(np.hypot(*(points[first] - points[second]).T))


def least_mean_distance(points: Floats, shares: Floats) -> float:
    """The mean distance from the best centre to all others, by shares; only areas with people are tried as centres."""
    there = np.flatnonzero(shares)
    # The best centre is one of those near the mean where areas are many.
    tried = there
    if len(there) > MOST_COMPARED:
        mean = shares[there] @ points[there]
        tried = there[np.argsort(np.hypot(*(points[there] - mean).T))[:MOST_COMPARED]]
    far = (np.hypot(*(points[there] - points[at]).T) @ shares[there] for at in tried.tolist())
    return float(min(far))


def codes_of_labels(labels: Sequence[str], texts: Any) -> Codes:
    """The area of each text of a column by its position among the labels; −1 for a missing one and for other texts."""
    encoded = texts.dictionary_encode()
    known = {label: at for at, label in enumerate(labels)}
    own = np.array([*(known.get(str(text), -1) for text in encoded.dictionary.to_pylist()), -1], dtype=np.int64)
    return np.asarray(own[np.asarray(encoded.indices.fill_null(-1), dtype=np.int64)])


def shares_of_areas(codes: Codes, count: int) -> Floats:
    """The share of rows in each of so many areas."""
    return np.bincount(codes, minlength=count) / max(len(codes), 1)


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

"""What every way to cut the earth into areas offers: labels, centres, and the area of a point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from leakgauge.distances.distortions import require_room
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

"""What every way to cut the earth into areas offers: labels, centres, and the area of a point."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from leakgauge.distances.distortions import require_room
from leakgauge.probability.cells import Codes, Floats


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

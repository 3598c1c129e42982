"""Hexagons of the H3 grid that cover a box; they need the extra ``location``."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from leakgauge.distances.map_cells import METRES_PER_DEGREE, MOST_CELLS
from leakgauge.errors import OptionError
from leakgauge.location.areas import OnFlatMap, on_one_side
from leakgauge.location.box import Box, learn_box
from leakgauge.location.extent import extent_of
from leakgauge.location.points import Points
from leakgauge.probability.cells import Codes, Floats

FINEST: Final = 15
WIDEST: Final = 180
"""H3 takes a wider box for the rest of the earth."""
FINE: Final = 12
"""From this resolution on hexagons are so small, below 20 metres, that centres need more than five digits."""


@dataclass(frozen=True, eq=False)
class Hexagons(OnFlatMap):
    """All hexagons of a resolution that touch a box, in the order of their H3 numbers.

    Args:
        box: what they cover, of less than 180 degrees from west to east.
        resolution: from 0, about 2,200 kilometres from side to side, to 15, about one metre; 8 is about 900 metres.

    Raises:
        OptionError: another resolution, too wide a box, too many hexagons, or the extra is not installed.

    Example:
        >>> city = Hexagons(Box(40.70, 40.82, -74.02, -73.92), 7)
        >>> len(city.labels), city.labels[0], city.codes([40.71, 50.0], [-74.0, 0.0]).tolist()
        (32, '40.79782 -73.97475', [30, -1])
    """

    box: Box
    resolution: int
    numbers: npt.NDArray[np.uint64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.resolution <= FINEST:
            raise OptionError(
                "Hexagons of resolution {resolution} do not exist; give a whole number from 0 (the largest) to "
                "{finest}.",
                resolution=self.resolution,
                finest=FINEST,
            )
        if self.box.width >= WIDEST:
            raise OptionError(
                "A box of {width:.0f} degrees from west to east is too wide for hexagons; give one of less than "
                "{widest} degrees.",
                width=self.box.width,
                widest=WIDEST,
            )
        h3, box = _h3(), self.box
        middle = math.cos(math.radians((box.south + box.north) / 2))
        square_metres = (box.north - box.south) * box.width * middle * METRES_PER_DEGREE**2
        count = square_metres / h3.average_hexagon_area(self.resolution, unit="m^2")
        if count > MOST_CELLS:
            raise OptionError(
                "Hexagons of resolution {resolution} on this box are about {count:,.0f}, more than {most:,}; choose a "
                "lower resolution or a smaller area.",
                resolution=self.resolution,
                count=count,
                most=MOST_CELLS,
            )
        corners = [(box.south, box.west), (box.north, box.west), (box.north, box.east), (box.south, box.east)]
        cells = h3.polygon_to_cells_experimental(h3.LatLngPoly(corners), self.resolution, contain="overlap")
        object.__setattr__(self, "numbers", np.sort(np.asarray(cells, dtype=np.uint64)))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The centre of each hexagon as text: its latitude and longitude in degrees."""
        digits = 5 if self.resolution < FINE else 7
        return tuple(f"{latitude:.{digits}f} {longitude:.{digits}f}" for latitude, longitude in self.places.tolist())

    @cached_property
    def places(self) -> Floats:
        """The latitude and longitude of each centre, in degrees."""
        h3 = _h3()
        return np.array([h3.cell_to_latlng(number) for number in self.numbers])

    @cached_property
    def outlines(self) -> tuple[tuple[Floats, ...], ...]:
        """The corners of each hexagon, latitude and longitude, for drawing."""
        h3 = _h3()
        rings = (np.array(h3.cell_to_boundary(number)) for number in self.numbers)
        return tuple((on_one_side(ring, self.box.west),) for ring in rings)

    def codes(self, latitudes: object, longitudes: object) -> Codes:
        """The hexagon of each point, by its position among the labels; −1 outside all."""
        up, along = (np.asarray(degrees, dtype=np.float64) for degrees in (latitudes, longitudes))
        known = (np.abs(up) <= 90) & (np.abs(along) <= 360)
        number_at, resolution = _h3().latlng_to_cell, self.resolution
        found = [number_at(*place, resolution) for place in zip(up[known].tolist(), along[known].tolist(), strict=True)]
        numbers = np.array(found, dtype=np.uint64)
        at = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        codes = np.full(len(up), -1, dtype=np.int64)
        codes[known] = np.where(self.numbers[at] == numbers, at, -1)
        return codes


def hexagons_of(points: Points, resolution: int) -> Hexagons:
    """Hexagons that cover the box that is learnt from the points."""
    return Hexagons(learn_box(extent_of(points)).box, resolution)


def _h3() -> Any:
    try:
        import h3.api.numpy_int as h3
    except ImportError:
        raise OptionError(
            "Hexagons need the extra 'location'; install leakgauge[location], or give square cells with --cell."
        ) from None
    return h3

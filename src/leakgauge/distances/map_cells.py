"""A box of the earth cut into cells, exactly: which cell a coordinate falls into, and how far cells are apart.

Coordinates are taken to ten millionths of a degree, about a centimetre, and cells are told apart by whole numbers: a
point on an edge belongs to the cell north and east of it, whatever floats would say. Distances are those of a local
equal-distance projection: a step north or south is as long as on the earth, a step east or west as long as on the
middle latitude of the box; ``stretch`` says by how much that is off at its edges.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

import numpy as np

from leakgauge.distances.distortions import EARTH_RADIUS
from leakgauge.distances.grid import Grid
from leakgauge.errors import OptionError
from leakgauge.probability.cells import Codes, Floats

UNITS = 10**7
"""Parts of a degree that coordinates are told apart by."""
ROUND = 360 * UNITS
METRES_PER_DEGREE = EARTH_RADIUS * 1000 * math.pi / 180
MOST_CELLS = 10**6
"""Beyond a million cells a prior is empty almost everywhere, and a channel takes minutes."""
MOST_STRETCH = 0.5
"""Where a step east is half as long at one edge of the box as in its middle, one number for it says nothing."""
OUTSIDE = -1
_NOWHERE = -4 * ROUND


@dataclass(frozen=True)
class MapCells:
    """Rows of cells from south to north, in each the columns from west to east; counted row by row.

    Args:
        south: the southern edge in degrees; north, west and east likewise. A box whose west is greater than its east
            crosses the antimeridian.

    Raises:
        OptionError: edges outside the earth or in the wrong order, too many cells, or a box so tall or so near a pole
            that a step east has no one length.

    Example:
        >>> city = MapCells(40.70, 40.82, -74.02, -73.92, rows=12, columns=12)
        >>> [round(side) for side in city.sides], city.labels[0]
        ([1112, 702], '40.70500 -74.01583')
        >>> city.codes([40.71, 40.9], [-74.02, -74.0]).tolist()
        [12, -1]
    """

    south: float
    north: float
    west: float
    east: float
    rows: int
    columns: int
    _edges: tuple[int, int, int, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        edges = {"south": self.south, "north": self.north, "west": self.west, "east": self.east}
        for (name, value), limit in zip(edges.items(), (90, 90, 180, 180), strict=True):
            if not -limit <= value <= limit:
                raise OptionError(
                    "The {name!s} edge is {value}; give degrees from −{limit} to {limit}.",
                    name=name,
                    value=value,
                    limit=limit,
                )
        if self.rows < 1 or self.columns < 1 or self.rows * self.columns > MOST_CELLS:
            raise OptionError(
                "A map of {rows} by {columns} cells has none, or more than {most:,}; choose another size of cells.",
                rows=self.rows,
                columns=self.columns,
                most=MOST_CELLS,
            )
        # An edge is as it is written: 40.7 is 40.7, whatever the float nearest to it is.
        written = (Decimal(repr(float(edge))) for edge in edges.values())
        south, north, west, east = (round(edge * UNITS) for edge in written)
        height, width = north - south, (east - west) % ROUND or (ROUND if east != west else 0)
        if height < self.rows or width < self.columns:
            raise OptionError(
                "The box from {south} to {north} north and {west} to {east} east is too small for {rows} by {columns} "
                "cells of a centimetre or more; give its south before its north, and its west before its east.",
                **edges,
                rows=self.rows,
                columns=self.columns,
            )
        object.__setattr__(self, "_edges", (south, height, west, width))
        if self.stretch > MOST_STRETCH:
            raise OptionError(
                "Between {south} and {north} degrees north a step east has no one length: it is off by {off:.0%}; "
                "choose a box of fewer degrees, or one further from the poles.",
                south=self.south,
                north=self.north,
                off=min(self.stretch, 9.99),
            )

    @classmethod
    def of_size(cls, south: float, north: float, west: float, east: float, metres: float) -> MapCells:
        """Square cells of this size that cover a box; the box grows to the north and east to hold whole ones.

        Raises:
            OptionError: a size that is no length, or larger than the box, or too many cells.

        Example:
            >>> cells = MapCells.of_size(40.70, 40.82, -74.02, -73.92, metres=500)
            >>> cells.rows, cells.columns, [round(side, 1) for side in cells.sides]
            (27, 17, [500.0, 500.0])
        """
        if not 0 < metres < math.inf:
            raise OptionError("Cells of {size} metres have no size; give a length above 0.", size=metres)
        width = (east - west) % 360
        middle = math.cos(math.radians((south + north) / 2))
        tall = (north - south) * METRES_PER_DEGREE
        wide = width * METRES_PER_DEGREE * middle
        require_smaller(metres, tall, wide)
        rows = max(math.ceil(tall / metres), 1)
        high = south + rows * metres / METRES_PER_DEGREE
        if high > 90:
            raise OptionError(
                "The area reaches the north pole, where a step east has no length; choose a box further from it."
            )
        # On the middle of the grown box, whose cells must still reach its eastern edge.
        narrowed = math.cos(math.radians((south + high) / 2))
        columns = max(math.ceil(width * METRES_PER_DEGREE * narrowed / metres), 1)
        if rows * columns > MOST_CELLS:
            raise OptionError(
                "Cells of {size:g} metres on an area of {tall:.0f} by {wide:.0f} metres are {count:,}, more than "
                "{most:,}; choose larger cells or a smaller area.",
                size=metres,
                tall=tall,
                wide=wide,
                count=rows * columns,
                most=MOST_CELLS,
            )
        across = columns * metres / (METRES_PER_DEGREE * narrowed)
        return cls(south, round(high, 7), west, round((west + across + 180) % 360 - 180, 7), rows, columns)

    @property
    def count(self) -> int:
        """How many cells there are."""
        return self.rows * self.columns

    @property
    def sides(self) -> tuple[float, float]:
        """The height and the width of a cell in metres, the width on the middle latitude."""
        south, height, _, width = self._edges
        middle = math.cos(math.radians((south + height / 2) / UNITS))
        return (
            height / UNITS * METRES_PER_DEGREE / self.rows,
            width / UNITS * METRES_PER_DEGREE * middle / self.columns,
        )

    @property
    def stretch(self) -> float:
        """By which share of itself a step east is off, at most: at the edges of the box."""
        south, height, _, _ = self._edges
        return stretch_between(south / UNITS, (south + height) / UNITS)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The centre of each cell as text: its latitude and longitude in degrees."""
        digits = 5 if min(self._edges[1] / self.rows, self._edges[3] / self.columns) >= UNITS / 10**4 else 7
        return tuple(f"{latitude:.{digits}f} {longitude:.{digits}f}" for latitude, longitude in self.places.tolist())

    @cached_property
    def places(self) -> Floats:
        """The latitude and longitude of each centre, in degrees."""
        south, height, west, width = self._edges
        latitudes = (south + (np.arange(self.rows) + 0.5) * height / self.rows) / UNITS
        longitudes = _turned((west + (np.arange(self.columns) + 0.5) * width / self.columns) / UNITS)
        return np.stack(np.broadcast_arrays(latitudes[:, None], longitudes[None, :]), axis=-1).reshape(-1, 2)

    @cached_property
    def points(self) -> Floats:
        """The centre of each cell in metres east and north of the south-western corner."""
        tall, wide = self.sides
        row, column = np.divmod(np.arange(self.count), self.columns)
        return np.stack([(column + 0.5) * wide, (row + 0.5) * tall], axis=-1)

    def codes(self, latitudes: object, longitudes: object) -> Codes:
        """The cell of each point, counted row by row; −1 outside the box."""
        south, height, west, width = self._edges
        up = _units(latitudes) - south
        along = _units(longitudes)
        inside = (up >= 0) & (up < height) & (along != _NOWHERE)
        along = (along - west) % ROUND
        inside &= along < width
        return np.where(inside, up * self.rows // height * self.columns + along * self.columns // width, OUTSIDE)

    def metres(self) -> Grid:
        """The distances between cells in metres."""
        return Grid((self.rows, self.columns), self.sides)

    def steps(self) -> Grid:
        """The distances between cells in cells."""
        return Grid((self.rows, self.columns))


def require_smaller(metres: float, tall: float, wide: float) -> None:
    """Refuse cells as large as the whole area, whose sides are in metres too."""
    if metres >= max(tall, wide):
        raise OptionError(
            "Cells of {size:g} metres are as large as the whole area of {tall:.0f} by {wide:.0f} metres; choose "
            "smaller cells.",
            size=metres,
            tall=tall,
            wide=wide,
        )


def _units(degrees: object) -> Codes:
    """Coordinates in units; what is no angle is nowhere."""
    values = np.asarray(degrees, dtype=np.float64)
    known = np.abs(values) <= 360
    return np.where(known, np.rint(np.where(known, values, 0.0) * UNITS).astype(np.int64), _NOWHERE)


def _turned(longitudes: Floats) -> Floats:
    """The same meridians between −180 and 180."""
    return np.asarray((longitudes + 180) % 360 - 180)


def stretch_between(low: float, high: float) -> float:
    """By which share of itself a step east is off, at most, on a flat map between two latitudes."""
    middle, south, north = (math.cos(math.radians(at)) for at in ((low + high) / 2, low, high))
    widest, least = 1.0 if low <= 0 <= high else max(south, north), min(south, north)
    return max(widest / middle - 1, middle / least - 1) if min(least, middle) > 1e-9 else math.inf

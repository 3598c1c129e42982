"""The box that a map covers, declared or learnt without telling where any one point is, and the size of its cells."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from leakgauge.distances.map_cells import METRES_PER_DEGREE, MapCells, require_smaller
from leakgauge.errors import OptionError
from leakgauge.location.areas import turned
from leakgauge.location.extent import PER_DEGREE, Extent
from leakgauge.probability.cells import Codes
from leakgauge.sentences import Sentence

ONE_IN: Final = 500
LARGER: Final = 5.0
"""At most one point in so many is left outside along each axis, if the map would be more than this much larger with
them."""
FEWEST: Final = 20
MUCH_LARGER: Final = 100.0
"""Of so many points one may be left outside, if the map would be this much larger: a device that reports 0, 0."""
STEPS: Final = 100
"""Learnt edges are rounded outwards to a hundredth of the box or to a cell, whichever is more."""
METRES: Final = {"m": 1.0, "km": 1000.0}
_LENGTH: Final = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(m|km)\s*", re.IGNORECASE)
_COUNTS: Final = re.compile(r"\s*([0-9]{1,10})\s*[x×]\s*([0-9]{1,10})\s*", re.IGNORECASE)


Span: TypeAlias = tuple[int, int]
"""The first bin of a stretch, and the one after its last."""


@dataclass(frozen=True)
class Box:
    """Edges in degrees; where west is greater than east, the box crosses the antimeridian.

    Raises:
        OptionError: edges outside the earth, or a south that is not below the north.
    """

    south: float
    north: float
    west: float
    east: float

    def __post_init__(self) -> None:
        on_earth = all(abs(edge) <= 90 for edge in (self.south, self.north)) and all(
            abs(edge) <= 180 for edge in (self.west, self.east)
        )
        if not on_earth or not self.south < self.north or self.west == self.east:
            raise OptionError(
                "A box of {south} to {north} degrees north and {west} to {east} degrees east is not on the map; give "
                "south, north, west and east in this order, the first two from −90 to 90 and the others from −180 to "
                "180.",
                south=self.south,
                north=self.north,
                west=self.west,
                east=self.east,
            )

    @property
    def width(self) -> float:
        """Degrees from west to east."""
        return (self.east - self.west) % 360 or 360.0


def parse_box(text: str) -> Box:
    """The box of ``SOUTH,NORTH,WEST,EAST`` in degrees.

    Raises:
        OptionError: not four numbers, or not a box.

    Example:
        >>> parse_box("40.70, 40.82, -74.02, -73.92")
        Box(south=40.7, north=40.82, west=-74.02, east=-73.92)
    """
    try:
        south, north, west, east = (float(part) for part in text.split(","))
    except ValueError:
        raise OptionError(
            "--box {text!r} is not four numbers; write SOUTH,NORTH,WEST,EAST in degrees, as in "
            "40.70,40.82,-74.02,-73.92.",
            text=text,
        ) from None
    return Box(south, north, west, east)


_FAR_OFF: Final = Sentence(
    "A few points lie so far off that the map would be many times as large with them; they are left outside it, unless "
    "--box is given."
)


@dataclass(frozen=True)
class LearntBox:
    """A box that follows from the points, rounded outwards, and whether a few points far off are left outside."""

    box: Box
    trimmed: bool

    @property
    def notices(self) -> tuple[Sentence, ...]:
        """What a person should know of it."""
        return (_FAR_OFF,) if self.trimmed else ()


def learn_box(extent: Extent, cell_metres: float | None = None) -> LearntBox:
    """The smallest box around the points, over the antimeridian where it is smaller so.

    Its edges are rounded outwards to whole cells, if these have a side, or to hundredths of the box where that is more,
    so that none of them is the place of somebody. Where a few points, one in 500 at most along each axis, would make it
    many times as large, they are left outside.

    Raises:
        TableError: no row has a place.
        OptionError: cells as large as all that the points take.
    """
    extent.require_places()
    (low, high), (left, right), trimmed = _spans(extent)
    if cell_metres is not None:
        tall, wide = ((end - start) / PER_DEGREE * METRES_PER_DEGREE for start, end in ((low, high), (left, right)))
        middle = math.cos(math.radians((low + high) / 2 / PER_DEGREE - 90))
        require_smaller(cell_metres, tall, wide * middle)
    cell = (cell_metres or 0.0) / METRES_PER_DEGREE
    south, north = _rounded((low / PER_DEGREE - 90, high / PER_DEGREE - 90), cell)
    # By the rounded middle, so that the other edges do not tell of the southernmost or northernmost place.
    middle = max(math.cos(math.radians((south + north) / 2)), 1e-3)
    west, east = _rounded((left / PER_DEGREE - 180, right / PER_DEGREE - 180), cell / middle)
    if east - west >= 360:
        west, east = -180.0, 180.0
    box = Box(
        max(south, -90.0), min(north, 90.0), round(turned(west), 7), 180.0 if east == 180 else round(turned(east), 7)
    )
    return LearntBox(box, trimmed)


def _spans(extent: Extent) -> tuple[Span, Span, bool]:
    """The shortest stretches that hold the points along each axis, and whether a few are left outside them."""
    total = int(extent.latitudes.sum())
    whole = _shortest(extent.latitudes, 0), _shortest(extent.longitudes, 0, round_the_earth=True)
    for spare, larger in ((total // ONE_IN, LARGER), (int(total >= FEWEST), MUCH_LARGER)):
        most = _shortest(extent.latitudes, spare), _shortest(extent.longitudes, spare, round_the_earth=True)
        if _size(*whole) > larger * _size(*most):
            return *most, True
    return *whole, False


def _size(*spans: Span) -> int:
    return math.prod(end - start for start, end in spans)


def _shortest(counts: Codes, spare: int, *, round_the_earth: bool = False) -> Span:
    """The shortest stretch that leaves out at most ``spare`` points, of a line or of a circle."""
    bins = np.flatnonzero(counts)
    own, period = counts[bins], len(counts)
    total = int(own.sum())
    if round_the_earth:
        bins, own = np.concatenate([bins, bins + period]), np.concatenate([own, own])
    before = np.concatenate([[0], np.cumsum(own)])
    # For each first bin, the earliest last bin by which enough points are met.
    last = np.searchsorted(before, before[:-1] + (total - spare)) - 1
    first = np.flatnonzero(last < len(bins))
    lengths = np.minimum(bins[last[first]] + 1 - bins[first], period)
    at = int(np.argmin(lengths))
    start = int(bins[first[at]])
    return start, start + int(lengths[at])


def _rounded(edges: tuple[float, float], cell: float) -> tuple[float, float]:
    """Both edges moved outwards to whole steps: of some cells, or of a round number of degrees."""
    fine = max((edges[1] - edges[0]) / STEPS, 1 / PER_DEGREE)
    # A cell is cut to the centimetre below, so that whole steps never need one cell more.
    step = math.floor(cell * 1e7) / 1e7 * math.ceil(fine / cell) if cell > 1e-6 else _round_step(fine)
    return round(math.floor(edges[0] / step) * step, 7), round(math.ceil(edges[1] / step) * step, 7)


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(part * power for part in (1.0, 2.0, 5.0, 10.0) if part * power >= least * (1 - 1e-9))


@dataclass(frozen=True)
class CellSide:
    """Square cells of this many metres."""

    metres: float

    def on(self, box: Box) -> MapCells:
        """The box in such cells; it grows to the north and east to hold whole ones."""
        return MapCells.of_size(box.south, box.north, box.west, box.east, self.metres)


@dataclass(frozen=True)
class CellCounts:
    """So many rows of cells from south to north, and so many columns from west to east."""

    rows: int
    columns: int

    @property
    def metres(self) -> None:
        """Nothing: the box decides how long a side is."""

    def on(self, box: Box) -> MapCells:
        """The box in so many cells."""
        return MapCells(box.south, box.north, box.west, box.east, self.rows, self.columns)


CellSize: TypeAlias = CellSide | CellCounts


def parse_cell_size(text: str) -> CellSize:
    """The size of cells that a text names: a side in metres or kilometres, or rows by columns.

    Raises:
        OptionError: a text of another form, or a size of nothing.

    Example:
        >>> parse_cell_size("0.5 km"), parse_cell_size("12x8")
        (CellSide(metres=500.0), CellCounts(rows=12, columns=8))
    """
    if counts := _COUNTS.fullmatch(text):
        rows, columns = (int(count) for count in counts.groups())
        if not rows or not columns:
            raise OptionError("--cell {text!r} has no cells; give at least 1x1.", text=text)
        return CellCounts(rows, columns)
    if not _LENGTH.fullmatch(text):
        raise OptionError(
            "--cell {text!r} is not a size; write a length with its unit, as in 500m or 0.5km, or rows by columns, as "
            "in 12x12.",
            text=text,
        )
    return CellSide(parse_length(text, "--cell"))


def parse_length(text: str, option: str) -> float:
    """The metres that a text names, such as ``800m`` or ``1.5km``.

    Raises:
        OptionError: a number without a unit, another unit, or a length of 0.

    Example:
        >>> parse_length("1.5km", "--within")
        1500.0
    """
    length = _LENGTH.fullmatch(text)
    metres = float(length.group(1)) * METRES[length.group(2).lower()] if length else 0.0
    if not metres > 0:
        raise OptionError(
            "{option!s} {text!r} is not a length above 0; write a number with its unit, as in 500m or 0.5km.",
            option=option,
            text=text,
        )
    return metres

"""Distances between the cells of a regular grid, on a plane or on the earth."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field

import numpy as np

from leakgauge.distances.distortions import EARTH_RADIUS
from leakgauge.distances.grid_products import (
    AxisProducts,
    FilterProducts,
    FourierProducts,
    GridKernel,
    ParallelProducts,
)
from leakgauge.errors import LabelError, OptionError
from leakgauge.probability.cells import Floats

LONGEST_SIDE = 4096
"""Squared distances along a longer side go by Fourier transform: the product of an axis would take over 128 MiB."""
MOST_FACTORS = 1 << 24
"""Latitudes² × longitudes of a grid on the earth: its kernel takes 16 bytes for each."""


class GridDistance(enum.Enum):
    """How far two cells are apart, given their steps along each axis."""

    EUCLIDEAN = "euclidean"
    SQUARED = "squared"
    MANHATTAN = "manhattan"


@dataclass(frozen=True)
class Grid:
    """A regular grid of cells and how far they are apart.

    Args:
        shape: cells along each axis.
        spacing: the distance of neighbours along each axis, or one number for all.
        distance: straight, squared straight, or the sum of absolute differences.

    Raises:
        OptionError: no axes, an axis without cells, or a spacing that is not a finite number above 0.

    Example:
        >>> grid = Grid((3, 4), 0.5)
        >>> grid.distances_from(0)[2].round(3).tolist()
        [1.0, 1.118, 1.414, 1.803]
    """

    shape: tuple[int, ...]
    spacing: tuple[float, ...] | float = 1.0
    distance: GridDistance = GridDistance.EUCLIDEAN
    spacings: tuple[float, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        shape = tuple(int(side) for side in self.shape)
        if not shape or min(shape) < 1:
            raise OptionError("A grid of shape {shape} has no cells; give 1 or more along each axis.", shape=str(shape))
        spacing = self.spacing if isinstance(self.spacing, tuple) else (self.spacing,) * len(shape)
        if len(spacing) != len(shape):
            raise OptionError(
                "There are {found} spacings for {axes} axes; give one for each, or one number for all.",
                found=len(spacing),
                axes=len(shape),
            )
        for step in spacing:
            if not 0 < step < math.inf:
                raise OptionError("A spacing of {step} is no distance; give a finite number above 0.", step=step)
        object.__setattr__(self, "shape", shape)
        spacing = tuple(float(step) for step in spacing)
        object.__setattr__(self, "spacing", spacing)
        object.__setattr__(self, "spacings", spacing)

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return math.prod(self.shape)

    @property
    def largest(self) -> float:
        """The distance between opposite corners, rounded up."""
        return float(self.combine([self.steps(axis)[-1:] for axis in range(len(self.shape))]).max()) * (1 + 2.0**-40)

    @property
    def smallest(self) -> float:
        """The distance of the nearest two cells; infinite where there is only one."""
        steps = [step for step, side in zip(self.spacings, self.shape, strict=True) if side > 1]
        return float(self.combine([np.array([min(steps)])])[0]) if steps else math.inf

    def distances_from(self, cell: int) -> Floats:
        """The distance of every cell from one, in the grid's shape.

        Args:
            cell: its position, counted along the last axis first.
        """
        _require_cell(cell, self.cells)
        place = np.unravel_index(cell, self.shape)
        return self.combine([self.steps(axis, int(at)) for axis, at in enumerate(place)])

    def kernel(self, slope: float) -> GridKernel:
        """e^(−slope · d) as an operator."""
        _require_slope(slope)
        if self.distance is GridDistance.MANHATTAN:
            return FilterProducts(self, slope)
        if self.distance is GridDistance.SQUARED and max(self.shape) <= LONGEST_SIDE:
            return AxisProducts(self, slope)
        return FourierProducts(self, slope)

    def steps(self, axis: int, origin: int = 0) -> Floats:
        """How far each place along an axis is from one of them."""
        return np.asarray(np.abs(np.arange(self.shape[axis]) - origin) * self.spacings[axis])

    def combine(self, steps: list[Floats]) -> Floats:
        """The distances of given steps along each axis, in the shape they span."""
        open_mesh = np.ix_(*steps)
        if self.distance is GridDistance.MANHATTAN:
            return np.asarray(sum(open_mesh, np.zeros(())))
        squares = sum((part**2 for part in open_mesh), np.zeros(()))
        return np.asarray(squares if self.distance is GridDistance.SQUARED else np.sqrt(squares))

    def step_of(self, distance: float) -> float:
        """The step along one axis that is as far as this distance."""
        return math.sqrt(distance) if self.distance is GridDistance.SQUARED else distance


@dataclass(frozen=True)
class EarthGrid:
    """A grid of cells along parallels and meridians, and the shortest ways over the earth between them, in kilometres.

    Only steps of longitude matter, so a grid may cross the date line or go all the way round. Cells of one row share a
    latitude; rows do not have to be alike.

    Args:
        shape: cells from south to north, and from west to east.
        south: the latitude of the centre of the first row, in degrees.
        spacing: degrees between neighbours along a meridian and along a parallel, or one number for both.

    Raises:
        OptionError: no cells, a spacing that is no number above 0, rows at or beyond a pole, more than once round, or
            too many cells.

    Example:
        >>> grid = EarthGrid((2, 3), south=60.0, spacing=(1.0, 2.0))
        >>> grid.distances_from(0).round().tolist()
        [[0.0, 111.0, 222.0], [111.0, 156.0, 246.0]]
    """

    shape: tuple[int, int]
    south: float
    spacing: tuple[float, float] | float = 1.0

    def __post_init__(self) -> None:
        # The plane grid's own checks; its spacing is degrees here.
        plane = Grid(self.shape, self.spacing)
        if len(plane.shape) != 2:
            raise OptionError(
                "A grid of {axes} axes does not lie on the earth; give rows and columns.", axes=len(plane.shape)
            )
        (rows, columns), (down, across) = plane.shape, plane.spacings
        north = self.south + (rows - 1) * down
        if not (self.south > -90 and north < 90):
            raise OptionError(
                "Rows from latitude {south:g} to {north:g} reach a pole; keep their centres between −90 and 90.",
                south=self.south,
                north=north,
            )
        if columns * across > 360 * (1 + 1e-9):
            raise OptionError(
                "{columns} columns of {across:g} degrees go round the earth more than once; use fewer.",
                columns=columns,
                across=across,
            )
        if rows**2 * columns > MOST_FACTORS:
            raise OptionError(
                "A grid on the earth may have up to {limit} latitudes² × longitudes, and this one has {found}; use "
                "fewer rows.",
                limit=MOST_FACTORS,
                found=rows**2 * columns,
            )
        object.__setattr__(self, "shape", (rows, columns))
        object.__setattr__(self, "spacing", (down, across))

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return math.prod(self.shape)

    @property
    def largest(self) -> float:
        """The largest distance between two cells, rounded up."""
        turns = self._turns()
        widest = turns[int(np.argmax(np.sin(turns / 2) ** 2))]
        return float(self._ways(self._latitudes()[:, None], self._latitudes(), widest).max()) * (1 + 2.0**-40)

    @property
    def smallest(self) -> float:
        """The distance of the nearest two cells; infinite where there is only one."""
        rows, columns = self.shape
        latitudes, turns = self._latitudes(), self._turns()
        # Steps all the way round end beside where they began, so the last one is looked at as well.
        along = self._ways(latitudes[:, None], latitudes[:, None], turns[1:]).min() if columns > 1 else math.inf
        across = self._ways(latitudes[1:], latitudes[:-1], np.zeros(1)).min() if rows > 1 else math.inf
        return float(min(along, across))

    def distances_from(self, cell: int) -> Floats:
        """The distance of every cell from one, in the grid's shape.

        Args:
            cell: its position, counted along the last axis first.
        """
        _require_cell(cell, self.cells)
        row, column = divmod(cell, self.shape[1])
        turns = self._turns()[abs(np.arange(self.shape[1]) - column)]
        latitudes = self._latitudes()
        return self._ways(latitudes[row], latitudes[:, None], turns)

    def between_parallels(self) -> Floats:
        """The distance by latitude, latitude and steps of longitude."""
        latitudes = self._latitudes()
        return self._ways(latitudes[:, None, None], latitudes[:, None], self._turns())

    def kernel(self, slope: float) -> GridKernel:
        """e^(−slope · d) as an operator."""
        _require_slope(slope)
        return ParallelProducts(self, slope)

    def _latitudes(self) -> Floats:
        assert isinstance(self.spacing, tuple)
        return np.asarray(np.radians(self.south + self.spacing[0] * np.arange(self.shape[0])))

    def _turns(self) -> Floats:
        """How far round the earth 0, 1, … steps of longitude go, in radians."""
        assert isinstance(self.spacing, tuple)
        return np.asarray(np.radians(self.spacing[1] * np.arange(self.shape[1])))

    def _ways(self, starts: Floats, ends: Floats, turns: Floats) -> Floats:
        """By haversines; the two latitudes in either order give the same float."""
        half = np.sin((starts - ends) / 2) ** 2 + np.cos(starts) * np.cos(ends) * np.sin(turns / 2) ** 2
        return np.asarray(2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.minimum(half, 1.0))))


def _require_cell(cell: int, cells: int) -> None:
    if not 0 <= cell < cells:
        raise LabelError("There is no cell {cell}; the grid has the cells 0 to {last}.", cell=cell, last=cells - 1)


def _require_slope(slope: float) -> None:
    if not 0 < slope < math.inf:
        raise OptionError("A slope of {slope} has no kernel on a grid; give a finite number above 0.", slope=slope)

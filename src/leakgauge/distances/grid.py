"""Distances between the cells of a regular grid."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field

import numpy as np

from leakgauge.distances.grid_products import AxisProducts, FilterProducts, FourierProducts, GridKernel
from leakgauge.errors import LabelError, OptionError
from leakgauge.probability.cells import Floats

LONGEST_SIDE = 4096
"""Squared distances along a longer side go by Fourier transform: the product of an axis would take over 128 MiB."""


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
        if not 0 <= cell < self.cells:
            raise LabelError(
                "There is no cell {cell}; the grid has the cells 0 to {last}.", cell=cell, last=self.cells - 1
            )
        place = np.unravel_index(cell, self.shape)
        return self.combine([self.steps(axis, int(at)) for axis, at in enumerate(place)])

    def kernel(self, slope: float) -> GridKernel:
        """e^(−slope · d) as an operator."""
        if not 0 < slope < math.inf:
            raise OptionError("A slope of {slope} has no kernel on a grid; give a finite number above 0.", slope=slope)
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

"""Regular grids: the distances between their cells, and products with e^(−slope · d) that never store cells by cells.

Each product is a convolution: of straight distances a padded Fourier transform, of squared ones a small product an
axis, of sums of absolute differences two recursive filters an axis. Every product comes with a bound on what floats may
have done to it, so that a proof can rest on it.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from leakgauge.errors import LabelError, OptionError
from leakgauge.probability.cells import Floats

AlongAxis: TypeAlias = Callable[[Floats, int], Floats]

LONGEST_SIDE = 4096
"""Squared distances along a longer side go by Fourier transform: the product of an axis would take over 128 MiB."""
REACH = 45.0
"""e^−45 is 3e-20, below what a Fourier transform can see: no cell further off than this in nats needs padding."""
EPSILON = 2.0**-52
TINY = 1e-290
"""Added before a recursive filter: numbers that sink below the smallest normal float would slow it a hundredfold."""


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
                raise OptionError("A spacing of {step} is not a distance; give a finite number above 0.", step=step)
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
        """Products with e^(−slope · d)."""
        if not 0 < slope < math.inf:
            raise OptionError("A slope of {slope} has no kernel on a grid; give a finite number above 0.", slope=slope)
        if self.distance is GridDistance.MANHATTAN:
            return _by_filters(self, slope)
        if self.distance is GridDistance.SQUARED and max(self.shape) <= LONGEST_SIDE:
            return _by_matrices(self, slope)
        return _by_transform(self, slope)

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


class GridKernel(NamedTuple):
    """Products with K = e^(−slope · d) between all cells of a grid, and with K · d; both are symmetric."""

    plain: FourierProduct | AxisProduct
    weighted: FourierProduct | AxisProduct


class FourierProduct:
    """A convolution by real Fourier transforms.

    Args:
        values: the kernel by steps forwards, then backwards along each axis, padded by as much as it reaches.
        cut: what the padding cuts off or folds back is at most this part of any weight.
    """

    def __init__(self, shape: tuple[int, ...], values: Floats, cut: float) -> None:
        from scipy.fft import rfftn

        self._shape, self._lengths, self._cut = shape, values.shape, cut
        # The kernel is even along every axis, so its transform is real.
        self._spectrum = np.ascontiguousarray(rfftn(values).real)
        self._total, self._root = float(values.sum()), float(np.sqrt((values**2).sum()))

    def times(self, array: Floats) -> Floats:
        """Σ_y K(x, y) r(y) for each cell x, as floats give it: far from all weight it may be noise, even below 0."""
        from scipy.fft import irfftn, rfftn

        mixed = rfftn(array, self._lengths)
        mixed *= self._spectrum
        product = irfftn(mixed, self._lengths, overwrite_x=True)
        return np.asarray(product[tuple(slice(side) for side in self._shape)])

    def times_within(self, array: Floats) -> tuple[Floats, Floats]:
        """Two arrays with the true product between them; the entries of ``array`` are at least 0.

        A transform errs in the 2-norm by a few ε log₂ N of the whole; eight times is more than any radix used needs.
        With it, no entry of IFFT(FFT(k) · FFT(x)) is off by more than that share of ‖k‖₂ ‖x‖₁ + 2 ‖k‖₁ ‖x‖₂.
        """
        weight, size = float(array.sum()), float(np.sqrt((array**2).sum()))
        share = 8 * EPSILON * math.log2(math.prod(self._lengths) + 2)
        error = share * (self._root * weight + 2 * self._total * size) + 2 * self._cut * weight
        product = self.times(array)
        # An exponential of at most 745 is off by less than 1024 ε of itself.
        spread = 1024 * EPSILON * np.abs(product)
        return np.maximum(product - error - spread, 0.0), product + error + spread


def _by_transform(grid: Grid, slope: float) -> GridKernel:
    from scipy.fft import next_fast_len

    near = grid.step_of(REACH / slope)
    sides = list(zip(grid.shape, grid.spacings, strict=True))
    pads = [min(side - 1, math.ceil(near / step)) for side, step in sides]
    reach = min(math.inf if pad == side - 1 else pad * step for (side, step), pad in zip(sides, pads, strict=True))
    around = []
    for (side, step), pad in zip(sides, pads, strict=True):
        length = next_fast_len(side + pad, real=True)
        around.append(np.asarray(np.minimum(np.arange(length), length - np.arange(length)) * step))
    distances = grid.combine(around)
    edge = float(grid.combine([np.array([reach])])[0])
    cut, values = math.exp(-slope * edge), np.exp(-slope * distances)
    # Beyond the reach d e^(−slope d) falls, as slope · d is far above 1.
    weighted = FourierProduct(grid.shape, values * distances, cut * edge if cut > 0 else 0.0)
    return GridKernel(FourierProduct(grid.shape, values, cut), weighted)


class AxisProduct:
    """A sum of products along one axis after the other, of positive numbers only: its error is a share of itself.

    Args:
        terms: of each term the product along each axis.
        floor: added to what is multiplied.
    """

    def __init__(self, shape: tuple[int, ...], terms: Sequence[Sequence[AlongAxis]], floor: float) -> None:
        self._share, self._terms, self._floor = EPSILON * (1024 + 16 * sum(shape)), terms, floor

    def times(self, array: Floats) -> Floats:
        """Σ_y K(x, y) r(y) for each cell x, as floats give it."""
        products = []
        for term in self._terms:
            product = array + self._floor
            for axis, along in enumerate(term):
                product = along(product, axis)
            products.append(product)
        return np.asarray(sum(products))

    def times_within(self, array: Floats) -> tuple[Floats, Floats]:
        """Two arrays with the true product between them; the entries of ``array`` are at least 0."""
        product = self.times(array)
        # What underflow or TINY may have done is far below 1e-250, and so is anything that matters here.
        return np.maximum(product * (1 - self._share) - 1e-250, 0.0), product * (1 + self._share) + 1e-250


def _by_axes(grid: Grid, plain: list[AlongAxis], weighted: list[AlongAxis], floor: float = 0.0) -> GridKernel:
    """K is a product over the axes; in K · d each axis in turn is weighted by its distance."""
    terms = [[*plain[:axis], weighted[axis], *plain[axis + 1 :]] for axis in range(len(plain))]
    return GridKernel(AxisProduct(grid.shape, [plain], floor), AxisProduct(grid.shape, terms, floor))


def _by_matrices(grid: Grid, slope: float) -> GridKernel:
    """e^(−slope d²) by one small matrix an axis."""
    squares = [
        np.asarray([grid.steps(axis, origin) ** 2 for origin in range(side)]) for axis, side in enumerate(grid.shape)
    ]
    plain = [partial(_multiplied, np.exp(-slope * square)) for square in squares]
    return _by_axes(grid, [*plain], [partial(_multiplied, np.exp(-slope * square) * square) for square in squares])


def _multiplied(matrix: Floats, array: Floats, axis: int) -> Floats:
    return np.asarray(np.moveaxis(np.tensordot(matrix, array, axes=(1, axis)), 0, axis))


def _by_filters(grid: Grid, slope: float) -> GridKernel:
    """e^(−slope Σ|steps|) by a recursive filter forwards and one backwards an axis."""
    decays = [(math.exp(-slope * step), step) for step in grid.spacings]
    weighted = [partial(_filtered_by_distance, decay, step) for decay, step in decays]
    return _by_axes(grid, [partial(_filtered, decay) for decay, _ in decays], [*weighted], TINY)


def _filtered(decay: float, array: Floats, axis: int) -> Floats:
    from scipy.signal import lfilter

    forwards = lfilter([1.0], [1.0, -decay], array, axis=axis)
    # Backwards without the cell itself, which is counted already.
    backwards = lfilter([0.0, decay], [1.0, -decay], np.flip(array, axis), axis=axis)
    return np.asarray(forwards + np.flip(backwards, axis))


def _filtered_by_distance(decay: float, step: float, array: Floats, axis: int) -> Floats:
    from scipy.signal import lfilter

    def one_way(side: Floats) -> Floats:
        sums = lfilter([1.0], [1.0, -decay], side, axis=axis)
        return np.asarray(lfilter([0.0, decay], [1.0, -decay], sums, axis=axis))

    return np.asarray(step * (one_way(array) + np.flip(one_way(np.flip(array, axis)), axis)))

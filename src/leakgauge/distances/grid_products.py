"""Products with e^(−slope · d) on a regular grid, without ever storing a matrix of cells by cells.

Each is a convolution: of straight distances a padded Fourier transform, of squared ones a small product an axis, of
sums of absolute differences two recursive filters an axis. Every product comes with a bound on what floats may have
done to it, so that a proof can rest on it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from leakgauge.probability.cells import Floats

if TYPE_CHECKING:
    from leakgauge.distances.grid import Grid

Enclosure: TypeAlias = tuple[Floats, Floats]
AlongAxis: TypeAlias = Callable[[Floats, int], Floats]

REACH = 45.0
"""e^−45 is 3e-20, below what a Fourier transform can see: no cell further off than this in nats needs padding."""
EPSILON = 2.0**-52
TINY = 1e-290
"""Added before a recursive filter: numbers that sink below the smallest normal float would slow it a hundredfold."""


class GridKernel(ABC):
    """K = e^(−slope · d) between all cells of a grid, as products with arrays of the grid's shape; K is symmetric.

    A kind of kernel keeps two operators, K itself and K · d, and says how to multiply by one and how far off that is.
    """

    _plain: Any
    _weighted: Any

    def times(self, array: Floats) -> Floats:
        """Σ_y K(x, y) r(y) for each cell x, as floats give it: far from all weight it may be noise, even below 0."""
        return self._product(self._plain, array)

    def distance_times(self, array: Floats) -> Floats:
        """Σ_y K(x, y) d(x, y) r(y) for each cell x, as floats give it."""
        return self._product(self._weighted, array)

    def times_within(self, array: Floats) -> Enclosure:
        """Two arrays with the true product between them; the entries of ``array`` are at least 0."""
        return self._within(self._plain, array)

    def distance_times_within(self, array: Floats) -> Enclosure:
        """Two arrays with the true product with K · d between them; the entries of ``array`` are at least 0."""
        return self._within(self._weighted, array)

    @abstractmethod
    def _product(self, operator: Any, array: Floats) -> Floats:
        """The product as floats give it."""

    @abstractmethod
    def _within(self, operator: Any, array: Floats) -> Enclosure:
        """The product less and plus a bound on its error."""


class FourierProducts(GridKernel):
    """A convolution by real Fourier transforms, padded by as much as the kernel reaches."""

    def __init__(self, grid: Grid, slope: float) -> None:
        from scipy.fft import next_fast_len

        self._shape = grid.shape
        near = grid.step_of(REACH / slope)
        sides = list(zip(grid.shape, grid.spacings, strict=True))
        pads = [min(side - 1, math.ceil(near / step)) for side, step in sides]
        reach = min(math.inf if pad == side - 1 else pad * step for (side, step), pad in zip(sides, pads, strict=True))
        self._lengths = tuple(next_fast_len(side + pad, real=True) for side, pad in zip(grid.shape, pads, strict=True))
        around = [
            np.minimum(np.arange(length), length - np.arange(length)) * step
            for length, step in zip(self._lengths, grid.spacings, strict=True)
        ]
        distances = grid.combine([np.asarray(steps) for steps in around])
        # What the padding cuts off or folds back is at most this part of any weight.
        edge = float(grid.combine([np.array([reach])])[0])
        cut = math.exp(-slope * edge)
        values = np.exp(-slope * distances)
        self._plain = self._transformed(values, cut)
        # Beyond the reach d e^(−slope d) falls, as slope · d is far above 1.
        self._weighted = self._transformed(values * distances, cut * edge if cut > 0 else 0.0)

    def _transformed(self, values: Floats, cut: float) -> tuple[Floats, float, float, float]:
        """The transform, the sum and the root of the sum of squares of a kernel, and what padding cuts off."""
        from scipy.fft import rfftn

        # The kernel is even along every axis, so its transform is real.
        spectrum = np.ascontiguousarray(rfftn(values).real)
        return spectrum, float(values.sum()), float(np.sqrt((values**2).sum())), cut

    def _product(self, operator: tuple[Floats, float, float, float], array: Floats) -> Floats:
        from scipy.fft import irfftn, rfftn

        mixed = rfftn(array, self._lengths)
        mixed *= operator[0]
        product = irfftn(mixed, self._lengths, overwrite_x=True)
        return np.asarray(product[tuple(slice(side) for side in self._shape)])

    def _within(self, operator: tuple[Floats, float, float, float], array: Floats) -> Enclosure:
        """The product less and plus its error.

        A transform errs in the 2-norm by a few ε log₂ N of the whole; eight times is more than any radix used needs.
        With it, no entry of IFFT(FFT(k) · FFT(x)) is off by more than that share of ‖k‖₂ ‖x‖₁ + 2 ‖k‖₁ ‖x‖₂.
        """
        _, total, root, cut = operator
        weight, size = float(array.sum()), float(np.sqrt((array**2).sum()))
        share = 8 * EPSILON * math.log2(math.prod(self._lengths) + 2)
        error = share * (root * weight + 2 * total * size) + 2 * cut * weight
        product = self._product(operator, array)
        # An exponential of at most 745 is off by less than 1024 ε of itself.
        spread = 1024 * EPSILON * np.abs(product)
        return np.maximum(product - error - spread, 0.0), product + error + spread


class _Positive(GridKernel):
    """Products of positive numbers only, axis by axis: their error is a share of themselves."""

    def __init__(self, grid: Grid, plain: list[AlongAxis], weighted: list[AlongAxis]) -> None:
        self._share = EPSILON * (1024 + 16 * sum(grid.shape))
        self._plain = partial(_along_axes, plain)
        self._weighted = partial(_one_weighted, plain, weighted)

    def _product(self, operator: Callable[[Floats], Floats], array: Floats) -> Floats:
        return operator(array)

    def _within(self, operator: Callable[[Floats], Floats], array: Floats) -> Enclosure:
        product = self._product(operator, array)
        # What underflow or TINY may have done is far below 1e-250, and so is anything that matters here.
        return np.maximum(product * (1 - self._share) - 1e-250, 0.0), product * (1 + self._share) + 1e-250


class AxisProducts(_Positive):
    """e^(−slope d²) is a product over the axes: one small matrix each."""

    def __init__(self, grid: Grid, slope: float) -> None:
        squares = [
            np.asarray([grid.steps(axis, origin) ** 2 for origin in range(side)])
            for axis, side in enumerate(grid.shape)
        ]
        plain = [_by_matrix(np.exp(-slope * square)) for square in squares]
        super().__init__(grid, plain, [_by_matrix(np.exp(-slope * square) * square) for square in squares])


class FilterProducts(_Positive):
    """e^(−slope Σ|steps|) is a product over the axes: a recursive filter forwards and one backwards each."""

    def __init__(self, grid: Grid, slope: float) -> None:
        decays = [math.exp(-slope * step) for step in grid.spacings]
        weighted = [_by_weighted_filter(decay, step) for decay, step in zip(decays, grid.spacings, strict=True)]
        super().__init__(grid, [_by_filter(decay) for decay in decays], weighted)

    def _product(self, operator: Callable[[Floats], Floats], array: Floats) -> Floats:
        return operator(array + TINY)


def _along_axes(products: list[AlongAxis], array: Floats) -> Floats:
    for axis, product in enumerate(products):
        array = product(array, axis)
    return array


def _one_weighted(plain: list[AlongAxis], weighted: list[AlongAxis], array: Floats) -> Floats:
    """The sum over the axes of the product with that axis weighted by its distance, the others plain."""
    parts = [_along_axes([*plain[:axis], weighted[axis], *plain[axis + 1 :]], array) for axis in range(len(plain))]
    return np.asarray(sum(parts))


def _by_matrix(matrix: Floats) -> AlongAxis:
    def product(array: Floats, axis: int) -> Floats:
        return np.asarray(np.moveaxis(np.tensordot(matrix, array, axes=(1, axis)), 0, axis))

    return product


def _by_filter(decay: float) -> AlongAxis:
    def product(array: Floats, axis: int) -> Floats:
        from scipy.signal import lfilter

        forwards = lfilter([1.0], [1.0, -decay], array, axis=axis)
        # Backwards without the cell itself, which is counted already.
        backwards = lfilter([0.0, decay], [1.0, -decay], np.flip(array, axis), axis=axis)
        return np.asarray(forwards + np.flip(backwards, axis))

    return product


def _by_weighted_filter(decay: float, step: float) -> AlongAxis:
    def product(array: Floats, axis: int) -> Floats:
        from scipy.signal import lfilter

        def one_way(side: Floats) -> Floats:
            sums = lfilter([1.0], [1.0, -decay], side, axis=axis)
            return np.asarray(lfilter([0.0, decay], [1.0, -decay], sums, axis=axis))

        return np.asarray(step * (one_way(array) + np.flip(one_way(np.flip(array, axis)), axis)))

    return product

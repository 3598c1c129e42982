"""A distortion says how far letters are apart; Hamming's also multiplies by e^(−slope · distance), unstored."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from leakgauge.errors import ModelError
from leakgauge.probability.cells import LARGEST, Codes, Floats, as_matrix
from leakgauge.probability.labels import Label


class Distances(ABC):
    """The distances between one alphabet of inputs and one of outputs; finite and at least 0."""

    shape: tuple[int, int]

    @property
    @abstractmethod
    def matrix(self) -> Floats:
        """All distances as a read-only array, a row an input; refused where it would not fit."""

    def _refuse_too_large(self) -> None:
        if self.shape[0] * self.shape[1] > LARGEST:
            raise ModelError(
                "Distances between {inputs} and {outputs} letters are too many to hold whole; merge rare ones first.",
                inputs=self.shape[0],
                outputs=self.shape[1],
            )


class DenseDistances(Distances):
    """Every distance stored."""

    def __init__(self, matrix: object) -> None:
        array = as_matrix(matrix, "distances")
        array.setflags(write=False)
        self._array = array
        self.shape = (array.shape[0], array.shape[1])

    @property
    def matrix(self) -> Floats:
        """All distances, a row an input."""
        return self._array


class MatchDistances(Distances):
    """0 where an output is the input itself, 1 elsewhere; products cost one pass over the letters.

    Args:
        matches: the position of each input among the outputs, −1 where it is none of them.
    """

    def __init__(self, matches: Sequence[int] | Codes, outputs: int) -> None:
        self.matches = np.array(matches, dtype=np.int64)
        self.matches.setflags(write=False)
        self.shape = (len(matches), outputs)

    @cached_property
    def matrix(self) -> Floats:
        """All distances, a row an input."""
        self._refuse_too_large()
        array = np.ones(self.shape)
        met = np.flatnonzero(self.matches >= 0)
        array[met, self.matches[met]] = 0.0
        array.setflags(write=False)
        return array

    def kernel(self, slope: float) -> MatchKernel:
        """e^(−slope) everywhere but where the letters match."""
        return MatchKernel(self, math.exp(-slope))


class MatchKernel:
    """K = e^(−slope · d) of Hamming's distances as products, never stored."""

    def __init__(self, distances: MatchDistances, off: float) -> None:
        self._inputs = np.flatnonzero(distances.matches >= 0)
        self._outputs = distances.matches[self._inputs]
        self._shape, self._off = distances.shape, off

    def times(self, vector: Floats) -> Floats:
        """K r: one number an input, of one number an output."""
        product = np.full(self._shape[0], self._off * vector.sum())
        product[self._inputs] += (1 - self._off) * vector[self._outputs]
        return product

    def transposed(self, vector: Floats) -> Floats:
        """Kᵀ f: one number an output, of one number an input."""
        product = np.full(self._shape[1], self._off * vector.sum())
        # Two inputs never match one output, so that no entry is written twice.
        product[self._outputs] += (1 - self._off) * vector[self._inputs]
        return product


class Distortion(ABC):
    """What a person loses when y is released instead of x, as a number of at least 0."""

    @abstractmethod
    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Distances:
        """The distances from each input to each output.

        Raises:
            LabelError: a label is none this distortion can measure.
        """

    def outputs_for(self, inputs: Sequence[Label]) -> tuple[Label, ...]:
        """The letters released when nobody names others: the inputs themselves."""
        return tuple(inputs)

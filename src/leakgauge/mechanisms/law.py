"""The law of a mechanism: how likely each output is given each input, and draws from it.

Inputs and outputs are coded: letters by their places, numbers by steps of a grid, sets by a truth for each letter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.probability.cells import Floats
from leakgauge.randomness import Randomness

Inputs: TypeAlias = npt.NDArray[np.integer[Any]]
Outputs: TypeAlias = npt.NDArray[Any]

_LEAST_LOG = -1e3
"""Stands for the logarithm of 0 in a ratio, which it leaves finite."""


class Law(ABC):
    """From coded inputs to coded outputs."""

    @abstractmethod
    def draw(self, inputs: Inputs, randomness: Randomness) -> Outputs:
        """A fresh output for each input."""

    @abstractmethod
    def scores(self, inputs: Inputs, outputs: Outputs) -> Floats:
        """log q(y|x) for each input (a row) and output (a column), up to one constant for all."""

    def log_ratio(self, first: int, second: int) -> Callable[[Outputs], Floats]:
        """log q(y|first) − log q(y|second) of outputs."""

        def ratio(outputs: Outputs) -> Floats:
            scores = np.maximum(self.scores(np.array([first, second]), outputs), _LEAST_LOG)
            return np.asarray(scores[0] - scores[1])

        return ratio

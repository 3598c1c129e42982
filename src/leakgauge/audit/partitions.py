"""Ways to sort outputs into cells, learnt on outputs that prove nothing themselves.

A cell is a set of outputs; an event is a union of cells. What a partition may learn from is never what it is tested on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.probability.cells import Codes, Floats

Outputs: TypeAlias = npt.NDArray[Any]
"""One output a row: numbers, rows of numbers, or labels."""

_TAILS = 2.0 ** -np.arange(7, 14)
_SHARES = np.sort(np.concatenate([np.arange(1, 64) / 64, _TAILS, 1 - _TAILS]))
"""Where numbers are cut: in 64 cells hit alike, the outer ones cut further, where a small δ shows."""
_NAMED = 4
"""Parts of an event that are named in its description."""
LETTERS = 512
"""Up to so many different numbers each is a cell of its own."""


class Partition(ABC):
    """Outputs to the numbers of their cells.

    Attributes:
        cells: how many.
        ordered: whether an output of a later cell is known to be likelier under the first input.
    """

    cells: int
    ordered = False

    @abstractmethod
    def places(self, outputs: Outputs) -> Codes:
        """The cell of each output."""

    @abstractmethod
    def describe(self, cells: Codes) -> str:
        """A union of cells in words, the numbers in ascending order."""


class Letters(Partition):
    """Each of the most frequent outputs a cell, everything else the last."""

    def __init__(self, outputs: Outputs) -> None:
        values, counts = np.unique(outputs, return_counts=True)
        self._values = values[np.sort(np.argsort(-counts, kind="stable")[:LETTERS])]
        self.cells = len(self._values) + 1

    def places(self, outputs: Outputs) -> Codes:
        """The cell of each output."""
        at = np.minimum(np.searchsorted(self._values, outputs), len(self._values) - 1)
        return np.where(self._values[at] == outputs, at, len(self._values))

    def describe(self, cells: Codes) -> str:
        """The outputs themselves."""
        values = [repr(self._values[cell].item()) for cell in cells if cell < len(self._values)]
        return "output " + listed([*values, *(["any other"] if len(values) < len(cells) else [])])


class Places(Partition):
    """Where a number lies, or a number computed from the output."""

    def __init__(
        self,
        outputs: Outputs,
        score: Callable[[Outputs], Floats] | None = None,
        name: str = "output",
        ordered: bool = False,
    ) -> None:
        self._score, self._name, self.ordered = score, name, ordered
        numbers = self._numbers(outputs)
        self._ends = np.unique(np.quantile(numbers, _SHARES, method="inverted_cdf"))
        self.cells = len(self._ends) + 1

    def places(self, outputs: Outputs) -> Codes:
        """The cell of each output."""
        return np.searchsorted(self._ends, self._numbers(outputs), side="left")

    def describe(self, cells: Codes) -> str:
        """The intervals, neighbouring ones as one."""
        runs = np.split(cells, np.flatnonzero(np.diff(cells) > 1) + 1)
        return f"{self._name} " + listed([self._interval(int(run[0]), int(run[-1])) for run in runs if len(run)])

    def _interval(self, first: int, last: int) -> str:
        if first == 0:
            return "anything" if last == len(self._ends) else f"at most {self._ends[last]:.6g}"
        if last == len(self._ends):
            return f"above {self._ends[first - 1]:.6g}"
        return f"in ({self._ends[first - 1]:.6g}, {self._ends[last]:.6g}]"

    def _numbers(self, outputs: Outputs) -> Floats:
        return outputs.astype(np.float64) if self._score is None else self._score(outputs)


class LowBits(Partition):
    """The lowest bit set in a float: noise added to 0 reaches finer bits than noise added to 1 (Mironov 2012)."""

    _FINEST, _COARSEST = -90, 10
    cells = _COARSEST - _FINEST + 2

    def places(self, outputs: Outputs) -> Codes:
        """The cell of each output."""
        numbers = outputs.astype(np.float64)
        fractions, exponents = np.frexp(np.where(np.isfinite(numbers), numbers, 0.0))
        whole = np.abs(fractions * 2.0**53).astype(np.int64)
        # The lowest bit of a whole number as a power of two; 0 and infinity have none and get the last cell.
        lowest = np.where(whole > 0, np.log2(np.maximum(whole & -whole, 1)).astype(np.int64), 0) - 53 + exponents
        cells = np.clip(lowest, self._FINEST, self._COARSEST) - self._FINEST
        return np.where(whole > 0, cells, self.cells - 1)

    def describe(self, cells: Codes) -> str:
        """The powers of two."""
        bits = [f"2^{cell + self._FINEST}" for cell in cells if cell < self.cells - 1]
        return "lowest set bit " + listed([*bits, *(["none"] if len(bits) < len(cells) else [])])


def listed(parts: list[str]) -> str:
    """A few of the parts by name, the rest by number."""
    named = " or ".join(parts[:_NAMED])
    return named if len(parts) <= _NAMED else f"{named} or {len(parts) - _NAMED} more"


def learned(first: Outputs, second: Outputs, log_ratio: Callable[[Outputs], Floats] | None) -> Iterator[Partition]:
    """Every partition that suits the kind of output.

    Args:
        first: outputs under one input, to learn from.
        second: outputs under the other.
        log_ratio: the logarithm of how much likelier an output is under the first, where the law is known.
    """
    both = np.concatenate([first, second])
    if log_ratio is not None:
        yield Places(both, log_ratio, "log-likelihood ratio", ordered=True)
    if both.ndim > 1:
        yield Places(both, combined(first, second), "combined score")
        return
    if both.dtype.kind not in "fiub":
        yield Letters(both)
        return
    few = len(np.unique(both[: 4 * LETTERS])) <= LETTERS and len(np.unique(both)) <= LETTERS
    yield Letters(both) if few else Places(both)
    if both.dtype.kind == "f" and not np.array_equal(both, np.rint(both)):
        yield LowBits()


def combined(first: Outputs, second: Outputs) -> Callable[[Outputs], Floats]:
    """A score of rows of numbers: log-ratios of each coordinate added up, and of the best straight line between."""
    coordinates = [_coordinate_score(first[:, at], second[:, at]) for at in range(first.shape[1])]
    direction = _discriminant(first.astype(np.float64), second.astype(np.float64))
    along = _coordinate_score(first @ direction, second @ direction)

    def score(outputs: Outputs) -> Floats:
        separate = sum(one(outputs[:, at]) for at, one in enumerate(coordinates))
        return np.asarray(separate + len(coordinates) * along(outputs @ direction))

    return score


def _coordinate_score(first: Outputs, second: Outputs) -> Callable[[Outputs], Floats]:
    cells: Partition = Places(np.concatenate([first, second]))
    ours, theirs = (np.bincount(cells.places(one), minlength=cells.cells) + 0.5 for one in (first, second))
    ratios = np.log(ours / ours.sum()) - np.log(theirs / theirs.sum())
    return lambda outputs: np.asarray(ratios[cells.places(outputs)])


def _discriminant(first: Floats, second: Floats) -> Floats:
    """Fisher's direction, in which the two means lie furthest apart for the spread."""
    spread = np.atleast_2d(np.cov(first.T) + np.cov(second.T))
    spread += np.eye(len(spread)) * (1e-9 * np.trace(spread) + 1e-300)
    direction = np.linalg.lstsq(spread, first.mean(axis=0) - second.mean(axis=0), rcond=None)[0]
    return np.asarray(direction)

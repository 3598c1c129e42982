"""The distortion of several columns: a sum of one distortion a column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leakgauge.distances.distances import DenseDistances, Distances, Distortion
from leakgauge.errors import LabelError, OptionError
from leakgauge.probability.labels import Label


@dataclass(frozen=True)
class ColumnSums(Distortion):
    """Σ over columns of weight · distance, for labels that are tuples of one value a column.

    Args:
        parts: the distortion of each column.
        weights: how much a unit of each column's distortion counts; 1 each when left out.

    Raises:
        OptionError: no parts, or weights that are not one finite number of at least 0 a part.

    Example:
        >>> from leakgauge.distances.by_label import Hamming
        >>> from leakgauge.distances.by_position import Absolute
        >>> ColumnSums((Hamming(), Absolute()), (10.0, 1.0)).between([("ill", 40)], [("well", 43)]).matrix.tolist()
        [[13.0]]
    """

    parts: tuple[Distortion, ...]
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if not self.parts:
            raise OptionError("A sum over columns needs a distortion a column; none is given.")
        weights = self.weights
        if weights is not None and (
            len(weights) != len(self.parts) or not all(0 <= weight < math.inf for weight in weights)
        ):
            raise OptionError(
                "The weights are not {count} finite numbers of at least 0; give one a column.", count=len(self.parts)
            )

    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Distances:
        """Weighted sums of the columns' distances."""
        starts, ends = self._columns(inputs), self._columns(outputs)
        weights = self.weights or (1.0,) * len(self.parts)
        total = np.zeros((len(inputs), len(outputs)))
        for part, weight, left, right in zip(self.parts, weights, starts, ends, strict=True):
            # Each distinct value once: a column of a large product alphabet repeats a few values.
            (left_values, left_at), (right_values, right_at) = _distinct(left), _distinct(right)
            total += weight * part.between(left_values, right_values).matrix[np.ix_(left_at, right_at)]
        return DenseDistances(total)

    def _columns(self, labels: Sequence[Label]) -> list[tuple[Label, ...]]:
        tuples = [label for label in labels if isinstance(label, tuple) and len(label) == len(self.parts)]
        if len(tuples) < len(labels):
            raise LabelError(
                "{wrong} of the {count} labels are not tuples of {parts} values; give a distortion for each column.",
                wrong=len(labels) - len(tuples),
                count=len(labels),
                parts=len(self.parts),
            )
        return list(zip(*tuples, strict=True))


def _distinct(values: Sequence[Label]) -> tuple[list[Label], list[int]]:
    places: dict[Label, int] = {}
    at = [places.setdefault(value, len(places)) for value in values]
    return list(places), at

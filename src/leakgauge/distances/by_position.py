"""Distortions between numbers, points and places."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real

import numpy as np

from leakgauge.distances.distances import DenseDistances, Distances, Distortion
from leakgauge.errors import LabelError
from leakgauge.probability.cells import LARGEST, Floats
from leakgauge.probability.labels import Label
from leakgauge.sentences import Sentence

EARTH_RADIUS = 6371.0088
"""Mean radius in kilometres (IUGG)."""


@dataclass(frozen=True)
class Absolute(Distortion):
    """|x − y| between numbers, in their unit."""

    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Distances:
        """Absolute differences."""
        return DenseDistances(abs(_differences(inputs, outputs)))


@dataclass(frozen=True)
class Squared(Distortion):
    """(x − y)² between numbers, in their unit squared."""

    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Distances:
        """Squared differences."""
        return DenseDistances(_differences(inputs, outputs) ** 2)


@dataclass(frozen=True)
class Euclidean(Distortion):
    """The straight distance between points, tuples of as many numbers each, in their unit.

    Example:
        >>> Euclidean().between([(0, 0)], [(3, 4), (0, 0)]).matrix.tolist()
        [[5.0, 0.0]]
    """

    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Distances:
        """Straight distances."""
        _require_room(inputs, outputs)
        from_points, to_points = _points(inputs), _points(outputs)
        if from_points.shape[1] != to_points.shape[1]:
            raise LabelError(
                "The inputs are points of {left} coordinates and the outputs of {right}; give as many each.",
                left=from_points.shape[1],
                right=to_points.shape[1],
            )
        squares = np.zeros((len(inputs), len(outputs)))
        for left, right in zip(from_points.T, to_points.T, strict=True):
            squares += (left[:, None] - right) ** 2
        return DenseDistances(np.sqrt(squares))


@dataclass(frozen=True)
class GreatCircle(Distortion):
    """The shortest way over the earth between places (latitude, longitude) in degrees, in kilometres.

    Example:
        >>> round(float(GreatCircle().between([(0, 0)], [(0, 180)]).matrix[0, 0]))
        20015
    """

    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Distances:
        """Great-circle distances on a sphere of the earth's mean radius."""
        _require_room(inputs, outputs)
        starts, ends = np.radians(_places(inputs)), np.radians(_places(outputs))
        # The haversine form keeps its digits for places close to each other, as the cosine form does not.
        half = np.sin((starts[:, :1] - ends[:, 0]) / 2) ** 2
        half += np.cos(starts[:, :1]) * np.cos(ends[:, 0]) * np.sin((starts[:, 1:] - ends[:, 1]) / 2) ** 2
        return DenseDistances(2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.minimum(half, 1.0))))


def _differences(inputs: Sequence[Label], outputs: Sequence[Label]) -> Floats:
    _require_room(inputs, outputs)
    left, right = (np.array([_number(label) for label in labels]) for labels in (inputs, outputs))
    return np.asarray(left[:, None] - right)


def _points(labels: Sequence[Label]) -> Floats:
    points = [label if isinstance(label, tuple) else () for label in labels]
    if len({len(point) for point in points}) != 1 or not points[0]:
        raise LabelError("A label is no point; give tuples of as many numbers each.")
    return np.array([[_number(part) for part in point] for point in points])


def _places(labels: Sequence[Label]) -> Floats:
    points = _points(labels)
    if points.shape[1] != 2 or np.any(abs(points[:, 0]) > 90) or np.any(abs(points[:, 1]) > 360):
        raise LabelError("A label is no place; give (latitude, longitude) in degrees, the latitude from −90 to 90.")
    return points


def _number(label: Label) -> float:
    if isinstance(label, bool) or not isinstance(label, Real | Decimal) or not math.isfinite(label):
        # The label may be a value of the table, so it is not shown.
        raise LabelError(
            "A label is {kind}, not a finite number, so no difference can be taken; leave such letters out, or give "
            "the distances as a table.",
            kind="missing" if label is None else Sentence("of type {kind!s}", kind=type(label).__name__),
        )
    return float(label)


def _require_room(inputs: Sequence[Label], outputs: Sequence[Label]) -> None:
    if len(inputs) * len(outputs) > LARGEST:
        raise LabelError(
            "Distances between {inputs} and {outputs} letters are too many to hold whole; merge rare letters first.",
            inputs=len(inputs),
            outputs=len(outputs),
        )

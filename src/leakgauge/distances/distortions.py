"""Distortions: of labels as names, between numbers, points and places, from a table, and summed over columns."""

from __future__ import annotations

import csv
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from leakgauge.distances.centres import centres, number
from leakgauge.errors import FileError, LabelError, OptionError
from leakgauge.probability.cells import LARGEST, Codes, Floats, as_matrix
from leakgauge.probability.files import match_labels
from leakgauge.probability.labels import Label, alphabet, text_of


class Distortion(ABC):
    """The cost of releasing y instead of x, a number of at least 0."""

    @abstractmethod
    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Floats:
        """The distances from each input to each output, at least 0; one row per input.

        Infinite where an input must never be released as that output.

        Raises:
            LabelError: a label is none this distortion can measure, or they are too many.
        """

    def outputs_for(self, inputs: Sequence[Label]) -> tuple[Label, ...]:
        """The default letters to release: the inputs themselves."""
        return tuple(inputs)


@dataclass(frozen=True)
class Hamming(Distortion):
    """1 where the letters differ, 0 where they are the same: its mean is the share of wrong letters.

    Example:
        >>> Hamming().between(["ill", "well"], ["ill", "well"]).tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """

    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Floats:
        """0 for the same letter, 1 for another."""
        require_room(inputs, outputs)
        distances = np.ones((len(inputs), len(outputs)))
        matches = self.matches(inputs, outputs)
        met = np.flatnonzero(matches >= 0)
        distances[met, matches[met]] = 0.0
        return distances

    @staticmethod
    def matches(inputs: Sequence[Label], outputs: Sequence[Label]) -> Codes:
        """The position of each input among the outputs; −1 for an input that is not an output."""
        places = {label: at for at, label in enumerate(outputs)}
        return np.array([places.get(label, -1) for label in inputs], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Given(Distortion):
    """Distances from a table: one row per input, one column per output.

    Args:
        matrix: numbers of at least 0; infinite where an input must never be released as an output.
        inputs: labels of the rows, or their text; None when they stand in the source's order.
        outputs: labels of the columns, or their text; None when they stand in the outputs' order.

    Raises:
        ModelError: a distance is negative or NaN.
        LabelError: the labels repeat or do not fit the table.

    Example:
        >>> loss = Given([[0, 5], [1, 0]], ["ill", "well"], ["ill", "well"])
        >>> loss.between(["well", "ill"], ["ill", "well"]).tolist()
        [[1.0, 0.0], [0.0, 5.0]]
    """

    matrix: Floats = field(repr=False)
    inputs: tuple[Label, ...] | None = None
    outputs: tuple[Label, ...] | None = None

    def __init__(
        self, matrix: object, inputs: Sequence[Label] | None = None, outputs: Sequence[Label] | None = None
    ) -> None:
        array = _with_infinite(matrix)
        array.setflags(write=False)
        object.__setattr__(self, "matrix", array)
        sides = (("inputs", inputs, array.shape[0]), ("outputs", outputs, array.shape[1]))
        for name, labels, count in sides:
            known = None if labels is None else alphabet(labels, f"{name} of the distortion")
            _require_count(count, count if known is None else len(known), name)
            object.__setattr__(self, name, known)

    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Floats:
        """The table, its rows and columns in the order of these labels."""
        rows = _positions(self.inputs, inputs, self.matrix.shape[0], "inputs")
        columns = _positions(self.outputs, outputs, self.matrix.shape[1], "outputs")
        return np.asarray(self.matrix[np.ix_(rows, columns)])

    def outputs_for(self, inputs: Sequence[Label]) -> tuple[Label, ...]:
        """The table's own outputs; one written like an input is that input."""
        if self.outputs is None:
            return tuple(inputs)
        by_text = {text_of(label): label for label in inputs}
        return tuple(by_text.get(text_of(label), label) for label in self.outputs)


def mean_distance(prior: Floats, channel: Floats, distances: Floats) -> float:
    """The mean distance of a channel; infinite only where it releases what is forbidden."""
    return float(prior @ np.multiply(channel, distances, out=np.zeros(channel.shape), where=channel > 0).sum(axis=1))


def _with_infinite(matrix: object) -> Floats:
    """The distances as floats; infinite ones are forbidden changes, which no other array here may hold."""
    given = np.array(matrix) if not isinstance(matrix, np.ndarray) else matrix
    if given.dtype.kind != "f":
        return as_matrix(matrix, "distances")
    forbidden = np.isposinf(given)
    return np.where(forbidden, np.inf, as_matrix(np.where(forbidden, 0.0, given), "distances"))


def read_distortion(path: Path | str) -> Given:
    """The distances in a CSV file: output labels in the header, and in each line an input label and its distances.

    A cell ``inf`` forbids the change.

    Raises:
        FileError: the file cannot be read, is ragged or has an entry that is not a distance.
    """
    place = Path(path)
    try:
        with place.open(encoding="utf-8-sig", newline="") as lines:
            rows = [row for row in csv.reader(lines) if row]
    except OSError as error:
        raise FileError(
            "{path} cannot be read: {reason}.", path=place, reason=error.strerror or "the system refused"
        ) from None
    except (UnicodeDecodeError, csv.Error):
        raise FileError("{path} is not UTF-8 CSV; save it in that form.", path=place) from None
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise FileError(
            "{path} is not a table of distances; write output labels in the header, and in each line an input label "
            "and as many distances.",
            path=place,
        )
    try:
        matrix = [[float(cell) for cell in row[1:]] for row in rows[1:]]
    except ValueError:
        raise FileError(
            "{path} has a distance that is not a number; write numbers of at least 0, or inf for a forbidden change.",
            path=place,
        ) from None
    try:
        return Given(matrix, [row[0] for row in rows[1:]], rows[0][1:])
    except ValueError as error:
        raise FileError("{path} cannot be used as distances: {reason}", path=place, reason=error) from None


def _positions(known: tuple[Label, ...] | None, labels: Sequence[Label], count: int, role: str) -> list[int]:
    """Where each label stands in the table, by the label itself or by its text."""
    if known is None:
        _require_count(count, len(labels), role)
        return list(range(count))
    if set(known) == set(labels):
        places = {label: at for at, label in enumerate(known)}
        return [places[label] for label in labels]
    texts = {text_of(label): float(at) for at, label in enumerate(known)}
    matched = match_labels(texts, labels, f"{role} of the distortion")
    return [int(matched[label]) for label in labels]


def _require_count(rows: int, labels: int, role: str) -> None:
    if rows != labels:
        raise LabelError(
            "The distortion has {rows} {role}, but there are {labels} labels; give one for each.",
            rows=rows,
            role=role,
            labels=labels,
        )


EARTH_RADIUS = 6371.0088
"""Mean radius in kilometres (IUGG)."""


@dataclass(frozen=True)
class Absolute(Distortion):
    """|x − y| between numbers in their unit, dates in days and bins by their centres: see ``centres``.

    A missing value that is released as another, and another that is released as missing, costs as much as the largest
    distance between two inputs.

    Example:
        >>> Absolute().between(["[30, 40)", "[40, ∞)"], ["[30, 40)", None]).tolist()
        [[0.0, 10.0], [10.0, 10.0]]
    """

    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Floats:
        """Absolute differences."""
        return _countable(abs(_differences(inputs, outputs)))


@dataclass(frozen=True)
class Squared(Distortion):
    """(x − y)² in the unit squared, of what ``Absolute`` takes; missing values cost the square of the largest."""

    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Floats:
        """Squared differences."""
        with np.errstate(over="ignore"):
            return _countable(_differences(inputs, outputs) ** 2)


@dataclass(frozen=True)
class Euclidean(Distortion):
    """The straight distance between points, tuples of equally many numbers, in their unit.

    Example:
        >>> Euclidean().between([(0, 0)], [(3, 4), (0, 0)]).tolist()
        [[5.0, 0.0]]
    """

    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Floats:
        """Straight distances."""
        require_room(inputs, outputs)
        from_points, to_points = _points(inputs), _points(outputs)
        if from_points.shape[1] != to_points.shape[1]:
            raise LabelError(
                "The inputs are points of {left} coordinates and the outputs of {right}; give the same number of "
                "coordinates.",
                left=from_points.shape[1],
                right=to_points.shape[1],
            )
        squares = np.zeros((len(inputs), len(outputs)))
        with np.errstate(over="ignore"):
            for left, right in zip(from_points.T, to_points.T, strict=True):
                squares += (left[:, None] - right) ** 2
        return _countable(np.sqrt(squares))


@dataclass(frozen=True)
class GreatCircle(Distortion):
    """The shortest way over the earth in kilometres, between places (latitude, longitude) in degrees.

    A label may also be their text, such as ``40.705 -74.0158``: the labels of cells of a map are.

    Example:
        >>> round(float(GreatCircle().between([(0, 0)], [(0, 180)])[0, 0]))
        20015
    """

    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Floats:
        """Great-circle distances on a sphere of the earth's mean radius."""
        require_room(inputs, outputs)
        starts, ends = np.radians(_places(inputs)), np.radians(_places(outputs))
        # The haversine form keeps its digits for places close to each other, as the cosine form does not.
        half = np.sin((starts[:, :1] - ends[:, 0]) / 2) ** 2
        half += np.cos(starts[:, :1]) * np.cos(ends[:, 0]) * np.sin((starts[:, 1:] - ends[:, 1]) / 2) ** 2
        return np.asarray(2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.minimum(half, 1.0))))


def _countable(distances: Floats) -> Floats:
    """Distances, all of them numbers: an infinite one would forbid a letter that nobody forbade."""
    if np.isinf(distances).any():
        raise LabelError(
            "Some values are so far apart that no number holds their distance; give them in a larger unit, or use "
            "hamming."
        )
    return as_matrix(distances, "distances")


def _differences(inputs: Sequence[Label], outputs: Sequence[Label]) -> Floats:
    require_room(inputs, outputs)
    left, right = centres(inputs, outputs), centres(outputs, inputs)
    gone, lost = np.isnan(left), np.isnan(right)
    with np.errstate(over="ignore"):
        found = left[:, None] - right
        # By the inputs alone, so that a channel that never releases the ends costs no less.
        largest = float(np.ptp(left[~gone])) if not gone.all() else 0.0
    found[gone[:, None] != lost] = largest or 1.0
    found[gone[:, None] & lost] = 0.0
    return np.asarray(found)


def _points(labels: Sequence[Label]) -> Floats:
    points = [label if isinstance(label, tuple) else () for label in labels]
    if len({len(point) for point in points}) != 1 or not points[0]:
        raise LabelError("A label is not a point; give tuples of equally many numbers.")
    return np.array([[number(part) for part in point] for point in points])


def _places(labels: Sequence[Label]) -> Floats:
    places = [_place(label) if isinstance(label, str) else label for label in labels]
    if all(isinstance(place, tuple) and len(place) == 2 for place in places):
        points = _points(places)
        if np.all(abs(points[:, 0]) <= 90) and np.all(abs(points[:, 1]) <= 360):
            return points
    # The label may be a value of the table, so it is not shown.
    raise LabelError(
        "A label is not a place; write latitude and longitude in degrees, such as 40.705 -74.0158, the latitude from "
        "−90 to 90."
    )


def _place(text: str) -> Label:
    try:
        return tuple(float(part) for part in text.split())
    except ValueError:
        return text


def require_room(inputs: Sequence[Label], outputs: Sequence[Label]) -> None:
    """Refuse more distances than fit into memory."""
    if len(inputs) * len(outputs) > LARGEST:
        raise LabelError(
            "Distances between {inputs} and {outputs} letters are too many for memory; merge rare letters first.",
            inputs=len(inputs),
            outputs=len(outputs),
        )


@dataclass(frozen=True)
class ColumnSums(Distortion):
    """Σ over columns of weight · distance, for labels that are tuples of one value per column.

    Args:
        parts: the distortion of each column.
        weights: how much a unit of each column's distortion counts; 1 each when left out.

    Raises:
        OptionError: no parts, or weights that are not one finite number of at least 0 a part.

    Example:
        >>> ColumnSums((Hamming(), Absolute()), (10.0, 1.0)).between([("ill", 40)], [("well", 43)]).tolist()
        [[13.0]]
    """

    parts: tuple[Distortion, ...]
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if not self.parts:
            raise OptionError("A sum over columns has no distortion; give one per column.")
        weights = self.weights
        if weights is not None and (
            len(weights) != len(self.parts) or not all(0 <= weight < math.inf for weight in weights)
        ):
            raise OptionError(
                "The weights are not {count} finite numbers of at least 0; give one per column.", count=len(self.parts)
            )

    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Floats:
        """Weighted sums of the columns' distances."""
        starts, ends = self._columns(inputs), self._columns(outputs)
        weights = self.weights or (1.0,) * len(self.parts)
        total = np.zeros((len(inputs), len(outputs)))
        for part, weight, left, right in zip(self.parts, weights, starts, ends, strict=True):
            # Each distinct value once: a column of a large product alphabet repeats a few values.
            (left_values, left_at), (right_values, right_at) = _distinct(left), _distinct(right)
            own = part.between(left_values, right_values)
            # What is forbidden stays so, whatever the column weighs.
            own = np.multiply(own, weight, out=own.copy(), where=np.isfinite(own))
            total += own[np.ix_(left_at, right_at)]
        return _with_infinite(total)

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


DISTORTIONS: dict[str, type[Distortion]] = {
    "hamming": Hamming,
    "absolute": Absolute,
    "squared": Squared,
    "great-circle": GreatCircle,
}


def distortion_named(text: str) -> Distortion:
    """The distortion of a name, or in a file."""
    return DISTORTIONS[text]() if text in DISTORTIONS else read_distortion(text)

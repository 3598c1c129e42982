"""Distortions that look at labels as names: Hamming, and any table of distances."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from leakgauge.distances.distances import DenseDistances, Distances, Distortion, MatchDistances
from leakgauge.errors import FileError, LabelError
from leakgauge.probability.cells import Floats, as_matrix
from leakgauge.probability.files import match_labels
from leakgauge.probability.labels import Label, alphabet, text_of


@dataclass(frozen=True)
class Hamming(Distortion):
    """1 where the letters differ, 0 where they are the same: its mean is the share of wrong letters.

    Example:
        >>> Hamming().between(["ill", "well"], ["ill", "well"]).matrix.tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """

    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Distances:
        """0 for the same letter, 1 for another."""
        places = {label: at for at, label in enumerate(outputs)}
        return MatchDistances([places.get(label, -1) for label in inputs], len(outputs))


@dataclass(frozen=True, eq=False)
class Given(Distortion):
    """Distances from a table: a row an input, a column an output.

    Args:
        matrix: finite numbers of at least 0.
        inputs: labels of the rows, or their text; None when they stand in the source's order.
        outputs: labels of the columns, or their text; None when they stand in the outputs' order.

    Raises:
        ModelError: a distance is negative, NaN or infinite.
        LabelError: the labels repeat or do not fit the table.

    Example:
        >>> loss = Given([[0, 5], [1, 0]], ["ill", "well"], ["ill", "well"])
        >>> loss.between(["well", "ill"], ["ill", "well"]).matrix.tolist()
        [[1.0, 0.0], [0.0, 5.0]]
    """

    matrix: Floats = field(repr=False)
    inputs: tuple[Label, ...] | None = None
    outputs: tuple[Label, ...] | None = None

    def __init__(
        self, matrix: object, inputs: Sequence[Label] | None = None, outputs: Sequence[Label] | None = None
    ) -> None:
        array = as_matrix(matrix, "distances")
        array.setflags(write=False)
        object.__setattr__(self, "matrix", array)
        sides = (("inputs", inputs, array.shape[0]), ("outputs", outputs, array.shape[1]))
        for name, labels, count in sides:
            known = None if labels is None else alphabet(labels, f"{name} of the distortion")
            _require_count(count, count if known is None else len(known), name)
            object.__setattr__(self, name, known)

    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Distances:
        """The table, its rows and columns in the order of these labels."""
        rows = _places(self.inputs, inputs, self.matrix.shape[0], "inputs")
        columns = _places(self.outputs, outputs, self.matrix.shape[1], "outputs")
        return DenseDistances(self.matrix[np.ix_(rows, columns)])

    def outputs_for(self, inputs: Sequence[Label]) -> tuple[Label, ...]:
        """The table's own outputs; one written like an input is that input."""
        if self.outputs is None:
            return tuple(inputs)
        by_text = {text_of(label): label for label in inputs}
        return tuple(by_text.get(text_of(label), label) for label in self.outputs)


def read_distortion(path: Path | str) -> Given:
    """The distances in a CSV file: output labels in the header, and in each line an input label and its distances.

    Raises:
        FileError: the file cannot be read, is ragged or holds what is no distance.
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
        raise FileError("{path} is not UTF-8 CSV; save it as that.", path=place) from None
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise FileError(
            "{path} is no table of distances; write output labels in the header, and in each line an input label and "
            "as many distances.",
            path=place,
        )
    try:
        matrix = [[float(cell) for cell in row[1:]] for row in rows[1:]]
    except ValueError:
        raise FileError(
            "{path} holds a distance that is not a number; write numbers of at least 0.", path=place
        ) from None
    try:
        return Given(matrix, [row[0] for row in rows[1:]], rows[0][1:])
    except ValueError as error:
        raise FileError("{path} holds no distances: {reason}", path=place, reason=error) from None


def _places(known: tuple[Label, ...] | None, labels: Sequence[Label], count: int, role: str) -> list[int]:
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
            "The distortion has {rows} {role} but there are {labels} labels; give one each.",
            rows=rows,
            role=role,
            labels=labels,
        )

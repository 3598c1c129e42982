"""Weights from comparing two at a time (analytic hierarchy process; Saaty 1980)."""

from __future__ import annotations

import dataclasses
import math
import reprlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leakgauge.assessment.diagram import Diagram
from leakgauge.errors import FileError, ModelError, OptionError, did_you_mean
from leakgauge.probability.cells import as_matrix

RANDOM_INDEX = (0.0, 0.0, 0.58, 0.90, 1.12, 1.24, 1.32, 1.41, 1.45, 1.49, 1.51, 1.48, 1.56, 1.57, 1.59)
"""Saaty's mean consistency index of random comparisons of 1 to 15 things."""
MOST_INCONSISTENT = 0.1
"""Saaty's limit of the consistency ratio."""


@dataclass(frozen=True)
class PairwiseWeights:
    """Weights, which sum to 1, that agree with comparisons as well as any do."""

    weights: tuple[float, ...]
    consistency_ratio: float
    """How far the comparisons contradict each other: 0 not at all, 1 as random ones do."""

    @property
    def consistent(self) -> bool:
        """Whether the ratio is at most 0.1; above it the comparisons should be reconsidered."""
        return self.consistency_ratio <= MOST_INCONSISTENT


def pairwise_weights(matrix: object) -> PairwiseWeights:
    """The weights that follow from pairwise comparisons, as the principal eigenvector.

    Args:
        matrix: in row i and column j how many times as much i matters as j; 1/3 where j matters three times as much.

    Raises:
        ModelError: not square, 2 to 15 things, numbers above 0, or not the reciprocal on the other side.

    Example:
        >>> found = pairwise_weights([[1, 2, 4], [1 / 2, 1, 2], [1 / 4, 1 / 2, 1]])
        >>> [round(weight, 4) for weight in found.weights], found.consistent
        ([0.5714, 0.2857, 0.1429], True)
    """
    compared = as_matrix(matrix, "comparisons")
    count = len(compared)
    if compared.shape != (count, count) or not 2 <= count <= len(RANDOM_INDEX):
        raise ModelError(
            "The comparisons are {rows} × {columns}; give a square of 2 to {most} things.",
            rows=compared.shape[0],
            columns=compared.shape[1],
            most=len(RANDOM_INDEX),
        )
    with np.errstate(over="ignore"):
        reciprocal = np.isclose(compared * compared.T, 1, rtol=0, atol=1e-6)
    if not reciprocal.all():
        row, column = (int(at) for at in np.argwhere(~reciprocal)[0])
        raise ModelError(
            "The comparisons {row}, {column} and {column}, {row} are {one:.6g} and {other:.6g}; each must be one over "
            "the other, and 1 where a thing meets itself.",
            row=row + 1,
            column=column + 1,
            one=float(compared[row, column]),
            other=float(compared[column, row]),
        )
    values, vectors = np.linalg.eig(compared)
    # A positive matrix has one largest eigenvalue, which is real, and so is its vector, of one sign.
    first = int(np.argmax(values.real))
    vector = np.abs(vectors[:, first].real)
    spread = max(float(values[first].real) - count, 0.0) / (count - 1)
    index = RANDOM_INDEX[count - 1]
    weights = vector / vector.sum()
    return PairwiseWeights(tuple(weights.tolist()), spread / index if index else 0.0)


def read_comparisons(compared: object, things: Sequence[str], of: str, place: Path) -> dict[str, float]:
    """The weights from a table of a TOML file: ``of`` names the things, ``judgements`` has a row for each.

    TOML has no fractions, so that a third is written as the text ``"1/3"``.

    Args:
        things: that must have been compared, once each.
        of: the node or criterion that they are compared for.

    Raises:
        FileError: other things, judgements that are no numbers above 0, no square, no reciprocals, or contradict each
            other by more than Saaty's limit; the ratio and the worst of them are named.
    """
    named = compared.get("of") if isinstance(compared, Mapping) else None
    if (
        not isinstance(compared, Mapping)
        or set(compared) != {"of", "judgements"}
        or not isinstance(named, list)
        or sorted(map(str, named)) != sorted(things)
    ):
        raise FileError(
            "{path}: the comparisons for {of!r} do not cover what counts for it; write of = […] with {things!s}, once "
            "each, and judgements = […] with a row for each.",
            path=place,
            of=of,
            things=tuple(things),
        )
    # A leaf's number may be written without quotes.
    named, rows = [str(thing) for thing in named], compared["judgements"]
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == len(named) for row in rows):
        rows = []
    if len(rows) != len(named):
        raise FileError(
            "{path}: the judgements for {of!r} are not {count} rows of {count}; compare each with each.",
            path=place,
            of=of,
            count=len(named),
        )
    matrix = [[_judgement(one, of, place) for one in row] for row in rows]
    try:
        found = pairwise_weights(matrix)
    except ModelError as error:
        raise FileError("{path}: {fault}", path=place, fault=error) from None
    if not found.consistent:
        row, column, together = worst_judgement(matrix, found.weights)
        raise FileError(
            "{path}: the judgements for {of!r} contradict each other with a ratio of {ratio:.3g}, above {most}; the "
            "worst says that {first!r} matters {said:.3g} times as much as {second!r}, where all together say "
            "{together:.3g}; reconsider it.",
            path=place,
            of=of,
            ratio=found.consistency_ratio,
            most=MOST_INCONSISTENT,
            first=named[row],
            said=matrix[row][column],
            second=named[column],
            together=together,
        )
    return dict(zip(named, found.weights, strict=True))


def worst_judgement(matrix: object, weights: Sequence[float]) -> tuple[int, int, float]:
    """The row and column of the comparison that is furthest from the weights, and what they say instead."""
    compared, shares = as_matrix(matrix, "comparisons"), np.asarray(weights)
    together = shares[:, None] / shares
    # Without the last digits: of three things all comparisons are equally far, and the first stands for them.
    off = np.round(np.triu(np.abs(np.log(compared / together)), 1), 9)
    row, column = (int(at) for at in np.unravel_index(int(off.argmax()), off.shape))
    return row, column, float(together[row, column])


def _judgement(found: object, of: str, place: Path) -> float:
    number = 0.0
    if isinstance(found, int | float | str) and not isinstance(found, bool):
        top, _, bottom = str(found).partition("/")
        with suppress(ValueError, ZeroDivisionError):
            number = float(top) / float(bottom or 1)
    if not 0 < number < math.inf:
        raise FileError(
            '{path}: a judgement for {of!r} is {found!s}; write a number above 0, or a fraction such as "1/3".',
            path=place,
            of=of,
            found=reprlib.repr(found),
        )
    return number


def with_weights(diagram: Diagram, node: str, weights: Mapping[str, float]) -> Diagram:
    """The diagram with other weights on the arcs into a node, by their sources; all others are unchanged.

    Raises:
        OptionError: no arc from a source to the node.
        ModelError: a weight that is not above 0.
    """
    sources = {arc.source for arc in diagram.into(node)}
    for source in weights:
        if source not in sources:
            raise OptionError(
                "{file} has no arc {source!s} → {node!s}; {near}",
                file=diagram.file,
                source=source,
                node=node,
                near=did_you_mean(source, sorted(sources)),
            )
    arcs = (
        dataclasses.replace(arc, weight=weights[arc.source]) if arc.target == node and arc.source in weights else arc
        for arc in diagram.arcs
    )
    return dataclasses.replace(diagram, arcs=tuple(arcs))

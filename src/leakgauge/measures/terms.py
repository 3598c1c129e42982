"""Shannon's measures as signed sums of entropies, each over one way of grouping the cells of a table of counts.

H(X|Y) is H(XY) − H(Y), I(X;Y) is H(X) + H(Y) − H(XY), and so on. A grouping maps each cell of the table to the
value it shows: with certainty where the value was counted, by a known law where it comes out of a known channel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from leakgauge.measures import shannon
from leakgauge.probability import Channel, Counts
from leakgauge.probability.cells import Codes, Floats

Measure: TypeAlias = Callable[..., float]

FORMULAS: Mapping[Measure, tuple[tuple[int, str], ...]] = {
    shannon.entropy: ((1, "X"),),
    shannon.conditional_entropy: ((1, "XY"), (-1, "Y")),
    shannon.mutual_information: ((1, "X"), (1, "Y"), (-1, "XY")),
    shannon.conditional_entropy_with_background: ((1, "XYZ"), (-1, "YZ")),
    shannon.leakage_with_background: ((1, "X"), (1, "YZ"), (-1, "XYZ")),
    shannon.background_floor: ((1, "X"), (1, "Z"), (-1, "XZ")),
    shannon.conditional_mutual_information: ((1, "XZ"), (1, "YZ"), (-1, "XYZ"), (-1, "Z")),
}
UNCERTAINTIES = (shannon.entropy, shannon.conditional_entropy, shannon.conditional_entropy_with_background)


class Grouping:
    """The cells of a table by what they show.

    Attributes:
        sign: +1 or −1, how its entropy enters the measure.
        size: how many values there are, whether or not they occur.
        known: whether each cell shows one value with certainty.
        spread: for each cell the probability of each value, as a sparse matrix.
        weighted: the same times the weight of cell and value, or ``spread`` itself where nothing is weighted.
    """

    def __init__(self, sign: int, size: int, spread: Any, weighted: Any = None) -> None:
        self.sign, self.size = sign, size
        self.spread = spread
        self.weighted = spread if weighted is None else weighted
        self.known = bool(np.all(spread.data == 1.0))

    def gather(self, values: Floats) -> Floats:
        """Sum over the cells of each value; the last axis runs over cells, then over values."""
        return np.asarray((self.spread.T @ values.T).T)

    def gather_weighted(self, values: Floats) -> Floats:
        """The same with the weights."""
        return np.asarray((self.weighted.T @ values.T).T)

    def scatter(self, values: Floats) -> Floats:
        """Mean over the values each cell shows."""
        return np.asarray((self.spread @ values.T).T)

    def scatter_weighted(self, values: Floats) -> Floats:
        """The same with the weights."""
        return np.asarray((self.weighted @ values.T).T)


@dataclass(frozen=True)
class Roles:
    """The axes that play secret (X), release (Y) and background (Z); or a known channel for the release."""

    secret: tuple[str, ...]
    release: tuple[str, ...] = ()
    background: tuple[str, ...] = ()
    channel: Channel | None = None

    def letters(self, measure: Measure, pair_weights: bool) -> str:
        """Which of X, Y and Z the measure needs, of those there are."""
        formula = FORMULAS.get(measure)
        wanted = "XYZ" if formula is None or pair_weights else "".join(letters for _, letters in formula)
        there = {"X": True, "Y": bool(self.release) or self.channel is not None, "Z": bool(self.background)}
        return "".join(letter for letter in "XYZ" if letter in wanted and there[letter])

    def axes(self, letter: str) -> tuple[str, ...]:
        """The axes of counts behind one letter."""
        return {"X": self.secret, "Y": self.release, "Z": self.background}[letter]

    def size(self, counts: Counts, letter: str) -> int:
        """How many values a letter can take, whether or not they occur."""
        if letter == "Y" and self.channel is not None:
            return len(self.channel.outputs)
        return int(np.prod([len(counts.labels(name)) for name in self.axes(letter)], dtype=float))


@dataclass(frozen=True)
class Layout:
    """A measure laid over the cells of a table: what estimation needs to know besides the counts."""

    groupings: tuple[Grouping, ...]
    cells: int
    lowest: float
    highest: float


def layout(
    measure: Measure, counts: Counts, roles: Roles, sizes: Mapping[str, int], weights: Floats | None
) -> tuple[Layout, Codes]:
    """The groupings of a measure of Shannon's over the cells that occur, and the count of each cell."""
    letters = roles.letters(measure, weights is not None and weights.ndim == 2)
    counted = [letter for letter in letters if roles.axes(letter)]
    merged = counts.merge({letter: roles.axes(letter) for letter in counted})
    codes = dict(zip(counted, merged.codes, strict=True))
    formula = [(sign, "".join(a for a in group if a in letters)) for sign, group in FORMULAS[measure]]
    groupings = tuple(
        _grouping(sign, group, codes, sizes, roles.channel, weights) for sign, group in formula if group
    )
    largest = 1.0 if weights is None else float(weights.max())
    top = largest * _ceiling(measure, sizes, letters)
    pairs = weights is not None and weights.ndim == 2 and measure not in UNCERTAINTIES
    # w p log(p / (p p')) is never below −w/e times a probability: the floor where pairs are weighted.
    cells = int(np.prod([sizes[letter] for letter in letters], dtype=float))
    return Layout(groupings, cells, -largest / np.e if pairs else 0.0, top), merged.counts


def _ceiling(measure: Measure, sizes: Mapping[str, int], letters: str) -> float:
    seen = {"mutual_information": "Y", "background_floor": "Z", "conditional_mutual_information": "Y"}
    wide = float(np.log(sizes["X"]))
    if measure in UNCERTAINTIES:
        return wide
    others = seen.get(measure.__name__, "YZ")
    return min(wide, float(np.sum([np.log(sizes[a]) for a in others if a in letters])))


def _grouping(
    sign: int,
    group: str,
    codes: Mapping[str, Codes],
    sizes: Mapping[str, int],
    channel: Channel | None,
    weights: Floats | None,
) -> Grouping:
    from scipy import sparse

    cells = len(codes["X"])
    rows, x = np.arange(cells), codes["X"]
    chance: Floats = np.ones(cells)
    shown = dict(codes)
    if channel is not None and ("Y" in group or (weights is not None and weights.ndim == 2)):
        from leakgauge.probability.cells import follow

        rows, _, y, chance = follow(x, channel.cells)
        shown = {letter: code[rows] for letter, code in codes.items()}
        shown["Y"] = y
    key = np.zeros(len(rows), dtype=np.int64)
    for letter in group:
        key = key * sizes[letter] + shown[letter]
    present, value = np.unique(key, return_inverse=True)
    shape = (cells, len(present))
    size = int(np.prod([sizes[letter] for letter in group], dtype=float))
    spread = sparse.csr_matrix((chance, (rows, value)), shape=shape)
    if weights is None:
        return Grouping(sign, size, spread)
    weight = weights[shown["X"]] if weights.ndim == 1 else weights[shown["X"], shown["Y"]]
    return Grouping(sign, size, spread, sparse.csr_matrix((chance * weight, (rows, value)), shape=shape))

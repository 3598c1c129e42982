"""Shannon's measures as signed sums of entropies, each over one way of grouping the cells of a table of counts.

H(X|Y) is H(XY) − H(Y), I(X;Y) is H(X) + H(Y) − H(XY), and so on. A grouping sends each cell of the table to the
value it shows: with certainty where the value was counted, by a known law where it comes out of a known channel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, TypeAlias

import numpy as np

from leakgauge.errors import LabelError
from leakgauge.measures import shannon
from leakgauge.probability import Channel, Counts
from leakgauge.probability.cells import Codes, Floats, follow, log_or_zero, sums_by

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
_UNCERTAINTIES = (shannon.entropy, shannon.conditional_entropy, shannon.conditional_entropy_with_background)
_OBSERVED = {
    shannon.background_floor: "Z",
    shannon.mutual_information: "Y",
    shannon.conditional_mutual_information: "Y",
}


def require_one_role(names: tuple[str, ...]) -> None:
    """Refuse an axis that is named twice."""
    for name in names:
        if names.count(name) > 1:
            raise LabelError(
                "The axis {name!r} is named {times} times; give it one role.", name=name, times=names.count(name)
            )


@dataclass(frozen=True)
class AxisRoles:
    """The axes that play secret (X), release (Y) and background (Z), or a known channel for the release.

    A channel reads the secret, or ``by_pairs`` every pair (x, z) of a secret and a background, in this order.
    """

    secret: tuple[str, ...]
    release: tuple[str, ...] = ()
    background: tuple[str, ...] = ()
    channel: Channel | None = None
    by_pairs: bool = False

    def axes(self, letter: str) -> tuple[str, ...]:
        """The axes of counts behind one letter."""
        return {"X": self.secret, "Y": self.release, "Z": self.background}[letter]

    def letters(self, measure: Measure, pair_weights: bool = False) -> str:
        """Which of X, Y and Z a measure involves, of those there are."""
        formula = FORMULAS.get(measure)
        wanted = "XYZ" if formula is None or pair_weights else "".join(group for _, group in formula)
        # What depends on the background is not counted without it.
        wanted += "Z" if self.by_pairs and "Y" in wanted else ""
        there = {"X": True, "Y": bool(self.release) or self.channel is not None, "Z": bool(self.background)}
        return "".join(letter for letter in "XYZ" if letter in wanted and there[letter])

    def merged(self, counts: Counts, letters: str) -> Counts:
        """The counts by those of the letters that they hold, one axis each."""
        return counts.merge({letter: self.axes(letter) for letter in letters if self.axes(letter)})

    def size(self, counts: Counts, letters: str) -> int:
        """How many combinations the letters have, whether or not they occur."""
        released = len(self.channel.outputs) if "Y" in letters and self.channel is not None else 1
        return released * prod(len(counts.labels(name)) for letter in letters for name in self.axes(letter))


@dataclass(frozen=True)
class Grouping:
    """The cells of a table by what they show."""

    sign: int  # how often its entropy enters the measure, with the sign
    letters: str
    size: int  # how many values there are, whether or not they occur
    spread: Any  # for each cell the probability of each value, a sparse matrix
    weighted: Any  # the same times the weight; ``spread`` itself where nothing is weighted
    twice_weighted: Any  # the same times the square of the weight

    @cached_property
    def certain(self) -> bool:
        """Whether each cell shows one value with certainty."""
        return bool(self.spread.nnz == self.spread.shape[0] and np.allclose(self.spread.data, 1.0))

    @cached_property
    def overlaps(self) -> Any:
        """The squares of ``spread``."""
        return self.spread.multiply(self.spread).tocsr()

    @cached_property
    def weighted_overlaps(self) -> Any:
        """``spread`` times ``weighted``, cell by cell; ``overlaps`` itself where nothing is weighted."""
        return self.overlaps if self.weighted is self.spread else self.spread.multiply(self.weighted).tocsr()


def gather(matrix: Any, values: Floats) -> Floats:
    """Sum over the cells of each value; the last axis runs over cells, then over values."""
    return np.asarray((matrix.T @ values.T).T)


def scatter(matrix: Any, values: Floats) -> Floats:
    """Sum over the values each cell shows; the last axis runs over values, then over cells."""
    return np.asarray((matrix @ values.T).T)


class Layout:
    """One of Shannon's measures laid over the cells of a table that occur.

    Attributes:
        observed: the count of each cell.
        linear: what each cell adds besides the groupings, exactly linear in the probabilities.
        extremes: the least and the most a cell could add so, whether or not it occurs.
        cells: how many cells the measure involves, whether or not they occur.
        counted: how many of them the counts tell apart.
        lowest: the least value the measure can have, in nats; ``highest`` the largest.
    """

    def __init__(self, measure: Measure, counts: Counts, roles: AxisRoles, weights: Floats | None) -> None:
        of_pairs = weights is not None and weights.ndim == 2
        letters = roles.letters(measure, of_pairs)
        merged = roles.merged(counts, letters)
        channel = roles.channel if "Y" in letters else None
        by_pairs = roles.by_pairs and channel is not None
        backgrounds = len(merged.labels("Z")) if by_pairs else 0
        entries = _Entries(dict(zip(merged.names, merged.codes, strict=True)), channel, backgrounds)
        weight = None if weights is None else entries.weights(weights)
        signs: Counter[str] = Counter()
        drift = 0
        for sign, group in FORMULAS[measure]:
            shown = "".join(letter for letter in group if letter in letters)
            if channel is not None and {*shown} >= {*("XYZ" if by_pairs else "XY")}:
                # H(XY) is H(X) and the known H(Y|x) averaged, which is linear: only H(X) has a sampling bias.
                shown = shown.replace("Y", "")
                drift += sign
            signs[shown] += sign
        self.observed = merged.counts
        self.linear, self.extremes = np.zeros(len(merged.counts)), (0.0, 0.0)
        if channel is not None and drift:
            self.linear = drift * entries.noise(weight)
            inputs = np.arange(len(channel.inputs))
            places = {"X": inputs // backgrounds, "Z": inputs % backgrounds} if by_pairs else {"X": inputs}
            every = _Entries(places, channel, backgrounds)
            noise = drift * every.noise(None if weights is None else every.weights(weights))
            self.extremes = float(noise.min()), float(noise.max())
        self.groupings = tuple(
            entries.grouping(sign, shown, roles.size(counts, shown), weight)
            for shown, sign in signs.items()
            if sign and shown
        )
        self.cells, self.counted = roles.size(counts, letters), prod(merged.shape)
        self.heaviest = 1.0 if weights is None else float(weights.max())
        # p log(p / p′) ≥ (p − p′) and its negative part sums to at least −1/e: all that weights of pairs leave.
        self.lowest = -self.heaviest / np.e if of_pairs and measure not in _UNCERTAINTIES else 0.0
        # The logarithm of the smallest alphabet bounds the measure.
        smallest = roles.size(counts, "X")
        if measure not in _UNCERTAINTIES:
            seen = "".join(letter for letter in _OBSERVED.get(measure, "YZ") if letter in letters)
            smallest = min(smallest, roles.size(counts, seen))
        self.highest = self.heaviest * float(np.log(float(smallest)))


class _Entries:
    """Every cell with every release it may show: cell, probability, and code of each letter."""

    def __init__(self, codes: Mapping[str, Codes], channel: Channel | None, backgrounds: int = 0) -> None:
        """With so many ``backgrounds`` the channel reads pairs."""
        self.cells, self.codes = len(codes["X"]), codes
        self.row, self.chance = np.arange(self.cells), np.ones(self.cells)
        if channel is not None:
            read = codes["X"] * backgrounds + codes["Z"] if backgrounds else codes["X"]
            self.row, _, released, self.chance = follow(read, channel.cells)
            self.codes = {letter: code[self.row] for letter, code in codes.items()} | {"Y": released}

    def weights(self, weights: Floats) -> Floats:
        return np.asarray(weights[self.codes["X"]] if weights.ndim == 1 else weights[self.codes["X"], self.codes["Y"]])

    def noise(self, weight: Floats | None) -> Floats:
        """−Σ w q log q of the release of each cell."""
        terms = -self.chance * log_or_zero(self.chance)
        return sums_by(self.row, terms if weight is None else terms * weight, self.cells)

    def grouping(self, sign: int, shown: str, size: int, weight: Floats | None) -> Grouping:
        from scipy import sparse

        key = np.zeros(len(self.row), dtype=np.int64)
        for letter in shown:
            code = self.codes[letter]
            key = np.unique(key * (int(code.max()) + 1) + code, return_inverse=True)[1]
        shape = (self.cells, int(key.max()) + 1)

        def matrix(values: Floats) -> Any:
            return sparse.csr_matrix((values, (self.row, key)), shape=shape)

        spread = matrix(self.chance)
        if weight is None:
            return Grouping(sign, shown, size, spread, spread, spread)
        return Grouping(sign, shown, size, spread, matrix(self.chance * weight), matrix(self.chance * weight**2))

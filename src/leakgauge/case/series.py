"""Released values in an order that somebody can put them into, and whether that order matters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leakgauge.probability.cells import Codes, Floats, Truths
from leakgauge.randomness import simulation

if TYPE_CHECKING:
    from numpy.random import Generator

PERMUTATIONS = 999
LEVEL = 0.01
"""Of false alarms, over all lengths of stretches that are compared."""
MOST_TESTED = 1 << 13
"""Values, or means of stretches, that a permutation shuffles."""
_PIECES = 16
"""That a longer column is represented by, each in one piece: rows drawn one by one would have no neighbours."""
_STRETCHES = (1, 8, 64, 512, 4096)
"""Rows whose means are compared: a faint difference between distant rows does not show in two neighbours."""
_FEWEST = 30
"""Neighbours that say anything."""
_MOST_VALUES = 8
"""Letters that are told apart; the rarer ones are one."""


@dataclass(frozen=True, eq=False)
class Series:
    """Rows one after the other, one series after the other.

    Attributes:
        lengths: rows of each series, none of them empty.
    """

    lengths: Codes

    @classmethod
    def of(cls, whose: Codes) -> Series:
        """The series of rows that stand together and are of one person."""
        starts = np.flatnonzero(np.concatenate([[True], np.diff(whose) != 0]))
        return cls(np.diff(starts, append=len(whose)).astype(np.int64))

    @cached_property
    def rows(self) -> int:
        """Of all series."""
        return int(self.lengths.sum())

    @cached_property
    def whose(self) -> Codes:
        """Of each row the number of its series."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def places(self) -> Codes:
        """Of each row its place in its series."""
        return np.arange(self.rows) - np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths)

    @cached_property
    def followed(self) -> Truths:
        """Of each row but the last whether the next is of the same series."""
        return np.asarray(np.diff(self.whose) == 0)

    def stretches(self, marks: Floats, rows: int) -> tuple[Floats, Series]:
        """The means of stretches of so many rows; what is left over at the end of a series is left out."""
        if rows == 1:
            return marks, self
        whole = self.lengths // rows
        held = self.places < (whole * rows)[self.whose]
        return marks[held].reshape(-1, rows, marks.shape[1]).mean(axis=1), Series(whole[whole > 0])

    def pieces(self, most: int) -> tuple[Codes, Series]:
        """The rows of a few pieces, evenly spaced, that have at most so many together; all rows of few."""
        if self.rows <= most:
            return np.arange(self.rows), self
        size = most // _PIECES
        starts = np.linspace(0, self.rows - size, _PIECES).astype(np.int64)
        rows = (starts[:, None] + np.arange(size)).ravel()
        return rows, Series.of(self.whose[rows] * _PIECES + np.arange(len(rows)) // size)


def marks_of_numbers(ranks: Floats) -> Floats:
    """Ranks as one column of marks."""
    return ranks[:, None]


def marks_of_letters(letters: Codes) -> Floats:
    """A column for each common letter, and one for all rarer ones, of the rows that have it.

    Each is divided by the root of its share, so that squared products of neighbours sum to Pearson's χ² over rows.
    """
    common = merged(letters, _MOST_VALUES)
    shares = np.bincount(common) / len(common)
    return np.asarray((common[:, None] == np.arange(len(shares))) / np.sqrt(shares))


def merged(letters: Codes, most: int) -> Codes:
    """The numbers of the most common letters, from 0 on; all others are one."""
    counts = np.bincount(letters)
    numbers = np.empty(len(counts), dtype=np.int64)
    numbers[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return np.asarray(np.unique(np.minimum(numbers, most - 1)[letters], return_inverse=True)[1])


def folded(letters: Codes, most: int) -> Codes:
    """Numbers of letters below so many, shared in turn: of many letters, two that change rarely have the same."""
    counts = np.bincount(letters)
    numbers = np.empty(len(counts), dtype=np.int64)
    numbers[np.argsort(-counts, kind="stable")] = np.arange(len(counts)) % most
    return numbers[letters]


def order_matters(marks: Floats, series: Series, simulation_seed: int = 0) -> bool:
    """Whether neighbours are associated, at 1 % against 999 permutations of the rows within their series.

    The statistic is the sum of the squared covariances between the marks of neighbours: of ranks their correlation, of
    letters Pearson's χ². Neighbours are rows, and where rows are many also the means of longer stretches, among which
    the level is divided. It stops once chance has done as well too often (Besag and Clifford 1991).
    """
    draws = simulation(simulation_seed)
    compared = [one for size in _STRETCHES if int((one := series.stretches(marks, size))[1].followed.sum()) >= _FEWEST]
    chances = math.floor(LEVEL * (PERMUTATIONS + 1) / max(len(compared), 1)) - 1
    return any(_stands_out(*one, chances, draws) for one in compared)


def _stands_out(marks: Floats, series: Series, chances: int, draws: Generator) -> bool:
    rows, tested = series.pieces(MOST_TESTED)
    away = marks[rows] - marks[rows].mean(axis=0)
    pairs = np.flatnonzero(tested.followed)
    apart = len(tested.lengths) > 1

    def association(order: Codes) -> float:
        shown = away[order]
        return float(((shown[pairs].T @ shown[pairs + 1]) ** 2).sum())

    found = association(np.arange(len(rows))) * (1 - 1e-9)
    if found <= 0:
        return False
    for _ in range(PERMUTATIONS):
        order = np.argsort(tested.whose + draws.random(len(rows))) if apart else draws.permutation(len(rows))
        if association(order) >= found:
            chances -= 1
            if chances < 0:
                return False
    return True

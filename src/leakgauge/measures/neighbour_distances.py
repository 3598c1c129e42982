"""The sums over nearest neighbours behind ``measures.nearest_neighbours``; in bits, without intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, log
from typing import Any

import numpy as np

from leakgauge.probability.cells import Codes, Floats

_SAME = 1e-12
"""Normal scores closer than this are equal but for rounding."""


@dataclass(frozen=True)
class Ranked:
    """A column as normal scores, equal ones for equal numbers, and the number of each row's value in their order."""

    scores: Floats
    codes: Codes

    @classmethod
    def of(cls, column: Floats) -> Ranked:
        """Its ranks, the middle one for equal numbers, as quantiles of the normal law."""
        from scipy.special import ndtri

        _, codes, times = np.unique(column, return_inverse=True, return_counts=True)
        middle = np.cumsum(times) - times / 2
        return cls(np.asarray(ndtri(middle / len(column)))[codes], codes)

    def only(self, rows: Codes) -> Ranked:
        """Some of the rows, or all in another order, with the scores they have in the whole column."""
        return Ranked(self.scores[rows], self.codes[rows])

    def within(self, radius: Floats) -> Codes:
        """How many rows, its own among them, lie within each row's radius."""
        ordered = np.sort(self.scores)
        ends = np.searchsorted(ordered, self.scores + radius, side="right")
        return np.asarray(ends - np.searchsorted(ordered, self.scores - radius, side="left"))


def dependence(x: Ranked, y: Ranked, neighbours: int) -> float:
    """I(X;Y) in bits; below 0 by chance."""
    from scipy.special import digamma

    n = len(x.scores)
    k = min(neighbours, n - 1)
    points = np.column_stack([x.scores, y.scores])
    _, cell, times = np.unique(x.codes * (int(y.codes.max()) + 1) + y.codes, return_inverse=True, return_counts=True)
    alike = times[cell]
    radius = _radius(points, cell, alike, k)
    inner = [column.within(radius - _SAME) for column in (x, y)]
    outer = [column.within(radius + _SAME) for column in (x, y)]
    atom = alike > k
    # Without repeats one row lies at the radius, in one of the columns.
    tied = atom | (outer[0] - inner[0] + outer[1] - inner[1] > 1)
    together = np.where(atom, alike, k)
    lattice = tied & ~atom
    if lattice.any():
        reach = radius[lattice] + _SAME
        # Less the row itself: the radius was chosen to hold k others, and to count one more would show dependence.
        together[lattice] = _tree(points).query_ball_point(points[lattice], reach, p=np.inf, return_length=True) - 1
    apart = [np.where(tied, outside, inside) for inside, outside in zip(inner, outer, strict=True)]
    terms = digamma(together) - digamma(apart[0]) - digamma(apart[1])
    return float(digamma(n) + terms.mean()) / log(2)


def _radius(points: Floats, cell: Codes, alike: Codes, k: int) -> Floats:
    """The larger of both coordinates' distances to each row's k-th neighbour; 0 where more than k rows are alike."""
    radius = np.zeros(len(points))
    searching = np.flatnonzero(alike <= k)
    if len(searching) == 0:
        return radius
    # A tree of many equal points is slow, and more than k + 1 of them change no distance.
    order = np.argsort(cell, kind="stable")
    starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
    place = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    tree = _tree(points[order[place <= k]])
    distances, _ = tree.query(points[searching], k=[k + 1], p=np.inf)
    radius[searching] = distances[:, 0]
    return radius


def _tree(points: Floats) -> Any:
    from scipy.spatial import cKDTree

    # Halving at the median is slow where many coordinates are equal.
    return cKDTree(points, balanced_tree=False)


def spread_over_grid(column: Floats, uniform: Callable[[int], Floats]) -> Floats:
    """The column itself where no value repeats; else each value at random in its cell of the finest grid."""
    distinct = np.unique(column)
    if len(distinct) == len(column):
        return column
    return np.asarray(column + (uniform(len(column)) - 0.5) * np.diff(distinct).min())


def spacing_entropy(column: Floats, neighbours: int) -> float:
    """h(X) in bits."""
    from scipy.special import digamma

    n = len(column)
    k = min(neighbours, n - 1)
    ordered = np.sort(column)
    padded = np.concatenate([np.full(k, -inf), ordered, np.full(k, inf)])
    radius = np.full(n, inf)
    for left in range(k + 1):
        # The k nearest are some of those below and the rest above.
        below, above = padded[k - left : k - left + n], padded[2 * k - left : 2 * k - left + n]
        radius = np.minimum(radius, np.maximum(ordered - below, above - ordered))
    # Cells finer than the digits of a float cannot be spread over; such rows count with the finest distance there is.
    radius = np.maximum(radius, np.spacing(np.abs(ordered).max()))
    return float(digamma(n) - digamma(k) + np.log(2 * radius).mean()) / log(2)

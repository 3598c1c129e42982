"""Information from the distances between nearest neighbours, as plain numbers in bits; intervals are made elsewhere.

References: Kraskov, Stögbauer and Grassberger, Estimating mutual information, Physical Review E 69, 2004; Frenzel and
Pompe, Partial mutual information for coupling analysis of multivariate time series, Physical Review Letters 99, 2007;
repeated values: Gao, Kannan, Oh and Viswanath, Estimating mutual information for discrete-continuous mixtures, NeurIPS
2017; Mesner and Shalizi, Conditional mutual information estimation for mixed, discrete and continuous data, IEEE
Transactions on Information Theory 67, 2021.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, log
from typing import Any

import numpy as np

from leakgauge.probability.cells import Codes, Floats

_SAME = 1e-12
"""Normal scores closer than this are equal but for rounding."""


@dataclass(frozen=True)
class Ranked:
    """Columns as normal scores, equal ones for equal numbers, and the number of each row among the distinct rows."""

    scores: Floats  # one row per row, one column per column
    codes: Codes
    repeats: bool  # whether a column has a number twice

    @classmethod
    def of(cls, columns: Floats) -> Ranked:
        """The ranks of each column, the middle one for equal numbers, as quantiles of the normal law."""
        whole = None
        for column in columns.T:
            one = cls._of_one(column)
            whole = one if whole is None else whole.beside(one)
        assert whole is not None
        return whole

    @classmethod
    def _of_one(cls, column: Floats) -> Ranked:
        from scipy.special import ndtri

        values, codes, times = np.unique(column, return_inverse=True, return_counts=True)
        middle = np.cumsum(times) - times / 2
        scores = np.asarray(ndtri(middle / len(column)))[codes]
        return cls(scores[:, None], codes, len(values) < len(column))

    def beside(self, other: Ranked) -> Ranked:
        """The columns of both."""
        pairs = self.codes * (int(other.codes.max()) + 1) + other.codes
        codes = np.unique(pairs, return_inverse=True)[1]
        return Ranked(np.hstack([self.scores, other.scores]), codes, self.repeats or other.repeats)

    def only(self, rows: Codes) -> Ranked:
        """Some of the rows, or all in another order, with the scores they have among all rows."""
        return Ranked(self.scores[rows], self.codes[rows], self.repeats)

    def within(self, radius: Floats) -> Codes:
        """How many rows, its own among them, lie within each row's radius in every column."""
        if self.scores.shape[1] > 1:
            return np.asarray(self._tree.query_ball_point(self.scores, radius, p=np.inf, return_length=True))
        # Asked in ascending order, so that one search ends near the last one.
        ordered = self.scores[self._order, 0]
        reach = radius[self._order]
        ends = np.searchsorted(ordered, ordered + reach, side="right")
        found = np.empty(len(ordered), dtype=np.int64)
        found[self._order] = ends - np.searchsorted(ordered, ordered - reach, side="left")
        return found

    @cached_property
    def _order(self) -> Codes:
        return np.argsort(self.scores[:, 0])

    @cached_property
    def _tree(self) -> Any:
        return _tree(self.scores)


def dependence(x: Ranked, y: Ranked, neighbours: int, given: Ranked | None = None) -> float:
    """I(X;Y), or I(X;Y|Z), in bits; below 0 by chance.

    ψ(k) − ⟨ψ(n_x) + ψ(n_y)⟩ + ψ(n), with the rows nearer than the k-th neighbour in the columns of x alone and of y
    alone; given z ⟨ψ(k) − ψ(n_xz) − ψ(n_yz) + ψ(n_z)⟩. A row counts itself.
    """
    from scipy.special import digamma

    n = len(x.scores)
    k = min(neighbours, n - 1)
    whole = x.beside(y)
    sides = [x, y]
    if given is not None:
        whole, sides = whole.beside(given), [x.beside(given), y.beside(given), given]
    _, cell, times = np.unique(whole.codes, return_inverse=True, return_counts=True)
    alike = times[cell]
    radius = _radius(whole.scores, cell, alike, k)
    inner = [side.within(radius - _SAME) for side in sides]
    apart, together = inner, np.full(n, k)
    # Columns by themselves are counted quickly, so that copies without repeats are seen there too.
    if whole.repeats or whole.scores.shape[1] == 2:
        outer = [side.within(radius + _SAME) for side in sides]
        atom = alike > k
        # Without repeats one row lies at the radius, in one of the columns; one in z is seen from both sides.
        edge = [outside - inside for inside, outside in zip(inner, outer, strict=True)]
        tied = atom | (edge[0] + edge[1] - (edge[2] if given is not None else 0) > 1)
        together = np.where(atom, alike, k)
        lattice = tied & ~atom
        if lattice.any():
            reach = radius[lattice] + _SAME
            points = whole.scores[lattice]
            # Less the row itself: the radius was chosen to hold k others, and to count one more would show dependence.
            within = _tree(whole.scores).query_ball_point(points, reach, p=np.inf, return_length=True)
            together[lattice] = within - 1
        apart = [np.where(tied, outside, inside) for inside, outside in zip(inner, outer, strict=True)]
    terms = digamma(together) - digamma(apart[0]) - digamma(apart[1])
    total = digamma(n) if given is None else digamma(apart[2]).mean()
    return float(total + terms.mean()) / log(2)


def _radius(points: Floats, cell: Codes, alike: Codes, k: int) -> Floats:
    """The largest distance in a coordinate to each row's k-th neighbour; 0 where more than k rows are alike."""
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

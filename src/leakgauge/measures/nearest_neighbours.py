"""Information in numeric columns without bins, from the distances between nearest neighbours; in bits.

The intervals come from disjoint blocks: the rows are dealt into blocks at random, several times over, the estimate is
made on each block alone, and the variance between blocks over their number is that of the whole. A bootstrap would
draw rows twice, and a row drawn twice is its own nearest neighbour. What the estimate still gains or loses per
doubling of the rows hints at its bias, and the interval is widened by twice that, on both sides. Rows are taken to be
independent draws: where they follow each other in time the intervals are too narrow. Measured coverage:
``tests/measures/test_nearest_neighbours.py``.

There is no relative mutual information I(O;N)/I(O;O) here: a column without atoms tells infinitely much about itself,
so the ratio is 0 whatever is released, and with the entropy of a binned column below the line it may exceed 1. Bin
both columns and divide ``mutual_information`` by ``entropy``, both of the counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, inf, log, log2, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from leakgauge.arguments import checked
from leakgauge.errors import ColumnError, OptionError
from leakgauge.probability import Estimate
from leakgauge.probability.cells import Codes, Floats
from leakgauge.randomness import simulation

if TYPE_CHECKING:
    from numpy.random import Generator

_FEWEST = 10
"""Rows below which nothing is estimated."""
_PROMISED = 100
"""Rows from which the confidence was measured."""
_BLOCK = 500
"""Rows of a block, where that makes between 2 and 10 of them: the variance of much smaller ones does not scale."""
_COMPARISONS = 20
"""Blocks compared in all, less one for each dealing."""
_FREEDOM = 10
"""At most; half the comparisons, since dealings of the same rows are not independent."""
_DRIFT = 2.0
"""Bias allowed for, in units of the change per doubling of the rows: what is left of one that falls as n^-0.58."""
_UNRESOLVED = 0.03
"""Bits gained per doubling of the rows from which the dependence may be finer than the rows can show, unless it
is within the margin of chance.
"""
_SHUFFLES = 8
"""Of one column, to see what the estimate shows where there is nothing."""
_ATOM, _DOMINATE = 0.05, 0.5
"""Shares of rows in one value, and in all values of more than ``neighbours`` rows, from which there is no density."""
_SAME = 1e-12
"""Normal scores closer than this are equal but for rounding."""


@checked
def mutual_information_of_numbers(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    neighbours: int = 5,
    confidence: float = 0.95,
    limit: int = 50_000,
    simulation_seed: int = 0,
) -> Estimate:
    """I(X;Y) of two numeric columns in bits, with its interval.

    The first algorithm of Kraskov, Stögbauer and Grassberger on normal scores of the ranks, so that any increasing
    rescaling of a column gives the same number. Where values repeat, the neighbours at exactly the same distance are
    all counted, as Gao and others do for mixtures: on columns of few values the result is the plug-in one less its
    first-order bias, on a mixture of atoms and a density it converges too. The lower end is also moved down by what
    the estimate shows after one column is shuffled. Strong dependence is overstated a little: normal columns of
    correlation 0.9 by 0.02 bits at 500 rows and 0.01 at 2000, on average.

    ``high`` is infinite and ``reliable`` False where the estimate keeps growing with the number of rows, as for a
    copy of a continuous column, whose information is infinite; copies in a few rows of a hundred may go unseen.
    ``reliable`` is False below 100 rows as well.

    Args:
        y: one number a row, in the same order.
        neighbours: how many neighbours span a row's neighbourhood; more of them give less variance and more bias.
        limit: with more rows than this, a random sample of so many is used, drawn from ``simulation_seed``.
        simulation_seed: what that sample and the blocks of the interval are drawn from.

    Raises:
        ColumnError: the columns differ in length, are too short, constant, or hold something else than finite numbers.
        OptionError: an option is outside its range.

    Example:
        >>> age = list(range(20, 60)) * 5
        >>> found = mutual_information_of_numbers(age, [a // 10 for a in age])
        >>> found.low <= 2 <= found.high, found.n
        (True, 200)

    Reference: Kraskov, Stögbauer and Grassberger, Estimating mutual information, Physical Review E 69, 2004; Gao,
    Kannan, Oh and Viswanath, Estimating mutual information for discrete-continuous mixtures, NeurIPS 2017; Holmes and
    Nemenman, Estimation of mutual information for real-valued data with error bars, Physical Review E 100, 2019.
    """
    first, second = _numbers(x, "first"), _numbers(y, "second")
    if len(first) != len(second):
        raise ColumnError(
            "The columns have {first} and {second} rows; give two of equal length.",
            first=len(first),
            second=len(second),
        )
    _check(len(first), neighbours, confidence, limit)
    generator = simulation(simulation_seed)
    rows = _sampled(len(first), limit, generator)
    ranked = Ranked.of(first[rows]), Ranked.of(second[rows])
    whole = dependence(*ranked, neighbours)

    def of_rows(chosen: Codes) -> float:
        return dependence(ranked[0].only(chosen), ranked[1].only(chosen), neighbours)

    margin, gain = _margin(of_rows, len(rows), whole, neighbours, confidence, generator)
    unresolved = gain > max(_UNRESOLVED, margin)
    value, margin = max(whole, 0.0), margin + _DRIFT * abs(gain)
    low = whole - margin
    if low > 0:
        # What shuffled columns still show is bias of repeated values.
        shuffles = (ranked[1].only(generator.permutation(len(rows))) for _ in range(_SHUFFLES))
        low -= max(float(np.mean([dependence(ranked[0], other, neighbours) for other in shuffles])), 0.0)
    # Upwards the interval starts from the value after clipping at 0, to the private side.
    high = inf if unresolved else value + margin
    return Estimate(value, max(low, 0.0), high, confidence, len(rows), len(rows) >= _PROMISED and not unresolved)


@checked
def differential_entropy(
    x: npt.ArrayLike,
    *,
    neighbours: int = 5,
    confidence: float = 0.95,
    limit: int = 50_000,
    simulation_seed: int = 0,
) -> Estimate:
    """h(X) of a numeric column in bits, with its interval; it may be negative and depends on the column's unit.

    Kozachenko and Leonenko's estimate from the distance to the k-th neighbour. Where values repeat, they are taken to
    be rounded to a grid as fine as the smallest gap, and spread over its cells at random, so that a finely rounded
    column has about the entropy it had before. A column with atoms has h = −∞: it is refused where one value that
    occurs more than ``neighbours`` times holds a twentieth of the rows, or such values hold half of them together;
    with fewer of them ``reliable`` is False, as it is below 100 rows.

    Args:
        neighbours: which neighbour's distance is taken; a farther one gives less variance and more bias. The other
            options are those of ``mutual_information_of_numbers``.

    Raises:
        ColumnError: the column is too short, constant, mostly repeats, or holds something else than finite numbers.
        OptionError: an option is outside its range.

    Example:
        >>> metres = [i**1.5 for i in range(1000)]
        >>> halves = [2 * length for length in metres]
        >>> round(differential_entropy(halves).value - differential_entropy(metres).value, 6)
        1.0

    Reference: Kozachenko and Leonenko, Sample estimate of the entropy of a random vector, Problems of Information
    Transmission 23, 1987.
    """
    column = _numbers(x, "first")
    _check(len(column), neighbours, confidence, limit)
    generator = simulation(simulation_seed)
    column = column[_sampled(len(column), limit, generator)]
    repeated = _repeated(column, neighbours)
    # Powers of two change no digit and keep the differences of very large numbers finite.
    exponent = int(np.frexp(np.abs(column).max())[1])
    spread = np.ldexp(column, -exponent)
    distinct = np.unique(spread)
    if len(distinct) < len(spread):
        # Each value at random in its cell of the finest grid.
        spread = spread + (generator.random(len(spread)) - 0.5) * np.diff(distinct).min()
    whole = spacing_entropy(spread, neighbours)

    def of_rows(chosen: Codes) -> float:
        return spacing_entropy(spread[chosen], neighbours)

    margin, gain = _margin(of_rows, len(column), whole, neighbours, confidence, generator)
    value, margin = whole + exponent, margin + _DRIFT * abs(gain)
    reliable = len(column) >= _PROMISED and repeated == 0
    return Estimate(value, value - margin, value + margin, confidence, len(column), reliable)


def _repeated(column: Floats, neighbours: int) -> float:
    """The share of rows in values that occur more often than there are neighbours."""
    _, times = np.unique(column, return_counts=True)
    often = times[times > neighbours] / len(column)
    share, largest = float(often.sum()), float(often.max(initial=0.0))
    if share >= _DOMINATE or largest >= _ATOM:
        raise ColumnError(
            "The column has no density: {share:.0%} of its rows hold a value that occurs more than {neighbours} times,"
            " {largest:.0%} the same one; take the entropy of its counts instead.",
            share=share,
            neighbours=neighbours,
            largest=largest,
        )
    return share


def _margin(
    of_rows: Callable[[Codes], float],
    n: int,
    whole: float,
    neighbours: int,
    confidence: float,
    generator: Generator,
) -> tuple[float, float]:
    """Half the width of the interval without bias, and what the estimate gains per doubling of the rows."""
    from scipy.special import stdtrit

    blocks = int(np.clip(n // _BLOCK, 2, 10))
    variances, means = [], []
    for _ in range(ceil(_COMPARISONS / (blocks - 1))):
        values = [of_rows(rows) for rows in np.array_split(generator.permutation(n), blocks)]
        variances.append(float(np.var(values, ddof=1)) / blocks)
        means.append(float(np.mean(values)))
    freedom = int(np.clip(n // (2 * neighbours + 2), 1, _FREEDOM))
    margin = float(stdtrit(freedom, (1 + confidence) / 2)) * sqrt(float(np.mean(variances)))
    return margin, (whole - float(np.mean(means))) / log2(blocks)


def _sampled(n: int, limit: int, generator: Generator) -> Codes:
    return np.arange(n) if n <= limit else generator.permutation(n)[:limit]


def _numbers(column: npt.ArrayLike, name: str) -> Floats:
    try:
        given = np.asarray(column)
        if given.dtype.kind not in "biufO":
            raise TypeError
        numbers = given.astype(np.float64)
    except (TypeError, ValueError):
        raise ColumnError("The {name} column is not numeric; give one number per row.", name=name) from None
    if numbers.ndim != 1:
        raise ColumnError(
            "The {name} column has {found} dimensions; give one number per row.", name=name, found=numbers.ndim
        )
    unusable = int(np.count_nonzero(~np.isfinite(numbers)))
    if unusable:
        raise ColumnError(
            "The {name} column has {rows} rows that are missing or infinite; leave them out.", name=name, rows=unusable
        )
    if len(numbers) >= _FEWEST and numbers.min() == numbers.max():
        raise ColumnError("The {name} column has a single value; give one that varies.", name=name)
    return numbers


def _check(n: int, neighbours: int, confidence: float, limit: int) -> None:
    if n < _FEWEST:
        raise ColumnError("{found} rows are too few to estimate from; give at least {least}.", found=n, least=_FEWEST)
    if limit < _FEWEST:
        raise OptionError("A limit of {found} rows is too low; give at least {least}.", found=limit, least=_FEWEST)
    if not 1 <= neighbours <= min(n, limit) // 2:
        raise OptionError(
            "{found} neighbours are not between 1 and {most}, half the rows.",
            found=neighbours,
            most=min(n, limit) // 2,
        )
    if not 0 < confidence < 1:
        raise OptionError("A confidence of {found} is not between 0 and 1; try 0.95.", found=confidence)


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

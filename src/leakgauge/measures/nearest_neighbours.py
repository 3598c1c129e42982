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
from math import ceil, inf, log2, sqrt
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from leakgauge.arguments import checked
from leakgauge.errors import ColumnError, OptionError
from leakgauge.measures.neighbourhoods import Ranked, dependence, spacing_entropy
from leakgauge.probability import Estimate
from leakgauge.probability.cells import Codes, Floats
from leakgauge.randomness import simulation

if TYPE_CHECKING:
    from numpy.random import Generator

_FEWEST = 10  # rows below which nothing is estimated
_PROMISED = 100  # rows from which the confidence was measured
_BLOCK = 500
"""Rows of a block, where that makes between 2 and 10 of them: the variance of much smaller ones does not scale."""
_COMPARISONS = 20  # blocks compared in all, less one for each dealing
_FREEDOM = 10  # at most; half the comparisons, since dealings of the same rows are not independent
_FALLING = 1.16  # bias falls as n to this power over the number of columns, and what is left of it is allowed for
_UNRESOLVED = 0.03
"""Bits gained per doubling of the rows from which the dependence may be finer than the rows can show, unless it
is within the margin of chance.
"""
_SHUFFLES = 8  # of one column, to see what the estimate shows where there is nothing
_ATOM, _DOMINATE = 0.05, 0.5
"""Shares of rows in one value, and in all values of more than ``neighbours`` rows, from which there is no density."""
_MOST_COLUMNS = 20  # in all: beyond them every row is about as near as any other


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
    """I(X;Y) of two numeric columns in bits, with its interval; of several columns together where they are matrices.

    The first algorithm of Kraskov, Stögbauer and Grassberger on normal scores of the ranks, so that any increasing
    rescaling of a column gives the same number. Where values repeat, the neighbours at exactly the same distance are
    all counted, as Gao and others do for mixtures: on columns of few values the result is the plug-in one less its
    first-order bias, on a mixture of atoms and a density it converges too. The lower end is then also moved down by
    what the estimate shows after one side is shuffled. Strong dependence of two columns is overstated a little: normal
    columns of correlation 0.9 by 0.02 bits at 500 rows and 0.01 at 2000, on average. Of many columns it is understated,
    and the interval widens with their number.

    ``high`` is infinite and ``reliable`` False where the estimate keeps growing with the number of rows, as for a
    copy of a continuous column, whose information is infinite; copies in a few rows of a hundred may go unseen.
    ``reliable`` is False below 100 rows as well.

    Args:
        x: one number per row, or a matrix with a row per row.
        y: the same, in the same order.
        neighbours: how many neighbours span a row's neighbourhood; more of them give less variance and more bias.
        limit: with more rows than this, a random sample of so many is used, drawn from ``simulation_seed``.
        simulation_seed: what that sample and the blocks of the interval are drawn from.

    Raises:
        ColumnError: the columns differ in length, are too short, too many, constant, or hold something else than finite
            numbers.
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
    sides = [_columns(x, "first"), _columns(y, "second")]
    return _information(sides, neighbours, confidence, limit, simulation_seed)


@checked
def conditional_information_of_numbers(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    z: npt.ArrayLike,
    *,
    neighbours: int = 5,
    confidence: float = 0.95,
    limit: int = 50_000,
    simulation_seed: int = 0,
) -> Estimate:
    """I(X;Y|Z) of numeric columns in bits, with its interval: what a release adds for someone who knows Z.

    Frenzel and Pompe's form of ``mutual_information_of_numbers``, on normal scores of the ranks; repeated values are
    counted as Mesner and Shalizi do. What z tells of both is understated where it tells much, so that some of it shows
    as dependence given z; the interval allows for it.

    Args:
        x: one number per row, or a matrix with a row per row.
        y: the same, in the same order.
        z: what is known, likewise.

    Returns:
        The estimate, ``reliable`` as for ``mutual_information_of_numbers``, whose other options it takes.

    Raises:
        ColumnError: as ``mutual_information_of_numbers``.
        OptionError: an option is outside its range.

    Example:
        >>> drawn = simulation(1)
        >>> known, coin = drawn.standard_normal(700), drawn.integers(0, 2, 700)
        >>> found = conditional_information_of_numbers(coin, known + 9 * coin, known)
        >>> found.low <= 1 <= found.high
        True

    Reference: Frenzel and Pompe, Partial mutual information for coupling analysis of multivariate time series, Physical
    Review Letters 99, 2007; Mesner and Shalizi, Conditional mutual information estimation for mixed, discrete and
    continuous data, IEEE Transactions on Information Theory 67, 2021.
    """
    sides = [_columns(x, "first"), _columns(y, "second"), _columns(z, "third")]
    return _information(sides, neighbours, confidence, limit, simulation_seed)


def _information(sides: list[Floats], neighbours: int, confidence: float, limit: int, seed: int) -> Estimate:
    """I of the first two sides, given the third where there is one."""
    lengths = [len(side) for side in sides]
    if len(set(lengths)) > 1:
        raise ColumnError(
            "The columns have {lengths!s} rows; give columns of equal length.", lengths=", ".join(map(str, lengths))
        )
    columns = sum(side.shape[1] for side in sides)
    if columns > _MOST_COLUMNS:
        raise ColumnError(
            "There are {found} columns, but among more than {most} every row is about as near as any other; leave "
            "some out.",
            found=columns,
            most=_MOST_COLUMNS,
        )
    _check(lengths[0], neighbours, confidence, limit)
    generator = simulation(seed)
    rows = _sampled(lengths[0], limit, generator)
    x, y, *given = (Ranked.of(side[rows]) for side in sides)

    def of_rows(chosen: Codes) -> float:
        return dependence(x.only(chosen), y.only(chosen), neighbours, *(z.only(chosen) for z in given))

    whole = dependence(x, y, neighbours, *given)
    margin, gain = _margin(of_rows, len(rows), whole, neighbours, confidence, generator)
    unresolved = gain > max(_UNRESOLVED, margin)
    value, margin = max(whole, 0.0), margin + abs(gain) / (2 ** (_FALLING / columns) - 1)
    low = whole - margin
    if low > 0 and (x.repeats or y.repeats) and not given:
        # What shuffled columns still show is bias of repeated values.
        shuffles = (y.only(generator.permutation(len(rows))) for _ in range(_SHUFFLES))
        low -= max(float(np.mean([dependence(x, other, neighbours) for other in shuffles])), 0.0)
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
    column = _columns(x, "first", several=False)[:, 0]
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
    value, margin = whole + exponent, margin + abs(gain) / (2 ** (_FALLING / 2) - 1)
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


def _columns(given: npt.ArrayLike, name: str, several: bool = True) -> Floats:
    """One number per row as a matrix of one column, or several columns as they are."""
    try:
        found = np.asarray(given)
        if found.dtype.kind not in "biufO":
            raise TypeError
        numbers = found.astype(np.float64)
    except (TypeError, ValueError):
        raise ColumnError("The {name} column is not numeric; give one number per row.", name=name) from None
    if numbers.ndim not in ((1, 2) if several else (1,)) or 0 in numbers.shape[1:]:
        raise ColumnError(
            "The {name} column has {found} dimensions; give one number per row.", name=name, found=numbers.ndim
        )
    columns = numbers[:, None] if numbers.ndim == 1 else numbers
    unusable = int(np.count_nonzero(~np.isfinite(columns).all(axis=1)))
    if unusable:
        raise ColumnError(
            "The {name} column has {rows} rows that are missing or infinite; leave them out.", name=name, rows=unusable
        )
    if len(columns) >= _FEWEST and (columns.min(axis=0) == columns.max(axis=0)).any():
        raise ColumnError("The {name} column has a single value; give one that varies.", name=name)
    return columns


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

"""How strongly the columns of a table are associated, whatever their kinds: a number from 0 to 1 for each pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leakgauge.case.columns import values_of
from leakgauge.probability.cells import Codes, Floats
from leakgauge.release.letters import numbers_of
from leakgauge.tables import Kind

if TYPE_CHECKING:
    import pyarrow as pa

ORDERED = (Kind.INT, Kind.FLOAT, Kind.DATE, Kind.TIMESTAMP)
"""Kinds that are compared as numbers."""


@dataclass(frozen=True, eq=False)
class Variable:
    """A column as numbers, missing ones NaN, or as the number of each value; a missing one is distinct too."""

    values: Floats | Codes
    ordered: bool
    distinct: int


def variable(values: pa.Array, name: str, kind: Kind) -> Variable:
    """A column as it is compared; nested and binary values are refused."""
    if kind in ORDERED:
        numbers = plain_numbers(values, kind)
        # An infinite number goes together with nothing.
        numbers = np.where(np.isfinite(numbers), numbers, np.nan)
        seen = numbers[~np.isnan(numbers)]
        return Variable(numbers, True, len(np.unique(seen)) + (len(seen) < len(numbers)))
    codes = values_of(values, name)
    return Variable(codes, False, int(codes.max()) + 1)


def plain_numbers(values: pa.Array, kind: Kind) -> Floats:
    """Numbers, dates and times as floats, missing ones NaN."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if kind in (Kind.DATE, Kind.TIMESTAMP):
        values = pc.cast(pc.cast(values, pa.timestamp("us"), safe=False), pa.int64())
    return np.asarray(numbers_of(values), dtype=np.float64)


def association(first: Variable, second: Variable) -> float | None:
    """|Pearson's r| of numbers, Cramér's V of categories, the correlation ratio of one of each, all from 0 to 1.

    V and the ratio are corrected for the bias of small samples (Bergsma 2013; Kelley 1935). None where a column is
    constant, or so close to a key that nothing can be told.
    """
    if first.ordered and second.ordered:
        return correlation(first.values.astype(np.float64), second.values.astype(np.float64))
    if second.ordered:
        first, second = second, first
    if first.ordered:
        return correlation_ratio(first.values.astype(np.float64), second.values.astype(np.int64))
    return cramers_v_of_codes(first.values.astype(np.int64), second.values.astype(np.int64))


def correlation(x: Floats, y: Floats) -> float | None:
    """|Pearson's r| over the rows where both are known."""
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    if len(x) < 3:
        return None
    x, y = _below_one(x), _below_one(y)
    x, y = x - x.mean(), y - y.mean()
    scale = math.sqrt(float(x @ x)) * math.sqrt(float(y @ y))
    return min(abs(float(x @ y)) / scale, 1.0) if scale > 0 else None


def _below_one(numbers: Floats) -> Floats:
    """The numbers over a power of two that makes all of them smaller than 1, which changes no association."""
    # The square of 1e308, and the sum of two of them, is more than a float holds.
    return np.asarray(np.ldexp(numbers, -int(np.frexp(np.abs(numbers).max())[1])))


def correlation_ratio(numbers: Floats, codes: Codes) -> float | None:
    """The root of the share of the numbers' variance that lies between the categories."""
    known = ~np.isnan(numbers)
    numbers, codes = numbers[known], codes[known]
    if not len(numbers):
        return None
    numbers = _below_one(numbers)
    counts, centred = np.bincount(codes), numbers - numbers.mean()
    total, groups = float((centred**2).sum()), int((counts > 0).sum())
    if total == 0 or groups < 2 or groups >= len(numbers):
        return None
    sums = np.bincount(codes, weights=centred)
    between = float((sums[counts > 0] ** 2 / counts[counts > 0]).sum())
    # Groups explain a share by chance alone, which is taken off.
    share = 1 - (1 - between / total) * (len(numbers) - 1) / (len(numbers) - groups)
    return math.sqrt(min(max(share, 0.0), 1.0))


def cramers_v_of_codes(first: Codes, second: Codes) -> float | None:
    """Cramér's V without bias of two columns of categories, counting only pairs that occur."""
    pairs, counts = np.unique(first * (int(second.max()) + 1) + second, return_counts=True)
    rows, columns = np.bincount(first), np.bincount(second)
    i, j = np.divmod(pairs, int(second.max()) + 1)
    squares = float((counts.astype(np.float64) ** 2 / (rows[i].astype(np.float64) * columns[j])).sum())
    return cramers_v(squares - 1, int((rows > 0).sum()), int((columns > 0).sum()), len(first))


def cramers_v(phi_squared: float, rows: int, columns: int, n: float = math.inf) -> float | None:
    """Cramér's V from Φ² = χ²/n of a table with so many rows and columns in use; without bias for a finite n."""
    fewer = [rows - 1.0, columns - 1.0]
    if math.isfinite(n) and n > 1:
        phi_squared -= fewer[0] * fewer[1] / (n - 1)
        fewer = [side - side**2 / (n - 1) for side in fewer]
    if min(fewer) <= 1e-9:
        return None
    return math.sqrt(min(max(phi_squared, 0.0) / min(fewer), 1.0))

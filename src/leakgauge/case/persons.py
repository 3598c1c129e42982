"""Rows of one person that hold the same secret: noise drawn anew in each of them averages out."""

from __future__ import annotations

import math

import numpy as np

from leakgauge.case.earlier import product
from leakgauge.case.law import ReleaseLaw
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.cells import Codes, Floats
from leakgauge.tables import Table

BY_CHANCE = 0.05
"""The share of persons, beyond chance, whose rows hold one value; below it each row is a secret of its own."""
MOST_ROWS = 64
"""Of a person that are counted together: more leave nothing uncertain."""
NEARLY_ALL = 0.9
"""Of these persons, the share who have at most as many rows as are counted."""
MOST_CELLS = 1 << 20


def agreeing_rows(table: Table, secret: tuple[str, ...], unit: str) -> int:
    """The rows of a person that hold one value of a secret; 1 where rows of a person differ as rows of strangers do.

    Example:
        >>> import pyarrow as pa
        >>> from leakgauge.tables import open_table
        >>> rows = {"person": [at // 4 for at in range(400)], "illness": [f"{at // 4 % 3}" for at in range(400)]}
        >>> agreeing_rows(open_table(pa.table(rows)), ("illness",), "person")
        4
    """
    digests = table.digests([(unit,), (unit, *secret), secret])
    person, pair, value = (np.unique(one, return_inverse=True)[1].astype(np.int64) for one in digests)
    rows = np.bincount(person)
    several = rows > 1
    if not several.any():
        return 1
    different = np.bincount(_owners(person, pair), minlength=len(rows))
    constant = several & (different == 1)
    shares = np.bincount(value) / len(value)
    counts, persons = np.unique(rows[several], return_counts=True)
    chance = sum(float((shares**count).sum()) * number for count, number in zip(counts, persons, strict=True))
    if (constant.sum() - chance) / several.sum() < BY_CHANCE:
        return 1
    return min(math.ceil(float(np.quantile(rows[constant], NEARLY_ALL))), MOST_ROWS)


def _owners(person: Codes, pair: Codes) -> Codes:
    """Of each combination of a person and a value, the person."""
    first = np.unique(pair, return_index=True)[1]
    return np.asarray(person[first])


def of_all_rows(law: ReleaseLaw, rows: int, numbers: Floats | None = None) -> ReleaseLaw | None:
    """The law of so many rows that hold one value, each with noise of its own; None where it is too large to count."""
    if law.channel is None:
        return law
    source = law.source
    cells = len(source.outcomes) if isinstance(source, Distribution) else len(source.cells.nonzero()[2])
    channel = _power(law.channel, rows, MOST_CELLS // max(cells, 1), None if numbers is None else (numbers, law.shares))
    return None if channel is None else ReleaseLaw(source, channel, law.columns, law.published)


def _power(channel: Channel, times: int, room: int, numbers: tuple[Floats, Floats] | None) -> Channel | None:
    """So many independent outputs of one input, by squaring."""
    whole: Channel | None = None
    square: Channel | None = channel
    while times and square is not None:
        if times % 2:
            whole = square if whole is None else product(whole, square, room, numbers)
            if whole is None:
                return None
        times //= 2
        square = product(square, square, room, numbers) if times else square
    return None if times else whole

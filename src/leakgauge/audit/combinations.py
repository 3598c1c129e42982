"""The smallest sets of columns in which many rows are unique, found level by level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Final

import numpy as np

from leakgauge.probability.cells import Codes
from leakgauge.tables import Table
from leakgauge.tables.table import GroupSizes

MANY_ALONE: Final = 0.01
"""The share of unique rows from which a set of columns is reported."""
LARGEST_SET: Final = 3
_SCREENS: Final = ((3_000, 300), (100_000, 24))
"""Rows that sets are screened on before the table is counted, and how many sets go on: those with most unique rows. A
row that is unique in the table is unique among any of its rows too, so sets with few unique rows there are safely left
out."""
_WORK: Final = 8 * 10**7
"""Rows that are counted at each size, over all sets: of a large table fewer sets are."""
_FEWEST: Final = 8
_MOST_TRIED: Final = 20_000
"""Sets of one size that are tried at all: for a table with hundreds of columns, sets of the columns with most values,
in which most rows can be unique."""


def sets_that_single_out(
    table: Table,
    columns: Mapping[str, Codes],
    sizes: Mapping[str, GroupSizes],
    unit: str | None = None,
    units: Codes | None = None,
) -> tuple[GroupSizes, ...]:
    """Sets of two or three columns in which at least one row in a hundred is unique, most unique rows first.

    A set is left out if a part of it singles out as many, so the sets reported are smallest.

    Args:
        columns: each as numbers, of the same rows drawn at random from the table.
        sizes: of each column alone, in the whole table.
        unit: the column whose values are persons; a row is alone where no other person is.
        units: the person of each of the rows drawn at random.
    """
    rows, found = table.rows, list[GroupSizes]()
    # A column that singles rows out by itself is reported by itself.
    names = [name for name in columns if sizes[name].groups > 1 and sizes[name].alone < MANY_ALONE * rows]
    for size in range(2, LARGEST_SET + 1):
        sets = [
            chosen
            for chosen in combinations(_finest(names, sizes, size), size)
            # There are at most as many unique rows as combinations; a unique person may have several rows.
            if (unit or np.prod([sizes[name].groups for name in chosen], dtype=float) >= MANY_ALONE * rows)
            and not any(set(one.columns) <= set(chosen) for one in found)
        ]
        for most_rows, most_sets in _SCREENS:
            people = None if units is None else _some(units, most_rows)
            sets = _screened(sets, {name: _some(columns[name], most_rows) for name in names}, people, most_sets)
        counted = sets[: max(_WORK // max(rows, 1), _FEWEST)]
        if counted:
            found += [one for one in table.group_sizes(counted, unit=unit) if one.alone >= MANY_ALONE * rows]
    return tuple(sorted(found, key=lambda one: (-one.alone, one.columns)))


def _finest(names: Sequence[str], sizes: Mapping[str, GroupSizes], size: int) -> list[str]:
    """As many columns as have no more sets of this size than can be tried, in the table's order."""
    most = next((count for count in range(len(names), size, -1) if comb(count, size) <= _MOST_TRIED), size)
    kept = set(sorted(names, key=lambda name: -sizes[name].groups)[:most])
    return [name for name in names if name in kept]


def _some(codes: Codes, rows: int) -> Codes:
    """So many rows, spread over all of them."""
    return codes[:: max(len(codes) // rows, 1)]


def _screened(
    sets: Sequence[tuple[str, ...]], columns: Mapping[str, Codes], people: Codes | None, most: int
) -> list[tuple[str, ...]]:
    """The sets in which most of these rows are unique, among those that single any out."""
    shares = {names: _alone([columns[name] for name in names], people) for names in sets}
    kept = [names for names in sets if shares[names] >= MANY_ALONE]
    return sorted(kept, key=lambda names: -shares[names])[:most]


def _alone(columns: Sequence[Codes], people: Codes | None) -> float:
    """The share of rows that are unique, or whose person is."""
    key = columns[0]
    for codes in columns[1:]:
        key = key * (np.int64(codes.max()) + 1) + codes
    if people is None:
        key = np.sort(key)
        new = np.concatenate([[True], key[1:] != key[:-1], [True]])
        return float((new[1:] & new[:-1]).mean())
    place = np.unique(key, return_inverse=True)[1]
    least, most = np.full(int(place.max()) + 1, np.iinfo(np.int64).max), np.full(int(place.max()) + 1, -1)
    np.minimum.at(least, place, people)
    np.maximum.at(most, place, people)
    return float((least == most)[place].mean())

"""The smallest sets of columns in which people stand alone, held against counting every set."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.audit.combinations import MANY_ALONE, sets_that_single_out
from leakgauge.tables import open_table
from leakgauge.tables.table import GroupSizes

NAMES = ("a", "b", "c", "d", "e")


def counted(columns: dict[str, np.ndarray], names: tuple[str, ...]) -> GroupSizes:
    sizes = np.unique(np.stack([columns[name] for name in names]), axis=1, return_counts=True)[1]
    return GroupSizes.of(names, sizes)


def by_brute_force(columns: dict[str, np.ndarray]) -> set[GroupSizes]:
    rows, found = len(columns["a"]), set[GroupSizes]()
    free = [name for name in NAMES if counted(columns, (name,)).alone < MANY_ALONE * rows]
    for size in (2, 3):
        level = {counted(columns, one) for one in combinations(free, size)}
        found |= {
            one
            for one in level
            if one.alone >= MANY_ALONE * rows and not any({*other.columns} < {*one.columns} for other in found)
        }
    return found


@pytest.mark.parametrize("seed", range(6))
def test_as_brute_force(seed: int) -> None:
    draw = np.random.default_rng(seed)
    values = draw.integers(2, 40, len(NAMES))
    columns = {name: draw.integers(0, most, 1500) for name, most in zip(NAMES, values, strict=True)}
    with open_table(pa.table(columns)) as table:
        sizes = {one.columns[0]: one for one in table.group_sizes([(name,) for name in NAMES])}
        assert sizes == {name: counted(columns, (name,)) for name in NAMES}
        found = sets_that_single_out(table, columns, sizes)
    assert set(found) == by_brute_force(columns)
    assert [one.alone for one in found] == sorted((one.alone for one in found), reverse=True)


def test_a_planted_pair_is_found_among_many_columns() -> None:
    draw = np.random.default_rng(1)
    rows = 20_000
    columns = {f"c{at}": draw.integers(0, 3, rows) for at in range(30)}
    # Two hundred values each: nobody stands alone by one of them, half of all rows by both.
    columns |= {"left": draw.integers(0, 200, rows), "right": draw.integers(0, 200, rows)}
    with open_table(pa.table(columns)) as table:
        sizes = {one.columns[0]: one for one in table.group_sizes([(name,) for name in columns])}
        found = sets_that_single_out(table, columns, sizes)
    assert found[0].columns == ("left", "right")
    assert found[0].alone > 0.5 * rows

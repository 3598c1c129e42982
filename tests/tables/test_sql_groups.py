"""Groups counted in the engine are those counted by digests of the rows."""

from __future__ import annotations

from itertools import combinations

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from leakgauge.tables import duckdb_table, open_table, table
from leakgauge.tables.binnings import Width
from leakgauge.tables.sql.groups import MOST_COLUMNS, MOST_SETS, passes
from leakgauge.tables.sql.table import SqlTable
from leakgauge.tables.table import GroupSizes
from tests.grids import examples

VALUES = st.sampled_from(["x", "y", None])


@examples(6)
@given(rows=st.lists(st.tuples(VALUES, VALUES, st.integers(0, 2) | st.none(), VALUES), min_size=1, max_size=12))
def test_the_engine_counts_the_groups_that_digests_tell_apart(rows: list[tuple[object, ...]]) -> None:
    names = ("a", "b", "c", "who")
    kinds = (pa.string(), pa.string(), pa.int64(), pa.string())
    people = pa.table([pa.array(of, kind) for of, kind in zip(zip(*rows, strict=True), kinds, strict=True)], names)
    sets = [one for size in (1, 2, 3) for one in combinations(names[:3], size)] + [("b", "a")]
    with open_table(people) as opened:
        assert isinstance(opened, SqlTable)
        for unit in (None, "who"):
            assert SqlTable.group_sizes(opened, sets, unit=unit) == opened.group_sizes(sets, unit=unit)


def test_a_pass_takes_so_many_sets_and_columns() -> None:
    sets = [(f"c{at}", f"c{at + 1}") for at in range(200)]
    found = list(passes([*sets, *sets]))
    assert [one for some in found for one in some] == sets
    assert max(map(len, found)) <= MOST_SETS
    assert max(len({name for one in some for name in one}) for some in found) <= MOST_COLUMNS


def test_a_large_table_has_its_few_groups_counted_by_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = np.random.default_rng(3)
    people = pa.table({"a": draws.integers(5, size=400), "b": draws.integers(3, size=400), "key": np.arange(400)})
    sets = [("a",), ("key", "a"), ("a", "b"), ("b",)]
    with open_table(people) as opened:
        expected = opened.group_sizes(sets), opened.group_sizes(sets, {"a": Width(2)}, unit="key")
    monkeypatch.setattr(duckdb_table, "LARGE", 100)
    monkeypatch.setattr(duckdb_table, "FEW_GROUPS", 100)
    with open_table(people) as opened:
        assert opened.group_sizes(sets) == expected[0]
        assert opened.group_sizes(sets, {"a": Width(2)}, unit="key") == expected[1]


@pytest.mark.parametrize("piece", [1, 2, 5, 100])
def test_runs_are_counted_a_piece_after_the_other(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "_PIECE", piece)
    for seed in range(8):
        draws = np.random.default_rng(seed)
        values = draws.integers(draws.integers(1, 6), size=draws.integers(1, 12))
        with open_table(pa.table({"x": values})) as opened:
            assert opened.group_sizes([("x",)]) == [GroupSizes.of(("x",), np.unique(values, return_counts=True)[1])]

"""Suppression: small groups lose their values in every number and every row alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from leakgauge.errors import ColumnError, OptionError
from leakgauge.tables import Suppression, Table, in_bins, open_table, suppressed
from leakgauge.tables.binnings import Width
from leakgauge.tables.suppression import small_groups
from tests.grids import examples

CITIES = ["A"] * 6 + ["B"] * 4 + ["C"] * 2 + [None]
AGES = [25, 25, 31, 31, 38, 30, 50, 51, 52, 58, 70, 10, 44]
PEOPLE = pa.table({"city": CITIES, "age": AGES, "ill": ["yes", "no", "no"] * 4 + ["yes"]})


def rows_of(table: Table, *columns: str, size: int = 65536) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for batch in table.batches(*columns, size=size) for row in batch.to_pylist()]


@examples(200)
@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=40),
    st.integers(2, 8),
    st.none() | st.lists(st.integers(0, 6), min_size=40, max_size=40),
)
def test_no_group_is_left_small(groups: list[int], below: int, people: list[int] | None) -> None:
    persons = list(range(len(groups))) if people is None else people[: len(groups)]
    hidden = small_groups(
        np.array(groups, dtype=np.uint64), below, None if people is None else np.array(persons, dtype=np.uint64)
    )
    left: dict[int, set[int]] = {}
    for group, person, gone in zip(groups, persons, hidden, strict=True):
        if not gone:
            left.setdefault(group, set()).add(person)
    assert all(len(some) >= below for some in left.values())
    gone = {person for person, one in zip(persons, hidden, strict=True) if one}
    assert not gone or len(gone) >= below or hidden.all()
    # Nothing is suppressed where no group is small.
    sizes = [len({p for g, p in zip(groups, persons, strict=True) if g == one}) for one in set(groups)]
    assert bool(gone) == (min(sizes) < below)


def test_a_small_rest_takes_the_next_smallest_group_along() -> None:
    groups = np.array([7, 7, 7, 3, 3, 3, 9, 1, 1, 1, 1], dtype=np.uint64)
    # One row alone would stay alone as the suppressed one; of two groups of three the first joins it.
    assert small_groups(groups, 2).tolist() == [True] * 3 + [False] * 3 + [True] + [False] * 4


def test_every_number_sees_the_same_rows() -> None:
    with open_table(PEOPLE) as table:
        binned = in_bins(table, {"age": Width(20)})
        seen = suppressed(binned, Suppression(("city", "age"), 3))
        rows = rows_of(seen, "city", "age", "ill", size=4)
        whole = rows_of(binned, "city", "age")
        sizes = Counter(whole)
        assert [row[:2] for row in rows] == [row if sizes[row] >= 3 else (None, None) for row in whole]
        assert [row[2] for row in rows] == PEOPLE.column("ill").to_pylist()
        counts = seen.counts("age", "ill", "city")
        found = {
            tuple(counts.labels(name)[at] for name, at in zip(counts.names, cell, strict=True)): int(count)
            for cell, count in zip(counts.codes.T.tolist(), counts.counts, strict=True)
        }
        assert found == Counter((age, ill, city) for city, age, ill in rows)
        for names in (("city",), ("city", "age"), ("ill", "age"), ("ill",)):
            places = [("city", "age", "ill").index(name) for name in names]
            expected = Counter(tuple(row[at] for at in places) for row in rows)
            (of,) = seen.group_sizes([names])
            assert (of.groups, of.smallest, of.largest) == (
                len(expected),
                min(expected.values()),
                max(expected.values()),
            )
        assert seen.group_sizes([("city", "age")])[0].smallest >= 3
        assert seen.counts("ill").array().tolist() == table.counts("ill").array().tolist()


def test_bins_stand_in_their_order() -> None:
    ages = pa.table({"age": [5, 5, 101, 101, 22, 22, 22], "x": ["a"] * 7})
    with open_table(ages) as table:
        seen = suppressed(in_bins(table, {"age": Width(10)}), Suppression(("age",), 2))
        assert seen.counts("age", "x").labels("age") == ("[0, 10)", "[20, 30)", "[100, 110)")
        later = suppressed(table, Suppression(("x",), 2))
        assert [str(one) for one in later.counts("x", "age", bins={"age": Width(10)}).labels("age")] == [
            "[0, 10)",
            "[20, 30)",
            "[100, 110)",
        ]


def test_persons_are_counted_where_a_unit_is_named() -> None:
    visits = pa.table({"person": [1, 1, 1, 2, 3, 4, 5, 6], "city": ["A", "A", "A", "B", "B", "B", "C", "C"]})
    with open_table(visits) as table:
        rows = rows_of(suppressed(table, Suppression(("city",), 2)), "city")
        assert None not in [row[0] for row in rows]
        # A is of one person; two have to be suppressed, so that the two of C join.
        rows = rows_of(suppressed(table, Suppression(("city",), 2, "person")), "city")
        assert [row[0] for row in rows] == [None, None, None, "B", "B", "B", None, None]


def test_a_table_smaller_than_a_group_is_suppressed_whole() -> None:
    with open_table(PEOPLE) as table:
        assert {row[0] for row in rows_of(suppressed(table, Suppression(("city",), 100)), "city")} == {None}


@pytest.mark.parametrize("below", [0, 1, -3, True, 2.5])
def test_a_limit_that_suppresses_nothing(below: int) -> None:
    with pytest.raises(OptionError, match="suppresses none; give a whole number of at least 2"):
        Suppression(("city",), below)


@pytest.mark.parametrize("columns", [()])
def test_nothing_to_suppress_in(columns: Sequence[str]) -> None:
    with pytest.raises(OptionError, match="name one as public"):
        Suppression(tuple(columns), 5)


def test_moments_are_of_whole_columns() -> None:
    with open_table(PEOPLE) as table:
        seen = suppressed(table, Suppression(("city",), 3))
        assert seen.moments() == table.moments()
        with pytest.raises(ColumnError, match="'age' is coarser or suppressed in part"):
            suppressed(table, Suppression(("age",), 3)).moments("age")

"""The order in which rows leave: a permutation that follows from a key."""

from __future__ import annotations

import numpy as np
import pytest

from leakgauge.randomness import OperatingSystem, Simulated, row_order
from leakgauge.randomness.row_order import RowOrder, by_marks


@pytest.mark.parametrize("rows", [0, 1, 2, 4096, 4097, 10_000])
def test_every_row_has_one_place(rows: int) -> None:
    order = RowOrder.drawn(OperatingSystem())
    leaves = order.of(rows)
    assert np.array_equal(np.sort(leaves), np.arange(rows))
    assert np.array_equal(order.places(leaves[np.argsort(leaves)], rows)[leaves], np.arange(rows))


def test_marks_do_not_depend_on_how_rows_are_cut() -> None:
    order = RowOrder(bytes(range(32)))
    whole = order.marks(0, 9000)
    cut = [order.marks(first, min(777, 9000 - first)) for first in range(0, 9000, 777)]
    assert np.array_equal(np.concatenate(cut), whole)
    # A table that grows keeps the marks of its rows.
    assert np.array_equal(order.marks(0, 100), whole[:100])


def test_places_of_a_few_rows_are_those_of_the_whole_order(monkeypatch: pytest.MonkeyPatch) -> None:
    order, chosen = RowOrder(bytes(range(32))), np.array([0, 17, 4999, 5000, 11_999])
    wanted = order.places(chosen, 12_000)
    monkeypatch.setattr(row_order, "_SORTED", 10)
    monkeypatch.setattr(row_order, "_AT_ONCE", 1000)
    assert np.array_equal(order.places(chosen, 12_000), wanted)


def test_a_key_is_new_each_time_and_that_of_a_simulation_follows_from_its_seed() -> None:
    assert RowOrder.drawn(OperatingSystem()) != RowOrder.drawn(OperatingSystem())
    source = Simulated(3)
    assert RowOrder.drawn(source) == RowOrder.drawn(Simulated(3)) != RowOrder.drawn(Simulated(4))
    # Its noise is the same whether or not rows are shuffled.
    assert np.array_equal(source.words(4), Simulated(3).words(4))


def test_the_key_is_never_shown() -> None:
    order = RowOrder.drawn(OperatingSystem())
    assert order.key.hex() not in repr(order) and repr(order.key) not in repr(order)


def test_equal_marks_stay_as_they_are() -> None:
    assert by_marks(np.array([5, 1, 5, 1, 0], dtype=np.uint64)).tolist() == [4, 1, 3, 0, 2]


def test_all_orders_of_three_rows_are_as_likely() -> None:
    draws = np.random.default_rng(1)
    found = [tuple(RowOrder(draws.bytes(32)).of(3).tolist()) for _ in range(6000)]
    counts = np.array([found.count(one) for one in set(found)])
    # Five degrees of freedom; the seed is fixed.
    assert len(counts) == 6 and ((counts - 1000) ** 2 / 1000).sum() < 20

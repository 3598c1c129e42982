"""Rows of a release made elsewhere, matched with those of the original."""

from __future__ import annotations

import pyarrow as pa
import pytest

from leakgauge.audit.foreign.matching import Matched
from leakgauge.errors import ColumnError, TableError


def test_rows_are_found_by_the_key_whatever_their_order() -> None:
    found = Matched.by_key("id", pa.array([5, 6, 7, None]), pa.array([7, 9, 5]))
    assert (found.original.tolist(), found.released.tolist()) == ([2, 0], [0, 2])
    assert (found.only_original, found.only_released) == (2, 1)
    true = found.taken({"x": pa.array(["a", "b", "c", "d"])}, released=False)
    assert true["x"].to_pylist() == ["c", "a"]


def test_a_key_may_be_a_number_in_one_file_and_a_text_in_the_other() -> None:
    found = Matched.by_key("id", pa.array([5, 6]), pa.array(["6", "x"]))
    assert (found.original.tolist(), found.only_released) == ([1], 1)


def test_a_missing_key_matches_no_missing_key() -> None:
    found = Matched.by_key("id", pa.array([None, 1]), pa.array([None, 1]))
    assert (found.original.tolist(), found.only_original, found.only_released) == ([1], 1, 1)


@pytest.mark.parametrize(
    ("original", "released", "sentence"),
    [
        ([1, 1, 2], [1, 2], "repeats in 1 rows of the original"),
        ([1, 2], [1, 2, 2, 2], "repeats in 2 rows of the release"),
        ([1, 2], [3, 4], "No value of the key 'id' is in both tables"),
    ],
)
def test_a_key_that_does_not_tell_whose_a_row_is(original: list[int], released: list[int], sentence: str) -> None:
    with pytest.raises(ColumnError, match=sentence):
        Matched.by_key("id", pa.array(original), pa.array(released))


def test_by_order_both_have_as_many_rows() -> None:
    with pytest.raises(TableError, match=r"has 3 rows and the original 4.*--key"):
        Matched.by_order(4, 3)

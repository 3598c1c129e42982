"""A table in an engine is known again by its content: the same for the same rows in any order, else another."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.tables import open_table
from leakgauge.tables.sql.table import SqlTable

PEOPLE = pa.table(
    {
        "name": pa.array(["a", "b", None, "b"]),
        "age": pa.array([1, 2, 3, None], pa.int64()),
        "x": pa.array([0.5, float("nan"), None, -0.0]),
    }
)


def _fingerprint(table: pa.Table) -> str:
    with open_table(table) as opened:
        assert isinstance(opened, SqlTable)
        return opened.fingerprint()


def test_the_order_of_rows_says_nothing() -> None:
    assert _fingerprint(PEOPLE.take([3, 1, 0, 2])) == _fingerprint(PEOPLE)
    many = pa.table({"n": np.arange(3000) % 7})
    assert _fingerprint(many.take(np.random.default_rng(1).permutation(3000))) == _fingerprint(many)


@pytest.mark.parametrize(
    "other",
    [
        PEOPLE.slice(1),
        pa.concat_tables([PEOPLE, PEOPLE.slice(0, 1)]),
        PEOPLE.rename_columns(["name", "ages", "x"]),
        PEOPLE.select(["age", "name", "x"]),
        PEOPLE.set_column(1, "age", pa.array([1, 2, None, 3], pa.int64())),
        PEOPLE.set_column(1, "age", pa.array([1, 2, 3, None], pa.int32())),
        PEOPLE.set_column(0, "name", pa.array(["b", "a", None, "b"])),
        PEOPLE.set_column(2, "x", pa.array([0.5, 0.0, None, 0.0])),
    ],
    ids=["fewer", "more", "name", "order of columns", "swapped", "type", "swapped text", "NaN"],
)
def test_other_content_has_another(other: pa.Table) -> None:
    assert _fingerprint(other) != _fingerprint(PEOPLE)

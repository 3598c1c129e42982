"""People who are in two tables."""

from __future__ import annotations

import pyarrow as pa

from leakgauge.tables import open_table
from leakgauge.tables.pairing import persons_in_both


def test_persons_are_compared_by_all_their_values() -> None:
    before = {"who": [1, 1, 2, 3, None, 5], "ill": ["a", "b", "a", None, "a", "a"]}
    now = {"who": ["1", "1", "1", "2", "3", None, "6"], "ill": ["b", "a", "a", "b", None, "a", "a"]}
    with open_table(pa.table(before)) as first, open_table(pa.table(now)) as second:
        # Of 1, 2, 3 and whoever has no name, 2 has another value.
        assert persons_in_both(first, second, "who", ("ill",)) == (4, 3)
        assert persons_in_both(first, first, "who", ("ill",)) == (5, 5)

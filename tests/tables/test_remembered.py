"""A remembered table says what the table says, and asks it once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

from leakgauge.errors import ColumnError
from leakgauge.tables import Table, in_bins, open_table
from leakgauge.tables.binnings import Quantiles, Width
from leakgauge.tables.remembered import RememberedTable, remembered

ROWS = pa.table({"age": [31, 38, 45, 52, None, 31], "town": [*"AABBCA"], "person": [1, 1, 2, 3, 4, 12]})


LARGE = pa.table({"n": range(300_000)})


class Asked(RememberedTable):
    """Counts what is asked of it, and remembers nothing."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.asked: Counter[str] = Counter()

    def counts(self, *columns: str, **more: Any) -> Any:
        self.asked["counts"] += 1
        return self._table.counts(*columns, **more)

    def group_sizes(self, sets: Any, bins: Any = None, *, unit: str | None = None) -> Any:
        self.asked["groups"] += len(sets)
        return self._table.group_sizes(sets, bins, unit=unit)


def answers(table: Table) -> list[Any]:
    binned = in_bins(table, {"age": Width(20), "person": Width(10)})
    return [
        table.rows,
        table.columns(),
        table.counts("age", "town").array().tolist(),
        table.counts("town", "age").array().tolist(),
        table.counts("age", bins={"age": Width(20)}).array().tolist(),
        binned.counts("age", "town").labels("age"),
        table.moments("age"),
        table.learnt("age", Quantiles(2)),
        table.group_sizes([("age",), ("age", "town")]),
        table.group_sizes([("age",)], {"age": Width(20)}),
        table.group_sizes([("town",)], unit="person"),
        binned.group_sizes([("age", "town"), ("town",)]),
        # A unit in bins is as coarse as they are.
        binned.group_sizes([("town",)], unit="person"),
        in_bins(table, {"age": Width(20)}).group_sizes([("age",)], unit="person"),
    ]


def test_it_says_what_the_table_says() -> None:
    with open_table(ROWS) as table:
        known = remembered(table)
        assert answers(known) == answers(known) == answers(table)
        assert remembered(known) is known


def test_it_asks_once() -> None:
    with open_table(ROWS) as table:
        asked = Asked(table)
        known = RememberedTable(asked)
        for _ in range(2):
            known.counts("town")
            in_bins(known, {"age": Width(20)}).counts("age", "town")
            known.group_sizes([("age",), ("town",)])
            known.group_sizes([("town",), ("age", "town")])
            # Bins of columns that are not asked for change nothing.
            in_bins(known, {"person": Width(10)}).group_sizes([("town",)])
        # The groups of towns follow from their counts.
        assert asked.asked == {"counts": 2, "groups": 2}


def test_a_limit_holds_for_what_is_known() -> None:
    with open_table(ROWS) as table:
        asked = Asked(table)
        known = RememberedTable(asked)
        assert known.counts("age", "town").n == table.rows
        with pytest.raises(ColumnError, match="gives more than 1 distinct values"):
            known.counts("town", limit=1)
        with pytest.raises(ColumnError, match="is named twice"):
            known.counts("town", "town")
        with pytest.raises(ColumnError, match="No column to count was named"):
            known.counts()
        assert asked.asked == {"counts": 3}


def test_large_counts_are_not_kept() -> None:
    with open_table(LARGE) as table:
        asked = Asked(table)
        known = RememberedTable(asked)
        for _ in range(2):
            assert known.counts("n").n == LARGE.num_rows
        assert asked.asked == {"counts": 2}


def test_what_cannot_be_counted_is_refused_every_time() -> None:
    with open_table(ROWS) as table:
        known = remembered(table)
        for _ in range(2):
            with pytest.raises(ColumnError, match="has no column 'age2'"):
                known.counts("age2")

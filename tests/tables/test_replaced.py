"""Columns of a release in place of those of its table."""

from __future__ import annotations

import pyarrow as pa

from leakgauge.tables import open_table
from leakgauge.tables.streamed import ReplacedTable


def test_missing_values_are_a_letter_however_the_column_is_stored() -> None:
    texts = pa.array(["B", None, "A", None])
    with open_table(pa.table({"city": ["A", "B", "A", "B"], "ill": [0, 1, 1, 1]})) as people:
        found = [ReplacedTable(people, {"city": one}).counts("city") for one in (texts, texts.dictionary_encode())]
    for counts in found:
        assert counts.labels("city") == ("A", "B", None)
        assert counts.array().tolist() == [1, 1, 2]

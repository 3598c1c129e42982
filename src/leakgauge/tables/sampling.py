"""Rows of a table drawn at random, for what need not be counted over all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leakgauge.randomness import simulation
from leakgauge.tables.table import Table

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

MOST_ROWS = 100_000
"""A sample has no more rows than this, unless asked otherwise."""


@dataclass(frozen=True, eq=False)
class Sample:
    """A uniform sample of rows, in the table's order; they stay in this process.

    Attributes:
        places: of the rows in the table, from 0 on.
        missing: how many values each column lacks in the whole table.
    """

    columns: dict[str, pa.Array]
    places: np.ndarray
    missing: dict[str, int]

    @property
    def rows(self) -> int:
        """Of the sample."""
        return len(self.places)


def sampled(table: Table, names: Sequence[str], simulation_seed: int, most: int = MOST_ROWS) -> Sample:
    """Some columns of at most so many rows, in one pass; all rows of a smaller table.

    A seed decides which rows are taken, so that numbers based on them can be reproduced.
    """
    import pyarrow as pa

    draws = simulation(simulation_seed)
    places = np.arange(table.rows) if table.rows <= most else np.sort(draws.choice(table.rows, most, replace=False))
    missing = dict.fromkeys(names, 0)

    def counted() -> Iterator[pa.RecordBatch]:
        for batch in table.batches(*names):
            for name, column in zip(names, batch.columns, strict=True):
                missing[name] += column.null_count
            yield batch

    whole = pa.Table.from_batches(list(taken(counted(), places)))
    columns = {name: whole.column(name).combine_chunks() for name in names}
    return Sample({name: decoded(column) for name, column in columns.items()}, places, missing)


def taken(batches: Iterable[pa.RecordBatch], places: npt.NDArray[np.int64]) -> Iterator[pa.RecordBatch]:
    """The rows at some places, in increasing order, of rows that stream."""
    import pyarrow as pa

    row = 0
    for batch in batches:
        first, last = np.searchsorted(places, [row, row + batch.num_rows])
        yield batch.take(pa.array(places[first:last] - row))
        row += batch.num_rows


def decoded(column: pa.Array) -> pa.Array:
    """The values themselves, where a column has them as numbers in a dictionary."""
    import pyarrow as pa

    return column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column

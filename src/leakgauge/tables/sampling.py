"""Rows of a table drawn at random: a sample that stays in this process, or rows told by their places alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from leakgauge.probability.cells import Codes, Truths
from leakgauge.randomness import simulation
from leakgauge.tables import arrow as pa
from leakgauge.tables.table import Table

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


def taken(batches: Iterable[pa.RecordBatch], places: Codes) -> Iterator[pa.RecordBatch]:
    """The rows at some places, in increasing order, of rows that stream."""
    row = 0
    for batch in batches:
        first, last = np.searchsorted(places, [row, row + batch.num_rows])
        yield batch.take(pa.array(places[first:last] - row))
        row += batch.num_rows


def decoded(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The values themselves, where a column has them as numbers in a dictionary."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


_PRIME, _OTHER = 2**31 - 1, 2**31 - 19
"""Two primes: a place is known by what it leaves of both, and no step of the hash leaves 63 bits."""

_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class RowSample:
    """Rows whose place, hashed with a salt of our own, is below a number: about so many as were asked for.

    Which rows these are follows from their places alone, so that every engine draws the same ones; its own random
    function is not asked. The hash is a polynomial modulo a prime, in whole numbers that all engines reckon with alike.
    Any four rows of a table of two thousand million are drawn independently of each other, so that estimates vary as in
    a sample of independent draws.

    Attributes:
        salt: the coefficients.
    """

    salt: tuple[int, int, int, int, int]
    below: int

    @classmethod
    def of(cls, rows: int, most: int, simulation_seed: int = 0) -> RowSample | None:
        """About so many of so many rows; None where all of them are taken.

        The salt follows from a seed, so that the same rows are drawn again.
        """
        if rows <= most:
            return None
        first, second, third, fourth, fifth = simulation(simulation_seed).integers(1, _PRIME, size=5).tolist()
        return cls((first, second, third, fourth, fifth), round(_PRIME * most / rows))

    def holds(self, place: str) -> str:
        """Whether a row is drawn, in SQL that engines share; ``place`` names an integer of 64 bits."""
        a, b, c, d, e = self.salt
        rest, other = f"({place} % {_PRIME})", f"({place} % {_OTHER})"
        inner = f"((({a} * {rest} + {b}) % {_PRIME}) * {rest} + {c}) % {_PRIME}"
        return f"(({inner}) * {rest} + {d} * {other} + {e}) % {_PRIME} < {self.below}"

    def taken(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The drawn ones of all rows, which stream in the table's order."""
        row = 0
        for batch in batches:
            yield batch.filter(pa.array(self.among(np.arange(row, row + batch.num_rows))))
            row += batch.num_rows

    def places(self, rows: int) -> Codes:
        """The places of the drawn ones of so many rows."""
        parts = (np.arange(first, min(first + _AT_ONCE, rows)) for first in range(0, rows, _AT_ONCE))
        return np.concatenate([part[self.among(part)] for part in parts])

    def among(self, places: Codes) -> Truths:
        """Which of these places are drawn."""
        a, b, c, d, e = self.salt
        rest, other = places % _PRIME, places % _OTHER
        inner = ((a * rest + b) % _PRIME * rest + c) % _PRIME
        drawn: Truths = (inner * rest + d * other + e) % _PRIME < self.below
        return drawn

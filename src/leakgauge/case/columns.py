"""Columns of a table as numbers to count with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from leakgauge.mechanisms.mechanism import Outputs
from leakgauge.probability.cells import Codes
from leakgauge.randomness.row_order import RowOrder
from leakgauge.release.letters import encoded
from leakgauge.tables import Table
from leakgauge.tables.sampling import RowSample, decoded, taken

if TYPE_CHECKING:
    import pyarrow as pa

LETTERS = 32
"""A column of numbers or dates with more distinct values than this is guessed, and known, by quantile."""
QUANTILES = 10
MOST_ROWS = 1_000_000
"""Of a larger table about so many rows are attacked: more would make intervals no narrower that anybody acts on."""


def sample_of(rows: int, simulation_seed: int = 0) -> RowSample | None:
    """The rows that are attacked, of the original and of its release alike; None where all of them are."""
    return RowSample.of(rows, MOST_ROWS, simulation_seed)


def columns_of(table: Table, names: Sequence[str], sample: RowSample | None = None) -> dict[str, pa.Array]:
    """Whole columns, in the table's order of rows, or the rows of a sample; they stay in this process."""
    import pyarrow as pa

    if not names:
        return {}
    batches = table.batches(*names) if sample is None else table.drawn(*names, sample=sample)
    whole = pa.Table.from_batches(list(batches))
    return {name: decoded(pa.concat_arrays(whole.column(name).chunks)) for name in names}


def released_columns(
    table: Table, names: Sequence[str], order: RowOrder | None, sample: RowSample | None = None
) -> dict[str, pa.Array]:
    """Columns of a release row by row with the table it was made from, or with a sample of that one's rows.

    Args:
        order: in which the rows left; None where it is the table's.
    """
    import pyarrow as pa

    if order is None or not names:
        return columns_of(table, names, sample)
    rows = table.rows
    places = order.places(np.arange(rows) if sample is None else sample.places(rows), rows)
    there = np.sort(places)
    whole = pa.Table.from_batches(list(taken(table.batches(*names), there)))
    back = pa.array(np.searchsorted(there, places))
    return {name: decoded(pa.concat_arrays(whole.column(name).chunks)).take(back) for name in names}


def values_of(values: pa.Array, name: str) -> Codes:
    """The number of each value, equal ones alike, a missing one included; nested or binary values are refused."""
    return encoded(values, name)[1]


def letters_of(values: pa.Array, name: str) -> Codes:
    """The number of each value's letter; of many numbers or dates the number of the quantile."""
    # Ranks stand in for the values: quantiles only ask for order.
    ranks, ordered = ranks_of(values, name)
    if not ordered or int(ranks.max(initial=-1)) < LETTERS:
        return values_of(values, name)
    return binned(ranks, quantile_edges(ranks, QUANTILES))


def ranks_of(values: pa.Array, name: str) -> tuple[Codes, bool]:
    """The number of each value, and whether numbers follow the order of the values, a missing one last."""
    import pyarrow as pa
    import pyarrow.compute as pc

    different, codes = encoded(values, name)
    kind = values.type
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if not (numeric or pa.types.is_temporal(kind)):
        return codes, False
    order = np.asarray(pc.sort_indices(different))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes], True


def quantile_edges(numbers: npt.NDArray[np.generic], bins: int) -> npt.NDArray[np.generic]:
    """Cuts between so many bins of about equal size; fewer where many numbers are equal."""
    ordered = np.sort(numbers)
    return np.unique(ordered[(np.arange(1, bins) * len(ordered)) // bins])


def binned(numbers: npt.NDArray[np.generic], edges: npt.NDArray[np.generic]) -> Codes:
    """The number of each number's bin."""
    return np.searchsorted(edges, numbers, side="right").astype(np.int64)


def numbered(*codes: Codes, rows: int) -> Codes:
    """One number for each combination of codes; all 0 where there are none."""
    key = np.zeros(rows, dtype=np.int64)
    for one in codes:
        # Renumbering before each step keeps the key small however many codes there are.
        key = np.unique(key, return_inverse=True)[1] * (np.int64(one.max()) + 1) + one
    return np.unique(key, return_inverse=True)[1].astype(np.int64)


def follows_from(values: pa.Array, others: pa.Array, name: str) -> bool:
    """Whether rows that agree in the other values agree in these, whatever types the two were read as."""
    of = values_of(others, name)
    return len(np.unique(of)) == len(np.unique(numbered(of, values_of(values, name), rows=len(of))))


def codes_of(outputs: Outputs) -> Codes:
    """The number of each output, in a fixed order; larger numbers have larger codes."""
    if outputs.ndim == 1:
        return np.unique(outputs, return_inverse=True)[1].astype(np.int64)
    packed = np.ascontiguousarray(np.packbits(outputs.astype(np.bool_), axis=1))
    whole = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    return np.unique(whole, return_inverse=True)[1].astype(np.int64)


def equal_rows(classes: Codes, columns: Sequence[Outputs]) -> tuple[Codes, Codes]:
    """One row of each kind, by class first, and for every row which kind it is."""
    place = np.unique(classes, return_inverse=True)[1].astype(np.int64)
    for column in columns:
        codes = codes_of(column)
        place = np.unique(place * (np.int64(codes.max()) + 1) + codes, return_inverse=True)[1].astype(np.int64)
    first = np.unique(place, return_index=True)[1]
    return first.astype(np.int64), place


def groups(codes: Codes) -> Iterator[tuple[int, Codes]]:
    """Each code that occurs, with where it occurs."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(codes[order]) != 0]))
    for first, last in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
        yield int(codes[order[first]]), order[first:last]

"""The shapes of the few queries an engine runs, in SQL that engines share, and their answers as counts.

Arguments are SQL expressions an engine made: quoted names and placeholders that may repeat, never values.
"""
# ruff: noqa: S608  (only expressions made here and by the engines are joined; values travel as parameters)

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from leakgauge.errors import ColumnError, LeakgaugeError
from leakgauge.probability import Counts, Interval, Label
from leakgauge.probability.cells import Codes
from leakgauge.tables import arrow as pa


def quoted(name: str) -> str:
    """The name as an SQL identifier, whatever it contains."""
    return '"' + name.replace('"', '""') + '"'


def count_groups(keys: Sequence[str], letters: Sequence[str], source: str, limit: int) -> str:
    """A query for the combinations of ``keys`` and their counts, cut off after ``limit`` combinations.

    ``letters[a]`` turns the key ``k<a>`` into what is handed out. It stands outside the grouping, so it is computed
    once per combination and not once per row.
    """
    inner = ", ".join(f"{key} AS k{at}" for at, key in enumerate(keys))
    groups = ", ".join(str(at + 1) for at in range(len(keys)))
    outer = ", ".join(f"{letter} AS k{at}" for at, letter in enumerate(letters))
    return (
        f"SELECT {outer}, n FROM "
        f"(SELECT {inner}, COUNT(*) AS n FROM {source} GROUP BY {groups} LIMIT {int(limit)}) AS grouped"
    )


PLACE = "place"
"""What the place of a row is called."""


def select_numbered(values: Sequence[str], place: str, holds: str, source: str) -> str:
    """A query for some values of the rows of which something holds that names their ``PLACE``."""
    inner = ", ".join(f"{value} AS v{at}" for at, value in enumerate(values))
    outer = ", ".join(f"v{at}" for at in range(len(values)))
    return f"SELECT {outer} FROM (SELECT {inner}, {place} AS {PLACE} FROM {source}) AS numbered WHERE {holds}"


def select(values: Sequence[str], source: str) -> str:
    """A query for the rows of some values."""
    return f"SELECT {', '.join(values)} FROM {source}"


def width_bin(value: str, width: str, k: str) -> str:
    """The number of the interval [k·width, (k+1)·width) that holds the value, from the floor ``k`` of the quotient."""
    # The quotient is rounded, so near an edge its floor may be the neighbour's: compare with the edges themselves.
    return f"({k} + CASE WHEN {value} < {k} * {width} THEN -1 WHEN {value} >= ({k} + 1) * {width} THEN 1 ELSE 0 END)"


def edge_bin(value: str, cuts: Sequence[str]) -> str:
    """How many of the increasing cut points are at or below the value, by bisection; a missing value stays so."""

    def search(low: int, high: int) -> str:
        if low == high:
            return str(low)
        middle = (low + high) // 2
        return f"CASE WHEN {value} < {cuts[middle]} THEN {search(low, middle)} ELSE {search(middle + 1, high)} END"

    return f"CASE WHEN {value} IS NULL THEN NULL ELSE {search(0, len(cuts))} END"


Naming: TypeAlias = Callable[[Any], Interval | str]
"""Turns the number or start of a bin into its interval, or the place of a coarser value into its text."""


def counts_from_groups(groups: pa.Table, names: Sequence[str], namings: Sequence[Naming | None]) -> Counts:
    """The counts in the last column of the groups, over the values in the columns before it."""
    axes: dict[str, tuple[Label, ...]] = {}
    codes = []
    for at, (name, naming) in enumerate(zip(names, namings, strict=True)):
        axes[name], code = _letters(groups.column(at), name, naming)
        codes.append(code)
    return Counts.from_cells(axes, codes, np.from_dlpack(groups.column(len(names)).combine_chunks()))


def counted_batches(batches: Iterable[pa.RecordBatch], columns: int) -> pa.Table:
    """The combinations of values that occur in rows that stream, and in the last column how often."""
    keys = [str(at) for at in range(columns)]
    found: list[pa.Table] = []
    for batch in batches:
        rows = pa.Table.from_batches([batch]).rename_columns(keys)
        found.append(rows.group_by(keys).aggregate([([], "count_all")]).select([*keys, "count_all"]))
        # Merged once there are as many again, so that memory follows the combinations and not the rows.
        if sum(one.num_rows for one in found[1:]) > found[0].num_rows:
            found = [_merged(found, keys)]
    return _merged(found, keys)


def _merged(parts: Sequence[pa.Table], keys: list[str]) -> pa.Table:
    whole = pa.concat_tables(parts).group_by(keys).aggregate([("count_all", "sum")])
    return whole.select([*keys, "count_all_sum"]).rename_columns([*keys, "count_all"])


def require_within(groups: int, columns: Sequence[str], limit: int) -> None:
    """Refuse more combinations than a caller is ready for."""
    if groups > limit:
        raise ColumnError(
            "Counting {columns!s} gives more than {limit} {what}; bin a column, or choose coarser ones.",
            columns=" × ".join(map(repr, columns)),
            limit=limit,
            what="distinct values" if len(columns) == 1 else "distinct combinations",
        )


def named_bins(batch: pa.RecordBatch, namings: Mapping[str, Naming]) -> pa.RecordBatch:
    """The rows with the text of its interval in place of every number or start of a bin."""
    columns = list(batch.columns)
    for name, naming in namings.items():
        at = batch.schema.get_field_index(name)
        labels, codes = _letters(pa.chunked_array([columns[at]]), name, naming)
        texts = pa.array([None if label is None else str(label) for label in labels], pa.string())
        columns[at] = texts.take(pa.array(codes))
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _letters(column: pa.ChunkedArray, name: str, naming: Naming | None) -> tuple[tuple[Label, ...], Codes]:
    """The distinct values in order, ``None`` last, and which of them each entry is."""
    # Plain numpy and Arrow only: some of Arrow's conveniences import pandas, which takes longer than the counting.
    # Chunks are joined first: encoded ones that hold a missing value cannot be.
    joined = column.combine_chunks()
    if isinstance(joined, pa.DictionaryArray):
        # Encoded already, with missing values among the codes, which stay there however it is encoded again.
        joined = joined.dictionary_decode()
    encoded = pa.compute.dictionary_encode(joined, null_encoding="encode")
    values = encoded.dictionary
    order = pa.compute.sort_indices(values)  # puts the missing value last
    rank = np.empty(len(values), dtype=np.int64)
    rank[np.from_dlpack(order)] = np.arange(len(values))
    codes = rank[np.from_dlpack(encoded.indices)]
    try:
        return tuple(_named(values.take(order), naming)), codes
    except LeakgaugeError:
        raise
    except (ValueError, OverflowError):
        # The calendar of Python ends where an engine's goes on; Arrow's own message holds the value.
        raise ColumnError(
            "Column {name!r} holds a date outside the years 1 to 9999; correct it or leave the column out.", name=name
        ) from None


def _named(values: pa.Array, naming: Naming | None) -> list[Label]:
    labels: list[Any] = values.to_pylist()
    if pa.types.is_decimal(values.type):
        labels = [None if label is None else int(label) for label in labels]
    if naming is not None:
        labels = [None if label is None else naming(label) for label in labels]
    return labels

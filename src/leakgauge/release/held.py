"""Values that PostgreSQL cannot hold, found before anything is spent."""
# ruff: noqa: DTZ901  (Arrow adds the zone of a column)

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from leakgauge.errors import ColumnError
from leakgauge.release.bound import BoundPlan
from leakgauge.tables import Kind, Table

_NUL = "\0"
_COUNTED = 1 << 16
"""Columns with more values are streamed."""
_BATCH = 1 << 17


def require_held(plan: BoundPlan) -> None:
    """Refuse texts with the letter NUL among outputs of mechanisms and in public columns, and dates that have no place.

    Rows are read only where counting a public column does not show it.
    """
    for one in plan.columns:
        outputs: Iterable[Any] = one.mechanism.letters or () if one.channel is None else one.channel.channel.outputs
        if _has_nul(part for label in outputs for part in (label if isinstance(label, tuple) else (label,))):
            raise _cannot_hold(one.name)
    doubtful = [
        column.name
        for column in plan.table.columns()
        if column.name in plan.public
        and column.kind in (Kind.STRING, Kind.DATE, Kind.TIMESTAMP)
        and not _shown_by_counts(plan.table, column.name)
    ]
    for batch in plan.table.batches(*doubtful, size=_BATCH) if doubtful else ():
        for name in doubtful:
            if not _holds(batch.column(name)):
                raise _cannot_hold(name)


def _shown_by_counts(table: Table, name: str) -> bool:
    """Whether counting, which is faster than streaming, shows that every value can be held."""
    try:
        labels = table.counts(name, limit=_COUNTED).labels(name)
    except ColumnError:
        return False  # too many, or dates that even our calendar has no place for
    return not _has_nul(labels)


def _has_nul(labels: Iterable[object]) -> bool:
    return any(isinstance(label, str) and _NUL in label for label in labels)


def _holds(values: pa.Array) -> bool:
    if isinstance(values, pa.DictionaryArray):
        values = values.dictionary_decode()
    if pa.types.is_date(values.type):
        return _between(values, pa.array([date.min, date.max], values.type))
    if pa.types.is_timestamp(values.type):
        # Those in nanoseconds reach from 1677 to 2262.
        ends = pa.array([datetime.min, datetime.max], pa.timestamp("us"))
        return values.type.unit == "ns" or _between(values, ends.cast(values.type, safe=False))
    return not pc.any(pc.match_substring(values, _NUL)).as_py()


def _between(values: pa.Array, ends: pa.Array) -> bool:
    outside = pc.or_(pc.less(values, ends[0]), pc.greater(values, ends[1]))
    return not pc.any(outside).as_py()


def _cannot_hold(name: str) -> ColumnError:
    return ColumnError(
        "Column {name!r} would have values that PostgreSQL cannot hold; leave it out, or write a file.", name=name
    )

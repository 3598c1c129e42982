"""What the columns of a table look like before anybody decides about them: shapes without values, and masked rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from leakgauge.tables import Column, Kind, open_table
from leakgauge.tables.sampling import sampled

if TYPE_CHECKING:
    import pyarrow as pa

BARS: Final = 12
"""Bars of a small histogram: ranges of equal width, or the most frequent values."""
_COUNTED: Final = 20_000
"""Rows drawn at random on which shapes are counted."""
_ROWS: Final = 10
_COLUMNS: Final = 50
_LONGEST: Final = 60
_NUMBERS: Final = (Kind.INT, Kind.FLOAT, Kind.DATE, Kind.TIMESTAMP)


def profile_of(source: str, missing: Sequence[str]) -> dict[str, dict[str, Any]]:
    """By the name of each column how many values are ``missing``, and ``bars``: shares of the rows that have a value.

    Numbers and dates are counted in ranges of equal width (``ranges`` is true), others by value, the most frequent
    first.
    """
    with open_table(source, missing=tuple(missing)) as table:
        columns = [one for one in table.columns() if one.kind is not Kind.OTHER]
        sample = sampled(table, [one.name for one in columns], simulation_seed=0, most=_COUNTED)
    return {
        one.name: {
            "missing": sample.missing[one.name],
            "ranges": one.kind in _NUMBERS,
            "bars": _bars(one, sample.columns[one.name]),
        }
        for one in columns
    }


def _bars(column: Column, values: pa.Array) -> list[float]:
    import pyarrow as pa
    import pyarrow.compute as pc

    values = values.drop_null()
    if not len(values):
        return []
    if column.kind in _NUMBERS:
        if not pa.types.is_floating(values.type) and not pa.types.is_integer(values.type):
            # Dates have no mean of their own: their numbers keep the distances.
            narrow = pa.types.is_date32(values.type) or pa.types.is_time32(values.type)
            values = values.cast(pa.int32() if narrow else pa.int64(), safe=False)
        numbers = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        numbers = numbers[np.isfinite(numbers)]
        counts = np.histogram(numbers, min(BARS, max(len(np.unique(numbers)), 1)))[0] if len(numbers) else np.zeros(0)
    else:
        counts = np.sort(pc.value_counts(values).field("counts").to_numpy())[::-1][:BARS]
    # Three digits that count: rounded to a place, the shares of very many values would all be nothing.
    return [float(f"{count / len(values):.3g}") for count in counts]


def first_rows(source: str, missing: Sequence[str], *, masked: bool) -> dict[str, object]:
    """The names of the first columns and their values in the first rows, None where one is missing.

    Masked, a value shows how it is written and not what it says: ``x`` for each letter, ``0`` for each digit.
    """
    with open_table(source, missing=tuple(missing)) as table:
        names = [one.name for one in table.columns() if one.kind is not Kind.OTHER][:_COLUMNS]
        batch = table.few(*names, most=_ROWS)
    rows = [] if batch is None else batch.slice(0, _ROWS).to_pylist()
    written = [[_written(row[name], masked) for name in names] for row in rows]
    return {"columns": names, "rows": written, "masked": masked}


def _written(value: object, masked: bool) -> str | None:
    if value is None:
        return None
    text = str(value)[:_LONGEST]
    return re.sub(r"[^\W\d_]", "x", re.sub(r"\d", "0", text)) if masked else text

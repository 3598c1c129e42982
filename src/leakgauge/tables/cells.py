"""Values of cells as one typed column: what spreadsheets and statistics files hold, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Any, Final

from leakgauge.tables import arrow as pa

_MIDNIGHT: Final = time()
_WHOLE: Final = 2**53
"""Up to here a float holds every whole number."""


def column_of_cells(cells: Sequence[Any]) -> pa.Array:
    """The cells as a column: numbers, whole ones where all are; truth values, dates or times; text where kinds mix.

    None and the empty text are missing.
    """
    # NaN alone is not itself.
    values = [None if cell is None or cell == "" or cell != cell else cell for cell in cells]
    kinds = {type(value) for value in values} - {type(None)}
    if kinds and kinds <= {int, float}:
        if all(value is None or _is_whole(value) for value in values):
            return pa.array([None if value is None else int(value) for value in values], pa.int64())
        return pa.array(values, pa.float64())
    if kinds and kinds <= {date, datetime}:
        return _days(values)
    if kinds in ({bool}, {time}):
        return pa.array(values)
    return pa.array([None if value is None else text_of_cell(value) for value in values], pa.string())


def _days(values: Sequence[Any]) -> pa.Array:
    """Dates, and times only where one of them is not midnight."""
    moments = [datetime.combine(one, _MIDNIGHT) if type(one) is date else one for one in values]
    if all(one is None or one.time() == _MIDNIGHT for one in moments):
        return pa.array([None if one is None else one.date() for one in moments], pa.date32())
    return pa.array(moments, pa.timestamp("us"))


def _is_whole(number: float) -> bool:
    return float(number).is_integer() and abs(number) <= _WHOLE


def text_of_cell(value: Any) -> str:
    """A cell as it is read on the screen: 5 where the number is stored as 5.0."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and _is_whole(value):
        return str(int(value))
    return value.isoformat(" ") if isinstance(value, datetime) else str(value)

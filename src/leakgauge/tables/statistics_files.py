"""Files of SPSS, Stata and SAS, read by pyreadstat, which is an extra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from leakgauge.errors import TableError
from leakgauge.tables import arrow as pa
from leakgauge.tables.cells import column_of_cells
from leakgauge.tables.reading import Reading

READERS: Final = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
"""By the ending of a file, the function of pyreadstat that reads it."""


def read_statistics_file(path: Path, reading: Reading) -> pa.Table:
    """All rows; values by their labels where those cover a column and are distinct, else as they are stored.

    Values that the file declares missing are missing.

    Raises:
        TableError: a damaged file, one of another encoding, or the extra ``statistics`` is not installed.
    """
    place = repr(str(path))
    try:
        import pyreadstat
    except ImportError:
        raise TableError(
            "{place} needs the extra 'statistics'; install leakgauge[statistics], or save the table as CSV.",
            place=place,
        ) from None
    settings = {} if reading.encoding is None else {"encoding": reading.encoding}
    try:
        read = getattr(pyreadstat, READERS[path.suffix.lower()])
        columns, about = read(str(path), output_format="dict", **settings)
    except (pyreadstat.ReadstatError, UnicodeError, OverflowError, ValueError):
        columns = None
    # Raised outside the handler: the reader's own error may quote a value.
    if columns is None:
        raise TableError(
            "{place} is damaged, or has another --encoding; name its encoding, or export it again.", place=place
        )
    if not columns:
        raise TableError("{place} has no columns; there is nothing to measure.", place=place)
    labels = about.variable_value_labels
    return pa.table({name: column_of_cells(_labelled(cells, labels.get(name, {}))) for name, cells in columns.items()})


def _labelled(cells: Sequence[Any], labels: Mapping[Any, str]) -> Sequence[Any]:
    """The labels of the values, where every value has one and no two share theirs."""
    values = {cell for cell in cells if cell not in (None, "")}
    # A label of two values would make one of them; a value without a label would stand as a number among words.
    if len(set(labels.values())) < len(labels) or not values <= set(labels):
        return cells
    return [labels.get(cell) for cell in cells]

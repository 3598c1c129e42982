"""Levels looked up in the values of a column: the same texts in every engine."""

from __future__ import annotations

from collections.abc import Mapping

from leakgauge.errors import ColumnError
from leakgauge.probability import Label
from leakgauge.tables import arrow as pa
from leakgauge.tables.levels import Levels
from leakgauge.tables.streamed import StreamedTable
from leakgauge.tables.table import Column, Kind, Table


def coarser_texts(levels: Levels, column: Column) -> dict[str, str]:
    """The coarser value for the text of each value of a column; the empty text is for missing values.

    Numbers are compared by value, however the file and the table write them. Texts that are not of the column's kind
    are left out.

    Raises:
        ColumnError: two lines of the file are for one value, and differ.
    """
    found: dict[str, str] = {}
    for text, coarser in zip(levels.values, levels.coarser, strict=True):
        same = _as_written(text, column.kind)
        if same is not None and found.setdefault(same, coarser) != coarser:
            raise ColumnError(
                "{file!r} has two lines for one value of {name!r}, which differ in level {level}; leave one out.",
                file=levels.file,
                name=column.name,
                level=levels.level,
            )
    return found


def not_listed(levels: Levels, column: Column, lacking: int) -> ColumnError:
    """The error for levels that do not list some values of a column."""
    return ColumnError(
        "{file!r} does not list {count} of the values of column {name!r}; add a line for each of them.",
        file=levels.file,
        count=lacking,
        name=column.name,
    )


class CoarserTable(StreamedTable):
    """Another table with some columns at a level, for engines that do not look levels up themselves."""

    def __init__(self, table: Table, levels: Mapping[str, Levels]) -> None:
        super().__init__(table, levels)
        kinds = {column.name: column for column in table.columns()}
        self._coarser = {name: _looked_up(table, kinds[name], how) for name, how in levels.items()}

    def columns(self) -> tuple[Column, ...]:
        """The columns in the table's order; a coarser value is a text."""
        return tuple(
            Column(one.name, Kind.STRING) if one.name in self._touched else one for one in self.unchanged.columns()
        )

    def _changed(self, name: str, column: pa.Array, row: int) -> pa.Array:
        encoded = pa.compute.dictionary_encode(column, null_encoding="encode")
        texts = pa.array([self._coarser[name][one] for one in encoded.dictionary.to_pylist()], pa.string())
        return texts.take(encoded.indices)


def _looked_up(table: Table, column: Column, levels: Levels) -> dict[Label, str | None]:
    """The coarser value of each value that occurs."""
    texts = coarser_texts(levels, column)
    labels = table.counts(column.name, limit=max(table.rows, 1)).labels(column.name)
    found = {label: texts.get(_text(label)) for label in (*labels, None)}
    lacking = sum(coarser is None for label, coarser in found.items() if label is not None)
    if lacking:
        raise not_listed(levels, column, lacking)
    return found


def _text(label: Label) -> str:
    """By which a value is told."""
    if label is None:
        return ""
    if isinstance(label, bool):
        return str(label).casefold()
    return repr(label + 0.0) if isinstance(label, float) else str(label)


def _as_written(text: str, kind: Kind) -> str | None:
    """The text by which the value of a file is told among values of the kind; None where it is not such a value."""
    if not text:
        return ""
    if kind is Kind.BOOL:
        return text.strip().casefold()
    if kind not in (Kind.INT, Kind.FLOAT):
        return text
    try:
        if kind is Kind.INT and text.strip().lstrip("+-").isdigit():
            return str(int(text))
        number = float(text) + 0.0
    except ValueError:
        return None
    if kind is Kind.INT:
        return str(int(number)) if number.is_integer() else None
    return repr(number)

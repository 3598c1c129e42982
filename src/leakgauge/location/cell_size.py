"""How large cells are, as people write it: ``500m``, ``0.5 km``, or so many by so many as in ``12x12``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from leakgauge.distances.map_cells import MapCells
from leakgauge.errors import OptionError
from leakgauge.location.box import Box

METRES: Final = {"m": 1.0, "km": 1000.0}
_LENGTH: Final = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(m|km)\s*", re.IGNORECASE)
_COUNTS: Final = re.compile(r"\s*([0-9]{1,10})\s*[x×]\s*([0-9]{1,10})\s*", re.IGNORECASE)


@dataclass(frozen=True)
class CellSide:
    """Square cells of this many metres."""

    metres: float

    def on(self, box: Box) -> MapCells:
        """The box in such cells; it grows to the north and east to hold whole ones."""
        return MapCells.of_size(box.south, box.north, box.west, box.east, self.metres)


@dataclass(frozen=True)
class CellCounts:
    """So many rows of cells from south to north, and so many columns from west to east."""

    rows: int
    columns: int

    @property
    def metres(self) -> None:
        """Nothing: the box decides how long a side is."""

    def on(self, box: Box) -> MapCells:
        """The box in so many cells."""
        return MapCells(box.south, box.north, box.west, box.east, self.rows, self.columns)


CellSize: TypeAlias = CellSide | CellCounts


def parse_cell_size(text: str) -> CellSize:
    """The size of cells that a text names: a side in metres or kilometres, or rows by columns.

    Raises:
        OptionError: a text of another form, or a size of nothing.

    Example:
        >>> parse_cell_size("0.5 km"), parse_cell_size("12x8")
        (CellSide(metres=500.0), CellCounts(rows=12, columns=8))
    """
    if counts := _COUNTS.fullmatch(text):
        rows, columns = (int(count) for count in counts.groups())
        if not rows or not columns:
            raise OptionError("--cell {text!r} has no cells; give at least 1x1.", text=text)
        return CellCounts(rows, columns)
    if not _LENGTH.fullmatch(text):
        raise OptionError(
            "--cell {text!r} is not a size; write a length with its unit, as in 500m or 0.5km, or rows by columns, as "
            "in 12x12.",
            text=text,
        )
    return CellSide(parse_length(text, "--cell"))


def parse_length(text: str, option: str) -> float:
    """The metres that a text names, such as ``800m`` or ``1.5km``.

    Raises:
        OptionError: a number without a unit, another unit, or a length of 0.

    Example:
        >>> parse_length("1.5km", "--within")
        1500.0
    """
    length = _LENGTH.fullmatch(text)
    metres = float(length.group(1)) * METRES[length.group(2).lower()] if length else 0.0
    if not metres > 0:
        raise OptionError(
            "{option!s} {text!r} is not a length above 0; write a number with its unit, as in 500m or 0.5km.",
            option=option,
            text=text,
        )
    return metres

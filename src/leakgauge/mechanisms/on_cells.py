"""What mechanisms on the cells of a map share: a box cut into cells, whose centres are the letters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leakgauge.distances.map_cells import MapCells
from leakgauge.errors import LabelError, OptionError
from leakgauge.mechanisms.mechanism import Capabilities, Mechanism, Pair, Parameter
from leakgauge.probability import Label
from leakgauge.randomness import Randomness
from leakgauge.tables import Kind


@dataclass(frozen=True)
class OnCells(Mechanism):
    """A mechanism that reads cells of a map, written as their centres, and releases one letter for each."""

    cells: MapCells

    @property
    def letters(self) -> tuple[Label, ...]:
        return self.cells.labels

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(columns=(Kind.STRING,), finite=True, values=self.cells.count)

    def recorded_channel(self) -> None:
        """None: the spelling says all, and a matrix of a map is large."""

    def neighbours(self) -> list[Pair]:
        """Opposite corners first, then corners on one side, then cells beside each other."""
        rows, columns, last = self.cells.rows, self.cells.columns, self.cells.count - 1
        pairs = [(0, last), (columns - 1, last - columns + 1), (0, columns - 1), (0, last - columns + 1)]
        pairs += [(0, min(1, columns - 1)), (0, columns if rows > 1 else 0)]
        met = dict.fromkeys(tuple(sorted(pair)) for pair in pairs if pair[0] != pair[1])
        return [(self.letters[first], self.letters[second]) for first, second in met]

    def code(self, value: Label) -> int:
        if value not in self._places:
            raise OptionError("{value!r} is not a cell of {name!s}; give two cells.", value=value, name=self.name)
        return self._places[value]

    def run(self, values: Iterable[Label], randomness: Randomness) -> list[Label]:
        assert self.law is not None and self.released is not None
        try:
            codes = np.array([self._places[value] for value in values], dtype=np.int64)
        except KeyError:
            raise LabelError(
                "A value is not the centre of one of the {count} cells of {name!s}; write cells as its map does.",
                count=self.cells.count,
                name=self.name,
            ) from None
        return [self.released[at] for at in self.law.draw(codes, randomness)]

    @cached_property
    def _places(self) -> dict[Label, int]:
        return {label: at for at, label in enumerate(self.letters)}


def require_cells(cells: MapCells) -> MapCells:
    """Refuse a map of one cell."""
    if cells.count < 2:
        raise OptionError("There is nothing to hide on a map of one cell; give 2 cells or more.")
    return cells


def box_of(cells: MapCells) -> dict[str, Parameter]:
    """The parameters of a map as they are spelled."""
    return {name: getattr(cells, name) for name in ("south", "north", "west", "east", "rows", "columns")}


def centre_of(cells: MapCells, first: int, last: int) -> str:
    """The centre of a block of cells as text, by its south-western and its north-eastern cell."""
    digits = len(cells.labels[0].partition(" ")[0].partition(".")[2])
    (south, west), (north, _) = cells.places[first].tolist(), cells.places[last].tolist()
    step = ((cells.east - cells.west) % 360 or 360.0) / cells.columns
    longitude = (west + (last - first) % cells.columns * step / 2 + 180) % 360 - 180
    return f"{(south + north) / 2:.{digits}f} {longitude:.{digits}f}"

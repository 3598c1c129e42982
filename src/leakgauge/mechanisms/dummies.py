"""The true cell of a map among dummies: a set of cells is released, and one of them is true."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from leakgauge.claims import LocalDP, MaximalLeakage, Statement
from leakgauge.distances.map_cells import MapCells
from leakgauge.errors import OptionError
from leakgauge.mechanisms.finite import UNITS
from leakgauge.mechanisms.letter_sets import MOST_SETS, LetterSets, SubsetLaw
from leakgauge.mechanisms.mechanism import Capabilities, Inputs, Law, Outputs
from leakgauge.mechanisms.on_cells import box_of, require_cells
from leakgauge.probability import Label
from leakgauge.probability.cells import Floats
from leakgauge.tables import Kind

MOST_CELLS = 1 << 10
"""A set is drawn as a truth per cell of the map."""


@dataclass(frozen=True)
class DummyLaw(SubsetLaw):
    """Sets of ``size`` cells that hold the true one, the others chosen uniformly: a set without a cell rules it out."""

    def scores(self, inputs: Inputs, outputs: Outputs) -> Floats:
        return np.where(outputs[:, inputs].T, 0.0, -math.inf)

    def log_ratio(self, first: int, second: int) -> Callable[[Outputs], Floats]:
        return Law.log_ratio(self, first, second)


@dataclass(frozen=True)
class Dummies(LetterSets):
    """A set of cells for each cell."""

    law: DummyLaw
    cells: MapCells

    @property
    def letters(self) -> tuple[Label, ...]:
        return self.cells.labels

    @property
    def capabilities(self) -> Capabilities:
        small = math.comb(self.law.count, self.law.size) <= MOST_SETS
        return Capabilities(columns=(Kind.STRING,), finite=small, values=self.cells.count)


def dummies(count: int, *, south: float, north: float, west: float, east: float, rows: int, columns: int) -> Dummies:
    """The true cell among ``count`` cells, the others drawn uniformly, all different; which one is true is not told.

    Local ε is infinite: a set rules out every cell that it does not hold. It tells at most log2(cells/count) bits of
    any function of the place. Whoever knows that a dummy is an unlikely place leaves it out.

    Args:
        count: cells in a set, the true one included.
        south: the edges of the box in degrees, as of ``MapCells``; north, west and east likewise.
        rows: cells from south to north; columns from west to east.

    Raises:
        OptionError: fewer than 2 cells in a set or as many as on the map, a box that cannot be cut, or too many cells.

    Example:
        >>> among = dummies(4, south=40.70, north=40.82, west=-74.02, east=-73.92, rows=3, columns=4)
        >>> len(among.channel().outputs), [str(claim) for claim in among.claims]
        (495, ['local-dp:inf', 'maximal-leakage:1.58497bits'])
    """
    cells = require_cells(MapCells(south, north, west, east, rows, columns))
    if cells.count > MOST_CELLS:
        raise OptionError(
            "A map of {count:,} cells is too large for dummies, which take up to {most:,} cells; choose larger cells.",
            count=cells.count,
            most=MOST_CELLS,
        )
    if not 2 <= count < cells.count:
        raise OptionError(
            "A set of {count} cells hides nothing, or everything, on a map of {cells} cells; give at least 2 and fewer "
            "than all.",
            count=count,
            cells=cells.count,
        )
    claims: tuple[Statement, ...] = (LocalDP(math.inf), MaximalLeakage(math.log2(cells.count / count) * (1 + 1e-15)))
    return Dummies("dummies", {"count": count, **box_of(cells)}, claims, DummyLaw(cells.count, UNITS, count), cells)

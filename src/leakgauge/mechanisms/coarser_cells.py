"""Cells of a map released as the block of cells that they lie in: generalisation, which promises nothing by itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leakgauge.claims import LocalDP, MaximalLeakage
from leakgauge.distances.map_cells import MapCells
from leakgauge.errors import OptionError
from leakgauge.mechanisms.mechanism import Inputs, Law, Outputs
from leakgauge.mechanisms.on_cells import OnCells, box_of, centre_of, require_cells
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Codes, Floats
from leakgauge.probability.files import Groups
from leakgauge.randomness import Randomness

COARSEST = 20
"""Blocks of 2^20 cells a side are larger than any map."""


@dataclass(frozen=True, eq=False)
class BlockLaw(Law):
    """From cells to blocks by number, without chance."""

    blocks: Codes

    def draw(self, inputs: Inputs, randomness: Randomness) -> Outputs:
        return self.blocks[inputs]

    def scores(self, inputs: Inputs, outputs: Outputs) -> Floats:
        return np.where(np.equal.outer(self.blocks[inputs], outputs), 0.0, -math.inf)


@dataclass(frozen=True)
class CoarserCells(OnCells):
    """The block of each cell, written as its centre."""

    law: BlockLaw
    level: int

    @cached_property
    def released(self) -> tuple[Label, ...]:
        """The centres of the blocks; those at the northern and eastern edge may be smaller."""
        cells, side = self.cells, 1 << self.level
        starts = ((row, column) for row in range(0, cells.rows, side) for column in range(0, cells.columns, side))
        return tuple(
            centre_of(
                cells,
                row * cells.columns + column,
                (min(row + side, cells.rows) - 1) * cells.columns + min(column + side, cells.columns) - 1,
            )
            for row, column in starts
        )

    @property
    def stands_for(self) -> Groups:
        return members(self.law.blocks)

    def channel(self) -> Channel:
        return self._channel

    @cached_property
    def _channel(self) -> Channel:
        every = np.arange(self.cells.count)
        return Channel.from_cells(self.letters, self.released, every, self.law.blocks, np.ones(self.cells.count))


def coarser_cells(
    level: int, *, south: float, north: float, west: float, east: float, rows: int, columns: int
) -> CoarserCells:
    """Each cell as the block of 2^level by 2^level cells that it lies in, counted from the south-western corner.

    Local ε is infinite where there are two blocks: a block rules every other one out. What it tells of any function of
    the place is at most the logarithm of the number of blocks.

    Args:
        level: how often cells are doubled; 0 releases the cell itself.
        south: the edges of the box in degrees, as of ``MapCells``; north, west and east likewise.
        rows: cells from south to north; columns from west to east.

    Raises:
        OptionError: a level below 0 or above 20, a box that cannot be cut, or fewer than 2 cells.

    Example:
        >>> blocks = coarser_cells(2, south=40.70, north=40.82, west=-74.02, east=-73.92, rows=12, columns=12)
        >>> len(blocks.released), blocks.released[0], [str(claim) for claim in blocks.claims]
        (9, '40.72000 -74.00333', ['local-dp:inf', 'maximal-leakage:3.16993bits'])
    """
    cells = require_cells(MapCells(south, north, west, east, rows, columns))
    if not 0 <= level <= COARSEST:
        raise OptionError(
            "A level of {level} is not a whole number from 0 to {most}; 1 releases blocks of 2 by 2 cells.",
            level=level,
            most=COARSEST,
        )
    blocks = block_codes(cells, level)
    count = int(blocks.max()) + 1
    claims = (LocalDP(math.inf if count > 1 else 0.0), MaximalLeakage(math.log2(count)))
    parameters = {"level": level, **box_of(cells)}
    return CoarserCells("coarser-cells", parameters, claims, BlockLaw(blocks), cells, level)


def members(codes: Codes) -> Groups:
    """The places of each code, in order."""
    order = np.argsort(codes, kind="stable")
    return tuple(tuple(part.tolist()) for part in np.split(order, np.cumsum(np.bincount(codes))[:-1]))


def block_codes(cells: MapCells, level: int) -> Codes:
    """The block of each cell, both counted row by row."""
    row, column = np.divmod(np.arange(cells.count), cells.columns)
    across = (cells.columns - 1 >> level) + 1
    return (row >> level) * across + (column >> level)

"""Planar Laplace noise on the cells of a map: geo-indistinguishability that holds at the borders too.

Noise on the infinite lattice has one normaliser for every cell, P(v) ∝ e^(−ε|v|), and a cell that falls off the map is
moved to the nearest one on it. That reads the noisy cell alone, so that metric privacy is at most ε between any two
cells; rows normalised one by one would exceed it near borders. The noise is drawn exactly (``randomness.lattice``). The
probabilities in floats are for analysis: each is off by at most ``PlanarLaw.relative_error`` of itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np

from leakgauge.claims import LocalDP, MetricPrivacy
from leakgauge.distances.grid import Grid
from leakgauge.distances.map_cells import MapCells
from leakgauge.errors import OptionError
from leakgauge.mechanisms.mechanism import Capabilities, Inputs, Law, Outputs
from leakgauge.mechanisms.noise import quotient_above
from leakgauge.mechanisms.on_cells import OnCells, box_of, require_cells
from leakgauge.mechanisms.span import require_budget
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Codes, Floats
from leakgauge.randomness import Randomness
from leakgauge.randomness.draws import root_bounds
from leakgauge.randomness.lattice import LatticeLaplace

MOST_CELLS = 1 << 12
"""Up to here the channel, a matrix of that many rows and columns, is written down."""
MOST_SUMMED = 1 << 27
"""Points of the lattice that are summed for the probabilities of border cells: some seconds."""
MOST_NATS_PER_CELL = 1e6
_TAIL = 42.0
"""e^−42 is below 2^-60: what lies beyond so many nats more is not summed."""
_UNDERFLOW = 760.0
"""Points further off than this in nats are 0 in floats."""
_AT_ONCE = 1 << 20

Ends: TypeAlias = tuple[Codes, Codes]


class MapUnit(StrEnum):
    """What ε is per."""

    KM = "km"
    CELL = "cell"


@dataclass(frozen=True)
class PlanarLaw(Law):
    """From cells to cells by number: noise on the lattice, then clipped to the map."""

    cells: MapCells
    added: LatticeLaplace

    def draw(self, inputs: Inputs, randomness: Randomness) -> Outputs:
        up, along = self.added.draw(len(inputs), randomness)
        row, column = np.divmod(np.asarray(inputs, dtype=np.int64), self.cells.columns)
        row = np.clip(row + up, 0, self.cells.rows - 1)
        return row * self.cells.columns + np.clip(column + along, 0, self.cells.columns - 1)

    def scores(self, inputs: Inputs, outputs: Outputs) -> Floats:
        """log q(y|x): of one point of the lattice inside the map, of a half-line at a side, of a quadrant at a corner.

        Where a probability is below the range of floats, that of the nearest point alone.
        """
        (from_row, from_column), (to_row, to_column) = (
            np.divmod(np.asarray(part, dtype=np.int64), self.cells.columns) for part in (inputs, outputs)
        )
        rows, columns = (from_row[:, None], to_row[None, :]), (from_column[:, None], to_column[None, :])
        up, along = self._rates
        nearest = np.hypot(up * (rows[0] - rows[1]), along * (columns[0] - columns[1]))
        with np.errstate(divide="ignore"):
            logs = np.log(self._between(rows, columns))
        return np.asarray(np.where(np.isneginf(logs), -nearest, logs) - math.log(self._total))

    def probabilities(self) -> Floats:
        """q(y|x) for every cell (a row) and every cell released (a column)."""
        row, column = np.arange(self.cells.rows), np.arange(self.cells.columns)
        rows = row[:, None, None, None], row[None, None, :, None]
        columns = column[None, :, None, None], column[None, None, None, :]
        return (self._between(rows, columns) / self._total).reshape(self.cells.count, self.cells.count)

    def _between(self, rows: Ends, columns: Ends) -> Floats:
        """The sums of e^(−|v|) over the noise that leads from one cell to another, by their rows and columns."""
        up, along = _ways(*rows, self.cells.rows), _ways(*columns, self.cells.columns)
        return np.asarray(sum(self._sums[tail, aside, far, off] for tail, far in up for aside, off in along))

    @property
    def relative_error(self) -> float:
        """How far a probability may be off, as a share of itself: sums of floats, exponents of floats, tails cut off.

        Every term is positive, so that no digits cancel.
        """
        up, along = self._reach
        return (up + along + 4 * (min(self._farthest, _UNDERFLOW) + _TAIL) + 64) * 2.0**-52

    @property
    def summed(self) -> int:
        """The points of the lattice that the probabilities of border cells are summed over."""
        return self._reach[0] * self._reach[1]

    @property
    def _rates(self) -> tuple[float, float]:
        """Nats per row and per column."""
        return self.added.epsilon * self.added.height, self.added.epsilon * self.added.width

    @property
    def _farthest(self) -> float:
        """Nats between the furthest points that are asked for."""
        up, along = self._rates
        return math.hypot(up * self.cells.rows, along * self.cells.columns)

    @cached_property
    def _reach(self) -> tuple[int, int]:
        """Rows and columns that are summed, so that of no sum more than 2^-60 of itself is left out.

        Beyond them every point of a sum lies ``more`` nats further off than the nearest one. A quadrant has at most
        (t + 1)² (1 + 1/up) (1 + 1/along) points within t nats, so that those left out sum to that at t + 2 times e^−t.
        """
        (up, along), far = self._rates, self._farthest
        more = _TAIL + 2 * math.log(far + 200) + math.log1p(1 / up) + math.log1p(1 / along)
        longer = (2 * far + more) * more

        def reach(rate: float, side: int) -> int:
            return max(side + 2, math.ceil(min(math.sqrt((rate * side) ** 2 + longer), _UNDERFLOW) / rate))

        return reach(up, self.cells.rows), reach(along, self.cells.columns)

    @cached_property
    def _sums(self) -> Floats:
        """e^(−|v|), v so many rows and columns off: of one row or all beyond it, of one column or all beyond it."""
        rows, columns = self.cells.rows + 1, self.cells.columns + 1
        up, along = self._rates
        squares = (along * np.arange(self._reach[1])) ** 2
        sums = np.zeros((2, 2, rows, columns))
        beyond = np.zeros((2, columns))
        size = max(_AT_ONCE // len(squares), 1)
        # From far to near, so that small terms are added to small sums.
        for start in reversed(range(0, self._reach[0], size)):
            steps = np.arange(start, min(start + size, self._reach[0]))
            points = np.exp(-np.sqrt((up * steps[:, None]) ** 2 + squares))
            near = points[:, :columns]
            tails = near.copy()
            tails[:, -1] = points[:, columns - 1 :].sum(axis=1)
            tails = np.cumsum(tails[:, ::-1], axis=1)[:, ::-1]
            kept = steps[steps < rows]
            for at, part in enumerate((near, tails)):
                totals = np.cumsum(part[::-1], axis=0)[::-1] + beyond[at]
                sums[0, at, kept], sums[1, at, kept] = part[: len(kept)], totals[: len(kept)]
                beyond[at] = totals[0]
        return sums

    @cached_property
    def _total(self) -> float:
        """The constant of the law: Σ over the whole lattice of e^(−|v|)."""
        sums = self._sums
        return float(4 * sums[1, 1, 1, 1] + 2 * sums[1, 0, 1, 0] + 2 * sums[0, 1, 0, 1] + sums[0, 0, 0, 0])


def _ways(source: Codes, target: Codes, count: int) -> list[Ends]:
    """The noise along an axis that leads from one place to another: points (0) or half-lines (1), and how far off."""
    steps = np.abs(source - target)
    if count == 1:
        # Whatever the noise, there is one place: a half-line either way.
        return [(np.ones_like(target), steps), (np.ones_like(target), steps + 1)]
    return [(((target == 0) | (target == count - 1)).astype(np.int64), steps)]


@dataclass(frozen=True)
class PlanarLaplace(OnCells):
    """The cell that is released for each cell of a map.

    Ledgers count its first claim, local privacy between the two furthest cells; the second is metric privacy, of which
    the first follows. Both protect cells: points within one cell are released alike, and two points a metre apart may
    lie in neighbouring cells.
    """

    law: PlanarLaw

    @property
    def distances(self) -> Grid:
        """How far cells are apart, in the unit that ε is per."""
        return Grid((self.cells.rows, self.cells.columns), (self.law.added.height, self.law.added.width))

    @property
    def released(self) -> tuple[Label, ...]:
        return self.cells.labels

    @property
    def capabilities(self) -> Capabilities:
        return replace(super().capabilities, finite=self.cells.count <= MOST_CELLS)

    def channel(self) -> Channel | None:
        """The law as a matrix, up to 4,096 cells, each probability within ``law.relative_error`` of itself.

        Errs towards privacy: one below the range of floats is 0, and the ε of the matrix then infinite.
        """
        return self._channel if self.cells.count <= MOST_CELLS else None

    @cached_property
    def _channel(self) -> Channel:
        return Channel(self.letters, self.letters, self.law.probabilities())


def planar_laplace(
    epsilon: float,
    *,
    south: float,
    north: float,
    west: float,
    east: float,
    rows: int,
    columns: int,
    unit: MapUnit = MapUnit.KM,
) -> PlanarLaplace:
    """Planar Laplace noise on the cells of a box: cells d apart give every output within e^(εd).

    Args:
        epsilon: in nats per unit of distance.
        south: the edges of the box in degrees, as of ``MapCells``; north, west and east likewise.
        rows: cells from south to north; columns from west to east.
        unit: kilometres between the centres of cells, or cells, which then count as squares.

    Raises:
        OptionError: a budget that is not above 0, an unknown unit, a box that cannot be cut, fewer than 2 cells, or
            noise so wide that its probabilities take too long.

    References:
        Andrés, Bordenabe, Chatzikokolakis and Palamidessi, Geo-indistinguishability, 2013.

    Example:
        >>> city = dict(south=40.70, north=40.82, west=-74.02, east=-73.92, rows=12, columns=12)
        >>> [str(claim) for claim in planar_laplace(1.0, **city, unit=MapUnit.CELL).claims]
        ['local-dp:15.5564', 'metric-privacy:1']
    """
    require_budget(epsilon)
    if unit not in tuple(MapUnit):
        raise OptionError("A unit of {unit!r} is neither km nor cell; give one of them.", unit=unit)
    cells, per = require_cells(MapCells(south, north, west, east, rows, columns)), MapUnit(unit)
    height, width = (1.0, 1.0) if per is MapUnit.CELL else (cells.sides[0] / 1000, cells.sides[1] / 1000)
    law = _law(epsilon, cells, height, width)
    parameters = {"epsilon": epsilon, **box_of(cells), "unit": per.value}
    steps = ((rows - 1) * Fraction(height), (columns - 1) * Fraction(width))
    diameter = root_bounds(sum((step**2 for step in steps), Fraction(0)), 30)[1]
    claims = (LocalDP(quotient_above(Fraction(epsilon) * diameter, 1)), MetricPrivacy(epsilon))
    return PlanarLaplace("planar-laplace", parameters, claims, law, cells)


def _law(epsilon: float, cells: MapCells, height: float, width: float) -> PlanarLaw:
    rates = (epsilon * height, epsilon * width)
    if min(rates) * MOST_SUMMED < 1 or max(rates) > MOST_NATS_PER_CELL:
        raise OptionError(
            "An ε of {epsilon} comes to {rate:.3g} per cell, which is no noise at all or noise without end; give "
            "another ε, or cells of another size.",
            epsilon=epsilon,
            rate=max(rates) if max(rates) > MOST_NATS_PER_CELL else min(rates),
        )
    law = PlanarLaw(cells, LatticeLaplace(float(epsilon), height, width))
    if law.summed > MOST_SUMMED:
        raise OptionError(
            "At an ε of {epsilon} the noise spreads over {reach:,} cells, too many for a map of {rows} by {columns}; "
            "give a larger ε, or larger cells.",
            epsilon=epsilon,
            reach=law.summed,
            rows=cells.rows,
            columns=cells.columns,
        )
    return law

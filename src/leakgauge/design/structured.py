"""The least-leaking channel between the cells of a grid that meets a target, found and sampled without storing it.

Leakage as a function of distortion is convex. Every slope solved proves a floor under the whole curve, so a channel on
the safe side of the target is proven by its distance from the best floor there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from leakgauge.design.certificate import not_reached, require_gap
from leakgauge.design.grid_search import GridSearch
from leakgauge.design.points import Point
from leakgauge.design.problem import MaxDistortion, MaxLeakage, Slope, Target
from leakgauge.distances.grid import Grid
from leakgauge.errors import LabelError, ModelError, RefusalError
from leakgauge.probability.cells import LARGEST, Codes, Floats, as_floats
from leakgauge.probability.channel import DYADIC_BITS
from leakgauge.probability.distribution import require_unit_totals
from leakgauge.randomness import Randomness
from leakgauge.rounding import from_above, from_below

GRID_GAP = 1e-3
"""The default distance of a solution on a grid from the optimum, in nats."""
SLOPES = 24
"""Slopes tried for a target before two of them are mixed."""
HALVINGS = 30
STEEPEST = 40.0
"""Nats between the nearest cells beyond which a channel keeps each cell but for less than 2^-53."""


@dataclass(frozen=True, eq=False)
class StructuredSolution:
    """A channel given by its weights and a kernel; its rows are worked out when they are asked for.

    The numbers hold for the rows as they are drawn from, multiples of 2^-53: what rounding may change is in them.

    Attributes:
        marginal: the weights r, in the grid's shape; q(y|x) ∝ r(y) e^(−slope · d(x, y)).
        leakage: I(X;Y) in bits, from above, by no more than the gap.
        gap: in bits. No channel with at most this distortion has less leakage than this one has, less the gap.
        rounding: how far in total variation a row drawn from may be from the ideal one; counted in the numbers above.
    """

    grid: Grid
    slope: float
    marginal: Floats = field(repr=False)
    leakage: float
    distortion: float
    gap: float
    iterations: int
    rounding: float

    def channel_row(self, cell: int) -> Floats:
        """q(·|cell) in the grid's shape, in multiples of 2^-53; cells are counted along the last axis first."""
        units = self._units(cell).astype(np.float64)
        return np.asarray(np.ldexp(units, -DYADIC_BITS).reshape(self.grid.shape))

    def draw(self, cells: npt.NDArray[np.integer], randomness: Randomness) -> Codes:
        """For each cell one to release, drawn exactly from the cell's row; both are positions as in ``channel_row``.

        Each distinct cell costs one pass over the grid, however often it occurs.
        """
        if cells.ndim != 1 or cells.dtype.kind not in "iu":
            raise LabelError("The cells are not a list of whole numbers; give the position of each.")
        distinct, which = np.unique(cells, return_inverse=True)
        order = np.argsort(which, kind="stable")
        ends = np.cumsum(np.bincount(which, minlength=len(distinct)))
        drawn = np.empty(len(cells), dtype=np.int64)
        for at, cell in enumerate(distinct.tolist()):
            places = order[ends[at - 1] if at else 0 : ends[at]]
            marks = (randomness.words(len(places)) >> np.uint64(64 - DYADIC_BITS)).astype(np.int64)
            drawn[places] = np.searchsorted(np.cumsum(self._units(cell)), marks, side="right")
        return drawn

    def _units(self, cell: int) -> Codes:
        """The row times 2^53, as whole numbers."""
        used = np.flatnonzero(self.marginal)
        scores = np.log(self.marginal.ravel()[used]) - self.slope * self.grid.distances_from(cell).ravel()[used]
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        # A cell that some row may release stays possible in all: a 0 would rule cells out for whoever sees it.
        units = np.zeros(self.grid.cells, dtype=np.int64)
        units[used] = np.maximum(np.rint(np.ldexp(shares, DYADIC_BITS)), 1).astype(np.int64)
        units[units.argmax()] += (1 << DYADIC_BITS) - int(units.sum())
        return units


def solve_on_grid(prior: object, grid: Grid, target: Target, gap: float = GRID_GAP) -> StructuredSolution:
    """The channel between cells that leaks least for its usefulness, proven to be within ``gap`` nats of the best.

    Memory is a few dozen arrays of the grid's shape; a grid of a million cells takes some hundred MiB. A largest
    distortion or leakage takes some ten slopes, each started from the one before.

    Args:
        prior: the probability of each cell, in the grid's shape; some may be 0.
        gap: in nats; the only rule by which the search stops.

    Raises:
        ModelError: a prior of another shape, or that is no distribution.
        OptionError: an infinite slope, or a gap that is not a finite number above 0.
        RefusalError: a distortion so small that no row of multiples of 2^-53 has it.
        UnprovedError: the gap was not reached; the message says how close it came.

    Example:
        >>> best = solve_on_grid([[0.1, 0.2], [0.3, 0.4]], Grid((2, 2)), Slope(2.0), gap=1e-6)
        >>> round(best.leakage, 3), round(best.distortion, 3)
        (0.667, 0.266)
    """
    p = _prior(prior, grid)
    require_gap(gap)
    search = GridSearch(p, grid)
    if isinstance(target, Slope):
        point = search.at(target.nats_per_unit, gap) if target.nats_per_unit > 0 else search.flat()
        return _described(search, point, point.gap, point.steps)
    return _Targeted(search, target, gap).solved()


class _Targeted:
    """The points met on the way to a target; ``_over`` is above 0 on its unsafe side."""

    def __init__(self, search: GridSearch, target: MaxDistortion | MaxLeakage, gap: float) -> None:
        self._search, self._gap = search, gap
        self._by_distortion = isinstance(target, MaxDistortion)
        self._limit = target.distortion if isinstance(target, MaxDistortion) else target.bits * math.log(2)
        self._points: list[Point] = []

    def solved(self) -> StructuredSolution:
        """The best channel on the safe side of the target."""
        flat = self._search.flat()
        if flat.excess == 0 or (self._by_distortion and self._over(flat) <= 0):
            return self._described(flat, 0.0)
        if not self._by_distortion and self._limit <= self._gap:
            # Whatever a channel gains here is less than the gap.
            return self._described(flat, self._limit)
        last = STEEPEST / self._search.grid.smallest
        guess = 1 / (max(self._limit, 1 / last) if self._by_distortion else max(flat.excess, 1e-300))
        gentle, steep = self._around(min(guess, last), last)
        if gentle is None or steep is None:
            return self._end(gentle or steep, last)
        low, high = self._beyond(gentle), self._beyond(steep)
        safe, other = self._sides(gentle, steep)
        steep_last: bool | None = None
        while self._open(safe) > self._gap and len(self._points) < SLOPES and high > low:
            # Interpolated in the logarithm; an end that stays twice counts half, so that it is left soon.
            share = min(max(low / (low - high), 0.02), 0.98)
            point = self._at(gentle.slope * (steep.slope / gentle.slope) ** share)
            value = self._beyond(point)
            stays = (value >= 0) == steep_last
            steep_last = value >= 0
            if steep_last:
                steep, high, low = point, value, low / 2 if stays else low
            else:
                gentle, low, high = point, value, high / 2 if stays else high
            safe, other = self._sides(gentle, steep)
        if self._open(safe) > self._gap:
            safe = self._mixed(safe, other)
        if self._open(safe) > self._gap:
            raise not_reached(self._open(safe), self._gap)
        return self._described(safe, max(self._open(safe), 0.0))

    def _around(self, guess: float, last: float) -> tuple[Point | None, Point | None]:
        """A gentle and a steep point with the target between them; None where there is none up to the last slope."""
        point = self._at(guess)
        gentle, steep = (None, point) if self._beyond(point) >= 0 else (point, None)
        while steep is None and gentle is not None and gentle.slope < last:
            point = self._at(min(4 * gentle.slope, last))
            gentle, steep = (gentle, point) if self._beyond(point) >= 0 else (point, None)
        while gentle is None and steep is not None and (self._over(steep) > 0 or self._open(steep) > self._gap):
            point = self._at(steep.slope / 4)
            gentle, steep = (point, steep) if self._beyond(point) < 0 else (None, point)
        return gentle, steep

    def _end(self, point: Point | None, last: float) -> StructuredSolution:
        """The answer where no point was needed, or none found, on the other side."""
        assert point is not None
        if self._over(point) > 0:
            raise RefusalError(
                "A mean distortion of {asked:.9g} is impossible in multiples of 2^-53: the steepest slope has "
                "{least:.3g}; ask for at least that.",
                asked=from_below(self._limit),
                least=from_above(point.excess, 3),
            )
        gap = point.gap if point.slope >= last else max(self._open(point), 0.0)
        return self._described(point, gap)

    def _mixed(self, safe: Point, other: Point) -> Point:
        """The safe point with as much of the other's weights as the target bears.

        A straight piece of the curve is one slope with many solutions, and a search may find only its ends.
        """
        most, share = 1.0, 0.0
        for _ in range(HALVINGS):
            tried = self._search.mixed(safe, other, (share + most) / 2)
            if self._over(tried) > 0:
                most = (share + most) / 2
            else:
                share = (share + most) / 2
                if self._open(tried) <= self._gap:
                    return tried
        return self._search.mixed(safe, other, share)

    def _at(self, slope: float) -> Point:
        near = min(self._points, key=lambda point: abs(math.log(point.slope / slope)), default=None)
        point = self._search.at(slope, self._gap / 2, near)
        self._points.append(point)
        return point

    def _over(self, point: Point) -> float:
        """How far the point is on the unsafe side of the target."""
        return (point.excess if self._by_distortion else point.leakage) - self._limit

    def _beyond(self, point: Point) -> float:
        """Above 0 for points steeper than the target."""
        return -self._over(point) if self._by_distortion else self._over(point)

    def _sides(self, gentle: Point, steep: Point) -> tuple[Point, Point]:
        """The point on the safe side of the target, and the other."""
        return (steep, gentle) if self._by_distortion else (gentle, steep)

    def _open(self, point: Point) -> float:
        """How far in nats a safe point may be from the best that meets the target."""
        if self._by_distortion:
            return point.leakage - self._floor(self._limit)
        return self._limit - self._floor(point.excess)

    def _floor(self, distortion: float) -> float:
        return max(0.0, *(point.floor_at(distortion) for point in self._points))

    def _described(self, point: Point, gap: float) -> StructuredSolution:
        return _described(self._search, point, gap, sum(point.steps for point in self._points))


def _described(search: GridSearch, point: Point, gap: float, sweeps: int) -> StructuredSolution:
    return StructuredSolution(
        grid=search.grid,
        slope=point.slope,
        marginal=point.channel,
        leakage=point.leakage / math.log(2),
        distortion=point.excess,
        gap=gap / math.log(2),
        iterations=sweeps,
        rounding=search.rounding if point.slope > 0 else 0.0,
    )


def _prior(prior: object, grid: Grid) -> Floats:
    array = as_floats(prior, "probabilities of the cells")
    if array.shape != grid.shape:
        raise ModelError(
            "The prior has the shape {found} and the grid {wanted}; give one probability per cell.",
            found=str(array.shape),
            wanted=str(grid.shape),
        )
    if grid.cells >= LARGEST:
        raise ModelError("{cells} cells are too many for multiples of 2^-53; use a coarser grid.", cells=grid.cells)
    require_unit_totals(np.array([array.sum()]), "probabilities of the cells")
    return np.asarray(array / array.sum())

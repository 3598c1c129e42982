"""The least-leaking channel between the cells of a grid, found and sampled without ever storing it.

At a slope the best channel is q(y|x) = r(y) K(x, y) / s(x), K = e^(−slope · d), s = K r, and r minimises
F(r) = −Σ_x p(x) ln s(x). A sweep r ← r · c, c = K (p/s), needs two products with K; momentum on ln r, dropped whenever
F rises, makes the sweeps few. For any positive s whatever, no channel costs less than −Σ p ln s − ln max c, so the
noise of a product with K loosens the proof only by what is known of that noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from leakgauge.design.certificate import ROUNDING
from leakgauge.distances import Grid, GridKernel
from leakgauge.errors import EngineError, LabelError, ModelError, OptionError
from leakgauge.probability.cells import LARGEST, Codes, Floats, as_floats
from leakgauge.probability.channel import DYADIC_BITS
from leakgauge.probability.normalisation import require_unit_totals
from leakgauge.randomness import Randomness

GRID_GAP = 1e-3
"""How far in nats a solution on a grid may be from the best, unless the caller asks otherwise."""
SWEEPS = 5_000
LOWEST = -600.0
"""Weights below e^-600 of the largest are not told apart from it: far below anything that costs."""


@dataclass(frozen=True, eq=False)
class StructuredSolution:
    """A channel given by its weights and a kernel; its rows are worked out when they are asked for.

    The numbers hold for the rows as they are drawn from, multiples of 2^-53: what rounding may change is in them.

    Attributes:
        grid: the cells and their distances.
        slope: nats per unit of distortion.
        marginal: the weights r, in the grid's shape; q(y|x) ∝ r(y) e^(−slope · d(x, y)).
        leakage: I(X;Y) in bits, from above, by no more than the gap.
        distortion: the mean distortion, from above.
        gap: in bits. No channel with at most this distortion has less leakage than this one has, less the gap.
        iterations: sweeps of the solver.
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
        """q(·|cell) in the grid's shape: multiples of 2^-53 that sum to exactly 1.

        Args:
            cell: its position, counted along the last axis first.

        Raises:
            LabelError: the grid has no such cell.
        """
        units = self._units(cell).astype(np.float64)
        return np.asarray(np.ldexp(units, -DYADIC_BITS).reshape(self.grid.shape))

    def draw(self, cells: npt.NDArray[np.integer], randomness: Randomness) -> Codes:
        """For each cell one to release, drawn exactly from the cell's row; both are positions as in ``channel_row``.

        Each distinct cell costs one pass over the grid, however often it occurs.

        Raises:
            LabelError: a number that is no cell of the grid.
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


def solve_on_grid(prior: object, grid: Grid, slope: float, gap: float = GRID_GAP) -> StructuredSolution:
    """The channel between cells that leaks least at a slope, proven to be within ``gap`` nats of the best.

    Memory is a few dozen arrays of the grid's shape; a grid of a million cells takes some hundred MiB.

    Args:
        prior: the probability of each cell, in the grid's shape; some may be 0.
        grid: the cells and their distances.
        slope: nats per unit of distortion, above 0 and finite.
        gap: in nats; the only rule by which the search stops.

    Raises:
        ModelError: a prior of another shape, or that is no distribution.
        OptionError: a slope or gap that is not a finite number above 0.
        EngineError: the gap was not reached; the message says how close it came.

    Example:
        >>> best = solve_on_grid([[0.1, 0.2], [0.3, 0.4]], Grid((2, 2)), slope=2.0, gap=1e-6)
        >>> round(best.leakage, 3), round(best.distortion, 3)
        (0.667, 0.266)
    """
    p = _prior(prior, grid)
    if not 0 < gap < math.inf:
        raise OptionError("A gap of {gap} nats cannot be reached; give a finite number above 0.", gap=gap)
    search = _Search(p, grid, slope, grid.kernel(slope))
    wanted, nearest = 0.9 * gap, math.inf
    for sweeps in range(1, SWEEPS + 1):
        search.sweep()
        if search.apart > wanted:
            continue
        found = search.measured(sweeps)
        nearest = min(nearest, found.gap * math.log(2))
        if nearest <= gap:
            return found
        # What is missing is noise and rounding; more sweeps make room for them, but not for ever.
        wanted /= 2
        if wanted < gap / 20:
            break
    raise EngineError(
        "The best channel found is proven to be within {found:.3g} nats of the best, not within {asked:.3g}; ask for a "
        "larger gap.",
        found=min(nearest, search.measured(SWEEPS).gap * math.log(2)),
        asked=gap,
    )


class _Search:
    """Weights on their way to the best, and the best proof so far."""

    def __init__(self, prior: Floats, grid: Grid, slope: float, kernel: GridKernel) -> None:
        self._prior, self._grid, self._slope, self._kernel = prior, grid, slope, kernel
        # Every cell starts with some weight: one that never occurs may still be a good one to release.
        self._next = np.asarray(0.9 * prior + 0.1 / prior.size)
        self._logarithms: Floats | None = None
        self._value, self._speed = math.inf, 0
        self._lower = -math.inf
        self._enclosure: tuple[Floats, Floats] | None = None
        self._weights = self._next

    @property
    def apart(self) -> float:
        """The cost of the weights less the proven bound, in nats, without the noise of the cost."""
        return self._value - self._lower

    def sweep(self) -> None:
        """One update: two products, a bound, and the next weights."""
        self._weights = self._next
        self._enclosure = self._kernel.times_within(self._weights)
        # The upper end is above 0 even where the product drowns in noise, and any positive s proves a bound.
        sums = self._enclosure[1]
        value = -float((self._prior * np.log(sums)).sum())
        low, high = self._kernel.times_within(self._prior / sums)
        loss = math.log(float(high.max()))
        self._lower = max(self._lower, value - loss - ROUNDING * (1 + abs(value) + abs(loss)))
        ratios = np.maximum(0.5 * (low + high), math.exp(LOWEST))
        updated = np.log(self._weights) + np.log(ratios)
        self._speed = self._speed + 1 if value <= self._value and self._logarithms is not None else 0
        self._value = value
        ahead = updated
        if self._speed > 0 and self._logarithms is not None:
            ahead = updated + self._speed / (self._speed + 3) * (updated - self._logarithms)
        self._logarithms = updated
        weights = np.exp(np.maximum(ahead - ahead.max(), LOWEST))
        self._next = np.asarray(weights / weights.sum())

    def measured(self, sweeps: int) -> StructuredSolution:
        """The channel of the weights at hand; leakage, distortion and gap all from above."""
        assert self._enclosure is not None
        low, high = self._enclosure
        largest, cells = self._grid.largest, self._grid.cells
        # K is 1 on its diagonal and nowhere below e^(−slope · largest), whatever the noise says.
        sure = np.maximum(low, self._weights * (1 - ROUNDING))
        cost = -float((self._prior * np.maximum(np.log(sure), -self._slope * largest)).sum())
        near, far = self._kernel.distance_times_within(self._weights)
        least = float((self._prior * np.minimum(near / high, largest)).sum())
        most = float((self._prior * np.minimum(far / sure, largest)).sum())
        # Each entry of a row moves by at most one unit of 2^-53, its exponential by less than 2^14 in all.
        rounding = (cells + 2**14) * 2.0**-DYADIC_BITS if cells > 1 else 0.0
        leakage = cost - self._slope * least + _entropy_moved(rounding, cells)
        leakage = max(leakage + ROUNDING * (1 + abs(cost) + self._slope * least), 0.0)
        distortion = (most + rounding * largest) * (1 + ROUNDING)
        return StructuredSolution(
            grid=self._grid,
            slope=self._slope,
            marginal=self._weights,
            leakage=leakage / math.log(2),
            distortion=distortion,
            gap=(leakage + self._slope * distortion - self._lower) / math.log(2),
            iterations=sweeps,
            rounding=rounding,
        )


def _entropy_moved(variation: float, letters: int) -> float:
    """How far I(X;Y) in nats may move when every row moves by so much in total variation.

    H(Y) and H(Y|X) each move by at most t ln(n − 1) + h(t): Zhang, Estimating mutual information via Kolmogorov
    distance, IEEE Trans. Information Theory 53(9), 2007.
    """
    if variation == 0:
        return 0.0
    own = -variation * math.log(variation) - (1 - variation) * math.log1p(-variation)
    return 2 * (variation * math.log(letters) + own)


def _prior(prior: object, grid: Grid) -> Floats:
    array = as_floats(prior, "probabilities of the cells")
    if array.shape != grid.shape:
        raise ModelError(
            "The prior has the shape {found} and the grid {wanted}; give one probability a cell.",
            found=array.shape,
            wanted=grid.shape,
        )
    if grid.cells >= LARGEST:
        raise ModelError("{cells} cells are too many for multiples of 2^-53; use a coarser grid.", cells=grid.cells)
    require_unit_totals(np.array([array.sum()]), "probabilities of the cells")
    return np.asarray(array / array.sum())

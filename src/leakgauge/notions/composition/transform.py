"""Composition of privacy losses on one grid, all at once, by Fourier transforms.

Every loss is split to the points of a grid, which dominates it; the law of a sum of losses is the product of their
transforms. The window of losses that is kept is chosen by Chernoff's bound; what may lie above it counts as infinite,
and what lies below it is counted within it, at a larger loss.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from leakgauge.mechanisms.steps.losses import Loss, Part
from leakgauge.notions.composition.law import LossLaw
from leakgauge.probability.cells import Floats

CUT = 1e-16
"""The chance of a loss above the window, which counts as infinite."""
LARGEST_WINDOW = 1 << 21
"""Points of the window; beyond, the grid is made coarser, which makes bounds larger and never unsafe."""


@dataclass(frozen=True)
class _Grid:
    """Shares of the first law at whole multiples of an interval, from ``first`` on, and that of an infinite loss."""

    first: int
    masses: Floats
    infinite: float
    count: int

    @classmethod
    def of(cls, loss: Loss, interval: float, count: int) -> _Grid:
        low, high = loss.span()
        first, last = math.floor(low / interval), math.ceil(high / interval)
        edges = np.arange(first, max(last, first + 1) + 1) * interval
        p, q = loss.cells(np.concatenate([[-math.inf], edges, [math.inf]]))
        masses = np.zeros(len(edges))
        # Within a cell: m at its upper end and the rest at its lower end, so that both laws keep their shares.
        with np.errstate(over="ignore", invalid="ignore"):
            upper = (p[1:-1] - np.exp(edges[:-1]) * q[1:-1]) / -math.expm1(-interval)
        # Where the factor is out of range everything goes up, which is the safe side.
        upper = np.where(np.isfinite(upper), np.clip(upper, 0.0, p[1:-1]), p[1:-1])
        masses[1:] += upper
        masses[:-1] += p[1:-1] - upper
        masses[0] += p[0]
        return cls(first, masses, min(loss.infinite + float(p[-1]), 1.0), count)

    def cumulants(self, slopes: Floats, interval: float) -> Floats:
        """count · ln E[e^(slope · loss)] at each slope, over finite losses."""
        # Only of losses that occur: the largest exponent must have a share, or all could vanish beside it.
        occur = np.flatnonzero(self.masses)
        if not len(occur):
            return np.full(len(slopes), -math.inf)
        exponents = slopes[:, None] * ((self.first + occur) * interval)
        peak = exponents.max(axis=1)
        sums = np.exp(exponents - peak[:, None]) @ self.masses[occur]
        return np.asarray(self.count * (peak + np.log(sums)))


def composed(parts: Sequence[Part], interval: float) -> tuple[LossLaw, ...]:
    """The laws of the whole loss on a grid of ``interval`` nats, or of a coarser one where that has too many points.

    One law where neighbours are alike in both orders, otherwise one for each order.
    """
    while True:
        orders = _orders(parts, interval)
        windows = [_window(grids, interval) for grids in orders]
        low = min(window[0] for window in windows)
        size = max(max(window[1] for window in windows) - low + 1, 1)
        if size <= LARGEST_WINDOW:
            return _transformed(orders, interval, low, size)
        interval *= max(size / LARGEST_WINDOW, 2.0)


def _orders(parts: Sequence[Part], interval: float) -> list[list[_Grid]]:
    removed = [_Grid.of(part.loss, interval, part.count) for part in parts]
    if all(part.added is None for part in parts):
        return [removed]
    added = [
        grid if part.added is None else _Grid.of(part.added, interval, part.count)
        for part, grid in zip(parts, removed, strict=True)
    ]
    return [removed, added]


def _window(grids: Sequence[_Grid], interval: float) -> tuple[int, int]:
    """The lowest and the highest point of a window outside which at most ``CUT`` lies on either side."""
    lowest = sum(grid.count * grid.first for grid in grids)
    highest = sum(grid.count * (grid.first + len(grid.masses) - 1) for grid in grids)
    variance = 0.0
    for grid in grids:
        at = np.arange(len(grid.masses)) * interval
        mean = float(grid.masses @ at)
        variance += grid.count * max(float(grid.masses @ (at - mean) ** 2), 0.0)
    if variance == 0:
        return lowest, highest
    slope = math.sqrt(-2 * math.log(CUT) / variance)
    above, below = (_chernoff(grids, interval, sign * slope) for sign in (1, -1))
    return (
        max(lowest, math.floor(-below / interval)) if math.isfinite(below) else lowest,
        min(highest, math.ceil(above / interval)) if math.isfinite(above) else highest,
    )


def _chernoff(grids: Sequence[_Grid], interval: float, normal: float) -> float:
    """How far losses reach in the direction of a slope's sign but for ``CUT``; any slope gives a bound.

    ``normal`` is the best slope of a normal law; losses with long tails need a smaller one.
    """
    best, reach = normal, math.inf
    for factors in (np.geomspace(1 / 256, 4, 6), np.geomspace(0.4, 2.5, 5)):
        slopes = best * factors
        cumulants = sum((grid.cumulants(slopes, interval) for grid in grids), np.zeros(len(slopes)))
        bounds = (cumulants - math.log(CUT)) / np.abs(slopes)
        at = int(np.argmin(bounds))
        best, reach = float(slopes[at]), min(reach, float(bounds[at]))
    return reach


def _transformed(orders: Sequence[Sequence[_Grid]], interval: float, low: int, size: int) -> tuple[LossLaw, ...]:
    from scipy import fft

    size = int(fft.next_fast_len(size, real=True))
    known: dict[int, Any] = {}
    laws = []
    for grids in orders:
        product: Any = np.ones(size // 2 + 1, dtype=complex)
        for grid in grids:
            if id(grid) not in known:
                transform = fft.rfft(_folded(grid.masses, size), size)
                known[id(grid)] = transform**grid.count if grid.count > 1 else transform
            product *= known[id(grid)]
        start = sum(grid.count * grid.first for grid in grids)
        masses = np.roll(np.maximum(fft.irfft(product, size), 0.0), (start - low) % size)
        finite = sum(grid.count * math.log1p(-grid.infinite) if grid.infinite < 1 else -math.inf for grid in grids)
        # Transforms leave errors of about this size in sums of shares, and they may favour either side.
        rounding = 1e-15 * (len(grids) + sum(grid.count for grid in grids)) + 1e-14
        infinite = Decimal(-math.expm1(finite))
        values = (low + np.arange(size, dtype=np.float64)) * interval
        laws.append(LossLaw(values, masses, infinite, rounding + CUT))
    return tuple(laws)


def _folded(masses: Floats, size: int) -> Floats:
    """The shares at multiples of an interval, modulo ``size``."""
    if len(masses) <= size:
        return masses
    return np.asarray(np.pad(masses, (0, -len(masses) % size)).reshape(-1, size).sum(axis=0))

"""The law of all numbers of a column with noise: what it tells of them, and how spread out it is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from leakgauge.mechanisms import NoisyNumber
from leakgauge.probability.cells import Codes, Floats

FINENESS, COARSENESS = 64, 8
"""Cells to a standard deviation of the noise, and the fewest where cells would be too many."""
MOST_CELLS = 1 << 20
_ROUNDING = 1e-14
"""Chances below this are rounding errors of the transform."""
REPEATED = 10
"""From so many rows a number on, numbers are taken to be what repeats and no sample of a density."""
FILLED = 8
"""Gaps between neighbouring numbers that a standard deviation of the noise must span to fill them."""


@dataclass(frozen=True)
class Summed:
    """What numbers with noise tell.

    Attributes:
        told: I(O;N) in bits; where the noise is too fine to compute with, H(O), which it cannot exceed.
        own: h(N) in bits, N being spread evenly over its step of the grid; None where the noise is finer than the gaps
            between numbers, so that the rows do not tell what lies between them.
    """

    told: float
    own: float | None


def summed(noise: NoisyNumber, inputs: Codes) -> Summed:
    """The law of numbers, in steps of the grid, with noise; every row counts alike."""
    law, grid = noise.law, noise.span.grid
    different, counts = np.unique(inputs, return_counts=True)
    shares = counts / counts.sum()
    reach = math.ceil(law.FAR * law.scale) + 1
    extent = int(different[-1] - different[0]) + 2 * reach
    width = max(int(law.standard_deviation / FINENESS), -(-extent // MOST_CELLS), 1)
    if width > max(law.standard_deviation / COARSENESS, 1):
        return Summed(_entropy(shares), None)
    places = (different - different[0]) // width
    data = np.asarray(np.bincount(places, weights=shares), dtype=np.float64)
    cells = reach // width + 1
    # The cell in the middle is centred, so that the noise stays even.
    edges = np.arange(-cells, cells + 2) * width - (width + 1) // 2
    chances = np.diff(law.below(edges.astype(np.float64)))
    output = _convolved(data, chances / chances.sum())
    told = max(_entropy(output) - _entropy(chances / chances.sum()), 0.0)
    own = _entropy(output) + math.log2(width * grid)
    return Summed(min(told, _entropy(shares)), own if _resolved(noise, different, len(inputs)) else None)


def _resolved(noise: NoisyNumber, different: Codes, rows: int) -> bool:
    """Whether noise fills the gaps between numbers, or the numbers are few and repeat."""
    if len(different) < 2 or rows >= REPEATED * len(different):
        return True
    return FILLED * float(np.median(np.diff(different))) <= noise.law.standard_deviation


def _convolved(first: Floats, second: Floats) -> Floats:
    length = len(first) + len(second) - 1
    size = 1 << (length - 1).bit_length()
    both = np.fft.irfft(np.fft.rfft(first, size) * np.fft.rfft(second, size), size)[:length]
    return np.where(both > _ROUNDING, both, 0.0)


def _entropy(shares: Floats) -> float:
    seen = shares[shares > 0]
    return float(-(seen * np.log2(seen)).sum())

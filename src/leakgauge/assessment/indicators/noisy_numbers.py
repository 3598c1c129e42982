"""The law of numbers with noise on a grid: what it tells of them, and how spread out it is.

A mixture has the law of each of a few numbers, cell by cell; a sum has that of all numbers of a column together. Where
released numbers are brought back to bounds they tell less than these laws say: that errs towards privacy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.probability.cells import Codes, Floats

MOST_CHANCES = 48_000
"""Inputs × cells, so that they stay in the processor's cache; what is lost is below a thousandth of what is told."""
FEWEST_CELLS = 12
"""Of each input, whatever their number."""
FINENESS, COARSENESS = 64, 8
"""Cells to a standard deviation of the noise, and the fewest where cells would be too many."""
MOST_CELLS = 1 << 20
_ROUNDING = 1e-14
"""Chances below this are rounding errors of the transform."""
REPEATED = 10
"""From so many rows a number on, numbers are taken to be what repeats and no sample of a density."""
FILLED = 8
"""Gaps between neighbouring numbers that a standard deviation of the noise must span to fill them."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """Inputs with their shares, the chance of each cell of outputs given each, and the widths of the cells."""

    shares: Floats
    cells: Floats
    widths: Floats

    @property
    def output(self) -> Floats:
        """The chance of each cell."""
        return np.asarray(self.shares @ self.cells)

    def mutual_information(self) -> float:
        """I(O;N) in bits, from below by what is lost within cells."""
        ratio = np.divide(self.cells, self.output, out=np.ones_like(self.cells), where=self.cells > 0)
        return max(float(self.shares @ (self.cells * np.log2(ratio)).sum(axis=1)), 0.0)

    def differential_entropy(self) -> float:
        """h(N) in bits, N being spread evenly over its step of the grid."""
        mass = self.output
        seen = mass > 0
        return float(-(mass[seen] * np.log2(mass[seen] / self.widths[seen])).sum())

    def best_guess(self, secrets: Codes) -> tuple[float, float]:
        """How often the best guess of each input's secret is right, before and after the output is seen."""
        kinds = np.unique(secrets)
        member = (secrets[None, :] == kinds[:, None]).astype(np.float64) * self.shares
        return float(member.sum(axis=1).max()), float((member @ self.cells).max(axis=0).sum())


def mixture(noise: NoisyNumber, numbers: Floats, shares: Floats) -> Mixture:
    """The law of numbers with noise, in cells that are fine where the noise is likely."""
    law, grid = noise.added, noise.span.grid
    inputs = noise.on_grid(np.asarray(numbers, dtype=np.float64))
    away = law.KNOTS * law.scale
    away = np.unique(np.ceil(np.concatenate([-away, away]))).astype(np.int64)
    edges = np.unique(np.add.outer(np.unique(inputs), away) - 1)
    # Where inputs stand close together their cells are finer than needed.
    most = max(MOST_CHANCES // len(inputs), FEWEST_CELLS * len(inputs))
    if len(edges) > most:
        edges = edges[np.linspace(0, len(edges) - 1, most).round().astype(np.int64)]
    edges = np.concatenate([[edges[0] - 1], edges, [edges[-1] + 1]])
    chances = law.below((edges[None, :] - inputs[:, None]).astype(np.float64))
    cells = np.diff(chances, axis=1)
    return Mixture(shares, cells / cells.sum(axis=1, keepdims=True), np.diff(edges) * grid)


class Summed(NamedTuple):
    """I(O;N) and h(N) of numbers with noise in bits, N being spread evenly over its step of the grid.

    Where the noise is too fine to compute with, I(O;N) is H(O), which it cannot exceed; where it is finer than the gaps
    between numbers, so that the rows do not tell what lies between them, h(N) is None.
    """

    told: float
    own: float | None


def summed(noise: NoisyNumber, inputs: Codes) -> Summed:
    """The law of numbers, in steps of the grid, with noise; every row counts alike."""
    law, grid = noise.added, noise.span.grid
    different, counts = np.unique(inputs, return_counts=True)
    shares = counts / counts.sum()
    reach = math.ceil(law.FAR * law.scale) + 1
    extent = int(different[-1] - different[0]) + 2 * reach
    width = max(int(law.standard_deviation / FINENESS), -(-extent // MOST_CELLS), 1)
    if width > max(law.standard_deviation / COARSENESS, 1):
        return Summed(entropy_of_shares(shares), None)
    places = (different - different[0]) // width
    data = np.asarray(np.bincount(places, weights=shares), dtype=np.float64)
    cells = reach // width + 1
    # The cell in the middle is centred, so that the noise stays even.
    edges = np.arange(-cells, cells + 2) * width - (width + 1) // 2
    chances = np.diff(law.below(edges.astype(np.float64)))
    output = _convolved(data, chances / chances.sum())
    told = max(entropy_of_shares(output) - entropy_of_shares(chances / chances.sum()), 0.0)
    own = entropy_of_shares(output) + math.log2(width * grid)
    return Summed(min(told, entropy_of_shares(shares)), own if _resolved(noise, different, len(inputs)) else None)


def _resolved(noise: NoisyNumber, different: Codes, rows: int) -> bool:
    """Whether noise fills the gaps between numbers, or the numbers are few and repeat."""
    if len(different) < 2 or rows >= REPEATED * len(different):
        return True
    return FILLED * float(np.median(np.diff(different))) <= noise.added.standard_deviation


def _convolved(first: Floats, second: Floats) -> Floats:
    length = len(first) + len(second) - 1
    size = 1 << (length - 1).bit_length()
    both = np.fft.irfft(np.fft.rfft(first, size) * np.fft.rfft(second, size), size)[:length]
    return np.where(both > _ROUNDING, both, 0.0)


def entropy_of_shares(shares: Floats) -> float:
    """In bits."""
    seen = shares[shares > 0]
    return float(-(seen * np.log2(seen)).sum())

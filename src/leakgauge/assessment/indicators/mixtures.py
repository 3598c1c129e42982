"""The law of a number with noise on a grid, cell by cell: what it tells about the number, and how spread out it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leakgauge.mechanisms import NoisyNumber
from leakgauge.probability.cells import Codes, Floats

MOST_CHANCES = 48_000
"""Inputs × cells, so that they stay in the processor's cache; what is lost is below a thousandth of what is told."""
FEWEST_CELLS = 12
"""Of each input, whatever their number."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """Inputs with their shares, and the chance of each cell of outputs given each.

    Attributes:
        shares: of the inputs.
        cells: a row an input, a column a cell.
        widths: how wide each cell is, in the data's unit.
    """

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
    law, grid = noise.law, noise.span.grid
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

"""Exact laws of small interactions, by adding up one cell's noise after the other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from leakgauge.mechanisms.noise import DiscreteGaussian
from leakgauge.probability.cells import Floats

REACH, HALF = 24, 48
"""The noise of a cell, and of the class, is looked at up to so many steps."""


class SmallLaw:
    """The law of the interaction of a small table, over whole numbers that tell its classes apart.

    An attribute of m values has m − 1 differences of neighbours, a table the products of those of its attributes.
    """

    def __init__(self, shape: Sequence[int], sigma: float) -> None:
        matrix = np.ones((1, 1), dtype=np.int64)
        for size in shape:
            matrix = np.kron(matrix, np.eye(size, dtype=np.int64)[:-1] - np.eye(size, k=1, dtype=np.int64)[:-1])
        self.moves = [tuple(column) for column in matrix.T.tolist()]
        self.cells = list(itertools.product(*map(range, shape)))
        steps = np.arange(-REACH, REACH + 1)
        chances = DiscreteGaussian(sigma).probability(steps)
        law = np.zeros((2 * HALF + 1,) * len(matrix))
        law[(HALF,) * len(matrix)] = 1.0
        axes = tuple(range(len(matrix)))
        for move in self.moves:
            law = sum(
                chance * np.roll(law, tuple(int(step) * one for one in move), axes)
                for step, chance in zip(steps, chances, strict=True)
            )
        self.law = law

    def moved(self, cell: int, back: int | None = None) -> Floats:
        """The law with one row more in a cell, and one less in another."""
        away = np.array(self.moves[cell]) - (0 if back is None else np.array(self.moves[back]))
        return np.roll(self.law, tuple(away.tolist()), tuple(range(self.law.ndim)))


def renyi(p: Floats, q: Floats, order: float) -> float:
    """D_α(p ‖ q) in nats, over what floats hold."""
    held = (p > 1e-250) & (q > 1e-250)
    logs = order * np.log(p[held]) + (1 - order) * np.log(q[held])
    return float(np.log(np.exp(logs).sum()) / (order - 1))

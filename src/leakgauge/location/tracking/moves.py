"""Transitions laid out for products: moves by where they lead and by where they start, and who stays.

Someone who stays may repeat a report, so staying is kept apart from moving.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leakgauge.probability import Channel
from leakgauge.probability.cells import Codes, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Moves:
    """The transitions of a movement, each form of them made when it is asked for; ``stays`` is p(x|x) of each area."""

    def __init__(self, transitions: Channel) -> None:
        rows, columns, chances = transitions.cells.nonzero()
        own = rows == columns
        self.stays = np.zeros(len(transitions.inputs))
        self.stays[rows[own]] = chances[own]
        self._all = rows, columns, chances
        self._moves = rows[~own], columns[~own], chances[~own]

    @cached_property
    def all_inwards(self) -> csr_array:
        """p(x|x′) of each x, from each x′, itself too."""
        rows, columns, chances = self._all
        return self._sparse(chances, columns, rows)

    @cached_property
    def all_outwards(self) -> csr_array:
        """The same, from each x′."""
        rows, columns, chances = self._all
        return self._sparse(chances, rows, columns)

    @cached_property
    def inwards(self) -> csr_array:
        """p(x|x′) of moves to each x from each other x′."""
        rows, columns, chances = self._moves
        return self._sparse(chances, columns, rows)

    @cached_property
    def outwards(self) -> csr_array:
        """The same, of moves from each x′."""
        rows, columns, chances = self._moves
        return self._sparse(chances, rows, columns)

    @cached_property
    def log_inwards(self) -> LogMoves:
        """The logarithms of ``inwards``."""
        return LogMoves(self.inwards)

    @cached_property
    def log_outwards(self) -> LogMoves:
        """The logarithms of ``outwards``."""
        return LogMoves(self.outwards)

    @cached_property
    def log_stays(self) -> Floats:
        """The logarithms of ``stays``."""
        return logarithms(self.stays)

    def _sparse(self, chances: Floats, rows: Codes, columns: Codes) -> csr_array:
        from scipy.sparse import csr_array

        at = rows.astype(np.int32), columns.astype(np.int32)
        return csr_array((chances, at), shape=(len(self.stays), len(self.stays)))


class LogMoves:
    """Moves by their logarithms, row by row; a row may have none."""

    def __init__(self, moves: csr_array) -> None:
        self._logs, self._indices, self._ends = np.log(moves.data), moves.indices, moves.indptr
        self._counts = np.diff(moves.indptr)
        self._filled = np.flatnonzero(self._counts)
        self._starts = moves.indptr[self._filled]

    def products(self, state: Floats) -> Floats:
        """log Σ e^(move + state) of each row."""
        found = np.full(len(state), -math.inf)
        if len(self._filled):
            terms = self._logs + state[self._indices]
            largest = np.maximum.reduceat(terms, self._starts)
            shift = np.where(np.isfinite(largest), largest, 0.0)
            terms = np.exp(terms - np.repeat(shift, self._counts[self._filled]))
            found[self._filled] = shift + logarithms(np.add.reduceat(terms, self._starts))
        return found


def logarithms(values: Floats) -> Floats:
    """Minus infinity where a value is 0."""
    return np.log(values, where=values > 0, out=np.full(values.shape, -math.inf))

"""Movement and reports of one trace, laid out for products with the sparse transitions."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leakgauge.location.tracking.evidence import Evidence
from leakgauge.location.tracking.movement import Movement
from leakgauge.probability.cells import Codes, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Chain:
    """Movement and evidence of one trace, laid out for products.

    Someone who stays may repeat a report, so staying is kept apart from moving.
    """

    def __init__(self, movement: Movement, evidence: Evidence) -> None:
        self.start, self.evidence, self.areas = movement.start.probabilities, evidence, len(movement.areas)
        rows, columns, chances = movement.transitions.cells.nonzero()
        own = rows == columns
        self.stays = np.zeros(self.areas)
        self.stays[rows[own]] = chances[own]
        self._moves = rows[~own], columns[~own], chances[~own]

    def __len__(self) -> int:
        return len(self.evidence)

    @cached_property
    def moves_in(self) -> csr_array:
        """p(x|x′) of moves to each x from each other x′."""
        rows, columns, chances = self._moves
        return self._sparse(chances, columns, rows)

    @cached_property
    def moves_out(self) -> csr_array:
        """The same, of moves from each x′."""
        rows, columns, chances = self._moves
        return self._sparse(chances, rows, columns)

    def _sparse(self, chances: Floats, rows: Codes, columns: Codes) -> csr_array:
        from scipy.sparse import csr_array

        return csr_array((chances, (rows.astype(np.int32), columns.astype(np.int32))), shape=(self.areas, self.areas))

    @cached_property
    def log_moves_in(self) -> LogMoves:
        """The logarithms of ``moves_in``."""
        return LogMoves(self.moves_in)

    @cached_property
    def log_moves_out(self) -> LogMoves:
        """The logarithms of ``moves_out``."""
        return LogMoves(self.moves_out)

    @cached_property
    def log_stays(self) -> Floats:
        """The logarithms of ``stays``."""
        return logarithms(self.stays)

    def log_stay(self, step: int) -> Floats:
        """log of how likely the report of a step is for someone who stayed, given each area."""
        if not self.evidence.repeated:
            return self.evidence.logs(step)
        return np.full(self.areas, 0.0 if self.evidence.repeats(step) else -math.inf)


class LogMoves:
    """Moves by their logarithms, row by row; a row may have none."""

    def __init__(self, moves: csr_array) -> None:
        self._logs, self._indices, self._ends = np.log(moves.data), moves.indices, moves.indptr
        self._counts = np.diff(moves.indptr)
        self._filled = np.flatnonzero(self._counts)
        self._starts = moves.indptr[self._filled]

    def row(self, area: int) -> tuple[Codes, Floats]:
        """The other ends of the moves of one area, and their logarithms."""
        part = slice(self._ends[area], self._ends[area + 1])
        return self._indices[part], self._logs[part]

    def rows(self, areas: Codes) -> tuple[Codes, Codes, Floats]:
        """The same of several areas: which of them, the other ends and the logarithms."""
        counts = self._counts[areas]
        which = np.repeat(np.arange(len(areas)), counts)
        at = np.arange(len(which)) + np.repeat(self._ends[areas] - (np.cumsum(counts) - counts), counts)
        return which, self._indices[at], self._logs[at]

    def maxima(self, state: Floats) -> Floats:
        """The largest sum of a move and its state, of each row."""
        found = np.full(len(state), -math.inf)
        if len(self._filled):
            found[self._filled] = np.maximum.reduceat(self._logs + state[self._indices], self._starts)
        return found

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

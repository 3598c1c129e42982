"""Normal equations AᵀA + a diagonal, solved along the diagonal alone where far letters do not touch each other.

At steep slopes a kernel hardly reaches beyond the next letters. Where the letters are in a good order, as numbers are,
the linear system of a Newton step is then a narrow band.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from leakgauge.probability.cells import Codes, Floats

FAINT = 1e-12
"""Entries below it are left out of the linear system, which only directs the search; never of a bound."""
NARROW = 3
"""The band is used where it is at most one part in this many of the system."""
BLOCK = 64
"""Columns of the band made at a time."""


class Band:
    """Which columns of a non-negative matrix have a row in common, seen in the order they stand in."""

    def __init__(self, matrix: Floats) -> None:
        self._matrix = matrix

    @cached_property
    def _rows(self) -> tuple[Codes, Codes]:
        """The first and the last row that matters to each column; all rows where none does."""
        matters = self._matrix > FAINT
        return matters.argmax(axis=0), len(matters) - 1 - matters[::-1].argmax(axis=0)

    def width(self, columns: Codes) -> int | None:
        """How far apart in this list of columns two of them still meet; None where that is not near."""
        if len(columns) < 4 * BLOCK:
            return None
        first, last = self._rows[0][columns], self._rows[1][columns]
        earliest = np.minimum.accumulate(first[::-1])[::-1]
        furthest = np.searchsorted(earliest, last, side="right") - 1
        width = int((furthest - np.arange(len(columns))).max())
        return width if NARROW * width <= len(columns) else None

    def solver(
        self, of_rows: Floats, columns: Codes, of_columns: Floats, diagonal: Floats
    ) -> Callable[[Floats], Floats] | None:
        """What solves (SᵀS + diagonal) x = b for x, S some columns scaled; None where rounding makes it singular.

        The columns taken are multiplied by ``of_columns``, rows by ``of_rows``; the diagonal is above 0.
        """
        from scipy.linalg import lapack

        width = self.width(columns)
        if width is None:
            taken = self._matrix if len(columns) == self._matrix.shape[1] else self._matrix[:, columns]
            scaled = of_rows[:, None] * taken * of_columns
            system = scaled.T @ scaled
            system[np.diag_indices(len(system))] += diagonal
            whole, failed = lapack.dpotrf(system, lower=1, overwrite_a=1)
            return None if failed else lambda right: np.asarray(lapack.dpotrs(whole, right, lower=1)[0])
        band = self._diagonals(of_rows, columns, of_columns, width)
        band[0] += diagonal
        factor, failed = lapack.dpbtrf(band, lower=1)
        return None if failed else lambda right: np.asarray(lapack.dpbtrs(factor, right, lower=1)[0])

    def _diagonals(self, of_rows: Floats, columns: Codes, of_columns: Floats, width: int) -> Floats:
        """The diagonals of SᵀS, from the main one to the one this far below."""
        first, last = self._rows[0][columns], self._rows[1][columns]
        count = len(columns)
        band = np.zeros((width + 1, count), order="F")
        for at in range(0, count, BLOCK):
            end = min(at + BLOCK, count)
            rows = slice(int(first[at:end].min()), int(last[at:end].max()) + 1)
            products = np.zeros((end - at + width, end - at))
            reached = self._matrix[rows, columns[at : end + width]] * of_rows[rows, None] * of_columns[at : end + width]
            products[: reached.shape[1]] = reached.T @ reached[:, : end - at]
            row, column = products.strides
            band[:, at:end] = np.lib.stride_tricks.as_strided(
                products, (width + 1, end - at), (row, row + column), writeable=False
            )
        return band

"""Non-negative tables of two axes, dense where small and by their non-zero cells where large.

A measure is written once, against this interface: ``values`` are the cells in the table's own layout,
``across_rows(v)`` and ``across_columns(v)`` spread a vector over them, ``row_sums`` and ``column_sums`` gather.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.errors import InputError, ModelError

Floats: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.int64]
Truths: TypeAlias = npt.NDArray[np.bool_]

DENSE_CELLS = 1 << 20
"""Up to here (8 MiB) a table is always dense; beyond, only when a quarter of it is filled."""
LARGEST = 1 << 26
"""No computation expands to more cells than this (512 MiB dense)."""


class DenseCells:
    """Every cell stored; read-only."""

    def __init__(self, array: Floats) -> None:
        self.values = array
        self.shape = (array.shape[0], array.shape[1])
        array.setflags(write=False)

    def across_rows(self, vector: Floats) -> Floats:
        """One number per row, spread over the cells of that row."""
        return vector[:, None]

    def across_columns(self, vector: Floats) -> Floats:
        """One number per column, spread over the cells of that column."""
        return vector[None, :]

    def row_sums(self, values: Floats | None = None) -> Floats:
        """Sum over each row, of ``values`` laid out like the cells, by default the cells themselves."""
        return np.asarray((self.values if values is None else values).sum(axis=1))

    def column_sums(self, values: Floats | None = None) -> Floats:
        """Sum over each column."""
        return np.asarray((self.values if values is None else values).sum(axis=0))

    def column_maxima(self) -> Floats:
        """Largest cell of each column."""
        return np.asarray(self.values.max(axis=0))

    def descending_in_columns(self) -> Floats:
        """Rank of each cell within its column, from 1 for the largest, laid out like the cells."""
        order = np.argsort(-self.values, axis=0, kind="stable")
        ranks = np.empty(self.shape)
        np.put_along_axis(ranks, order, np.arange(1.0, self.shape[0] + 1.0)[:, None], axis=0)
        return ranks

    def with_values(self, values: Floats) -> Cells:
        """The same layout with other values."""
        return DenseCells(values)

    def transpose(self) -> Cells:
        """Rows and columns exchanged."""
        return DenseCells(self.values.T)

    def dense(self) -> Floats:
        """The whole table as one array."""
        return self.values

    def nonzero(self) -> tuple[Codes, Codes, Floats]:
        """Row, column and value of every cell above zero, sorted by row, then column."""
        rows, columns = np.nonzero(self.values)
        return rows.astype(np.int64), columns.astype(np.int64), self.values[rows, columns]


class SparseCells:
    """Only cells above zero stored, sorted by row, then column; read-only, with the members of ``DenseCells``."""

    def __init__(self, shape: tuple[int, int], rows: Codes, columns: Codes, values: Floats) -> None:
        self.shape = shape
        self._rows, self._columns, self.values = rows, columns, values
        for array in (rows, columns, values):
            array.setflags(write=False)

    def across_rows(self, vector: Floats) -> Floats:
        return vector[self._rows]

    def across_columns(self, vector: Floats) -> Floats:
        return vector[self._columns]

    def row_sums(self, values: Floats | None = None) -> Floats:
        return sums_by(self._rows, self.values if values is None else values, self.shape[0])

    def column_sums(self, values: Floats | None = None) -> Floats:
        return sums_by(self._columns, self.values if values is None else values, self.shape[1])

    def column_maxima(self) -> Floats:
        maxima = np.zeros(self.shape[1])
        np.maximum.at(maxima, self._columns, self.values)
        return maxima

    def descending_in_columns(self) -> Floats:
        order = np.lexsort((-self.values, self._columns))
        columns = self._columns[order]
        first = np.searchsorted(columns, columns)
        ranks = np.empty(len(order))
        ranks[order] = np.arange(1.0, len(order) + 1.0) - first
        return ranks

    def with_values(self, values: Floats) -> Cells:
        return SparseCells(self.shape, self._rows, self._columns, values)

    def transpose(self) -> Cells:
        order = np.lexsort((self._rows, self._columns))
        shape = (self.shape[1], self.shape[0])
        return SparseCells(shape, self._columns[order], self._rows[order], self.values[order])

    def dense(self) -> Floats:
        if self.shape[0] * self.shape[1] > LARGEST:
            raise InputError(
                "A table of {rows} × {columns} cells is too large to hold whole; work on its non-zero cells.",
                rows=self.shape[0],
                columns=self.shape[1],
            )
        array = np.zeros(self.shape)
        array[self._rows, self._columns] = self.values
        return array

    def nonzero(self) -> tuple[Codes, Codes, Floats]:
        return self._rows, self._columns, self.values


Cells: TypeAlias = DenseCells | SparseCells


def scaled_rows(cells: Cells, factors: Floats) -> Cells:
    """Every row times its factor."""
    return cells.with_values(cells.values * cells.across_rows(factors))


def log_or_zero(values: Floats) -> Floats:
    """Natural logarithms, with 0 in place of minus infinity."""
    positive = values > 0
    if positive.all():
        return np.log(values)
    return np.log(values, where=positive, out=np.zeros(values.shape))


def sums_by(codes: Codes, values: Floats, size: int) -> Floats:
    """Sum of the values of each code from 0 to ``size`` − 1."""
    return np.bincount(codes, values, size).astype(np.float64, copy=False)


def gather(shape: tuple[int, int], rows: Codes, columns: Codes, values: Floats) -> Cells:
    """Cells from coordinates in any order; equal coordinates add up, zeros vanish."""
    key, size = rows * shape[1] + columns, shape[0] * shape[1]
    if size <= DENSE_CELLS:
        return DenseCells(sums_by(key, values, size).reshape(shape))
    if len(key) and np.all(key[1:] > key[:-1]):
        summed, unique = values, key
    else:
        unique, inverse = np.unique(key, return_inverse=True)
        summed = sums_by(inverse, values, len(unique))
    filled = summed > 0
    if not filled.all():
        unique, summed = unique[filled], summed[filled]
    cells = SparseCells(shape, unique // shape[1], unique % shape[1], np.array(summed, dtype=np.float64))
    return DenseCells(cells.dense()) if size <= LARGEST and 4 * len(unique) >= size else cells


def chain(left: Cells, right: Cells) -> Cells:
    """Matrix product, by whichever layout is smaller."""
    shape = (left.shape[0], right.shape[1])
    if isinstance(left, DenseCells) and isinstance(right, DenseCells) and shape[0] * shape[1] <= LARGEST:
        return DenseCells(left.values @ right.values)
    rows, middle, weight = left.nonzero()
    of_pair, _, columns, factor = follow(middle, right)
    return gather(shape, rows[of_pair], columns, weight[of_pair] * factor)


def follow(starts: Codes, right: Cells) -> tuple[Codes, Codes, Codes, Floats]:
    """Every way on from ``starts`` (rows of ``right``): which start, its row, the column reached, the cell."""
    rows, columns, values = right.nonzero()
    first = np.searchsorted(rows, starts, side="left")
    length = np.searchsorted(rows, starts, side="right") - first
    total = int(length.sum())
    if total > LARGEST:
        raise InputError(
            "Joining these tables would make {total} cells, more than the {limit} allowed; merge rare labels first.",
            total=total,
            limit=LARGEST,
        )
    start = np.repeat(np.arange(len(starts)), length)
    offset = np.arange(total) - np.repeat(np.cumsum(length) - length, length)
    at = first[start] + offset
    return start, starts[start], columns[at], values[at]


def as_matrix(matrix: object, role: str) -> Floats:
    """A private copy as a two-axis array of finite, non-negative floats."""
    array = as_floats(matrix, role)
    if array.ndim != 2:
        raise ModelError("The {role} have {axes} axes instead of 2; give rows and columns.", role=role, axes=array.ndim)
    return array


def as_floats(values: object, role: str) -> Floats:
    """A private copy as finite, non-negative floats."""
    try:
        given = np.array(values)
        # numpy would read the text "0.5" as a number; among numbers it is a slip of whoever wrote it.
        kind = given.dtype.kind
        if kind not in "biufO" or (kind == "O" and any(isinstance(value, str) for value in given.flat)):
            raise TypeError
        array = given.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise ModelError("The {role} are not all numbers; give a number for each.", role=role) from None
    except OverflowError:
        raise ModelError("The {role} contain a number too large for a float; give smaller ones.", role=role) from None
    require_non_negative(array, role)
    return array


def as_codes(values: npt.ArrayLike) -> Codes:
    """Positions of labels, as whole numbers."""
    try:
        return np.asarray(values, dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        raise ModelError("The codes are not all whole numbers; give the position of each label, from 0.") from None


def require_non_negative(array: npt.NDArray[Any], role: str) -> None:
    """Refuse NaN, infinity and anything below zero, naming the first value found."""
    # One pass for the common case: min() is NaN if any value is, max() shows infinity.
    if array.size and not (array.min() >= 0 and array.max() < np.inf):
        found = array[~(np.isfinite(array) & (array >= 0))].flat[0]
        raise ModelError(
            "The {role} contain {found}; give finite numbers of at least 0.", role=role, found=float(found)
        )

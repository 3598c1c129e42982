"""What a joint and a channel share: two alphabets and the cells between them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from leakgauge import notebook
from leakgauge.arguments import checked
from leakgauge.errors import ModelError
from leakgauge.probability.cells import Cells, DenseCells, Floats, as_codes, as_floats, as_matrix, gather
from leakgauge.probability.distribution import Frozen
from leakgauge.probability.labels import Label, alphabet, position


class TwoWay(Frozen):
    """Labelled rows and columns with a non-negative number for each pair."""

    _row_role = "rows"
    _column_role = "columns"
    _symbol = "p(x, z)"
    cells: Cells

    @checked
    def __init__(self, rows: Iterable[Label], columns: Iterable[Label], matrix: object) -> None:
        array = as_matrix(matrix, "probabilities")
        self._adopt(alphabet(rows, self._row_role), alphabet(columns, self._column_role), DenseCells(array))
        self.cells = self._normalised(self.cells)
        self._seal()

    @classmethod
    @checked
    def from_cells(
        cls,
        rows: Iterable[Label],
        columns: Iterable[Label],
        row_codes: npt.ArrayLike,
        column_codes: npt.ArrayLike,
        values: object,
    ) -> Self:
        """The table whose cell (rows[i], columns[j]) is given for some pairs only and 0 elsewhere.

        Args:
            row_codes: position of each given cell's row, from 0.
            column_codes: position of each given cell's column, from 0.
            values: the given cells; a pair given twice adds up.
        """
        row_labels, column_labels = alphabet(rows, cls._row_role), alphabet(columns, cls._column_role)
        i, j = as_codes(row_codes), as_codes(column_codes)
        array = as_floats(values, "probabilities")
        if not i.shape == j.shape == array.shape or array.ndim != 1:
            raise ModelError("Row codes, column codes and values differ in length; give one of each per cell.")
        for codes, letters in ((i, row_labels), (j, column_labels)):
            if len(codes) and not (codes.min() >= 0 and codes.max() < len(letters)):
                raise ModelError(
                    "A cell's code is not from 0 to {last}; give the position of each label.", last=len(letters) - 1
                )
        cells = gather((len(row_labels), len(column_labels)), i, j, array)
        return cls._trusted(row_labels, column_labels, cls._normalised(cells))

    @classmethod
    def _trusted(cls, rows: tuple[Label, ...], columns: tuple[Label, ...], cells: Cells) -> Self:
        """Without looking again: for results of our own arithmetic only."""
        table = cls.__new__(cls)
        table._adopt(rows, columns, cells)
        table._seal()
        return table

    def _adopt(self, rows: tuple[Label, ...], columns: tuple[Label, ...], cells: Cells) -> None:
        if cells.shape != (len(rows), len(columns)):
            raise ModelError(
                "The matrix is {found_rows} × {found_columns} for {rows} {row_role} and {columns} {column_role}; "
                "give one row and one column for each.",
                found_rows=cells.shape[0],
                found_columns=cells.shape[1],
                rows=len(rows),
                columns=len(columns),
                row_role=self._row_role,
                column_role=self._column_role,
            )
        self._rows, self._columns, self.cells = rows, columns, cells

    @staticmethod
    @abstractmethod
    def _normalised(cells: Cells) -> Cells:
        """The cells with their totals mended within rounding; refused where they are not probabilities."""

    @cached_property
    def _row_index(self) -> dict[Label, int]:
        return {label: at for at, label in enumerate(self._rows)}

    def _row_position(self, label: Label) -> int:
        return position(self._rows, self._row_index, label, self._row_role)

    @property
    def matrix(self) -> Floats:
        """The whole table as a read-only array; refused where it would not fit."""
        array = self.cells.dense()
        array.setflags(write=False)
        return array

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, TwoWay):
            return NotImplemented
        same_letters = self._rows == other._rows and self._columns == other._columns
        return same_letters and all(
            np.array_equal(a, b) for a, b in zip(self.cells.nonzero(), other.cells.nonzero(), strict=True)
        )

    def __hash__(self) -> int:
        return hash((self._rows, self._columns))

    _repr_html_ = notebook.shown

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self._rows)} {self._row_role} × {len(self._columns)} {self._column_role})"

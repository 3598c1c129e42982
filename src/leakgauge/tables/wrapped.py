"""A table that answers by asking another one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from leakgauge.tables.binnings import Binning, Learnt, Quantiles
from leakgauge.tables.row_samples import RowSample
from leakgauge.tables.table import Column, GroupSizes, PartWriter, Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from leakgauge.randomness.row_order import RowOrder


class WrappedTable(Table):
    """Another table, asked for everything that a kind of wrapped table does not answer itself."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.bins, self.takes_levels = table.bins, table.takes_levels

    def _gathered(self, columns: Iterable[str], bins: Mapping[str, Binning] | None) -> Mapping[str, Binning] | None:
        """How the other table gathers these columns, if it is asked for them in these bins."""
        return bins

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self._table.rows

    def columns(self) -> tuple[Column, ...]:
        """The columns in the table's order."""
        return self._table.columns()

    def digests(
        self, sets: Sequence[Sequence[str]], bins: Mapping[str, Binning] | None = None
    ) -> list[npt.NDArray[np.uint64]]:
        """For each set of columns, a number per row that is the same where rows agree in all of them."""
        return self._table.digests(sets, self._gathered((name for names in sets for name in names), bins))

    def group_sizes(
        self, sets: Sequence[Sequence[str]], bins: Mapping[str, Binning] | None = None, *, unit: str | None = None
    ) -> list[GroupSizes]:
        """For each set of columns, the sizes of the groups of rows that agree in them; asked of the table itself."""
        gathered = self._gathered((name for names in sets for name in names), bins)
        return self._table.group_sizes(sets, gathered, unit=unit)

    def learnt(self, column: str, quantiles: Quantiles) -> Learnt:
        """The edges that the quantiles of a column give, rounded."""
        return self._table.learnt(column, quantiles)

    def batches(
        self, *columns: str, bins: Mapping[str, Binning] | None = None, size: int = 65536
    ) -> Iterator[pa.RecordBatch]:
        """The rows of some columns, by default all, as record batches of at most ``size`` rows; bins as text."""
        return self._table.batches(*columns, bins=self._gathered(columns, bins), size=size)

    def drawn(
        self, *columns: str, sample: RowSample, bins: Mapping[str, Binning] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a sample, in the table's order."""
        return self._table.drawn(*columns, sample=sample, bins=self._gathered(columns, bins))

    def few(self, *columns: str, bins: Mapping[str, Binning] | None = None, most: int = 64) -> pa.RecordBatch | None:
        """Some rows, for what they look like."""
        return self._table.few(*columns, bins=self._gathered(columns, bins), most=most)

    def writing(
        self,
        columns: Sequence[str],
        write: PartWriter,
        folder: Path,
        bins: Mapping[str, Binning] | None = None,
        *,
        order: RowOrder | None = None,
    ) -> Callable[[], None]:
        """An action that has rows written where they are, as Parquet files into an empty folder."""
        return self._table.writing(columns, write, folder, self._gathered(columns, bins), order=order)

    def close(self) -> None:
        """Close the source; the table cannot be used afterwards."""
        self._table.close()

"""Tables that ask another one: for everything, or for columns that are changed while rows stream, in all engines."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from leakgauge.arguments import checked
from leakgauge.errors import ColumnError
from leakgauge.probability import Counts
from leakgauge.randomness.row_order import RowOrder
from leakgauge.tables import arrow as pa
from leakgauge.tables.aggregates import counted_batches, counts_from_groups, require_within
from leakgauge.tables.binnings import Bins, Learnt, Quantiles
from leakgauge.tables.sampling import RowSample
from leakgauge.tables.table import LARGEST, Column, Digests, GroupSizes, Kind, Moments, PartWriter, Table


class WrappedTable(Table):
    """Another table, asked for everything that a kind of wrapped table does not answer itself."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.bins, self.takes_levels = table.bins, table.takes_levels

    def _gathered(self, columns: Iterable[str], bins: Bins | None) -> Bins | None:
        """How the other table gathers these columns, if it is asked for them in these bins."""
        return bins

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self._table.rows

    def columns(self) -> tuple[Column, ...]:
        """The columns in the table's order."""
        return self._table.columns()

    def digests(self, sets: Sequence[Sequence[str]], bins: Bins | None = None) -> list[Digests]:
        """For each set of columns, a number per row that is the same where rows agree in all of them."""
        return self._table.digests(sets, self._gathered((name for names in sets for name in names), bins))

    def group_sizes(
        self, sets: Sequence[Sequence[str]], bins: Bins | None = None, *, unit: str | None = None
    ) -> list[GroupSizes]:
        """For each set of columns, the sizes of the groups of rows that agree in them; asked of the table itself."""
        gathered = self._gathered((name for names in sets for name in names), bins)
        return self._table.group_sizes(sets, gathered, unit=unit)

    def learnt(self, column: str, quantiles: Quantiles) -> Learnt:
        """The bin edges at the quantiles of a column, rounded."""
        return self._table.learnt(column, quantiles)

    def batches(self, *columns: str, bins: Bins | None = None, size: int = 65536) -> Iterator[pa.RecordBatch]:
        """The rows of some columns, by default all, as record batches of at most ``size`` rows; bins as text."""
        return self._table.batches(*columns, bins=self._gathered(columns, bins), size=size)

    def drawn(self, *columns: str, sample: RowSample, bins: Bins | None = None) -> Iterator[pa.RecordBatch]:
        """The rows of a sample, in the table's order."""
        return self._table.drawn(*columns, sample=sample, bins=self._gathered(columns, bins))

    def few(self, *columns: str, bins: Bins | None = None, most: int = 64) -> pa.RecordBatch | None:
        """Some rows, for what they look like."""
        return self._table.few(*columns, bins=self._gathered(columns, bins), most=most)

    def writing(
        self,
        columns: Sequence[str],
        write: PartWriter,
        folder: Path,
        bins: Bins | None = None,
        *,
        order: RowOrder | None = None,
    ) -> Callable[[], None]:
        """An action that has rows written where they are, as Parquet files into an empty folder."""
        return self._table.writing(columns, write, folder, self._gathered(columns, bins), order=order)

    def close(self) -> None:
        """Close the source; the table cannot be used afterwards."""
        self._table.close()


class StreamedTable(WrappedTable):
    """Another table, some of whose columns are changed row by row."""

    def __init__(self, table: Table, columns: Iterable[str]) -> None:
        super().__init__(table)
        self.unchanged = table
        self._touched = frozenset(columns)

    @abstractmethod
    def _changed(self, name: str, column: pa.Array, row: int) -> pa.Array:
        """Some rows of a column as they are seen; ``row`` is the number of the first."""

    # Columns that are changed here are known here alone.
    few, writing, group_sizes = Table.few, Table.writing, Table.group_sizes

    @checked
    def counts(self, *columns: str, bins: Bins | None = None, limit: int = LARGEST) -> Counts:
        """How often each combination of values occurs, one axis per column; bins are in order."""
        if self._touched.isdisjoint(columns):
            return self.unchanged.counts(*columns, bins=bins, limit=limit)
        groups = counted_batches(self.batches(*columns, bins=bins), len(columns))
        require_within(groups.num_rows, columns, limit)
        namings: list[Any] = []
        for at, name in enumerate(columns):
            if name not in self.bins and name not in (bins or {}):
                namings.append(None)
                continue
            further = {name: bins[name]} if bins and name in bins else None
            labels = [one for one in self.unchanged.counts(name, bins=further).labels(name) if one is not None]
            texts = pa.array([str(one) for one in labels], pa.string())
            groups = groups.set_column(at, str(at), pa.compute.index_in(groups.column(at), value_set=texts))
            namings.append(labels.__getitem__)
        return counts_from_groups(groups, columns, namings)

    @checked
    def moments(self, *columns: str) -> dict[str, Moments]:
        """The moments of each column by its name; without names, of all numeric columns that are whole."""
        for name in self._touched.intersection(columns):
            raise ColumnError(
                "Column {name!r} is coarser or suppressed in part, but moments need its numbers; choose another "
                "column.",
                name=name,
            )
        numeric = [one.name for one in self.columns() if one.kind in (Kind.INT, Kind.FLOAT)]
        return self.unchanged.moments(*(columns or (name for name in numeric if name not in self._touched)))

    def digests(self, sets: Sequence[Sequence[str]], bins: Bins | None = None) -> list[Digests]:
        """For each set of columns, a number per row that is the same where rows agree in all of them."""
        if self._touched.isdisjoint(name for names in sets for name in names):
            return super().digests(sets, bins)
        return Table.digests(self, sets, bins)

    def batches(self, *columns: str, bins: Bins | None = None, size: int = 65536) -> Iterator[pa.RecordBatch]:
        """The rows of some columns, by default all, as record batches of at most ``size`` rows; bins as text."""
        names = columns or tuple(one.name for one in self.columns())
        rows = super().batches(*names, bins=bins, size=size)
        return rows if self._touched.isdisjoint(names) else self._streamed(rows)

    def drawn(self, *columns: str, sample: RowSample, bins: Bins | None = None) -> Iterator[pa.RecordBatch]:
        """The rows of a sample, in the table's order; by the engine where none of the columns is changed here."""
        if self._touched.isdisjoint(columns or (one.name for one in self.columns())):
            return super().drawn(*columns, sample=sample, bins=bins)
        return Table.drawn(self, *columns, sample=sample, bins=bins)

    def _streamed(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        row = 0
        for batch in batches:
            columns = [
                self._changed(name, column, row) if name in self._touched else column
                for name, column in zip(batch.schema.names, batch.columns, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
            row += batch.num_rows


class ReplacedTable(StreamedTable):
    """Another table with other values in some of its columns, which stand in the order of its rows."""

    def __init__(self, table: Table, values: Mapping[str, pa.Array]) -> None:
        super().__init__(table, values)
        self._values = values

    def _changed(self, name: str, column: pa.Array, row: int) -> pa.Array:
        return self._values[name].slice(row, len(column))

"""A table with some columns in bins: the bins are counted, streamed and released."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from leakgauge.arguments import checked
from leakgauge.errors import ColumnError
from leakgauge.probability import Counts, Interval
from leakgauge.tables.binnings import Binning, Bins, Learnt, Quantiles
from leakgauge.tables.chosen_bins import settled
from leakgauge.tables.coarser import CoarserTable
from leakgauge.tables.levels import Levels
from leakgauge.tables.streamed import WrappedTable
from leakgauge.tables.table import LARGEST, Column, GroupSizes, Kind, Moments, Table


class BinnedTable(WrappedTable):
    """Another table with some of its columns in bins, which are texts such as ``[30, 40)``; made by ``in_bins``."""

    def __init__(self, table: Table, bins: Bins) -> None:
        streamed = {name: how for name, how in bins.items() if isinstance(how, Levels) and not table.takes_levels}
        super().__init__(CoarserTable(table, streamed) if streamed else table)
        self._fixed = {name: _fixed(table, name, how) for name, how in bins.items() if name not in streamed}
        self.bins = {**self._fixed, **streamed}

    def columns(self) -> tuple[Column, ...]:
        """The columns in the table's order; a bin is a text."""
        return tuple(Column(one.name, Kind.STRING) if one.name in self.bins else one for one in self._table.columns())

    @checked
    def counts(self, *columns: str, bins: Bins | None = None, limit: int = LARGEST) -> Counts:
        """How often each combination of values occurs, one axis per column; bins are in order."""
        own = self._own(columns)
        found = self._table.counts(*columns, bins=self._gathered(columns, bins), limit=limit)
        axes = {name: found.labels(name) for name in found.names}
        texts = {name: tuple(str(one) if isinstance(one, Interval) else one for one in axes[name]) for name in own}
        return Counts.from_cells({**axes, **texts}, list(found.codes), found.counts) if own else found

    @checked
    def moments(self, *columns: str) -> dict[str, Moments]:
        """The moments of each column by its name; without names, of all numeric columns."""
        for name in self.bins.keys() & set(columns):
            raise ColumnError("Column {name!r} is in bins, but moments need numbers; leave its bins out.", name=name)
        kinds = (Kind.INT, Kind.FLOAT)
        return self._table.moments(*(columns or (one.name for one in self.columns() if one.kind in kinds)))

    def group_sizes(
        self, sets: Sequence[Sequence[str]], bins: Bins | None = None, *, unit: str | None = None
    ) -> list[GroupSizes]:
        """For each set of columns, the sizes of the groups of rows that agree in them."""
        # Persons in bins are known here alone.
        return (Table if unit in self.bins else WrappedTable).group_sizes(self, sets, bins, unit=unit)

    def learnt(self, column: str, quantiles: Quantiles) -> Learnt:
        """The bin edges at the quantiles of a column, rounded."""
        self._require_open({column: quantiles})
        return super().learnt(column, quantiles)

    def _own(self, columns: Iterable[str]) -> dict[str, Binning]:
        return {name: self._fixed[name] for name in columns if name in self._fixed}

    def _gathered(self, columns: Iterable[str], bins: Bins | None) -> Bins:
        self._require_open(bins or {})
        # Where no column is named, all of them are meant.
        return {**self._own(tuple(columns) or self._fixed), **(bins or {})}

    def _require_open(self, bins: Bins) -> None:
        for name in bins:
            if name in self.bins:
                raise ColumnError("Column {name!r} is already in bins; bin it once.", name=name)


@checked
def in_bins(table: Table, bins: Bins) -> Table:
    """The table with some of its columns in bins, wherever they are counted, streamed or released.

    Raises:
        ColumnError: a column that is unknown or cannot be binned this way, or whose values all fall into one bin.

    Example:
        >>> import pyarrow as pa
        >>> from leakgauge.tables import open_table
        >>> from leakgauge.tables.binnings import Width
        >>> with open_table(pa.table({"age": [31, 38, 45]})) as people:
        ...     decades = in_bins(people, {"age": Width(10)})
        ...     next(decades.batches("age")).column("age").to_pylist()
        ['[30, 40)', '[30, 40)', '[40, 50)']
    """
    return BinnedTable(table, bins) if bins else table


def _fixed(table: Table, name: str, binning: Binning) -> Binning:
    found = settled(table, name, binning)
    if isinstance(found, Learnt) and not found.cuts:
        raise ColumnError("All values of column {column!r} fall into one bin or level; use finer ones.", column=name)
    # No row is read; a column that cannot be binned so is refused here and now.
    table.batches(name, bins={name: found})
    return found

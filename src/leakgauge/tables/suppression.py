"""A table in which the public values of rows in small groups are missing: in what is counted, streamed and released."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from leakgauge.errors import ColumnError, OptionError
from leakgauge.probability import Counts
from leakgauge.tables.aggregates import counted_batches, counts_from_groups, require_within
from leakgauge.tables.binned import BinnedTable
from leakgauge.tables.binnings import Binning, Learnt, Quantiles
from leakgauge.tables.table import LARGEST, Column, Kind, Moments, Table

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa


@dataclass(frozen=True)
class Suppression:
    """Rows that agree in some columns with fewer than so many rows, themselves included, are missing in all of them.

    Attributes:
        columns: those that leave, which are compared and suppressed together.
        unit: a column whose values are persons; then a group has so many persons.
    """

    columns: tuple[str, ...]
    below: int
    unit: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.below, bool) or not isinstance(self.below, int) or self.below < 2:
            raise OptionError(
                "Suppressing groups below {below!r} suppresses none; give a whole number from 2 on.", below=self.below
            )
        if not self.columns:
            raise OptionError("Groups are suppressed in public columns, and there are none; name one as public.")


class SuppressedTable(Table):
    """Another table, in which some columns of rows in small groups are missing; made by ``suppressed``.

    Attributes:
        unsuppressed: that table.
    """

    def __init__(self, table: Table, how: Suppression) -> None:
        self.unsuppressed = table
        self.how = how
        self._hidden = set(how.columns)

    @cached_property
    def mask(self) -> npt.NDArray[np.bool_]:
        """For each row in the table's order whether it is suppressed."""
        (groups,) = self.unsuppressed.digests([self.how.columns])
        people = None if self.how.unit is None else self.unsuppressed.digests([(self.how.unit,)])[0]
        return small_groups(groups, self.how.below, people)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.unsuppressed.rows

    def columns(self) -> tuple[Column, ...]:
        """The columns in the table's order."""
        return self.unsuppressed.columns()

    def counts(self, *columns: str, bins: Mapping[str, Binning] | None = None, limit: int = LARGEST) -> Counts:
        """How often each combination of values occurs, one axis a column; bins stand in their order."""
        import pyarrow.compute as pc

        if self._hidden.isdisjoint(columns):
            return self.unsuppressed.counts(*columns, bins=bins, limit=limit)
        groups = counted_batches(self.batches(*columns, bins=bins), len(columns))
        require_within(groups.num_rows, columns, limit)
        own: Mapping[str, Binning] = self.unsuppressed.bins if isinstance(self.unsuppressed, BinnedTable) else {}
        namings: list[Any] = []
        for at, name in enumerate(columns):
            if name not in own and name not in (bins or {}):
                namings.append(None)
                continue
            further = {name: bins[name]} if bins and name in bins else None
            labels = [one for one in self.unsuppressed.counts(name, bins=further).labels(name) if one is not None]
            places = pc.index_in(groups.column(at), value_set=_texts(labels))
            groups = groups.set_column(at, str(at), places)
            namings.append(labels.__getitem__)
        return counts_from_groups(groups, columns, namings)

    def moments(self, *columns: str) -> dict[str, Moments]:
        """The moments of each column by its name; without names, of all numeric columns that are whole."""
        for name in columns:
            if name in self._hidden:
                raise ColumnError(
                    "Values of column {name!r} are suppressed, and moments need all of them; choose another column.",
                    name=name,
                )
        numeric = [one.name for one in self.columns() if one.kind in (Kind.INT, Kind.FLOAT)]
        return self.unsuppressed.moments(*(columns or (name for name in numeric if name not in self._hidden)))

    def digests(
        self, sets: Sequence[Sequence[str]], bins: Mapping[str, Binning] | None = None
    ) -> list[npt.NDArray[np.uint64]]:
        """For each set of columns a number per row, the same where rows agree in all of them."""
        if self._hidden.isdisjoint(name for names in sets for name in names):
            return self.unsuppressed.digests(sets, bins)
        return super().digests(sets, bins)

    def learnt(self, column: str, quantiles: Quantiles) -> Learnt:
        """The edges that the quantiles of a column give, rounded."""
        return self.unsuppressed.learnt(column, quantiles)

    def batches(
        self, *columns: str, bins: Mapping[str, Binning] | None = None, size: int = 65536
    ) -> Iterator[pa.RecordBatch]:
        """The rows of some columns, by default all, as record batches of at most ``size`` rows; bins as text."""
        names = columns or tuple(one.name for one in self.columns())
        rows = self.unsuppressed.batches(*names, bins=bins, size=size)
        return rows if self._hidden.isdisjoint(names) else self._masked(rows)

    def close(self) -> None:
        """Let go of the source; the table cannot be used afterwards."""
        self.unsuppressed.close()

    def _masked(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        row = 0
        for batch in batches:
            hidden = pa.array(self.mask[row : row + batch.num_rows])
            row += batch.num_rows
            columns = [
                pc.if_else(hidden, pa.scalar(None, column.type), column) if name in self._hidden else column
                for name, column in zip(batch.schema.names, batch.columns, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def suppressed(table: Table, how: Suppression | None) -> Table:
    """The table with the values of small groups missing, wherever they are counted, streamed or released.

    Example:
        >>> import pyarrow as pa
        >>> from leakgauge.tables import open_table
        >>> with open_table(pa.table({"city": ["A", "A", "A", "B", "C"]})) as people:
        ...     next(suppressed(people, Suppression(("city",), 2)).batches()).column("city").to_pylist()
        ['A', 'A', 'A', None, None]
    """
    return table if how is None else SuppressedTable(table, how)


def whole(table: Table) -> Table:
    """The table with the values that are suppressed in it, of a suppressed one; any other as it is."""
    return table.unsuppressed if isinstance(table, SuppressedTable) else table


def small_groups(
    groups: npt.NDArray[np.uint64], below: int, people: npt.NDArray[np.uint64] | None = None
) -> npt.NDArray[np.bool_]:
    """Which rows are in groups of fewer than so many rows or persons, and in those that must be taken with them.

    Suppressed rows agree in having no values: they are a group themselves. Where that group would be too small, the
    next smallest groups join it; of equal ones those that come first, so that the same table gives the same rows.

    Args:
        groups: the group of each row.
        people: the person of each row; by default every row is one.
    """
    _, first, group, sizes = np.unique(groups, return_index=True, return_inverse=True, return_counts=True)
    if people is not None:
        person = np.unique(people, return_inverse=True)[1]
        pairs = np.unique(group.astype(np.int64) * (int(person.max()) + 1) + person)
        sizes = np.bincount(pairs // (int(person.max()) + 1), minlength=len(sizes))
    order = np.lexsort((first, sizes))
    taken = int((sizes < below).sum())
    hidden = np.isin(group, order[:taken])
    if not taken:
        return hidden
    # Towards privacy: groups that are large enough go too, rather than leave a small group of suppressed rows.
    for more in count(taken):
        enough = hidden.sum() if people is None else len(np.unique(people[hidden]))
        if enough >= below or more == len(order):
            return hidden
        hidden |= group == order[more]
    raise AssertionError


def _texts(labels: Sequence[Any]) -> pa.Array:
    import pyarrow as pa

    return pa.array([str(one) for one in labels], pa.string())

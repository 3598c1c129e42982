"""A table that caches its counts, by columns and bins."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias, TypeVar

from leakgauge.arguments import checked
from leakgauge.probability import Counts
from leakgauge.tables.aggregates import require_within
from leakgauge.tables.binnings import Binning, Bins, Learnt, Quantiles
from leakgauge.tables.streamed import WrappedTable
from leakgauge.tables.table import LARGEST, GroupSizes, Moments, Table

Answer = TypeVar("Answer")
Items: TypeAlias = frozenset[tuple[str, Binning]]
"""How columns are binned, in a form that can be looked up."""

_ROOM = 1 << 19
"""Labels and cells of counts that are kept at most: some 200 MB at 400 bytes a label."""


class RememberedTable(WrappedTable):
    """Another table with its aggregates cached; rows are not kept. Made by ``remembered``.

    Counts of some columns also answer for fewer of them, and for their groups.
    """

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._known: dict[Hashable, Any] = {}
        self._counted: dict[tuple[tuple[str, ...], Items], Counts] = {}
        self._room = _ROOM

    @checked
    def counts(self, *columns: str, bins: Bins | None = None, limit: int = LARGEST) -> Counts:
        """How often each combination of values occurs, one axis per column; at most ``limit`` combinations."""
        how = _items(bins)
        found = self._from_counts(columns, how)
        if found is None:
            found = self._table.counts(*columns, bins=bins, limit=limit)
            size = sum(found.shape) + len(found.counts)
            if size <= self._room:
                self._counted[columns, how] = found
                self._room -= size
        require_within(len(found.counts), columns, limit)
        return found

    @checked
    def moments(self, *columns: str) -> dict[str, Moments]:
        """The moments of each column by its name; without names, of all numeric columns."""
        return dict(self._once(("moments", columns), lambda: self._table.moments(*columns)))

    def group_sizes(
        self, sets: Sequence[Sequence[str]], bins: Bins | None = None, *, unit: str | None = None
    ) -> list[GroupSizes]:
        """For each set of columns how rows fall into groups that agree in them; all new sets share one pass."""
        keys = [("groups", tuple(names), _items(bins, names), unit) for names in sets]
        for key in keys if unit is None else ():
            if key not in self._known and (counts := self._from_counts(key[1], key[2])) is not None:
                self._known[key] = GroupSizes.of(key[1], counts.counts)
        new = {key: names for key, names in zip(keys, sets, strict=True) if key not in self._known}
        if new:
            self._known |= zip(new, self._table.group_sizes([*new.values()], bins, unit=unit), strict=True)
        return [self._known[key] for key in keys]

    def learnt(self, column: str, quantiles: Quantiles) -> Learnt:
        """The bin edges at the quantiles of a column, rounded."""
        return self._once(("learnt", column, quantiles), lambda: self._table.learnt(column, quantiles))

    def _from_counts(self, columns: tuple[str, ...], how: Items) -> Counts | None:
        """From counts of these columns in these bins, or of more columns; None where there are none."""
        if (columns, how) in self._counted:
            return self._counted[columns, how]
        wanted = frozenset(columns)
        if not columns or len(wanted) < len(columns):
            return None  # refused by the table
        for (names, bins), counts in self._counted.items():
            if wanted.issubset(names) and how == {(name, one) for name, one in bins if name in wanted}:
                return counts.keep(*columns)
        return None

    def _once(self, key: Hashable, ask: Callable[[], Answer]) -> Answer:
        if key not in self._known:
            self._known[key] = ask()
        found: Answer = self._known[key]
        return found


def _items(bins: Bins | None, names: Sequence[str] | None = None) -> Items:
    return frozenset((name, how) for name, how in (bins or {}).items() if names is None or name in names)


def remembered(table: Table) -> RememberedTable:
    """The table with its aggregates cached, for many settings on the same rows."""
    return table if isinstance(table, RememberedTable) else RememberedTable(table)

"""A table in which the public values of rows in small groups are missing, in counts, batches and releases alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.probability.cells import Truths
from leakgauge.tables import arrow as pa
from leakgauge.tables.streamed import StreamedTable
from leakgauge.tables.table import Digests, Table


@dataclass(frozen=True)
class Suppression:
    """The rule that rows of groups below a size, by the values of some columns, have missing values in these columns.

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
                "Suppressing groups below {below!r} suppresses none; give a whole number of at least 2.",
                below=self.below,
            )
        if not self.columns:
            raise OptionError("Groups are suppressed in public columns, but there are none; name one as public.")


class SuppressedTable(StreamedTable):
    """Another table, in which some columns of rows in small groups are missing; made by ``suppressed``."""

    def __init__(self, table: Table, how: Suppression) -> None:
        super().__init__(table, how.columns)
        self._how = how

    @cached_property
    def mask(self) -> Truths:
        """For each row in the table's order whether it is suppressed."""
        (groups,) = self.unchanged.digests([self._how.columns])
        people = None if self._how.unit is None else self.unchanged.digests([(self._how.unit,)])[0]
        return small_groups(groups, self._how.below, people)

    def _changed(self, name: str, column: pa.Array, row: int) -> pa.Array:
        hidden = pa.array(self.mask[row : row + len(column)])
        return pa.compute.if_else(hidden, pa.scalar(None, column.type), column)


@checked
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
    return table.unchanged if isinstance(table, SuppressedTable) else table


def small_groups(groups: Digests, below: int, people: Digests | None = None) -> Truths:
    """The rows in groups that are too small, and in groups that must be suppressed with them.

    Suppressed rows agree in having no values, so they are a group themselves. If that group would be too small, the
    next smallest groups join it, the first of equals, so that the same table gives the same rows.

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
    for larger in order[taken:]:
        enough = hidden.sum() if people is None else len(np.unique(people[hidden]))
        if enough >= below:
            break
        hidden |= group == larger
    return hidden

"""A column before anything is done to it: its values, and how it stands among the other columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leakgauge.assessment.indicators.associations import Variable, association, plain_numbers, variable
from leakgauge.case.columns import columns_of, letters_of, numbered, sample_of, values_of
from leakgauge.errors import ColumnError, TableError, did_you_mean
from leakgauge.mechanisms import Mechanism
from leakgauge.probability import Label
from leakgauge.probability.cells import Codes, Floats
from leakgauge.release.bound import BoundColumn
from leakgauge.tables import Kind, Table

if TYPE_CHECKING:
    import pyarrow as pa

FEWEST_ROWS = 16
NUMERIC = (Kind.INT, Kind.FLOAT)


@dataclass(frozen=True)
class ColumnFacts:
    """What is known of a column of the table."""

    kind: Kind
    distinct: int
    association: float | None
    """With the column that is protected, from 0 to 1; None of itself, and where none can be told."""


@dataclass(frozen=True, eq=False)
class Source:
    """A column, or several that are read together.

    Attributes:
        names: the columns that are read; nearly always one.
        kind: of the first one's values.
        public: those of the columns read that are released as they are; what they hold is no secret.
    """

    names: tuple[str, ...]
    kind: Kind
    rows: int
    values: tuple[pa.Array, ...] = field(repr=False)
    columns: tuple[ColumnFacts, ...]
    public: tuple[str, ...] = ()
    _counted: dict[tuple[Label, ...], Codes] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """The columns that are protected, in words."""
        return ", ".join([name for name in self.names if name not in self.public] or self.names)

    @cached_property
    def numbers(self) -> Floats:
        """The numbers that are released, missing ones NaN."""
        return plain_numbers(self.values[0], self.kind)

    @cached_property
    def known(self) -> Floats:
        """The numbers that are not missing."""
        return self.numbers[~np.isnan(self.numbers)]

    def filled(self, missing: float | None) -> Floats:
        """The numbers with one that stands for those that are missing; as they are without one."""
        return self.numbers if missing is None else np.where(np.isnan(self.numbers), missing, self.numbers)

    @cached_property
    def secrets(self) -> Codes:
        """The number of what attacks guess in each row."""
        columns = zip(self.values, self.names, strict=True)
        codes = (letters_of(values, name) for values, name in columns if name not in self.public)
        return numbered(*codes, rows=self.rows)

    @cached_property
    def classes(self) -> Codes:
        """The number of what public columns show of each row; all 0 where none is read."""
        columns = zip(self.values, self.names, strict=True)
        codes = (values_of(values, name) for values, name in columns if name in self.public)
        return numbered(*codes, rows=self.rows)

    def counted(self, mechanism: Mechanism, letters: tuple[Label, ...]) -> Codes:
        """How many rows have each secret (rows) and each letter that a mechanism takes (columns).

        The secret is what attacks guess: the value, or of many numbers its tenth. Where letters are values that is the
        letter itself; where they are intervals it is not.
        """
        if letters not in self._counted:
            places = BoundColumn(self.name, mechanism, self.names, self.names).form.inputs(self.values)
            size = int(self.secrets.max()) + 1
            together = np.bincount(self.secrets * len(letters) + places, minlength=size * len(letters))
            self._counted[letters] = together.reshape(size, len(letters)).astype(np.int64)
        return self._counted[letters]


def source_of(table: Table, *names: str, public: Iterable[str] = (), whole: bool = False) -> Source:
    """A column of a table, or several that are read together, beside the other columns.

    Columns that are public, released as they are, are no secret where they are read. Of a large table a sample of rows
    is read, unless the ``whole`` of it is asked for.
    """
    kinds = {column.name: column.kind for column in table.columns()}
    for name in names:
        if name not in kinds:
            raise ColumnError("The table has no column {name!r}; {hint}", name=name, hint=did_you_mean(name, kinds))
    if table.rows < FEWEST_ROWS:
        raise TableError(
            "The table has {rows} rows, too few to measure; at least {fewest} are needed.",
            rows=table.rows,
            fewest=FEWEST_ROWS,
        )
    open_ones = set(public)
    if open_ones.issuperset(names):
        raise ColumnError("Column {name!r} is released unchanged; there is nothing to protect.", name=", ".join(names))
    usable = [name for name, kind in kinds.items() if kind is not Kind.OTHER or name in names]
    arrays = columns_of(table, usable, None if whole else sample_of(table.rows))
    rows = len(arrays[names[0]])
    secret = tuple(name for name in names if name not in open_ones)
    if len(secret) == 1:
        own = variable(arrays[secret[0]], secret[0], kinds[secret[0]])
    else:
        codes = numbered(*(values_of(arrays[name], name) for name in secret), rows=rows)
        own = Variable(codes, False, int(codes.max()) + 1)
    if own.distinct < 2:
        raise ColumnError("Column {name!r} has one value only; there is nothing to protect.", name=", ".join(secret))
    columns = []
    for name in usable:
        other = own if secret == (name,) else variable(arrays[name], name, kinds[name])
        related = None if name in secret else association(own, other)
        columns.append(ColumnFacts(kinds[name], other.distinct, related))
    columns += [ColumnFacts(kind, table.rows, None) for name, kind in kinds.items() if name not in usable]
    known = tuple(name for name in names if name in open_ones)
    values = tuple(arrays[name] for name in names)
    return Source(names, kinds[names[0]], rows, values, tuple(columns), public=known)

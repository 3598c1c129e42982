"""A column before anything is done to it: its values, and how it stands among the other columns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leakgauge.assessment.indicators.associations import Variable, association, plain_numbers, variable
from leakgauge.audit.attacks.reading import columns_of, letters_of, numbered, values_of
from leakgauge.errors import ColumnError, TableError, did_you_mean
from leakgauge.mechanisms import Mechanism
from leakgauge.probability import Label
from leakgauge.probability.cells import Codes, Floats
from leakgauge.release.bound import BoundColumn
from leakgauge.release.queries import Histogram, Protection
from leakgauge.tables import Kind, Table

if TYPE_CHECKING:
    import pyarrow as pa

FEWEST_ROWS = 16
GROUPS = 60
"""So many groups of equal size stand for the numbers of a column where its law is computed; a tenth is six of them."""
NUMERIC = (Kind.INT, Kind.FLOAT)


@dataclass(frozen=True)
class ColumnFacts:
    """What is known of a column of the table.

    Attributes:
        name: of the column.
        kind: of its values.
        distinct: how many different values it has.
        association: with the column that is protected, from 0 to 1; None of itself, and where none can be told.
    """

    name: str
    kind: Kind
    distinct: int
    association: float | None


@dataclass(frozen=True, eq=False)
class Source:
    """A column, or the counts of one.

    Attributes:
        names: the columns that are read; nearly always one.
        kind: of the first one's values.
        rows: how many.
        values: of each column read.
        columns: what is known of every column of the table.
        counts: where a histogram is released, its true counts.
    """

    names: tuple[str, ...]
    kind: Kind
    rows: int
    values: tuple[pa.Array, ...] = field(repr=False)
    columns: tuple[ColumnFacts, ...]
    counts: Floats | None = None
    _counted: dict[tuple[Label, ...], Codes] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """The columns in words."""
        return ", ".join(self.names)

    @cached_property
    def numbers(self) -> Floats:
        """The numbers that are released: of each row, missing ones NaN, or the true counts."""
        return self.counts if self.counts is not None else plain_numbers(self.values[0], self.kind)

    @cached_property
    def known(self) -> Floats:
        """The numbers that are not missing."""
        return self.numbers[~np.isnan(self.numbers)]

    @cached_property
    def variance(self) -> float:
        """Of the numbers that are known."""
        return float(self.known.var())

    @cached_property
    def groups(self) -> tuple[Floats, Floats, Codes]:
        """A few numbers that stand for all, their shares, and the secret an attacker guesses each as.

        All different numbers where there are at most 60, else the means of 60 groups. The secret is the number itself
        up to 32 different ones, else its tenth, as it is for the attacks.
        """
        different, counts = np.unique(self.known, return_counts=True)
        if self.counts is not None or len(different) <= GROUPS:
            secrets = np.arange(len(different))
            if len(different) > 32 and self.counts is None:
                middle = (np.cumsum(counts) - counts / 2) / counts.sum()
                secrets = np.floor(middle * 10).astype(np.int64)
            return different, counts / counts.sum(), secrets
        parts = np.array_split(np.sort(self.known), GROUPS)
        shares = np.array([len(part) for part in parts]) / len(self.known)
        return np.array([part.mean() for part in parts]), shares, np.arange(GROUPS) // (GROUPS // 10)

    @cached_property
    def secrets(self) -> Codes:
        """The number of what attacks guess in each row."""
        columns = zip(self.values, self.names, strict=True)
        return numbered(*(letters_of(values, name) for values, name in columns), rows=self.rows)

    def entropy(self, width: float) -> float:
        """H of the numbers in bins of a width, in bits; of counts, each counts by itself."""
        if self.counts is not None:
            shares = self.groups[1]
        else:
            bins = np.unique(np.floor(self.known / width), return_counts=True)[1]
            shares = bins / bins.sum()
        return float(-(shares * np.log2(shares)).sum())

    def counted(self, mechanism: Mechanism, letters: tuple[Label, ...]) -> Codes:
        """How many rows have each secret (rows) and each letter that a mechanism takes (columns).

        The secret is what attacks guess: the value, or of many numbers its tenth. Where letters are values that is the
        letter itself; where they are intervals it is not.

        Raises:
            ColumnError: a value is none of the letters.
        """
        if letters not in self._counted:
            places = BoundColumn(self.name, mechanism, self.names, self.names).places(self.values)
            size = int(self.secrets.max()) + 1
            together = np.bincount(self.secrets * len(letters) + places, minlength=size * len(letters))
            self._counted[letters] = together.reshape(size, len(letters)).astype(np.int64)
        return self._counted[letters]


def source_of(table: Table, *names: str) -> Source:
    """A column of a table, or several that are read together, beside the other columns.

    Raises:
        ColumnError: a column that is not there, holds nested values, or has one value only.
        TableError: too few rows.
    """
    kinds = {column.name: column.kind for column in table.columns()}
    for name in names:
        if name not in kinds:
            raise ColumnError("The table has no column {name!r}; {hint}", name=name, hint=did_you_mean(name, kinds))
    if table.rows < FEWEST_ROWS:
        raise TableError(
            "The table has {rows} rows, too few to measure; it needs {fewest}.", rows=table.rows, fewest=FEWEST_ROWS
        )
    usable = [name for name, kind in kinds.items() if kind is not Kind.OTHER or name in names]
    arrays = columns_of(table, usable)
    if len(names) == 1:
        own = variable(arrays[names[0]], names[0], kinds[names[0]])
    else:
        codes = numbered(*(values_of(arrays[name], name) for name in names), rows=table.rows)
        own = Variable(codes, False, int(codes.max()) + 1)
    if own.distinct < 2:
        raise ColumnError("Column {name!r} has one value only; there is nothing to protect.", name=", ".join(names))
    columns = []
    for name in usable:
        other = own if names == (name,) else variable(arrays[name], name, kinds[name])
        related = None if name in names else association(own, other)
        columns.append(ColumnFacts(name, kinds[name], other.distinct, related))
    columns += [ColumnFacts(name, kind, table.rows, None) for name, kind in kinds.items() if name not in usable]
    return Source(names, kinds[names[0]], table.rows, tuple(arrays[name] for name in names), tuple(columns))


def histogram_source(source: Source, table: Table, query: Histogram) -> Source:
    """The true counts of a histogram of the column, in place of its rows."""
    counts = query.exact(table, Protection()).astype(np.float64)
    if float(counts.var()) == 0:
        raise ColumnError("All bins of {name!r} hold as many rows; there is nothing to tell apart.", name=source.name)
    return replace(source, counts=counts)

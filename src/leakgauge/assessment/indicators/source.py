"""A column before anything is done to it: its values, and how strongly it is associated with the other columns."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leakgauge.case.columns import columns_of, letters_of, numbered, sample_of, values_of
from leakgauge.errors import ColumnError, TableError, did_you_mean
from leakgauge.mechanisms import Mechanism
from leakgauge.probability import Label
from leakgauge.probability.cells import Codes, Floats
from leakgauge.release.bound import BoundColumn
from leakgauge.release.letters import numbers_of
from leakgauge.tables import Kind, Table

ORDERED = (Kind.INT, Kind.FLOAT, Kind.DATE, Kind.TIMESTAMP)
"""Kinds that are compared as numbers."""


@dataclass(frozen=True, eq=False)
class Variable:
    """A column as numbers, missing ones NaN, or as the number of each value; a missing one is distinct too."""

    values: Floats | Codes
    ordered: bool
    distinct: int


def variable(values: pa.Array, name: str, kind: Kind) -> Variable:
    """A column as it is compared; nested and binary values are refused."""
    if kind in ORDERED:
        numbers = plain_numbers(values, kind)
        # An infinite number goes together with nothing.
        numbers = np.where(np.isfinite(numbers), numbers, np.nan)
        seen = numbers[~np.isnan(numbers)]
        return Variable(numbers, True, len(np.unique(seen)) + (len(seen) < len(numbers)))
    codes = values_of(values, name)
    return Variable(codes, False, int(codes.max()) + 1)


def plain_numbers(values: pa.Array, kind: Kind) -> Floats:
    """Numbers, dates and times as floats, missing ones NaN."""
    if kind in (Kind.DATE, Kind.TIMESTAMP):
        values = pc.cast(pc.cast(values, pa.timestamp("us"), safe=False), pa.int64())
    return np.asarray(numbers_of(values), dtype=np.float64)


def association(first: Variable, second: Variable) -> float | None:
    """|Pearson's r| of numbers, Cramér's V of categories, the correlation ratio of one of each, all from 0 to 1.

    V and the ratio are corrected for the bias of small samples (Bergsma 2013; Kelley 1935). None where a column is
    constant, or so close to a key that nothing can be told.
    """
    if first.ordered and second.ordered:
        return correlation(first.values.astype(np.float64), second.values.astype(np.float64))
    if second.ordered:
        first, second = second, first
    if first.ordered:
        return correlation_ratio(first.values.astype(np.float64), second.values.astype(np.int64))
    return cramers_v_of_codes(first.values.astype(np.int64), second.values.astype(np.int64))


def correlation(x: Floats, y: Floats) -> float | None:
    """|Pearson's r| over the rows where both are known."""
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    if len(x) < 3:
        return None
    x, y = _below_one(x), _below_one(y)
    x, y = x - x.mean(), y - y.mean()
    scale = math.sqrt(float(x @ x)) * math.sqrt(float(y @ y))
    return min(abs(float(x @ y)) / scale, 1.0) if scale > 0 else None


def _below_one(numbers: Floats) -> Floats:
    """The numbers over a power of two that makes all of them smaller than 1, which changes no association."""
    # The square of 1e308, and the sum of two of them, is more than a float holds.
    return np.asarray(np.ldexp(numbers, -int(np.frexp(np.abs(numbers).max())[1])))


def correlation_ratio(numbers: Floats, codes: Codes) -> float | None:
    """The root of the share of the numbers' variance that lies between the categories."""
    known = ~np.isnan(numbers)
    numbers, codes = numbers[known], codes[known]
    if not len(numbers):
        return None
    numbers = _below_one(numbers)
    counts, centred = np.bincount(codes), numbers - numbers.mean()
    total, groups = float((centred**2).sum()), int((counts > 0).sum())
    if total == 0 or groups < 2 or groups >= len(numbers):
        return None
    sums = np.bincount(codes, weights=centred)
    between = float((sums[counts > 0] ** 2 / counts[counts > 0]).sum())
    # Groups explain a share by chance alone, which is taken off.
    share = 1 - (1 - between / total) * (len(numbers) - 1) / (len(numbers) - groups)
    return math.sqrt(min(max(share, 0.0), 1.0))


def cramers_v_of_codes(first: Codes, second: Codes) -> float | None:
    """Cramér's V without bias of two columns of categories, counting only pairs that occur."""
    pairs, counts = np.unique(first * (int(second.max()) + 1) + second, return_counts=True)
    rows, columns = np.bincount(first), np.bincount(second)
    i, j = np.divmod(pairs, int(second.max()) + 1)
    squares = float((counts.astype(np.float64) ** 2 / (rows[i].astype(np.float64) * columns[j])).sum())
    return cramers_v(squares - 1, int((rows > 0).sum()), int((columns > 0).sum()), len(first))


def cramers_v(phi_squared: float, rows: int, columns: int, n: float = math.inf) -> float | None:
    """Cramér's V from Φ² = χ²/n of a table with so many rows and columns in use; without bias for a finite n."""
    fewer = [rows - 1.0, columns - 1.0]
    if math.isfinite(n) and n > 1:
        phi_squared -= fewer[0] * fewer[1] / (n - 1)
        fewer = [side - side**2 / (n - 1) for side in fewer]
    if min(fewer) <= 1e-9:
        return None
    return math.sqrt(min(max(phi_squared, 0.0) / min(fewer), 1.0))


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


def kinds_of(table: Table, names: Iterable[str]) -> dict[str, Kind]:
    """The kinds of all columns by name, some of which must be there."""
    kinds = {column.name: column.kind for column in table.columns()}
    for name in names:
        if name not in kinds:
            raise ColumnError("The table has no column {name!r}; {hint}", name=name, hint=did_you_mean(name, kinds))
    return kinds


def require_rows(table: Table) -> None:
    """Refuse a table with too few rows to measure anything."""
    if table.rows < FEWEST_ROWS:
        raise TableError(
            "The table has {rows} rows, too few to measure; at least {fewest} are needed.",
            rows=table.rows,
            fewest=FEWEST_ROWS,
        )


def source_of(table: Table, *names: str, public: Iterable[str] = (), whole: bool = False) -> Source:
    """A column of a table, or several that are read together, beside the other columns.

    Columns that are public, released as they are, are no secret where they are read. Of a large table a sample of rows
    is read, unless the ``whole`` of it is asked for.
    """
    kinds = kinds_of(table, names)
    require_rows(table)
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

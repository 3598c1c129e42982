"""A table whose rows stay in an engine that speaks SQL; what leaves are counts, moments, edges and asked-for rows."""

from __future__ import annotations

import hashlib
import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import ColumnError, OptionError, did_you_mean
from leakgauge.probability import Counts
from leakgauge.tables import aggregates
from leakgauge.tables import arrow as pa
from leakgauge.tables.aggregates import Naming, counts_from_groups, named_bins, require_within
from leakgauge.tables.binnings import Binning, Bins, Learnt, Quantiles, learnt_edges
from leakgauge.tables.chosen_bins import settled
from leakgauge.tables.coarser import not_listed
from leakgauge.tables.levels import Levels
from leakgauge.tables.sampling import RowSample
from leakgauge.tables.sql.bins import NOT_COVERED, Bin, make_bin, require_quantiles
from leakgauge.tables.sql.dialect import Dialect
from leakgauge.tables.sql.groups import group_query, passes, sizes_of
from leakgauge.tables.table import LARGEST, Column, Digests, GroupSizes, Kind, Moments, Table

_BATCH = 1 << 17
_NUMBERS = (Kind.INT, Kind.FLOAT)
_HAIR = 2.0**-46
"""Far above the rounding of a share, and less than one row of 10^10 among 1000 shares."""


@dataclass(frozen=True)
class Source:
    """What an engine reads.

    Attributes:
        relation: as SQL of the engine.
        types: of its columns, in the engine's words.
        missing: texts that count as missing.
        place: how messages call it.
    """

    relation: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    missing: tuple[str, ...]
    place: str


class SqlTable(Table):
    """A table in an engine that speaks SQL; an engine adds how a query is run and its rows are streamed.

    Attributes:
        holds_still: whether the table is a snapshot, which nobody changes while it is open.
    """

    holds_still = False

    takes_levels = True

    def __init__(self, source: Source, dialect: Dialect) -> None:
        self._place = source.place
        self._dialect = dialect
        self._types = source.types
        self._missing = source.missing
        pairs = list(zip(source.names, source.types, strict=True))
        self._columns = tuple(Column(name, dialect.kind_of(kind)) for name, kind in pairs)
        self._at = {name: at for at, name in enumerate(source.names)}
        # Engines take names without regard to case; numbered ones cannot be taken for each other.
        self._raw = [f"c{at}" for at in range(len(pairs))]
        self._source = f"{source.relation} AS source({', '.join(self._raw)})"
        self._values = [self._value(raw, at) for at, raw in enumerate(self._raw)]
        self._covered: set[tuple[int, Levels]] = set()

    @abstractmethod
    def _read(self, query: str, binned: Mapping[int, Bin]) -> pa.Table:
        """The whole answer to a query, which may refer to these bins."""

    @abstractmethod
    def _stream(self, query: str, names: list[str], size: int, binned: Mapping[int, Bin]) -> Iterator[pa.RecordBatch]:
        """The rows of a query over the source alone, in the source's order, as columns with these names."""

    @cached_property
    def rows(self) -> int:
        """The number of rows."""
        return int(self._one(aggregates.select(["COUNT(*)"], self._source))[0])

    def columns(self) -> tuple[Column, ...]:
        """The columns in the table's order."""
        return self._columns

    @checked
    def counts(self, *columns: str, bins: Bins | None = None, limit: int = LARGEST) -> Counts:
        """How often each combination of values occurs, one axis a column.

        Raises:
            ColumnError: a column is unknown, given twice, of a kind that cannot be counted or binned so, or
                there are more combinations than ``limit``.
        """
        chosen = self._chosen(columns, "counted")
        require_countable(columns, limit, self._at)
        binned = self._bins(chosen, bins or {})
        keys = [binned[at].key if at in binned else self._raw[at] for at in chosen]
        letters = [f"k{place}" if at in binned else self._value(f"k{place}", at) for place, at in enumerate(chosen)]
        query = aggregates.count_groups(keys, letters, self._source, limit + 1)
        groups = self._read(query, binned)
        require_within(groups.num_rows, columns, limit)
        return counts_from_groups(groups, columns, [binned[at].naming if at in binned else None for at in chosen])

    @checked
    def moments(self, *columns: str) -> dict[str, Moments]:
        """The moments of each column by its name; without names, of all numeric columns."""
        numeric = [column.name for column in self._columns if column.kind in _NUMBERS]
        chosen = self._chosen(columns or numeric, "averaged")
        require_numbers([self._columns[at] for at in chosen])
        parts = ["COUNT(*)"]
        for at in chosen:
            value, kind = self._values[at], self._columns[at].kind
            parts += [f"COUNT({value})", self._dialect.mean(value, kind), self._dialect.variance(value, kind)]
            parts += [f"MIN({value})", f"MAX({value})"]
        rows, *found = self._one(aggregates.select(parts, self._source))
        self.__dict__["rows"] = int(rows)  # the same as counting them, without another pass
        return moments_of([self._columns[at] for at in chosen], int(rows), found)

    def digests(self, sets: Sequence[Sequence[str]], bins: Bins | None = None) -> list[Digests]:
        """For each set of columns a number per row, the same where rows agree in all of them.

        It is a digest of 64 bits, so that the memory does not grow with the length of texts: among 10^7 different ones
        two are taken for the same with a chance below 10^-5. All sets share one pass over the rows.
        """
        keys, binned = self._keys(sets, bins or {})
        query = aggregates.select(
            [self._dialect.digest([keys[name] for name in names]) for names in sets], self._source
        )
        digests = [np.empty(self.rows, dtype=np.uint64) for _ in sets]
        row = 0
        for batch in self._stream(query, [str(at) for at in range(len(sets))], _BATCH, binned):
            for kept, column in zip(digests, batch.columns, strict=True):
                kept[row : row + len(column)] = np.asarray(column).view(np.uint64)
            row += batch.num_rows
        return digests

    def group_sizes(
        self, sets: Sequence[Sequence[str]], bins: Bins | None = None, *, unit: str | None = None
    ) -> list[GroupSizes]:
        """For each set of columns how rows fall into groups that agree in them, counted where the rows are."""
        wanted = [tuple(names) for names in sets]
        keys, binned = self._keys(wanted, bins or {})
        person = None if unit is None else self._values[self._chosen([unit], "grouped", any_kind=True)[0]]
        found: dict[frozenset[str], GroupSizes] = {}
        for some in passes(wanted):
            found |= sizes_of(some, self._read(group_query(some, keys, person, self._source), binned))
        return [replace(found[frozenset(names)], columns=names) for names in wanted]

    def learnt(self, column: str, quantiles: Quantiles) -> Learnt:
        """The bin edges at the quantiles of a column, rounded."""
        (at,) = self._chosen([column], "counted")
        require_quantiles(self._columns[at])
        # A hair less than the share, so that where it is a whole number of rows no engine rounds it to one row more.
        shares = [max(step / quantiles.number - _HAIR, 0.0) for step in range(quantiles.number + 1)]
        edges = self._dialect.quantiles(self._values[at], shares, self._types[at])
        found = self._one(aggregates.select([edges], self._source))[0] or ()
        numeric = self._columns[at].kind in _NUMBERS
        return learnt_edges(quantiles, [float(edge) if numeric else edge for edge in found])

    def batches(self, *columns: str, bins: Bins | None = None, size: int = 65536) -> Iterator[pa.RecordBatch]:
        """The rows of some columns, by default all, in the source's order, at most ``size`` a batch.

        Missing values, NaN included, are null; the other values are those ``counts`` has as labels, intervals as text.
        """
        if size < 1:
            raise OptionError("A batch of {size} rows is too small; give at least 1.", size=size)
        names, keys, binned = self._asked(columns, bins)
        return self._named(self._stream(aggregates.select(keys, self._source), names, size, binned), binned)

    def drawn(self, *columns: str, sample: RowSample, bins: Bins | None = None) -> Iterator[pa.RecordBatch]:
        """The rows of a sample, in the source's order, drawn by the engine where it knows the places of rows."""
        place = self._row_place()
        if place is None:
            return super().drawn(*columns, sample=sample, bins=bins)
        names, keys, binned = self._asked(columns, bins)
        query = aggregates.select_numbered(keys, place, sample.holds(aggregates.PLACE), self._source)
        return self._named(self._stream_few(query, names, binned), binned)

    def fingerprint(self) -> str:
        """A digest of names, types and rows, whatever their order, made where they are; another table has another."""
        values = [*self._values, self._dialect.literal(1.0)], [self._dialect.literal(2.0), *self._values]
        # Sums over all rows: of two digests of each, so that a swap that keeps one of them does not keep the other.
        whole = [f"SUM(CAST({self._dialect.digest(of)} AS DECIMAL(20, 0)))" for of in values]
        sums = [f"CAST({one} AS {self._dialect.string})" for one in whole]
        rows, *found = self._one(aggregates.select(["COUNT(*)", *sums], self._source))
        said = repr((tuple(self._at), self._types, self._missing, int(rows), found))
        return hashlib.sha256(said.encode()).hexdigest()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._place}; {len(self._columns)} columns)"

    def _row_place(self) -> str | None:
        """The place of a row in the order that rows stream in, from 0 on; None where the engine does not know it."""
        return None

    def _stream_few(self, query: str, names: list[str], binned: Mapping[int, Bin]) -> Iterator[pa.RecordBatch]:
        """The same as ``_stream``, of a query that leaves few rows."""
        return self._stream(query, names, _BATCH, binned)

    def _asked(self, columns: Sequence[str], bins: Bins | None) -> tuple[list[str], list[str], dict[int, Bin]]:
        """The names of some columns, by default all, what is selected for each, and the bins in it."""
        chosen = self._chosen(columns or tuple(self._at), "streamed", any_kind=True)
        binned = self._bins(chosen, bins or {})
        keys = [binned[at].key if at in binned else self._values[at] for at in chosen]
        return [self._columns[at].name for at in chosen], keys, binned

    def _named(self, rows: Iterator[pa.RecordBatch], binned: Mapping[int, Bin]) -> Iterator[pa.RecordBatch]:
        namings = self._namings(binned)
        return (named_bins(batch, namings) for batch in rows) if namings else rows

    def _namings(self, binned: Mapping[int, Bin]) -> dict[str, Naming]:
        """How the bins of each column are called."""
        return {self._columns[at].name: one.naming for at, one in binned.items()}

    def _value(self, raw: str, at: int) -> str:
        return self._dialect.value(raw, self._types[at], self._missing)

    def _keys(self, sets: Sequence[Sequence[str]], bins: Bins) -> tuple[dict[str, str], dict[int, Bin]]:
        """What each column of the sets is grouped by, and the bins among it."""
        chosen = self._chosen(tuple(dict.fromkeys(name for names in sets for name in names)), "grouped", any_kind=True)
        named = {self._columns[at].name for at in chosen}
        binned = self._bins(chosen, {name: how for name, how in bins.items() if name in named})
        # Bins have a key of their own; the value itself takes spellings of one number for the same.
        return {self._columns[at].name: binned[at].key if at in binned else self._values[at] for at in chosen}, binned

    def _one(self, query: str) -> list[Any]:
        return [column[0].as_py() for column in self._read(query, {}).columns]

    def _chosen(self, names: Sequence[str], use: str, *, any_kind: bool = False) -> list[int]:
        clocks = [kind in self._dialect.clocks for kind in self._types]
        require_columns(names, self._columns, self._place, None if any_kind else use, clocks)
        return [self._at[name] for name in names]

    def _bins(self, chosen: Sequence[int], bins: Bins) -> dict[int, Bin]:
        counted = {self._columns[at].name: at for at in chosen}
        require_counted(bins, counted)
        return {counted[name]: self._bin(counted[name], binning) for name, binning in bins.items()}

    def _bin(self, at: int, binning: Binning) -> Bin:
        column = self._columns[at]
        fixed = settled(self, column.name, binning)
        made = make_bin(self._dialect, column, self._types[at], self._values[at], at, fixed)
        if isinstance(fixed, Levels) and (at, fixed) not in self._covered:
            self._require_covered(at, made, fixed)
            self._covered.add((at, fixed))
        return made

    def _require_covered(self, at: int, made: Bin, levels: Levels) -> None:
        """Refuse levels that do not list every value, before any of them is counted or streamed."""
        found = f"COUNT(DISTINCT CASE WHEN {made.key} = {NOT_COVERED} THEN {self._values[at]} END)"
        lacking = int(self._read(aggregates.select([found], self._source), {at: made}).column(0)[0].as_py())
        if lacking:
            raise not_listed(levels, self._columns[at], lacking)


def require_columns(
    names: Sequence[str], columns: Sequence[Column], place: str, use: str | None, clocks: Sequence[bool]
) -> None:
    """Refuse names that no column has, that are there twice, or whose columns cannot be used so.

    Args:
        use: what is done with them, in one word; None where any column will do.
        clocks: which columns hold times of day.
    """
    known = {column.name: at for at, column in enumerate(columns)}
    for name in names:
        if not isinstance(name, str):
            raise ColumnError(
                "A column is named by an object of type {found!r}, not by a text; give the names one after the other, "
                "such as 'city', 'age'.",
                found=type(name).__name__,
            )
        if name not in known:
            raise ColumnError(
                "{place} has no column {name!r}; {hint}", place=place, name=name, hint=did_you_mean(str(name), known)
            )
        if list(names).count(name) > 1:
            raise ColumnError("Column {name!r} is named twice; name it once.", name=name)
        if use is not None and columns[known[name]].kind is Kind.OTHER:
            if clocks[known[name]]:
                raise ColumnError(
                    "Column {name!r} holds times of day, which cannot be {use}; turn them into text or hours.",
                    name=name,
                    use=use,
                )
            raise ColumnError(
                "Column {name!r} holds nested or binary values, which cannot be {use}; unpack it first.",
                name=name,
                use=use,
            )


def require_countable(names: Sequence[str], limit: int, known: Iterable[str]) -> None:
    """Refuse to count nothing, or up to nothing."""
    if not names:
        raise ColumnError("No column to count was named; {hint}", hint=did_you_mean("", known))
    if limit < 1:
        raise OptionError("The limit on combinations is {limit}; give a number of at least 1.", limit=limit)


def require_counted(bins: Iterable[str], counted: Iterable[str]) -> None:
    """Refuse bins of columns that are not counted."""
    known = list(counted)
    for name in bins:
        if name not in known:
            raise ColumnError(
                "Bins are given for {name!r}, which is not counted; {hint}", name=name, hint=did_you_mean(name, known)
            )


def require_numbers(columns: Sequence[Column]) -> None:
    """Refuse columns without moments."""
    for column in columns:
        if column.kind not in _NUMBERS:
            raise ColumnError(
                "Column {name!r} holds {kind}, but moments need numbers; choose a numeric column.",
                name=column.name,
                kind=column.kind.words,
            )


def moments_of(columns: Sequence[Column], rows: int, found: Sequence[Any]) -> dict[str, Moments]:
    """The moments by column, from five numbers each: how many, mean, variance, least and greatest."""
    result = {}
    for start, column in enumerate(columns):
        n, *numbers = found[5 * start : 5 * start + 5]
        plain = [None if number is None else float(number) for number in numbers]
        if any(number is not None and not math.isfinite(number) for number in plain):
            raise ColumnError(
                "Column {name!r} holds infinite numbers, so it has no moments; declare them missing.", name=column.name
            )
        result[column.name] = Moments(int(n), rows - int(n), *plain)
    return result

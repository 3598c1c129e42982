"""A table in DuckDB, embedded in this process, which uses no network and writes no files."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from leakgauge.errors import ColumnError, OptionError, did_you_mean
from leakgauge.probability import Counts
from leakgauge.tables import aggregates
from leakgauge.tables.aggregates import counts_from_groups, named_bins, require_within
from leakgauge.tables.binnings import Binning, Learnt, Quantiles, learnt_edges
from leakgauge.tables.chosen_bins import settled
from leakgauge.tables.coarser import not_listed
from leakgauge.tables.duckdb_columns import NOT_COVERED, Bin, is_clock, kind_of, make_bin, require_quantiles, value_of
from leakgauge.tables.duckdb_failures import guarded
from leakgauge.tables.levels import Levels
from leakgauge.tables.table import LARGEST, Column, Kind, Moments, Table

if TYPE_CHECKING:
    import duckdb
    import numpy.typing as npt
    import pyarrow as pa


_BATCH = 1 << 17


class DuckDBTable(Table):
    """A table whose rows stay in DuckDB; made by ``open_table``.

    Args:
        connection: the connection that sees the source; closed with the table.
        relation: the source as quoted SQL name.
        types: DuckDB's names of their types.
        place: how messages call the source.
    """

    takes_levels = True

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        relation: str,
        names: Sequence[str],
        types: Sequence[str],
        missing: Sequence[str],
        place: str,
    ) -> None:
        self._connection = connection
        self._place = place
        self._missing = list(missing)
        self._columns = tuple(Column(name, kind_of(kind)) for name, kind in zip(names, types, strict=True))
        self._at = {name: at for at, name in enumerate(names)}
        # DuckDB takes names without regard to case; numbered ones cannot be taken for each other.
        self._raw = [f"c{at}" for at in range(len(names))]
        self._source = f"{relation} AS source({', '.join(self._raw)})"
        self._values = [value_of(raw, kind, bool(missing)) for raw, kind in zip(self._raw, types, strict=True)]
        self._types = tuple(types)
        self._covered: set[tuple[int, Levels]] = set()
        self._prepare(connection)

    @cached_property
    def rows(self) -> int:
        """The number of rows."""
        return int(self._one(aggregates.count_rows(self._source))[0])

    def columns(self) -> tuple[Column, ...]:
        """The columns in the table's order."""
        return self._columns

    def counts(self, *columns: str, bins: Mapping[str, Binning] | None = None, limit: int = LARGEST) -> Counts:
        """How often each combination of values occurs, one axis per column.

        Args:
            limit: how many distinct combinations are counted at most; the default is a million.

        Raises:
            ColumnError: a column is unknown, given twice, of a kind that cannot be counted or binned so, or
                there are more combinations than ``limit``.

        Example:
            >>> import pyarrow as pa
            >>> from leakgauge.tables import open_table
            >>> from leakgauge.tables.binnings import Width
            >>> with open_table(pa.table({"age": [31, 38, 45, None]})) as people:
            ...     counts = people.counts("age", bins={"age": Width(10)})
            >>> [str(label) for label in counts.labels("age")], counts.array().tolist()
            (['[30, 40)', '[40, 50)', 'None'], [2, 1, 1])
        """
        chosen = self._chosen(columns, "counted")
        if not chosen:
            raise ColumnError("No column to count was named; {hint}", hint=did_you_mean("", self._at))
        if limit < 1:
            raise OptionError("The limit on combinations is {limit}; give a number of at least 1.", limit=limit)
        binned = {at: self._bin(at, binning) for at, binning in self._binned(chosen, bins or {}).items()}
        keys = [binned[at].key if at in binned else self._raw[at] for at in chosen]
        letters = [
            f"k{place}" if at in binned else value_of(f"k{place}", self._types[at], bool(self._missing))
            for place, at in enumerate(chosen)
        ]
        query = aggregates.count_groups(keys, letters, self._source, limit + 1)
        groups = self._read(query)
        require_within(groups.num_rows, columns, limit)
        return counts_from_groups(groups, columns, [binned[at].naming if at in binned else None for at in chosen])

    def moments(self, *columns: str) -> dict[str, Moments]:
        """The moments of each column by its name; without names, of all numeric columns."""
        numeric = [column.name for column in self._columns if column.kind in (Kind.INT, Kind.FLOAT)]
        chosen = self._chosen(columns or numeric, "averaged")
        for at in chosen:
            if self._columns[at].kind not in (Kind.INT, Kind.FLOAT):
                raise ColumnError(
                    "Column {name!r} holds {kind}, but moments need numbers; choose a numeric column.",
                    name=self._columns[at].name,
                    kind=self._columns[at].kind.words,
                )
        rows, *found = self._one(aggregates.moments([self._values[at] for at in chosen], self._source))
        self.__dict__["rows"] = int(rows)  # the same as counting them, without another pass
        result = {}
        for start, at in enumerate(chosen):
            n, *numbers = found[5 * start : 5 * start + 5]
            plain = [None if number is None else float(number) for number in numbers]
            if any(number is not None and not math.isfinite(number) for number in plain):
                raise ColumnError(
                    "Column {name!r} holds infinite numbers, so it has no moments; declare them missing.",
                    name=self._columns[at].name,
                )
            result[self._columns[at].name] = Moments(int(n), int(rows) - int(n), *plain)
        return result

    def digests(
        self, sets: Sequence[Sequence[str]], bins: Mapping[str, Binning] | None = None
    ) -> list[npt.NDArray[np.uint64]]:
        """For each set of columns, a number per row that is the same where rows agree in all of them.

        It is a digest of 64 bits, so that the memory does not grow with the length of texts: among 10^7 different ones
        two are taken for the same with a chance below 10^-5. All sets share one pass over the rows.
        """
        chosen = self._chosen(tuple(dict.fromkeys(name for names in sets for name in names)), "grouped", any_kind=True)
        counted = {self._columns[at].name for at in chosen}
        binned = {
            at: self._bin(at, binning)
            for at, binning in self._binned(chosen, {k: v for k, v in (bins or {}).items() if k in counted}).items()
        }
        # Bins have a key of their own; the value itself takes spellings of one number for the same.
        keys = {self._columns[at].name: binned[at].key if at in binned else self._values[at] for at in chosen}
        query = aggregates.select([f"hash({', '.join(keys[name] for name in names)})" for names in sets], self._source)
        digests = [np.empty(self.rows, dtype=np.uint64) for _ in sets]
        row = 0
        for batch in self._stream(query, [str(at) for at in range(len(sets))], _BATCH, binned):
            for kept, column in zip(digests, batch.columns, strict=True):
                kept[row : row + len(column)] = np.asarray(column)
            row += batch.num_rows
        return digests

    def learnt(self, column: str, quantiles: Quantiles) -> Learnt:
        """The edges that the quantiles of a column give, rounded."""
        (at,) = self._chosen([column], "counted")
        require_quantiles(self._columns[at])
        self._set(f"b{at}", [step / quantiles.number for step in range(quantiles.number + 1)])
        query = aggregates.select([f"quantile_disc({self._values[at]}, getvariable('b{at}'))"], self._source)
        numeric = self._columns[at].kind in (Kind.INT, Kind.FLOAT)
        return learnt_edges(quantiles, [float(edge) if numeric else edge for edge in self._one(query)[0] or ()])

    def batches(
        self, *columns: str, bins: Mapping[str, Binning] | None = None, size: int = 65536
    ) -> Iterator[pa.RecordBatch]:
        """The rows of some columns, by default all, in the source's order, at most ``size`` a batch.

        Missing values, NaN included, are null; the other values are those ``counts`` has as labels, intervals as text.
        """
        if size < 1:
            raise OptionError("A batch of {size} rows is too small; give at least 1.", size=size)
        chosen = self._chosen(columns or tuple(self._at), "streamed", any_kind=True)
        names = [self._columns[at].name for at in chosen]
        binned = {at: self._bin(at, binning) for at, binning in self._binned(chosen, bins or {}).items()}
        keys = [binned[at].key if at in binned else self._values[at] for at in chosen]
        rows = self._stream(aggregates.select(keys, self._source), names, size, binned)
        namings = {self._columns[at].name: one.naming for at, one in binned.items()}
        return (named_bins(batch, namings) for batch in rows) if namings else rows

    def close(self) -> None:
        """Close the source; the table cannot be used afterwards."""
        self._connection.close()

    def __repr__(self) -> str:
        return f"DuckDBTable({self._place}; {len(self._columns)} columns)"

    def _prepare(self, connection: duckdb.DuckDBPyConnection) -> None:
        if self._missing:
            connection.execute("SET VARIABLE missing = ?", [self._missing])

    def _stream(self, query: str, names: list[str], size: int, binned: Mapping[int, Bin]) -> Iterator[pa.RecordBatch]:
        # A connection holds one running query; with its own, counting goes on while rows stream.
        own = guarded(self._place, self._connection.cursor)
        try:
            self._prepare(own)
            for at, one in binned.items():
                self._prepare_bin(own, at, one)
            reader = guarded(self._place, lambda: own.sql(query).to_arrow_reader(size))
            while (batch := guarded(self._place, lambda: next(reader, None))) is not None:
                yield batch.rename_columns(names)
        finally:
            own.close()

    def _one(self, query: str) -> list[Any]:
        return [column[0].as_py() for column in self._read(query).columns]

    def _read(self, query: str) -> pa.Table:
        # DuckDB does not always listen to Ctrl-C while it works: this thread listens, another one waits for it.
        with ThreadPoolExecutor(1) as waiting:
            answer = waiting.submit(guarded, self._place, lambda: self._connection.sql(query).to_arrow_table())
            try:
                return answer.result()
            except KeyboardInterrupt:
                self._connection.interrupt()
                raise

    def _set(self, variable: str, values: list[Any]) -> None:
        # A value reaches a query through a variable, which it may name many times, and never as text.
        guarded(self._place, lambda: self._connection.execute(f"SET VARIABLE {variable} = ?", [values]))

    def _chosen(self, names: Sequence[str], use: str, *, any_kind: bool = False) -> list[int]:
        for name in names:
            if name not in self._at:
                raise ColumnError(
                    "{place} has no column {name!r}; {hint}",
                    place=self._place,
                    name=name,
                    hint=did_you_mean(str(name), self._at),
                )
            if list(names).count(name) > 1:
                raise ColumnError("Column {name!r} is named twice; name it once.", name=name)
            if not any_kind and self._columns[self._at[name]].kind is Kind.OTHER:
                if is_clock(self._types[self._at[name]]):
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
        return [self._at[name] for name in names]

    def _binned(self, chosen: Sequence[int], bins: Mapping[str, Binning]) -> dict[int, Binning]:
        counted = {self._columns[at].name: at for at in chosen}
        for name in bins:
            if name not in counted:
                raise ColumnError(
                    "Bins are given for {name!r}, which is not counted; {hint}",
                    name=name,
                    hint=did_you_mean(name, counted),
                )
        return {counted[name]: binning for name, binning in bins.items()}

    def _bin(self, at: int, binning: Binning) -> Bin:
        column = self._columns[at]
        fixed = settled(self, column.name, binning)
        zoned = self._types[at] == "TIMESTAMP WITH TIME ZONE"
        made = make_bin(column, self._values[at], f"b{at}", fixed, zoned=zoned)
        self._prepare_bin(self._connection, at, made)
        if isinstance(fixed, Levels) and (at, fixed) not in self._covered:
            self._require_covered(at, made.key, fixed)
            self._covered.add((at, fixed))
        return made

    def _prepare_bin(self, connection: duckdb.DuckDBPyConnection, at: int, made: Bin) -> None:
        if made.texts:
            listed = f"SELECT unnest(getvariable('b{at}')::VARCHAR[])"
            guarded(self._place, lambda: connection.execute(f"SET VARIABLE b{at} = ?", [made.texts]))
            guarded(
                self._place, lambda: connection.execute(f"CREATE OR REPLACE TEMP TYPE b{at}_texts AS ENUM ({listed})")
            )
        if made.values:
            guarded(self._place, lambda: connection.execute(f"SET VARIABLE b{at} = ?", [made.values]))

    def _require_covered(self, at: int, key: str, levels: Levels) -> None:
        """Refuse levels that do not list every value, before any of them is counted or streamed."""
        found = f"COUNT(DISTINCT CASE WHEN {key} = {NOT_COVERED} THEN {self._values[at]} END)"
        lacking = int(self._one(aggregates.select([found], self._source))[0])
        if lacking:
            raise not_listed(levels, self._columns[at], lacking)

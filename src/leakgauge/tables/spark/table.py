"""A table in Spark: aggregates come back whole, rows one partition after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from leakgauge.errors import ColumnError, EngineError, TableError
from leakgauge.randomness.row_order import RowOrder
from leakgauge.tables import aggregates
from leakgauge.tables import arrow as pa
from leakgauge.tables.aggregates import named_bins
from leakgauge.tables.binnings import Bins
from leakgauge.tables.spark.dialect import SparkDialect
from leakgauge.tables.spark.failures import guarded
from leakgauge.tables.spark.jobs import Cancellable, Layout, Partitions, keeps_order
from leakgauge.tables.spark.sessions import Held
from leakgauge.tables.spark.workers import ATTEMPTS, Scattering, Worker, require_ready, require_whole, write_frame
from leakgauge.tables.sql.bins import Bin
from leakgauge.tables.sql.table import Source, SqlTable
from leakgauge.tables.table import PartWriter

_NOT_GROUPED = ("map<", "variant", "geography", "geometry")
_MANY = 1 << 17


class SparkTable(SqlTable):
    """A table whose rows stay in Spark; made by ``open_table``."""

    def __init__(self, held: Held, view: str, source: Source) -> None:
        self._held = held
        self._view = view
        self._layout: Layout | None = None
        self._closed = False
        super().__init__(source, SparkDialect())

    def close(self) -> None:
        """Let go of the source; the table cannot be used afterwards."""
        if not self._closed:
            self._closed = True
            self._held.let_go(self._view)

    def few(self, *columns: str, bins: Bins | None = None, most: int = 64) -> pa.RecordBatch | None:
        """Some rows, for what they look like: the first ones of a partition that has any."""
        self._require_order()
        names, keys, binned = self._asked(columns, bins)
        query = aggregates.select(keys, self._source)
        with Cancellable(self._held.context, self._place) as jobs:
            batch = jobs.started(lambda: self._partitions(query, binned).first()).result()
        if batch is None:
            return None
        return named_bins(batch.slice(0, most).rename_columns(names), self._namings(binned))

    def writing(
        self,
        columns: Sequence[str],
        write: PartWriter,
        folder: Path,
        bins: Bins | None = None,
        *,
        order: RowOrder | None = None,
    ) -> Callable[[], None]:
        """An action that has rows written by the workers, as Parquet files into an empty folder."""
        self._require_order()
        names, keys, binned = self._asked(columns, bins)
        scattering = None if order is None else Scattering(order, tuple(self._starts))
        worker = Worker(tuple(names), self._namings(binned), write, str(folder / ATTEMPTS), scattering)
        require_ready(self._held, worker, folder, self._place)

        def written() -> None:
            rows = self._held.streaming.sql(aggregates.select(keys, self._source), args=_arguments(binned))
            numbered = rows.toDF(*(f"o{at}" for at in range(len(names))))
            layout = self._kept(Layout.of(numbered._jdf.queryExecution().toRdd().toJavaRDD()))
            write_frame(numbered, worker, folder, layout.order, self._held)

        def run() -> None:
            with Cancellable(self._held.context, self._place) as jobs:
                jobs.waited_for(written)
            require_whole(folder, self.rows, self._place)

        return run

    def _keys(self, sets: Sequence[Sequence[str]], bins: Bins) -> tuple[dict[str, str], dict[int, Bin]]:
        for name in dict.fromkeys(name for names in sets for name in names):
            if name in self._at and any(kind in self._types[self._at[name]] for kind in _NOT_GROUPED):
                raise ColumnError(
                    "Column {name!r} holds maps or values of several types, which Spark cannot group; unpack it first.",
                    name=name,
                )
        return super()._keys(sets, bins)

    def _read(self, query: str, binned: Mapping[int, Bin]) -> pa.Table:
        def answer() -> pa.Table:
            frame = self._held.counting.sql(query, args=_arguments(binned))
            # Expressions may repeat, and so would the names that they give.
            return frame.toDF(*(f"o{at}" for at in range(len(frame.columns)))).toArrow()

        with Cancellable(self._held.context, self._place) as jobs:
            return jobs.waited_for(answer)

    def _stream(self, query: str, names: list[str], size: int, binned: Mapping[int, Bin]) -> Iterator[pa.RecordBatch]:
        return self._by_partitions(query, names, size, binned, at_once=1)

    def _stream_few(self, query: str, names: list[str], binned: Mapping[int, Bin]) -> Iterator[pa.RecordBatch]:
        # All cores work on it, since the driver has room for what each of them leaves.
        return self._by_partitions(query, names, _MANY, binned, at_once=self._held.context.defaultParallelism)

    def _by_partitions(
        self, query: str, names: list[str], size: int, binned: Mapping[int, Bin], at_once: int
    ) -> Iterator[pa.RecordBatch]:
        self._require_order()
        with Cancellable(self._held.context, self._place) as jobs:
            partitions = jobs.started(lambda: self._partitions(query, binned)).result()
            # Some are read while the rows of those before are used: so many are in memory, not the table.
            order = self._kept(partitions.layout).order
            ahead = jobs.started(partial(partitions.read, order[:at_once]))
            for following in range(at_once, len(order) + at_once, at_once):
                batches = ahead.result()
                ahead = jobs.started(partial(partitions.read, order[following : following + at_once]))
                for batch in batches:
                    for start in range(0, batch.num_rows, size):
                        yield batch.slice(start, size).rename_columns(names)

    def _row_place(self) -> str:
        self._require_order()
        # Spark numbers rows in each partition from 0 on, above 33 bits for the number of the partition.
        within = "monotonically_increasing_id() - shiftleft(CAST(spark_partition_id() AS BIGINT), 33)"
        starts = ", ".join(f"{start}L" for start in self._starts)
        return f"{within} + element_at(array({starts}), spark_partition_id() + 1)"

    @cached_property
    def _starts(self) -> list[int]:
        """How many rows stream before those of each partition."""
        query = f"SELECT spark_partition_id(), COUNT(*) FROM {self._source} GROUP BY 1"  # noqa: S608

        def sizes() -> tuple[Layout, dict[int, int]]:
            layout = self._partitions(f"SELECT 1 FROM {self._source}", {}).layout  # noqa: S608
            return layout, dict(self._held.streaming.sql(query).collect())

        with Cancellable(self._held.context, self._place) as jobs:
            layout, found = jobs.waited_for(sizes)
        starts, before = [0] * len(layout.parts), 0
        for partition in self._kept(layout).order:
            starts[partition] = before
            before += found.get(partition, 0)
        return starts

    def _partitions(self, query: str, binned: Mapping[int, Bin]) -> Partitions:
        return Partitions(self._held.streaming.sql(query, args=_arguments(binned)), self._held.context)

    def _require_order(self) -> None:
        if not self._keeps_order:
            raise TableError(
                "The rows of {place} come in another order each time Spark reads them, because it is a view, a "
                "shuffled frame or a source other than files; write it to Parquet first.",
                place=self._place,
            )

    def _kept(self, layout: Layout) -> Layout:
        """The layout, which must be that of the first time; rows in memory are cut as they lie."""
        self._layout = self._layout or layout
        if layout != self._layout and any(layout.parts):
            raise EngineError(
                "Spark cuts {place} into other partitions than before, so that its rows would come in another order; "
                "open it again, or give its files by their address.",
                place=self._place,
            )
        return layout

    @cached_property
    def _keeps_order(self) -> bool:
        return guarded(self._place, lambda: keeps_order(self._held.streaming.table(self._view)))


def _arguments(binned: Mapping[int, Bin]) -> Mapping[str, Any] | None:
    """What the parameters of a query stand for."""
    return {name: value for one in binned.values() for name, (value,) in one.setup} or None

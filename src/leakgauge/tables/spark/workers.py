"""Rows changed and written by Spark's workers, as Parquet files that are there all together or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leakgauge.errors import EngineError
from leakgauge.tables.aggregates import Naming, named_bins
from leakgauge.tables.spark.failures import guarded

if TYPE_CHECKING:
    import pyarrow as pa

    from leakgauge.tables.spark.sessions import Held

_COMMITTED = {
    # Of all attempts at a task, retried or speculative, one is taken, and no file has its name before all have.
    "mapreduce.fileoutputcommitter.algorithm.version": "1",
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "compression": "snappy",
}


@dataclass(frozen=True)
class Worker:
    """What a worker does with the batches of a partition; it is sent to each of them.

    Attributes:
        names: of the columns.
        namings: of those in bins.
        schema: of what ``change`` gives.
    """

    names: tuple[str, ...]
    namings: Mapping[str, Naming]
    change: Callable[[pa.RecordBatch], pa.RecordBatch]
    schema: pa.Schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows that are written."""
        for batch in batches:
            rows = batch.rename_columns(list(self.names))
            if self.namings:
                rows = named_bins(rows, self.namings)
            yield self.change(rows).cast(self.schema)


@dataclass(frozen=True)
class _Trial:
    """A worker looks whether it has what it will need."""

    worker: Worker
    version: str
    shared: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for _ in batches:
            same = version("leakgauge") == self.version
            yield pa.RecordBatch.from_pydict({"same": [same], "shared": [Path(self.shared).exists()]})


def require_ready(held: Held, worker: Worker, folder: Path, place: str) -> None:
    """Refuse workers that have another Leakgauge, or none, or do not see the folder, before anything is written."""
    with tempfile.NamedTemporaryFile(dir=folder) as probe:
        try:
            found = guarded(place, lambda: _tried(held, _Trial(worker, version("leakgauge"), probe.name)))
        except EngineError:
            found = None
    if found is None or not found["same"]:
        raise EngineError(
            "Spark's workers cannot run Leakgauge {version}; install leakgauge[spark]=={version} in their Python, "
            "which PYSPARK_PYTHON names.",
            version=version("leakgauge"),
        )
    if not found["shared"]:
        raise EngineError(
            "Spark's workers do not see {folder!r}; write to a folder on a disk that all of them share.",
            folder=str(folder.parent),
        )


def _tried(held: Held, trial: _Trial) -> dict[str, bool]:
    answer = held.streaming.range(0, 1, 1, 1).mapInArrow(trial, "same boolean, shared boolean").toArrow()
    return {name: all(answer.column(name).to_pylist()) for name in ("same", "shared")}


def write_frame(frame: Any, worker: Worker, folder: Path, order: Sequence[int]) -> None:
    """Write what workers make of the rows; the files are named in this order of the partitions."""
    from pyspark.sql.pandas.types import from_arrow_schema

    schema = from_arrow_schema(worker.schema, prefer_timestamp_ntz=True)
    frame.mapInArrow(worker, schema).write.options(**_COMMITTED).mode("append").parquet(folder.as_uri())
    for beside in (*folder.glob(".*.crc"), *folder.glob("_*")):
        if beside.is_file():
            beside.unlink()
    places = {partition: place for place, partition in enumerate(order)}
    for part in folder.glob("part-*.parquet"):
        part.rename(folder / f"{places[int(part.name.split('-')[1])]:08d}.parquet")


def require_whole(folder: Path, rows: int, place: str) -> None:
    """Refuse files that do not hold every row: some were written where this process does not see them."""
    import pyarrow.parquet as pq

    found = sum(pq.read_metadata(file).num_rows for file in folder.glob("*.parquet"))
    if found != rows:
        raise EngineError(
            "Spark wrote {found:,} of the {rows:,} rows of {place}; write to a folder on a disk that all workers "
            "share, and check that the table was not changed.",
            found=found,
            rows=rows,
            place=place,
        )

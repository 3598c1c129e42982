"""Rows changed and written by Spark's workers, as Parquet files that are there all together or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leakgauge.errors import EngineError
from leakgauge.tables.aggregates import Naming, named_bins
from leakgauge.tables.spark.failures import guarded
from leakgauge.tables.table import PartWriter

if TYPE_CHECKING:
    import pyarrow as pa

    from leakgauge.tables.spark.sessions import Held

ATTEMPTS = "attempts"
"""The folder, in that of the files, where parts are written until all of them are there."""
_TRIES = 3


@dataclass(frozen=True)
class Worker:
    """What a worker does with the batches of a partition; it is sent to each of them.

    It writes a file itself: handed back to Spark, rows would be taken apart and put together again on the way.

    Attributes:
        names: of the columns.
        namings: of those in bins.
        attempts: the folder of files that are not taken yet.
    """

    names: tuple[str, ...]
    namings: Mapping[str, Naming]
    write: PartWriter
    attempts: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The partition, and the name of the file that this attempt at it has made; none where it has no rows."""
        import pyarrow as pa
        from pyspark import TaskContext

        first = next(batches, None)
        task = TaskContext.get()
        if first is None or task is None:
            return
        handle, name = tempfile.mkstemp(dir=self.attempts)
        with os.fdopen(handle, "wb") as file:
            self.write((self._named(batch) for batch in chain([first], batches)), file)
        yield pa.RecordBatch.from_pydict({"partition": [task.partitionId()], "file": [Path(name).name]})

    def _named(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return named_bins(batch.rename_columns(list(self.names)), self.namings)


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
    """Have workers write the rows; the files are named in this order of the partitions."""
    attempts = Path(worker.attempts)
    attempts.mkdir()
    # Of all attempts at a partition, retried or speculative, Spark takes the answer of one, and so its file is taken.
    taken = frame.mapInArrow(worker, "partition long, file string").toArrow()
    places = {partition: place for place, partition in enumerate(order)}
    for partition, file in zip(taken.column("partition").to_pylist(), taken.column("file").to_pylist(), strict=True):
        (attempts / file).rename(folder / f"{places[partition]:08d}.parquet")
    # An attempt that still runs cannot make a file any more once its folder is gone, wherever the others go.
    for _ in range(_TRIES):
        shutil.rmtree(attempts, ignore_errors=True)


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

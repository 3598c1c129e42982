"""Rows changed and written by Spark's workers, as Parquet files that are there all together or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from leakgauge.errors import EngineError
from leakgauge.randomness.row_order import RowOrder
from leakgauge.tables import arrow as pa
from leakgauge.tables.aggregates import Naming, named_bins
from leakgauge.tables.reordering import Extent, Scattered, read_extent, sorted_rows
from leakgauge.tables.spark.failures import guarded
from leakgauge.tables.table import PartWriter

if TYPE_CHECKING:
    from leakgauge.tables.spark.sessions import Held

ATTEMPTS = "attempts"
"""The folder, in that of the files, where parts are written until all of them are there."""
_TRIES = 3
_HELD = 1 << 26
"""Bytes of rows that a worker holds: it has little memory beside that of its engine."""


@dataclass(frozen=True)
class Scattering:
    """How rows leave in a random order: parts of it are gathered from all partitions, as many as there are.

    Attributes:
        starts: for each partition how many rows of the table come before.
    """

    order: RowOrder
    starts: tuple[int, ...]

    @property
    def parts(self) -> int:
        """How many there are."""
        return len(self.starts)


@dataclass(frozen=True)
class Worker:
    """What a worker does with the batches of a partition; it is sent to each of them.

    It writes a file itself: handed back to Spark, rows would be taken apart and put together again on the way.

    Attributes:
        names: of the columns.
        namings: of those in bins.
        attempts: the folder of files that are not taken yet.
        scattering: None where rows stay in the table's order.
    """

    names: tuple[str, ...]
    namings: Mapping[str, Naming]
    writer: PartWriter
    attempts: str
    scattering: Scattering | None = None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The partition and the name of the file that this attempt at it has made, and where in it the rows of each
        part stand; none where it has no rows."""
        from pyspark import TaskContext

        first = next(batches, None)
        task = TaskContext.get()
        if first is None or task is None:
            return
        number = task.partitionId()
        made = self.writer.made(self._named(batch) for batch in chain([first], batches))
        with _attempt(self.attempts) as (name, file):
            if self.scattering is None:
                self.writer.write(made, file)
                extents = [Extent(number, 0, file.tell())]
            else:
                extents = _scattered(made, self.scattering, number, file)
        yield _answer([(number, name, one) for one in extents])

    def _named(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return named_bins(batch.rename_columns(list(self.names)), self.namings)


@dataclass(frozen=True)
class _Gathering:
    """What a worker does with the number of a part: it gathers its rows from the files of all partitions."""

    writer: PartWriter
    attempts: str
    found: Mapping[int, Sequence[tuple[str, Extent]]]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                if number in self.found:
                    rows = sorted_rows([self._read(name, extent) for name, extent in self.found[number]])
                    with _attempt(self.attempts) as (name, file):
                        self.writer.write(iter([rows]), file)
                    yield _answer([(number, name, Extent(number, 0, 0))])

    def _read(self, name: str, extent: Extent) -> pa.RecordBatch:
        with (Path(self.attempts) / name).open("rb") as file:
            return read_extent(file, extent)


_ANSWER = "partition long, file string, part long, start long, size long"


def _answer(found: Sequence[tuple[int, str, Extent]]) -> pa.RecordBatch:
    rows = [(partition, name, one.part, one.start, one.size) for partition, name, one in found]
    names = [field.split()[0] for field in _ANSWER.split(", ")]
    return pa.RecordBatch.from_pydict(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


@contextmanager
def _attempt(folder: str) -> Iterator[tuple[str, BinaryIO]]:
    handle, name = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "wb") as file:
        yield Path(name).name, file


def _scattered(rows: Iterator[pa.RecordBatch], scattering: Scattering, partition: int, file: BinaryIO) -> list[Extent]:
    """Where the rows of each part stand in the file."""
    scattered, row = Scattered(file, scattering.order, scattering.parts, _HELD), scattering.starts[partition]
    for batch in rows:
        scattered.add(batch, row)
        row += batch.num_rows
    scattered.spill()
    return scattered.extents


@dataclass(frozen=True)
class _Trial:
    """A worker looks whether it has what it will need."""

    worker: Worker
    version: str
    shared: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
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


def write_frame(frame: Any, worker: Worker, folder: Path, order: Sequence[int], held: Held) -> None:
    """Have workers write the rows; the files are named in this order of the partitions, or in a random one of parts.

    In a random order no file shows anything of the table's: every partition is scattered over the parts of that order,
    and every part is gathered from all partitions. No row passes through Spark's own shuffle, and none of its random
    functions is used.
    """
    attempts = Path(worker.attempts)
    attempts.mkdir()
    answers = _answers(frame, worker)
    places = {partition: place for place, partition in enumerate(order)}
    if worker.scattering is not None:
        found: dict[int, list[tuple[str, Extent]]] = {}
        for _, file, extent in answers:
            found.setdefault(extent.part, []).append((file, extent))
        parts = worker.scattering.parts
        gathering = _Gathering(worker.writer, worker.attempts, found)
        answers = _answers(held.streaming.range(0, parts, 1, parts), gathering)
        places = {part: part for part in range(parts)}
    for number, file, _ in answers:
        (attempts / file).rename(folder / f"{places[number]:08d}.parquet")
    # An attempt that still runs cannot make a file any more once its folder is gone, wherever the others go.
    for _ in range(_TRIES):
        shutil.rmtree(attempts, ignore_errors=True)


def _answers(frame: Any, worker: Worker | _Gathering) -> list[tuple[int, str, Extent]]:
    # Of all attempts at a partition, retried or speculative, Spark takes the answer of one, and so its file is taken.
    rows = frame.mapInArrow(worker, _ANSWER).toArrow().to_pylist()
    return [(row["partition"], row["file"], Extent(row["part"], row["start"], row["size"])) for row in rows]


def require_whole(folder: Path, rows: int, place: str) -> None:
    """Refuse files that do not hold every row: some were written where this process does not see them."""
    found = sum(pa.parquet.read_metadata(file).num_rows for file in folder.glob("*.parquet"))
    if found != rows:
        raise EngineError(
            "Spark wrote {found:,} of the {rows:,} rows of {place}; write to a folder on a disk that all workers "
            "share, and check that the table was not changed.",
            found=found,
            rows=rows,
            place=place,
        )

"""Jobs of Spark that are waited for, told of and cancelled, the partitions that they read, and the order of these."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar

from leakgauge.errors import LeakgaugeError
from leakgauge.tables import arrow as pa
from leakgauge.tables.spark.failures import guarded
from leakgauge.waiting import who_is_told

_ROW_BY_ROW = frozenset(
    {
        "ArrowEvalPythonExec",
        "BatchEvalPythonExec",
        "ColumnarToRowExec",
        "DeserializeToObjectExec",
        "FilterExec",
        "GenerateExec",
        "InputAdapter",
        "MapElementsExec",
        "MapInArrowExec",
        "MapInPandasExec",
        "MapPartitionsExec",
        "ProjectExec",
        "SampleExec",
        "SerializeFromObjectExec",
        "UnionExec",
        "WholeStageCodegenExec",
    }
)
_HELD = frozenset({"ExternalRDDScanExec", "LocalTableScanExec", "RDDScanExec", "RangeExec"})
_LISTED_FILES = frozenset({"CatalogFileIndex", "InMemoryFileIndex"})


def keeps_order(frame: Any) -> bool:
    """Whether a plan reads files or rows held in memory, one after the other, without a shuffle or a random function.

    The frame's session must not plan adaptively: a plan that is still to change does not show its steps.
    """
    execution = frame._jdf.queryExecution()
    if not execution.analyzed().deterministic() or not _in_order(execution.executedPlan()):
        return False
    # The rows of a frame that was made from an RDD come in the order that its own history gives.
    return str(execution.toRdd().outputDeterministicLevel().toString()) == "DETERMINATE"


def _in_order(plan: Any) -> bool:
    kind = str(plan.getClass().getSimpleName())
    if kind in _HELD:
        return True
    if kind == "FileSourceScanExec":
        return str(plan.relation().location().getClass().getSimpleName()) in _LISTED_FILES
    if kind == "InMemoryTableScanExec":
        return _in_order(plan.relation().cachedPlan())
    children = plan.children()
    return kind in _ROW_BY_ROW and all(_in_order(children.apply(at)) for at in range(children.size()))


@dataclass(frozen=True)
class Layout:
    """Which parts of which files each partition reads, each as a path and where it starts; none where it reads no file.

    It follows from the settings of the session that a frame was made in, and there also from the size of the cluster.
    """

    parts: tuple[tuple[tuple[str, int], ...], ...]

    @classmethod
    def of(cls, rows: Any) -> Layout:
        """Of an RDD."""
        return cls(tuple(_parts(partition) for partition in rows.partitions()))

    @property
    def order(self) -> list[int]:
        """The partitions, those of files by their names, as other readers of a folder have them."""
        numbers = list(range(len(self.parts)))
        if all(len(parts) == 1 for parts in self.parts):
            numbers.sort(key=lambda number: self.parts[number])
        return numbers


def _parts(partition: Any) -> tuple[tuple[str, int], ...]:
    kind = str(partition.getClass().getSimpleName())
    if kind == "UnionPartition":
        return ("", 0), *_parts(partition.parentPartition())
    if kind != "FilePartition":
        return ()
    return tuple((str(file.filePath().toPath().toString()), int(file.start())) for file in partition.files())


_TOLD_EVERY, _CANCELLED_EVERY = 0.5, 0.1
"""Seconds."""
_numbers = count()

Answer = TypeVar("Answer")


class Partitions:
    """The rows of a frame as Arrow, one partition after the other."""

    def __init__(self, frame: Any, context: Any) -> None:
        from pyspark.sql.pandas.types import to_arrow_schema

        self._context = context
        renamed = frame.toDF(*(f"o{at}" for at in range(len(frame.columns))))
        self._schema = to_arrow_schema(renamed.schema, timezone="UTC")
        # Made where the rows are and without Python there, so that workers need nothing of ours.
        self._rows = renamed._jdf.toArrowBatchRdd().toJavaRDD()
        self.layout = Layout.of(self._rows)

    def first(self) -> pa.RecordBatch | None:
        """The first rows, of the first partition that has any; Spark makes no more of it than these."""
        found = list(self._rows.take(1))
        return pa.ipc.read_record_batch(pa.py_buffer(found[0]), self._schema) if found else None

    def read(self, some: list[int]) -> list[pa.RecordBatch]:
        """The rows of some of them."""
        from pyspark.rdd import _load_from_socket
        from pyspark.serializers import NoOpSerializer

        if not some:
            return []
        socket = self._context._jvm.PythonRDD.runJob(self._context._jsc.sc(), self._rows, some)
        with _load_from_socket(socket, NoOpSerializer()) as messages:
            return [pa.ipc.read_record_batch(pa.py_buffer(message), self._schema) for message in messages]


class Cancellable:
    """Jobs that run in a thread of their own, and are cancelled in Spark when the caller leaves before their end."""

    def __init__(self, context: Any, place: str) -> None:
        self._context, self._place = context, place
        self._group = f"leakgauge-{next(_numbers)}"
        self._thread = ThreadPoolExecutor(1)
        self._answers: list[Future[Any]] = []

    def __enter__(self) -> Cancellable:
        return self

    def __exit__(self, *error: object) -> None:
        if error[0] is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)
            # Again and again: a job that is still planned has nothing to cancel, and runs all the same afterwards.
            while not all(answer.done() for answer in self._answers):
                # Where Spark is gone there is nothing to cancel, and what went wrong is told already.
                with suppress(LeakgaugeError):
                    guarded(self._place, lambda: self._context.cancelJobGroup(self._group))
                wait(self._answers, _CANCELLED_EVERY)
        self._thread.shutdown(cancel_futures=True)

    def waited_for(self, action: Callable[[], Answer]) -> Answer:
        """The action's answer; whoever waits is told how many of its tasks are done."""
        answer, tell, total = self.started(action), who_is_told(), 0
        try:
            while tell is not None and not wait([answer], _TOLD_EVERY).done:
                done, total = guarded(self._place, self._tasks)
                if total:
                    tell(done, total)
            return answer.result()
        finally:
            if tell is not None and total:
                tell(total, total)

    def _tasks(self) -> tuple[int, int]:
        """Those that are done, and all of them, of stages that Spark has planned so far."""
        tracker = self._context.statusTracker()
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(self._group)]
        stages = [tracker.getStageInfo(stage) for job in jobs if job is not None for stage in job.stageIds]
        known = [stage for stage in stages if stage is not None]
        return sum(stage.numCompletedTasks for stage in known), sum(stage.numTasks for stage in known)

    def started(self, action: Callable[[], Answer]) -> Future[Answer]:
        """The action's answer, once it is there; the thread that waits for it listens to Ctrl-C."""

        def run() -> Answer:
            self._context.setJobGroup(self._group, "leakgauge", interruptOnCancel=True)
            return action()

        answer = self._thread.submit(guarded, self._place, run)
        self._answers = [*(one for one in self._answers if not one.done()), answer]
        return answer

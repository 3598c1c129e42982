"""Whether a frame shows its rows in the same order whenever it is read, and which order that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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

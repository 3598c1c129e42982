"""A release drawn by the workers of an engine, each from its own operating system."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from leakgauge.errors import OptionError
from leakgauge.randomness import OperatingSystem, Randomness
from leakgauge.randomness.row_order import RowOrder
from leakgauge.release.bound import BoundPlan, RecordedPlan
from leakgauge.release.files import write_batches

_GROUP = 1 << 17
"""Rows of a group in a file: a worker has little memory beside that of its engine."""


@dataclass(frozen=True)
class Drawing:
    """What a worker does with the rows of a part: it knows the mechanisms of the columns, and nothing of the table."""

    plan: RecordedPlan

    def made(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The released rows. The operating system has no state here, so no two parts or attempts share noise."""
        return (self.plan.made(batch, OperatingSystem()) for batch in batches)

    def write(self, batches: Iterator[pa.RecordBatch], to: BinaryIO) -> int:
        """Write released rows."""
        return write_batches(batches, to, Path("part.parquet"), simulated=False, group=_GROUP)


def writing_on_workers(
    bound: BoundPlan, folder: Path, randomness: Randomness, order: RowOrder | None
) -> Callable[[], None]:
    """An action that draws a release where its rows are, into an empty folder; what cannot be done is refused here.

    Raises:
        OptionError: a simulation, whose seed many workers would share.
        TableError: the engine has no workers, or rows are suppressed by their place in the table.
    """
    if not randomness.private:
        raise OptionError("A simulation draws from one seed, which workers would repeat; leave --on-workers out.")
    drawing = Drawing(RecordedPlan(bound.columns, bound.public, bound.order, {}))
    return bound.table.writing(bound.reads, drawing, folder, order=order)

"""A release drawn by the workers of an engine, each from its own operating system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from leakgauge.errors import OptionError
from leakgauge.randomness import OperatingSystem, Randomness, Simulated
from leakgauge.release.bound import BoundPlan, RecordedPlan
from leakgauge.tables.sampling import decoded

_FEW = 64


@dataclass(frozen=True)
class Drawing:
    """What a worker does with a batch: it knows the mechanisms of the columns, and nothing else of the table."""

    plan: RecordedPlan

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The released rows. The operating system has no state here, so no two batches or attempts share noise."""
        return self.drawn(batch, OperatingSystem())

    def drawn(self, batch: pa.RecordBatch, randomness: Randomness) -> pa.RecordBatch:
        """The released rows, with columns that any engine can write."""
        made = self.plan.made(batch, randomness)
        return pa.RecordBatch.from_arrays([decoded(column) for column in made.values()], names=list(made))


def writing_on_workers(bound: BoundPlan, output: Path, folder: Path, randomness: Randomness) -> Callable[[], None]:
    """An action that draws a release where its rows are, into an empty folder; what cannot be done is refused here.

    Raises:
        OptionError: another format than Parquet, or a simulation, whose seed many workers would share.
        TableError: the engine has no workers, or rows are suppressed by their place in the table.
    """
    if output.suffix.lower() != ".parquet":
        raise OptionError("Workers write Parquet, and {path} is not; end it in .parquet.", path=output)
    if not randomness.private:
        raise OptionError("A simulation draws from one seed, which workers would repeat; leave --on-workers out.")
    drawing = Drawing(RecordedPlan(bound.columns, bound.public, bound.order, {}))
    few = next(iter(bound.table.batches(*bound.reads, size=_FEW)))
    schema = drawing.drawn(few, Simulated(0)).schema
    return bound.table.writing(bound.reads, drawing, schema, folder)

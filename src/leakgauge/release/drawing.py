"""The rows of a release, drawn block by block or by the workers of an engine, and the order in which they leave.

A private file has the key of the order, by which released rows are matched to those of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from leakgauge.artefacts import Record, codec
from leakgauge.artefacts.record import RowOrderFile
from leakgauge.errors import FileError, OptionError, VerificationError
from leakgauge.randomness import OperatingSystem, Randomness
from leakgauge.randomness.row_order import RowOrder
from leakgauge.release.bound import BoundPlan, RecordedPlan
from leakgauge.release.files import write_batches
from leakgauge.release.kept import KeptNoise
from leakgauge.release.record import file_digest
from leakgauge.tables.reordering import joined, parts_of, reordered

BLOCK = 1 << 17
"""Rows drawn at a time, whatever batches an engine reads: so one seed gives one release on every engine."""
_GROUP = 1 << 17
"""Rows of a group in a file that a worker writes, which has little memory beside that of its engine."""


@dataclass(frozen=True)
class Source:
    """Where the noise of a release comes from: afresh, and for some columns from the key that keeps it."""

    randomness: Randomness
    kept: KeptNoise | None = None


def drawn_rows(
    bound: BoundPlan,
    source: Source,
    order: RowOrder | None,
    file: BinaryIO,
    size: int,
    tell: Callable[[int], None],
) -> Iterator[pa.RecordBatch]:
    """The released rows in the order in which they leave, the table's where none is given.

    Rows that do not fit into memory go to the file; ``size`` is about the bytes of all rows.
    """
    drawn = _drawn(bound, source, tell)
    return drawn if order is None else reordered(drawn, order, file, parts_of(size))


def _drawn(bound: BoundPlan, source: Source, tell: Callable[[int], None]) -> Iterator[pa.RecordBatch]:
    rows, read = 0, bound.reads if source.kept is None else (*bound.reads, source.kept.unit)
    for block in in_blocks(bound.table.batches(*read, size=BLOCK), BLOCK):
        yield bound.made(block, source.randomness, source.kept)
        rows += block.num_rows
        tell(rows)


def in_blocks(batches: Iterable[pa.RecordBatch], size: int) -> Iterator[pa.RecordBatch]:
    """The rows of batches of any length in batches of this one; the last may be shorter."""
    held: list[pa.RecordBatch] = []
    lacking = size
    for batch in batches:
        start = 0
        while batch.num_rows - start >= lacking:
            yield joined([*held, batch.slice(start, lacking)])
            start, held, lacking = start + lacking, [], size
        if start < batch.num_rows:
            held.append(batch.slice(start))
            lacking -= batch.num_rows - start
    if held:
        yield joined(held)


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


def order_place(record: Path) -> Path:
    """Where the key of the order is: beside the record, and named after it."""
    return record.with_name(record.name.removesuffix(".json") + ".order.json")


def order_file(order: RowOrder, reference: str, rows: int) -> RowOrderFile:
    """The order as its file has it."""
    return RowOrderFile(reference, rows, order.key.hex())


def row_order(record: Record, place: Path, drawn: RowOrder | None = None) -> RowOrder | None:
    """The order of the rows of a release, or as it was drawn; None where they are in the table's order.

    Raises:
        FileError: the file with its key is not beside the record.
        VerificationError: the record names none, or one that is not its own.
    """
    if record.plan.keep_order:
        return None
    said = record.order
    # A record must not make its reader open other files than those beside it.
    if said is None or Path(said.file).name != said.file:
        raise VerificationError(
            "{path} says that its rows are in a random order, but names no key of it; restore the record "
            "written with the release.",
            path=place,
        )
    file = place.parent / said.file
    if not file.exists():
        raise FileError(
            "The rows of the release are in a random order, and {file}, by which they are matched to those of the "
            "table, does not exist; put it beside the record.",
            file=file,
        )
    if file_digest(file) != said.sha256:
        raise _not_its_own(file)
    if drawn is not None:
        return drawn
    found = codec.read(RowOrderFile, file)
    try:
        order = RowOrder(bytes.fromhex(found.key))
    except ValueError:
        raise _not_its_own(file) from None
    if (found.reference, found.rows) != (record.reference, record.rows):
        raise _not_its_own(file)
    return order


def _not_its_own(file: Path) -> VerificationError:
    return VerificationError(
        "{file} is not the order that the record names; restore the file written with the release.", file=file
    )

"""The private file with the key of the order of released rows, by which they are matched to those of the table."""

from __future__ import annotations

from pathlib import Path

from leakgauge.artefacts import Record, codec
from leakgauge.artefacts.record import RowOrderFile
from leakgauge.errors import FileError, VerificationError
from leakgauge.randomness.row_order import RowOrder
from leakgauge.release.record import file_digest


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

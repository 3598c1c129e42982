"""A release that was cut short after it was drawn: what is missing is made up for, and nothing is drawn again."""

from __future__ import annotations

from pathlib import Path

from leakgauge.artefacts import Record
from leakgauge.errors import InputError, VerificationError
from leakgauge.release.drawing import order_place
from leakgauge.release.ledger import Entry, Ledger
from leakgauge.release.record import read_record
from leakgauge.release.verification import verify


def drawn_record(record: Path, *written: Path, table: str | None = None) -> Record | None:
    """The record of a whole release, which an interrupted run may have left; None where there is none.

    ``written`` are the other files of that run, ``table`` the address of a release that is a table.
    """
    if not all(place.exists() for place in (record, *written)):
        return None
    try:
        found = verify(record, released=table)
    except (InputError, VerificationError):
        return None
    if not isinstance(found.record, Record) or not found.holds:
        return None
    return found.record if found.record.plan.keep_order or order_place(record).exists() else None


def note_in_ledger(ledger: Ledger, record: Record) -> Entry | None:
    """The spend of a release that was written, which the ledger now says; it is noted once."""
    spend = _spend_of(record, ledger)
    if spend is not None:
        ledger.complete(spend, record.digest)
    return spend


def is_not_noted(record: Path, ledger: Ledger, dataset: str | None) -> bool:
    """Whether a ledger has the spend of a record for a data set, and not that its release was written."""
    try:
        spend = _spend_of(read_record(record), ledger)
    except (InputError, VerificationError):
        return False
    return spend is not None and spend.dataset == dataset and ledger.completion(spend.reference) is None


def _spend_of(record: Record, ledger: Ledger) -> Entry | None:
    place = record.budget.ledger
    spend = None if place is None else ledger.entry(record.reference)
    return spend if spend is not None and place is not None and spend.hash == place.hash else None

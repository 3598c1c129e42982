"""What anybody can see in a released file, column by column, and what is declared or public about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from leakgauge.artefacts.record import PlannedColumn, PublicRecord, RecordedBins
from leakgauge.release.files import UnreadableError, rows_as_written
from leakgauge.sentences import Sentence
from leakgauge.tables import Kind, Table

MOST_VALUES: Final = 1000
"""Different values of a column that are counted; a column with more has numbers or free text."""


@dataclass(frozen=True)
class About:
    """What is declared, or public, about a release beside how its columns are read.

    Attributes:
        purpose: what it is for, in the steward's words, like ``contact`` and ``terms``.
        record: its public record, never the full one.
        notes: cautions that go with every number.
    """

    purpose: str | None = None
    contact: str | None = None
    terms: str | None = None
    record: PublicRecord | None = None
    notes: tuple[Sentence, ...] = ()

    @property
    def words(self) -> Mapping[str, str]:
        """What is declared in the steward's own words, by its name."""
        return {name: said for name, said in vars(self).items() if isinstance(said, str)}

    def planned(self, column: str) -> PlannedColumn | None:
        """How the public record says that a column was protected; None where it does not."""
        plans = {} if self.record is None else self.record.plan.columns
        return next((one for name, one in plans.items() if column in (name, *one.writes)), None)

    def binned(self, column: str) -> RecordedBins | None:
        """How a column was made coarser; None where nobody says so."""
        return None if self.record is None else self.record.plan.bins.get(column)


@dataclass(frozen=True)
class ReleasedColumn:
    """What the released file shows of one column.

    Attributes:
        missing: the cells without a value.
        counts: the rows of every value, as the file writes it; None where there are too many values, or none that
            have a text.
    """

    name: str
    kind: Kind
    missing: int
    counts: Mapping[str, int] | None


def released_columns(release: Path, table: Table) -> tuple[ReleasedColumn, ...]:
    """The columns of a released file, which the table reads, in their order."""
    missing: Counter[str] = Counter()
    counts: dict[str, Counter[str] | None] = {}
    for batch in _batches(release):
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            missing[name] += column.null_count
            counts[name] = _added(counts.get(name, Counter()), column)
    return tuple(
        ReleasedColumn(one.name, one.kind, missing[one.name], None if found is None else dict(sorted(found.items())))
        for one in table.columns()
        for found in (counts.get(one.name),)
    )


def _batches(release: Path) -> Iterator[pa.RecordBatch]:
    try:
        with rows_as_written(release, release.suffix.lower().lstrip(".")) as (_, batches):
            yield from batches
    except UnreadableError:
        # Some engine reads it all the same; then its values are not listed.
        return


def _added(counts: Counter[str] | None, column: pa.Array) -> Counter[str] | None:
    """The rows of each value with those of one more batch; None beyond the most values."""
    if counts is None or pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        return None
    found = pc.value_counts(column.drop_null())
    if len(found) > MOST_VALUES:
        return None
    values = found.field("values").cast(pa.string()).to_pylist()
    for value, rows in zip(values, found.field("counts").to_pylist(), strict=True):
        counts[value] += rows
    return None if len(counts) > MOST_VALUES else counts

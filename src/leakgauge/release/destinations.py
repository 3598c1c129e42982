"""Where a release goes: a file, or a table in PostgreSQL; its draft appears whole under its name or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from leakgauge.artefacts.record import Output
from leakgauge.drafts import Draft, DraftFolder, draft, draft_folder, exists, require_writable
from leakgauge.errors import ColumnError, OptionError
from leakgauge.release.bound import BoundPlan
from leakgauge.release.files import require_format
from leakgauge.release.record import TABLE, file_digest, path_from, size_of
from leakgauge.tables import Kind, Table
from leakgauge.tables.postgresql.address import SCHEMES, Address, without_secrets

if TYPE_CHECKING:
    from leakgauge.release.table_draft import TableDraft


Named: TypeAlias = "Draft | DraftFolder | TableDraft"
"""A release that is whole, and has no name yet."""
_NUL = "\0"
_COUNTED = 1 << 16
"""Columns with more values are streamed."""
_BATCH = 1 << 17


@dataclass(frozen=True)
class FileDestination:
    """A ``.csv`` or ``.parquet`` file, or a folder of Parquet files that workers write."""

    output: Path
    is_folder: bool = False

    address = None

    @property
    def opens_in_a_spreadsheet(self) -> bool:
        """Whether a spreadsheet program opens it, and takes texts that begin like a formula for one."""
        return self.output.suffix.lower() == ".csv"

    @property
    def form(self) -> Path:
        """A name whose ending says how rows are written."""
        return self.output

    def beside(self, ending: str) -> Path:
        """A file that is named after it."""
        return self.output.with_name(self.output.name + ending)

    def require(self, overwrite: bool) -> None:
        """Refuse what cannot be written, or is there already."""
        require_format(self.output)
        require_writable(self.output)
        if self.output.exists() and not overwrite:
            raise exists(self.output)

    def draft(self, few: pa.Table, overwrite: bool) -> AbstractContextManager[Draft | DraftFolder]:
        """A draft, which is gone unless it is kept."""
        return draft_folder(self.output) if self.is_folder else draft(self.output, shareable=True)

    def described(self, made: Named, record: Path, columns: tuple[str, ...]) -> Output:
        """The release as its record has it."""
        assert isinstance(made, Draft | DraftFolder)
        form, size = self.output.suffix.lower().lstrip("."), size_of(made.path)
        return Output(self.named_from(record), form, columns, size, file_digest(made.path))

    def named_from(self, record: Path) -> str:
        """What a record calls it."""
        return path_from(record, self.output)


@dataclass(frozen=True)
class TableDestination:
    """A new table in PostgreSQL; its records lie in the working folder, unless they are named."""

    address: str

    opens_in_a_spreadsheet = False

    @property
    def _address(self) -> Address:
        return Address.of(self.address)

    @property
    def form(self) -> Path:
        """A name whose ending says how rows are written."""
        return Path("rows.csv")

    def beside(self, ending: str) -> Path:
        """A file that is named after it."""
        name = (self._address.table or "release").replace("/", "_")
        return Path(name + ending)

    def require(self, overwrite: bool) -> None:
        """Refuse an address without a table; what is there already is found out by the draft."""
        if self._address.table is None:
            raise OptionError("The address names no table to write; add one, as in …#schema.new_table.")

    def draft(self, few: pa.Table, overwrite: bool) -> AbstractContextManager[TableDraft]:
        """A table that is gone unless it is kept; what the server refuses of a few rows is known here."""
        from leakgauge.release.table_draft import draft_table

        return draft_table(self._address, few, overwrite=overwrite)

    def described(self, made: Named, record: Path, columns: tuple[str, ...]) -> Output:
        """The release as its record has it, without the user."""
        from leakgauge.release.table_draft import TableDraft

        assert isinstance(made, TableDraft)
        return Output(self.named_from(record), TABLE, columns, made.bytes, made.sha256)

    def named_from(self, record: Path) -> str:
        """What a record calls it."""
        return f"{self._address.shown}#{self._address.table}"


def destination(to: Path | str, *, on_workers: bool = False) -> FileDestination | TableDestination:
    """Where a path or an address leads; what workers cannot write is refused."""
    is_table = isinstance(to, str) and to.startswith(SCHEMES)
    if on_workers and (is_table or Path(to).suffix.lower() != ".parquet"):
        raise OptionError(
            "Workers write Parquet, and {path} is not; end it in .parquet.",
            path=without_secrets(str(to)) if is_table else to,
        )
    return TableDestination(str(to)) if is_table else FileDestination(Path(to), on_workers)


def require_held(plan: BoundPlan) -> None:
    """Refuse, before anything is spent, values that PostgreSQL cannot hold: texts with the letter NUL, and far dates.

    Rows are read only where counting a public column does not show it.
    """
    for one in plan.columns:
        outputs: Iterable[Any] = one.mechanism.letters or () if one.channel is None else one.channel.channel.outputs
        if _has_nul(part for label in outputs for part in (label if isinstance(label, tuple) else (label,))):
            raise _cannot_hold(one.name)
    doubtful = [
        column.name
        for column in plan.table.columns()
        if column.name in plan.public
        and column.kind in (Kind.STRING, Kind.DATE, Kind.TIMESTAMP)
        and not _shown_by_counts(plan.table, column.name)
    ]
    for batch in plan.table.batches(*doubtful, size=_BATCH) if doubtful else ():
        for name in doubtful:
            if not _holds(batch.column(name)):
                raise _cannot_hold(name)


def _shown_by_counts(table: Table, name: str) -> bool:
    """Whether counting, which is faster than streaming, shows that every value can be held."""
    try:
        labels = table.counts(name, limit=_COUNTED).labels(name)
    except ColumnError:
        return False  # too many, or dates that even our calendar has no place for
    return not _has_nul(labels)


def _has_nul(labels: Iterable[object]) -> bool:
    return any(isinstance(label, str) and _NUL in label for label in labels)


def _holds(values: pa.Array) -> bool:
    if isinstance(values, pa.DictionaryArray):
        values = values.dictionary_decode()
    if pa.types.is_date(values.type):
        return _between(values, pa.array([date.min, date.max], values.type))
    if pa.types.is_timestamp(values.type):
        # Those in nanoseconds reach from 1677 to 2262.
        # Without a zone: Arrow adds that of the column.
        ends = pa.array([datetime.min, datetime.max], pa.timestamp("us"))  # noqa: DTZ901
        return values.type.unit == "ns" or _between(values, ends.cast(values.type, safe=False))
    return not pc.any(pc.match_substring(values, _NUL)).as_py()


def _between(values: pa.Array, ends: pa.Array) -> bool:
    outside = pc.or_(pc.less(values, ends[0]), pc.greater(values, ends[1]))
    return not pc.any(outside).as_py()


def _cannot_hold(name: str) -> ColumnError:
    return ColumnError(
        "Column {name!r} would have values that PostgreSQL cannot hold; leave it out, or write a file.", name=name
    )

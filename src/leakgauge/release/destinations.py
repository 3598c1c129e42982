"""Where a release goes: a file, or a table in PostgreSQL; its draft appears whole under its name or not at all."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from leakgauge.artefacts.record import Output
from leakgauge.drafts import Draft, DraftFolder, draft, draft_folder, exists, require_writable
from leakgauge.errors import OptionError
from leakgauge.release.files import require_format
from leakgauge.release.record import TABLE, file_digest, path_from, size_of
from leakgauge.tables.postgresql.address import SCHEMES, Address, without_secrets

if TYPE_CHECKING:
    import pyarrow as pa

    from leakgauge.release.table_draft import TableDraft


Named: TypeAlias = "Draft | DraftFolder | TableDraft"
"""A release that is whole, and has no name yet."""


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

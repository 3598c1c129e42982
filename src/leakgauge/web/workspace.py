"""What was opened: tables of one folder, and files dropped onto the page."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from anyio import to_thread

from leakgauge.artefacts import Request
from leakgauge.drafts import could_not_write
from leakgauge.errors import FileError, LeakgaugeError, OptionError, RefusalError, TableError
from leakgauge.languages import Language
from leakgauge.tables import Table, open_table
from leakgauge.tables.opening import source_files
from leakgauge.tables.postgresql.address import SCHEMES
from leakgauge.tables.sql.table import SqlTable
from leakgauge.tables.statistics_files import READERS
from leakgauge.tables.workbooks import WORKBOOKS
from leakgauge.web.private_folder import PrivateFolder
from leakgauge.web.questions import TooLargeError, UnknownError
from leakgauge.web.reach import Reach

ENDINGS: Final = (
    *(".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".json", ".parquet", ".pq", ".duckdb", ".db"),
    *(*WORKBOOKS, *READERS),
)
_COMPRESSED: Final = (".gz", ".zst")
_LISTED: Final = 500
_LONGEST_NAME: Final = 200
"""Bytes of a dropped file's name; file systems take 255."""
_TIMES: Final = 4
"""All dropped files together may be so many times as large as one of them."""


@dataclass(frozen=True)
class OpenTable:
    """A table that was opened, by its ``address`` in the folder ``place``, where jobs run, or in PostgreSQL.

    ``key`` is its id, of its place and contents; ``digest`` is the SHA-256 of its files or rows when it was opened;
    ``path`` is what opens it again, and None where it was dropped.
    """

    key: str
    name: str
    place: Path
    address: str
    rows: int
    columns: tuple[tuple[str, str], ...]
    digest: str
    path: str | None

    @property
    def source(self) -> str:
        """As ``open_table`` takes it, from anywhere."""
        return _source(self.place, self.address)

    def fields(self, language: Language) -> dict[str, object]:
        """The table for the page."""
        size = language.say("{rows:,} rows, {columns:,} columns", rows=self.rows, columns=len(self.columns))
        columns = [{"name": name, "kind": kind} for name, kind in self.columns]
        where = {"path": self.path, "dropped": self.path is None}
        return {"id": self.key, "name": self.name, "rows": self.rows, "size": size, "columns": columns, **where}


class Workspace:
    """The folder that is served and the tables opened from it; nothing out of reach is read."""

    def __init__(self, reach: Reach, limit: int) -> None:
        self.reach = reach
        self.folder = reach.folder
        self.limit = limit
        self.total = limit * _TIMES
        self._tables: dict[str, OpenTable] = {}
        self._stamps: dict[str, object] = {}
        self._drops: PrivateFolder | None = None
        self._sizes: dict[Path, int] = {}

    def tables(self) -> list[OpenTable]:
        """Those opened so far, the last one first."""
        return list(reversed(self._tables.values()))

    def table(self, key: str) -> OpenTable:
        """The table of an id; ``UnknownError`` where none has it."""
        if key not in self._tables:
            raise UnknownError("There is no open table of this id; open the file again.")
        return self._tables[key]

    def files(self) -> list[str]:
        """The names of files in the folder that look like tables."""
        found = []
        for path in sorted(self.folder.iterdir()):
            endings = [part.lower() for part in path.suffixes[-2:]]
            if endings and endings[-1] in _COMPRESSED:
                endings.pop()
            if endings and endings[-1] in ENDINGS and not path.name.startswith(".") and self._holds(path):
                found.append(path.name)
        return found[:_LISTED]

    def open(self, path: str) -> OpenTable:
        """The table of a path relative to the folder, or absolute inside it, or of an address in PostgreSQL.

        Raises:
            OutsideError: the path, or what it links to, lies elsewhere, or the server was not started with the address.
            LeakgaugeError: as ``open_table``, with paths from the folder on.
        """
        if not path or "\0" in path:
            raise FileError("No file is named; give its path in the folder that is served.")
        if self.reach.is_address(path):
            return self._opened(self.folder, path, path)
        given = self.folder / path
        try:
            # The folder of the path is resolved, its name is not: it may be a pattern, or name a table in a database.
            within = given.resolve() if given.is_dir() else given.parent.resolve() / given.name
            files = source_files(str(within))
        except (OSError, RuntimeError):
            raise FileError("This path cannot be read; give another.") from None
        whole = within == self.folder
        for file in files if whole else (within.parent, *files):
            self.reach.require(file)
        address = str(within.relative_to(self.folder))
        # The folder itself is opened by its name, which the report shows.
        return self._opened(self.folder, f"../{self.folder.name}" if whole else address, address)

    async def drop(self, name: str, length: int | None, body: AsyncIterator[bytes]) -> OpenTable:
        """The table in a body, kept in a private folder until the server ends.

        Of the name only its last part counts; the length is the announced one, None where it is not.

        Raises:
            TooLargeError: the body is larger than the limit; nothing of it is kept.
            LeakgaugeError: as ``open_table``.
        """
        if length is not None:
            self._require_room(length)
        plain = _plain_name(name)
        if self._drops is None:
            self._drops = PrivateFolder()
        place = Path(tempfile.mkdtemp(dir=self._drops.place))
        try:
            await self._fill(place, plain, body)
            table = await to_thread.run_sync(self._opened, place, plain, None)
        except BaseException:
            self._discard(place)
            raise
        if table.place != place:
            self._discard(place)
        return table

    async def _fill(self, place: Path, name: str, body: AsyncIterator[bytes]) -> None:
        try:
            with (place / name).open("wb") as file:
                async for piece in body:
                    written = self._sizes.pop(place, 0) + len(piece)
                    self._require_room(written)
                    self._sizes[place] = written
                    file.write(piece)
        except OSError as error:
            raise could_not_write(Path(name), error) from None

    def _require_room(self, size: int) -> None:
        """Refuse a file that is too large, or would be together with those that are here."""
        if size > self.limit:
            raise TooLargeError(
                "The file is larger than {limit:,} bytes; open it by its path, or serve with a larger --max-upload.",
                limit=self.limit,
            )
        if self.dropped + size > self.total:
            raise TooLargeError(
                "All dropped files would be larger than {limit:,} bytes; remove one, or open this one by its path.",
                limit=self.total,
            )

    @property
    def dropped(self) -> int:
        """Bytes of all dropped files, those under way included."""
        return sum(self._sizes.values())

    def remove(self, table: OpenTable) -> None:
        """Forget a dropped table and remove its file; ``OptionError`` where it was not dropped."""
        if table.path is not None:
            raise OptionError("{name!r} was not dropped, and is not removed; delete it yourself.", name=table.name)
        del self._tables[table.key]
        self._stamps.pop(table.key, None)
        self._discard(table.place)

    def _discard(self, place: Path) -> None:
        shutil.rmtree(place, ignore_errors=True)
        self._sizes.pop(place, None)

    def close(self) -> None:
        """Forget every table and remove what was dropped."""
        self._tables.clear()
        self._sizes.clear()
        if self._drops is not None:
            self._drops.close()
            self._drops = None

    def require_unchanged(self, table: OpenTable) -> None:
        """Refuse, by a ``RefusalError``, a table whose files have changed since it was opened, or are gone."""
        try:
            files = source_files(table.source)
            stamp = _stamp(files)
            # Files that were only touched are read again, once; a server says nothing of when a table was written.
            same = bool(files) and stamp == self._stamps.get(table.key)
            if not same:
                with open_table(table.source) if not files else nullcontext(None) as opened:
                    same = digest_of(files, opened) == table.digest
        except OSError:
            same = False
        if same:
            self._stamps[table.key] = stamp
        else:
            raise RefusalError("{name!r} has changed since it was opened; open it again.", name=table.name)

    def require_beside(self, table: OpenTable, request: Request) -> None:
        """Refuse a job that would read, beside its table, what is out of reach or not where the table is."""
        files = self.reach.files(request)
        for field, name in files if table.path is None else ():
            # A job on a dropped table runs in a folder of its own, where a ledger would be gone with the table; a text
            # among several of a field may be a name of ours.
            if request.options().get(field) == name or (self.folder / name).is_file():
                raise OptionError(
                    "{name!r} is in the folder that is served, but the table was dropped; open the table by its path.",
                    name=name,
                )

    def told(self, error: LeakgaugeError) -> LeakgaugeError:
        """The error with paths from the folder on: where the folder lies is nobody's business."""
        fields = {name: self._shortened(value) for name, value in error.fields.items()}
        return type(error)(error.template, **fields)

    def _shortened(self, value: object) -> object:
        if isinstance(value, Path):
            value = str(value)
        if not isinstance(value, str):
            return value
        if self._drops is not None:
            value = re.sub(re.escape(str(self._drops.place)) + r"/\w+/", "", value)
        return value.replace(f"{self.folder}/", "")

    def _opened(self, place: Path, address: str, path: str | None) -> OpenTable:
        source, shown = _source(place, address), Path(address).name
        try:
            with open_table(source) as table:
                columns = tuple((column.name, column.kind.words) for column in table.columns())
                rows = table.rows
                files = source_files(source)
                stamp = _stamp(files)
                digest = digest_of(files, table)
        except LeakgaugeError as error:
            failure = self.told(error)
        except OSError:
            failure = TableError("{name!r} cannot be read; check the disk and the path.", name=shown)
        else:
            # A file dropped twice is one table; files of a folder are told apart by their paths.
            where = shown if place != self.folder else source
            key = hashlib.sha256(f"{where}\0{digest}".encode()).hexdigest()[:16]
            made = OpenTable(key, shown, place, address, rows, columns, digest, path)
            self._stamps[key] = stamp
            return self._tables.setdefault(key, made)
        # Raised outside the handler: the first one has the whole path in it.
        raise failure

    def _holds(self, path: Path) -> bool:
        try:
            return path.is_file() and path.resolve().is_relative_to(self.folder)
        except (OSError, RuntimeError):
            return False


def _stamp(files: list[Path]) -> object:
    """What changes when a file is written."""
    return [(str(path), (state := path.stat()).st_size, state.st_mtime_ns, state.st_ino) for path in files]


def _source(place: Path, address: str) -> str:
    return address if address.startswith(SCHEMES) else str(place / address)


def digest_of(files: list[Path], table: Table | None = None) -> str:
    """SHA-256 of some files, one after the other, in hexadecimal digits; without files of the table's rows."""
    if not files and isinstance(table, SqlTable):
        return table.fingerprint()
    made = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            hashlib.file_digest(file, lambda: made)
    return made.hexdigest()


def _plain_name(name: str) -> str:
    """The last part of a dropped file's name, free of what a file system or a screen could stumble over."""
    plain = re.sub(r"[\x00-\x1f\x7f]", "", re.split(r"[/\\]", name)[-1]).strip()
    if plain in ("", ".", "..") or len(plain.encode(errors="replace")) > _LONGEST_NAME:
        raise FileError("The dropped file needs a name of up to {most} bytes; rename it.", most=_LONGEST_NAME)
    if re.search("[\ud800-\udfff]", plain):
        raise FileError("The name of the dropped file is not text; rename it.")
    return plain

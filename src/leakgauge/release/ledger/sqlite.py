"""A ledger in one SQLite file."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from leakgauge.drafts import draft, sync_folder, target
from leakgauge.errors import EngineError, FileError, LeakgaugeError, VerificationError
from leakgauge.release.ledger.store import INDEX, TABLE, VERSION, WAIT_SECONDS, Store
from leakgauge.sentences import Sentence

APPLICATION = 0x4C6B4C67
"""Written in the file's header: this is a ledger of Leakgauge."""
_MAKING_SECONDS = 1.0
"""A ledger that is being made has two names for a moment; so long they may both be there."""
_NEVER_CHANGED = [
    f"CREATE TRIGGER entries_{verb.lower()} BEFORE {verb} ON entries "
    "BEGIN SELECT RAISE(ABORT, 'entries of a ledger are never changed'); END"
    for verb in ("UPDATE", "DELETE")
]


class SqliteStore(Store):
    """Entries in a file; a commit is on disk before a spend is acknowledged."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        # Of a link, the file it leads to: the journal lies beside the name that was opened, and there must be one.
        self._path = target(path)
        if self._path.is_dir():
            raise FileError("{path} is a folder; name a file for the ledger.", path=path)
        if not self._path.parent.is_dir():
            raise FileError("The folder {path} does not exist; make it first.", path=self._path.parent)
        if not self._path.exists():
            raise FileError(
                "There is no ledger {path}; check the path, or make one with `leakgauge ledger open`.", path=path
            )
        self._file = self._require_one_name()
        try:
            self._connection = _connect(self._path)
        except sqlite3.Error as error:
            raise self._told(error) from None
        try:
            if self.run("PRAGMA application_id") != [(APPLICATION,)]:
                raise FileError("{path} is not a ledger of Leakgauge; name another file.", path=self.name)
            ((version,),) = self.run("PRAGMA user_version")
            self.require_known_version(version)
            # Each commit waits for the disk: an acknowledged spend outlives a power cut.
            self.run("PRAGMA synchronous = FULL")
        except BaseException:
            self.close()
            raise

    @contextmanager
    def writing(self) -> Iterator[None]:
        self.run("BEGIN IMMEDIATE")
        try:
            if self._require_one_name() != self._file:
                raise self._moved()
            yield
            self.run("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self.run("ROLLBACK")
            raise

    def run(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._told(error) from None

    def close(self) -> None:
        self._connection.close()

    def _require_one_name(self) -> tuple[int, int]:
        """Which file has the name now; one that has other names too is refused.

        The journal belongs to a name: under two names a file has two, each without what was spent in the other.
        """
        until = time.monotonic() + _MAKING_SECONDS
        while True:
            try:
                found = self._path.stat()
            except OSError:
                raise self._moved() from None
            if found.st_nlink == 1:
                return found.st_dev, found.st_ino
            if time.monotonic() >= until:
                raise FileError(
                    "The ledger {path} has {count} names (hard links), under which it would be spent twice; keep one "
                    "of them and remove the others.",
                    path=self.name,
                    count=found.st_nlink,
                )
            time.sleep(_MAKING_SECONDS / 20)

    def _moved(self) -> FileError:
        return FileError("The ledger {path} was moved or replaced while it was open; open it again.", path=self.name)

    def _told(self, error: sqlite3.Error) -> LeakgaugeError:
        match code := getattr(error, "sqlite_errorcode", 0) & 0xFF:
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                return EngineError(
                    "The ledger {path} was locked by another process for {seconds:g} s; try again.",
                    path=self.name,
                    seconds=WAIT_SECONDS,
                )
            case sqlite3.SQLITE_NOTADB:
                return FileError("{path} is not a ledger of Leakgauge; name another file.", path=self.name)
            # Without a code the text of an entry cannot be read; SQLITE_ERROR is a table that is not there.
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_ERROR | 0 if not isinstance(error, sqlite3.ProgrammingError):
                return VerificationError("The ledger {path} is damaged; restore it from a copy.", path=self.name)
        reasons = {
            sqlite3.SQLITE_READONLY: Sentence("it may not be written"),
            sqlite3.SQLITE_CANTOPEN: Sentence("it may not be opened"),
            sqlite3.SQLITE_FULL: Sentence("the disk is full"),
        }
        return EngineError(
            "The ledger {path} could not be used: {reason}; no budget was used.",
            path=self.name,
            reason=reasons.get(code, getattr(error, "sqlite_errorname", type(error).__name__)),
        )


def make_sqlite(path: Path) -> None:
    """Make an empty ledger where there is no file yet, of a link where it leads to; what is there stays as it is."""
    place = target(path)
    if place.exists():
        return
    if not place.parent.is_dir():
        raise FileError("The folder {path} does not exist; make it first.", path=place.parent)
    try:
        # Made whole under another name and never over another file, which a draft that is kept might replace.
        with draft(place) as made, suppress(FileExistsError):
            _write_empty(made.path)
            os.link(made.path, place)  # fails where somebody was quicker
            made.drop()
            sync_folder(place.parent)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "sqlite_errorname", "the system refused")
        raise EngineError("The ledger {path} could not be made: {reason}.", path=path, reason=reason) from None


def _write_empty(path: Path) -> None:
    connection = _connect(path)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        # The journal is written ahead: one wait for the disk a spend, and readers do not wait at all.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA application_id = {APPLICATION:d}")
        connection.execute(f"PRAGMA user_version = {VERSION:d}")
        for statement in (TABLE, INDEX, *_NEVER_CHANGED):
            connection.execute(statement)
    finally:
        connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    address = f"file:{quote(str(path))}?mode=rw"
    return sqlite3.connect(address, uri=True, timeout=WAIT_SECONDS, isolation_level=None)

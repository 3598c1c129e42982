"""A ledger in one SQLite file."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from leakgauge.errors import EngineError, FileError, LeakgaugeError, VerificationError
from leakgauge.release.ledger.store import INDEX, TABLE, VERSION, WAIT_SECONDS, Store

APPLICATION = 0x4C6B4C67
"""Written in the file's header: this is a ledger of Leakgauge."""
_NEVER_CHANGED = [
    f"CREATE TRIGGER entries_{verb.lower()} BEFORE {verb} ON entries "
    "BEGIN SELECT RAISE(ABORT, 'entries of a ledger are never changed'); END"
    for verb in ("UPDATE", "DELETE")
]


class SqliteStore(Store):
    """Entries in a file; a commit is on disk before a spend is acknowledged.

    Raises:
        FileError: the file is missing, is not a ledger, or is from a newer version.
        EngineError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        if path.is_dir():
            raise FileError("{path} is a folder; name a file for the ledger.", path=path)
        if not path.parent.is_dir():
            raise FileError("The folder {path} does not exist; make it first.", path=path.parent)
        if not path.exists():
            raise FileError("There is no ledger {path}; make one with `leakgauge ledger open`.", path=path)
        try:
            self._connection = _connect(path)
        except sqlite3.Error as error:
            raise self._told(error) from None
        try:
            self._require_ledger()
            # Each commit waits for the disk: an acknowledged spend outlives a power cut.
            self.run("PRAGMA synchronous = FULL")
        except BaseException:
            self.close()
            raise

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction that locks the file from its start."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self.run("ROLLBACK")
            raise

    def rows(self, statement: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows a statement gives."""
        try:
            yield from self._connection.execute(statement, values)
        except sqlite3.Error as error:
            raise self._told(error) from None

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _require_ledger(self) -> None:
        ((application,),) = self.run("PRAGMA application_id")
        ((version,),) = self.run("PRAGMA user_version")
        if application != APPLICATION:
            raise FileError("{path} is not a ledger of Leakgauge; name another file.", path=self.name)
        self.require_known_version(version)

    def _told(self, error: sqlite3.Error) -> LeakgaugeError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        match code:
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                return EngineError(
                    "The ledger {path} was locked by another process for {seconds:g} s; try again.",
                    path=self.name,
                    seconds=WAIT_SECONDS,
                )
            case sqlite3.SQLITE_NOTADB:
                return FileError("{path} is not a ledger of Leakgauge; name another file.", path=self.name)
            case sqlite3.SQLITE_CORRUPT:
                return VerificationError("The ledger {path} is damaged; restore it from a copy.", path=self.name)
        reasons = {
            sqlite3.SQLITE_READONLY: "it may not be written",
            sqlite3.SQLITE_CANTOPEN: "it may not be opened",
            sqlite3.SQLITE_FULL: "the disk is full",
        }
        return EngineError(
            "The ledger {path} could not be used: {reason}; nothing was spent.",
            path=self.name,
            reason=reasons.get(code, getattr(error, "sqlite_errorname", type(error).__name__)),
        )


def make_sqlite(path: Path) -> None:
    """Make an empty ledger where there is no file yet; what is there stays as it is.

    Raises:
        FileError: the folder does not exist.
        EngineError: the file cannot be written.
    """
    if path.exists():
        return
    if not path.parent.is_dir():
        raise FileError("The folder {path} does not exist; make it first.", path=path.parent)
    try:
        # Made whole under another name (for its owner only), then linked, which fails where somebody was quicker.
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        try:
            _write_empty(Path(draft))
            os.link(draft, path)
            _sync_folder(path.parent)
        except FileExistsError:
            pass
        finally:
            Path(draft).unlink()
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
    address = f"file:{quote(str(path.resolve()))}?mode=rw"
    return sqlite3.connect(address, uri=True, timeout=WAIT_SECONDS, isolation_level=None)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

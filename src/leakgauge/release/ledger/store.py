"""Where entries are kept: one append-only table, the same in every database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from leakgauge.errors import FileError, VerificationError
from leakgauge.release.ledger.entry import Entry, Kind

VERSION = 1
"""Of the table below; a ledger with a higher one is refused."""
WAIT_SECONDS = 30.0
"""How long to wait for another process that is spending."""
TABLE = """
CREATE TABLE entries (
    sequence INTEGER PRIMARY KEY,
    dataset TEXT NOT NULL,
    kind TEXT NOT NULL,
    time TEXT NOT NULL,
    body TEXT NOT NULL,
    purpose TEXT NOT NULL,
    reference TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL,
    UNIQUE (kind, reference)
)
"""
INDEX = "CREATE INDEX entries_of_dataset ON entries (dataset, sequence)"
_SELECT = "SELECT sequence, dataset, kind, time, body, purpose, reference, previous, hash FROM entries "


class Store(ABC):
    """Entries in a database; ``?`` stands for a value in every statement.

    A store serves one thread; processes and threads each open their own.
    """

    name: str
    """The address without secrets, for messages."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[None]:
        """A transaction in which nobody else writes; committed at its end and on disk by then, or undone."""

    @abstractmethod
    def run(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows a statement gives, all at once: none is read after the database was let go."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the database."""

    def append(self, entry: Entry) -> None:
        """Write one entry."""
        first = (entry.sequence, entry.dataset, str(entry.kind), entry.time, entry.body)
        rest = (entry.purpose, entry.reference, entry.previous, entry.hash)
        self.run("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*first, *rest))

    def last(self, dataset: str | None = None) -> Entry | None:
        """The newest entry, of one data set or of all."""
        if dataset is None:
            return self._one(_SELECT + "ORDER BY sequence DESC LIMIT 1", ())
        return self._one(_SELECT + "WHERE dataset = ? ORDER BY sequence DESC LIMIT 1", (dataset,))

    def find(self, kind: Kind, reference: str) -> Entry | None:
        """The entry of a kind with a reference."""
        return self._one(_SELECT + "WHERE kind = ? AND reference = ?", (str(kind), reference))

    def entries(self, dataset: str | None = None) -> Iterator[Entry]:
        """All entries in order, of one data set or of all, as they are stored."""
        of_dataset, values = ("", ()) if dataset is None else ("WHERE dataset = ? ", (dataset,))
        return map(_entry, self.run(_SELECT + of_dataset + "ORDER BY sequence", values))

    def opened(self) -> Iterator[Entry]:
        """The entries that opened accounts, in order."""
        return map(_entry, self.run(_SELECT + "WHERE kind = ? ORDER BY sequence", (str(Kind.OPEN),)))

    def require_known_version(self, found: int) -> None:
        """Refuse a ledger that a newer version wrote."""
        if found > VERSION:
            raise FileError(
                "The ledger {name} is from a newer version of Leakgauge (format {found}, known is {known}); "
                "install that version.",
                name=self.name,
                found=found,
                known=VERSION,
            )

    def _one(self, statement: str, values: Sequence[object]) -> Entry | None:
        rows = self.run(statement, values)
        return _entry(rows[0]).require_whole() if rows else None


def _entry(row: tuple[Any, ...]) -> Entry:
    sequence, dataset, kind, *rest = row
    # A database may hold anything in a column of text.
    if not isinstance(sequence, int) or not all(isinstance(text, str) for text in row[1:]):
        raise VerificationError("An entry of the ledger is not text; restore the ledger from a copy.")
    if kind not in list(Kind):
        raise VerificationError(
            "Entry {sequence} of the ledger has an unknown kind; restore the ledger from a copy.", sequence=sequence
        )
    return Entry(sequence, dataset, Kind(kind), *rest)

"""The table's files, watched while a job is at work: its parts must be of one table."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leakgauge.errors import TableError
from leakgauge.release.record import file_digest
from leakgauge.tables import source_files

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 1 << 16
"""Of a piece that is digested at once: the same rows have the same digest, however they came in pieces."""


@dataclass(frozen=True)
class Watched:
    """The files of a table, and how they looked when the job began.

    Attributes:
        files: in order.
        looks: size, time of change and place of each.
    """

    files: tuple[Path, ...]
    looks: tuple[tuple[int, int, int], ...]

    @property
    def bytes(self) -> int:
        """The size of all of them."""
        return sum(size for size, _, _ in self.looks)

    def digest(self) -> str:
        """SHA-256 of the file, or over those of several."""
        each = [file_digest(file) for file in self.files]
        return each[0] if len(each) == 1 else hashlib.sha256("".join(each).encode()).hexdigest()

    def require_unchanged(self) -> None:
        """Refuse to go on with another table than the job began with.

        Raises:
            TableError: a file was changed or is gone.
        """
        try:
            same = _look(self.files) == self.looks
        except OSError:
            same = False
        if not same:
            raise TableError(
                "The table was changed while the job was at work, so its parts would not fit together; run it again in "
                "a new folder."
            )


@dataclass(frozen=True)
class InMemory:
    """A table in memory, which nobody changes."""

    content: pa.Table

    @property
    def bytes(self) -> int:
        """Its size in memory."""
        return int(self.content.nbytes)

    def digest(self) -> str:
        """SHA-256 over its names, types and values."""
        import pyarrow as pa

        sink, whole = _Digest(), self.content.replace_schema_metadata(None).combine_chunks()
        with pa.ipc.new_stream(sink, whole.schema) as stream:
            stream.write_table(whole, max_chunksize=_ROWS)
        return sink.made.hexdigest()

    def require_unchanged(self) -> None:
        """It is not changed."""


class _Digest(io.RawIOBase):
    """A file that keeps the digest of what is written to it."""

    def __init__(self) -> None:
        self.made = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self.made.update(data)
        return memoryview(data).nbytes


def watched(content: str | pa.Table) -> Watched | InMemory:
    """The files behind an address, as they look now, or a table in memory."""
    if not isinstance(content, str):
        return InMemory(content)
    files = tuple(sorted(source_files(content)))
    return Watched(files, _look(files))


def _look(files: tuple[Path, ...]) -> tuple[tuple[int, int, int], ...]:
    found = [file.stat() for file in files]
    return tuple((one.st_size, one.st_mtime_ns, one.st_ino) for one in found)

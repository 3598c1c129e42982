"""The table's files, watched while a job is at work: its parts must be of one table."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from leakgauge.errors import TableError
from leakgauge.release.record import file_digest
from leakgauge.tables import source_files


@dataclass(frozen=True)
class Watched:
    """The files of a table, and how they looked when the job began.

    Attributes:
        files: in order.
        looks: size, time of change and place of each.
    """

    files: tuple[Path, ...]
    looks: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, address: str) -> Watched:
        """The files behind an address, as they look now."""
        files = tuple(sorted(source_files(address)))
        return cls(files, _look(files))

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


def _look(files: tuple[Path, ...]) -> tuple[tuple[int, int, int], ...]:
    found = [file.stat() for file in files]
    return tuple((one.st_size, one.st_mtime_ns, one.st_ino) for one in found)

"""Files written whole or not at all: a draft beside the place, on disk before it takes the name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leakgauge.errors import EngineError, FileError


class Draft:
    """A file under a hidden name in the folder of ``place``, readable by its owner only until it is kept."""

    def __init__(self, place: Path) -> None:
        self.place = target(place)
        try:
            handle, name = tempfile.mkstemp(dir=self.place.parent, prefix=f".{self.place.name}.")
        except OSError as error:
            raise could_not_write(self.place, error) from None
        os.close(handle)
        self.path = Path(name)

    def write(self, text: str) -> None:
        """Fill the draft with text."""
        try:
            self.path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise could_not_write(self.place, error) from None

    def write_bytes(self, content: bytes) -> None:
        """Fill the draft with bytes."""
        try:
            self.path.write_bytes(content)
        except OSError as error:
            raise could_not_write(self.place, error) from None

    def keep(self, overwrite: bool = True) -> None:
        """Give the draft its name; a kill before leaves the old file, a kill after the new one.

        Raises:
            FileError: something has the name already and may not be overwritten.
            EngineError: the disk refused.
        """
        try:
            with self.path.open("rb+") as file:
                os.fsync(file.fileno())
            # A file that was closed to others stays so.
            self.path.chmod(self.place.stat().st_mode & 0o777 if self.place.exists() else 0o666 & ~_umask())
            if overwrite:
                self.path.replace(self.place)
            else:
                # Unlike a rename, a link never takes the place of a file that has come meanwhile.
                os.link(self.path, self.place)
                self.path.unlink()
            sync_folder(self.place.parent)
        except FileExistsError:
            raise exists(self.place) from None
        except OSError as error:
            raise could_not_write(self.place, error) from None

    def drop(self) -> None:
        """Remove what was not kept."""
        self.path.unlink(missing_ok=True)


@contextmanager
def draft(place: Path) -> Iterator[Draft]:
    """A draft that is gone when the block ends, unless it was kept."""
    made = Draft(place)
    try:
        yield made
    finally:
        made.drop()


def write_whole(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with draft(path) as made:
        made.write(text)
        made.keep()


def write_bytes_whole(path: Path, content: bytes) -> None:
    """Write a file of bytes whole or not at all."""
    with draft(path) as made:
        made.write_bytes(content)
        made.keep()


def target(path: Path) -> Path:
    """The file that is written: of a link, what it leads to."""
    try:
        place = path.resolve()
    except RuntimeError:
        place = path
    # Links in a circle: Python before 3.13 raises, later ones give one of the links back.
    if place.is_symlink():
        raise FileError("{path} is a link that leads to itself; name another file to write.", path=path)
    return place


def require_writable(output: Path | None, *inputs: Path) -> None:
    """Refuse an output place before any work is done, and never overwrite an input."""
    if output is None:
        return
    if output.is_dir():
        raise FileError("{path} is a folder; name a file to write.", path=output)
    if output.exists() and not output.is_file():
        raise FileError("{path} is not a regular file; name another, or use --json.", path=output)
    place = target(output)
    if _is_database(place):
        raise FileError("{path} is a database or belongs to one, perhaps a ledger; name another file.", path=output)
    if not place.parent.is_dir():
        raise FileError("The folder {path} does not exist; make it first.", path=place.parent)
    for path in inputs:
        if place == path.resolve():
            raise FileError("{path} is an input; name another file to write.", path=output)
        if path.is_dir() and place.is_relative_to(path.resolve()):
            raise FileError("{path} lies in the folder {folder}, an input; write elsewhere.", path=output, folder=path)


def _is_database(place: Path) -> bool:
    """Whether a file is SQLite's, or one of those it keeps beside: replacing either could lose what was spent."""
    if place.name.endswith(("-wal", "-shm", "-journal")):
        return True
    try:
        with place.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def exists(path: Path) -> FileError:
    """What to raise where something has the name already."""
    return FileError("{path} exists; name another file, or say --overwrite.", path=path)


def could_not_write(path: Path, error: OSError) -> EngineError:
    """What to raise where the disk refuses; never with what was to be written."""
    # Not the error's own words: a library may have put more into them.
    reason = os.strerror(error.errno) if error.errno else "the system refused"
    return EngineError("{path} could not be written: {reason}.", path=path, reason=reason)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

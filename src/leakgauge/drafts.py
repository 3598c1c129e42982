"""Files written whole or not at all, and who may read them.

A draft is written beside its final place and is on disk before it takes the name. Files are for their owner alone
(0600, in folders of 0700), because nearly everything follows from a private table. Only files meant to be handed out
are ``shareable`` and follow the umask.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from leakgauge.errors import EngineError, FileError

OWNER_ONLY = 0o600
"""The mode of private files."""
OWNER_ONLY_FOLDER = 0o700
"""The mode of folders that hold them."""


class Draft:
    """A file under a hidden name in the folder of ``place``, readable by its owner only until it is kept.

    Args:
        shareable: whether it is meant to be handed out: it then has the mode of the file it replaces, or that of the
            umask. Other files are never readable by others, whatever they replace.
    """

    def __init__(self, place: Path, *, shareable: bool = False) -> None:
        self.place = target(place)
        try:
            # The name of a draft is no longer than that of any file may be.
            handle, name = tempfile.mkstemp(dir=self.place.parent, prefix=f".{self.place.name[:50]}.")
            os.close(handle)
            self.path = Path(name)
            if self.place.exists():
                # A file that was closed to others stays so.
                before = self.place.stat().st_mode & 0o777
                self._mode = before if shareable else before & OWNER_ONLY
            else:
                self._mode = _mode_by_umask(self.path) if shareable else OWNER_ONLY
        except OSError as error:
            raise could_not_write(self.place, error) from None

    def reserve(self, size: int) -> None:
        """Reserve disk space for the draft, before anything irreversible is done for it."""
        try:
            with self.path.open("rb+") as file:
                _allocate(file.fileno(), size)
        except OSError as error:
            raise EngineError(
                "{path} could not be written: it may take {size:,} bytes, and the disk refused ({reason}); free some "
                "space, or write to another disk.",
                path=self.place,
                size=size,
                reason=_reason(error),
            ) from None

    @contextmanager
    def filling(self) -> Iterator[BinaryIO]:
        """The draft to be written from its start, over what was reserved; what is left of that is given back."""
        try:
            with self.path.open("rb+") as file:
                yield file
                file.truncate()
        except OSError as error:
            raise could_not_write(self.place, error) from None

    def write(self, content: str | bytes) -> None:
        """Fill the draft."""
        with self.filling() as file:
            file.write(content.encode() if isinstance(content, str) else content)

    def keep(self, overwrite: bool = True) -> None:
        """Give the draft its name; a kill before leaves the old file, a kill after the new one.

        Raises:
            FileError: something has the name already and may not be overwritten.
            EngineError: the disk refused.
        """
        try:
            with self.path.open("rb+") as file:
                os.fsync(file.fileno())
            self.path.chmod(self._mode)
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

    def clear(self) -> None:
        """Remove the file that has the name."""
        self.place.unlink(missing_ok=True)
        sync_folder(self.place.parent)

    def drop(self) -> None:
        """Remove what was not kept."""
        self.path.unlink(missing_ok=True)


class DraftFolder:
    """A folder under a hidden name beside ``place``, for files that are handed out all together or not at all."""

    def __init__(self, place: Path) -> None:
        self.place = target(place)
        try:
            self.path = Path(tempfile.mkdtemp(dir=self.place.parent, prefix=f".{self.place.name[:50]}."))
            self._mode = _mode_by_umask(self.path)
        except OSError as error:
            raise could_not_write(self.place, error) from None

    def keep(self, overwrite: bool = True) -> None:
        """Give the folder its name, with all files in it on disk; a folder that has the name already is left alone.

        Raises:
            FileError: a folder has the name already.
            EngineError: the disk refused.
        """
        try:
            for file in self.path.iterdir():
                with file.open("rb+") as opened:
                    os.fsync(opened.fileno())
                file.chmod(self._mode)
            # Whoever may read a file may look into its folder.
            self.path.chmod(self._mode | (self._mode & 0o444) >> 2)
            sync_folder(self.path)
            self.path.rename(self.place)
            sync_folder(self.place.parent)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise exists(self.place) from None
            raise could_not_write(self.place, error) from None

    def clear(self) -> None:
        """Remove a file that has the name; a folder is left alone."""
        if self.place.is_file():
            self.place.unlink()
            sync_folder(self.place.parent)

    def drop(self) -> None:
        """Remove what was not kept."""
        shutil.rmtree(self.path, ignore_errors=True)


@contextmanager
def draft_folder(place: Path) -> Iterator[DraftFolder]:
    """A draft of a folder that is gone when the block ends, unless it was kept."""
    made = DraftFolder(place)
    try:
        yield made
    finally:
        made.drop()


@contextmanager
def draft(place: Path, *, shareable: bool = False) -> Iterator[Draft]:
    """A draft that is gone when the block ends, unless it was kept."""
    made = Draft(place, shareable=shareable)
    try:
        yield made
    finally:
        made.drop()


@contextmanager
def scratch(folder: Path, size: int) -> Iterator[BinaryIO]:
    """A file without a name, for this process alone, with room for so many bytes; gone with the process at the latest.

    Raises:
        EngineError: the disk has no room for it.
    """
    with ExitStack() as opened:
        try:
            file = opened.enter_context(tempfile.TemporaryFile(dir=folder))
            _allocate(file.fileno(), max(size, 1))
        except OSError as error:
            raise EngineError(
                "The rows cannot be put in a random order: {folder} may need {size:,} bytes for that, and the disk "
                "refused ({reason}); free some space, or write to another disk.",
                folder=folder,
                size=size,
                reason=_reason(error),
            ) from None
        yield file


def write_whole(path: Path, content: str | bytes, *, shareable: bool = False) -> None:
    """Write a file whole or not at all."""
    with draft(path, shareable=shareable) as made:
        made.write(content)
        made.keep()


def require_room(place: Path, size: int) -> None:
    """Refuse a place whose disk lacks this many bytes, before anything irreversible is done."""
    with draft(place) as tried:
        tried.reserve(size)


def close_folder(place: Path) -> None:
    """Close a folder to others; one that belongs to somebody else stays as it is, and its new files are closed."""
    with suppress(PermissionError):
        place.chmod(place.stat().st_mode & OWNER_ONLY_FOLDER)


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


def require_writable(output: Path | None, *inputs: Path | None) -> None:
    """Refuse an output place before any work is done, and never overwrite an input."""
    if output is None:
        return
    try:
        found = output.exists()
    except OSError as error:
        # A name that is too long, for one.
        raise could_not_write(output, error) from None
    if output.is_dir():
        raise FileError("{path} is a folder; name a file to write.", path=output)
    if found and not output.is_file():
        raise FileError("{path} is not a regular file; name another, or use --json.", path=output)
    place = target(output)
    if _is_database(place):
        raise FileError("{path} is a database or belongs to one, perhaps a ledger; name another file.", path=output)
    if not place.parent.is_dir():
        raise FileError("The folder {path} does not exist; make it first.", path=place.parent)
    for path in filter(None, inputs):
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
    return FileError("{path} exists; name another file, or add --overwrite.", path=path)


def could_not_write(path: Path, error: OSError) -> EngineError:
    """The error for a disk that refuses; never shows what was to be written."""
    return EngineError("{path} could not be written: {reason}.", path=path, reason=_reason(error))


def _mode_by_umask(draft: Path) -> int:
    """The mode of a new file, read off an empty one: to ask for the umask is to change it, for every thread."""
    tried = draft.with_name(f"{draft.name}.mode")
    handle = os.open(tried, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    try:
        return os.fstat(handle).st_mode & 0o777
    finally:
        os.close(handle)
        tried.unlink()


def _allocate(handle: int, size: int) -> None:
    """Take bytes of the disk for a file; where that cannot be done, make sure at least that they are free."""
    try:
        os.posix_fallocate(handle, 0, size)
    except (AttributeError, OSError) as error:
        # Not every system or disk can.
        if isinstance(error, OSError) and error.errno not in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):
            raise
        disk = os.fstatvfs(handle)
        if disk.f_bavail * disk.f_frsize < size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None


def _reason(error: OSError) -> str:
    # Not the error's own words: a library may have put more into them.
    return os.strerror(error.errno) if error.errno else "the system refused"


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

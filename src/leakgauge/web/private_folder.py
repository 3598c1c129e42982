"""Private folders that go with their server: at its end, or when the next one starts where it was killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Final

_PREFIX: Final = "leakgauge-"
_MARK: Final = ".held"


class PrivateFolder:
    """A new folder that only its owner may look into, marked as in use for as long as this process lives."""

    def __init__(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix=_PREFIX))
        part = self.place / f"{_MARK}.part"
        self._mark = part.open("w")
        fcntl.flock(self._mark, fcntl.LOCK_EX)
        # Named only once it is locked: a server that starts meanwhile must not take the folder for abandoned.
        part.rename(self.place / _MARK)

    def close(self) -> None:
        """Remove the folder with all that is in it."""
        shutil.rmtree(self.place, ignore_errors=True)
        self._mark.close()


def remove_abandoned() -> None:
    """Remove this user's folders whose process is gone; others, and what is no such folder, stay."""
    for place in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            state = place.lstat()
            if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid():
                continue
            mark = os.open(place / _MARK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            # The lock of a process goes with it, however it ended.
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(place, ignore_errors=True)
        except OSError:
            continue
        finally:
            os.close(mark)

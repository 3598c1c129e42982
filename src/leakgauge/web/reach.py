"""What can be read through the page, whatever a request names: one rule for every path and every address."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from leakgauge.artefacts import Request
from leakgauge.errors import FileError
from leakgauge.tables.postgresql.address import SCHEMES, Address, without_secrets
from leakgauge.web.questions import OutsideError

_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


class Reach:
    """Regular files inside one folder, links followed, and the databases that the server was started with.

    Raises:
        TableError: a database is not an address in PostgreSQL, or holds a password.
    """

    def __init__(self, folder: Path, databases: Sequence[str] = ()) -> None:
        self.folder = folder.resolve()
        self._databases = frozenset(databases)
        for address in databases:
            Address.of(address)
            if not address.startswith(SCHEMES):
                raise OutsideError(
                    "--database {found!r} is not in PostgreSQL; give an address such as postgresql://user@host/database.",
                    found=without_secrets(address),
                )

    def is_address(self, text: str) -> bool:
        """Whether a text names a server, and one that may be asked; ``OutsideError`` where that may not be."""
        if not _ADDRESS.match(text):
            return False
        # As it was typed at the start, but for the table: options of an address can name files and other hosts.
        if not {text, text.partition("#")[0]} & self._databases:
            raise OutsideError(
                "The page was not started with the server {server!r}; start it with --database and that address, or "
                "use the command line.",
                server=without_secrets(text),
            )
        return True

    def require(self, path: Path) -> None:
        """Refuse what lies outside the folder, or is neither a regular file nor a folder; what is not there is fine."""
        try:
            place = path.resolve()
            inside = place.is_relative_to(self.folder)
            special = inside and place.exists() and not place.is_file() and not place.is_dir()
        except (OSError, RuntimeError, ValueError):
            inside = special = False
        if not inside:
            raise OutsideError("This path is outside the folder that is served; copy the file into it, or drop it.")
        if special:
            raise FileError("{name!r} is not a regular file; name another.", name=path.name)

    def files(self, request: Request) -> list[tuple[str, str]]:
        """The fields of a request and the files that they may name, besides its table.

        Raises:
            OutsideError: one is outside the folder, or an address of another server.
            FileError: one is not a regular file.
        """
        named = [(field, text) for field, texts in request.places().items() for text in texts]
        files = [(field, text) for field, text in named if not self.is_address(text)]
        for _, text in files:
            if Path(text).is_absolute():
                raise OutsideError("{name!r} is not a path in the folder that is served; give one.", name=text)
            self.require(self.folder / text)
        return files

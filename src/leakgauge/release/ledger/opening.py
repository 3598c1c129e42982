"""From an address to a ledger."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from leakgauge.drafts import target
from leakgauge.errors import FileError
from leakgauge.release.ledger.ledger import Ledger
from leakgauge.release.ledger.postgresql import SCHEMES, PostgresqlStore, without_secrets
from leakgauge.release.ledger.sqlite import SqliteStore, make_sqlite
from leakgauge.release.ledger.store import Store


def ledger_files(address: str | PathLike[str]) -> tuple[Path, ...]:
    """The files a ledger at an address is made of: its own and the two that lie beside it; none on a server.

    Raises:
        FileError: a link that leads to itself.
    """
    text = str(address)
    if "://" in text:
        return ()
    path = target(Path(text))
    return tuple(path.with_name(path.name + end) for end in ("", "-wal", "-shm"))


def open_ledger(address: str | PathLike[str], *, create: bool = False) -> Ledger:
    """The ledger at an address; close it, or use it in a ``with`` block.

    Args:
        address: the path of a file, or ``postgresql://…``.
        create: whether to make an empty one where there is none.

    Raises:
        FileError: there is no ledger, or something else, or one from a newer version.
        EngineError: the file or the server cannot be used.
        OptionError: the extra for PostgreSQL is not installed.
    """
    text = str(address)
    store: Store
    if text.startswith(SCHEMES):
        store = PostgresqlStore(text, create)
    elif "://" in text:
        raise FileError(
            "{address} is no address of a ledger; give a file or postgresql://….", address=without_secrets(text)
        )
    else:
        if create:
            make_sqlite(Path(text))
        store = SqliteStore(Path(text))
    return Ledger(store)

"""The keys of kept noise: one for each account, beside its entries and in none of them.

Whoever has the key of an account, and knows a person, can tell which noise that person has. So a key is read by nothing
but releases of this process: entries name it by its identity, and what is shown or handed out of a ledger has no key.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from leakgauge.errors import VerificationError
from leakgauge.randomness.keyed import NoiseKey

if TYPE_CHECKING:
    from leakgauge.release.ledger.entry import Entry
    from leakgauge.release.ledger.store import Store

TABLE = "CREATE TABLE IF NOT EXISTS noise_keys (dataset TEXT PRIMARY KEY, secret TEXT NOT NULL)"
"""Made when a ledger first needs a key: earlier versions, which know nothing of it, read the ledger as ever."""


def noise_key(store: Store, dataset: str, entries: Iterable[Entry]) -> NoiseKey:
    """The key of an account, drawn at its first need and on disk before this returns.

    Args:
        entries: of the account, which name the key that earlier releases kept their noise by.

    Raises:
        VerificationError: they name another key, or there is none any more: noise would not be kept, silently.
    """
    with store.writing():
        store.run(TABLE)
        found = store.run("SELECT secret FROM noise_keys WHERE dataset = ?", (dataset,))
        named = {entry.kept.key for entry in entries if entry.kept is not None}
        key = _read(found[0][0], store.name) if found else None
        if named and (key is None or named != {key.identity}):
            raise VerificationError(
                "The ledger {ledger!s} has lost the key by which releases of {dataset!r} keep their noise; restore "
                "the ledger from a copy, or draw with --noise fresh.",
                ledger=store.name,
                dataset=dataset,
            )
        if key is None:
            key = NoiseKey.drawn()
            store.run("INSERT INTO noise_keys VALUES (?, ?)", (dataset, key.key.hex()))
    return key


def _read(secret: object, ledger: str) -> NoiseKey:
    try:
        return NoiseKey(bytes.fromhex(str(secret)))
    except ValueError:
        raise VerificationError(
            "A key of kept noise in the ledger {ledger!s} cannot be read; restore the ledger from a copy.",
            ledger=ledger,
        ) from None

"""The order in which rows leave: a permutation that follows from one secret key.

Every row has a mark, 64 bits of a keyed stream (SHAKE-256 of the key and the number of a block of rows), and rows leave
in the order of their marks. So the order is the same however the rows are cut into batches and whichever engine reads
them, is known again from 32 bytes, and can be followed where neither the rows nor the permutation fit into memory. With
a key from the operating system every order is equally likely to anybody who does not have the key.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

import numpy as np

from leakgauge.probability.cells import Codes
from leakgauge.randomness.sources import OperatingSystem, Randomness, Simulated, Words

KEY_BYTES: Final = 32
_BLOCK: Final = 1 << 12
"""Rows whose marks are one stream."""
_AT_ONCE: Final = 1 << 17
_SORTED: Final = 1 << 24
"""The most rows whose whole order is held in memory where only some of their places are asked for."""

Rows = Codes


@dataclass(frozen=True)
class RowOrder:
    """A random order of the rows of a table; whoever has the key can put them back."""

    key: bytes

    def __post_init__(self) -> None:
        if len(self.key) != KEY_BYTES:
            raise ValueError(f"a key of {len(self.key)} bytes is not one of {KEY_BYTES}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"

    @classmethod
    def drawn(cls, randomness: Randomness) -> RowOrder:
        """A new one, from the operating system; that of a simulation follows from its seed, and not from its noise."""
        if isinstance(randomness, Simulated):
            return cls(hashlib.sha256(f"order of rows {randomness.simulation_seed}".encode()).digest())
        return cls(OperatingSystem().words(KEY_BYTES // 8).tobytes())

    def marks(self, first: int, count: int) -> Words:
        """The marks of so many rows from the first on."""
        parts = [np.empty(0, dtype=np.uint64)]
        for block in range(first // _BLOCK, -(-(first + count) // _BLOCK)):
            start = block * _BLOCK
            low, high = max(first - start, 0), min(first + count - start, _BLOCK)
            stream = hashlib.shake_256(self.key + block.to_bytes(8, "little")).digest(8 * high)
            parts.append(np.frombuffer(stream, dtype="<u8")[low:].astype(np.uint64))
        return np.concatenate(parts)

    def of(self, rows: int) -> Rows:
        """For each place, in a table of so many rows, the row that leaves there."""
        return by_marks(self.marks(0, rows))

    def places(self, chosen: Rows, rows: int) -> Rows:
        """For each of some rows, in increasing order, of a table of so many, the place where it leaves."""
        if rows <= _SORTED:
            places = np.empty(rows, dtype=np.int64)
            places[self.of(rows)] = np.arange(rows)
            return places[chosen]
        # A row leaves after as many rows as have smaller marks, which are counted without holding them all.
        own = self._own(chosen)
        order = by_marks(own)
        ordered, before = own[order], np.zeros(len(own) + 1, dtype=np.int64)
        for first in range(0, rows, _AT_ONCE):
            some = np.sort(self.marks(first, min(_AT_ONCE, rows - first)))
            before += np.bincount(np.searchsorted(ordered, some, side="right"), minlength=len(own) + 1)
        places = np.empty(len(own), dtype=np.int64)
        places[order] = np.cumsum(before)[:-1]
        return places

    def _own(self, chosen: Rows) -> Words:
        own, last = np.empty(len(chosen), dtype=np.uint64), int(chosen[-1])
        for first in range(0, last + 1, _AT_ONCE):
            low, high = np.searchsorted(chosen, [first, first + _AT_ONCE])
            own[low:high] = self.marks(first, min(_AT_ONCE, last + 1 - first))[chosen[low:high] - first]
        return own


def by_marks(marks: Words) -> Rows:
    """The order of rows by their marks.

    Rows with equal marks, of which a hundred million rows have a pair once in 3,000 releases, stay as they are.
    """
    order = np.argsort(marks)
    ordered = marks[order]
    return np.argsort(marks, kind="stable") if (ordered[1:] == ordered[:-1]).any() else order

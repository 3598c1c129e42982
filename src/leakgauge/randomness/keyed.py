"""Noise that is kept: random words that follow from a secret key and from what they are drawn for.

Every other draw is afresh, and this is the one exception. A word is keyed BLAKE2b (RFC 7693) of a context and an item,
so that the same item has the same word in every release, and nobody without the key can tell words of different items
from independent uniform ones: a guarantee that rests on them holds against whoever cannot break the hash, and no longer
against anybody at all. The key comes from the operating system.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NoReturn

import numpy as np

from leakgauge.randomness.sources import OperatingSystem, Words

KEY_BYTES: Final = 32
_WORD_BYTES: Final = 8
_NOISE: Final = b"kept noise"
_IDENTITY: Final = b"identity"
"""BLAKE2b separates hashes by such a text: words and identities by one key have nothing in common."""


@dataclass(frozen=True)
class NoiseKey:
    """A secret key of kept noise; it is never shown, and never sent to another process."""

    key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.key) != KEY_BYTES:
            raise ValueError(f"a key of {len(self.key)} bytes is not one of {KEY_BYTES}")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key of kept noise does not leave its process")

    @classmethod
    def drawn(cls) -> NoiseKey:
        """A new one, from the operating system."""
        return cls(OperatingSystem().words(KEY_BYTES // _WORD_BYTES).tobytes())

    @property
    def identity(self) -> str:
        """16 hexadecimal digits that name the key and tell nothing of it."""
        return self.name_of(b"")

    def name_of(self, context: bytes) -> str:
        """16 hexadecimal digits that name a context; without the key nobody can confirm a guess of it."""
        return hashlib.blake2b(context, key=self.key, person=_IDENTITY, digest_size=_WORD_BYTES).hexdigest()

    def words(self, context: bytes, items: Iterable[bytes]) -> Words:
        """One 64-bit word for each item; equal items of equal contexts have equal words.

        Args:
            context, items: prefix-free encodings, such as of ``framed``, so that no two pairs of them hash the same
                bytes.
        """
        begun = hashlib.blake2b(context, key=self.key, person=_NOISE, digest_size=_WORD_BYTES)
        digests = []
        for item in items:
            hashed = begun.copy()
            hashed.update(item)
            digests.append(hashed.digest())
        return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def framed(*parts: bytes) -> bytes:
    """Texts in one, each after its length, and all after their number: no two sequences have the same bytes.

    Example:
        >>> framed(b"ab", b"c") == framed(b"a", b"bc")
        False
    """
    lengths = (len(part).to_bytes(8, "little") + part for part in parts)
    return len(parts).to_bytes(8, "little") + b"".join(lengths)

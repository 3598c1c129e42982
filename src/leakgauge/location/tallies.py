"""Sums by keys, and distinct keys, gathered from a stream in memory that what occurs fills."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from leakgauge.probability.cells import Codes, Floats

MERGED_FROM = 1 << 21
"""Keys that wait before they are merged, 16 MiB."""


@dataclass
class Tally:
    """The sum of the weights of each key that was added."""

    _keys: list[Codes] = field(default_factory=list)
    _weights: list[Floats] = field(default_factory=list)
    _waiting: int = 0

    def add(self, keys: Codes, weights: Floats | None = None) -> None:
        """Add a weight, by default 1, to each of the keys."""
        self._append(*_summed(keys, weights))
        if self._waiting > MERGED_FROM:
            merged = self.total()
            self._keys, self._weights, self._waiting = [], [], 0
            self._append(*merged)
            # Keys that are there once stay: what waits is what came since.
            self._waiting = 0

    def total(self) -> tuple[Codes, Floats]:
        """The distinct keys in their order, and their sums."""
        if not self._keys:
            return np.empty(0, dtype=np.int64), np.empty(0)
        return _summed(np.concatenate(self._keys), np.concatenate(self._weights))

    def _append(self, keys: Codes, weights: Floats) -> None:
        self._keys.append(keys)
        self._weights.append(weights)
        self._waiting += len(keys)


@dataclass
class Distinct:
    """The keys that were added, each once."""

    _keys: list[Codes] = field(default_factory=list)
    _waiting: int = 0

    def add(self, keys: Codes) -> None:
        """Add keys, which may be there already."""
        self._keys.append(_distinct(keys))
        self._waiting += len(self._keys[-1])
        if self._waiting > MERGED_FROM:
            self._keys, self._waiting = [self.total()], 0

    def total(self) -> Codes:
        """The distinct keys in their order."""
        return _distinct(np.concatenate(self._keys)) if self._keys else np.empty(0, dtype=np.int64)


def _distinct(keys: Codes) -> Codes:
    """By sorting, which for millions of keys is faster than the hashing of ``np.unique``."""
    ordered = np.sort(keys)
    return np.asarray(ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)]])


def _summed(keys: Codes, weights: Floats | None) -> tuple[Codes, Floats]:
    if weights is None:
        distinct, counts = np.unique(keys, return_counts=True)
        return distinct, counts.astype(np.float64)
    distinct, inverse = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(inverse, weights, len(distinct)).astype(np.float64)

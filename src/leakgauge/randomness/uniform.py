"""Whole numbers with equal probabilities, exactly."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from leakgauge.randomness.sources import Randomness


def below(limit: int, count: int, randomness: Randomness) -> npt.NDArray[np.int64]:
    """``count`` whole numbers, each equally likely to be any of 0 … limit − 1; ``limit`` is at most 2^63."""
    if not 1 <= limit <= 1 << 63:
        raise ValueError(f"a limit of {limit} lies outside 1 … 2^63")
    # Words at or above the largest multiple of the limit would favour small numbers: they are drawn again.
    last = (1 << 64) - (1 << 64) % limit - 1
    words = randomness.words(count)
    while (over := np.flatnonzero(words > np.uint64(last))).size:
        words = words.copy()
        words[over] = randomness.words(len(over))
    return (words % np.uint64(limit)).astype(np.int64)


def shuffled(count: int, randomness: Randomness) -> npt.NDArray[np.int64]:
    """The numbers 0 … count − 1 in random order, every order equally likely."""
    while True:
        keys = randomness.words(count)
        order = np.argsort(keys, kind="stable")
        # Equal keys would keep their old order; a whole new draw leaves every order equally likely.
        if not (np.diff(keys[order]) == 0).any():
            return order

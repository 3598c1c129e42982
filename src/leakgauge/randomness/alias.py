"""Rows of probabilities that are multiples of 2^-53, sampled exactly, half a 64-bit word per draw.

Walker's alias method in whole numbers: a row with up to 2^m letters is cut into 2^m equal columns of 2^(53−m) units,
each shared by at most two letters. The top m bits of 32 choose the column, the rest are the first bits of the unit;
only where these equal the first bits of the cut between the two letters, the unit's last 21 bits are drawn as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from leakgauge.errors import ModelError
from leakgauge.probability.cells import Cells, Codes
from leakgauge.randomness.sources import Randomness, Words

_BITS, _FIRST = 53, 32
_LAST = _BITS - _FIRST
_LAST_BITS = np.uint64((1 << _LAST) - 1)


class AliasTables:
    """One table per row of a dyadic channel.

    Args:
        cells: probabilities that are multiples of 2^-53, each row summing to exactly 1.

    Raises:
        ModelError: they are not; ``Channel.dyadic()`` makes them so.
    """

    def __init__(self, cells: Cells) -> None:
        rows, letters, values = cells.nonzero()
        units = np.ldexp(values, _BITS)
        if (units != np.rint(units)).any():
            raise ModelError("The probabilities are not multiples of 2^-53; sample from the dyadic channel.")
        starts = np.searchsorted(rows, np.arange(cells.shape[0] + 1))
        tables = [
            _table(letters[first:last].tolist(), units[first:last].astype(np.int64).tolist())
            for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
        ]
        sizes = np.array([len(cuts) for cuts, _, _ in tables])
        bits = np.log2(sizes).astype(np.uint32)
        self._offsets = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self._shifts = np.uint32(_FIRST) - bits
        self._masks = ((np.uint64(1) << self._shifts.astype(np.uint64)) - np.uint64(1)).astype(np.uint32)
        self._cuts = np.concatenate([cuts for cuts, _, _ in tables]).astype(np.uint64)
        self._first_cuts = (self._cuts >> np.uint64(_LAST)).astype(np.uint32)
        # Own and other letter side by side: a comparison chooses between neighbours in memory.
        pairs = [np.column_stack([own, other]) for _, own, other in tables]
        self._letters = np.concatenate(pairs).astype(np.int32).ravel()
        # Rows of one size need no look-up of their shift, which saves a third of the time.
        self._same = len(set(sizes.tolist())) == 1

    def draw(self, rows: npt.NDArray[np.integer], randomness: Randomness) -> npt.NDArray[np.int32]:
        """For each row number a letter's number, drawn from that row."""
        first = randomness.words((len(rows) + 1) // 2).view(np.uint32)[: len(rows)]
        return self._drawn(rows, first, lambda tied: randomness.words(len(tied)) >> np.uint64(64 - _LAST))

    def draw_by_words(self, rows: npt.NDArray[np.integer], words: Words) -> npt.NDArray[np.int32]:
        """The same, each draw by a 64-bit word of its own.

        The law is that of ``draw``: of a uniform word the first 32 bits and the next 21 are independent and uniform,
        together the 53 bits that a draw reads at most, and the column and unit they choose are one of 2^53 that are
        equally likely. Noise that is kept rests on how the tables are cut: another cut draws all of it anew.
        """
        first, last = words >> np.uint64(64 - _FIRST), (words >> np.uint64(64 - _BITS)) & _LAST_BITS
        return self._drawn(rows, first.astype(np.uint32), lambda tied: last[tied])

    def _drawn(
        self, rows: npt.NDArray[np.integer], first: npt.NDArray[np.uint32], last: Callable[[Codes], Words]
    ) -> npt.NDArray[np.int32]:
        """The letters by the first bits of each draw, and by the last bits of those where the first do not suffice."""
        shifts, masks = (self._shifts[0], self._masks[0]) if self._same else (self._shifts[rows], self._masks[rows])
        columns = self._offsets[rows] + (first >> shifts)
        units, cuts = first & masks, self._first_cuts[columns]
        others = units >= cuts
        tied = np.flatnonzero(units == cuts)
        if tied.size:
            whole = (units[tied].astype(np.uint64) << np.uint64(_LAST)) | last(tied)
            others[tied] = whole >= self._cuts[columns[tied]]
        drawn: npt.NDArray[np.int32] = self._letters[2 * columns + others]
        return drawn


def _table(letters: Sequence[int], units: list[int]) -> tuple[list[int], list[int], list[int]]:
    """For each column the units of its own letter, that letter, and the letter that has the rest."""
    if sum(units) != 1 << _BITS:
        raise ModelError("A row does not sum to exactly 1; sample from the dyadic channel.")
    bits = max((len(letters) - 1).bit_length(), 1)
    size, room = 1 << bits, 1 << (_BITS - bits)
    own = [*letters, *[letters[0]] * (size - len(letters))]
    left = [*units, *[0] * (size - len(letters))]
    other = list(own)
    small = [at for at, unit in enumerate(left) if unit < room]
    large = [at for at, unit in enumerate(left) if unit >= room]
    cuts = [room] * size
    while small:
        at, giver = small.pop(), large[-1]
        cuts[at], other[at] = left[at], own[giver]
        left[giver] -= room - left[at]
        if left[giver] < room:
            small.append(large.pop())
    return cuts, own, other

"""How many rows had each letter, estimated without bias from what was released."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from leakgauge.errors import OptionError
from leakgauge.mechanisms.noise import require_confidence
from leakgauge.probability import Channel, Estimate


def estimated_counts(
    channel: Channel, released_counts: npt.ArrayLike, confidence: float = 0.95
) -> tuple[Estimate, ...]:
    """For each input of a channel the number of rows that had it, by how often each output was released.

    Every row adds a number whose mean is 1 for its own letter and 0 for the others, so the sum is unbiased. It may fall
    below 0 or above n. The interval is Bernstein's with the largest variance any input has: each alone holds the truth
    at least as often as stated.

    Raises:
        OptionError: counts that do not fit the outputs, or a channel whose inputs cannot be distinguished.

    Example:
        >>> flip = Channel(["ill", "well"], ["ill", "well"], [[0.75, 0.25], [0.25, 0.75]])
        >>> print(*estimated_counts(flip, [4000, 6000]), sep="; ")
        3000.0000 [2762.9182, 3237.0818]; 7000.0000 [6762.9182, 7237.0818]
    """
    seen = np.asarray(released_counts)
    if seen.shape != (len(channel.outputs),) or seen.dtype.kind not in "iu" or (seen < 0).any() or not seen.any():
        raise OptionError(
            "The released counts are not {outputs} whole numbers of at least 0 with one above 0; give one per output.",
            outputs=len(channel.outputs),
        )
    matrix, n = channel.matrix, int(seen.sum())
    inverse = np.linalg.pinv(matrix)
    unit = np.eye(len(channel.inputs))
    if not np.allclose(matrix @ inverse, unit, rtol=0, atol=1e-9):
        raise OptionError(
            "Some inputs of the channel give the same mixture of outputs, so their counts cannot be estimated; merge "
            "these inputs."
        )
    variances = (matrix @ inverse**2 - unit).max(axis=0)
    # An output that an input cannot give is counted too, which only widens the interval.
    ranges = np.abs(inverse[None, :, :] - unit[:, None, :]).max(axis=(0, 1))
    doubt = _doubt_of(confidence)
    slacks = ranges * doubt / 3
    radii = slacks + np.sqrt(slacks * slacks + 2 * n * variances * doubt)
    pairs = zip((seen @ inverse).tolist(), radii.tolist(), strict=True)
    return tuple(Estimate(value, value - radius, value + radius, confidence, n) for value, radius in pairs)


def counted_by_sets(
    sums: npt.NDArray[np.integer], n: int, own: float, other: float, confidence: float
) -> tuple[Estimate, ...]:
    """The same where each row's set holds its own letter with probability ``own``, each other with ``other``.

    The variance depends on the count c itself: c·own·(1 − own) + (n − c)·other·(1 − other). The interval is every c
    that Bernstein's inequality does not rule out, the roots of a quadratic.
    """
    doubt, gap = _doubt_of(confidence), own - other
    mine, theirs = own * (1 - own), other * (1 - other)
    found: list[Estimate] = []
    for total in sums.tolist():
        value = (total - n * other) / gap
        # An estimate outside 0 … n may have a negative variance: 0 makes the interval wider.
        variance = max(n * theirs + value * (mine - theirs), 0.0)
        up, down = (
            _root(gap * gap, 2 * doubt * (gap / 3 + side * (mine - theirs)), 2 * doubt * variance) for side in (1, -1)
        )
        found.append(Estimate(value, value - down, value + up, confidence, n))
    return tuple(found)


def _doubt_of(confidence: float) -> float:
    """ln(2/(1 − confidence)): the exponent a two-sided tail bound has to reach."""
    return math.log(2 / (1 - require_confidence(confidence)))


def _root(square: float, linear: float, constant: float) -> float:
    """The larger root y of square · y² = linear · y + constant."""
    return (linear + math.sqrt(linear * linear + 4 * square * constant)) / (2 * square)

"""Columns of numbers by a few points that have their moments, so that a score does not depend on how many there are."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from leakgauge.case.law import ReleaseLaw
from leakgauge.distances.centres import centres
from leakgauge.errors import LabelError, ModelError
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.probability import Channel, Distribution, Label
from leakgauge.probability.cells import Codes, Floats, sums_by
from leakgauge.tables.table import Kind

TENTHS = 10
"""Classes of numbers that an attacker is certain of or not."""
FEWEST_BINS = 64
"""By which numbers with noise are counted."""
MOST_CELLS = 1 << 11
"""Of released numbers that are told apart."""
_LEAST = 1e-9
"""Of the range: deviations below it are none."""
_SAME = 1e-6
"""Of the range that nine tenths of the rows are in: numbers no farther apart are the same."""


def numbers_of(labels: Sequence[Label], kind: Kind) -> Floats | None:
    """The numbers that values stand for: of bins, of decimals, and of more whole numbers than codes have.

    NaN of a missing value, which stands nowhere; None of letters.
    """
    if kind not in (Kind.FLOAT, Kind.STRING) and sum(label is not None for label in labels) <= TENTHS:
        return None
    try:
        places = centres(labels)
    except LabelError:
        return None
    return places if np.isfinite(places).any() else None


def mid_ranks(shares: Floats) -> Floats:
    """The rank of each value, scaled to 0 to 1, by the shares of values in ascending order; ties are in their middle.

    Example:
        >>> mid_ranks(np.array([0.5, 0.25, 0.25])).tolist()
        [0.25, 0.625, 0.875]
    """
    return np.asarray((np.cumsum(shares) - shares / 2) / shares.sum())


def ranked(numbers: Floats, shares: Floats) -> tuple[Codes, Floats]:
    """Of each number the number of its class, ascending, and the rank of each class.

    Numbers that differ by next to nothing are one class: else noise in their last digits would split a value that many
    people have into ranks that nobody could tell apart.
    """
    order = np.argsort(numbers, kind="stable")
    ascending = numbers[order]
    low, high = np.interp([0.05, 0.95], mid_ranks(shares[order]), ascending)
    width = _SAME * float(high - low if high > low else ascending[-1] - ascending[0])
    # A new class begins after a gap, or where it would be too wide.
    starts = np.diff(ascending, prepend=-np.inf) > width / 10
    begun = np.flatnonzero(starts)
    ends = np.append(begun[1:], len(ascending))
    for at in np.flatnonzero(ascending[ends - 1] - ascending[begun] > width):
        start, end = begun[at], ends[at]
        starts[start + 1 : end] = np.diff(np.floor((ascending[start:end] - ascending[start]) / width)) > 0
    classes = np.empty(len(numbers), dtype=np.int64)
    classes[order] = np.cumsum(starts) - 1
    return classes, mid_ranks(sums_by(classes, shares, int(starts.sum())))


def condensed(numbers: Floats, shares: Floats, bins: int = 128) -> tuple[Floats, Floats]:
    """At most two points for each bin, ascending, with their shares; few numbers stay as they are.

    Bins go by share and by width in equal parts, so that neither a common number nor a rare large one is lost; the two
    points of a bin have its mean, variance and third moment (Gauss's rule of two nodes).

    Raises:
        ModelError: numbers that are missing or infinite, or shares that do not fit.

    Example:
        >>> points, shares = condensed(np.arange(1000.0), np.full(1000, 0.001), bins=1)
        >>> points.round(2).tolist(), shares.round(2).tolist()
        ([210.83, 788.17], [0.5, 0.5])
    """
    if numbers.shape != shares.shape or not len(numbers) or not np.isfinite(numbers).all() or bins < 1:
        raise ModelError(
            "The {count} numbers are not all finite with a share each; leave missing ones out.", count=len(numbers)
        )
    points, inverse = np.unique(numbers, return_inverse=True)
    weights = sums_by(inverse, shares, len(points)) / shares.sum()
    width = float(points[-1] - points[0])
    if len(points) <= 2 * bins or width == 0:
        return points, weights
    # Numbers that many people have stay as they are, so that what is near them is not taken for them.
    common = weights * bins >= 1
    left = max(bins - (int(common.sum()) + 1) // 2, 1)
    rare = np.where(common, 0.0, weights)
    middle = (np.cumsum(rare) - rare / 2) / max(float(rare.sum()), _LEAST)
    at = np.minimum(((middle + (points - points[0]) / width) / 2 * left).astype(np.int64), left - 1)
    at[common] = left + np.flatnonzero(common)
    at = np.unique(at, return_inverse=True)[1]
    mass = sums_by(at, weights, int(at.max()) + 1)

    def mean(values: Floats) -> Floats:
        return np.asarray(sums_by(at, weights * values, len(mass)) / mass)

    centre = mean(points)
    away = points - centre[at]
    deviation = np.sqrt(mean(away**2))
    skew = np.divide(mean(away**3), deviation**3, where=deviation > _LEAST * width, out=np.zeros(len(mass)))
    root = np.sqrt(skew**2 + 4)
    low, high = (skew - root) / 2, (skew + root) / 2
    nodes = np.concatenate([centre + deviation * low, centre + deviation * high])
    merged, inverse = np.unique(nodes, return_inverse=True)
    return merged, sums_by(inverse, np.concatenate([mass * high, -mass * low]) / np.tile(root, 2), len(merged))


def tenths(numbers: Floats, shares: Floats) -> Codes:
    """Of each number its class: tenths of the rows in order."""
    classes, ranks = ranked(numbers, shares)
    places = np.minimum((ranks[classes] * TENTHS).astype(np.int64), TENTHS - 1)
    return np.asarray(np.unique(places, return_inverse=True)[1], dtype=np.int64)


def law_of_noise(noise: NoisyNumber, numbers: Floats, shares: Floats, bins: int = 128) -> tuple[ReleaseLaw, Floats]:
    """The law of numbers with noise in cells of released numbers, and the numbers that its values stand for.

    Cells are fine where the noise is likely; the tails beyond are one cell each, as are the bounds that it clamps to.
    Fewer points than 64 bins have would stand apart where ranks are not, and count as told what noise hides.
    """
    points, weights = condensed(numbers, shares, max(bins, FEWEST_BINS))
    inputs, law = noise.on_grid(points), noise.added
    away = np.ceil(law.KNOTS * law.scale)
    edges = np.unique(np.add.outer(np.unique(inputs), np.concatenate([-away, away]))) - 1
    if noise.clamps:
        lower, upper = (bound / noise.span.grid for bound in noise.declared)
        low, high = math.ceil(lower), math.floor(upper) - 1
        edges = np.unique(np.concatenate([[low], edges[(edges > low) & (edges < high)], [high]]))
    if len(edges) > MOST_CELLS:
        edges = edges[np.linspace(0, len(edges) - 1, MOST_CELLS).round().astype(np.int64)]
    below = law.below(edges[None, :] - inputs[:, None])
    chances = np.diff(below, axis=1, prepend=0.0, append=1.0)
    released = np.concatenate([edges[:1], (edges[:-1] + 1 + edges[1:]) / 2, edges[-1:] + 1]) * noise.span.grid
    chances = np.maximum(chances, 0.0)
    channel = Channel(points, released, chances / chances.sum(axis=1, keepdims=True))
    return ReleaseLaw(Distribution(points, weights), channel), points

"""Columns of numbers by a few points that have their moments, so that a dial does not depend on how many there are."""

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
MOST_CELLS = 1 << 11
"""Of released numbers that are told apart."""
_LEAST = 1e-9
"""Of the range: deviations below it are none."""


def numbers_of(labels: Sequence[Label], kind: Kind) -> Floats | None:
    """The numbers that values stand for: of bins, of decimals, and of more whole numbers than codes have.

    None of letters, and beside a missing value, which stands nowhere.
    """
    if kind not in (Kind.FLOAT, Kind.STRING) and len(labels) <= TENTHS:
        return None
    try:
        places = centres(labels)
    except LabelError:
        return None
    return places if np.isfinite(places).all() else None


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
    middle = np.cumsum(weights) - weights / 2
    at = np.minimum(((middle + (points - points[0]) / width) / 2 * bins).astype(np.int64), bins - 1)
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
    order = np.argsort(numbers, kind="stable")
    middle = np.empty(len(numbers))
    middle[order] = np.cumsum(shares[order]) - shares[order] / 2
    places = np.minimum((middle * TENTHS).astype(np.int64), TENTHS - 1)
    return np.asarray(np.unique(places, return_inverse=True)[1], dtype=np.int64)


def law_of_noise(noise: NoisyNumber, numbers: Floats, shares: Floats, bins: int = 128) -> tuple[ReleaseLaw, Floats]:
    """The law of numbers with noise in cells of released numbers, and the numbers that its values stand for.

    Cells are fine where the noise is likely; the tails beyond are one cell each, as are the bounds that it clamps to.
    """
    points, weights = condensed(numbers, shares, bins)
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

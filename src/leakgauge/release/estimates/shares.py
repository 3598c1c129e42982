"""Shares of the values in groups of released rows, with intervals, and how many rows they are worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leakgauge.artefacts.estimates import Method
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats
from leakgauge.release.estimates.correction import Correction
from leakgauge.release.estimates.intervals import share_intervals

TWICE = 2.0
"""Where a release keeps the shares, its mechanism adds at most as much variance as the rows have themselves: of an
output a it is Σ p(x) q(a|x) (1 − q(a|x)) ≤ p(a) (1 − p(a))."""
SLACK = 1e-9
"""A share this little below 0 is 0, by rounding."""


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares and the ends of their intervals, a row per group and a column per value.

    Attributes:
        worth: the share of the rows that would be as good if they were the table's own.
    """

    method: Method
    values: Floats
    lows: Floats
    highs: Floats
    worth: float


def corrected_shares(channel: Channel, released: Floats, doubt: float) -> Shares:
    """The shares of a channel's inputs in groups of rows.

    Args:
        released: rows by output, a column per group.
        doubt: z², times the rows that count as one.

    Raises:
        RefusalError: values that the channel does not distinguish.
    """
    sizes = released.sum(axis=0)
    correction = Correction.of(channel, released.sum(axis=1) / sizes.sum())
    mean_squares = channel.matrix @ correction.squares
    own = np.diag(mean_squares)
    method, groups = Method.INVERSION, []
    for rows, size in zip(released.T, sizes, strict=True):
        unbiased = correction.shares(rows / size)
        shares = np.clip(unbiased, 0, 1)
        if unbiased.min() < -SLACK or unbiased.max() > 1 + SLACK:
            method, shares = Method.LIKELIHOOD, correction.likeliest(rows / size)
        others = mean_square_of_others(shares, mean_squares)
        groups.append((shares, *share_intervals(unbiased, shares, own, others, doubt / size)))
    values, lows, highs = (np.array(side) for side in zip(*groups, strict=True))
    noise = values @ mean_squares.sum(axis=1) - 1
    return Shares(method, values, lows, highs, worth_of(sizes, values, noise))


def counted_shares(released: Floats, doubt: float, method: Method, channel: Channel | None = None) -> Shares:
    """The shares of the released values themselves, where these are as often in the table, but for chance.

    Args:
        released: rows by value, a column per group.
        doubt: z², times the rows that count as one.
        method: ``AS_PUBLISHED``, without any noise, or ``DIRECT``.
        channel: from these values to these values, in this order, where it is known.
    """
    sizes = released.sum(axis=0)
    values = (released / sizes).T
    direct = method is Method.DIRECT
    one, none = np.ones(values.shape[1]), np.zeros(values.shape[1])
    ends = [
        share_intervals(shares, shares, one, none, doubt * (TWICE if direct else 1.0) / size)
        for shares, size in zip(values, sizes, strict=True)
    ]
    lows, highs = (np.array(side) for side in zip(*ends, strict=True))
    noise = np.zeros(len(values)) if not direct else 1 - (values**2).sum(axis=1)
    if direct and channel is not None:
        noise = 1 - values @ (channel.matrix**2).sum(axis=1)
    return Shares(method, values, lows, highs, worth_of(sizes, values, noise))


def mean_square_of_others(shares: Floats, mean_squares: Floats) -> Floats:
    """For each value its mean squared score in the rows that have another one."""
    own, rest = np.diag(mean_squares), 1 - shares
    some = rest > SLACK
    weighed = (shares @ mean_squares - shares * own) / np.where(some, rest, 1.0)
    evenly = (mean_squares.sum(axis=0) - own) / max(len(shares) - 1, 1)
    return np.asarray(np.where(some, np.maximum(weighed, 0.0), evenly))


def worth_of(sizes: Floats, shares: Floats, noise: Floats) -> float:
    """Σ n s / Σ n (s + m), with s = 1 − Σ p² of each group and m what the mechanism adds; 1 where nothing varies."""
    sampling = float(sizes @ (1 - (shares**2).sum(axis=1)))
    total = sampling + float(sizes @ np.maximum(noise, 0.0))
    return 1.0 if total <= 0 else max(sampling, 0.0) / total

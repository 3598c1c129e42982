"""Shares within groups that agree with the shares of all rows, where the release keeps these.

A release that keeps the shares of a column is counted for them as it is, but its cross-tables are corrected for the
channel; corrected alone, the groups would add up to other shares than those counted, and far less certain ones.
"""

from __future__ import annotations

import numpy as np

from leakgauge.artefacts.estimates import Method
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats
from leakgauge.release.estimates.correction import Correction
from leakgauge.release.estimates.intervals import share_intervals
from leakgauge.release.estimates.shares import Shares, mean_square_of_others, worth_of

CLOSE = 1e-10
"""How far the shares of a group may be from adding up to 1."""
SWEEPS = 10_000
"""The most sweeps over groups and values; every sweep leaves the shares of all rows exact."""


def shares_within_margins(channel: Channel, released: Floats, doubt: float) -> Shares:
    """The shares in groups of rows, which add up to the released shares of all rows.

    With scores e of the values (1 on average in rows that have the value, else 0), the groups' weights w and released
    values y, the estimate of a group is its mean of e plus the mean of 1[y = v] − e over all rows, which is 0 on
    average because the release keeps the shares of the table. So to the variance t (1 − t) of the rows themselves the
    mechanism adds that of (1 − w) e + w 1[y = v] in the group's own rows, and w (1 − w) times that of 1[y = v] − e in
    all others.

    Args:
        channel: from values to the same values, in this order; it keeps their shares.
        released: rows by output, a column per group.
        doubt: z², times the rows that count as one.

    Raises:
        RefusalError: values that the channel does not distinguish.
    """
    sizes = released.sum(axis=0)
    weights, kept = sizes / sizes.sum(), released.sum(axis=1) / sizes.sum()
    scores, same = Correction.of(channel).scores, np.eye(len(kept))
    unbiased = (released / sizes).T @ scores
    unbiased += kept - weights @ unbiased
    values = nearest_with_margins(unbiased, weights, kept)
    beyond = _added_variances(channel, same - scores)
    lows, highs, noise = np.empty_like(values), np.empty_like(values), np.empty(len(sizes))
    for at, (shares, weight, size) in enumerate(zip(values, weights, sizes, strict=True)):
        within = _added_variances(channel, (1 - weight) * scores + weight * same)
        others = weight * np.maximum(kept - weight * shares, 0.0) @ beyond
        lows[at], highs[at] = share_intervals(
            unbiased[at],
            shares,
            1 + np.diag(within) + others,
            mean_square_of_others(shares, within) + others,
            doubt / size,
        )
        noise[at] = (shares @ within + others).sum()
    return Shares(Method.MARGINS, values, lows, highs, worth_of(sizes, values, noise))


def _added_variances(channel: Channel, scores: Floats) -> Floats:
    """The variance of a score of each value (a column) in rows that have a value (a row), by the mechanism alone."""
    return np.asarray(channel.matrix @ scores**2 - (channel.matrix @ scores) ** 2)


def nearest_with_margins(found: Floats, weights: Floats, margin: Floats) -> Floats:
    """The shares nearest to estimates that lie within 0 to 1, sum to 1 in each group and agree with those of all rows.

    They minimise Σ w (s − t)² over groups of weight w, and are max(0, t + a + b) with a number a per group and a number
    b per value, which are found in turns.
    """
    shares, of_groups, of_values = np.zeros_like(found), np.zeros(len(found)), np.zeros(found.shape[1])
    some = margin > 0
    for _ in range(SWEEPS):
        of_groups = _levels((found + of_values)[:, some].T, np.ones(int(some.sum())), np.ones(len(found)))
        of_values[some] = _levels((found + of_groups[:, None])[:, some], weights, margin[some])
        shares[:, some] = np.maximum(found + of_groups[:, None] + of_values, 0.0)[:, some]
        if np.abs(shares.sum(axis=1) - 1).max() < CLOSE:
            break
    return shares


def _levels(found: Floats, weights: Floats, totals: Floats) -> Floats:
    """For each column the number c with Σ w max(0, t + c) equal to a positive total."""
    order = np.argsort(-found, axis=0)
    highest, weighed = np.take_along_axis(found, order, axis=0), weights[order]
    levels = (totals - np.cumsum(weighed * highest, axis=0)) / np.cumsum(weighed, axis=0)
    # Those above 0 come first; the level is that of the last of them.
    last = (highest + levels > 0).sum(axis=0) - 1
    return np.asarray(np.take_along_axis(levels, last[None], axis=0)[0])

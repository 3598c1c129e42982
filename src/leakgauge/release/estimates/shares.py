"""Shares of the values in groups of released rows, with score intervals, and how many rows they are worth.

A release that keeps the shares of a column is counted for them as it is, but its cross-tables are corrected for the
channel; corrected alone, the groups would add up to other shares than those counted, and far less certain ones. So
their shares are made to agree with the shares of all rows.

Where other cross-tables are corrected, and leave 0 to 1 in a group, they are made to agree with the corrected shares of
all rows in the same way. What they were before is told beside them.

Released rows are counted by output or value, a column per group; ``doubt`` is z², times the rows that count as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from leakgauge.artefacts.estimates import Method
from leakgauge.errors import OptionError
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats
from leakgauge.release.estimates.correction import Correction
from leakgauge.release.estimates.effective_rows import worth_beside

TWICE = 2.0
"""Where a release keeps the shares, its mechanism adds at most as much variance as the rows have themselves: of an
output a it is Σ p(x) q(a|x) (1 − q(a|x)) ≤ p(a) (1 − p(a))."""
SLACK = 1e-9
"""A share this little below 0 is 0, by rounding."""
CLOSE = 1e-10
"""How far the shares of a group may be from adding up to 1."""
SWEEPS = 10_000
"""The most sweeps over groups and values; every sweep leaves the shares of all rows exact."""


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares and the ends of their intervals, a row per group and a column per value.

    Attributes:
        worth: the share of the rows that would be as good if they were the table's own.
        raw: where they were made to agree with the shares of all rows, each corrected by itself.
    """

    method: Method
    values: Floats
    lows: Floats
    highs: Floats
    worth: float
    raw: RawShares | None = None


@dataclass(frozen=True, eq=False)
class RawShares:
    """Unbiased shares, which may leave 0 to 1, with the ends of their intervals."""

    values: Floats
    lows: Floats
    highs: Floats


NO_ERROR = np.zeros(())


def unbiased_shares(channel: Channel, released: Floats) -> Floats:
    """The shares of a channel's inputs, each group (a row) corrected by itself."""
    sizes = released.sum(axis=0)
    correction = Correction.of(channel, released.sum(axis=1) / sizes.sum())
    return np.asarray((released / sizes).T @ correction.scores)


def raw_shares(channel: Channel, released: Floats, doubt: float, error: Floats = NO_ERROR) -> RawShares:
    """The same with intervals of z standard errors."""
    sizes = released.sum(axis=0)
    correction = Correction.of(channel, released.sum(axis=1) / sizes.sum())
    shares = (released / sizes).T
    values = shares @ correction.scores
    # Rounding may leave a variance of −1e-17 where a group has one row.
    spread = np.maximum(shares @ correction.squares - values**2, 0.0)
    half = np.sqrt(doubt / sizes[:, None] * spread + error)
    return RawShares(values, values - half, values + half)


def corrected_shares(channel: Channel, released: Floats, doubt: float, error: Floats = NO_ERROR) -> Shares:
    """The shares of a channel's inputs in groups of rows; one that does not distinguish its inputs is refused.

    Args:
        error: of each share, groups by values, the squared half-width by which the channel itself may move it.
    """
    sizes = released.sum(axis=0)
    error = np.broadcast_to(error, (len(sizes), len(channel.inputs)))
    correction = Correction.of(channel, released.sum(axis=1) / sizes.sum())
    mean_squares = channel.matrix @ correction.squares
    own = np.diag(mean_squares)
    unbiased = (released / sizes).T @ correction.scores
    method, values, raw = Method.INVERSION, np.clip(unbiased, 0, 1), None
    if unbiased.min() < -SLACK or unbiased.max() > 1 + SLACK:
        whole = released.sum(axis=1) / sizes.sum()
        likeliest = _within_range(correction, whole)
        method, values = Method.LIKELIHOOD, likeliest[None]
        if len(sizes) > 1:
            # The groups then add up to the shares of all rows, as they are told by themselves.
            method, values = Method.RECONCILED, nearest_with_margins(unbiased, sizes / sizes.sum(), likeliest)
            raw = raw_shares(channel, released, doubt, error)
    lows, highs = np.empty_like(values), np.empty_like(values)
    for at, (shares, size) in enumerate(zip(values, sizes, strict=True)):
        others = mean_square_of_others(shares, mean_squares)
        lows[at], highs[at] = share_intervals(unbiased[at], shares, own, others, doubt / size, error[at])
    noise = values @ mean_squares.sum(axis=1) - 1 + sizes / doubt * error.sum(axis=1)
    return Shares(method, values, lows, highs, worth_of(sizes, values, noise), raw)


def _within_range(correction: Correction, released: Floats) -> Floats:
    """The shares of all rows: corrected, or the likeliest where that leaves 0 to 1."""
    unbiased = correction.shares(released)
    inside = unbiased.min() >= -SLACK and unbiased.max() <= 1 + SLACK
    return np.clip(unbiased, 0, 1) if inside else correction.likeliest(released)


def counted_shares(released: Floats, doubt: float, method: Method, channel: Channel | None = None) -> Shares:
    """The shares of the released values themselves, where these are as often in the table, but for chance.

    The method is ``AS_PUBLISHED``, without any noise, or ``DIRECT``; the channel is from these values to the same, in
    this order, where it is known.
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
    return worth_beside(sampling, float(sizes @ np.maximum(noise, 0.0)))


def shares_within_margins(channel: Channel, released: Floats, doubt: float) -> Shares:
    """The shares in groups of rows, which add up to the released shares of all rows.

    With scores e of the values (1 on average in rows that have the value, else 0), the groups' weights w and released
    values y, the estimate of a group is its mean of e plus the mean of 1[y = v] − e over all rows, which is 0 on
    average because the release keeps the shares of the table. So to the variance t (1 − t) of the rows themselves the
    mechanism adds that of (1 − w) e + w 1[y = v] in the group's own rows, and w (1 − w) times that of 1[y = v] − e in
    all others. The channel is from values to the same values, in this order.
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
    worth = worth_of(sizes, values, noise)
    return Shares(Method.MARGINS, values, lows, highs, worth, raw_shares(channel, released, doubt))


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


def squared_quantile(confidence: float) -> float:
    """z², where a normal number is within ±z with this probability."""
    if not 0 < confidence < 1:
        raise OptionError("A confidence of {found} is not between 0 and 1.", found=confidence)
    return NormalDist().inv_cdf((1 + confidence) / 2) ** 2


def share_intervals(
    unbiased: Floats, shares: Floats, own: Floats, others: Floats, doubt: float, error: Floats = NO_ERROR
) -> tuple[Floats, Floats]:
    """The shares t that unbiased estimates t̂ do not rule out: (t̂ − t)² ≤ z² (t a + (1 − t) b − t²) / n + ``error``.

    Where a share is t, a row's score has the mean square a (``own``) if the row has the value, else b (``others``).
    With the values themselves a = 1 and b = 0, which is Wilson's interval; rare values are held as well, where ±z
    standard errors fail. The intervals hold the shares that are reported; ``doubt`` is z² / n.
    """
    middle = 2 * unbiased + doubt * (own - others)
    root = np.sqrt(np.maximum(middle**2 - 4 * (1 + doubt) * (unbiased**2 - doubt * others - error), 0.0))
    low, high = (middle - root) / (2 * (1 + doubt)), (middle + root) / (2 * (1 + doubt))
    # An estimate far outside 0 to 1 leaves next to nothing: then the spread at the reported share is the least.
    spread = np.sqrt(doubt * np.maximum(shares * own + (1 - shares) * others - shares**2, 0.0) + error)
    outside = (high < 0) | (low > 1) | (root == 0)
    low, high = np.where(outside, shares - spread, low), np.where(outside, shares + spread, high)
    return np.clip(np.minimum(low, shares), 0, 1), np.clip(np.maximum(high, shares), 0, 1)

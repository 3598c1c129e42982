"""Means of a number in groups of rows, from sums; groups may be protected themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass

from leakgauge.probability import Channel
from leakgauge.release.estimates.correction import Correction
from leakgauge.release.estimates.intervals import WeighedSums
from leakgauge.release.estimates.sums import GroupSums

DEVIATIONS = 2.0
"""By how many standard deviations the noise is taken to be larger than it should when variances are told apart."""


@dataclass(frozen=True)
class Mean:
    """A mean and the ends of its interval, which may be infinite."""

    value: float
    low: float
    high: float


def means(sums: GroupSums, quantile: float) -> tuple[list[Mean], float]:
    """The mean of each group, and the share of the rows that they are worth."""
    found, noise, spread = [], 0.0, 0.0
    for rows, first, second in zip(sums.rows.tolist(), sums.first.tolist(), sums.second.tolist(), strict=True):
        found.append(_mean(WeighedSums(rows, first, rows, first, second), sums, quantile))
        here = max(second - first**2 / rows, 0.0)
        spread, noise = spread + here, noise + rows * sums.noise
    # The unfavourable end: the variance of Laplace noise (kurtosis 6) shows in n rows only to within √(5/n) of itself.
    count = float(sums.rows.sum())
    varied = max(spread - noise * (1 + DEVIATIONS * math.sqrt(5 / count)), 0.0)
    return found, (varied / max(varied + noise, spread) if spread > 0 else 1.0) / sums.doubt


def means_by_protected(sums: GroupSums, by: str, channel: Channel, quantile: float) -> list[Mean]:
    """The mean of the rows that had each input of a channel, from sums by what it released of them.

    Every row counts for every value, by its score: the mean of score · number is the value's share times its mean.

    Raises:
        LabelError: groups that the channel never releases.
        RefusalError: values that it does not tell apart.
    """
    released = sums.by_output(by, channel)
    correction = Correction.of(channel, released.rows / released.rows.sum())
    found = []
    for scores, squares in zip(correction.scores.T, correction.squares.T, strict=True):
        plain = (float(scores @ one) for one in (released.rows, released.first))
        squared = (float(squares @ one) for one in (released.rows, released.first, released.second))
        found.append(_mean(WeighedSums(*plain, *squared), released, quantile))
    return found


def _mean(weighed: WeighedSums, sums: GroupSums, quantile: float) -> Mean:
    value = min(max(weighed.mean(float(sums.first.sum() / sums.rows.sum())), sums.low), sums.high)
    low, high = weighed.interval(quantile * sums.doubt)
    low, high = min(max(low, sums.low), value), max(min(high, sums.high), value)
    return Mean(value + sums.centre, low + sums.centre, high + sums.centre)

"""What a release is worth to its readers: for each statistic, the number of table rows that would serve as well.

τ of Goodman and Kruskal is the mean over statistics, weighted by their variance, of the share of the rows that a
release is worth; for numbers that is the squared correlation. Both are 1 for a raw copy, and 0 for a release that
reveals nothing.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from leakgauge.case.certainty import NOTHING_LEFT
from leakgauge.case.law import Sight
from leakgauge.errors import ModelError, OptionError, did_you_mean
from leakgauge.probability.cells import Floats


class Use(Enum):
    """What readers do with a release, which decides what it is worth."""

    STATISTICS = "statistics"
    ROWS = "rows"


def use_named(use: str | Use) -> Use:
    """The use of that name."""
    if isinstance(use, Use):
        return use
    names = [one.value for one in Use]
    if use not in names:
        raise OptionError("There is no use {found!r}; {hint}", found=use, hint=did_you_mean(use, names))
    return Use(use)


def association(sight: Sight) -> float | None:
    """τ = (E Σ_x P(x|y,z)² − E Σ_x P(x|z)²) / (1 − E Σ_x P(x|z)²), z being what is known; None where z tells x.

    Reference: Goodman and Kruskal, Measures of association for cross classifications, 1954.
    """
    before = sight.before.collisions()
    if 1 - before <= NOTHING_LEFT:
        return None
    return min(max((sight.collisions() - before) / (1 - before), 0.0), 1.0)


def squared_correlation(sight: Sight, numbers: Floats, readings: Floats) -> float | None:
    """Of the numbers and what is read from the release, within what is known; None where the numbers do not vary.

    Args:
        sight: of the release and what is known, nothing else.
        numbers: that the values stand for.
        readings: the number that each released value is read as; NaN where it is none: the best guess is read then.
    """
    means = sight.means(numbers)
    read = readings[sight.released]
    read = np.where(np.isnan(read), means, read)
    away = means - sight.before.means(numbers)[sight.known]
    centre = np.bincount(sight.known, sight.shares * read)
    share = np.bincount(sight.known, sight.shares)
    centre = np.divide(centre, share, where=share > 0, out=np.zeros(len(share)))
    spread = float(sight.shares @ (read - centre[sight.known]) ** 2)
    variance, scale = sight.before.variance(numbers), float(np.ptp(numbers))
    if variance <= NOTHING_LEFT * scale**2:
        return None
    covariance = float(sight.shares @ (away * (read - centre[sight.known])))
    # What is read may not vary at all, or in its last digits.
    return min(covariance**2 / (variance * spread), 1.0) if spread > (1e-12 * scale) ** 2 else 0.0


def worth_of_rows(shares: Floats, channel: Floats, distances: Floats, constants: Floats) -> float | None:
    """1 − E d / least E d of a constant, at least 0; None where a constant serves every row.

    Args:
        shares: p(x).
        channel: q(y|x).
        distances: d(x, y) of what is released.
        constants: d(x, c) of the values that a constant may have.
    """
    if channel.shape != distances.shape or not len(shares) == len(channel) == len(constants):
        raise ModelError(
            "The distances have shape {found} for a channel of {wanted}; give one for each pair.",
            found=str(distances.shape),
            wanted=str(channel.shape),
        )
    least = float((shares @ constants).min())
    own = float(shares @ (channel * distances).sum(axis=1))
    return max(1 - own / least, 0.0) if least > 0 else None

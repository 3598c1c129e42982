"""How many rows of the table itself a release is worth for estimation.

An estimator of the shares p of cells from n rows of the table has the sampling error S = Σ p (1 − p) / n; from a
release it has the error M of the mechanism as well. The release is worth n · S / (S + M) rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from leakgauge.errors import OptionError
from leakgauge.probability import Channel, Distribution, Joint, Label
from leakgauge.probability.cells import Codes, Floats
from leakgauge.probability.labels import same_alphabet
from leakgauge.release.estimates.correction import Correction, confused_values

KEPT = 1e-9
"""How far a share may be off that a channel keeps; channels of multiples of 2^-53 are off by rounding."""
STRAIGHT = 1e-9
"""How far, beside its range, the mean release of a number may be off a straight line."""


class Estimator(Enum):
    """How a recipient reads a released column: corrected for its channel, or as it is."""

    CORRECTED = "corrected"
    DIRECT = "direct"


@dataclass(frozen=True)
class EffectiveRows:
    """The precision of a release, as the share of original rows that would be as precise.

    Attributes:
        share: between 0 and 1; 0 where values cannot be distinguished.
        estimator: the better one of those that are allowed.
        confused: groups of values that the channel does not distinguish.
    """

    share: float
    estimator: Estimator
    confused: tuple[tuple[Label, ...], ...] = ()


def effective_rows(channel: Channel, source: Distribution | Joint, *, own: bool = False) -> EffectiveRows:
    """The effective rows of a release for estimating shares; with a joint, for cross-tables with the background.

    Args:
        channel: from the values, or from pairs of a value and a background.
        source: the true shares; of a joint, rows are the values and columns the background.
        own: whether the channel was designed on these very shares. If it keeps them, the release may be counted
        directly; a channel made for another table would reproduce the shares of that table.

    Example:
        >>> flip = Channel(["ill", "well"], ["ill", "well"], [[0.75, 0.25], [0.25, 0.75]])
        >>> effective_rows(flip, Distribution(["ill", "well"], [0.5, 0.5])).share
        0.25
    """
    parts = list(parts_of(channel, source))
    sampling = 1 - sum(float((part.joint**2).sum()) for part in parts)
    found: list[EffectiveRows] = []
    if own and all(part.is_kept for part in parts):
        counted = sum(float(part.added_by_counting().sum()) for part in parts)
        found.append(EffectiveRows(worth_beside(sampling, counted), Estimator.DIRECT))
    confused = tuple(dict.fromkeys(group for part in parts for group in confused_values(part.channel)))
    if confused:
        return found[0] if found else EffectiveRows(0.0, Estimator.CORRECTED, confused)
    corrected = sum(float(part.added_by_correction().sum()) for part in parts)
    found.append(EffectiveRows(worth_beside(sampling, corrected), Estimator.CORRECTED))
    return max(found, key=lambda one: one.share)


def keeps_shares(channel: Channel, source: Distribution | Joint) -> bool:
    """Whether a channel releases every value as often as it occurs, but for rounding; of a joint, in every column."""
    return all(part.is_kept for part in parts_of(channel, source))


def effective_rows_of_mean(variance: float, noise: float, slope: float = 1.0) -> float:
    """What a release is worth for the mean of a number: var X / (var X + E Var(Y|X) / b²), where E[Y|X] = a + bX.

    Args:
        variance: of the number; within a group that of the group.
        noise: the mean variance of the release given the number.
        slope: b.
    """
    if not (variance >= 0 and noise >= 0 and slope != 0):
        raise OptionError(
            "A variance of {variance}, noise of {noise} and a slope of {slope}: give variances of at least 0 and a "
            "slope other than 0.",
            variance=variance,
            noise=noise,
            slope=slope,
        )
    return worth_beside(variance, noise / slope**2)


def effective_rows_of_numbers(channel: Channel, source: Distribution) -> float:
    """What a release through a channel of numbers is worth for their mean; 0 where no estimator is unbiased.

    The better of the numbers as they are released, where E[Y|X] is a straight line, and of the channel's correction.
    Clamping bends the line at its ends, so that only the correction is left.
    """
    (part,) = parts_of(channel, source)
    p = part.marginal
    values = numbers_among(channel.inputs)
    if values is None:
        raise OptionError("The channel reads values that are not numbers, which have no mean; ask for their shares.")
    variance = float(p @ (values - p @ values) ** 2)
    noise = (float(p @ (part.matrix @ scores**2 - values**2)) for scores in scores_of_mean(channel, p, values))
    return max((effective_rows_of_mean(variance, max(one, 0.0)) for one in noise), default=0.0)


def scores_of_mean(channel: Channel, shares: Floats, values: Floats) -> Iterator[Floats]:
    """The number that each output counts as, so that on average a release has the mean of the values.

    The released numbers themselves where E[Y|X] is a straight line, and the channel's correction where it distinguishes
    its inputs, whose shares say how outputs are weighed.
    """
    released, variance = numbers_among(channel.outputs), float(shares @ (values - shares @ values) ** 2)
    if released is not None and variance > 0:
        means = channel.matrix @ released
        slope = float(shares @ ((values - shares @ values) * means)) / variance
        start = means[0] - slope * values[0]
        if abs(slope) * np.ptp(values) > STRAIGHT * np.ptp(released) and np.abs(
            means - start - slope * values
        ).max() <= STRAIGHT * np.ptp(released):
            yield (released - start) / slope
    if not confused_values(channel):
        yield Correction.at(channel, shares).scores @ values


@dataclass(frozen=True, eq=False)
class Part:
    """The backgrounds that one channel serves: their shares, and for each (a row) the shares of the values given it.

    Attributes:
        at: which columns of the source they are.
    """

    channel: Channel
    weights: Floats
    shares: Floats
    at: Codes

    @property
    def matrix(self) -> Floats:
        """q(y|x)."""
        return self.channel.matrix

    @property
    def joint(self) -> Floats:
        """The share of each value (a row) with each background (a column)."""
        return np.asarray((self.shares * self.weights[:, None]).T)

    @property
    def marginal(self) -> Floats:
        """How often each value occurs together with these backgrounds."""
        return np.asarray(self.weights @ self.shares)

    def added_by_correction(self) -> Floats:
        """What the mechanism adds to the variance of each cell that is corrected for it, times the rows."""
        squares = Correction.at(self.channel, self.marginal / self.marginal.sum()).squares
        # Given the table: Σ_x p(x) (Σ_y q(y|x) score² − e_x²).
        return np.asarray((self.matrix @ squares).T @ self.joint - self.joint)

    def added_by_counting(self) -> Floats:
        """The same of each cell that is counted as it is released."""
        places = {label: at for at, label in enumerate(self.channel.inputs)}
        added = np.zeros((len(places), len(self.weights)))
        for at, label in enumerate(self.channel.outputs):
            if label in places:
                chances = self.matrix[:, at]
                added[places[label]] = (chances * (1 - chances)) @ self.joint
        return added

    @property
    def is_kept(self) -> bool:
        """Whether each background has every value released as often as it occurs, and no others."""
        places = {label: at for at, label in enumerate(self.channel.inputs)}
        released = self.shares @ self.matrix
        wanted = np.zeros_like(released)
        for at, label in enumerate(self.channel.outputs):
            if label in places:
                wanted[:, at] = self.shares[:, places[label]]
        return bool(np.abs(released - wanted).max() <= KEPT)


def parts_of(channel: Channel, source: Distribution | Joint) -> Iterator[Part]:
    """The parts of a source, each with a channel from its values."""
    if isinstance(source, Distribution):
        same_alphabet(source.outcomes, channel.inputs, "outcomes of the source", "inputs of the channel")
        yield Part(
            channel.restrict(source.outcomes), np.ones(1), source.probabilities[None, :], np.zeros(1, dtype=np.int64)
        )
        return
    weights = source.matrix.sum(axis=0)
    met = np.flatnonzero(weights)
    given = (source.matrix[:, met] / weights[met]).T
    if set(channel.inputs) == set(source.rows):
        yield Part(channel.restrict(source.rows), weights[met], given, met)
        return
    for at, shares in zip(met, given, strict=True):
        # The channel need not know values that a background does not have.
        occur = np.flatnonzero(shares)
        pairs = channel.restrict([(source.rows[x], source.columns[at]) for x in occur])
        own = Channel([source.rows[x] for x in occur], pairs.outputs, pairs.matrix)
        yield Part(own, weights[[at]], shares[None, occur], np.array([at]))


def worth_beside(sampling: float, noise: float) -> float:
    """The share of rows that would be as precise; 1 where nothing varies and nothing is added."""
    # Rounding may leave a noise of −1e-17.
    total = sampling + max(noise, 0.0)
    return 1.0 if total <= 0 else max(sampling, 0.0) / total


def numbers_among(labels: Sequence[Label]) -> Floats | None:
    """Labels that are all numbers; None where one is not."""
    plain = all(isinstance(label, int | float) and not isinstance(label, bool) for label in labels)
    return np.array(labels, dtype=np.float64) if plain else None

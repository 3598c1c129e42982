"""A channel that is best at a slope with what is proven there, and the channels that scores or a closed form give."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leakgauge.distances.distortions import mean_distance
from leakgauge.errors import UnprovedError
from leakgauge.probability.cells import Codes, Floats

UNDERFLOW = 746.0
"""e^-746 is 0: costs above it forbid a letter."""


@dataclass(frozen=True)
class Point:
    """A channel that is best at a slope, and what is proven there."""

    slope: float
    channel: Floats  # one row per input that occurs, a column each of ``letters``
    leakage: float  # what is made small, less its floor, in nats
    excess: float  # the mean distortion above the least possible
    bound: float  # no channel has leakage + slope · excess below it, in nats
    steps: int
    warm: tuple[Floats, ...] = ()  # what a neighbouring slope may start from: weights and slacks, or logarithms
    letters: Codes | None = None  # the positions of the channel's outputs among all; None where it has all of them

    @cached_property
    def used(self) -> Codes:
        """The positions of the letters that are ever released."""
        return np.flatnonzero(self.channel.any(axis=0)) if self.letters is None else self.letters

    def over(self, letters: Codes) -> Floats:
        """The channel with these letters as columns, upwards and at least all that are used."""
        own = self.channel[:, self.used] if self.letters is None else self.channel
        if len(letters) == len(self.used):
            return own
        columns = np.zeros((len(own), len(letters)))
        columns[:, np.searchsorted(letters, self.used)] = own
        return columns

    def floor_at(self, excess: float) -> float:
        """The leakage in nats that every channel with at most this excess has, by this point's proof."""
        return self.bound - cost_at(self.slope, excess)

    @property
    def gap(self) -> float:
        """How far in nats leakage + slope · excess may be from the least."""
        return self.leakage - self.floor_at(self.excess)


class OverValues:
    """What families of channels that read one value share; they have ``_prior``, p(x), and ``_excess``, distances."""

    _prior: Floats
    _excess: Floats

    @property
    def inputs(self) -> int:
        """The values that occur."""
        return len(self._excess)

    def excess_of(self, channel: Floats, letters: Codes | None = None) -> float:
        """E d above its least."""
        excess = self._excess if letters is None else self._excess[:, letters]
        if self.forbids:
            return mean_distance(self._prior, channel, excess)
        return float(self._prior @ np.einsum("xy,xy->x", channel, excess))

    @cached_property
    def forbids(self) -> bool:
        """Whether an infinite distance keeps a value from being released as some letter."""
        return bool(np.isinf(self._excess).any())

    def on_the_whole(self, channel: Floats) -> Floats:
        """How often each letter is released, one row per input; the row itself where letters are forbidden."""
        if self.forbids:
            return channel
        return np.broadcast_to(self._prior @ channel, channel.shape)


def induced(scores: Floats, forbids: bool) -> Floats:
    """The channel ∝ e^scores; letters of score −∞ for all are never released.

    Where nothing is forbidden, a probability that underflows stays above 0: a letter that some input may release must
    stay possible for all, or ε would be infinite.
    """
    highest = scores.max(axis=1, keepdims=True)
    if np.isneginf(highest).any():
        raise UnprovedError("An input is left without a letter to release; ask for a smaller gap.")
    channel = np.exp(scores - highest)
    if not forbids:
        least = np.where(np.isneginf(scores.max(axis=0)), 0.0, np.finfo(np.float64).tiny)
        np.maximum(channel, least, out=channel)
    channel /= channel.sum(axis=1, keepdims=True)
    return np.asarray(channel)


def costs_at(slope: float, excess: Floats) -> Floats:
    """What each letter costs at a slope, in nats; infinite where an infinite slope or distance forbids it."""
    if math.isinf(slope):
        return np.where(excess > 0, math.inf, 0.0)
    return slope * excess if slope > 0 else np.where(np.isinf(excess), math.inf, 0.0)


def steepest(excess: Floats) -> float:
    """The slope at which e^(−slope · distance) is 0 for all but the nearest letters; infinite without others."""
    others = excess[(excess > 0) & np.isfinite(excess)]
    return UNDERFLOW / float(others.min()) if len(others) else math.inf


def cost_at(slope: float, excess: float) -> float:
    """What a mean excess costs at a slope, in nats."""
    return slope * excess if excess > 0 else 0.0


def hamming_marginal(prior: Floats, slope: float) -> Floats:
    """The best probabilities of releasing each letter at a slope, where any letter may be released.

    With p sorted downwards and S_N the sum of the N largest, θ = S_N / (N − 1 + e^slope), N the largest index with
    p_N > θ; the first N letters have probability (p − θ) / (S_N − N θ), the others none.

    Reference: Erokhin, ε-entropy of a discrete random variable, Theory of Probability and its Applications 3(1), 1958.
    """
    if math.isinf(slope):
        return prior
    order = np.argsort(-prior, kind="stable")
    sums = np.cumsum(prior[order])
    counts = np.arange(1, len(prior) + 1)
    # Divided by e^slope on both sides, which cannot overflow.
    shrink = math.exp(-slope)
    thresholds = sums * shrink / ((counts - 1) * shrink + 1)
    above = np.flatnonzero(prior[order] > thresholds)
    used = int(above[-1]) + 1 if len(above) else 1
    kept = np.zeros(len(prior))
    if used == 1:
        # At slopes next to 0 the letter's probability and the threshold are the same number.
        kept[order[0]] = 1.0
        return kept
    kept[order[:used]] = prior[order[:used]] - thresholds[used - 1]
    return np.asarray(kept / kept.sum())

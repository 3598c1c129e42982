"""Families of channels, and what is known of the best one at a slope."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from leakgauge.design.ends import Least
from leakgauge.errors import EngineError
from leakgauge.probability.cells import Codes, Floats


@dataclass(frozen=True)
class Point:
    """A channel that is best at a slope, and what is proven there.

    Attributes:
        channel: a row each input that occurs, a column each of ``letters``.
        leakage: what is made small, less its floor, in nats.
        excess: the mean distortion above the least possible.
        bound: no channel has leakage + slope · excess below it, in nats.
        warm: what a neighbouring slope may start from: weights and slacks of the outputs, or logarithms.
        letters: the positions of the channel's outputs among all; None where it has all of them.
    """

    slope: float
    channel: Floats
    leakage: float
    excess: float
    bound: float
    steps: int
    warm: tuple[Floats, ...] = ()
    letters: Codes | None = None

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


class ChannelFamily(ABC):
    """A family of channels and what they leak and cost; the distances are those above each input's least."""

    @abstractmethod
    def at(self, slope: float, gap: float, near: Sequence[Point] = ()) -> Point:
        """The best channel at a slope; its proof may fall short of the gap where rounding ends the search."""

    @abstractmethod
    def leakage(self, channel: Floats) -> float:
        """What is made small, less its floor, in nats."""

    @abstractmethod
    def excess_of(self, channel: Floats, letters: Codes | None = None) -> float:
        """The mean distortion above the least possible; ``letters`` says which ones the columns are, if not all."""

    @property
    @abstractmethod
    def inputs(self) -> int:
        """How many rows its channels have."""

    @property
    @abstractmethod
    def sharp(self) -> float:
        """The slope from which on only nearest letters are released, as far as numbers go."""

    @property
    def unit(self) -> float:
        """What a gap of 1 nat means here: the largest weight of a secret."""
        return 1.0

    @property
    def bounded(self) -> bool:
        """Whether bounds on ratios keep the nearest letters from being released always."""
        return False

    @property
    def least(self) -> Least | None:
        """The least excess that the bounds on ratios allow; None where it is too large to be proven."""
        return None


def induced(scores: Floats, forbids: bool) -> Floats:
    """The channel ∝ e^scores; letters of score −∞ for all are never released.

    Where nothing is forbidden, a probability that underflows stays above 0: a letter that some input may release must
    stay possible for all, or ε would be infinite.
    """
    highest = scores.max(axis=1, keepdims=True)
    if np.isneginf(highest).any():
        raise EngineError("An input is left without any letter to release; ask for a smaller gap.")
    channel = np.exp(scores - highest)
    if not forbids:
        least = np.where(np.isneginf(scores.max(axis=0)), 0.0, np.finfo(np.float64).tiny)
        np.maximum(channel, least, out=channel)
    channel /= channel.sum(axis=1, keepdims=True)
    return np.asarray(channel)


def costs_at(slope: float, excess: Floats) -> Floats:
    """What each letter costs at a slope, in nats; infinite where an infinite slope forbids it."""
    return np.where(excess > 0, math.inf, 0.0) if math.isinf(slope) else slope * excess


def cost_at(slope: float, excess: float) -> float:
    """What a mean excess costs at a slope, in nats."""
    return slope * excess if excess > 0 else 0.0


class ChannelPerBackground(ChannelFamily):
    """Channels that read the secret and the background: one problem each background, at a common slope."""

    def __init__(self, shares: Floats, parts: Sequence[ChannelFamily]) -> None:
        self._shares, self._parts = shares, parts
        self._ends = np.cumsum([part.inputs for part in parts])[:-1]

    @property
    def inputs(self) -> int:
        """Pairs of a secret and a background."""
        return sum(part.inputs for part in self._parts)

    @cached_property
    def sharp(self) -> float:
        """The steepest of all backgrounds."""
        return max(part.sharp for part in self._parts)

    def leakage(self, channel: Floats) -> float:
        """I(X;Y|Z) in nats."""
        return self._mean([part.leakage(own) for part, own in zip(self._parts, self._split(channel), strict=True)])

    def excess_of(self, channel: Floats, letters: Codes | None = None) -> float:
        """E d above its least."""
        split = self._split(channel)
        return self._mean([part.excess_of(own, letters) for part, own in zip(self._parts, split, strict=True)])

    def at(self, slope: float, gap: float, near: Sequence[Point] = ()) -> Point:
        """The best channel each background, one below the other."""
        points = [part.at(slope, gap) for part in self._parts]
        letters = reduce(np.union1d, [point.used for point in points])
        return Point(
            slope,
            np.vstack([point.over(letters) for point in points]),
            self._mean([point.leakage for point in points]),
            self._mean([point.excess for point in points]),
            self._mean([point.bound for point in points]),
            max(point.steps for point in points),
            letters=letters,
        )

    def _split(self, channel: Floats) -> list[Floats]:
        return [np.asarray(part) for part in np.split(channel, self._ends)]

    def _mean(self, values: Sequence[float]) -> float:
        return float(self._shares @ np.array(values))

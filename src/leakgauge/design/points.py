"""The best channel at one slope, with its proof."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from leakgauge.design import hamming
from leakgauge.design.bounded import minimise_bounded
from leakgauge.design.certificate import ROUNDING, Secrets
from leakgauge.design.columns import minimise_columns
from leakgauge.design.cones import Cone, Positive, WithinRatio
from leakgauge.design.interior import minimise_from
from leakgauge.design.sweeps import alternate
from leakgauge.distances.distances import MatchDistances
from leakgauge.errors import EngineError
from leakgauge.probability.cells import Codes, Floats

COLUMN_CELLS = 1 << 21
"""Up to inputs² × outputs of this many numbers a channel is found a column at a time, beyond by sweeps."""
BOUNDED_CELLS = 1600
"""Up to inputs × outputs of this many numbers bounds on ratios are kept by one linear system of that size a step."""


@dataclass(frozen=True)
class Point:
    """A channel that is best at a slope, and what is proven there.

    Attributes:
        slope: nats per unit of distortion.
        channel: a row each input that occurs, a column each of ``letters``.
        leakage: what is made small, less its floor, in nats.
        excess: the mean distortion above the least possible.
        bound: no channel has leakage + slope · excess below it, in nats.
        steps: of the solver.
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
        return self.bound - (self.slope * excess if excess > 0 else 0.0)


class Setting(ABC):
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
    def steepest(self) -> float:
        """The slope that stands for infinity: at it the distortion is as small as it gets."""


class OneChannel(Setting):
    """Channels that read the secret alone.

    Args:
        secrets: p(x, z) of the letters that occur; one column where nobody knows a background.
        excess: distances above each input's least.
        cone: bounds on ratios; None for none.
        closed_form: the output that matches each input where the distances are Hamming's; None otherwise.
    """

    def __init__(
        self, secrets: Secrets, excess: Floats, cone: Cone | None = None, closed_form: Codes | None = None
    ) -> None:
        self.secrets, self._excess, self._cone = secrets, excess, cone
        self._matches = closed_form

    @property
    def steepest(self) -> float:
        """Infinite, but where bounds on ratios keep every letter possible: then one at which leakage is no matter.

        So too with weights where an input has two nearest letters.
        """
        tied = self.secrets.weights is not None and bool(((self._excess == 0).sum(axis=1) > 1).any())
        if self._cone is None and not tied:
            return math.inf
        positive = self._excess[self._excess > 0]
        return 1e4 / float(positive.mean()) if len(positive) else 1.0

    def leakage(self, channel: Floats) -> float:
        """I(X;Y|Z) in nats, or I_w(X;Y)."""
        return self.secrets.leakage(channel)

    def excess_of(self, channel: Floats, letters: Codes | None = None) -> float:
        """E d above its least."""
        excess = self._excess if letters is None else self._excess[:, letters]
        return float(self.secrets.prior @ np.einsum("xy,xy->x", channel, excess))

    def at(self, slope: float, gap: float, near: Sequence[Point] = ()) -> Point:
        """The best channel at a slope."""
        slope = min(slope, self.steepest)
        if slope == 0:
            return self._flat()
        if self.secrets.weights is not None and math.isinf(slope):
            return self._nearest()
        if self._cone is not None:
            return self._within_ratios(slope, gap, self._cone)
        if self.secrets.joint.shape[1] > 1 or self.secrets.weights is not None:
            # An infinite slope forbids letters, which only the sweeps know how to leave out.
            large = self._excess.size * len(self._excess) > COLUMN_CELLS
            if large or math.isinf(slope):
                return self._by_sweeps(slope, gap, near)
            return self._by_columns(slope, gap, Positive(len(self._excess)))
        return self._by_marginal(slope, gap, near) if self._matches is None else self._by_closed_form(slope)

    def _flat(self) -> Point:
        """The limit at slope 0: always the one letter that is best on the whole."""
        channel = np.zeros(self._excess.shape)
        channel[:, int((self.secrets.prior @ self._excess).argmin())] = 1.0
        return Point(0.0, channel, 0.0, self.excess_of(channel), 0.0, 0)

    def _nearest(self) -> Point:
        """The limit at an infinite slope where each input has one nearest letter: no other channel is allowed."""
        channel = np.asarray(self._excess == 0, dtype=np.float64)
        leakage = self.leakage(channel)
        return Point(math.inf, channel, leakage, 0.0, leakage - ROUNDING * (1 + leakage), 0)

    def _by_closed_form(self, slope: float) -> Point:
        assert self._matches is not None
        marginal = np.zeros(self._excess.shape[1])
        marginal[self._matches] = hamming.output_marginal(self.secrets.prior, slope)
        kernel = MatchDistances(self._matches, self._excess.shape[1]).kernel(slope)
        mixed = kernel.times(marginal)
        value = -float(self.secrets.prior @ np.log(mixed))
        loss = math.log(kernel.transposed(self.secrets.prior / mixed).max())
        bound = value - loss - ROUNDING * (1 + value)
        return self._of_marginal(slope, marginal, bound, 0, ())

    def _by_marginal(self, slope: float, gap: float, near: Sequence[Point]) -> Point:
        kernel = np.exp(-self._costs(slope))
        known = [point.warm for point in near if len(point.warm) == 2]
        found = minimise_from(kernel, self.secrets.prior, gap / 2, known)
        # Dead letters: their slack outweighs what is left of them.
        kept = np.where(found.weights < found.slacks, 0.0, found.weights)
        warm, bound = (found.weights, found.slacks), found.lower - ROUNDING * (1 + abs(found.lower))
        if kept.sum() > 0 and np.all(kernel @ kept > 0):
            point = self._of_marginal(slope, kept / kept.sum(), bound, found.steps, warm)
            if point.leakage + _cost(slope, point.excess) - point.bound <= gap:
                return point
        return self._of_marginal(slope, found.weights, bound, found.steps, warm)

    def _of_marginal(self, slope: float, marginal: Floats, bound: float, steps: int, warm: tuple[Floats, ...]) -> Point:
        """The channel of an output marginal."""
        used = np.flatnonzero(marginal)
        scores = np.log(marginal[used]) - _costs(slope, self._excess[:, used])
        released = induced(scores, math.isinf(slope))
        excess = self.excess_of(released, used)
        return Point(slope, released, self.leakage(released), excess, bound, steps, warm, used)

    def _within_ratios(self, slope: float, gap: float, cone: Cone) -> Point:
        """By prices where nothing but the ratios matters; where that falls short and it is small, a column a time."""
        plain = self.secrets.weights is None and self.secrets.joint.shape[1] == 1
        if not (plain and isinstance(cone, WithinRatio)):
            return self._by_columns(slope, gap, cone)
        found = minimise_bounded(self.secrets.prior, self._costs(slope), cone, gap)
        point = self._measured(slope, found.channel, found.lower, found.steps, ())
        if point.leakage + slope * point.excess - point.bound <= gap or self._excess.size > BOUNDED_CELLS:
            return point
        other = self._by_columns(slope, gap, cone)
        return min(point, other, key=lambda one: one.leakage + slope * one.excess - one.bound)

    def _by_columns(self, slope: float, gap: float, cone: Cone) -> Point:
        found = minimise_columns(self.secrets, self._costs(slope), cone, gap / 2)
        channel = found.channel
        if isinstance(cone, Positive) and self.secrets.weights is None:
            channel = self._without_dead(slope, channel, found.lower, gap)
        else:
            channel = self._without_rare(slope, channel, found.lower, gap)
        return self._measured(slope, channel, found.lower, found.steps, ())

    def _by_sweeps(self, slope: float, gap: float, near: Sequence[Point]) -> Point:
        start = next((point.warm[0] for point in near if point.warm), None)
        found = alternate(self.secrets, self._costs(slope), gap / 2, start)
        channel = self._without_dead(slope, found.channel, found.lower, gap)
        with np.errstate(divide="ignore"):
            warm = np.maximum(np.log(self.secrets.seen(found.channel)), -600.0)
        return self._measured(slope, channel, found.lower, found.steps, (warm,))

    def _without_dead(self, slope: float, channel: Floats, bound: float, gap: float) -> Floats:
        """The channel with letters taken out that are hardly ever released, where the proof allows it."""
        costs = self._costs(slope)
        seen = self.secrets.seen(channel)
        for least in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 0.0):
            with np.errstate(divide="ignore"):
                kept = np.log(np.where(seen.max(axis=0) > least, seen, 0.0))
            dead = np.isneginf(kept).any(axis=0)
            kept[:, dead] = -np.inf
            scores = self.secrets.given_secret @ np.where(dead, 0.0, kept) - np.where(dead, np.inf, costs)
            if np.isneginf(scores.max(axis=1)).any():
                continue
            candidate = induced(scores, math.isinf(slope))
            if self.leakage(candidate) + _cost(slope, self.excess_of(candidate)) - bound <= gap:
                return candidate
        return channel

    def _without_rare(self, slope: float, channel: Floats, bound: float, gap: float) -> Floats:
        """The channel with letters taken out that are hardly ever released, the ratios all but unchanged."""
        for least in (1e-6, 1e-7, 1e-8, 1e-9):
            kept = np.where(channel.max(axis=0) > least, channel, 0.0)
            kept /= kept.sum(axis=1, keepdims=True)
            if self.leakage(kept) + slope * self.excess_of(kept) - bound <= gap:
                return kept
        return channel

    def _measured(self, slope: float, channel: Floats, bound: float, steps: int, warm: tuple[Floats, ...]) -> Point:
        return Point(slope, channel, self.leakage(channel), self.excess_of(channel), bound, steps, warm)

    def _costs(self, slope: float) -> Floats:
        return _costs(slope, self._excess)


class ChannelPerBackground(Setting):
    """Channels that read the secret and the background: one problem each background, at a common slope."""

    def __init__(self, shares: Floats, parts: Sequence[OneChannel]) -> None:
        self._shares, self._parts = shares, parts
        self._ends = np.cumsum([len(part.secrets.prior) for part in parts])[:-1]

    @property
    def steepest(self) -> float:
        """Infinite."""
        return math.inf

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


def _costs(slope: float, excess: Floats) -> Floats:
    return np.where(excess > 0, math.inf, 0.0) if math.isinf(slope) else slope * excess


def _cost(slope: float, excess: float) -> float:
    return slope * excess if excess > 0 else 0.0

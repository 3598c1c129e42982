"""The family of channels that keep the shares of the values, with the best one at a slope and its proof."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from leakgauge.design.balancing import alternate_balanced, minimise_balanced
from leakgauge.design.certificate import ROUNDING, Secrets
from leakgauge.design.columns import Optimum
from leakgauge.design.cones import Window
from leakgauge.design.ends import KEEPING_CELLS, Least, least_distortion_keeping
from leakgauge.design.points import OverValues, Point, costs_at, steepest
from leakgauge.design.saddle import alternate_keeping
from leakgauge.design.transport import never_together, transport
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.cells import Codes, Floats


def keeps_shares(channel: Channel, prior: Distribution) -> bool:
    """Whether a channel from the values of a prior to these releases every one as often as it occurs, up to rounding.

    Example:
        >>> keeps_shares(Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]]), Distribution.uniform("ab"))
        True
    """
    shares = prior.probabilities
    return channel.inputs == channel.outputs and np.allclose(shares @ channel.matrix, shares)


class KeepingShares(OverValues):
    """Channels that read the secret alone and release every value as often as it occurs.

    Args:
        secrets: p(x, z) of the values that occur; one column where nobody knows a background.
        excess: distances above each value's least, to every output.
        letters: the output that is each value.
        floors: with what probability each value is released unchanged at least; 1 where it never changes.
        hamming: whether the distances are Hamming's.
        window: bounds on ratios, then without floors; None for none.
    """

    unit = 1.0

    def __init__(
        self,
        secrets: Secrets,
        excess: Floats,
        letters: Codes,
        floors: Floats,
        hamming: bool,
        window: Window | None = None,
    ) -> None:
        self.secrets, self._excess, self._letters, self._hamming = secrets, excess, letters, hamming
        self._window, self._prior = window, secrets.prior
        self._order = np.argsort(letters)
        pinned = floors >= 1
        own = np.eye(len(pinned), dtype=np.bool_)
        self._forbidden = never_together(((pinned[:, None] | pinned) & ~own) | np.isinf(self._distances))
        self._floors = np.where(pinned, 0.0, floors)

    @cached_property
    def sharp(self) -> float:
        """Where e^(−slope · distance) is 0 for all but the nearest values; none where bounds keep them possible."""
        return math.inf if self.bounded else steepest(self._distances)

    @property
    def bounded(self) -> bool:
        """Whether bounds on ratios keep values from being released unchanged always."""
        return self._window is not None

    @cached_property
    def least(self) -> Least | None:
        """By a linear program."""
        if self._window is None or self._distances.size > KEEPING_CELLS:
            return None
        found = least_distortion_keeping(self.secrets.prior, self._distances, self._window)
        channel = np.zeros(self._excess.shape)
        channel[:, self._letters] = found.channel
        return replace(found, channel=channel)

    @cached_property
    def _distances(self) -> Floats:
        """Between the values that occur."""
        return np.asarray(self._excess[:, self._letters])

    def leakage(self, channel: Floats) -> float:
        """I(X;Y|Z) in nats."""
        return self.secrets.leakage(channel)

    def at(self, slope: float, gap: float, near: Sequence[Point] = ()) -> Point:
        """The best channel at a slope."""
        if self.sharp <= slope < math.inf:
            return replace(self.at(math.inf, gap), slope=slope)
        if slope == 0 and not self._forbidden.any() and not self._floors.any():
            # Every row releases the shares themselves, and tells nothing.
            return self._measured(0.0, Optimum(np.tile(self.secrets.prior, (self.inputs, 1)), 0.0, 0))
        if self._window is not None:
            return self._within_ratios(slope, gap, near, self._window)
        costs = np.where(self._forbidden, math.inf, costs_at(slope, self._distances))
        if math.isinf(slope) and np.isinf(costs).sum() == costs.size - len(costs):
            unchanged = np.eye(self.inputs)
            leakage = self.leakage(unchanged)
            return self._measured(slope, Optimum(unchanged, leakage - ROUNDING * (1 + leakage), 0))
        if self._alone:
            plain = self._hamming and not self._forbidden.any() and not self._floors.any() and slope > 0
            found = transport(self.secrets.prior, costs, self._floors, gap / 2, slope if plain else None)
            return self._measured(slope, found)
        found, warm = alternate_keeping(self.secrets, costs, self._floors, gap / 2, _start(near))
        # A slope of 0 is no neighbour on a logarithmic scale.
        return self._measured(slope, found, *(warm if slope > 0 else ()))

    @property
    def _alone(self) -> bool:
        """Whether nobody knows a background."""
        return len(self.secrets.background) == 1

    def _within_ratios(self, slope: float, gap: float, near: Sequence[Point], window: Window) -> Point:
        costs = slope * self._distances
        if self._alone:
            return self._measured(slope, minimise_balanced(self.secrets.prior, costs, window, gap / 2))
        found, warm = alternate_balanced(self.secrets, costs, window, gap / 2, _start(near))
        return self._measured(slope, found, *warm)

    def _measured(self, slope: float, found: Optimum, *warm: Floats) -> Point:
        channel, letters = found.channel[:, self._order], self._letters[self._order]
        leakage, excess = self.leakage(channel), self.excess_of(channel, letters)
        return Point(slope, channel, leakage, excess, found.lower, found.steps, warm, letters)


def _start(near: Sequence[Point]) -> tuple[Floats, Floats] | None:
    """What the nearest slope ended with."""
    return next(((point.warm[0], point.warm[1]) for point in near if point.warm), None)

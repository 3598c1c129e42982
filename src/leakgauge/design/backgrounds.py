"""Channels that read the background too: the same problem again for each background."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, reduce

import numpy as np

from leakgauge.design.setting import Point, Setting
from leakgauge.probability.cells import Codes, Floats


class ChannelPerBackground(Setting):
    """Channels that read the secret and the background: one problem each background, at a common slope."""

    def __init__(self, shares: Floats, parts: Sequence[Setting]) -> None:
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

"""Where the columns of a channel may lie.

A cone is linear inequalities on the entries of a column, and perhaps one more variable of it; rows are outputs. Its
frame says how entries and slacks change with a column's own coordinates. Slacks that are nearly 0 are coordinates
themselves, so that they never are small differences of large numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from leakgauge.design.certificate import ROUNDING
from leakgauge.probability.cells import Codes, Floats


class Positive:
    """No bound but entries of at least 0."""

    def __init__(self, inputs: int) -> None:
        self._inputs = inputs

    def start(self, outputs: int) -> tuple[Floats, Floats]:
        """The uniform channel strictly inside, and the further variable (no columns where there is none)."""
        return np.full((outputs, self._inputs), 1 / outputs), np.zeros((outputs, 0))

    def slacks(self, entries: Floats, least: Floats) -> Floats:
        """How far each inequality is from its edge: the entries themselves."""
        return entries

    def frame(self, slacks: Floats) -> tuple[Floats, Floats]:
        """Entries, and slacks, by coordinates, one matrix per output or one for all: the entries are the
        coordinates."""
        unit = np.eye(self._inputs)[None]
        return unit, unit

    def pull(self, duals: Floats) -> Floats:
        """What the duals of the inequalities add up to on each entry: the duals themselves."""
        return duals

    def cost_shift(self, duals: Floats) -> Floats:
        """What to add to the costs (times the prior) so that the inequalities may be left out of a proof: nothing."""
        return np.zeros_like(duals)


@dataclass(frozen=True)
class Window:
    """Bounds on ratios: one more variable l a column, and low(x) l ≤ v(x) ≤ high(x) l for all x."""

    low: Floats
    high: Floats

    @classmethod
    def within_ratio(cls, weights: Floats, epsilon: float) -> Window:
        """w(x) v(x) ≤ e^ε w(x') v(x') for all x, x'; w is 1 for local differential privacy, p for identifiability.

        ε is in nats, above the largest ln-ratio of two weights.
        """
        return cls(1 / weights, math.exp(epsilon) / weights)

    def start(self, outputs: int) -> tuple[Floats, Floats]:
        """Uniform, with l midway between its ends."""
        ends = float((1 / self.high).max()) / outputs, float((1 / self.low).min()) / outputs
        return np.full((outputs, len(self.low)), 1 / outputs), np.full((outputs, 1), math.sqrt(ends[0] * ends[1]))

    def slacks(self, entries: Floats, least: Floats) -> Floats:
        """Above the lower edges, then below the upper ones."""
        return np.hstack([entries - self.low * least, self.high * least - entries])

    def frame(self, slacks: Floats) -> tuple[Floats, Floats]:
        """The coordinates are the smaller slack of each entry, and l."""
        low, high = np.hsplit(slacks, 2)
        count, inputs = low.shape
        at, below = np.arange(inputs), low <= high
        frame, edges = np.zeros((count, inputs, inputs + 1)), np.zeros((count, 2 * inputs, inputs + 1))
        frame[:, at, at] = np.where(below, 1.0, -1.0)
        frame[:, :, -1] = np.where(below, self.low, self.high)
        edges[:, at, at] = np.where(below, 1.0, -1.0)
        edges[:, inputs + at, at] = np.where(below, -1.0, 1.0)
        edges[:, :inputs, -1] = np.where(below, 0.0, self.high - self.low)
        edges[:, inputs:, -1] = np.where(below, self.high - self.low, 0.0)
        return frame, edges

    def pull(self, duals: Floats) -> Floats:
        """The lower edge pushes up, the upper one down."""
        low, high = np.hsplit(duals, 2)
        return np.asarray(low - high)

    def cost_shift(self, duals: Floats) -> Floats:
        """The price of the edges, the upper ones scaled down until no l makes it a gain."""
        low, high = np.hsplit(duals, 2)
        balance = np.minimum(1.0, low @ self.low / (high @ self.high))
        return np.asarray(balance[:, None] * high - low)

    @property
    def alike(self) -> float:
        """How small a part of another row's entry an entry may be at least; 1 where all rows are the same."""
        return float(self.low.min() / self.high.max())

    def tied(self) -> Codes | None:
        """The group of each input where the window leaves some no choice but the same row; None where all have one.

        Rows sum to 1, so that the sum of all l is at most 1 / low(x) and at least 1 / high(x) for every x: where the
        two meet, the entries of those who reach them are on their edges. A window wider by rounding alone counts as
        met: what that could gain is far below what every proof gives away.
        """
        bottom, top = float(self.low.max()), float(self.high.min())
        if top > (1 + ROUNDING) * bottom or self.alike >= 1 - ROUNDING:
            return None
        tied = (self.low >= (1 - ROUNDING) * bottom) | (self.high <= (1 + ROUNDING) * top)
        return np.where(tied, 0, np.cumsum(~tied))

    @property
    def anchor(self) -> int | None:
        """An input whose edges meet; None where none do."""
        meeting = np.flatnonzero(self.high <= (1 + ROUNDING) * self.low)
        return int(meeting[0]) if len(meeting) else None

    def merged(self, groups: Codes) -> Window:
        """The window of rows that all inputs of a group share."""
        count = int(groups.max()) + 1
        low, high = np.zeros(count), np.full(count, math.inf)
        np.maximum.at(low, groups, self.low)
        np.minimum.at(high, groups, self.high)
        # Where they meet, rounding must not leave the upper edge below the lower.
        return Window(low, np.maximum(low, high))

    def inside(self, channel: Floats) -> Floats:
        """The channel, moved as little as it takes to lie in the window; one that does stays as it is."""
        low, high = self.low[:, None], self.high[:, None]
        bottom, top = (channel / low).min(axis=0), (channel / high).max(axis=0)
        # Where a column is too wide its small entries are raised: the large ones are what it is for.
        least = np.maximum((bottom + top) / 2, top)
        total = float(least.sum())
        # Rows sum to 1 between their edges only where the sum of all l is between these two.
        least *= min(max(total, float((1 / high).max())), float((1 / low).min())) / total
        below, above = low * least, high * least
        rows = np.clip(channel, below, above)
        short = 1 - rows.sum(axis=1, keepdims=True)
        room = np.where(short > 0, above - rows, rows - below)
        total_room = room.sum(axis=1, keepdims=True)
        rows = rows + short * room / np.where(total_room > 0, total_room, 1.0)
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))


class Anchored:
    """A window in which one entry of a column leaves no choice to the others' l: it takes the place of l.

    The ``anchor`` is an input whose edges meet.
    """

    def __init__(self, window: Window, anchor: int) -> None:
        self._anchor, unit = anchor, window.low[anchor]
        self._low, self._high = window.low / unit, window.high / unit
        # Its own two inequalities say no more than that it is at least 0.
        self._low[anchor], self._high[anchor] = 0.0, 0.0

    def start(self, outputs: int) -> tuple[Floats, Floats]:
        """Uniform, without a further variable."""
        return np.full((outputs, len(self._low)), 1 / outputs), np.zeros((outputs, 0))

    def slacks(self, entries: Floats, least: Floats) -> Floats:
        """Above the lower edges, then below the upper ones; of the anchor twice the entry itself."""
        anchors = entries[:, [self._anchor]]
        low, high = entries - self._low * anchors, self._high * anchors - entries
        high[:, self._anchor] = low[:, self._anchor]
        return np.hstack([low, high])

    def frame(self, slacks: Floats) -> tuple[Floats, Floats]:
        """The coordinates are the smaller slack of each entry, and the anchor itself."""
        low, high = np.hsplit(slacks, 2)
        count, inputs = low.shape
        at, below, anchor = np.arange(inputs), low <= high, self._anchor
        frame, edges = np.zeros((count, inputs, inputs)), np.zeros((count, 2 * inputs, inputs))
        frame[:, :, anchor] = np.where(below, self._low, self._high)
        frame[:, at, at] = np.where(below, 1.0, -1.0)
        edges[:, :inputs, anchor] = np.where(below, 0.0, self._high - self._low)
        edges[:, inputs:, anchor] = np.where(below, self._high - self._low, 0.0)
        edges[:, at, at] = np.where(below, 1.0, -1.0)
        edges[:, inputs + at, at] = np.where(below, -1.0, 1.0)
        edges[:, inputs + anchor, anchor] = 1.0
        return frame, edges

    def pull(self, duals: Floats) -> Floats:
        """The lower edge pushes up, the upper one down, and both the other way on the anchor."""
        low, high = np.hsplit(duals, 2)
        pull = low - high
        pull[:, self._anchor] = low[:, self._anchor] + high[:, self._anchor] + high @ self._high - low @ self._low
        return np.asarray(pull)

    def cost_shift(self, duals: Floats) -> Floats:
        """The price of the edges, which no column of the window gains by."""
        return -self.pull(duals)


Cone: TypeAlias = Positive | Window | Anchored

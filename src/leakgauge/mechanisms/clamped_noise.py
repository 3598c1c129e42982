"""Noise clamped to bounds: the law of the released value, with the tails collected at the ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from leakgauge.mechanisms.mechanism import Inputs, Law, Outputs
from leakgauge.mechanisms.noise import GridNoise
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Randomness

FAR = 45
"""Standard deviations beyond which noise of either law has less than 2^-53 of the tail before them."""


@dataclass(frozen=True)
class ClampedNoise(Law):
    """The noise that is added, and the steps of the grid that nothing is released beyond.

    Clamping reads only the noisy value, so it reveals nothing more and every claim stays.
    """

    added: GridNoise
    low: int
    high: int

    def draw(self, inputs: Inputs, randomness: Randomness) -> Outputs:
        """Each input with fresh noise, and what falls beyond a bound as the bound."""
        return np.clip(self.added.draw(inputs, randomness), self.low, self.high)

    def scores(self, inputs: Inputs, outputs: Outputs) -> Floats:
        """log q(y|x) as of the noise between the bounds; at a bound, that of all the noise beyond it."""
        found = self.added.scores(inputs, outputs)
        steps = inputs.astype(np.float64)
        # The scores of the noise lack its constant, which is the logarithm of the chance that it is 0.
        constant = np.log(self.added.probability(np.zeros(1, dtype=np.int64)))
        for at, beyond in ((outputs <= self.low, self.low - steps), (outputs >= self.high, steps - self.high)):
            found[:, at] = (np.log(self.added.below(beyond)) - constant)[:, None]
        return found

    def matrix(self, inputs: Inputs) -> Floats:
        """q(y|x) of each input (a row) and each step between the bounds (a column)."""
        steps = inputs.astype(np.int64)
        away = np.abs(np.arange(self.low, self.high + 1)[None, :] - steps[:, None])
        chances = self.added.probability(np.arange(away.max() + 2 + self.terms, dtype=np.int64))
        # Summed from the far end, where the terms are small, so that a small tail keeps its digits.
        tails = np.cumsum(chances[::-1])[::-1]
        found = chances[away]
        for at, beyond in ((0, steps - self.low), (-1, self.high - steps)):
            # Rounding may take an input a step beyond a bound.
            found[:, at] = np.where(beyond >= 0, tails[np.abs(beyond)], 1 - tails[np.abs(beyond) + 1])
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    @property
    def terms(self) -> int:
        """Of a tail, beyond which there is nothing in floats."""
        return math.ceil(FAR * self.added.standard_deviation) + 1

    def beyond(self, inputs: Inputs) -> Floats:
        """The chance, for each input, that its noise falls beyond a bound."""
        steps = inputs.astype(np.float64)
        return np.asarray(self.added.below(self.low - 1 - steps) + self.added.below(steps - self.high - 1))

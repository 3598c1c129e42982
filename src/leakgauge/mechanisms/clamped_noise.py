"""Noise clamped to bounds: the law of the released value, with the tails collected at the ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leakgauge.mechanisms.mechanism import Inputs, Law, Outputs
from leakgauge.mechanisms.noise import GridNoise
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Randomness


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

    def beyond(self, inputs: Inputs) -> Floats:
        """The chance, for each input, that its noise falls beyond a bound."""
        steps = inputs.astype(np.float64)
        return np.asarray(self.added.below(self.low - 1 - steps) + self.added.below(steps - self.high - 1))

"""Report noisy max: the position of the largest of several answers, each with noise of its own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np

from leakgauge.arguments import checked
from leakgauge.claims import CentralDP, ZeroConcentratedDP
from leakgauge.errors import OptionError, did_you_mean
from leakgauge.mechanisms.choice import Choice, Counts, Exponential, PermuteAndFlip, require_candidates
from leakgauge.mechanisms.mechanism import Outputs, Pair, Parameter
from leakgauge.mechanisms.noise import DiscreteLaplace, Steps, quotient_above
from leakgauge.mechanisms.span import Span, require_budget, span
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Randomness
from leakgauge.randomness.draws import below

FAR = 40
"""Scales beyond which noise lies with a chance below e^−40."""
MOST_SUMMED = 1 << 26
"""Terms up to which a law is summed over the grid."""
AT_ONCE = 1 << 20
"""Noise values that are drawn together when a mechanism is run again and again."""


class MaxNoise(StrEnum):
    """The law of the noise in each answer."""

    LAPLACE = "laplace"
    EXPONENTIAL = "exponential"
    GUMBEL = "gumbel"


@dataclass(frozen=True)
class LaplaceMax(Choice):
    """Answers rounded to a grid, each with discrete Laplace noise of scale 2Δ/ε; the position of the largest.

    If the answers are monotonic, the scale is Δ/ε. Those that are largest together are equally likely.

    ε-DP holds on the grid with ties. Fix an order in which ties are broken, and the noise of all candidates but one.
    That one wins if its noise is at least some whole number of steps, which a neighbour raises by at most m = 2Δ, or
    m = Δ if the answers are monotonic. Each tail of the noise is at least e^(−m/scale) = e^−ε times the tail that
    starts m steps earlier. To choose among the largest at random is to draw such an order, whatever the answers are.
    """

    _: KW_ONLY
    span: Span
    added: DiscreteLaplace

    @property
    def reach(self) -> float:
        return self.span.steps * self.span.grid

    def neighbours(self) -> list[Pair]:
        """One candidate that seldom wins made better while all others get worse: that moves nearly all of ε."""
        grid, reach, pairs = self.span.grid, self.reach, []
        for others, scales in ((5, -1), (9, 0), (5, -3), (3, -2), (9, -1), (1, -3)):
            low = round(scales * self.added.scale) * grid
            pairs.append(([low] + [0.0] * others, [low + reach] + [0.0 if self.monotonic else -reach] * others))
        return pairs

    def error_bar(self, count: int, confidence: float = 0.95) -> float:
        """The utility lost against the best of ``count`` candidates, at most, with this probability.

        By the law of the difference of two noises, summed over the other candidates; rounding to the grid included.
        """
        require_candidates(count, confidence)
        low, high = -1, 1
        while self._overtakes(high + 1) * (count - 1) > 1 - confidence:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            enough = self._overtakes(middle + 1) * (count - 1) <= 1 - confidence
            low, high = (low, middle) if enough else (middle, high)
        return (high + 1) * self.span.grid

    def _overtakes(self, steps: int) -> float:
        """P(K − L ≥ steps) of two independent noises, for at least 0 steps."""
        a = math.exp(-1 / self.added.scale)
        # Σ over j ≥ m of ((1−a)/(1+a))² · ((j + 1) a^j + 2 a^(j+2)/(1−a²)), in closed form.
        weight = (steps + 1) * -math.expm1(-1 / self.added.scale) + a + 2 * a * a / (1 + a)
        return math.exp(-steps / self.added.scale) * weight / (1 + a) ** 2

    def repeated(self, value: Any, count: int, randomness: Randomness) -> Outputs:
        """Positions of so many runs on one list of answers."""
        steps = self._steps(self._candidates(value, None)[0])
        return in_batches(lambda runs: self._largest(steps, runs, randomness), count, len(steps))

    @property
    def draws_at_once(self) -> bool:
        return True

    def _chosen(self, utilities: list[Fraction], counts: Counts, randomness: Randomness) -> int:
        return int(self._largest(self._steps(utilities), 1, randomness)[0])

    def _steps(self, utilities: list[Fraction]) -> Steps:
        return np.array([self.span.nearest(utility) for utility in utilities], dtype=np.int64)

    def _largest(self, steps: Steps, runs: int, randomness: Randomness) -> Outputs:
        noisy = steps + self.added.noise(runs * len(steps), randomness).reshape(runs, -1)
        largest = noisy == noisy.max(axis=1, keepdims=True)
        rank, ties = np.ones((runs, 1), dtype=np.int64), largest.sum(axis=1)
        for many in np.unique(ties[ties > 1]).tolist():
            tied = ties == many
            rank[tied, 0] += below(many, int(tied.sum()), randomness)
        return np.asarray(np.argmax(largest & (np.cumsum(largest, axis=1) == rank), axis=1), dtype=np.int64)

    def _law(self, utilities: list[Fraction], counts: Counts) -> Floats | None:
        steps, reach, points = self._steps(utilities), math.ceil(FAR * self.added.scale), len(utilities) // 2 + 1
        if points * len(steps) * (2 * reach + 1) > MOST_SUMMED:
            return None
        # With t the rank of a candidate in the order that breaks ties, uniform between 0 and 1, it wins at k if no
        # other is above k, nor at k with a smaller t: Π (P(below k) + t P(at k)), a polynomial of degree n − 1, which
        # Gauss and Legendre's rule of n/2 points integrates exactly.
        nodes, shares = np.polynomial.legendre.leggauss(points)
        # The largest noisy answer lies this near the best answer with all but n e^−40 of its probability.
        at = steps.max() + np.arange(-reach, reach + 1)
        level = self.added.probability(at - steps[:, None])
        under = self.added.below((at - 1 - steps[:, None]).astype(np.float64))
        law = np.zeros(len(steps))
        for node, share in zip((nodes + 1) / 2, shares / 2, strict=True):
            logs = np.log(under + node * level)
            law += share * (level * np.exp(logs.sum(axis=0) - logs)).sum(axis=1)
        return law


def in_batches(draw: Callable[[int], Outputs], count: int, width: int) -> Outputs:
    """The outputs of ``count`` runs, drawn by so many at once as their noise, ``width`` values each, fits memory."""
    rows = max(AT_ONCE // width, 1)
    return np.concatenate([draw(min(rows, count - start)) for start in range(0, count, rows)])


def require_noise(noise: str) -> MaxNoise:
    """The noise of this name; refuse another name."""
    if noise not in tuple(MaxNoise):
        hint = did_you_mean(str(noise), [one.value for one in MaxNoise])
        raise OptionError("There is no noise {noise!r}; {hint}", noise=noise, hint=hint)
    return MaxNoise(noise)


@checked
def report_noisy_max(
    epsilon: float,
    *,
    sensitivity: float = 1.0,
    noise: MaxNoise | str = MaxNoise.LAPLACE,
    monotonic: bool = False,
    grid: float | None = None,
) -> Choice:
    """The position of the largest answer with noise in each: ε-differential privacy.

    Laplace noise is discrete, on a grid (see ``LaplaceMax``). Exponential and Gumbel noise have laws in closed form,
    drawn exactly without a grid: with one-sided exponential noise it is permute-and-flip, with Gumbel noise the
    exponential mechanism, which alone is ε²/8-zero-concentrated private besides.

    Args:
        epsilon: the budget in nats.
        sensitivity: how far one record moves any answer, at most.
        noise: its law.
        monotonic: whether one record moves all answers in one direction, as it does counts where records are added or
            removed; half the noise is then enough.
        grid: of Laplace noise, a power of two; by default at most a 256th of the noise's scale.

    Raises:
        OptionError: an ε, sensitivity, noise or grid that cannot be used.

    References:
        Dwork and Roth, The algorithmic foundations of differential privacy, 2014, section 3.3; McKenna and Sheldon,
        Permute-and-flip, 2020; Ding, Kifer, Saghaian, Steinke, Wang, Xiao and Zhang, The permute-and-flip mechanism is
        identical to report-noisy-max with exponential noise, 2021.

    Example:
        >>> from leakgauge.randomness import Simulated
        >>> most = report_noisy_max(2.0)
        >>> most.run([3, 9, 4], Simulated(simulation_seed=1)), most.probabilities([3, 9, 4]).round(3).tolist()
        (1, [0.004, 0.985, 0.011])
    """
    require_budget(epsilon)
    noise = require_noise(noise)
    if noise is not MaxNoise.LAPLACE and grid is not None:
        raise OptionError("The noise {noise!s} has no grid, since it is drawn exactly; leave it out.", noise=noise)
    name, claims = "report-noisy-max", (CentralDP(epsilon),)
    parameters: dict[str, Parameter] = {"epsilon": epsilon, "sensitivity": sensitivity, "noise": noise.value}
    parameters |= {"monotonic": "yes"} if monotonic else {}
    if noise is MaxNoise.EXPONENTIAL:
        return PermuteAndFlip(name, parameters, claims, None, epsilon, sensitivity, monotonic)
    if noise is MaxNoise.GUMBEL:
        concentrated = ZeroConcentratedDP(quotient_above(Fraction(epsilon) ** 2, 8))
        return Exponential(name, parameters, (*claims, concentrated), None, epsilon, sensitivity, monotonic)
    moved = 1 if monotonic else 2
    spans = span(sensitivity=sensitivity, lower=None, upper=None, grid=grid, scale=moved / epsilon)
    added = DiscreteLaplace(quotient_above(moved * spans.steps, epsilon))
    parameters["grid"] = spans.grid
    return LaplaceMax(name, parameters, claims, None, epsilon, sensitivity, monotonic, span=spans, added=added)

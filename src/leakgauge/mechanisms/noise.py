"""The laws of noise on a grid, as frozen data: likelihoods, tails, the privacy loss of a shift, and draws.

One law, two samplers: a few values for an answer come from OpenDP, columns from our own vectorised sampler.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.errors import OptionError
from leakgauge.mechanisms.mechanism import Inputs, Law, Outputs
from leakgauge.mechanisms.steps import DiscreteGaussianNoise, DiscreteLaplaceNoise, Step
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Randomness
from leakgauge.randomness import discrete as draws
from leakgauge.randomness.discrete import FEW, LARGEST_SCALE

Steps: TypeAlias = npt.NDArray[np.int64]

LARGEST_SIGMA = 2.0**20
"""In steps: the privacy loss of a shift of a discrete Gaussian is summed term by term."""
_LEAST_CHANCE = 300.0
"""e^−300 stands for every smaller chance: arithmetic with numbers near the smallest is slow."""
_SUMMED = 2.0
"""Up to this σ, in steps, the discrete Gaussian is summed term by term; beyond, Φ is exact to all digits."""
FAR = 45
"""Standard deviations beyond which noise of either law has less than 2^-53 of the tail before them."""


@dataclass(frozen=True)
class GridNoise(Law):
    """Symmetric noise of whole steps, P(k) ∝ e^(−SIZE(k)/unit); inputs and outputs are steps of one grid.

    Attributes:
        scale: the parameter of the law in steps, exactly the float it is given as.
        KNOTS: distances from the centre, in scales, between which the law is as good as straight.
    """

    SIZE: ClassVar[np.ufunc]
    KNOTS: ClassVar[Floats]

    scale: float

    @property
    def added(self) -> GridNoise:
        """The noise in each value: itself."""
        return self

    @property
    @abstractmethod
    def standard_deviation(self) -> float:
        """In steps."""

    @property
    @abstractmethod
    def excess_kurtosis(self) -> float:
        """0 of a normal law, 3 of Laplace's on a fine grid."""

    @abstractmethod
    def probability(self, steps: Steps) -> Floats:
        """Of each whole number."""

    @abstractmethod
    def below(self, steps: Floats) -> Floats:
        """P(K ≤ k) of each whole number k."""

    @abstractmethod
    def reach(self, confidence: float) -> int:
        """The steps within which the noise stays with at least this probability."""

    @abstractmethod
    def noise(self, count: int, randomness: Randomness) -> Steps:
        """So many independent values."""

    @abstractmethod
    def step(self, shift: int) -> Step:
        """The cost of a shift by this many steps in a sequence."""

    def epsilon(self, shift: int) -> float | None:
        """The ε of a shift by this many steps, in nats, rounded up; None where it is infinite."""
        return None

    def rho(self, shift: int) -> float | None:
        """The zero-concentrated level of a shift by so many steps, in nats, rounded up; None where ε says more."""
        return None

    @staticmethod
    @abstractmethod
    def largest_scale(numbers: Floats, miss: float) -> float:
        """What the scale of the noise in these numbers exceeds with a chance of at most ``miss``; any centre."""

    @property
    @abstractmethod
    def unit(self) -> float:
        """What the size of k is divided by in its logarithm."""

    def draw(self, inputs: Inputs, randomness: Randomness) -> Outputs:
        return np.asarray(inputs + self.noise(len(inputs), randomness))

    def scores(self, inputs: Inputs, outputs: Outputs) -> Floats:
        apart = np.subtract.outer(inputs.astype(np.float64), outputs.astype(np.float64))
        self.SIZE(apart, out=apart)
        apart *= -1 / self.unit
        return np.asarray(apart)

    def log_ratio(self, first: float, second: float) -> Callable[[Outputs], Floats]:
        return lambda steps: np.asarray((self.SIZE(steps - second) - self.SIZE(steps - first)) / self.unit)


@dataclass(frozen=True)
class DiscreteLaplace(GridNoise):
    """P(k) ∝ e^(−|k|/scale)."""

    SIZE = np.abs
    KNOTS = np.concatenate([np.linspace(0, 4, 33), np.linspace(4.5, 40, 36)])

    def __post_init__(self) -> None:
        _require("scale", self.scale, LARGEST_SCALE)

    @property
    def unit(self) -> float:
        return self.scale

    @property
    def standard_deviation(self) -> float:
        """In steps: √(2a)/(1 − a) with a = e^(−1/scale)."""
        return math.sqrt(2) * math.exp(-0.5 / self.scale) / -math.expm1(-1 / self.scale)

    @property
    def excess_kurtosis(self) -> float:
        """(1 + 10a + a²)/2a − 3; infinite where the noise is as good as never there."""
        a = math.exp(-1 / self.scale)
        # E k² = 2a/(1−a)², E k⁴ = 2a(1 + 10a + a²)/(1−a)⁴.
        return (1 + 10 * a + a * a) / (2 * a) - 3 if a > 0 else math.inf

    def epsilon(self, shift: int) -> float:
        return quotient_above(shift, self.scale)

    def step(self, shift: int) -> Step:
        return DiscreteLaplaceNoise(self.epsilon(shift), shift)

    @staticmethod
    def largest_scale(numbers: Floats, miss: float) -> float:
        """Deviations from the true centre have 2Σ|Y − c|/b ~ χ²(2n), and the sample's own median makes Σ smaller.

        It costs no more than one degree of freedom on average, so that a few are given for free.
        """
        from scipy.special import gammaincinv

        total = float(np.abs(numbers - np.median(numbers)).sum())
        return total / float(gammaincinv(max(len(numbers) - 3, 1), miss))

    def below(self, steps: Floats) -> Floats:
        """1 − a^(k+1)/(1+a) from 0 on, a^(−k)/(1+a) below."""
        away = np.minimum(np.where(steps >= 0, steps + 1, -steps) / self.scale, _LEAST_CHANCE)
        tail = np.exp(-away) / (1 + math.exp(-1 / self.scale))
        return np.where(steps >= 0, 1 - tail, tail)

    def probability(self, steps: Steps) -> Floats:
        return np.asarray(math.tanh(0.5 / self.scale) * np.exp(-np.abs(steps) / self.scale))

    def reach(self, confidence: float) -> int:
        # P(|K| > r) = 2 a^(r+1) / (1 + a); one step more than needed where the logarithm falls on a whole number.
        miss = (1 - require_confidence(confidence)) * (1 + math.exp(-1 / self.scale)) / 2
        return max(math.floor(-self.scale * math.log(miss)), 0)

    def noise(self, count: int, randomness: Randomness) -> Steps:
        if randomness.private and count <= FEW:
            return draws.opendp_discrete_laplace(self.scale, count)
        return draws.discrete_laplace(self.scale, count, randomness)


@dataclass(frozen=True)
class DiscreteGaussian(GridNoise):
    """P(k) ∝ e^(−k²/2σ²), σ being the scale (Canonne, Kamath and Steinke 2020)."""

    SIZE = np.square
    KNOTS = np.concatenate([np.linspace(0, 4, 33), np.linspace(4.25, 10, 24)])

    def __post_init__(self) -> None:
        _require("σ", self.scale, LARGEST_SIGMA)

    @property
    def unit(self) -> float:
        return 2 * self.scale**2

    @property
    def standard_deviation(self) -> float:
        """In steps: at most σ, and as good as σ from one step on."""
        return self.scale

    @property
    def excess_kurtosis(self) -> float:
        """0, but for a σ of few steps."""
        if self.scale > _SUMMED:
            return 0.0
        steps = np.arange(-self._whole, self._whole + 1)
        chances = self.probability(steps)
        square = float(chances @ steps.astype(np.float64) ** 2)
        # One division after the other: the square of a tiny variance would be 0.
        return float(chances @ steps.astype(np.float64) ** 4) / square / square - 3 if square > 0 else math.inf

    def step(self, shift: int) -> Step:
        """By its exact pair, with σ over the shift rounded down: less noise than there is, never more."""
        exact = Fraction(self.scale) / shift
        near = float(exact)
        return DiscreteGaussianNoise(near if Fraction(near) <= exact else math.nextafter(near, 0.0), shift)

    @staticmethod
    def largest_scale(numbers: Floats, miss: float) -> float:
        """By the law of the sample's variance, χ²(n − 1)."""
        from scipy.special import gammaincinv

        total = float(((numbers - numbers.mean()) ** 2).sum())
        return math.sqrt(total / (2 * float(gammaincinv(max(len(numbers) - 1, 1) / 2, miss))))

    def below(self, steps: Floats) -> Floats:
        """Φ at the middle between two steps, or the sum of all terms up to it."""
        if self.scale > _SUMMED:
            from scipy.special import ndtr

            return np.asarray(ndtr(np.clip((steps + 0.5) / self.scale, -24.0, 24.0)))
        reach = self._whole
        table = np.concatenate([[0.0], np.cumsum(self.probability(np.arange(-reach, reach + 1)))])
        return np.asarray(table[np.clip(steps + reach + 1, 0, 2 * reach + 1).astype(np.int64)])

    @property
    def _whole(self) -> int:
        """Steps beyond which there is nothing in floats."""
        return math.ceil(40 * self.scale) + 1

    def rho(self, shift: int) -> float:
        return quotient_above(shift * shift, 2 * Fraction(self.scale) ** 2)

    def delta(self, shift: int, epsilon: float) -> float:
        """The δ at ε of a shift by so many steps, exact but for rounding, which goes up.

        δ = Σ max(P(k) − e^ε P(k − shift), 0), whose terms are positive exactly for k below shift/2 − εσ²/shift.
        """
        # By symmetry over k above the cut: P(k) against P(k + shift).
        cut = epsilon * self.scale**2 / shift - shift / 2
        first = math.floor(cut) + 1
        mine, theirs = self._beyond(first), self._beyond(first + shift)
        # e^ε alone may be out of the range of floats; e^ε · theirs is at most mine.
        theirs = math.exp(epsilon + math.log(theirs)) if theirs else 0.0
        return max((mine * (1 + 1e-12) - theirs * (1 - 1e-12)) / self._total() * (1 + 1e-12), 0.0)

    def probability(self, steps: Steps) -> Floats:
        return np.exp(-(steps.astype(np.float64) ** 2) / self.unit) / self._total()

    def reach(self, confidence: float) -> int:
        from scipy.special import ndtri

        # P(K ≥ m) is at most that of N(0, σ²) above m − 1 (the same paper, proposition 25).
        return math.ceil(self.scale * -float(ndtri((1 - require_confidence(confidence)) / 2))) + 1

    def noise(self, count: int, randomness: Randomness) -> Steps:
        if randomness.private and count <= FEW:
            return draws.opendp_discrete_gaussian(self.scale, count)
        return draws.discrete_gaussian(self.scale, count, randomness)

    def _total(self) -> float:
        return 2 * self._beyond(1) + 1

    def _beyond(self, first: int) -> float:
        """Σ over k ≥ first of e^(−k²/2σ²)."""
        if first < 0:
            return self._total() - self._beyond(1 - first)
        # Beyond 39 σ further every term is 0 in floats.
        last, total = first + math.ceil(39 * self.scale) + 1, 0.0
        for start in range(first, last, 1 << 20):
            steps = np.arange(start, min(start + (1 << 20), last), dtype=np.float64)
            total += float(np.exp(-((steps / self.scale) ** 2) / 2).sum())
        return total


@dataclass(frozen=True)
class ClampedNoise(Law):
    """The noise that is added, and the steps of the grid that nothing is released beyond.

    Clamping reads only the noisy value, so it reveals nothing more and every claim stays.
    """

    added: GridNoise
    low: int
    high: int

    def draw(self, inputs: Inputs, randomness: Randomness) -> Outputs:
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


def quotient_above(numerator: int | Fraction, denominator: float | Fraction) -> float:
    """The quotient as a float that is never smaller than it; infinite where it is larger than any."""
    exact = Fraction(numerator) / Fraction(denominator)
    try:
        near = float(exact)
    except OverflowError:
        return math.inf
    return near if Fraction(near) >= exact else math.nextafter(near, math.inf)


def _require(what: str, value: float, largest: float) -> None:
    if not 0 < value <= largest:
        raise OptionError(
            "A {what} of {value:.6g} grid steps is not in (0, {largest:.6g}]; choose another ε or grid.",
            what=what,
            value=value,
            largest=largest,
        )


def require_confidence(confidence: float) -> float:
    """Refuse a confidence outside (0, 1)."""
    if not 0 < confidence < 1:
        raise OptionError("A confidence of {confidence} is not between 0 and 1; try 0.95.", confidence=confidence)
    return confidence

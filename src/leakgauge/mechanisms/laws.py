"""The laws of noise on a grid, as frozen data: probabilities, tails, what a shift gives away, and draws.

One law, two samplers: a few values for an answer come from OpenDP, columns from our own vectorised sampler.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge import randomness as draws
from leakgauge.errors import OptionError
from leakgauge.randomness import Randomness
from leakgauge.randomness.discrete import FEW, LARGEST_SCALE

Steps: TypeAlias = npt.NDArray[np.int64]

LARGEST_SIGMA = 2.0**20
"""In steps: what a shift of a discrete Gaussian gives away is summed term by term."""


@dataclass(frozen=True)
class DiscreteLaplace:
    """P(k) ∝ e^(−|k|/scale), the scale in steps and exactly the float it is given as."""

    scale: float

    def __post_init__(self) -> None:
        _require("scale", self.scale, LARGEST_SCALE)

    @property
    def standard_deviation(self) -> float:
        """In steps: √(2a)/(1 − a) with a = e^(−1/scale)."""
        return math.sqrt(2) * math.exp(-0.5 / self.scale) / -math.expm1(-1 / self.scale)

    def epsilon(self, shift: int) -> float:
        """What a shift by so many steps gives away, in nats; rounded up, towards promising less."""
        return quotient_above(shift, self.scale)

    def probability(self, steps: Steps) -> npt.NDArray[np.float64]:
        """Of each whole number."""
        return np.asarray(math.tanh(0.5 / self.scale) * np.exp(-np.abs(steps) / self.scale))

    def reach(self, confidence: float) -> int:
        """The steps within which the noise stays with at least this probability."""
        # P(|K| > r) = 2 a^(r+1) / (1 + a); one step more than needed where the logarithm falls on a whole number.
        miss = (1 - _require_confidence(confidence)) * (1 + math.exp(-1 / self.scale)) / 2
        return max(math.floor(-self.scale * math.log(miss)), 0)

    def draw(self, count: int, randomness: Randomness) -> Steps:
        """So many independent values."""
        if randomness.private and count <= FEW:
            return draws.opendp_discrete_laplace(self.scale, count)
        return draws.discrete_laplace(self.scale, count, randomness)


@dataclass(frozen=True)
class DiscreteGaussian:
    """P(k) ∝ e^(−k²/2σ²), σ in steps and exactly the float it is given as (Canonne, Kamath and Steinke 2020)."""

    sigma: float

    def __post_init__(self) -> None:
        _require("σ", self.sigma, LARGEST_SIGMA)

    @property
    def standard_deviation(self) -> float:
        """In steps: at most σ, and as good as σ from one step on."""
        return self.sigma

    def rho(self, shift: int) -> float:
        """The zero-concentrated level of a shift by so many steps, in nats; rounded up."""
        return quotient_above(shift * shift, 2 * Fraction(self.sigma) ** 2)

    def delta(self, shift: int, epsilon: float) -> float:
        """The δ at ε of a shift by so many steps, exact but for rounding, which goes up.

        δ = Σ max(P(k) − e^ε P(k − shift), 0), whose terms are positive exactly for k below shift/2 − εσ²/shift.
        """
        # By symmetry over k above the cut: P(k) against P(k + shift).
        cut = epsilon * self.sigma**2 / shift - shift / 2
        first = math.floor(cut) + 1
        mine, theirs = self._beyond(first), self._beyond(first + shift)
        # e^ε alone may be out of the range of floats; e^ε · theirs is at most mine.
        theirs = math.exp(epsilon + math.log(theirs)) if theirs else 0.0
        return max((mine * (1 + 1e-12) - theirs * (1 - 1e-12)) / self._total() * (1 + 1e-12), 0.0)

    def probability(self, steps: Steps) -> npt.NDArray[np.float64]:
        """Of each whole number."""
        return np.exp(-(steps.astype(np.float64) ** 2) / (2 * self.sigma**2)) / self._total()

    def reach(self, confidence: float) -> int:
        """The steps within which the noise stays with at least this probability."""
        from scipy.special import ndtri

        # P(K ≥ m) is at most that of N(0, σ²) above m − 1 (the same paper, proposition 25).
        return math.ceil(self.sigma * -float(ndtri((1 - _require_confidence(confidence)) / 2))) + 1

    def draw(self, count: int, randomness: Randomness) -> Steps:
        """So many independent values."""
        if randomness.private and count <= FEW:
            return draws.opendp_discrete_gaussian(self.sigma, count)
        return draws.discrete_gaussian(self.sigma, count, randomness)

    def _total(self) -> float:
        return 2 * self._beyond(1) + 1

    def _beyond(self, first: int) -> float:
        """Σ over k ≥ first of e^(−k²/2σ²)."""
        if first < 0:
            return self._total() - self._beyond(1 - first)
        # Beyond 39 σ further every term is 0 in floats.
        last, total = first + math.ceil(39 * self.sigma) + 1, 0.0
        for start in range(first, last, 1 << 20):
            steps = np.arange(start, min(start + (1 << 20), last), dtype=np.float64)
            total += float(np.exp(-((steps / self.sigma) ** 2) / 2).sum())
        return total


def quotient_above(numerator: int, denominator: float | Fraction) -> float:
    """The quotient as a float that is never smaller than it."""
    exact = Fraction(numerator) / Fraction(denominator)
    near = float(exact)
    return near if Fraction(near) >= exact else math.nextafter(near, math.inf)


def _require(what: str, value: float, largest: float) -> None:
    if not 0 < value <= largest:
        raise OptionError(
            "A {what} of {value:.6g} grid steps lies outside (0, {largest:.6g}]; choose another grid.",
            what=what,
            value=value,
            largest=largest,
        )


def _require_confidence(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise OptionError("A confidence of {confidence} lies outside (0, 1).", confidence=confidence)
    return confidence

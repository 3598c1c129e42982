"""Mechanisms whose privacy loss is known: noise, randomized response, private choice, a finite channel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leakgauge.mechanisms.steps import renyi_curves
from leakgauge.mechanisms.steps.losses import (
    CURVE_POINTS,
    POINTS,
    Curve,
    ExponentialLoss,
    GaussianLoss,
    Loss,
    loss_of_rows,
)
from leakgauge.mechanisms.steps.step import LARGEST_EXACT_LOSS, Pair, Step, worst_pair
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Floats

LARGEST_WINDOW = 1 << 17
"""Letters of a discrete Gaussian's pair; wider ones compose by their Rényi levels."""
WIDEST = 14.0
"""Standard deviations of noise beyond which lies less than 10^-43."""
CURVE_WORK = 1 << 26
"""Above so many terms a channel's hockey-stick curve gives way to the worst case of its exact ε."""


@dataclass(frozen=True)
class PureStep(Step):
    """A mechanism with a pure ε in nats."""

    epsilon: float

    def pure_epsilon(self) -> float:
        return float(self.epsilon)


@dataclass(frozen=True)
class LaplaceNoise(PureStep):
    """Laplace noise at ε = sensitivity / scale, whose loss is continuous."""

    has_pair = False

    def renyi(self, orders: Floats) -> Floats:
        return renyi_curves.laplace(self.epsilon, orders) if self.epsilon < math.inf else super().renyi(orders)

    def loss(self) -> Loss | None:
        return ExponentialLoss(self.epsilon, top=0.5) if 0 < self.epsilon <= LARGEST_EXACT_LOSS else None


@dataclass(frozen=True)
class DiscreteLaplaceNoise(PureStep):
    """Discrete Laplace (two-sided geometric) noise at ε for a whole-number sensitivity."""

    sensitivity: int = 1

    def pair(self) -> Pair | None:
        """The law and its shift, all outputs of one loss as one: at sensitivity 1 binary randomized response.

        Where there are too many losses, and so no better pair at hand, the worst one of the claim.
        """
        if not 0 < self.epsilon <= LARGEST_EXACT_LOSS or self.sensitivity >= LARGEST_WINDOW:
            return super().pair()
        fall = self.epsilon / self.sensitivity
        between = np.exp(-fall * np.arange(1, self.sensitivity)) * -math.expm1(-fall)
        law = np.concatenate([[1.0], between, [math.exp(-self.epsilon)]]) / (1 + math.exp(-fall))
        return law, law[::-1]


@dataclass(frozen=True)
class ConcentratedNoise(Step):
    """Noise whose standard deviation is ``noise_multiplier`` times the ℓ2 sensitivity and as concentrated as normal."""

    noise_multiplier: float

    @property
    def mu(self) -> float:
        """Sensitivity in standard deviations."""
        return 1 / self.noise_multiplier if self.noise_multiplier > 1e-150 else math.inf

    def rho(self) -> float:
        """1/(2σ²) nats."""
        return self.mu * self.mu / 2

    def renyi(self, orders: Floats) -> Floats:
        """α/(2σ²) nats; of discrete noise at most that."""
        return orders * self.rho()


@dataclass(frozen=True)
class DiscreteGaussianNoise(ConcentratedNoise):
    """Discrete Gaussian noise of σ = ``noise_multiplier`` · ``sensitivity`` whole steps (Canonne et al. 2020)."""

    sensitivity: int = 1

    def pair(self) -> Pair | None:
        """The law and its shift, everything beyond a window counted as revealed; None if the window is too wide.

        The law is symmetric: the loss of the pair is the same in either order.
        """
        sigma = self.noise_multiplier * self.sensitivity
        # Beyond 15σ lies less than 1e-48.
        reach = math.ceil(15 * sigma) + self.sensitivity if sigma < math.inf else LARGEST_WINDOW
        if not sigma > 0 or 2 * reach >= LARGEST_WINDOW:
            return None
        steps = np.arange(-reach, reach + self.sensitivity + 1)
        p, q = (np.exp(-((steps - shift) ** 2) / (2 * sigma * sigma)) for shift in (0, self.sensitivity))
        whole, beyond = p.sum(), 1e-40
        return np.append(p / whole, [beyond, 0.0]), np.append(q / whole, [0.0, beyond])

    def curve(self) -> Curve | None:
        """The curve of the pair, or, where that is nearly the same, one above it by the curve D of normal noise.

        A whole number n within 14σ has e^±τ times the probability that rounding a normal number gives it, with
        τ ≤ n²/24σ⁴ + 1/8σ²; so δ(ε) ≤ e^τ · D(ε − 2τ).
        """
        from scipy.special import log_ndtr, ndtr

        sigma, mu = self.noise_multiplier * self.sensitivity, self.mu
        tau = ((WIDEST + mu) ** 2 / 24 + 1 / 8) / (sigma * sigma) if 0 < sigma < math.inf else math.inf
        letters = 30 * sigma
        # The more letters a pair has the longer its curve takes; without a pair this one is all there is.
        nearly = math.inf if letters >= LARGEST_WINDOW else 3e-3 if letters >= LARGEST_WINDOW / 2 else 1e-4
        if not 1e-7 < mu < 100 or tau >= nearly * mu:
            return super().curve()
        losses = np.linspace(0.0, WIDEST * mu + mu * mu / 2, CURVE_POINTS)
        shifted = losses - 2 * tau
        above = ndtr(mu / 2 - shifted / mu)
        deltas = above - np.exp(shifted + log_ndtr(-mu / 2 - shifted / mu)) + 2e-14 * above
        return losses, np.minimum(deltas * math.exp(tau), 1.0)


@dataclass(frozen=True)
class GaussianNoise(ConcentratedNoise):
    """Gaussian noise; a discrete Gaussian is not quite this: see ``DiscreteGaussianNoise``."""

    def pure_epsilon(self) -> float:
        """Infinite, unless the noise is."""
        return math.inf if self.mu else 0.0

    def information(self) -> float:
        """μ²/4 nats: means at most μ apart have a variance of at most μ²/2, and I is at most half of that."""
        return self.mu * self.mu / 4

    def loss(self) -> Loss | None:
        return GaussianLoss(self.mu) if 0 < self.mu < LARGEST_EXACT_LOSS else None


@dataclass(frozen=True)
class RandomizedResponse(PureStep):
    """The true letter with e^ε times the probability of each of the other letters."""

    letters: int = 2
    names_a_missing_record = False

    def renyi(self, orders: Floats) -> Floats:
        """The exact curve in nats: only two letters distinguish the secrets, the others cancel."""
        if self.epsilon in (0.0, math.inf):
            return super().renyi(orders)
        share = (1 + math.exp(-self.epsilon)) / (1 + (self.letters - 1) * math.exp(-self.epsilon))
        curve = super().renyi(orders)
        return renyi_curves.seen_sometimes(curve, orders, share) if share < 1 else curve

    def pair(self) -> Pair | None:
        """The laws of any two letters; all pairs are alike, so this one dominates."""
        if self.epsilon > LARGEST_EXACT_LOSS:
            return None
        other = math.exp(-self.epsilon) / (1 + (self.letters - 1) * math.exp(-self.epsilon))
        same, rest = other * math.exp(self.epsilon), other * (self.letters - 2)
        return np.array([same, other, rest]), np.array([other, same, rest])


@dataclass(frozen=True)
class ExponentialChoice(PureStep):
    """The exponential mechanism with weights exp(ε u / 2Δu); its losses span at most ε.

    No finite pair is the worst at every ε.
    """

    has_pair = False

    def rho(self) -> float:
        """ε²/8 nats, by bounded range (Cesar and Rogers, Bounding, concentrating, and truncating, 2021)."""
        return min(self.epsilon * self.epsilon / 8, super().rho())

    def renyi(self, orders: Floats) -> Floats:
        """The sharp curve of losses that span at most ε, in nats; it lies below αε²/8 and that of ε-DP."""
        curve = np.minimum(orders * self.rho(), super().renyi(orders))
        sharp = 0 < self.epsilon <= LARGEST_EXACT_LOSS
        return np.minimum(curve, renyi_curves.bounded_range(self.epsilon, orders)) if sharp else curve

    def loss(self) -> Loss | None:
        return ExponentialLoss(self.epsilon, top=0.0) if 0 < self.epsilon <= LARGEST_EXACT_LOSS else None


@dataclass(frozen=True)
class PermuteAndFlip(LaplaceNoise):
    """Permute-and-flip at ε, whose worst case is that of Laplace noise, exactly.

    Along the straight line from one neighbour's utilities to the other's the chance F of any event changes at a rate
    of at most ε·min(F, 1 − F), because a part of the way is a smaller sensitivity. Laplace noise changes so fast, and
    no law changes from the same start to a larger chance. Two candidates reach it: the second one is chosen as often
    as Laplace noise exceeds the difference of the utilities. Losses span more than ε, so that ε²/8-zCDP does not hold.
    """


@dataclass(frozen=True)
class KnownChannel(Step):
    """A finite channel, any two inputs of which may be neighbours, and the name of the secret that it reads.

    Channels of one name, and the runs of one of them, meet the same pair of inputs; without a name each run is taken
    at its own worst pair, as two columns of one record may be. Which pair that is may depend on ε.
    """

    channel: Channel
    secret: Label | None = None
    names_a_missing_record = False
    has_pair = False

    @cached_property
    def _epsilon(self) -> float:
        matrix = self.channel.matrix
        seen = matrix.max(axis=0) > 0
        low, high = matrix[:, seen].min(axis=0), matrix[:, seen].max(axis=0)
        return math.inf if low.min() == 0 else float((np.log(high) - np.log(low)).max())

    def pure_epsilon(self) -> float:
        """The exact ε in nats: the largest log-ratio of two inputs at one output."""
        return self._epsilon

    def renyi(self, orders: Floats) -> Floats:
        """The exact curve in nats, the largest over all pairs; that of the exact ε where this is too much work."""
        exact = renyi_curves.of_rows(self.channel.matrix, orders)
        return super().renyi(orders) if exact is None else exact

    def loss(self) -> Loss | None:
        """The largest hockey-stick curve over all pairs; the worst case of the exact ε where this is too much work."""
        matrix = self.channel.matrix
        if matrix.shape[0] * matrix.size * POINTS <= CURVE_WORK:
            return loss_of_rows(matrix)
        return loss_of_rows(np.array(worst_pair(self._epsilon))) if self._epsilon <= LARGEST_EXACT_LOSS else None

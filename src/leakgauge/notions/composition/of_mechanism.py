"""The step a mechanism of the catalogue takes in a sequence."""

from __future__ import annotations

import math
from fractions import Fraction

from leakgauge.mechanisms.choice import Choice
from leakgauge.mechanisms.finite import FiniteMechanism
from leakgauge.mechanisms.laws import DiscreteGaussian, DiscreteLaplace
from leakgauge.mechanisms.mechanism import Mechanism
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.notions.composition.claimed import Claimed
from leakgauge.notions.composition.step import Step
from leakgauge.notions.composition.steps import (
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    ExponentialChoice,
    KnownChannel,
    PermuteAndFlip,
    RandomizedResponse,
)

LARGEST_CHANNEL = 1 << 12
"""Cells up to which a channel composes exactly, and is kept in a ledger; larger ones by their ε alone."""


def step_of(mechanism: Mechanism) -> Step:
    """The step of one run: by its law where that is known, else by its headline claim."""
    match mechanism:
        case NoisyNumber(law=DiscreteLaplace() as law, span=span):
            return DiscreteLaplaceNoise(law.epsilon(span.steps), span.steps)
        case NoisyNumber(law=DiscreteGaussian(sigma), span=span):
            return DiscreteGaussianNoise(_quotient_below(sigma, span.steps), span.steps)
        case Choice(name="exponential", epsilon=epsilon):
            return ExponentialChoice(epsilon)
        case Choice(name="permute-and-flip", epsilon=epsilon):
            return PermuteAndFlip(epsilon)
        case FiniteMechanism(name="randomized-response", exact=channel, claims=claims):
            # The dyadic channel tells no more than the response at the ε asked for.
            return RandomizedResponse(claims[0].epsilon, len(channel.inputs))
        case FiniteMechanism(exact=channel) if len(channel.inputs) * len(channel.outputs) <= LARGEST_CHANNEL:
            return KnownChannel(channel)
    return Claimed(mechanism.claims[0])


def _quotient_below(sigma: float, steps: int) -> float:
    """σ/steps as a float that is never larger: less noise than there is, never more."""
    exact = Fraction(sigma) / steps
    near = float(exact)
    return near if Fraction(near) <= exact else math.nextafter(near, 0.0)

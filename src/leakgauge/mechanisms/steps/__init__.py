"""The cost of one run of a mechanism in a sequence: the kinds of steps that compose."""

from leakgauge.mechanisms.steps.known import (
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    ExponentialChoice,
    GaussianNoise,
    KnownChannel,
    LaplaceNoise,
    PermuteAndFlip,
    RandomizedResponse,
)
from leakgauge.mechanisms.steps.step import Batch, Claimed, ClaimedCurve, Step

__all__ = [
    "Batch",
    "Claimed",
    "ClaimedCurve",
    "DiscreteGaussianNoise",
    "DiscreteLaplaceNoise",
    "ExponentialChoice",
    "GaussianNoise",
    "KnownChannel",
    "LaplaceNoise",
    "PermuteAndFlip",
    "RandomizedResponse",
    "Step",
]

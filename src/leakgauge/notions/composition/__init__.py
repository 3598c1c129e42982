"""Composition: what a sequence of mixed mechanisms spends, by the best sound bound, which is named."""

from leakgauge.notions.composition.claimed import Claimed, ClaimedCurve
from leakgauge.notions.composition.exact import compose_exactly
from leakgauge.notions.composition.neighbours import Neighbours, Parts
from leakgauge.notions.composition.of_mechanism import step_of
from leakgauge.notions.composition.rules import amplified_by_sampling, group_privacy, in_parallel
from leakgauge.notions.composition.sequence import Composition, Method, compose
from leakgauge.notions.composition.step import Step
from leakgauge.notions.composition.steps import (
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    ExponentialChoice,
    GaussianNoise,
    KnownChannel,
    LaplaceNoise,
    PermuteAndFlip,
    RandomizedResponse,
)

__all__ = [
    "Claimed",
    "ClaimedCurve",
    "Composition",
    "DiscreteGaussianNoise",
    "DiscreteLaplaceNoise",
    "ExponentialChoice",
    "GaussianNoise",
    "KnownChannel",
    "LaplaceNoise",
    "Method",
    "Neighbours",
    "Parts",
    "PermuteAndFlip",
    "RandomizedResponse",
    "Step",
    "amplified_by_sampling",
    "compose",
    "compose_exactly",
    "group_privacy",
    "in_parallel",
    "step_of",
]

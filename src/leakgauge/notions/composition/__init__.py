"""Composition: what a sequence of mixed mechanisms spends, by the best sound bound, which is named."""

from leakgauge.notions.composition.bounds import Method
from leakgauge.notions.composition.calibration import Calibration, calibrate
from leakgauge.notions.composition.exact import compose_exactly
from leakgauge.notions.composition.groups import Neighbours, Parts
from leakgauge.notions.composition.rules import (
    amplified_by_sampling,
    amplified_without_replacement,
    group_privacy,
    in_parallel,
)
from leakgauge.notions.composition.sequence import Composition, Profile, compose, profile
from leakgauge.notions.composition.shuffling import amplified_by_shuffling

__all__ = [
    "Calibration",
    "Composition",
    "Method",
    "Neighbours",
    "Parts",
    "Profile",
    "amplified_by_sampling",
    "amplified_by_shuffling",
    "amplified_without_replacement",
    "calibrate",
    "compose",
    "compose_exactly",
    "group_privacy",
    "in_parallel",
    "profile",
]

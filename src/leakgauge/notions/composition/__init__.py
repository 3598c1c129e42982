"""Composition: what a sequence of mixed mechanisms spends, by the best sound bound, which is named."""

from leakgauge.notions.composition.exact import compose_exactly
from leakgauge.notions.composition.groups import Neighbours, Parts
from leakgauge.notions.composition.rules import amplified_by_sampling, group_privacy, in_parallel
from leakgauge.notions.composition.sequence import Composition, Method, compose

__all__ = [
    "Composition",
    "Method",
    "Neighbours",
    "Parts",
    "amplified_by_sampling",
    "compose",
    "compose_exactly",
    "group_privacy",
    "in_parallel",
]

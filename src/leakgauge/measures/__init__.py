"""Measures of leakage: one file per family, and one registry of them all.

Shannon's measures are at the top of the room; the other families speak the same verbs, ``prior``,
``posterior`` and ``leakage``: ``measures.renyi``, ``measures.vulnerability``, ``measures.guessing``,
``measures.anonymity``; ``measures.divergences`` compares two distributions, ``measures.capacities`` has the most over
all priors.
"""

from leakgauge.measures import anonymity, capacities, divergences, guessing, renyi, vulnerability
from leakgauge.measures.catalogue import MEASURES
from leakgauge.measures.estimation import Estimator, estimate
from leakgauge.measures.information import Unit
from leakgauge.measures.nearest_neighbours import (
    conditional_information_of_numbers,
    differential_entropy,
    mutual_information_of_numbers,
)
from leakgauge.measures.ranking import is_perfect, rank, rank_attacks
from leakgauge.measures.shannon import (
    background_floor,
    basic,
    conditional_entropy,
    conditional_entropy_with_background,
    conditional_mutual_information,
    entropy,
    leakage_by_output,
    leakage_with_background,
    mutual_information,
)
from leakgauge.measures.zero_leakage import zero_leakage_test

__all__ = [
    "MEASURES",
    "Estimator",
    "Unit",
    "anonymity",
    "background_floor",
    "basic",
    "capacities",
    "conditional_entropy",
    "conditional_entropy_with_background",
    "conditional_information_of_numbers",
    "conditional_mutual_information",
    "differential_entropy",
    "divergences",
    "entropy",
    "estimate",
    "guessing",
    "is_perfect",
    "leakage_by_output",
    "leakage_with_background",
    "mutual_information",
    "mutual_information_of_numbers",
    "rank",
    "rank_attacks",
    "renyi",
    "vulnerability",
    "zero_leakage_test",
]

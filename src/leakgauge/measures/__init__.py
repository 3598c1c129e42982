"""Measures of leakage: one file a family.

Shannon's measures are at the top of the room; the other families speak the same verbs, ``prior``,
``posterior`` and ``leakage``: ``measures.renyi``, ``measures.vulnerability``, ``measures.guessing``,
``measures.anonymity``; ``measures.divergences`` compares two distributions.
"""

from leakgauge.measures import anonymity, divergences, guessing, renyi, vulnerability
from leakgauge.measures.ranking import Ranking, is_perfect, rank, rank_attacks
from leakgauge.measures.shannon import (
    Basic,
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
from leakgauge.measures.units import Unit

__all__ = [
    "Basic",
    "Ranking",
    "Unit",
    "anonymity",
    "background_floor",
    "basic",
    "conditional_entropy",
    "conditional_entropy_with_background",
    "conditional_mutual_information",
    "divergences",
    "entropy",
    "guessing",
    "is_perfect",
    "leakage_by_output",
    "leakage_with_background",
    "mutual_information",
    "rank",
    "rank_attacks",
    "renyi",
    "vulnerability",
]

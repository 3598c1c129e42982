"""Every measure of a scenario by its name."""

from __future__ import annotations

from typing import Final

from leakgauge.measures import anonymity, guessing, renyi, shannon, vulnerability
from leakgauge.measures.terms import Measure

MEASURES: Final[dict[str, Measure]] = {
    "entropy": shannon.entropy,
    "conditional_entropy": shannon.conditional_entropy,
    "mutual_information": shannon.mutual_information,
    "background_floor": shannon.background_floor,
    "conditional_mutual_information": shannon.conditional_mutual_information,
    "leakage_with_background": shannon.leakage_with_background,
    "conditional_entropy_with_background": shannon.conditional_entropy_with_background,
    "renyi.prior": renyi.prior,
    "renyi.posterior": renyi.posterior,
    "renyi.leakage": renyi.leakage,
    "vulnerability.prior": vulnerability.prior,
    "vulnerability.posterior": vulnerability.posterior,
    "vulnerability.leakage": vulnerability.leakage,
    "vulnerability.additive_leakage": vulnerability.additive_leakage,
    "guessing.prior": guessing.prior,
    "guessing.posterior": guessing.posterior,
    "guessing.leakage": guessing.leakage,
    "anonymity.prior": anonymity.prior,
    "anonymity.posterior": anonymity.posterior,
    "anonymity.leakage": anonymity.leakage,
    "anonymity.normalised_entropy": anonymity.normalised_entropy,
}
"""``estimate`` takes any of them. A new one is a function in the file of its
family, a line here and a row in ``docs/reference/measures.md``."""

"""Every measure of a scenario by its name."""

from __future__ import annotations

from typing import Final

from leakgauge.measures import anonymity, guessing, renyi, vulnerability
from leakgauge.measures.terms import FORMULAS, Measure

_FAMILIES = {"renyi": renyi, "vulnerability": vulnerability, "guessing": guessing, "anonymity": anonymity}

MEASURES: Final[dict[str, Measure]] = {
    **{measure.__name__: measure for measure in FORMULAS},
    **{
        f"{name}.{verb}": getattr(family, verb)
        for name, family in _FAMILIES.items()
        for verb in ("prior", "posterior", "leakage")
    },
    "vulnerability.additive_leakage": vulnerability.additive_leakage,
    "anonymity.normalised_entropy": anonymity.normalised_entropy,
}
"""``estimate`` takes any of them. A new one is a function in the file of its
family, a line here and a row in ``docs/reference/measures.md``."""

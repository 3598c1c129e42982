"""Entropy in familiar terms: as a share of its maximum, or as the size of a crowd to hide in.

References: Diaz et al. and Serjantov and Danezis, both Privacy Enhancing Technologies 2002.
"""

from __future__ import annotations

import math

from leakgauge.arguments import checked
from leakgauge.measures import renyi
from leakgauge.measures.information import Unit
from leakgauge.probability import Distribution, Scenario, Seen


@checked
def normalised_entropy(source: Scenario | Distribution) -> float:
    """H(X) / log |X|, between 0 (known) and 1 (uniform); 0 for a single letter, which hides nothing."""
    distribution = source if isinstance(source, Distribution) else source.source
    if len(distribution) == 1:
        return 0.0
    return min(renyi.prior(distribution, 1, Unit.NATS) / math.log(len(distribution)), 1.0)


@checked
def prior(source: Scenario | Distribution) -> float:
    """2^H(X), how many equally likely secrets would be as uncertain: the effective anonymity set."""
    return math.exp(renyi.prior(source, 1, Unit.NATS))


@checked
def posterior(scenario: Scenario, seen: Seen = Seen.RELEASE) -> float:
    """2^H(X|Y), the effective anonymity set that is left after the release is seen."""
    return math.exp(renyi.posterior(scenario, 1, seen, Unit.NATS))


@checked
def leakage(scenario: Scenario, seen: Seen = Seen.RELEASE) -> float:
    """By which factor seeing shrinks the effective anonymity set; at least 1."""
    return max(prior(scenario) / posterior(scenario, seen), 1.0)

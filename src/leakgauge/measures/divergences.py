"""How far two distributions over the same outcomes are apart.

References: Csiszár 1967; van Erven and Harremoës, Rényi divergence and Kullback–Leibler divergence, 2014.
"""

from __future__ import annotations

import math

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.measures.information import Unit, renyi_of_laws, require_order
from leakgauge.probability import Distribution
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import same_alphabet


@checked
def total_variation(p: Distribution, q: Distribution) -> float:
    """½ Σ |p − q|, the largest difference in the probability of any event."""
    a, b = _aligned(p, q)
    return min(float(np.abs(a - b).sum()) / 2, 1.0)


@checked
def hockey_stick(p: Distribution, q: Distribution, epsilon: float) -> float:
    """Σ max(p − e^ε q, 0): the smallest δ for which p is within (ε, δ) of q; ε in nats."""
    if not epsilon >= 0:
        raise OptionError("An ε of {epsilon} is not at least 0; give one that is.", epsilon=epsilon)
    a, b = _aligned(p, q)
    if epsilon == math.inf:
        return float(a[b == 0].sum())
    with np.errstate(over="ignore"):
        # e^ε may overflow to infinity; 0 · ∞ then stands for an outcome q never shows.
        scaled = np.where(b > 0, b * np.exp(epsilon), 0.0)
    return min(float(np.maximum(a - scaled, 0).sum()), 1.0)


@checked
def kullback_leibler(p: Distribution, q: Distribution, unit: Unit = Unit.BITS) -> float:
    """KL(p ‖ q) = Σ p log p/q, in bits; infinite where p shows an outcome that q never does."""
    return renyi(p, q, 1.0, unit)


@checked
def renyi(p: Distribution, q: Distribution, order: float, unit: Unit = Unit.BITS) -> float:
    """D_α(p ‖ q) = log Σ p^α q^(1−α) / (α − 1), in bits; α = 1 is Kullback–Leibler, α = ∞ the largest ratio."""
    return unit.of_nats(float(renyi_of_laws(*_aligned(p, q), require_order(order))))


@checked
def jensen_shannon(p: Distribution, q: Distribution, unit: Unit = Unit.BITS) -> float:
    """Mean Kullback–Leibler divergence of p and q from their midpoint, in bits; at most 1 bit."""
    a, b = _aligned(p, q)
    middle = Distribution(p.outcomes, (a + b) / 2)
    return min((kullback_leibler(p, middle, unit) + kullback_leibler(q, middle, unit)) / 2, unit.of_nats(math.log(2)))


def _aligned(p: Distribution, q: Distribution) -> tuple[Floats, Floats]:
    same_alphabet(p.outcomes, q.outcomes, "outcomes of the first distribution", "outcomes of the second")
    return p.probabilities, q.probabilities

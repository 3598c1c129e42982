"""Rényi's family: entropies of order α, with min-entropy at α = ∞ and Hartley's at α = 0.

Conditional entropy is Arimoto's, which never exceeds the unconditional one and equals the field's min-entropy
leakage at α = ∞.

References: Rényi 1961; Arimoto 1977; Fehr and Berens, On the conditional Rényi entropy, IEEE Trans. Inf.
Theory 60(11), 2014; Smith, On the foundations of quantitative information flow, 2009.
"""

from __future__ import annotations

import math

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.measures.information import Unit, remaining, unweighted_cells
from leakgauge.probability import Distribution, Scenario, Seen, View
from leakgauge.probability.cells import Cells, DenseCells, Floats


@checked
def prior(source: Scenario | Distribution, order: float = math.inf, unit: Unit = Unit.BITS) -> float:
    """H_α(X) = log Σ p^α / (1 − α), in bits; by default min-entropy −log max p.

    Example:
        >>> prior(Distribution(["a", "b", "c"], [0.5, 0.25, 0.25]))
        1.0
    """
    distribution = source if isinstance(source, Distribution) else source.source
    column = DenseCells(distribution.probabilities[:, None])
    return unit.of_nats(_arimoto(column, _checked(order)))


@checked
def posterior(scenario: Scenario, order: float = math.inf, seen: Seen = Seen.RELEASE, unit: Unit = Unit.BITS) -> float:
    """H_α(X|Y) after Arimoto, in bits: α/(1−α) · log Σ_y (Σ_x p(x,y)^α)^(1/α)."""
    cells = unweighted_cells(scenario, seen, "Rényi entropy")
    return unit.of_nats(_arimoto(cells, _checked(order)))


@checked
def leakage(scenario: Scenario, order: float = math.inf, seen: Seen = Seen.RELEASE, unit: Unit = Unit.BITS) -> float:
    """H_α(X) − H_α(X|Y), never negative, in bits; by default min-entropy leakage."""
    return max(prior(scenario, order, unit) - posterior(scenario, order, seen, unit), 0.0)


def _checked(order: float) -> float:
    if not order >= 0:
        raise OptionError("An order of {order} is not defined; Rényi's orders run from 0 to infinity.", order=order)
    return float(order)


def _arimoto(cells: Cells, order: float) -> float:
    if order == 0:
        support = cells.column_sums((cells.values > 0).astype(np.float64))
        return math.log(support.max())
    if order == 1:
        return remaining(View(cells, None))
    maxima = cells.column_maxima()
    if order == math.inf:
        return max(-math.log(maxima.sum()), 0.0)
    # (Σ p^α)^(1/α) = max · (Σ (p/max)^α)^(1/α): no power underflows or overflows.
    scaled = _divide(cells.values, cells.across_columns(maxima))
    norms = cells.column_sums(np.where(scaled > 0, scaled, 1.0) ** order * (scaled > 0))
    positive = maxima > 0
    log_norms = np.log(maxima[positive]) + np.log(norms[positive]) / order
    peak = float(log_norms.max())
    total = peak + math.log(np.exp(log_norms - peak).sum())
    return min(max(order / (1 - order) * total, 0.0), math.log(cells.shape[0]))


def _divide(values: Floats, by: Floats) -> Floats:
    return np.divide(values, by, where=by > 0, out=np.zeros(values.shape))

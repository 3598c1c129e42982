"""Rényi's family: entropies of order α, with min-entropy at α = ∞ and Hartley's at α = 0.

Conditional entropy is Arimoto's, which never exceeds the unconditional one and equals the field's min-entropy
leakage at α = ∞.

Sibson's mutual information of order ∞ is maximal leakage and needs no prior.

References: Rényi 1961; Arimoto 1977; Fehr and Berens, On the conditional Rényi entropy, IEEE Trans. Inf.
Theory 60(11), 2014; Smith, On the foundations of quantitative information flow, 2009; Sibson 1969;
Verdú, α-mutual information, 2015; Issa, Wagner and Kamath, An operational approach to information leakage, IEEE Trans.
Inf. Theory 66(3), 2020.
"""

from __future__ import annotations

import math

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.measures.information import Unit, prior_cells, quotient, remaining, require_order, unweighted_cells
from leakgauge.measures.shannon import mutual_information
from leakgauge.probability import Channel, Distribution, Scenario, Seen
from leakgauge.probability.cells import Cells
from leakgauge.probability.scenario import View


@checked
def prior(source: Scenario | Distribution, order: float = math.inf, unit: Unit = Unit.BITS) -> float:
    """H_α(X) = log Σ p^α / (1 − α), in bits; by default min-entropy −log max p.

    Example:
        >>> prior(Distribution(["a", "b", "c"], [0.5, 0.25, 0.25]))
        1.0
    """
    return unit.of_nats(_arimoto(prior_cells(source), require_order(order)))


@checked
def posterior(scenario: Scenario, order: float = math.inf, seen: Seen = Seen.RELEASE, unit: Unit = Unit.BITS) -> float:
    """H_α(X|Y) after Arimoto, in bits: α/(1−α) · log Σ_y (Σ_x p(x,y)^α)^(1/α)."""
    cells = unweighted_cells(scenario, seen, "Rényi entropy")
    return unit.of_nats(_arimoto(cells, require_order(order)))


@checked
def leakage(scenario: Scenario, order: float = math.inf, seen: Seen = Seen.RELEASE, unit: Unit = Unit.BITS) -> float:
    """H_α(X) − H_α(X|Y), never negative, in bits; by default min-entropy leakage."""
    return max(prior(scenario, order, unit) - posterior(scenario, order, seen, unit), 0.0)


@checked
def sibson_leakage(channel: Channel, prior: Distribution, order: float, unit: Unit = Unit.BITS) -> float:
    """I_α(X;Y) = α/(α−1) · log Σ_y (Σ_x p(x) q(y|x)^α)^(1/α), in bits; grows with α, Shannon's at α = 1."""
    if not order > 0:
        raise OptionError("An order of {order} is not defined; Sibson's orders are above 0.", order=order)
    if order == 1:
        return mutual_information(Scenario(prior, channel), unit)
    Scenario(prior, channel)  # refuses a prior over other letters
    possible = prior.probabilities > 0
    p, q = prior.probabilities[possible], channel.matrix[possible]
    largest = q.max(axis=0)
    if order == math.inf:
        return unit.of_nats(max(math.log(largest.sum()), 0.0))
    seen = largest > 0
    # Divided by the column's maximum first, so that no power underflows to a false zero.
    powers = p @ (q[:, seen] / largest[seen]) ** order
    total = float((largest[seen] * powers ** (1 / order)).sum())
    return unit.of_nats(max(order / (order - 1) * math.log(total), 0.0))


@checked
def maximal_leakage(channel: Channel, unit: Unit = Unit.BITS) -> float:
    """log Σ_y max_x q(y|x), in bits: the most that any prior and any guess about the secret can gain."""
    return unit.of_nats(max(math.log(channel.cells.column_maxima().sum()), 0.0))


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
    scaled = quotient(cells.values, cells.across_columns(maxima))
    norms = cells.column_sums(np.where(scaled > 0, scaled, 1.0) ** order * (scaled > 0))
    positive = maxima > 0
    log_norms = np.log(maxima[positive]) + np.log(norms[positive]) / order
    peak = float(log_norms.max())
    total = peak + math.log(np.exp(log_norms - peak).sum())
    return min(max(order / (1 - order) * total, 0.0), math.log(cells.shape[0]))

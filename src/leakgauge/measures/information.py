"""Amounts of information: their unit, and sums in nats over the secret against what is seen, shared by the families."""

from __future__ import annotations

import math
from enum import Enum

import numpy as np

from leakgauge.errors import ModelError, OptionError
from leakgauge.probability import Distribution, Scenario, Seen
from leakgauge.probability.cells import Cells, DenseCells, Floats, log_or_zero
from leakgauge.probability.scenario import View


class Unit(Enum):
    """A unit of information, by the nats in one of it."""

    BITS = math.log(2)
    NATS = 1.0

    def of_nats(self, nats: float) -> float:
        """An amount of nats in this unit, never a negative zero."""
        return float(nats) / self.value + 0.0


def quotient(a: Floats, b: Floats) -> Floats:
    """a / b, and 0 where b is 0."""
    return np.divide(a, b, where=b > 0, out=np.zeros(np.broadcast_shapes(np.shape(a), np.shape(b))))


def prior_cells(source: Scenario | Distribution) -> Cells:
    """p(x) as one column."""
    distribution = source if isinstance(source, Distribution) else source.source
    return DenseCells(distribution.probabilities[:, None])


def weighted(view: View, values: Floats) -> Floats:
    """The values, laid out like the cells, each times its weight."""
    return values if view.weights is None else values * view.weights


def gains(view: View) -> Floats:
    """w p log p / (p(x) p(seen)) for each cell, from logarithms so that nothing underflows."""
    cells = view.cells
    ratio = log_or_zero(cells.values)
    ratio -= cells.across_rows(log_or_zero(cells.row_sums()))
    ratio -= cells.across_columns(log_or_zero(cells.column_sums()))
    ratio *= cells.values
    return weighted(view, ratio)


def remaining(view: View) -> float:
    """−Σ w p log p(x|seen), the uncertainty left."""
    cells = view.cells
    ratio = log_or_zero(cells.values)
    ratio -= cells.across_columns(log_or_zero(cells.column_sums()))
    ratio *= cells.values
    return max(float(-weighted(view, ratio).sum()), 0.0)


def unweighted_cells(scenario: Scenario, seen: Seen, measure: str) -> Cells:
    """The secret against what is seen, refused where weights would be ignored without a word."""
    if scenario.weights is not None:
        raise ModelError(
            "{measure} has no weighted form; use scenario.without_weights(), or g-vulnerability with your own gains.",
            measure=measure,
        )
    return scenario.view(seen).cells


def renyi_of_laws(p: Floats, q: Floats, order: float) -> Floats:
    """D_α(p ‖ q) in nats of laws along the last axis, for many at once."""
    both = (p > 0) & (q > 0)
    # From order 1 on, what q never shows is enough; below, only laws that share nothing are infinitely far apart.
    apart = np.any((p > 0) & (q == 0), axis=-1) if order >= 1 else ~both.any(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_p, log_q = np.log(p), np.log(q)
        if order == 1:
            found = np.where(both, p * (log_p - log_q), 0.0).sum(axis=-1)
        elif order == math.inf:
            found = np.where(both, log_p - log_q, -math.inf).max(axis=-1)
        else:
            exponents = np.where(both, order * log_p + (1 - order) * log_q, -math.inf)
            peak = exponents.max(axis=-1, keepdims=True)
            found = (peak[..., 0] + np.log(np.exp(exponents - peak).sum(axis=-1))) / (order - 1)
    return np.where(apart, math.inf, np.maximum(found, 0.0))


def require_order(order: float) -> float:
    """The order of an entropy or a divergence, refused below 0."""
    if not order >= 0:
        raise OptionError("An order of {order} is not defined; Rényi's orders run from 0 to infinity.", order=order)
    return float(order)

"""Every bound on what a sequence spends, from parts that are computed once: ε at a δ, δ at an ε, powers of tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

import numpy as np

from leakgauge.mechanisms.steps import renyi_curves
from leakgauge.mechanisms.steps.known import KnownChannel
from leakgauge.mechanisms.steps.losses import GaussianLoss, Part
from leakgauge.notions.composition import exact, transform
from leakgauge.notions.composition.groups import Spent, assignments, pure_epsilon, rows_met
from leakgauge.notions.composition.law import LossLaw, at_least_one, left_of
from leakgauge.notions.formulas import approximate_of_gaussian, delta_of_gaussian
from leakgauge.probability.cells import Floats

FINEST, COARSEST = 3e-6, 1e-4
"""The grid of losses, as a share of what the whole sequence spends."""
WITHOUT_SCALE = 1e-3
"""The grid in nats where nothing finite is proved yet."""
TYPICAL_DELTA = 1e-6
"""The δ at which the scale of the grid is read off; any would be sound."""


class Method(StrEnum):
    """The method that proves an ε; of two that agree, the earlier one."""

    EXACT = "exact"
    ZCDP = "zCDP"
    RENYI = "Rényi DP"
    BASIC = "basic"
    LOSS_DISTRIBUTION = "privacy loss distribution"


@dataclass(frozen=True)
class Bounds:
    """What is proved of a sequence, given as groups of equal steps."""

    groups: tuple[Spent, ...]
    _curve_epsilons: dict[tuple[int, float], float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def epsilons_at(self, delta: float, *, every: bool) -> dict[Method, float]:
        """The ε in nats of each method at δ; without ``every`` no loss distribution beside an exact law."""
        whole = self._exact_epsilon(delta)
        bounds = {} if whole is None else {Method.EXACT: whole}
        bounds[Method.BASIC] = self._basic(delta)
        if delta == 0:
            return bounds
        if self.rho < math.inf:
            bounds[Method.ZCDP] = renyi_curves.epsilon_at(lambda orders: orders * self.rho, delta)
        renyi = self._by_curves(self.groups, delta)
        if renyi < math.inf:
            bounds[Method.RENYI] = renyi
        # One step alone composes with nothing: its worst case is known.
        alone = whole is not None and sum(spent.count for spent in self.groups) == 1
        if not alone and (every or whole is None) and self._grid_laws is not None:
            losing = max((law.epsilon_at(delta) for law in self._grid_laws), default=0.0)
            if losing < math.inf:
                bounds[Method.LOSS_DISTRIBUTION] = losing * (1 + 1e-12)
        return bounds

    def epsilon_at(self, delta: float) -> float:
        """The ε in nats at δ by the method that is the best almost always, without trying the others."""
        if delta > 0 and self._gaussian is None and self._laws is not None:
            found = max((law.epsilon_at(delta) for law in self._laws), default=0.0)
            if found < math.inf:
                return min(found * (1 + 1e-12), self._basic(0.0))
        return min(self.epsilons_at(delta, every=False).values())

    def deltas_at(self, epsilons: Floats) -> Floats:
        """The smallest proved δ at each ε of at least 0, in nats."""
        pure = self._basic(0.0)
        # An infinite one proves nothing, even at an infinite ε.
        proved = (epsilons >= pure) & (pure < math.inf)
        found = np.where(proved, 0.0, self._deltas_by_curves(epsilons))
        if self._gaussian is not None:
            return np.minimum(found, [delta_of_gaussian(self._gaussian, epsilon) for epsilon in epsilons.tolist()])
        laws = self._laws
        if laws is None:
            return found
        by_losses = np.max([law.deltas_at(epsilons) for law in laws], axis=0) if laws else np.zeros(len(epsilons))
        return np.minimum(found, by_losses)

    def powers_at(self, rates: Floats) -> Floats:
        """The largest power of a test of neighbours at each rate of false positives, from above."""
        from scipy.special import ndtr, ndtri

        if self._gaussian is not None:
            return np.asarray(np.clip(ndtr(ndtri(rates) + self._gaussian) * (1 + 1e-12), rates, 1.0))
        found = self._powers_by_deltas(rates)
        laws = self._laws
        if laws is None:
            return found
        by_losses = np.max([law.powers_at(rates) for law in laws], axis=0) if laws else rates
        return np.minimum(found, by_losses)

    @property
    def rho(self) -> float:
        """The zCDP level in nats."""
        return sum(spent.count * spent.rho() for spent in self.groups)

    def renyi(self, orders: Floats) -> Floats:
        """The Rényi-DP curve in nats."""
        return _curve(self.groups, orders)

    def renyi_at(self, order: float) -> float:
        """The Rényi-DP level at one order, in nats, rounded up."""
        return float(self.renyi(np.array([order]))[0]) * (1 + 1e-12)

    def information(self) -> float:
        """A bound in nats on I(X_i;Y|X_−i) of a record, under any prior: by the chain rule runs add up."""
        return math.fsum(spent.count * spent.information() for spent in self.groups)

    @cached_property
    def reach(self) -> float:
        """An ε in nats beyond which nothing of interest happens: the sum of all, or where δ is below 10^-15."""
        pure = self._basic(0.0)
        bound = min(pure, min(self.epsilons_at(1e-12, every=False).values()))
        return bound if 0 < bound < math.inf else 1.0

    def _exact_epsilon(self, delta: float) -> float | None:
        if self._gaussian is not None:
            return (
                approximate_of_gaussian(self._gaussian, delta) if delta > 0 else (math.inf if self._gaussian else 0.0)
            )
        if delta == 0:
            known = all(isinstance(spent.step, KnownChannel) for spent in self.groups)
            return pure_epsilon(self.groups) if known else None
        laws = self._exact_laws
        if laws is None:
            return None
        found = max((law.epsilon_at(delta) for law in laws), default=0.0)
        # A finite zCDP level says that ε is finite: tails that were cut off, and count as infinite, hide it.
        return None if found == math.inf and self.rho < math.inf else found

    @cached_property
    def _gaussian(self) -> float | None:
        return exact.gaussian(self.groups)

    @cached_property
    def _exact_laws(self) -> tuple[LossLaw, ...] | None:
        return exact.laws(self.groups)

    @property
    def _laws(self) -> tuple[LossLaw, ...] | None:
        """The best laws there are: exact ones, or on a grid."""
        return self._grid_laws if self._exact_laws is None else self._exact_laws

    @cached_property
    def _grid_laws(self) -> tuple[LossLaw, ...] | None:
        losing = [spent for spent in self.groups if spent.rho() > 0]
        choices, interval = assignments(losing), self._interval()
        laws: list[LossLaw] = []
        # With too many choices of pairs every channel is taken at its worst, by its largest curve.
        for met in [None] if choices is None else choices:
            parts = [spent.part(None if met is None else rows_met(spent, met)) for spent in losing]
            known = [part for part in parts if part is not None]
            if len(known) < len(parts):
                return None
            laws.extend(transform.composed(_gaussians_as_one(known), interval) if known else ())
        return tuple(laws)

    def _interval(self) -> float:
        """The grid in nats: a fiftieth of a typical step's spread, within bounds set by the whole."""
        variance = sum(spent.count * spent.spread() for spent in self.groups)
        count = sum(spent.count for spent in self.groups)
        if not 0 < variance < math.inf:
            return WITHOUT_SCALE
        orders, levels = self._levels
        proved = min(self._claimed[0], renyi_curves.epsilons_at(levels, orders, TYPICAL_DELTA).min())
        scale = math.sqrt(variance) if proved == math.inf else max(proved, math.sqrt(variance))
        # A grid h adds at most h²/4 to the variance of one step.
        return min(max(math.sqrt(variance / count) / 50, FINEST * scale), COARSEST * scale)

    def _basic(self, delta: float) -> float:
        linear = [(spent, *spent.approximate()) for spent in self.groups]
        left = left_of(delta, at_least_one((d, spent.count) for spent, e, d in linear if e < math.inf))
        curved = tuple(spent for spent, e, _ in linear if e == math.inf)
        total = math.fsum(spent.count * e for spent, e, _ in linear if e < math.inf)
        if left is None or (curved and left == 0):
            return math.inf
        return total + self._by_curves(curved, left) if curved else total

    def _by_curves(self, groups: tuple[Spent, ...], delta: float) -> float:
        # All groups, or those without a claim at δ: one of each length, and often the same.
        known = self._curve_epsilons
        if (len(groups), delta) not in known:
            known[len(groups), delta] = renyi_curves.epsilon_at(
                lambda orders: _curve(groups, orders), delta, _corners(groups)
            )
        return known[len(groups), delta]

    @cached_property
    def _levels(self) -> tuple[Floats, Floats]:
        orders = renyi_curves.looked_at(_corners(self.groups))
        return orders, self.renyi(orders)

    @cached_property
    def _claimed(self) -> tuple[float, float]:
        """(Σ ε in nats, the δ at which it holds) of claims; infinite where a step has none."""
        linear = [(*spent.approximate(), spent.count) for spent in self.groups]
        return math.fsum(e * count for e, _, count in linear), float(at_least_one((d, count) for _, d, count in linear))

    def _deltas_by_curves(self, epsilons: Floats) -> Floats:
        orders, levels = self._levels
        epsilon, delta = self._claimed
        found = np.array([renyi_curves.delta_at(levels, orders, one) for one in epsilons.tolist()])
        return np.asarray(np.minimum(found, np.where((epsilons >= epsilon) & (epsilon < math.inf), delta, 1.0)))

    def _powers_by_deltas(self, rates: Floats) -> Floats:
        """From δ at some ε: power ≤ e^ε · rate + δ and, the neighbours exchanged, 1 − rate ≤ e^ε · (1 − power) + δ."""
        # Up to 700, where e^ε leaves the range of floats; every ε gives a bound.
        epsilons = np.minimum(np.append(np.linspace(0.0, self.reach, 400), self._claimed[0]), 700.0)
        deltas, factors = self._deltas_by_curves(epsilons), np.exp(epsilons)
        one = (factors * rates[:, None] + deltas).min(axis=1)
        other = (1 - (1 - rates[:, None] - deltas) / factors).min(axis=1)
        return np.asarray(np.clip(np.minimum(one, other) * (1 + 1e-12), rates, 1.0))


def _curve(groups: Sequence[Spent], orders: Floats) -> Floats:
    every = orders is renyi_curves.ORDERS
    curves = (spent.count * (spent.levels if every else spent.renyi(orders)) for spent in groups)
    return sum(curves, np.zeros(orders.shape))


def _corners(groups: Sequence[Spent]) -> list[float]:
    return [order for spent in groups for order in spent.step.corners()]


def _gaussians_as_one(parts: Sequence[Part]) -> list[Part]:
    mu_squared = sum(part.count * part.loss.mu**2 for part in parts if part.loss.mu is not None)
    others = [part for part in parts if part.loss.mu is None]
    return [Part(GaussianLoss(math.sqrt(mu_squared)), 1), *others] if mu_squared else others

"""What a group of equal steps spends once sampling and the kind of neighbours are taken into account.

For replaced records Poisson sampling leaves ε and multiplies δ(ε) by p: with probability 1 − p both data sets give
the same output law, which may show that the record was not drawn. For added or removed records the amplification
of Balle, Barthe and Gaboardi (Privacy amplification by subsampling, 2018) and, for
loss distributions, of Zhu, Dong and Wang (2022) holds as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from leakgauge.errors import ModelError
from leakgauge.mechanisms.steps import renyi_curves
from leakgauge.mechanisms.steps.losses import CurveLoss, GaussianLoss, Part, curve_of_rows
from leakgauge.mechanisms.steps.step import LARGEST_EXACT_LOSS, Pair, Step, worst_pair
from leakgauge.notions.composition.neighbours import Neighbours
from leakgauge.probability.cells import Floats


def amplified_epsilon(epsilon: float, probability: float) -> float:
    """ln(1 + p(e^ε − 1)) in nats: Poisson sampling of an ε-DP mechanism, records added or removed."""
    if epsilon > 30:
        return epsilon + math.log(probability + (1 - probability) * math.exp(-epsilon))
    return math.log1p(probability * math.expm1(epsilon))


@dataclass(frozen=True)
class Spent:
    """A step, how often it occurs in all, and for which neighbours it is accounted."""

    step: Step
    count: int
    neighbours: Neighbours

    def __post_init__(self) -> None:
        if self.amplifies and not self.step.names_a_missing_record:
            raise ModelError(
                "{kind} has no law for a missing record, so sampling cannot be accounted when records are added or "
                "removed; give it as a channel whose rows already mix in what it shows for a missing record.",
                kind=type(self.step).__name__,
            )

    @property
    def probability(self) -> float:
        """With which a record is seen."""
        return self.step.sampling_probability

    @property
    def amplifies(self) -> bool:
        """Whether sampling lowers ε and not only δ."""
        return self.probability < 1 and self.neighbours is Neighbours.ADD_OR_REMOVE_ONE

    def approximate(self) -> tuple[float, float]:
        """(ε in nats, δ) of one run."""
        epsilon, delta = self.step.approximate()
        return amplified_epsilon(epsilon, self.probability) if self.amplifies else epsilon, self.probability * delta

    def rho(self) -> float:
        """zCDP level of one run in nats; sampling never raises it, divergences being quasi-convex."""
        epsilon, delta = self.approximate()
        from_pure = epsilon * math.tanh(epsilon / 2) if delta == 0 else math.inf
        return min(self.step.rho(), from_pure)

    def renyi(self, orders: Floats) -> Floats:
        """Rényi-DP curve of one run in nats."""
        curve = self.step.renyi(orders)
        if self.probability == 1:
            return curve
        curve = renyi_curves.seen_sometimes(curve, orders, self.probability)
        if not self.amplifies:
            return curve
        loss = self.step.loss()
        if isinstance(loss, GaussianLoss):
            return np.minimum(curve, renyi_curves.sampled_gaussian(loss.mu, self.probability, orders))
        epsilon, delta = self.approximate()
        return curve if delta > 0 else np.minimum(curve, renyi_curves.pure(epsilon, orders))

    def spread(self) -> float:
        """About the variance of one run's finite losses, in squared nats; only the accountant's grid depends on it."""
        variance = float(self.renyi(np.array([2.0]))[0])
        if variance < math.inf:
            return variance
        loss, (epsilon, _) = self.step.loss(), self.approximate()
        if isinstance(loss, CurveLoss) and epsilon == math.inf:
            epsilon = float(np.abs(loss.bends).max(initial=0.0))
        return epsilon * math.tanh(epsilon / 2)

    def pair(self) -> Pair | None:
        """Two finite laws that are the worst case of one run; None where there are none."""
        pair = self.step.pair()
        if pair is None or self.probability == 1:
            return pair
        if self.amplifies:
            return worst_pair(*self.approximate())
        # One more letter: "not drawn".
        p, q = (np.append(self.probability * law, 1 - self.probability) for law in pair)
        return p, q

    def part(self) -> Part | None:
        """The loss of all runs, for the accountant."""
        loss = self.step.loss()
        if loss is None:
            epsilon, delta = self.approximate()
            if not self.amplifies or epsilon > LARGEST_EXACT_LOSS:
                return None
            return Part(curve_of_rows(np.array(worst_pair(epsilon, delta))), self.count)
        if not self.amplifies:
            return Part(loss, self.count, seen=self.probability)
        if isinstance(loss, CurveLoss):
            # The curve says nothing of the law without the record; the amplified (ε, δ) does.
            return Part(curve_of_rows(np.array(worst_pair(*self.approximate()))), self.count)
        return Part(loss, self.count, amplified=self.probability)

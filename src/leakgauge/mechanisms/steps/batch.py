"""A mechanism that sees a batch of fixed size, drawn without replacement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leakgauge.arguments import check_fields
from leakgauge.errors import OptionError
from leakgauge.mechanisms.steps import renyi_curves
from leakgauge.mechanisms.steps.losses import Batched, Loss
from leakgauge.mechanisms.steps.step import Step, amplified_epsilon, require_whole
from leakgauge.probability.cells import Floats


@dataclass(frozen=True)
class Batch(Step):
    """A step on ``size`` of ``population`` records, drawn anew for each run, uniformly and without replacement.

    What the step says must hold for replaced records, and so does what comes out. (A ``sampling_probability`` draws
    each record by itself instead; such a sample has no fixed size.) The worst case is known by its curve.

    Raises:
        OptionError: a batch that is empty or larger than the population, or a step that is counted or sampled itself.
    """

    step: Step
    size: int
    population: int
    names_a_missing_record = False
    needs_replaced_records = True
    has_pair = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(self)
        require_whole(self.size, 1, "A batch size")
        if self.size > self.population:
            raise OptionError(
                "A batch of {size} records is larger than the population of {population}; give a smaller one.",
                size=self.size,
                population=self.population,
            )
        if self.step.count > 1 or self.step.sampling_probability < 1 or self.sampling_probability < 1:
            raise OptionError("A batch is drawn for one run of a step that is not sampled; give the batch the count.")

    @property
    def share(self) -> float:
        """The chance that a record is in the batch."""
        return self.size / self.population

    def pure_epsilon(self) -> float:
        return amplified_epsilon(self.step.pure_epsilon(), self.share)

    def approximate(self) -> tuple[float, float]:
        epsilon, delta = self.step.approximate()
        return amplified_epsilon(epsilon, self.share), self.share * delta

    def rho(self) -> float:
        """In nats; sampling never raises it, divergences being quasi-convex."""
        return min(self.step.rho(), super().rho())

    def renyi(self, orders: Floats) -> Floats:
        curve = renyi_curves.pure(self.pure_epsilon(), orders)
        known = self.step.renyi(orders)
        if self.share == 1:
            return np.minimum(curve, known)
        curve = np.minimum(curve, renyi_curves.seen_sometimes(known, orders, self.share))
        fixed = renyi_curves.fixed_size(self.step.renyi, self.step.pure_epsilon(), self.share, orders)
        return np.minimum(curve, fixed)

    def corners(self) -> tuple[float, ...]:
        return self.step.corners()

    def loss(self) -> Loss | None:
        loss = self.step.loss()
        return loss if loss is None or self.share == 1 else Batched(loss, self.share)

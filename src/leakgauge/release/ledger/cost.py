"""What steps cost: sums of ε and ρ that never come out too small."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from functools import cached_property

from leakgauge.claims import ZeroConcentratedDP
from leakgauge.errors import ModelError, OptionError
from leakgauge.mechanisms.steps import Claimed, KnownChannel, Step
from leakgauge.notions.composition import Neighbours

_UP = Context(prec=40, rounding=ROUND_CEILING)
"""Forty digits, rounded up: sums err towards spending more, by less than anybody can notice."""
_ROUNDING = 2.0**-50
"""What a few operations on floats may have taken from a computed level, relatively."""
_LEAST = math.ulp(0.0)


@dataclass(frozen=True)
class Total:
    """Sums of ε and ρ in nats, in decimals: ten times 0.1 is 1, not one unit in the last place more or less."""

    epsilon: Decimal = Decimal(0)
    rho: Decimal = Decimal(0)

    def plus(self, other: Total) -> Total:
        """Both together, rounded up."""
        return Total(_UP.add(self.epsilon, other.epsilon), _UP.add(self.rho, other.rho))

    @property
    def is_nothing(self) -> bool:
        """Whether what was seen so far did not depend on the data at all."""
        return not self.epsilon


@dataclass(frozen=True)
class Cost:
    """The steps one release takes; all of them see the same row, so that columns of one row add up.

    Sampling is left out of account: a step that sees a row with some probability costs as if it saw it always,
    which is never too little.

    Raises:
        OptionError: no steps, or something that is not a step.
    """

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.steps, tuple) or not self.steps:
            raise OptionError("A cost has no steps; give a tuple with at least one, or spend nothing.")
        for step in self.steps:
            if not isinstance(step, Step):
                raise OptionError(
                    "A cost is made of steps of a composition, not of {kind}; wrap a claim in Claimed.",
                    kind=type(step).__name__,
                )

    @property
    def epsilon(self) -> float:
        """Σ ε of all steps in nats, rounded up; infinite where a step has none."""
        return as_float(self.total.epsilon)

    @property
    def rho(self) -> float:
        """Σ ρ of all steps in nats, rounded up; infinite where a step has none."""
        return as_float(self.total.rho)

    @cached_property
    def total(self) -> Total:
        """Both sums."""
        total = Total()
        for step in self.steps:
            one = Total(as_decimal(pure_epsilon(step)), as_decimal(_rho(step)))
            count = Decimal(step.count)
            total = total.plus(Total(_UP.multiply(count, one.epsilon), _UP.multiply(count, one.rho)))
        return total

    def require_known_for(self, neighbours: Neighbours) -> None:
        """Refuse steps that say nothing of a missing record where records may be missing.

        Raises:
            ModelError: such a step.
        """
        if neighbours is not Neighbours.ADD_OR_REMOVE_ONE:
            return
        for step in self.steps:
            if not step.names_a_missing_record:
                raise ModelError(
                    "{kind} has no law for a missing record, so it cannot be counted where records are added or "
                    "removed; open the account for replaced records.",
                    kind=type(step).__name__,
                )


def pure_epsilon(step: Step) -> float:
    """ε in nats of one run: as it was given, or, of a channel, computed and rounded up."""
    epsilon = step.pure_epsilon()
    if not isinstance(step, KnownChannel) or epsilon == math.inf:
        return epsilon
    matrix = step.channel.matrix
    if (matrix == matrix[0]).all():
        return 0.0
    # Two logarithms were subtracted: what rounding took is relative to the larger of them, not to ε.
    return epsilon + _ROUNDING * (epsilon - math.log(matrix[matrix > 0].min()))


def _rho(step: Step) -> float:
    rho = step.rho()
    if step.pure_epsilon() == 0 or (isinstance(step, Claimed) and isinstance(step.statement, ZeroConcentratedDP)):
        return rho
    # The square of a small level may fall out of the range of floats; it is not nothing.
    return max(rho * (1 + _ROUNDING), _LEAST)


def as_decimal(value: float) -> Decimal:
    """The decimal a number is written as: 0.1 is a tenth, as whoever wrote it meant."""
    return Decimal(repr(float(value)))


def as_float(value: Decimal) -> float:
    """The nearest number that is written as no less."""
    nearest = float(value)
    return nearest if as_decimal(nearest) >= value else math.nextafter(nearest, math.inf)

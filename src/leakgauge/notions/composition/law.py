"""The law of a privacy loss at finitely many values, and what it proves: ε at a δ, δ at an ε, the power of a test."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property

import numpy as np

from leakgauge.probability.cells import Floats

SAFE_SIDE = 1e-9
"""What is left of δ is taken this much smaller, relatively, so that rounding cannot make an ε too small."""
_DIGITS = 400
"""Digits of 1 − δ that the smallest float above 0 needs, and as many as matter behind them."""


@dataclass(frozen=True)
class LossLaw:
    """Losses in ascending order, their shares of the first law, and the share of an infinite loss.

    ``slack`` is what rounding, or a tail cut off, may have taken from a sum of shares; it is always counted.
    """

    values: Floats
    masses: Floats
    infinite: Decimal = Decimal(0)
    slack: float = 0.0

    @cached_property
    def _above(self) -> tuple[Floats, Floats]:
        """For each loss, from the largest on: the shares of both laws at it and above; of the second as a logarithm."""
        with np.errstate(divide="ignore"):
            second = np.logaddexp.accumulate((np.log(self.masses) - self.values)[::-1])
        return np.cumsum(self.masses[::-1]), second

    def epsilon_at(self, delta: float) -> float:
        """The smallest ε in nats at which δ suffices; infinite where none is."""
        beside = left_of(delta, self.infinite)
        if beside is None:
            return math.inf
        left = beside * (1 - SAFE_SIDE) - self.slack
        if left <= 0 and self.slack > 0:
            return math.inf
        # δ(ε) = infinite + Σ over losses above ε of (mass − e^ε · mass · e^−loss), so between two losses ε is a
        # logarithm; the largest of these over all losses is the answer, the curve being convex in e^ε.
        first, second = self._above
        upper = first - left
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            candidates = np.where(upper > 0, np.log(upper) - second, -math.inf)
        return float(min(max(candidates.max(initial=0.0), 0.0), self.values.max(initial=0.0)))

    def deltas_at(self, epsilons: Floats) -> Floats:
        """δ at each ε in nats."""
        first, second = self._above
        above = len(self.values) - np.searchsorted(self.values, epsilons, side="right")
        at = np.maximum(above - 1, 0)
        with np.errstate(over="ignore", invalid="ignore"):
            finite = first[at] - np.exp(epsilons + second[at]) if len(first) else np.zeros(len(epsilons))
        finite = np.where(above > 0, np.maximum(np.nan_to_num(finite), 0.0), 0.0)
        return np.minimum((finite + float(self.infinite)) * (1 + SAFE_SIDE) + self.slack, 1.0)

    def powers_at(self, false_positive_rates: Floats) -> Floats:
        """The largest power of a test of the second law against the first at each rate of false positives.

        The best test rejects where the loss is largest (Neyman and Pearson), so the powers of those tests, and chords
        between them, are the answer.
        """
        first, second = self._above
        rates, powers = np.append(0.0, np.exp(second)), np.append(0.0, first) + float(self.infinite)
        found = np.interp(false_positive_rates, rates, powers) * (1 + SAFE_SIDE) + self.slack
        return np.clip(found, false_positive_rates, 1.0)


def at_least_one(chances: Iterable[tuple[float | Decimal, int]]) -> Decimal:
    """1 − Π(1 − δ)^count: the chance that one of independent events happens, of decimals as they are written."""
    with localcontext() as context:
        context.prec = _DIGITS
        none = Decimal(1)
        for chance, count in chances:
            none *= (1 - decimal(chance)) ** count
        return 1 - none


def left_of(delta: float, infinite: Decimal) -> float | None:
    """What is left of δ beside the chance of an infinite loss; None where δ is smaller than it.

    A float stands for every number that it is the nearest float to: where it is the nearest to the chance itself, they
    are equal and nothing is left.
    """
    return None if delta < float(infinite) else max(float(decimal(delta) - infinite), 0.0)


def decimal(number: float | Decimal) -> Decimal:
    """The decimal a number is written in: ten times 1e-7 is 1e-6, not one unit in the last place more."""
    return number if isinstance(number, Decimal) else Decimal(repr(float(number)))

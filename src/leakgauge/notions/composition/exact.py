"""Exact composition of finite channels and pairs, and of Gaussians, while it stays small."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import ModelError
from leakgauge.mechanisms.steps.known import KnownChannel
from leakgauge.mechanisms.steps.step import require_some
from leakgauge.notions.composition.groups import Met, Spent, assignments, pure_epsilon, rows_met
from leakgauge.notions.formulas import approximate_of_gaussian
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Floats, sums_by

SAFE_SIDE = 1e-9
"""What is left of δ is taken this much smaller, relatively, so that rounding cannot make an ε too small."""
_DIGITS = 400
"""Digits of 1 − δ that the smallest float above 0 needs, and as many as matter behind them."""
LARGEST_CHANNEL = 1 << 22
"""Cells of a channel that ``compose_exactly`` will make."""
ATOMS = 1 << 20
"""Losses that two laws may have together before equal ones are merged, divided among the choices of pairs."""


@checked
def compose_exactly(channels: Sequence[Channel]) -> Channel:
    """The channel whose output is the tuple of all outputs, given one and the same input.

    Raises:
        OptionError: no channels.
        ModelError: their inputs differ, or the result would have more than 2^22 cells.
    """
    require_some(channels, "channels")
    first = channels[0]
    cells = len(first.inputs) * math.prod(len(channel.outputs) for channel in channels)
    if any(channel.inputs != first.inputs for channel in channels):
        raise ModelError("The channels have different inputs; only channels on the same input compose exactly.")
    if cells > LARGEST_CHANNEL:
        raise ModelError(
            "Composing {count} channels exactly makes {cells} cells, more than the {limit} allowed; use compose().",
            count=len(channels),
            cells=cells,
            limit=LARGEST_CHANNEL,
        )
    matrix = np.ones((len(first.inputs), 1))
    labels: list[tuple[Label, ...]] = [()]
    for channel in channels:
        matrix = (matrix[:, :, None] * channel.matrix[:, None, :]).reshape(len(first.inputs), -1)
        labels = [(*label, output) for label in labels for output in channel.outputs]
    return Channel(first.inputs, labels, matrix)


def at_least_one(chances: Iterable[tuple[float | Decimal, int]]) -> Decimal:
    """1 − Π(1 − δ)^count: the chance that one of independent events happens, of decimals as they are written."""
    with localcontext() as context:
        context.prec = _DIGITS
        none = Decimal(1)
        for chance, count in chances:
            none *= (1 - _decimal(chance)) ** count
        return 1 - none


def left_of(delta: float, infinite: Decimal) -> float | None:
    """What is left of δ beside the chance of an infinite loss; None where δ is smaller than it.

    A float stands for every number that it is the nearest float to: where it is the nearest to the chance itself, they
    are equal and nothing is left.
    """
    return None if delta < float(infinite) else max(float(_decimal(delta) - infinite), 0.0)


def _decimal(number: float | Decimal) -> Decimal:
    # As the decimal it is written in: ten times 1e-7 is 1e-6, not one unit in the last place more.
    return number if isinstance(number, Decimal) else Decimal(repr(float(number)))


def epsilon_at(groups: Sequence[Spent], delta: float) -> float | None:
    """The ε in nats of the sequence at δ, where its worst case can be written down; None where it cannot."""
    gaussian = _gaussian(groups)
    if gaussian is not None:
        return approximate_of_gaussian(gaussian, delta) if delta > 0 else (math.inf if gaussian else 0.0)
    if delta == 0:
        return pure_epsilon(groups) if all(isinstance(spent.step, KnownChannel) for spent in groups) else None
    choices = assignments(groups)
    if choices is None:
        return None
    try:
        cap = ATOMS // max(len(choices), 1)
        return max((_composed(groups, met, cap).epsilon_at(delta) for met in choices), default=0.0)
    except _NotExactError:
        return None


def _gaussian(groups: Sequence[Spent]) -> float | None:
    """√Σ μ² of a sequence of Gaussians, which compose to one; None for any other sequence."""
    total = 0.0
    for spent in groups:
        loss = spent.step.loss()
        if loss is None or loss.mu is None or spent.probability < 1:
            return None
        total += spent.count * loss.mu**2
    return math.sqrt(total)


def _composed(groups: Sequence[Spent], met: Met, cap: int) -> _Losses:
    composed = _Losses(np.zeros(1), np.ones(1), Decimal(0))
    for spent in groups:
        rows = rows_met(spent, met)
        pair = spent.pair() if rows is None else rows
        if pair is None:
            raise _NotExactError
        one = _Losses.of(*pair) if rows is None else _Losses.of(*rows).seen_with(spent.probability)
        composed = composed.compose(one.power(spent.count, cap), cap)
    return composed


class _NotExactError(Exception):
    """A step without a finite worst pair, or more losses than the exact way is meant for."""


@dataclass(frozen=True)
class _Losses:
    """Losses in ascending order, their probabilities under the first law, and that of an infinite loss."""

    values: Floats
    masses: Floats
    infinite: Decimal

    @classmethod
    def of(cls, p: Floats, q: Floats) -> _Losses:
        both = (p > 0) & (q > 0)
        infinite = sum((_decimal(mass) for mass in p[(p > 0) & (q == 0)].tolist()), Decimal(0))
        return _merged(np.log(p[both]) - np.log(q[both]), p[both], infinite)

    def seen_with(self, probability: float) -> _Losses:
        if probability == 1:
            return self
        values, masses = np.append(self.values, 0.0), np.append(probability * self.masses, 1 - probability)
        return _merged(values, masses, _decimal(probability) * self.infinite)

    def compose(self, other: _Losses, cap: int) -> _Losses:
        if len(self.values) * len(other.values) > cap:
            raise _NotExactError
        infinite = at_least_one([(self.infinite, 1), (other.infinite, 1)])
        values, masses = np.add.outer(self.values, other.values), np.multiply.outer(self.masses, other.masses)
        return _merged(values.ravel(), masses.ravel(), infinite)

    def power(self, count: int, cap: int) -> _Losses:
        result, square = _Losses(np.zeros(1), np.ones(1), Decimal(0)), self
        while True:
            if count & 1:
                result = result.compose(square, cap)
            count >>= 1
            if not count:
                return result
            square = square.compose(square, cap)

    def epsilon_at(self, delta: float) -> float:
        beside = left_of(delta, self.infinite)
        if beside is None:
            return math.inf
        left = beside * (1 - SAFE_SIDE)
        # δ(ε) = infinite + Σ over losses above ε of (mass − e^ε · mass · e^−loss), so between two losses ε is a
        # logarithm; the largest of these over all losses is the answer, the curve being convex in e^ε.
        values, masses = self.values[::-1], self.masses[::-1]
        upper = np.cumsum(masses) - left
        peak = values.max(initial=0.0)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            lower = np.logaddexp.accumulate(np.log(masses) - values)
            candidates = np.where(upper > 0, np.log(upper) - lower, -math.inf)
        return float(min(max(candidates.max(initial=0.0), 0.0), peak))


def _merged(values: Floats, masses: Floats, infinite: Decimal) -> _Losses:
    if not len(values):
        return _Losses(values, masses, infinite)
    order = np.argsort(values, kind="stable")
    values, masses = values[order], masses[order]
    # Losses that differ by rounding only count as one, and as the larger, which is the safe one.
    apart = np.diff(values) > 1e-12 * np.maximum(np.abs(values[1:]), 1.0)
    group = np.append(0, np.cumsum(apart))
    return _Losses(values[np.append(apart, True)], sums_by(group, masses, int(group[-1]) + 1), infinite)

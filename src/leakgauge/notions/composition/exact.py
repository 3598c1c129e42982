"""Exact composition of finite channels and pairs, and of Gaussians, while it stays small."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import ModelError
from leakgauge.mechanisms.steps.step import require_some
from leakgauge.notions.composition.groups import Met, Spent, assignments, rows_met
from leakgauge.notions.composition.law import LossLaw, at_least_one, decimal
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Floats, sums_by

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


def laws(groups: Sequence[Spent]) -> tuple[LossLaw, ...] | None:
    """The laws of the sequence's loss whose worst is its worst case; None where it cannot be written down.

    One for each choice of pairs that named secrets may meet and, under sampling, for each order of the neighbours.
    """
    choices = assignments(groups)
    if choices is None:
        return None
    orders = (False, True) if any(spent.amplifies for spent in groups) else (False,)
    try:
        cap = ATOMS // max(len(choices), 1)
        return tuple(_composed(groups, met, added, cap) for met in choices for added in orders)
    except _NotExactError:
        return None


def gaussian(groups: Sequence[Spent]) -> float | None:
    """√Σ μ² of a sequence of Gaussians, which compose to one; None for any other sequence."""
    total = 0.0
    for spent in groups:
        loss = spent.loss
        if loss is None or loss.mu is None or spent.probability < 1:
            return None
        total += spent.count * loss.mu**2
    return math.sqrt(total)


def _composed(groups: Sequence[Spent], met: Met, added: bool, cap: int) -> LossLaw:
    composed = LossLaw(np.zeros(1), np.ones(1))
    for spent in groups:
        rows = rows_met(spent, met)
        pair = spent.pair(added=added) if rows is None else rows
        if pair is None:
            raise _NotExactError
        one = _law(*pair)
        if rows is not None and spent.probability < 1:
            values, masses = np.append(one.values, 0.0), spent.probability * one.masses
            unseen = 1 - spent.probability
            one = _merged(values, np.append(masses, unseen), decimal(spent.probability) * one.infinite)
        composed = _both(composed, _power(one, spent.count, cap), cap)
    return composed


class _NotExactError(Exception):
    """A step without a finite worst pair, or more losses than the exact way is meant for."""


def _law(p: Floats, q: Floats) -> LossLaw:
    both = (p > 0) & (q > 0)
    infinite = sum((decimal(mass) for mass in p[(p > 0) & (q == 0)].tolist()), Decimal(0))
    return _merged(np.log(p[both]) - np.log(q[both]), p[both], infinite)


def _both(one: LossLaw, other: LossLaw, cap: int) -> LossLaw:
    if len(one.values) * len(other.values) > cap:
        raise _NotExactError
    infinite = at_least_one([(one.infinite, 1), (other.infinite, 1)])
    values, masses = np.add.outer(one.values, other.values), np.multiply.outer(one.masses, other.masses)
    return _merged(values.ravel(), masses.ravel(), infinite)


def _power(law: LossLaw, count: int, cap: int) -> LossLaw:
    result, square = LossLaw(np.zeros(1), np.ones(1)), law
    while True:
        if count & 1:
            result = _both(result, square, cap)
        count >>= 1
        if not count:
            return result
        square = _both(square, square, cap)


def _merged(values: Floats, masses: Floats, infinite: Decimal) -> LossLaw:
    if not len(values):
        return LossLaw(values, masses, infinite)
    order = np.argsort(values, kind="stable")
    values, masses = values[order], masses[order]
    # Losses that differ by rounding only count as one, and as the larger, which is the safe one.
    apart = np.diff(values) > 1e-12 * np.maximum(np.abs(values[1:]), 1.0)
    group = np.append(0, np.cumsum(apart))
    return LossLaw(values[np.append(apart, True)], sums_by(group, masses, int(group[-1]) + 1), infinite)

"""Levels that are a largest ratio: identifiability, differential privacy, metric privacy, prior skew.

Outputs that never occur are left out; a zero against a non-zero gives an infinite level.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from leakgauge.arguments import checked
from leakgauge.claims import Identifiability, LocalDP, MetricPrivacy, Statement
from leakgauge.errors import OptionError
from leakgauge.notions.neighbours import Structure, compared
from leakgauge.notions.witness import Level, Witness
from leakgauge.probability import Channel, Distribution, Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import same_alphabet

Notion: TypeAlias = Callable[[float], Statement]


def local_dp(channel: Channel, structure: Structure | None = None, notion: Notion = LocalDP) -> Level:
    """max ln q(y|x)/q(y|x') over any two inputs, or over those that the structure compares, in nats."""
    return _largest_ratio(channel, _log(channel.matrix), structure, notion)


def identifiability(
    channel: Channel, prior: Distribution, structure: Structure | None = None, notion: Notion = Identifiability
) -> Level:
    """max ln p(x|y)/p(x'|y) over any two inputs, or over those that the structure compares, in nats.

    It is infinite where the prior has a zero.
    """
    same_alphabet(prior.outcomes, channel.inputs, "outcomes of the prior", "inputs of the channel")
    logs = _log(channel.matrix)
    # Relative to the likeliest input's row: rows that are the same as that have the prior's ratio to the last digit.
    likeliest = logs[int(prior.probabilities.argmax())]
    joint = logs - np.where(np.isneginf(likeliest), 0.0, likeliest) + _log(prior.probabilities)[:, None]
    level = _largest_ratio(channel, joint, structure, notion)
    # Which inputs never occur may be a fact about the rows: none is named as the one that makes the level infinite.
    by_a_zero = level.witness is not None and prior[level.witness.inputs[1]] == 0
    return Level(level.statement) if by_a_zero else level


@checked
def prior_skew(prior: Distribution, structure: Structure | None = None) -> float:
    """Δ = max ln p(x)/p(x') over the inputs compared, in nats: 0 exactly when the prior is uniform there.

    It is −σ_min of the paper, and the floor of identifiability: no channel has less. Infinite where an input that
    occurs is compared with one that does not.
    """
    logs = _log(prior.probabilities)
    ends = [(logs[list(group)].max(), logs[list(group)].min()) for group in compared(prior.outcomes, structure)]
    highest, lowest = np.array(ends or [(0.0, 0.0)]).T
    return float(_difference(highest, lowest).max())


@checked
def moment_skewness(prior: Distribution) -> float | None:
    """E[(X − μ)³] / σ³ of a prior over numbers, without unit; None where a label is not a number or nothing varies.

    It describes the prior's shape. No budget depends on it: identifiability depends on Δ, differential privacy on
    neither.
    """
    if not all(isinstance(label, int | float) and not isinstance(label, bool) for label in prior.outcomes):
        return None
    values = np.array(prior.outcomes, dtype=np.float64)
    # In a unit in which no cube is too large for a number; it has none itself.
    values /= abs(values).max() or 1.0
    centred = values - float(prior.probabilities @ values)
    variance = float(prior.probabilities @ centred**2)
    return float(prior.probabilities @ centred**3) / variance**1.5 if variance > 0 else None


@checked
def metric_privacy(channel: Channel, distance: Callable[[Label, Label], float] | Floats) -> Level:
    """max ln q(y|x)/q(y|x') ÷ d(x, x'), in nats per unit of distance."""
    distances = _distances(channel.inputs, distance)
    logs = _log(channel.matrix)
    best, witness = 0.0, None
    for x in range(len(channel.inputs)):
        ratios = _difference(logs[x], logs)
        output = ratios.argmax(axis=1)
        largest = ratios[np.arange(len(output)), output]
        with np.errstate(divide="ignore", invalid="ignore"):
            # Equal rows are within any budget even at distance 0; differing ones at distance 0 are within none.
            slopes = np.where(largest <= 0, 0.0, largest / distances[x])
        other = int(slopes.argmax())
        if slopes[other] > best:
            best = float(slopes[other])
            witness = Witness((channel.inputs[x], channel.inputs[other]), channel.outputs[int(output[other])])
    return Level(MetricPrivacy(best), witness)


def _largest_ratio(channel: Channel, logs: Floats, structure: Structure | None, notion: Notion) -> Level:
    best, witness = 0.0, None
    for group in compared(channel.inputs, structure):
        rows = np.array(group)
        part = logs if len(group) == len(logs) else logs[rows]
        highest, lowest = part.argmax(axis=0), part.argmin(axis=0)
        columns = np.arange(part.shape[1])
        ratio = _difference(part[highest, columns], part[lowest, columns])
        output = int(ratio.argmax())
        if ratio[output] > best:
            best = float(ratio[output])
            pair = (channel.inputs[rows[highest[output]]], channel.inputs[rows[lowest[output]]])
            witness = Witness(pair, channel.outputs[output])
    return Level(notion(best), witness)


def _difference(upper: Floats, lower: Floats) -> Floats:
    """upper − lower of logarithms, 0 where both outputs are impossible."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(upper), np.where(np.isneginf(lower), 0.0, -math.inf), upper - lower)


def _log(matrix: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(matrix)


def _distances(inputs: Sequence[Label], distance: Callable[[Label, Label], float] | Floats) -> Floats:
    table = np.array([[distance(x, u) for u in inputs] for x in inputs]) if callable(distance) else np.asarray(distance)
    if table.shape != (len(inputs), len(inputs)) or not np.all(table >= 0):
        raise OptionError("The distances are not a square table of numbers of at least 0; give one row per input.")
    return table.astype(np.float64)

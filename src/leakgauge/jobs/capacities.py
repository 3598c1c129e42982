"""The capacities of a channel that is not large, ready to be stored."""

from __future__ import annotations

import math
from collections.abc import Sequence

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.relation import Capacities
from leakgauge.errors import EngineError
from leakgauge.measures import capacities
from leakgauge.measures.capacities import FEW
from leakgauge.notions.neighbours import all_pairs
from leakgauge.probability import Channel
from leakgauge.probability.files import Groups

MOST_INPUTS, MOST_CELLS = 1000, 1 << 20
"""Inputs, and inputs × outputs, up to which capacities are computed: within about a second."""
MOST_OUTPUTS, SEARCHED_CELLS = 4000, 900
"""Outputs up to which all sets of up to 16 inputs are looked at, and inputs × outputs up to which a set of more inputs
is searched: within half a second."""


def capacities_of(channel: Channel, compared: Groups | None = None) -> Capacities | None:
    """The most that the channel reveals over all priors; None of a large channel.

    Where inputs are ``compared`` in groups, those that agree in what everybody knows, it is the most over the groups:
    averages over what is known, and ratios of averages, do not exceed their largest term.
    """
    if len(channel.inputs) > MOST_INPUTS or len(channel.inputs) * len(channel.outputs) > MOST_CELLS:
        return None
    structure = all_pairs(channel.inputs) if compared is None else compared
    parts = [channel.restrict([channel.inputs[place] for place in group]) for group in structure]
    factor = max(capacities.multiplicative(part).value for part in parts)
    risk = max(capacities.risk(part).value for part in parts)
    searched = _is_quick(parts)
    return Capacities(
        shannon=_largest([(found.value, found.high) for found in map(capacities.shannon, parts)], "bits"),
        multiplicative=Quantity(factor, "1"),
        min_capacity=Quantity(math.log2(max(factor, 1.0)), "bits"),
        additive=_largest([_additive(part, searched) for part in parts], "1"),
        additive_over_vulnerabilities=Quantity(max(map(capacities.additive_over_vulnerabilities, parts)), "1"),
        risk=Quantity(risk, "1"),
        bayes_security=Quantity(1 / risk, "1"),
    )


def _is_quick(parts: Sequence[Channel]) -> bool:
    """Whether the sets of inputs that are told apart best can be searched for."""
    if max(len(part.inputs) for part in parts) <= FEW and sum(len(part.outputs) for part in parts) <= MOST_OUTPUTS:
        return True
    return sum(len(part.inputs) * len(part.outputs) for part in parts) <= SEARCHED_CELLS


def _additive(channel: Channel, searched: bool) -> tuple[float, float]:
    """What a prior reaches and none exceeds."""
    try:
        # Without branching, which takes most of the time, the bounds are a little further apart.
        found = capacities.additive(channel, nodes=1) if searched else capacities.additive_bounds(channel)
    except EngineError:
        found = capacities.additive_bounds(channel)
    return found.value, found.high


def _largest(bounds: Sequence[tuple[float, float]], unit: str) -> Quantity:
    low, high = (max(ends) for ends in zip(*bounds, strict=True))
    return Quantity(low, unit) if low == high else Quantity(low, unit, low, high, 1.0)

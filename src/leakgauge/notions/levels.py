"""Exact levels of a known channel: computed, never bounded."""

from __future__ import annotations

import math
from collections.abc import Mapping

from leakgauge.claims import (
    AlphaLeakage,
    CentralMutualInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    SibsonLeakage,
)
from leakgauge.measures import mutual_information, renyi, sibson
from leakgauge.notions import curves, ratios
from leakgauge.notions.capacities import mutual_information_dp
from leakgauge.notions.neighbours import Structure, all_pairs, data_sets
from leakgauge.notions.witness import Level
from leakgauge.probability import Channel, Distribution, Scenario

PAIRWISE_CELLS = 1 << 20
"""Levels that need every pair of rows are computed up to this many numbers; beyond, ask for them by name."""


def levels(
    channel: Channel,
    prior: Distribution | None = None,
    records: int | None = None,
    order: float = 2.0,
    delta: float = 1e-6,
) -> Mapping[str, Level]:
    """The tightest statement of each notion that the channel satisfies, by name.

    Args:
        channel: from one record, or with ``records`` from data sets (tuples of that many records).
        prior: over the channel's inputs; without it the levels that need one are absent.
        records: how many records a data set has; None for a local channel.
        order: of the Rényi, Sibson and α-leakage levels.
        delta: of the (ε, δ) level.

    Raises:
        ModelError: the prior gives a letter probability 0, or the inputs are no data sets.

    Example:
        >>> answer = Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]])
        >>> round(levels(answer)["local_dp"].value, 4)
        1.0986
    """
    structure = all_pairs(channel.inputs) if records is None else data_sets(channel.inputs, records)
    found = {"local_dp": ratios.local_dp(channel), "maximal_leakage": _maximal(channel)}
    if records is not None:
        found["dp"] = ratios.central_dp(channel, structure)
    if prior is not None:
        found |= _with_prior(channel, prior, structure, records, order)
    if _pairwise_cells(structure, len(channel.outputs)) <= PAIRWISE_CELLS:
        found["renyi_dp"] = curves.renyi_dp(channel, order, structure)
        found["zcdp"] = curves.zero_concentrated_dp(channel, structure)
        found["gaussian_dp"] = curves.gaussian_dp(channel, structure)
        found["approximate_dp"] = curves.approximate_dp_at(channel, delta, structure)
        found["mutual_information_dp"] = mutual_information_dp(channel, structure)
    return found


def _with_prior(
    channel: Channel, prior: Distribution, structure: Structure, records: int | None, order: float
) -> dict[str, Level]:
    scenario = Scenario(prior, channel)
    information = mutual_information(scenario)
    found = {
        "identifiability": ratios.identifiability(channel, prior),
        "mutual_information": Level(MutualInformation(information)),
        "min_entropy_leakage": Level(MinEntropyLeakage(renyi.leakage(scenario, math.inf))),
        "sibson_leakage": Level(SibsonLeakage(sibson.leakage(channel, prior, order), order)),
        "alpha_leakage": Level(AlphaLeakage(renyi.leakage(scenario, order), order)),
    }
    if records is not None:
        found["central_identifiability"] = ratios.central_identifiability(channel, prior, structure)
        found["central_mutual_information"] = Level(CentralMutualInformation(information))
    return found


def _maximal(channel: Channel) -> Level:
    return Level(MaximalLeakage(sibson.maximal_leakage(channel)))


def _pairwise_cells(structure: Structure, outputs: int) -> int:
    return sum(len(group) ** 2 for group in structure.groups) * outputs

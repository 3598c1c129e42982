"""Exact levels of a known channel: computed, never bounded."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping

from leakgauge.arguments import checked
from leakgauge.claims import (
    AlphaLeakage,
    CentralMutualInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    SibsonLeakage,
)
from leakgauge.errors import OptionError
from leakgauge.languages import message
from leakgauge.measures import mutual_information, renyi
from leakgauge.notions import curves, ratios
from leakgauge.notions.neighbours import Structure, all_pairs, data_sets
from leakgauge.notions.witness import Level
from leakgauge.probability import Channel, Distribution, Label, Scenario

PAIRWISE_CELLS = 1 << 20
"""Levels that need every pair of rows are computed up to this many numbers; beyond, ask for them by name."""
NO_NEIGHBOURS = message(
    "None of the data sets has a neighbour: there is nothing to compare, and levels over neighbours are left out."
)


@checked
def levels(
    channel: Channel,
    prior: Distribution | None = None,
    records: int | None = None,
    order: float = 2.0,
    delta: float = 1e-6,
    *,
    ordered: bool = True,
    restricted: bool = False,
) -> Mapping[str, Level]:
    """The tightest statement of each notion that the channel satisfies, by the name of the notion.

    Args:
        channel: from one record, or with ``records`` from data sets (tuples of that many records).
        prior: over the channel's inputs; without it the levels that need one are absent.
        records: how many records a data set has; None for a local channel.
        order: of the Rényi, Sibson and α-leakage levels.
        delta: of the (ε, δ) level.
        ordered: whether neighbouring data sets differ in the record at one position; if not, data sets are compared
            as multisets.
        restricted: leave out inputs that the prior gives probability 0; they make identifiability infinite.

    Where several data sets have no neighbour at all, levels over neighbours are absent, with a warning.

    Raises:
        ModelError: the inputs are not data sets of so many records.

    Example:
        >>> answer = Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]])
        >>> round(levels(answer)["local-dp"].value, 4)
        1.0986
    """
    if restricted:
        prior = occurring(prior)
        channel = channel.restrict(prior.outcomes)
    structure = structure_of(channel.inputs, records, ordered)
    if structure is None:
        warnings.warn(NO_NEIGHBOURS, stacklevel=3)
    return exact_levels(channel, prior, structure, order, delta, central=records is not None)


def occurring(prior: Distribution | None) -> Distribution:
    """The prior restricted to the values that occur."""
    if prior is None:
        raise OptionError("Restricting to the values that occur needs a prior, and there is none; give one.")
    return prior.restrict(prior.support)


def structure_of(inputs: tuple[Label, ...], records: int | None, ordered: bool) -> Structure | None:
    """Which inputs are compared; None where there are several data sets and none has a neighbour."""
    structure = all_pairs(inputs) if records is None else data_sets(inputs, records, ordered)
    return structure if structure.groups or len(inputs) == 1 else None


def exact_levels(
    channel: Channel, prior: Distribution | None, structure: Structure | None, order: float, delta: float, central: bool
) -> Mapping[str, Level]:
    """The levels by name; without a structure those over any two inputs and those over the prior."""
    return {level.statement.name: level for level in _exact(channel, prior, structure, order, delta, central)}


def _exact(
    channel: Channel, prior: Distribution | None, structure: Structure | None, order: float, delta: float, central: bool
) -> Iterator[Level]:
    yield ratios.local_dp(channel)
    yield Level(MaximalLeakage(renyi.maximal_leakage(channel)))
    if prior is not None:
        scenario = Scenario(prior, channel)
        yield ratios.identifiability(channel, prior)
        yield Level(MutualInformation(mutual_information(scenario)))
        yield Level(MinEntropyLeakage(renyi.leakage(scenario, math.inf)))
        yield Level(SibsonLeakage(renyi.sibson_leakage(channel, prior, order), order))
        yield Level(AlphaLeakage(renyi.leakage(scenario, order), order))
    if structure is not None and central:
        yield ratios.central_dp(channel, structure)
        if prior is not None:
            yield ratios.central_identifiability(channel, prior, structure)
    pairs = math.inf if structure is None else sum(len(group) ** 2 for group in structure.groups)
    if pairs * len(channel.outputs) <= PAIRWISE_CELLS:
        yield curves.renyi_dp(channel, order, structure)
        yield curves.zero_concentrated_dp(channel, structure)
        yield curves.gaussian_dp(channel, structure)
        yield curves.approximate_dp_at(channel, delta, structure)
        yield curves.mutual_information_dp(channel, structure)
    if prior is not None and central:
        yield Level(CentralMutualInformation(mutual_information(Scenario(prior, channel))))

"""A mechanism on areas: its exact channel, and the areas that each output stands for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from leakgauge.arguments import checked
from leakgauge.claims import MetricPrivacy
from leakgauge.distances.map_cells import MapCells
from leakgauge.errors import LabelError, OptionError
from leakgauge.mechanisms import Mechanism, planar_laplace, through_channel
from leakgauge.mechanisms.on_cells import box_of
from leakgauge.mechanisms.planar_laplace import MapUnit
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.cells import Codes, Floats
from leakgauge.probability.labels import same_alphabet

PER_KILOMETRE = 1000.0
"""Distances are in metres, ε per kilometre."""
_ROUNDING = 1 + 1e-12
"""Errs towards privacy: what floats may have lost of an ε."""


@dataclass(frozen=True, eq=False)
class Placed:
    """A mechanism on areas, and where its outputs lie.

    Args:
        mechanism: with claims, a law and a channel from the labels of areas.
        members: for each output of the channel the areas that it stands for, by their positions among the inputs;
            None where every output is one of the areas.

    Raises:
        LabelError: members that are not one group of areas per output, or outputs that are not areas.
        OptionError: a mechanism without a channel that is small enough to write down.
    """

    mechanism: Mechanism
    members: tuple[tuple[int, ...], ...] | None = None

    def __post_init__(self) -> None:
        if self.members is None:
            if not set(self.channel.outputs) <= set(self.channel.inputs):
                raise LabelError("Some outputs are not areas; give the areas that each output stands for.")
            return
        known = range(len(self.channel.inputs))
        if len(self.members) != len(self.channel.outputs) or not all(
            group and set(group) <= set(known) for group in self.members
        ):
            raise LabelError(
                "There are {found} groups of areas for {wanted} outputs; give each output one or more of the {count} "
                "areas.",
                found=len(self.members),
                wanted=len(self.channel.outputs),
                count=len(known),
            )

    @cached_property
    def channel(self) -> Channel:
        """q(y|x) from areas to outputs."""
        found = self.mechanism.channel()
        if found is None:
            raise OptionError(
                "{name!s} has too many areas or sets for a channel that can be written down; choose larger areas.",
                name=self.mechanism.name,
            )
        return found

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """For each output the areas that it stands for."""
        if self.members is not None:
            return self.members
        at = {label: place for place, label in enumerate(self.channel.inputs)}
        return tuple((at[label],) for label in self.channel.outputs)

    @checked
    def mean_distance(self, prior: Distribution, distances: Floats) -> float:
        """How far the output is from the truth on average, in the unit of the distances.

        An output of several areas is read as the middle one: that with the least sum of distances to the others.
        """
        return float((self._joint(prior) * distances[:, self.middles(distances)]).sum())

    @checked
    def contains(self, prior: Distribution) -> float:
        """The probability that the truth is one of the areas that the output stands for."""
        return float((self._joint(prior) * self.holds).sum())

    @checked
    def mean_size(self, prior: Distribution) -> float:
        """How many areas the output stands for on average."""
        return float(self._joint(prior).sum(axis=0) @ np.array([len(group) for group in self.groups]))

    @cached_property
    def holds(self) -> Floats:
        """1 where an output (a column) stands for an area (a row), else 0."""
        held = np.zeros(self.channel.matrix.shape)
        for output, group in enumerate(self.groups):
            held[list(group), output] = 1.0
        return held

    def middles(self, distances: Floats) -> Codes:
        """For each output the middle one of its areas."""
        return np.array([_middle(group, distances) for group in self.groups], dtype=np.int64)

    def _joint(self, prior: Distribution) -> Floats:
        same_alphabet(prior.outcomes, self.channel.inputs, "outcomes of the prior", "areas of the mechanism")
        return prior.probabilities[:, None] * self.channel.matrix


def _middle(group: tuple[int, ...], distances: Floats) -> int:
    if len(group) == 1:
        return group[0]
    places = np.array(group)
    return int(places[distances[np.ix_(places, places)].sum(axis=1).argmin()])


@checked
def on_areas(
    channel: Channel, distances: Floats | None = None, members: Sequence[Sequence[int]] | None = None
) -> Placed:
    """A channel from areas in its dyadic form, with the local ε that it has exactly.

    Args:
        distances: between areas in metres, for a claim of metric privacy per kilometre as well: that of the dyadic
            channel itself, infinite where an output rules an area out.
        members: the areas that each output stands for; None where every output is one of the areas.
    """
    made = through_channel(channel)
    if distances is not None:
        level = epsilon_per_km(made.channel(), distances) * _ROUNDING
        made = replace(made, claims=(*made.claims, MetricPrivacy(level)))
    return Placed(made, None if members is None else tuple(tuple(group) for group in members))


def epsilon_per_km(channel: Channel, distances: Floats) -> float:
    """The exact metric privacy of a channel, in nats per kilometre; infinite where an output rules an area out.

    Distances between the inputs are in metres.
    """
    seen = channel.matrix[:, channel.matrix.any(axis=0)]
    if not seen.all():
        return math.inf
    # As of ``notions.metric_privacy``, without the care for zeros, of which there are none: several times as fast.
    logs, steepest = np.log(seen), 0.0
    for area in range(len(logs) - 1):
        gaps = np.abs(logs[area] - logs[area + 1 :]).max(axis=1)
        apart = distances[area, area + 1 :]
        slopes = np.divide(gaps, apart, out=np.where(gaps > 0, math.inf, 0.0), where=apart > 0)
        steepest = max(steepest, float(slopes.max()))
    return steepest * PER_KILOMETRE


def released_shares(prior: Distribution, channel: Channel) -> Floats:
    """How often each area of a prior is released through a channel from areas to areas."""
    shares = prior.probabilities @ channel.restrict(prior.outcomes).matrix
    by_label = dict(zip(channel.outputs, shares.tolist(), strict=True))
    return np.array([by_label.get(label, 0.0) for label in prior.outcomes])


def planar(cells: MapCells, epsilon: float, unit: MapUnit = MapUnit.KM) -> Placed:
    """Planar Laplace noise on the cells of a map; ε is per kilometre, or per cell."""
    return Placed(planar_laplace(epsilon, **box_of(cells), unit=unit))  # type: ignore[arg-type]


@checked
def cascade(first: Placed, second: Placed, distances: Floats | None = None) -> Placed:
    """The output of one mechanism put through another, as one channel with its own exact claims.

    Args:
        second: a mechanism whose areas are the outputs of the first; of noise on cells, noise on the same cells.
        distances: as of ``on_areas``.

    Raises:
        LabelError: the outputs of the first are not the areas of the second.
    """
    both = first.channel.then(second.channel)
    # What stands for outputs of the first stands for the areas that these stand for.
    members = [
        tuple(dict.fromkeys(area for output in group for area in first.groups[output])) for group in second.groups
    ]
    return on_areas(both, distances, members)

"""One mechanism on areas in numbers: metres, bits, ε per kilometre, and what a tracker infers."""

from __future__ import annotations

import math
from typing import Final

from leakgauge.artefacts import Origin, Quantity
from leakgauge.artefacts.design import Role
from leakgauge.artefacts.location import PlacedMechanism
from leakgauge.jobs.location.places import Mapped
from leakgauge.location.mechanisms.placed import Placed, epsilon_per_km
from leakgauge.location.shown import bits, metres
from leakgauge.location.tracking.bayes import Inference, infer
from leakgauge.location.tracking.large_maps import infer_by_drawing
from leakgauge.mechanisms import Mechanism
from leakgauge.notions.ratios import identifiability
from leakgauge.probability import Channel, Distribution

MOST_IN_PAIRS = 1024
"""Areas up to which every pair of them is compared at every output."""
DRAWS: Final = 150
"""Places that are drawn where a map is too large for a matrix."""
PER_KM: Final = "nats per km"


def measured(
    mapped: Mapped, placed: Placed, *, name: str, role: Role, radius: float, claimed: float | None = None
) -> tuple[PlacedMechanism, Inference]:
    """The numbers of a mechanism, exactly, and what a tracker who sees one report infers.

    Args:
        claimed: the ε per kilometre that the mechanism promises, where it does: it holds for what is drawn, while a
            matrix of floats has one of its own.
    """
    prior, distances, channel = mapped.prior, mapped.distances, placed.channel
    found = infer(prior, channel, distances)
    small = len(prior) <= MOST_IN_PAIRS
    epsilon = claimed if claimed is not None else epsilon_per_km(channel, distances) if small else None
    numbers = PlacedMechanism(
        mechanism=name,
        role=role,
        distance=metres(placed.mean_distance(prior, distances)),
        leakage=bits(found.information),
        epsilon=None if epsilon is None else per_km(epsilon, declared=claimed is not None),
        identifiability=_identified(channel, prior) if small else None,
        tracker_error=metres(found.error),
        within=Quantity(found.within(radius), "share"),
        contains=None if placed.members is None else Quantity(placed.contains(prior), "share"),
        size=None if placed.members is None else Quantity(placed.mean_size(prior), "areas"),
    )
    return numbers, found


def drawn(mapped: Mapped, mechanism: Mechanism, *, name: str, role: Role, claimed: float | None) -> PlacedMechanism:
    """The same of a map that is too large for a matrix, from places and reports that are drawn, with intervals."""
    assert mechanism.law is not None
    found = infer_by_drawing(mapped.prior, mechanism.law, mapped.areas.points, draws=DRAWS)
    return PlacedMechanism(
        mechanism=name,
        role=role,
        leakage=Quantity.estimated(found.information, "bits"),
        epsilon=None if claimed is None else per_km(claimed, declared=True),
        tracker_error=Quantity.estimated(found.error, "m"),
    )


def per_km(epsilon: float, *, declared: bool = False) -> Quantity:
    """A level of metric privacy."""
    return Quantity(epsilon, PER_KM, origin=Origin.DECLARED if declared else Origin.TABLE)


def _identified(channel: Channel, prior: Distribution) -> Quantity:
    """Of the areas that occur: where the prior is 0, two posteriors differ without bound whatever is released."""
    there = [label for label, share in zip(prior.outcomes, prior.probabilities.tolist(), strict=True) if share]
    if len(there) < 2:
        return Quantity(0.0, "nats")
    known = Distribution(there, [prior[label] for label in there])
    level = identifiability(channel.restrict(there), known).value
    return Quantity(level if not math.isnan(level) else math.inf, "nats")

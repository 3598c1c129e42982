"""One mechanism on areas in numbers: metres, bits, ε per kilometre, and what a tracker infers."""

from __future__ import annotations

import math

import numpy as np

from leakgauge.artefacts import Origin, Quantity
from leakgauge.artefacts.design import Role
from leakgauge.artefacts.location import PlacedMechanism
from leakgauge.jobs.location.places import Mapped
from leakgauge.jobs.location.shown import bits, metres
from leakgauge.location.tracking.bayes import Inference, infer
from leakgauge.notions.ratios import identifiability, metric_privacy
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.cells import Floats

MOST_IN_PAIRS = 1024
"""Areas up to which every pair of them is compared at every output."""
PER_KM = "nats per km"


def measured(
    mapped: Mapped,
    channel: Channel,
    places: Floats,
    *,
    name: str,
    role: Role,
    radius: float,
    claimed: float | None = None,
) -> tuple[PlacedMechanism, Inference]:
    """The numbers of a channel from areas to outputs.

    Args:
        places: where each output lies, in metres as the areas' centres.
        claimed: the ε per kilometre that the mechanism promises, where it does: it holds for what is drawn, while a
            matrix of floats has one of its own.
    """
    prior, shares = mapped.prior, mapped.prior.probabilities
    found = infer(prior, channel, mapped.distances)
    there = np.flatnonzero(shares)
    far = np.hypot(*(mapped.areas.points[there, None, :] - places[None, :, :]).transpose(2, 0, 1))
    distance = float(shares[there] @ (channel.matrix[there] * far).sum(axis=1))
    small = len(shares) <= MOST_IN_PAIRS
    epsilon = claimed if claimed is not None else _per_km(channel, mapped.distances) if small else None
    return (
        PlacedMechanism(
            mechanism=name,
            role=role,
            distance=metres(distance),
            leakage=bits(found.information),
            epsilon=None if epsilon is None else per_km(epsilon, declared=claimed is not None),
            identifiability=_identified(channel, prior) if small else None,
            tracker_error=metres(found.error),
            within=Quantity(found.within(radius), "share"),
        ),
        found,
    )


def per_km(epsilon: float, *, declared: bool = False) -> Quantity:
    """A level of metric privacy."""
    return Quantity(epsilon, PER_KM, origin=Origin.DECLARED if declared else Origin.TABLE)


def _per_km(channel: Channel, distances: Floats) -> float:
    return metric_privacy(channel, distances / 1000).value


def _identified(channel: Channel, prior: Distribution) -> Quantity:
    """Of the areas that occur: where the prior is 0, two posteriors differ without bound whatever is released."""
    there = [label for label, share in zip(prior.outcomes, prior.probabilities.tolist(), strict=True) if share]
    if len(there) < 2:
        return Quantity(0.0, "nats")
    known = Distribution(there, [prior[label] for label in there])
    level = identifiability(channel.restrict(there), known).value
    return Quantity(level if not math.isnan(level) else math.inf, "nats")

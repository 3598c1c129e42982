"""Mechanisms on areas at one mean distance, ranked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Unpack

from leakgauge.arguments import checked
from leakgauge.artefacts import Quantity
from leakgauge.artefacts.design import Role
from leakgauge.artefacts.location import LocationComparison, PlacedMechanism
from leakgauge.artefacts.request.places import WITHIN, Places
from leakgauge.distances.map_cells import MapCells
from leakgauge.errors import OptionError
from leakgauge.jobs.location.choice import named, per_km
from leakgauge.jobs.location.places import Mapped, table_name
from leakgauge.languages import message
from leakgauge.location.comparison import (
    LEAST_LEAKING,
    LEAST_RATE,
    MOST_RATE,
    PLANAR_LAPLACE,
    Comparison,
    Family,
    Measured,
    compare_mechanisms,
    dummy_family,
    exponential_family,
    families_on,
)
from leakgauge.location.mechanisms.placed import PER_KILOMETRE, Placed
from leakgauge.location.shown import bits, metres
from leakgauge.location.tracking.bayes import infer
from leakgauge.probability import PriorOrigin
from leakgauge.sentences import Sentence
from leakgauge.tables import open_table
from leakgauge.tables.reading import ReadingOptions
from leakgauge.telling.figures.map import metres as length

NAMES: Final = {
    LEAST_LEAKING: message("least leaking channel"),
    PLANAR_LAPLACE: message("planar Laplace noise"),
    "closest-private": message("least distance at this ε"),
    "exponential": message("exponential mechanism"),
    "coarser-cells": message("blocks of cells"),
    "areas-of-users": message("areas of enough users"),
    "dummies": message("dummies from the prior"),
}
"""What the families are called."""
NO_WASTE: Final = 1e-3
MOST_AREAS: Final = 1024
"""Areas up to which every mechanism is set to a distance and measured: some tens of seconds."""


@checked
def compare_places(
    table: object,
    places: Places,
    mechanisms: Sequence[str] = (),
    *,
    max_distance: float,
    within: float = WITHIN,
    **reading: Unpack[ReadingOptions],
) -> LocationComparison:
    """Mechanisms on the areas of a table, each at this mean distance or as close below it as it comes.

    Args:
        mechanisms: further ones with their own settings, such as ``coarser-cells:level=2``, or channel files.
        max_distance: in metres.
        within: how near a tracker's guess counts as near, in metres.

    Raises:
        OptionError: too many areas, or a mechanism that is none or has no exact channel on them.
    """
    with open_table(table, **reading) as source:
        mapped = Mapped.of(places, source)
    count = len(mapped.areas.labels)
    if count > MOST_AREAS:
        raise OptionError(
            "{count:,} areas are more than the {most:,} on which mechanisms are compared; choose larger cells.",
            count=count,
            most=MOST_AREAS,
        )
    given = [_given(mapped, text, places.column) for text in mechanisms]
    found = compare_mechanisms(mapped.prior, mapped.distances, (*_families(mapped), *given), max_distance, within)
    best = infer(mapped.prior, found.ranking[0].placed.channel, mapped.distances)
    return LocationComparison(
        table=table_name(table),
        areas=mapped.told,
        max_distance=metres(max_distance),
        radius=metres(within),
        entropy=mapped.entropy,
        best_guess=metres(found.constant),
        ranking=tuple(_told(one, given) for one in found.ranking),
        advice=_advice(found),
        left_out=tuple(_left_out(name, distance) for name, distance in found.left_out.items()),
        prior=PriorOrigin.THIS_TABLE,
        keep_inside=True,
        map=mapped.map(error=best.errors),
    )


def _families(mapped: Mapped) -> Sequence[Family]:
    if isinstance(mapped.areas, MapCells):
        return families_on(mapped.areas, mapped.prior)
    far = mapped.distances
    near = float(far[far > 0].min()) / PER_KILOMETRE if (far > 0).any() else 1.0
    ends = (LEAST_RATE / near, MOST_RATE / near)
    return (exponential_family(mapped.prior, far, ends), *dummy_family(mapped.prior))


def _given(mapped: Mapped, text: str, column: str) -> Family:
    """A mechanism with its own setting, as a family of one."""
    choice = named(mapped, text, column)
    if not choice.is_placed:
        raise OptionError(
            "{name!s} releases no areas of this map, so that no distance can be measured; leave it out.",
            name=choice.name,
        )
    return Family(choice.name, lambda _: Placed(choice.mechanism, choice.members), (0.0,))


def _told(one: Measured, given: Sequence[Family]) -> PlacedMechanism:
    own = any(one.name == family.name for family in given)
    role = Role.OPTIMUM if one.name == LEAST_LEAKING else Role.GIVEN if own else Role.BASELINE
    set_valued = one.placed.members is not None
    return PlacedMechanism(
        mechanism=one.name if own else NAMES[one.name],
        role=role,
        setting=None if own else one.setting,
        distance=metres(one.mean_distance),
        leakage=bits(one.information),
        epsilon=per_km(one.epsilon),
        identifiability=Quantity(one.identifiability if not math.isnan(one.identifiability) else math.inf, "nats"),
        tracker_error=metres(one.tracker_error),
        within=Quantity(one.within, "share"),
        # What the proof of the optimum leaves open may be no waste at all.
        waste=bits(one.waste if one.waste > NO_WASTE else 0.0),
        contains=Quantity(one.contains, "share") if set_valued else None,
        size=Quantity(one.size, "areas") if set_valued else None,
    )


def _left_out(name: str, distance: float) -> Sentence:
    if name not in NAMES:
        return Sentence(
            "{name!s} is left out: its mean distance is {distance!s}.", name=name, distance=length(distance)
        )
    return Sentence(
        "Left out: {name}, whose mean distance is {distance!s} or more, whatever the setting.",
        name=Sentence(NAMES[name]),
        distance=length(distance),
    )


def _advice(found: Comparison) -> Sentence | None:
    """Which one to take: the optimum, beside noise with a promise that holds whatever is known."""
    best = found.ranking[0]
    noise = next((one for one in found.ranking if one.name == PLANAR_LAPLACE), None)
    if found.constant <= found.mean_distance:
        return Sentence(
            "At this distance a single fixed place is enough, which reveals nothing: choose a smaller "
            "distance if the release is to help anybody."
        )
    if noise is None:
        return Sentence("The least leaking channel reveals {bits:.3g} bits.", bits=best.information)
    return Sentence(
        "The least leaking channel reveals {least:.3g} bits where planar Laplace noise reveals {bits:.3g}, and a "
        "tracker errs by {far!s} instead of {near!s}; planar Laplace promises an ε of {epsilon:.3g} per km "
        "whatever somebody knows.",
        least=best.information,
        bits=noise.information,
        far=length(best.tracker_error),
        near=length(noise.tracker_error),
        epsilon=noise.epsilon,
    )

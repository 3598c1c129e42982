"""The mechanism that protects places: planar Laplace noise, the least leaking channel, or a named one; its numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from leakgauge.artefacts import Origin, Quantity
from leakgauge.artefacts.channel_file import ChannelFile, read_channel
from leakgauge.artefacts.design import Role
from leakgauge.artefacts.location import PlacedMechanism
from leakgauge.artefacts.request.places import PlaceProtection
from leakgauge.claims import MetricPrivacy
from leakgauge.design import MaxDistortion, MaxLeakage, RateDistortion, solve
from leakgauge.design.problem import Target
from leakgauge.distances.map_cells import MapCells
from leakgauge.errors import OptionError
from leakgauge.jobs.location.places import Mapped
from leakgauge.location.areas import MOST_COMPARED
from leakgauge.location.mechanisms.placed import Placed, epsilon_per_km
from leakgauge.location.mechanisms.placed import planar as on_cells
from leakgauge.location.shown import bits, metres
from leakgauge.location.tracking.bayes import Inference, infer
from leakgauge.location.tracking.large_maps import infer_by_drawing
from leakgauge.mechanisms import Mechanism, parse_mechanism
from leakgauge.mechanisms.finite import through_channel
from leakgauge.mechanisms.on_cells import box_of
from leakgauge.notions.ratios import identifiability
from leakgauge.probability import Channel, Distribution, PriorOrigin
from leakgauge.probability.files import NamedChannel

ON_CELLS: Final = ("planar-laplace", "coarser-cells", "dummies")
"""Mechanisms that are declared with a map, which is that of the table unless they name another."""
Members: TypeAlias = tuple[tuple[int, ...], ...]
EDGES: Final = ("south", "north", "west", "east", "rows", "columns")
GAP: Final = 1e-4
"""How far a designed channel may be from the least leakage, in nats: no digit on a screen changes."""
LEAST: Final = "least leaking channel"
MOST_IN_PAIRS: Final = 1024
"""Areas up to which every pair of them is compared at every output."""
DRAWS: Final = 150
"""Places that are drawn where a map is too large for a matrix."""
PER_KM: Final = "nats per km"


@dataclass(frozen=True)
class Chosen:
    """A mechanism for the areas of a map.

    Attributes:
        channel: of a designed one, with the columns that it reads and writes; None of one with a spelling.
        members: the areas that each output stands for; None where each is one area.
        gap: how far a designed one may be from the least leakage, in bits; None where nothing was designed.
    """

    mechanism: Mechanism
    role: Role
    name: str
    channel: NamedChannel | None = None
    gap: float | None = None
    members: Members | None = None

    @property
    def is_placed(self) -> bool:
        """Whether it is known where its outputs lie."""
        released = self.mechanism.released
        return self.members is not None or (released is not None and set(released) <= set(self.mechanism.letters or ()))

    @property
    def planned(self) -> Mechanism | NamedChannel:
        """As a release plan takes it."""
        return self.mechanism if self.channel is None else self.channel

    @property
    def epsilon(self) -> float | None:
        """The ε per kilometre that is promised; None where nothing is."""
        unit = self.mechanism.parameters.get("unit")
        claims = [one.level for one in self.mechanism.claims if isinstance(one, MetricPrivacy)]
        return claims[0] if claims and unit == "km" else None

    @property
    def promised(self) -> Quantity | None:
        """The same as stored."""
        return None if self.epsilon is None else per_km(self.epsilon, declared=True)

    @property
    def file(self) -> ChannelFile | None:
        """The channel file of a designed one."""
        return None if self.channel is None else ChannelFile.of(self.channel)


def planar(mapped: Mapped, epsilon: float) -> Chosen:
    """Planar Laplace noise of this ε per kilometre on the cells of the map."""
    return _of(on_cells(_map_of(mapped, "planar-laplace"), epsilon).mechanism, Role.GIVEN)


def named(mapped: Mapped, text: str, column: str) -> Chosen:
    """The mechanism of a text; one on cells takes the map of the table, where it names no other.

    Raises:
        OptionError: an unknown mechanism, one for another map, or one that needs cells where areas are none.
    """
    kind, _, rest = text.partition(":")
    if kind in ON_CELLS and "south=" not in rest:
        box = ",".join(f"{key}={value}" for key, value in box_of(_map_of(mapped, kind)).items())
        text = f"{kind}:{rest},{box}" if rest else f"{kind}:{box}"
    mechanism = parse_mechanism(text, letters=mapped.areas.labels)
    if mechanism.letters is None or set(mechanism.letters) < set(_occurring(mapped)):
        raise OptionError(
            "{name!s} does not read the {count:,} areas of this map; give a mechanism that is declared for them.",
            name=kind,
            count=len(mapped.areas.labels),
        )
    if kind.endswith(".json"):
        read = read_channel(text)
        own = NamedChannel(read.channel, (column,), (column,), read.prior_origin)
        return Chosen(mechanism, Role.GIVEN, Path(kind).name, own)
    return replace(_of(mechanism, Role.GIVEN), members=mechanism.stands_for)


def least_leaking(mapped: Mapped, target: Target, column: str) -> Chosen:
    """The channel that leaks least at a mean distance in metres, or errs least at a leakage in bits.

    Raises:
        OptionError: too many areas.
        RefusalError: no channel meets the target.
    """
    solution = solve(RateDistortion(mapped.prior, mapped.distortion, target), GAP)
    return replace(designed(solution.channel, column, Role.OPTIMUM, LEAST), gap=solution.gap)


def designed(channel: Channel, column: str, role: Role, name: str) -> Chosen:
    """A channel on areas that was designed for the table."""
    exact = through_channel(channel)
    return Chosen(exact, role, name, NamedChannel(exact.channel(), (column,), (column,), PriorOrigin.THIS_TABLE))


def chosen(mapped: Mapped, column: str, asked: PlaceProtection) -> Chosen:
    """The mechanism that exactly one of the options asks for.

    Raises:
        OptionError: none of them, or several.
    """
    given = asked.given()
    if len(given) != 1:
        raise OptionError(
            "The protection is given in {count} ways; give exactly one of --epsilon-per-km, --max-distance, "
            "--max-leakage and --mechanism.",
            count=len(given),
        )
    if asked.epsilon_per_km is not None:
        return planar(mapped, asked.epsilon_per_km)
    if asked.mechanism is not None:
        return named(mapped, asked.mechanism, column)
    distance = asked.max_distance
    target = MaxDistortion(distance) if distance is not None else MaxLeakage(asked.max_leakage or 0.0)
    return least_leaking(mapped, target, column)


def in_numbers(mapped: Mapped, choice: Chosen, radius: float) -> tuple[PlacedMechanism, Inference | None] | None:
    """What the mechanism does on this map, drawn where the map is too large for a matrix; None where nothing is known.

    Without a matrix there is no inference area by area.
    """
    if not choice.is_placed:
        return None
    if len(mapped.areas.labels) > MOST_COMPARED:
        return _drawn(mapped, choice), None
    return _measured(mapped, choice, radius)


def _measured(mapped: Mapped, choice: Chosen, radius: float) -> tuple[PlacedMechanism, Inference]:
    """The numbers of a mechanism, exactly, and what a tracker who sees one report infers."""
    placed, prior, distances = Placed(choice.mechanism, choice.members), mapped.prior, mapped.distances
    found = infer(prior, placed.channel, distances)
    small = len(prior) <= MOST_IN_PAIRS
    # A promise holds for what is drawn, while a matrix of floats has an ε of its own.
    own = epsilon_per_km(placed.channel, distances) if choice.epsilon is None and small else None
    numbers = PlacedMechanism(
        mechanism=choice.name,
        role=choice.role,
        distance=metres(placed.mean_distance(prior, distances)),
        leakage=bits(found.information),
        epsilon=choice.promised if own is None else per_km(own),
        identifiability=_identified(placed.channel, prior) if small else None,
        tracker_error=metres(found.error),
        within=Quantity(found.within(radius), "share"),
        contains=None if placed.members is None else Quantity(placed.contains(prior), "share"),
        size=None if placed.members is None else Quantity(placed.mean_size(prior), "areas"),
    )
    return numbers, found


def _drawn(mapped: Mapped, choice: Chosen) -> PlacedMechanism:
    """The same for a map that is too large for a matrix, from places and reports that are drawn, with intervals."""
    assert choice.mechanism.law is not None
    found = infer_by_drawing(mapped.prior, choice.mechanism.law, mapped.areas.points, draws=DRAWS)
    return PlacedMechanism(
        mechanism=choice.name,
        role=choice.role,
        leakage=Quantity.estimated(found.information, "bits"),
        epsilon=choice.promised,
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


def _of(mechanism: Mechanism, role: Role) -> Chosen:
    # The map is told beside it.
    short = {key: value for key, value in mechanism.parameters.items() if key not in (*EDGES, "letters")}
    name = ",".join(f"{key}={value}" for key, value in short.items())
    return Chosen(mechanism, role, f"{mechanism.name}:{name}".rstrip(":"))


def _map_of(mapped: Mapped, name: str) -> MapCells:
    if not isinstance(mapped.areas, MapCells):
        raise OptionError(
            "{name!s} needs cells, and the areas are {kind}; give --cell, or --max-distance for a designed channel.",
            name=name,
            kind=mapped.told.kind,
        )
    return mapped.areas


def _occurring(mapped: Mapped) -> list[str]:
    counts = mapped.visits.counts.tolist()
    return [label for label, count in zip(mapped.areas.labels, counts, strict=True) if count]

"""What is found about places: a survey of points, mechanisms on one scale, a protected table, a track."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from leakgauge.artefacts.design import Role
from leakgauge.artefacts.quantity import Artefact, Origin, Part, Quantity, Real
from leakgauge.probability import PriorOrigin
from leakgauge.sentences import Sentence

Ring = tuple[tuple[Real, Real], ...]
"""Corners in metres east and north of the south-western corner of a map."""


class AreasTold(Part, frozen=True, kw_only=True):
    """How the earth was cut into areas.

    Attributes:
        kind: cells, hexagons, named areas or polygons.
        height: of a cell, in metres; None where areas differ. The width likewise.
        edges: south, north, west and east in degrees.
        declared: whether the edges were declared, and do not follow from the points.
        stretch: by which share of itself a distance may be off, at most.
    """

    kind: Annotated[str, Origin.DECLARED]
    count: Annotated[int, Origin.DECLARED]
    height: Quantity | None = None
    width: Quantity | None = None
    rows: int | None = None
    columns: int | None = None
    edges: tuple[Real, Real, Real, Real] | None = None
    declared: bool = False
    stretch: Quantity | None = None


class MapShown(Part, frozen=True, kw_only=True):
    """A map as it is drawn: rows of cells from south to north, or outlines, each area with its values.

    Attributes:
        width: from west to east, in metres; the height likewise.
        rows: of cells; None where areas have outlines.
        merged: cells along each side that are drawn as one.
        outlines: the rings of each area that is not a cell of a grid.
        values: by what they are of, one number per area; None where there is none, such as where nobody is.
    """

    width: Real
    height: Real
    rows: int | None = None
    columns: int | None = None
    merged: int = 1
    outlines: tuple[tuple[Ring, ...], ...] = ()
    values: Mapping[str, tuple[Real | None, ...]] = {}
    paths: Mapping[str, Ring] = {}


class Hour(Part, frozen=True):
    """The points of one hour of the day, and the entropy of where they lie."""

    hour: Annotated[int, Origin.PUBLIC]
    points: Annotated[int, Origin.COUNT]
    entropy: Quantity


class LocationSurvey(Artefact, frozen=True, kw_only=True, tag="leakgauge/location-survey/1"):
    """Where the points of a table lie.

    Attributes:
        points: inside the map; ``outside`` and ``missing`` come on top.
        users: persons; None where no column names them.
        few: the number below which people are few; ``areas_of_few`` and ``points_of_few`` are about areas of fewer.
        best_guess: how far off the best constant guess is, on average.
    """

    table: str
    areas: AreasTold
    points: Annotated[int, Origin.COUNT]
    outside: Annotated[int, Origin.COUNT]
    missing: Annotated[int, Origin.COUNT]
    occupied: Annotated[int, Origin.COUNT]
    users: Annotated[int | None, Origin.COUNT] = None
    few: Annotated[int, Origin.DECLARED]
    areas_of_few: Annotated[int, Origin.COUNT]
    points_of_few: Annotated[int, Origin.COUNT]
    entropy: Quantity
    best_guess: Quantity
    hours: tuple[Hour, ...] = ()
    notes: tuple[Sentence, ...] = ()
    map: MapShown


class PlacedMechanism(Part, frozen=True, kw_only=True):
    """A mechanism on areas with its own parameters; numbers that a map is too large for are None.

    Attributes:
        setting: that was found for it, such as an ε per kilometre or a level; None where it has none or its own.
        epsilon: of metric privacy, per kilometre; infinite where an output rules an area out.
        tracker_error: how far the best guess of someone who knows the prior and sees one report is off, on average.
        within: the probability that this guess is at most ``radius`` off.
        waste: what it leaks beyond the least at its own distance.
        contains: for releases that are sets of areas, the probability that the truth is among them.
        size: of such a set, on average.
    """

    mechanism: str
    role: Role
    setting: Real | None = None
    distance: Quantity | None = None
    leakage: Quantity | None = None
    epsilon: Quantity | None = None
    identifiability: Quantity | None = None
    tracker_error: Quantity | None = None
    within: Quantity | None = None
    waste: Quantity | None = None
    contains: Quantity | None = None
    size: Quantity | None = None


class LocationDesign(Artefact, frozen=True, kw_only=True, tag="leakgauge/location-design/1"):
    """A designed channel on areas.

    Attributes:
        kind: whether it leaks least at a distance, or errs least at an ε per kilometre.
        gap: how far the leakage (in bits) or the distance (in metres) may be above the least.
    """

    table: str
    areas: AreasTold
    kind: str
    designed: PlacedMechanism
    gap: Quantity
    entropy: Quantity
    best_guess: Quantity
    radius: Quantity
    prior: PriorOrigin
    keep_inside: bool
    map: MapShown


class LocationComparison(Artefact, frozen=True, kw_only=True, tag="leakgauge/location-comparison/1"):
    """Mechanisms on areas at one mean distance, the one that leaks least first.

    Attributes:
        entropy: of the prior; ``best_guess`` is how far off the best constant guess is.
    """

    table: str
    areas: AreasTold
    max_distance: Quantity
    radius: Quantity
    entropy: Quantity
    best_guess: Quantity
    ranking: tuple[PlacedMechanism, ...]
    advice: Sentence | None = None
    left_out: tuple[Sentence, ...] = ()
    prior: PriorOrigin
    keep_inside: bool
    map: MapShown


class Repeats(Part, frozen=True, kw_only=True):
    """What the reports of one person tell together.

    Attributes:
        most: the most reports of a person; ``typical`` is the median.
        epsilon: per kilometre, of all reports of the person with most: of one report times as many.
        same_place: how far off the average of as many reports from one place is, where they are fresh draws; None
            where it was not computed.
    """

    people: int
    most: int
    typical: Real
    epsilon: Quantity
    same_place: Quantity | None = None


class LocationProtection(Artefact, frozen=True, kw_only=True, tag="leakgauge/location-protection/1"):
    """A table whose places were protected.

    Attributes:
        private: whether the noise was drawn by the operating system, and not simulated.
        measured_distance: how far the places written really are from the true ones, on average; None of sets.
        epsilon_per_person: per kilometre, over all reports that a person may make.
    """

    table: str
    areas: AreasTold
    rows: Annotated[int, Origin.COUNT]
    left_out: Annotated[int, Origin.COUNT]
    released: str
    record: str
    channel: str | None = None
    centres: str | None = None
    private: bool
    used: PlacedMechanism
    measured_distance: Quantity | None = None
    entropy: Quantity
    best_guess: Quantity
    radius: Quantity
    epsilon_per_person: Quantity | None = None
    repeats: Repeats | None = None
    warnings: tuple[Sentence, ...] = ()
    prior: PriorOrigin
    map: MapShown


class Tracked(Part, frozen=True, kw_only=True):
    """How well one attacker follows the traces.

    Attributes:
        error: how far its guesses were off on average, with an interval over traces.
        predicted: what it expects itself; None where it makes no prediction.
    """

    attacker: str
    error: Quantity
    predicted: Quantity | None = None
    within: Quantity


class LocationTrack(Artefact, frozen=True, kw_only=True, tag="leakgauge/location-track/1"):
    """What a tracker makes of released traces.

    Attributes:
        simulated: whether the traces were drawn from a mobility model with this seed; None where they are the table's.
        attackers: the weakest first.
        window: steps of the window; ``window_leakage`` is I(X₁…X_w; Y₁…Y_w), and ``step_leakage`` that of one step.
    """

    table: str
    areas: AreasTold
    simulated: int | None = None
    traces: Annotated[int, Origin.COUNT]
    steps: Annotated[int, Origin.COUNT]
    mechanism: str
    released_error: Quantity
    attackers: tuple[Tracked, ...]
    window: int
    step_leakage: Quantity
    window_leakage: Quantity
    radius: Quantity
    warnings: tuple[Sentence, ...] = ()
    map: MapShown

"""Which points of a table are looked at, and into which areas the earth is cut for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.location import AreasTold, MapShown
from leakgauge.artefacts.request.places import Places
from leakgauge.distances.distortions import Given
from leakgauge.distances.map_cells import MOST_STRETCH
from leakgauge.errors import OptionError
from leakgauge.location.areas import MOST_COMPARED, Areas, distances_between, least_mean_distance
from leakgauge.location.box import CellSide, learn_box, parse_box, parse_cell_size
from leakgauge.location.extent import extent_of
from leakgauge.location.points import Points
from leakgauge.location.prior import Grouping, Visits, visits
from leakgauge.location.shown import areas_told, bits, map_shown, metres
from leakgauge.measures import shannon
from leakgauge.measures.countability import is_countable
from leakgauge.probability import Distribution
from leakgauge.probability.cells import Floats
from leakgauge.sentences import Sentence
from leakgauge.tables import Table

NOTED_STRETCH = 0.01
"""What a distance may be off by, as a share of itself, without a word."""


@dataclass(frozen=True)
class Mapped:
    """Areas, the points counted in them, and what follows from both."""

    points: Points
    areas: Areas
    told: AreasTold
    visits: Visits
    notes: tuple[Sentence, ...]
    smoothing: float

    @classmethod
    def of(cls, places: Places, table: Table, by: Grouping | None = None) -> Mapped:
        """The areas with the points in them."""
        points = Points(table, places.lat, places.lon, places.time, places.user, places.weight)
        areas, kind, notes = _areas(places, points)
        off = float(getattr(areas, "stretch", 0.0))
        if off > MOST_STRETCH:
            raise OptionError(
                "On a map this large a step east has no one length: it is off by {off:.0%}; choose areas that lie "
                "nearer to each other, or further from the poles.",
                off=min(off, 9.99),
            )
        if off > NOTED_STRETCH:
            notes += (
                Sentence(
                    "Distances and ε per km are those of a flat map, off by up to {off:.0%} on this one.", off=off
                ),
            )
        found = visits(points, areas, by)
        notes += found.notices
        occupied, inside = int((found.counts > 0).sum()), int(found.counts.sum())
        if places.weight is None and not is_countable(occupied, inside):
            notes += (
                Sentence(
                    "{points:,} points in {areas:,} areas are too few to tell how much a place reveals: entropies and "
                    "leakages come out too small; choose larger areas.",
                    points=inside,
                    areas=occupied,
                ),
            )
        # Nothing about these follows from the points.
        declared = places.box is not None or places.areas is not None
        return cls(points, areas, areas_told(areas, kind, declared=declared), found, notes, places.smoothing)

    @cached_property
    def prior(self) -> Distribution:
        """The shares of the areas."""
        return self.visits.prior(self.smoothing)

    @cached_property
    def distances(self) -> Floats:
        """Between all areas, in metres.

        Raises:
            OptionError: more areas than can be compared pair by pair.
        """
        if len(self.areas.places) > MOST_COMPARED:
            raise OptionError(
                "{count:,} areas are more than the {most:,} that are compared pair by pair; choose larger cells.",
                count=len(self.areas.places),
                most=MOST_COMPARED,
            )
        return distances_between(self.areas)

    @property
    def distortion(self) -> Given:
        """The distances as a distortion between labels."""
        return Given(self.distances, self.areas.labels, self.areas.labels)

    @property
    def entropy(self) -> Quantity:
        """Of the area of a point."""
        return bits(shannon.entropy(self.prior))

    @cached_property
    def best_guess(self) -> Quantity:
        """How far off the best constant guess is on average."""
        return metres(least_mean_distance(self.areas.points, self.prior.probabilities))

    def map(self, **values: Floats) -> MapShown:
        """The map with these values beside the prior."""
        return map_shown(self.areas, self.prior.probabilities, values)


def table_name(table: object) -> str:
    """What a table is called in an artefact; empty where it has no file."""
    return Path(table).name if isinstance(table, str | Path) else ""


def _areas(places: Places, points: Points) -> tuple[Areas, str, tuple[Sentence, ...]]:
    if places.cell is not None:
        return _cells(places, points)
    extent = extent_of(points)
    extent.require_places()
    if places.hexagons is not None:
        from leakgauge.location.hexagons import hexagons_of

        return hexagons_of(points, places.hexagons), "hexagons", extent.notices
    if places.area is not None:
        from leakgauge.location.named_areas import areas_of_column

        return areas_of_column(points, places.area), "named areas", extent.notices
    assert places.areas is not None
    if places.areas.suffix.lower() == ".csv":
        from leakgauge.location.named_areas import read_named_areas

        return read_named_areas(places.areas), "named areas", extent.notices
    from leakgauge.location.polygons import read_polygons

    return read_polygons(places.areas), "polygons", extent.notices


def _cells(places: Places, points: Points) -> tuple[Areas, str, tuple[Sentence, ...]]:
    assert places.cell is not None
    size = parse_cell_size(places.cell)
    extent = extent_of(points)
    if places.box is not None:
        return size.on(parse_box(places.box)), "cells", extent.notices
    learnt = learn_box(extent, size.metres if isinstance(size, CellSide) else None)
    return size.on(learnt.box), "cells", extent.notices + learnt.notices

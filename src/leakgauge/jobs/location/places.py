"""Which points of a table are looked at, and into which areas the earth is cut for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.location import AreasTold, MapShown
from leakgauge.distances.distortions import Given
from leakgauge.distances.map_cells import MOST_STRETCH
from leakgauge.errors import OptionError
from leakgauge.location.areas import MOST_COMPARED, Areas, distances_between, least_mean_distance
from leakgauge.location.box import learn_box, parse_box
from leakgauge.location.cell_size import CellSide, parse_cell_size
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
class Places:
    """The columns of the points, and how areas are made.

    Attributes:
        lat: the column of latitudes; ``lon`` that of longitudes.
        cell: the size of cells, such as 500m, or how many, such as 12x12.
        box: south, north, west and east of the map; learnt from the points where it is not declared.
        hexagons: the resolution of hexagons instead of cells.
        areas: a file of polygons (GeoJSON), or of names and centres (CSV).
        area: a column that names areas.
        time: the column of times; ``user`` that of persons; ``weight`` that says how much a row counts.
        smoothing: what is added to the weight of each area.
    """

    lat: str
    lon: str
    cell: str | None = None
    box: str | None = None
    hexagons: int | None = None
    areas: Path | None = None
    area: str | None = None
    time: str | None = None
    user: str | None = None
    weight: str | None = None
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        ways = [self.cell, self.hexagons, self.areas, self.area]
        named = sum(one is not None for one in ways)
        if named != 1:
            raise OptionError(
                "The areas are given in {count} ways; give exactly one of --cell, --hexagons, --areas and --area.",
                count=named,
            )
        if self.box is not None and self.cell is None:
            raise OptionError(
                "--box {box!r} is the edge of a map of cells; give it together with --cell.", box=self.box
            )

    @property
    def column(self) -> str:
        """What the column of areas is called in a release."""
        return "area" if self.area is not None or self.areas is not None else "cell"

    def counted(self, table: Table, by: Grouping | None = None) -> Mapped:
        """The areas with the points in them."""
        points = Points(table, self.lat, self.lon, self.time, self.user, self.weight)
        areas, kind, notes = self._areas(points)
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
        if self.weight is None and not is_countable(occupied, inside):
            notes += (
                Sentence(
                    "{points:,} points in {areas:,} areas are too few to tell how much a place reveals: entropies and "
                    "leakages come out too small; choose larger areas.",
                    points=inside,
                    areas=occupied,
                ),
            )
        return Mapped(points, areas, areas_told(areas, kind, declared=self._declared), found, notes, self.smoothing)

    @property
    def _declared(self) -> bool:
        """Whether nothing about the areas follows from the points."""
        return self.box is not None or self.areas is not None

    def _areas(self, points: Points) -> tuple[Areas, str, tuple[Sentence, ...]]:
        if self.cell is not None:
            return self._cells(points)
        extent = extent_of(points)
        extent.require_places()
        if self.hexagons is not None:
            from leakgauge.location.hexagons import hexagons_of

            return hexagons_of(points, self.hexagons), "hexagons", extent.notices
        if self.area is not None:
            from leakgauge.location.named_areas import areas_of_column

            return areas_of_column(points, self.area), "named areas", extent.notices
        assert self.areas is not None
        if self.areas.suffix.lower() == ".csv":
            from leakgauge.location.named_areas import read_named_areas

            return read_named_areas(self.areas), "named areas", extent.notices
        from leakgauge.location.polygons import read_polygons

        return read_polygons(self.areas), "polygons", extent.notices

    def _cells(self, points: Points) -> tuple[Areas, str, tuple[Sentence, ...]]:
        assert self.cell is not None
        size = parse_cell_size(self.cell)
        extent = extent_of(points)
        if self.box is not None:
            return size.on(parse_box(self.box)), "cells", extent.notices
        learnt = learn_box(extent, size.metres if isinstance(size, CellSide) else None)
        return size.on(learnt.box), "cells", extent.notices + learnt.notices


@dataclass(frozen=True)
class Mapped:
    """Areas, the points counted in them, and what follows from both."""

    points: Points
    areas: Areas
    told: AreasTold
    visits: Visits
    notes: tuple[Sentence, ...]
    smoothing: float

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

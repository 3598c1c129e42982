"""Areas as they are told and drawn: a map of at most a few thousand, with a value each."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from leakgauge.artefacts import Origin, Quantity
from leakgauge.artefacts.location import AreasTold, MapShown, Ring
from leakgauge.distances.map_cells import METRES_PER_DEGREE, MapCells
from leakgauge.location.areas import Areas
from leakgauge.location.hexagons import Hexagons
from leakgauge.location.polygons import Polygons
from leakgauge.probability.cells import Codes, Floats

MOST_DRAWN = 2500
"""Areas that are drawn: more can neither be seen nor be pointed at."""
SUMS = ("prior", "released")
"""Values of which those of several cells are added up; of others the mean is taken, weighted by the prior."""


def metres(value: float, origin: Origin = Origin.TABLE) -> Quantity:
    """A length."""
    return Quantity(value, "m", origin=origin)


def bits(value: float, origin: Origin = Origin.TABLE) -> Quantity:
    """An amount of information."""
    return Quantity(value, "bits", origin=origin)


def areas_told(areas: Areas, kind: str, *, declared: bool) -> AreasTold:
    """How the earth was cut; edges that follow from the points are those of rounded boxes."""
    stretch = getattr(areas, "stretch", None)
    told = AreasTold(
        kind=kind,
        count=len(areas.places),
        declared=declared,
        stretch=None if stretch is None else Quantity(float(stretch), "share", origin=Origin.DECLARED),
    )
    if not isinstance(areas, MapCells):
        return told
    tall, wide = areas.sides
    return replace(
        told,
        height=metres(tall, Origin.DECLARED),
        width=metres(wide, Origin.DECLARED),
        rows=areas.rows,
        columns=areas.columns,
        edges=(areas.south, areas.north, areas.west, areas.east),
    )


def map_shown(
    areas: Areas, prior: Floats, values: Mapping[str, Floats] | None = None, paths: Mapping[str, Codes] | None = None
) -> MapShown:
    """The map with the share of each area and other values by their names; areas without people have none.

    Paths are traces by their names, area after area.
    """
    every = {"prior": prior, **(values or {})}
    lines = {name: _ring(areas.points[path]) for name, path in (paths or {}).items()}
    if isinstance(areas, MapCells):
        return _cells(areas, prior, every, lines)
    return _outlined(_rings(areas), prior, every, lines)


def _cells(cells: MapCells, prior: Floats, values: Mapping[str, Floats], paths: Mapping[str, Ring]) -> MapShown:
    for merged in itertools.count(1):
        rows, columns = -(-cells.rows // merged), -(-cells.columns // merged)
        if rows * columns <= MOST_DRAWN:
            break

    def gathered(numbers: Floats) -> Floats:
        whole = np.zeros((rows * merged, columns * merged))
        whole[: cells.rows, : cells.columns] = numbers.reshape(cells.rows, cells.columns)
        return np.asarray(whole.reshape(rows, merged, columns, merged).sum(axis=(1, 3)).ravel())

    people = gathered(prior)
    drawn = {}
    for name, numbers in values.items():
        if name in SUMS:
            drawn[name] = _known(gathered(numbers), gathered(numbers) > 0)
        else:
            with np.errstate(invalid="ignore", divide="ignore"):
                drawn[name] = _known(gathered(numbers * prior) / people, people > 0)
    tall, wide = cells.sides
    return MapShown(
        width=wide * merged * columns,
        height=tall * merged * rows,
        rows=rows,
        columns=columns,
        merged=merged,
        values=drawn,
        paths=paths,
    )


def _rings(areas: Areas) -> list[list[Floats]]:
    """The outlines of the areas in metres; of those that are known by their centres alone, a small square."""
    outlines = areas.outlines if isinstance(areas, Hexagons | Polygons) else None
    if outlines is None:
        half = (float(np.ptp(areas.points, axis=0).max()) or 1000.0) / 60
        square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) * half
        return [[point + square] for point in areas.points]
    latitudes = areas.places[:, 0]
    middle = np.cos(np.radians((latitudes.min() + latitudes.max()) / 2))
    first, (north, east) = areas.points[0], areas.places[0]

    def flat(ring: Floats) -> Floats:
        # A ring ends where it starts, or whoever draws it would leave its last corner out.
        corners = ring if np.array_equal(ring[0], ring[-1]) else np.concatenate([ring, ring[:1]])
        along = (corners[:, 1] - east + 180) % 360 - 180
        steps = np.stack([along * middle, corners[:, 0] - north], axis=-1)
        return np.asarray(first + steps * METRES_PER_DEGREE)

    return [[flat(ring) for ring in shape] for shape in outlines]


def _outlined(
    rings: list[list[Floats]], prior: Floats, values: Mapping[str, Floats], paths: Mapping[str, Ring]
) -> MapShown:
    kept = np.sort(np.argsort(-prior, kind="stable")[:MOST_DRAWN])
    chosen = [rings[at] for at in kept.tolist()]
    corners = np.concatenate([np.asarray(ring) for shape in chosen for ring in shape])
    corner, far = corners.min(axis=0), corners.max(axis=0)
    shift = np.minimum(corner, 0.0)
    width, height = np.maximum(far - shift, 1.0).tolist()
    return MapShown(
        width=width,
        height=height,
        outlines=tuple(tuple(_ring(np.asarray(ring) - shift) for ring in shape) for shape in chosen),
        values={
            name: _known(numbers[kept], (numbers if name in SUMS else prior)[kept] > 0)
            for name, numbers in values.items()
        },
        paths={name: tuple((x - shift[0], y - shift[1]) for x, y in path) for name, path in paths.items()},
    )


def _known(numbers: Floats, present: npt.NDArray[np.bool_]) -> tuple[float | None, ...]:
    return tuple(
        round(float(one), 9) if there else None for one, there in zip(numbers.tolist(), present.tolist(), strict=True)
    )


def _ring(points: Floats) -> Ring:
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in points.tolist())

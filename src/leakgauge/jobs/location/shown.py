"""Areas as they are told and drawn: a map of at most a few thousand, with a value each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from leakgauge.artefacts import Origin, Quantity
from leakgauge.artefacts.location import AreasTold, MapShown, Ring
from leakgauge.distances.map_cells import MapCells
from leakgauge.location.areas import Areas
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
    return AreasTold(
        kind=kind,
        count=areas.count,
        height=metres(tall, Origin.DECLARED),
        width=metres(wide, Origin.DECLARED),
        rows=areas.rows,
        columns=areas.columns,
        edges=(areas.south, areas.north, areas.west, areas.east),
        declared=declared,
        stretch=told.stretch,
    )


def map_shown(
    areas: Areas,
    prior: Floats,
    values: Mapping[str, Floats] | None = None,
    paths: Mapping[str, Codes] | None = None,
) -> MapShown:
    """The map with the prior and other values; areas without people have none.

    Args:
        prior: the share of each area.
        values: by what they are of, one number per area.
        paths: traces by what they are, area after area.
    """
    every = {"prior": prior, **(values or {})}
    lines = {name: _ring(areas.points[path]) for name, path in (paths or {}).items()}
    if isinstance(areas, MapCells):
        return _cells(areas, prior, every, lines)
    outlines = getattr(areas, "outlines", None)
    return _outlined(areas.points, outlines, prior, every, lines)


def _cells(cells: MapCells, prior: Floats, values: Mapping[str, Floats], paths: Mapping[str, Ring]) -> MapShown:
    merged = 1
    while -(-cells.rows // merged) * -(-cells.columns // merged) > MOST_DRAWN:
        merged += 1
    rows, columns = -(-cells.rows // merged), -(-cells.columns // merged)

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


def _outlined(
    points: Floats,
    outlines: Iterable[Iterable[Floats]] | None,
    prior: Floats,
    values: Mapping[str, Floats],
    paths: Mapping[str, Ring],
) -> MapShown:
    kept = np.sort(np.argsort(-prior, kind="stable")[:MOST_DRAWN])
    shapes = ([square] for square in _squares(points)) if outlines is None else outlines
    rings = [list(shape) for shape in shapes]
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


def _squares(points: Floats) -> list[Floats]:
    """For areas that are known by their centres alone, a small square around each."""
    size = float(np.ptp(points, axis=0).max()) or 1000.0
    half = size / 60
    turns = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) * half
    return [point + turns for point in points]


def _known(numbers: Floats, present: npt.NDArray[np.bool_]) -> tuple[float | None, ...]:
    return tuple(
        round(float(one), 9) if there else None for one, there in zip(numbers.tolist(), present.tolist(), strict=True)
    )


def _ring(points: Floats) -> Ring:
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in points.tolist())

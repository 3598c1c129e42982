"""Areas whose borders a GeoJSON file draws; they need the extra ``location``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from leakgauge.errors import FileError, OptionError
from leakgauge.location.areas import OnFlatMap, turned, widest_gap
from leakgauge.probability.cells import Codes, Floats

SLIVER: Final = 1e-4
"""Borders that were drawn twice overlap by less than this share of the smaller area; a point there is of the first."""
_NAMES: Final = ("name", "NAME", "Name", "id")
"""Where a file keeps the names of its areas."""


@dataclass(frozen=True, eq=False)
class Polygons(OnFlatMap):
    """Areas with borders, in the order of their names; a point on a border that two share belongs to the first of them.

    Shapes are of one piece or several, with holes; longitudes go east from ``west`` on, which no area crosses.
    """

    labels: tuple[str, ...]
    shapes: tuple[Any, ...] = field(repr=False)
    west: float

    @cached_property
    def places(self) -> Floats:
        """The latitude and longitude of each centre of mass, in degrees; it may lie outside an area that is curved."""
        centres = [shape.centroid for shape in self.shapes]
        return np.array([[centre.y, turned(centre.x)] for centre in centres])

    @cached_property
    def outlines(self) -> tuple[tuple[Floats, ...], ...]:
        """The rings of each area, outer ones and holes, latitude and longitude, for drawing."""
        return tuple(
            tuple(
                np.asarray(ring.coords)[:, ::-1]
                for piece in _pieces(shape)
                for ring in (piece.exterior, *piece.interiors)
            )
            for shape in self.shapes
        )

    def codes(self, latitudes: object, longitudes: object) -> Codes:
        """The area of each point, by its position among the labels; −1 outside all."""
        import shapely

        up, along = (np.asarray(degrees, dtype=np.float64) for degrees in (latitudes, longitudes))
        known = np.flatnonzero((np.abs(up) <= 90) & (np.abs(along) <= 360))
        # By whole turns, so that a corner and a point on it stay the same.
        across = along[known] - 360 * np.floor((along[known] - self.west) / 360)
        order = np.argsort(across)
        known, across = known[order], across[order]
        codes = np.full(len(up), -1, dtype=np.int64)
        for at, shape in enumerate(self.shapes):
            left, low, right, high = shape.bounds
            between = slice(np.searchsorted(across, left), np.searchsorted(across, right, side="right"))
            near = known[between]
            free = (codes[near] < 0) & (up[near] >= low) & (up[near] <= high)
            near = near[free]
            codes[near[shapely.intersects_xy(shape, across[between][free], up[near])]] = at
        return codes


def read_polygons(path: Path | str) -> Polygons:
    """The areas of a GeoJSON file, by their ``name``, ``id`` or only property; features of one name are one area.

    A ring that crosses itself covers what an odd number of its turns goes around. Borders may cross the antimeridian,
    cut there or not.

    Raises:
        FileError: a file that is not GeoJSON of polygons in degrees, areas without names, or two that overlap.
        OptionError: the extra is not installed.
    """
    place = Path(path)
    shapely = _shapely()
    features = _features(place)
    key = _naming(place, features)
    rings: dict[str, list[list[Floats]]] = {}
    for feature in features:
        rings.setdefault(str(_properties(feature)[key]), []).extend(_rings(place, feature))
    pieces = [(own[0][:, 0].min(), own[0][:, 0].max()) for parts in rings.values() for own in parts]
    west = widest_gap(np.array(pieces))
    labels = tuple(sorted(rings))
    shapes = tuple(_shape(shapely, rings[label], west) for label in labels)
    for label, shape in zip(labels, shapes, strict=True):
        if not shape.area > 0:
            raise FileError("{path} has an area {name!r} of no size; draw its border.", path=place, name=label)
        shapely.prepare(shape)
    _require_apart(shapely, place, labels, shapes)
    return Polygons(labels, shapes, west)


def _features(path: Path) -> list[Mapping[str, Any]]:
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise FileError(
            "{path} cannot be read: {reason}.", path=path, reason=error.strerror or "the system refused"
        ) from None
    except (ValueError, RecursionError):
        document = None
    kind = document.get("type") if isinstance(document, dict) else None
    features = document.get("features") if kind == "FeatureCollection" else [document] if kind == "Feature" else None
    if not isinstance(features, list) or not features or not all(isinstance(feature, dict) for feature in features):
        raise FileError(
            "{path} is not a GeoJSON file of areas; give a FeatureCollection of polygons with names.", path=path
        )
    return features


def _naming(path: Path, features: Sequence[Mapping[str, Any]]) -> str:
    """The property that names the areas."""
    kept = [_properties(feature) for feature in features]
    known = list(dict.fromkeys(key for own in kept for key in own))
    candidates: list[str] = [*_NAMES, *(known if len(known) == 1 else ())]
    for key in candidates:
        if all(own.get(key) is not None for own in kept):
            return key
    raise FileError("{path} has no property 'name' or 'id' in each of its areas; add one.", path=path)


def _properties(feature: Mapping[str, Any]) -> Mapping[str, Any]:
    own = feature.get("properties")
    given = {"id": feature["id"]} if feature.get("id") is not None else {}
    return {**given, **(own if isinstance(own, dict) else {})}


def _rings(path: Path, feature: Mapping[str, Any]) -> Iterator[list[Floats]]:
    """For each piece of an area its outer ring and its holes: longitude and latitude, without jumps."""
    geometry = feature.get("geometry")
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    coordinates: Any = geometry.get("coordinates") if isinstance(geometry, dict) else None
    if kind not in ("Polygon", "MultiPolygon"):
        raise FileError(
            "{path} holds {kind!r} where an area is expected; give polygons alone.", path=path, kind=str(kind)
        )
    try:
        pieces: list[Any] = [coordinates] if kind == "Polygon" else list(coordinates or ())
        arrays = [[np.array([corner[:2] for corner in ring], dtype=np.float64) for ring in piece] for piece in pieces]
        sound = all(piece and all(ring.ndim == 2 and len(ring) >= 4 for ring in piece) for piece in arrays)
    except (TypeError, ValueError, IndexError):
        sound = False
    if not sound:
        raise FileError(
            "{path} has a polygon that is not rings of at least four corners, each longitude and latitude; correct it.",
            path=path,
        )
    for piece in arrays:
        for ring in piece:
            if not np.all(np.abs(ring) <= (360, 90)):
                raise FileError(
                    "{path} has corners off the earth; give longitude before latitude, in degrees (WGS 84), not in a "
                    "projection.",
                    path=path,
                )
        outer, *holes = (_without_jumps(ring) for ring in piece)
        middle = outer[:, 0].mean()
        # A hole stands where its area stands, whatever turn of the earth its corners are written in.
        yield [outer, *(hole - [360 * round((hole[:, 0].mean() - middle) / 360), 0] for hole in holes)]


def _without_jumps(ring: Floats) -> Floats:
    """A ring that crosses the antimeridian goes on beyond 180 degrees instead of starting again at −180."""
    steps = np.diff(ring[:, 0])
    # A step of a whole turn is drawn so on purpose, along the edge of a map of the world.
    turns = np.where((np.abs(steps) > 180) & (np.abs(steps) < 360), -np.sign(steps), 0.0)
    return np.stack([ring[:, 0] + 360 * np.concatenate([[0.0], np.cumsum(turns)]), ring[:, 1]], axis=-1)


def _shape(shapely: Any, pieces: Sequence[Sequence[Floats]], west: float) -> Any:
    whole = []
    for outer, *holes in pieces:
        shift = np.array([-360 * np.floor((outer[:, 0].min() - west) / 360), 0.0])
        whole.append(shapely.make_valid(shapely.Polygon(outer + shift, [hole + shift for hole in holes])))
    return shapely.MultiPolygon(list(_pieces(shapely.unary_union(whole))))


def _pieces(shape: Any) -> Iterator[Any]:
    """The polygons of a shape; lines and points, which mending may leave, have no size."""
    if shape.geom_type == "Polygon":
        if not shape.is_empty:
            yield shape
    else:
        for part in getattr(shape, "geoms", ()):
            yield from _pieces(part)


def _require_apart(shapely: Any, path: Path, labels: Sequence[str], shapes: Sequence[Any]) -> None:
    first, second = shapely.STRtree(shapes).query(shapes, predicate="intersects")
    for at, other in zip(first.tolist(), second.tolist(), strict=True):
        if at < other:
            shared = shapes[at].intersection(shapes[other]).area
            if shared > SLIVER * min(shapes[at].area, shapes[other].area):
                raise FileError(
                    "{path} has areas that overlap, {first!r} and {second!r}; give areas that touch at most.",
                    path=path,
                    first=labels[at],
                    second=labels[other],
                )


def _shapely() -> Any:
    try:
        import shapely
    except ImportError:
        raise OptionError(
            "Areas of a GeoJSON file need the extra 'location'; install leakgauge[location], or give square cells with "
            "--cell."
        ) from None
    return shapely

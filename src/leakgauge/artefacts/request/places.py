"""How places are protected, and what is tried on protected ones; lengths are in metres."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, TypeAlias, TypedDict

from leakgauge.artefacts.request.part import METRES, Names, Option, RequestPart
from leakgauge.artefacts.request.shared_options import Dataset
from leakgauge.artefacts.request.terms import ReadingOptions
from leakgauge.errors import OptionError

Near: TypeAlias = Annotated[
    float, METRES, Option("How near a tracker's guess counts as near.", "LENGTH", default="500m")
]
WITHIN: Final = 500.0
"""Metres within which a guess is near, unless the caller says otherwise."""


class Places(RequestPart, frozen=True):
    """The columns of the points, and how areas are made."""

    lat: Annotated[str, Option("Latitudes, in degrees.", "COLUMN", required=True)]
    lon: Annotated[str, Option("Longitudes, in degrees.", "COLUMN", required=True)]
    cell: Annotated[str | None, Option("Cells of a size (500m, 2km), or rows by columns (12x12).", "SIZE")] = None
    box: Annotated[str | None, Option("Edges of the map in degrees; by default around the points.", "S,N,W,E")] = None
    hexagons: Annotated[int | None, Option("Hexagons of this resolution of H3, from 0 to 15.", "RES")] = None
    areas: Annotated[Path | None, Option("Polygons (GeoJSON), or names and centres (CSV name,lat,lon).", "FILE")] = None
    area: Annotated[str | None, Option("Areas that this column names.", "COLUMN")] = None
    time: Annotated[str | None, Option("Times.", "COLUMN")] = None
    user: Annotated[str | None, Option("Whose point it is.", "COLUMN")] = None
    weight: Annotated[str | None, Option("How much a row counts, such as a population.", "COLUMN")] = None
    smoothing: Annotated[float, Option("Added to the weight of each area, so that none counts as impossible.", "W")] = (
        0.0
    )

    def require_possible(self) -> None:
        """Refuse areas that are made in no way or in several."""
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


class PlaceProtection(RequestPart, frozen=True):
    """The mechanism that protects places; exactly one of these is given."""

    epsilon_per_km: Annotated[float | None, Option("Planar Laplace noise of this metric privacy.", "E")] = None
    max_distance: Annotated[
        float | None, METRES, Option("The least leaking channel at this mean distance.", "LENGTH")
    ] = None
    max_leakage: Annotated[float | None, Option("The channel that errs least at these bits.", "BITS")] = None
    mechanism: Annotated[
        str | None,
        Option("planar-laplace:epsilon=2, coarser-cells:level=2, dummies:count=4, or a channel file.", "MECHANISM"),
    ] = None


class PlaceRelease(RequestPart, frozen=True):
    """What is released beside protected places, and who pays."""

    public: Annotated[tuple[str, ...], Option("Released as it is; may be repeated.", "COLUMN")] = ()
    reports_per_user: Annotated[
        int, Option("Publicly known: rows of a person at most, all of which count against the budget.", "N")
    ] = 1
    ledger: Annotated[str | None, Names.PLACE, Option("The ledger whose budget is used.", "PATH|ADDRESS")] = None
    dataset: Dataset = None
    within: Near = WITHIN
    simulate: Annotated[
        int | None, Option("Not private: noise from a seed, every output marked, no budget used.", "SEED")
    ] = None


class Tracking(RequestPart, frozen=True):
    """Whose traces are tracked, by which tracker."""

    people: Annotated[int | None, Option("Simulate so many people instead of the table's own traces.", "N")] = None
    days: Annotated[int, Option("Days that they are followed for.", "N")] = 1
    seed: Annotated[int, Option("The seed of the experiment.", "SEED")] = 1
    repeated: Annotated[bool, Option("Repeat a report as long as somebody stays.", called="repeat")] = False
    reach: Annotated[
        float,
        METRES,
        Option("How far somebody may be at the next step, as the tracker knows.", "LENGTH", default="10km"),
    ] = 10_000.0
    steps: Annotated[
        int, Option("Steps that are tracked at most, in whole traces; a thousand take about a second.", "N")
    ] = 5000
    window: Annotated[int, Option("Steps of the window.", "N")] = 3
    within: Near = WITHIN


class PlaceProtectionOptions(TypedDict, total=False):
    """The mechanism as keyword arguments of Python."""

    epsilon_per_km: float | None
    max_distance: float | None
    max_leakage: float | None
    mechanism: str | None


class ProtectPlacesOptions(PlaceProtectionOptions, ReadingOptions, total=False):
    """Keyword arguments of ``protect_places``."""

    public: Sequence[str]
    reports_per_user: int
    ledger: str | None
    dataset: str | None
    within: float
    simulate: int | None


class TrackPlacesOptions(PlaceProtectionOptions, ReadingOptions, total=False):
    """Keyword arguments of ``track_places``."""

    people: int | None
    days: int
    seed: int
    repeated: bool
    reach: float
    steps: int
    window: int
    within: float

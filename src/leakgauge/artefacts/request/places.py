"""How places are protected, and what is tried on protected ones; lengths are in metres."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, TypeAlias, TypedDict

from leakgauge.artefacts.request.part import METRES, Names, Option, RequestPart
from leakgauge.artefacts.request.reading import ReadingOptions
from leakgauge.artefacts.request.shared_options import Dataset

MOST_STEPS: Final = 5000
"""Steps that are tracked unless more are asked for."""
Near: TypeAlias = Annotated[
    float, METRES, Option("How near a tracker's guess counts as near.", "LENGTH", default="500m")
]
WITHIN: Final = 500.0
"""Metres within which a guess is near, unless the caller says otherwise."""


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
    ledger: Annotated[str | None, Names.PLACE, Option("The ledger whose budget is spent.", "PATH|ADDRESS")] = None
    dataset: Dataset = None
    within: Near = WITHIN
    simulate: Annotated[
        int | None, Option("Not private: noise from a seed, every output marked, nothing spent.", "SEED")
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
    ] = MOST_STEPS
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

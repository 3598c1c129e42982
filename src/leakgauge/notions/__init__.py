"""Exact levels of channels, what statements imply in other notions, and how they compose."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from leakgauge.notions.circumstances import Circumstances
from leakgauge.notions.curves import (
    approximate_dp,
    approximate_dp_at,
    gaussian_dp,
    mutual_information_dp,
    privacy_curve,
    renyi_dp,
    total_variation,
    zero_concentrated_dp,
)
from leakgauge.notions.edges import SOUND_EDGES
from leakgauge.notions.graph import everything_implied, implied
from leakgauge.notions.ratios import metric_privacy, moment_skewness, prior_skew
from leakgauge.notions.refinement import refined_by
from leakgauge.notions.relation import levels, relate_channel, relate_statement
from leakgauge.notions.witness import Level, Witness

if TYPE_CHECKING:
    from leakgauge.notions import composition

__all__ = [
    "SOUND_EDGES",
    "Circumstances",
    "Level",
    "Witness",
    "approximate_dp",
    "approximate_dp_at",
    "composition",
    "everything_implied",
    "gaussian_dp",
    "implied",
    "levels",
    "metric_privacy",
    "moment_skewness",
    "mutual_information_dp",
    "prior_skew",
    "privacy_curve",
    "refined_by",
    "relate_channel",
    "relate_statement",
    "renyi_dp",
    "total_variation",
    "zero_concentrated_dp",
]


def __getattr__(name: str) -> object:
    # Loaded when it is asked for: it needs the mechanisms, which the rest of the room does not.
    if name == "composition":
        return import_module(f"{__name__}.composition")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

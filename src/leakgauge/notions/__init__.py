"""Exact levels of channels, what statements imply in other notions, and how they compose."""

from leakgauge.notions.circumstances import Circumstances
from leakgauge.notions.curves import (
    approximate_dp,
    approximate_dp_at,
    gaussian_dp,
    mutual_information_dp,
    privacy_curve,
    renyi_dp,
    zero_concentrated_dp,
)
from leakgauge.notions.edges import SOUND_EDGES, Edge, Status
from leakgauge.notions.graph import Implication, everything_implied, implied
from leakgauge.notions.levels import levels
from leakgauge.notions.ratios import metric_privacy, moment_skewness, prior_skew
from leakgauge.notions.relation import Relation, relate_channel, relate_statement, relate_statements
from leakgauge.notions.witness import Level, Witness

__all__ = [
    "SOUND_EDGES",
    "Circumstances",
    "Edge",
    "Implication",
    "Level",
    "Relation",
    "Status",
    "Witness",
    "approximate_dp",
    "approximate_dp_at",
    "everything_implied",
    "gaussian_dp",
    "implied",
    "levels",
    "metric_privacy",
    "moment_skewness",
    "mutual_information_dp",
    "prior_skew",
    "privacy_curve",
    "relate_channel",
    "relate_statement",
    "relate_statements",
    "renyi_dp",
    "zero_concentrated_dp",
]

"""Mechanisms on areas of the earth: each an exact channel with its claims, and the areas that its outputs stand for."""

from leakgauge.location.mechanisms.by_distance import (
    least_leaking,
    least_leaking_on_grid,
)
from leakgauge.location.mechanisms.dummies import dummies_from_prior, uniform_dummies
from leakgauge.location.mechanisms.generalisation import areas_of_users, blocks, hidden
from leakgauge.location.mechanisms.placed import Placed, cascade, on_areas, planar

__all__ = [
    "Placed",
    "areas_of_users",
    "blocks",
    "cascade",
    "dummies_from_prior",
    "hidden",
    "least_leaking",
    "least_leaking_on_grid",
    "on_areas",
    "planar",
    "uniform_dummies",
]

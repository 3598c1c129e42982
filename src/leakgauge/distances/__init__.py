"""How far a released letter is from the true one: distortions, and grids with the products a solver needs."""

from leakgauge.distances.distances import Distances, Distortion
from leakgauge.distances.distortions import (
    DISTORTIONS,
    Absolute,
    ColumnSums,
    Euclidean,
    Given,
    GreatCircle,
    Hamming,
    Squared,
    distortion_named,
    read_distortion,
)
from leakgauge.distances.grid import EarthGrid, Grid, GridDistance
from leakgauge.distances.grid_products import GridKernel

__all__ = [
    "DISTORTIONS",
    "Absolute",
    "ColumnSums",
    "Distances",
    "Distortion",
    "EarthGrid",
    "Euclidean",
    "Given",
    "GreatCircle",
    "Grid",
    "GridDistance",
    "GridKernel",
    "Hamming",
    "Squared",
    "distortion_named",
    "read_distortion",
]

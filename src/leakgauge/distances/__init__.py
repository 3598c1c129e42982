"""How far a released letter is from the true one: distortions, and grids with the products a solver needs."""

from leakgauge.distances.by_label import Given, Hamming, read_distortion
from leakgauge.distances.by_position import Absolute, Euclidean, GreatCircle, Squared
from leakgauge.distances.column_sums import ColumnSums
from leakgauge.distances.distances import Distances, Distortion
from leakgauge.distances.grid import EarthGrid, Grid, GridDistance
from leakgauge.distances.grid_products import GridKernel
from leakgauge.distances.naming import DISTORTIONS, distortion_named

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

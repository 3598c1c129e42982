"""How far a released letter is from the true one: distortions, and the products a solver needs of them."""

from leakgauge.distances.by_label import Given, Hamming, read_distortion
from leakgauge.distances.by_position import Absolute, Euclidean, GreatCircle, Squared
from leakgauge.distances.column_sums import ColumnSums
from leakgauge.distances.distances import Distances, Distortion, Kernel
from leakgauge.distances.grid import Grid, GridDistance
from leakgauge.distances.grid_products import GridKernel

__all__ = [
    "Absolute",
    "ColumnSums",
    "Distances",
    "Distortion",
    "Euclidean",
    "Given",
    "GreatCircle",
    "Grid",
    "GridDistance",
    "GridKernel",
    "Hamming",
    "Kernel",
    "Squared",
    "read_distortion",
]

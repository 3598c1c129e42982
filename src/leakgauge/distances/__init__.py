"""How far a released letter is from the true one: distortions, and grids with the products a solver needs."""

from leakgauge.distances.containment import Containment
from leakgauge.distances.distortions import (
    Absolute,
    Distortion,
    Euclidean,
    Given,
    GreatCircle,
    Hamming,
    Squared,
    read_distortion,
)
from leakgauge.distances.map_cells import MapCells

__all__ = [
    "Absolute",
    "Containment",
    "Distortion",
    "Euclidean",
    "Given",
    "GreatCircle",
    "Hamming",
    "MapCells",
    "Squared",
    "read_distortion",
]

"""Centres of areas on a flat map: metres east and north of its south-western corner."""

from __future__ import annotations

import math

import numpy as np

from leakgauge.distances.map_cells import METRES_PER_DEGREE
from leakgauge.probability.cells import Floats


def flat_points(places: Floats) -> Floats:
    """Places (latitude, longitude) in metres, by a local projection that keeps distances.

    A step north is as long as on the earth, a step east as long as on the middle latitude; ``stretch`` says how far
    that is off.
    """
    latitudes, longitudes = places.T
    across = (longitudes - western_edge(longitudes)) % 360
    middle = math.cos(math.radians((latitudes.min() + latitudes.max()) / 2))
    east = (across - across.min()) * METRES_PER_DEGREE * middle
    north = (latitudes - latitudes.min()) * METRES_PER_DEGREE
    return np.stack([east, north], axis=-1)


def stretch(places: Floats) -> float:
    """By which share of itself a step east is off, at most: at the northernmost or southernmost place."""
    low, high = float(places[:, 0].min()), float(places[:, 0].max())
    middle, south, north = (math.cos(math.radians(at)) for at in ((low + high) / 2, low, high))
    widest = 1.0 if low <= 0 <= high else max(south, north)
    least = min(south, north)
    return max(widest / middle - 1, middle / least - 1) if min(least, middle) > 1e-9 else math.inf


def western_edge(longitudes: Floats) -> float:
    """The longitude east of the widest gap: from there on eastwards, the places take the fewest degrees."""
    ordered = np.unique(np.asarray(longitudes) % 360)
    gaps = np.diff(ordered, append=ordered[0] + 360)
    first = float(ordered[(int(np.argmax(gaps)) + 1) % len(ordered)])
    return (first + 180) % 360 - 180

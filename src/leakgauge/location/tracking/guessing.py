"""The best single area to name, given what is believed about the true one.

The least expected distance from the truth is that of a median of the plane, which has no formula; it is a convex
function of the guess, so every area tried cuts off all on the far side of a tangent plane, and a few tries leave one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from leakgauge.errors import ModelError
from leakgauge.probability.cells import Codes, Floats

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

SMALLEST = 1e-16
"""Areas whose beliefs add up to less than this are left out of sums: floats would not see them."""
FEW = 1 << 17
"""Distances up to which all of them are computed at once."""


class Guess(NamedTuple):
    """An area named, its expected distance from the truth, and what is still open, in bits."""

    area: int
    error: float
    entropy: float


class Held(NamedTuple):
    """The areas whose chances floats can see, those chances, and where the areas are."""

    areas: Codes
    chances: Floats
    east: Floats
    north: Floats

    @property
    def mean(self) -> Floats:
        """The mean place."""
        return np.array([self.chances @ self.east, self.chances @ self.north])

    def distances(self, point: Floats) -> Floats:
        """How far each area is from a point."""
        return np.asarray(np.sqrt((self.east - point[0]) ** 2 + (self.north - point[1]) ** 2))


@dataclass(frozen=True, eq=False)
class Guesser:
    """Names areas of a map.

    Args:
        points: the centre of each area, in metres east and north; each may be named.

    Raises:
        ModelError: points that are not two finite coordinates each.

    Example:
        >>> street = Guesser(np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0]]))
        >>> guess = street.guess(np.array([0.4, 0.2, 0.4]))
        >>> guess.area, round(guess.error, 2), round(guess.entropy, 3)
        (1, 2.0, 1.522)
    """

    points: Floats

    def __post_init__(self) -> None:
        if self.points.ndim != 2 or self.points.shape[1] != 2 or not np.isfinite(self.points).all():
            raise ModelError("The centres are not two finite coordinates per area; give metres east and north.")

    def guess(self, belief: Floats) -> Guess:
        """The best guess under a belief p(x) of every area."""
        held = self._held(belief)
        area = self._median(held)
        far = held.distances(self.points[area])
        entropy = max(-float(held.chances @ np.log2(held.chances)), 0.0)
        return Guess(area, float(held.chances @ far), entropy)

    @cached_property
    def _sides(self) -> tuple[Floats, Floats]:
        east, north = self.points.T
        return np.ascontiguousarray(east), np.ascontiguousarray(north)

    @cached_property
    def _tree(self) -> cKDTree:
        from scipy.spatial import cKDTree

        return cKDTree(self.points)

    def _held(self, belief: Floats) -> Held:
        areas = np.flatnonzero(belief > SMALLEST / len(belief))
        chances = belief[areas]
        chances /= chances.sum()
        east, north = self._sides
        return Held(areas, chances, east[areas], north[areas])

    def _median(self, held: Held) -> int:
        """The area of least expected distance.

        A guess is at least as far off, on average, as it is from the mean: nothing further from the mean than the error
        of one guess can beat it.
        """
        start = int(held.areas[np.argmin(held.distances(held.mean))])
        error = float(held.chances @ held.distances(self.points[start]))
        if error == 0:
            return start
        rivals: Codes = np.array(self._tree.query_ball_point(held.mean, error * (1 + 1e-9)), dtype=np.int64)
        if not len(rivals):
            # All but certain: the error is below the rounding of the mean.
            return start
        if len(rivals) * len(held.areas) > FEW:
            return self._cut(held, rivals, start)
        east, north = (side[rivals][:, None] for side in self._sides)
        return int(rivals[np.argmin(np.sqrt((east - held.east) ** 2 + (north - held.north) ** 2) @ held.chances)])

    def _cut(self, held: Held, rivals: Codes, start: int) -> int:
        """The best of many rivals by tangent planes: a convex function lies above each of them."""
        centres = self.points[rivals]
        bounds = np.full(len(rivals), -math.inf)
        best, least, now = start, math.inf, start
        while True:
            point = self.points[now]
            far = held.distances(point)
            error = float(held.chances @ far)
            if error < least:
                best, least = now, error
            # A place just where the guess is pulls in no direction.
            pull = np.divide(held.chances, far, out=np.zeros(len(far)), where=far > 0)
            slope = np.array([pull @ (point[0] - held.east), pull @ (point[1] - held.north)])
            bounds = np.maximum(bounds, error + (centres - point) @ slope)
            bounds[rivals == now] = math.inf
            open_still = bounds < least * (1 - 1e-13)
            if not open_still.any():
                return best
            rivals, centres, bounds = rivals[open_still], centres[open_still], bounds[open_still]
            now = int(rivals[np.argmin(bounds)])


def centres_of(points: object, areas: int) -> Floats:
    """The centres of so many areas, two coordinates for each.

    Raises:
        ModelError: points of another shape.
    """
    centres = np.asarray(points, dtype=np.float64)
    if centres.shape != (areas, 2):
        raise ModelError(
            "There are {found} centres for {areas} areas; give two coordinates for each.",
            found=len(centres),
            areas=areas,
        )
    return centres

"""The best single area to name, given what is believed about the true one.

Three aims, three guesses. The likeliest area is right most often. The area nearest to the mean of the belief has the
least expected squared distance: it is the variance and the squared distance from the mean. The least expected distance
is that of a median of the plane, which has no formula; it is a convex function of the guess, so every area tried cuts
off all on the far side of a tangent plane, and a few tries leave one.
"""

from __future__ import annotations

import enum
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
TAIL = 0.025
"""The share of the belief below an interval of distances, and above it."""


class Aim(enum.Enum):
    """What a guess makes small on average."""

    DISTANCE = "distance"
    SQUARED_DISTANCE = "squared distance"
    MISSES = "misses"


class Guess(NamedTuple):
    """An area named, its expected distance from the truth, an interval of that distance, and what is still open.

    ``low`` and ``high`` hold the distance with a probability of at least 95 %; ``entropy`` is in bits.
    """

    area: int
    error: float
    low: float
    high: float
    entropy: float


@dataclass(frozen=True, eq=False)
class Guesser:
    """Names areas of a map.

    Args:
        points: the centre of each area, in metres east and north; each may be named.
        aim: what the guesses make small.

    Raises:
        ModelError: points that are not two finite coordinates each.

    Example:
        >>> street = Guesser(np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0]]))
        >>> guess = street.guess(np.array([0.4, 0.2, 0.4]))
        >>> guess.area, round(guess.error, 2), round(guess.entropy, 3)
        (1, 2.0, 1.522)
    """

    points: Floats
    aim: Aim = Aim.DISTANCE

    def __post_init__(self) -> None:
        if self.points.ndim != 2 or self.points.shape[1] != 2 or not np.isfinite(self.points).all():
            raise ModelError("The centres are not two finite coordinates per area; give metres east and north.")

    def guess(self, belief: Floats) -> Guess:
        """The best guess under a belief p(x) of every area."""
        area, chances, places = self._named(belief)
        far = _distances(places, self.points[area])
        order = np.argsort(far)
        below = np.cumsum(chances[order])
        ends = np.minimum(np.searchsorted(below, [TAIL, 1 - TAIL]), len(order) - 1)
        low, high = far[order[ends]].tolist()
        return Guess(area, float(chances @ far), low, high, max(-float(chances @ np.log2(chances)), 0.0))

    def area(self, belief: Floats) -> int:
        """The area named under a belief, and no more."""
        return self._named(belief)[0]

    def _named(self, belief: Floats) -> tuple[int, Floats, Floats]:
        """The best area, the chances that floats can see, and their places."""
        held = np.flatnonzero(belief > SMALLEST / len(belief))
        chances, places = belief[held], self.points[held]
        chances = chances / chances.sum()
        if self.aim is Aim.MISSES:
            return int(held[np.argmax(chances)]), chances, places
        if self.aim is Aim.SQUARED_DISTANCE:
            return int(self._tree.query(chances @ places)[1]), chances, places
        return self._median(chances, places), chances, places

    @cached_property
    def _tree(self) -> cKDTree:
        from scipy.spatial import cKDTree

        return cKDTree(self.points)

    def _median(self, chances: Floats, places: Floats) -> int:
        """The area of least expected distance.

        A guess is at least as far off, on average, as it is from the mean: nothing further from the mean than the error
        of one guess can beat it.
        """
        mean = chances @ places
        start = int(self._tree.query(mean)[1])
        error = float(chances @ _distances(places, self.points[start]))
        rivals: Codes = np.asarray(self._tree.query_ball_point(mean, error * (1 + 1e-9)), dtype=np.int64)
        if len(rivals) * len(places) <= FEW:
            rivals = np.append(rivals, start) if start not in rivals else rivals
            east, north = (self.points[rivals, axis][:, None] - places[:, axis] for axis in (0, 1))
            return int(rivals[np.argmin(np.sqrt(east * east + north * north) @ chances)])
        return self._cut(chances, places, rivals, start)

    def _cut(self, chances: Floats, places: Floats, rivals: Codes, start: int) -> int:
        """The best of many rivals by tangent planes: a convex function lies above each of them."""
        centres = self.points[rivals]
        bounds = np.full(len(rivals), -math.inf)
        best, least, now = start, math.inf, start
        while True:
            offset = self.points[now] - places
            far = np.sqrt((offset * offset).sum(axis=1))
            error = float(chances @ far)
            if error < least:
                best, least = now, error
            # A place just where the guess is pulls in no direction.
            pull = np.divide(chances, far, out=np.zeros(len(far)), where=far > 0)
            bounds = np.maximum(bounds, error + (centres - self.points[now]) @ (pull @ offset))
            bounds[rivals == now] = math.inf
            open_still = bounds < least * (1 - 1e-13)
            if not open_still.any():
                return best
            rivals, centres, bounds = rivals[open_still], centres[open_still], bounds[open_still]
            now = int(rivals[np.argmin(bounds)])


def _distances(places: Floats, point: Floats) -> Floats:
    offset = places - point
    return np.asarray(np.sqrt((offset * offset).sum(axis=1)))


def guesser_of(points: object, areas: int, aim: Aim) -> Guesser:
    """A guesser on so many areas.

    Raises:
        ModelError: points that are not two finite coordinates per area.
    """
    guesser = Guesser(np.asarray(points, dtype=np.float64), aim)
    if len(guesser.points) != areas:
        raise ModelError(
            "There are {found} centres for {areas} areas; give two coordinates for each.",
            found=len(guesser.points),
            areas=areas,
        )
    return guesser

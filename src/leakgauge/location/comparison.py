"""Mechanisms on areas at equal service quality: what each tells, in bits, ε per kilometre and metres of a tracker.

Each family of mechanisms is set to one mean distance between what is released and the truth, or as close below it as it
comes, and measured exactly on its channel under the prior.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from leakgauge.arguments import checked
from leakgauge.design import MaxDistortion, RateDistortion, solve
from leakgauge.distances import Given
from leakgauge.distances.map_cells import MapCells
from leakgauge.errors import OptionError
from leakgauge.location.areas import distances_between
from leakgauge.location.mechanisms.by_distance import GAP, channel_by_distance, least_leaking
from leakgauge.location.mechanisms.dummies import LARGEST_SET, MOST_SETS, dummies_from_prior
from leakgauge.location.mechanisms.generalisation import areas_of_users, blocks
from leakgauge.location.mechanisms.placed import PER_KILOMETRE, Placed, epsilon_per_km, on_areas, planar
from leakgauge.location.tracking.bayes import infer
from leakgauge.notions.ratios import identifiability
from leakgauge.probability import Distribution
from leakgauge.probability.cells import Codes, Floats

CLOSE = 1e-4
"""A mean distance this close to the one asked for, as a share of it, is that distance."""
LEAST_RATE, MOST_RATE = 0.01, 40.0
"""Nats per cell between which noise is looked for: wider than most maps, and so little that nobody is moved."""
LATE = 4
"""Halvings after which it is asked whether even the widest noise is close enough."""
LEAST_LEAKING = "least-leaking"
PLANAR_LAPLACE = "planar-laplace"


@dataclass(frozen=True)
class Family:
    """Mechanisms that differ in one setting.

    The settings go from the largest mean distance to the smallest: all there are or, of a continuous family, two ends
    between which any number is a setting.
    """

    name: str
    make: Callable[[float], Placed] = field(repr=False)
    settings: Sequence[float]
    continuous: bool = False


@dataclass(frozen=True)
class Measured:
    """What a mechanism is worth and what it tells, exactly, under the prior.

    Attributes:
        setting: of its family, such as an ε per kilometre; None of one without settings.
        mean_distance: of what is released from the truth, in metres.
        information: I(X;Y), in bits.
        waste: bits above the least that any channel at that distance tells.
        epsilon: exact metric privacy of the channel, in nats per kilometre; infinite where an output rules an area out.
        identifiability: how far two posteriors may differ, in nats, over the areas that occur.
        tracker_error: of the best guess from the truth, in metres.
        within: the probability that the guess is within the radius of the comparison.
        contains: the probability that the truth is among the areas released.
        size: how many areas the output stands for on average.
    """

    name: str
    setting: float | None
    placed: Placed = field(repr=False)
    mean_distance: float
    information: float
    waste: float
    epsilon: float
    identifiability: float
    tracker_error: float
    within: float
    contains: float
    size: float


@dataclass(frozen=True)
class Comparison:
    """Mechanisms at one mean distance, that which tells least first.

    Attributes:
        mean_distance: asked for, in metres.
        radius: of ``Measured.within``, in metres.
        constant: the mean distance of the best constant place, which tells nothing, in metres.
        left_out: families that come no closer than this, in metres, whatever their setting.
    """

    mean_distance: float
    radius: float
    constant: float
    ranking: tuple[Measured, ...]
    left_out: dict[str, float]


@checked
def compare_mechanisms(
    prior: Distribution,
    distances: Floats,
    families: Iterable[Family],
    mean_distance: float,
    radius: float | None = None,
) -> Comparison:
    """Every family at this mean distance, or as close below it as it comes, and the channel that tells least.

    Args:
        prior: p(x) over the areas.
        distances: between areas, in metres.
        mean_distance: in metres.
        radius: within which a guess counts as right, in metres; by default the mean distance.

    Raises:
        OptionError: a mean distance or radius that is not a finite number above 0.

    Example:
        >>> city = MapCells(40.70, 40.82, -74.02, -73.92, rows=4, columns=4)
        >>> prior = Distribution.uniform(city.labels)
        >>> found = compare_mechanisms(prior, distances_between(city), families_on(city, prior), 2000.0)
        >>> [one.name for one in found.ranking][0], list(found.left_out)
        ('least-leaking', ['coarser-cells', 'dummies'])
    """
    near = mean_distance if radius is None else radius
    if not 0 < mean_distance < math.inf or not 0 <= near < math.inf:
        raise OptionError(
            "A mean distance of {distance} metres or a radius of {radius} metres is not a length; give a distance "
            "above 0 and a radius of at least 0.",
            distance=mean_distance,
            radius=near,
        )
    least = _Least(prior, distances)
    best = _measured(LEAST_LEAKING, None, least_leaking(prior, distances, mean_distance), prior, distances, near, least)
    rows, left_out = [], {}
    for family in families:
        setting, placed = _set_to(family, prior, distances, mean_distance)
        far = placed.mean_distance(prior, distances)
        if far > mean_distance * (1 + CLOSE):
            left_out[family.name] = far
        else:
            rows.append(_measured(family.name, setting, placed, prior, distances, near, least))
    ranking = (best, *sorted(rows, key=lambda one: one.information))
    constant = float((prior.probabilities @ distances).min())
    return Comparison(mean_distance, near, constant, ranking, left_out)


def families_on(
    cells: MapCells, prior: Distribution, visited: Codes | None = None, users: Codes | None = None
) -> tuple[Family, ...]:
    """Those that a map of cells has: noise, the exponential mechanism, blocks, dummies, and squares of enough users.

    For the last, ``visited`` is the cell of each point and ``users`` whose point it is, as of ``areas_of_users``.
    """
    metres = distances_between(cells)
    side = min(cells.sides) / PER_KILOMETRE
    ends = (LEAST_RATE / side, MOST_RATE / side)
    found = [
        Family(PLANAR_LAPLACE, lambda epsilon: planar(cells, epsilon), ends, continuous=True),
        exponential_family(prior, metres, ends),
        Family("coarser-cells", lambda level: blocks(cells, round(level)), _levels(cells)),
    ]
    found += dummy_family(prior)
    if visited is not None:
        inside = np.flatnonzero(visited >= 0)
        crowd = len(inside) if users is None else len(np.unique(users[inside]))
        steps = sorted({round(crowd / 2 ** (step / 4)) for step in range(4 * crowd.bit_length() - 3)}, reverse=True)
        found.append(Family("areas-of-users", lambda least: areas_of_users(cells, visited, round(least), users), steps))
    return tuple(found)


def exponential_family(prior: Distribution, distances: Floats, ends: tuple[float, float]) -> Family:
    """The exponential mechanism for given distances in metres, between two ε per kilometre."""
    return Family(
        "exponential",
        # Its metric privacy is measured once, where it is set, and not at every step of the search.
        lambda epsilon: on_areas(channel_by_distance(prior.outcomes, distances, epsilon)),
        ends,
        continuous=True,
    )


def dummy_family(prior: Distribution) -> list[Family]:
    """Dummies from the prior in sets of 2 or more, where there are few enough sets."""
    most = min(LARGEST_SET, int(np.count_nonzero(prior.probabilities)))
    counts = [count for count in range(most, 1, -1) if math.comb(len(prior), count) <= MOST_SETS]
    return [Family("dummies", lambda count: dummies_from_prior(prior, round(count)), counts)] if counts else []


def _levels(cells: MapCells) -> list[int]:
    """The levels of blocks, from the whole map to four cells: single ones are the places as they are."""
    return [*range(max(cells.rows - 1, cells.columns - 1).bit_length(), 0, -1)]


class _Least:
    """The least that any channel tells at a mean distance."""

    def __init__(self, prior: Distribution, distances: Floats) -> None:
        self._prior, self._distances = prior, distances
        self._found: dict[float, float] = {}

    def bits(self, mean_distance: float) -> float:
        """A proven lower bound on I(X;Y), at a distance that may be a little larger: the floor is then no higher."""
        for solved, least in self._found.items():
            if mean_distance <= solved <= mean_distance * (1 + 3 * CLOSE):
                return least
        problem = RateDistortion(self._prior, Given(self._distances), MaxDistortion(mean_distance))
        best = solve(problem, GAP)
        return self._found.setdefault(mean_distance, max(best.leakage - best.gap, 0.0))


def _measured(
    name: str,
    setting: float | None,
    placed: Placed,
    prior: Distribution,
    distances: Floats,
    radius: float,
    least: _Least,
) -> Measured:
    seen = infer(prior, placed.channel, distances)
    far = placed.mean_distance(prior, distances)
    occurring = [label for label in prior.outcomes if prior[label] > 0]
    shares = Distribution(occurring, prior.probabilities[prior.probabilities > 0])
    return Measured(
        name,
        setting,
        placed,
        far,
        seen.information,
        max(seen.information - least.bits(far), 0.0),
        epsilon_per_km(placed.channel, distances),
        identifiability(placed.channel.restrict(occurring), shares).value,
        seen.error,
        seen.within(radius),
        placed.contains(prior),
        placed.mean_size(prior),
    )


def _set_to(family: Family, prior: Distribution, distances: Floats, target: float) -> tuple[float, Placed]:
    """The setting whose mean distance is the target or as close below it as it comes; the smallest where none is."""

    def at(setting: float) -> tuple[float, Placed, float]:
        placed = family.make(setting)
        return setting, placed, placed.mean_distance(prior, distances)

    if not family.continuous:
        below = None
        for setting in family.settings:
            below = at(setting)
            if below[2] <= target * (1 + CLOSE):
                break
        assert below is not None
        return below[:2]
    low, high = first, last = family.settings[0], family.settings[-1]
    best: tuple[float, Placed, float] | None = None
    # The ends are looked at late: very wide noise takes longest to work out.
    for step in itertools.count():
        if step == LATE and low == first and (widest := at(first))[2] <= target:
            return widest[:2]
        tried = at(math.sqrt(low * high))
        if tried[2] <= target:
            best, high = tried, tried[0]
        else:
            low = tried[0]
        if (best is not None and best[2] >= target * (1 - CLOSE)) or high <= low * (1 + CLOSE / 10):
            break
    if best is None:
        best = at(last)
    return best[:2]

"""Mechanisms made for given distances: the exponential one, and that which leaks least."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from leakgauge.arguments import checked
from leakgauge.claims import LocalDP, MutualInformation
from leakgauge.design import MaxDistortion, RateDistortion, solve, solve_on_grid
from leakgauge.design.structured import GRID_GAP, StructuredSolution
from leakgauge.distances import Given
from leakgauge.distances.map_cells import MapCells
from leakgauge.location.mechanisms.placed import PER_KILOMETRE, Placed, on_areas
from leakgauge.mechanisms.mechanism import Capabilities, Inputs, Law, Outputs
from leakgauge.mechanisms.on_cells import OnCells
from leakgauge.mechanisms.span import require_budget
from leakgauge.probability import Channel, Distribution, Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.channel import DYADIC_BITS
from leakgauge.randomness import Randomness

GAP = 1e-5
"""How close to the optimum a channel is designed, in nats."""


def channel_by_distance(labels: tuple[Label, ...], distances: Floats, epsilon: float) -> Channel:
    """q(y|x) ∝ e^(−ε d(x, y)/2): metric privacy of at most ε per kilometre; ``on_areas`` claims what it has exactly.

    Each row is normalised by itself, which costs up to half of ε; planar Laplace noise on cells does not need that.
    Distances are in metres, ε in nats per kilometre.
    """
    require_budget(epsilon)
    weights = np.exp(-epsilon * distances / PER_KILOMETRE / 2)
    # What underflows stays possible: the dyadic channel gives it one unit of 2^-53.
    weights = np.maximum(weights, np.finfo(np.float64).tiny)
    return Channel(labels, labels, weights / weights.sum(axis=1, keepdims=True))


@checked
def least_leaking(prior: Distribution, distances: Floats, mean_distance: float, gap: float = GAP) -> Placed:
    """The channel that tells least of the place, in bits under the prior, at a mean distance of at most this one.

    Its promise is an average: no output is sure to be harmless, and ε per kilometre is what it happens to be. Distances
    are in metres, the gap to the optimum in nats.
    """
    problem = RateDistortion(prior, Given(distances), MaxDistortion(mean_distance))
    return on_areas(solve(problem, gap).channel, distances)


@dataclass(frozen=True, eq=False)
class DesignedLaw(Law):
    """The rows of a channel on a grid, worked out one by one."""

    solution: StructuredSolution

    def draw(self, inputs: Inputs, randomness: Randomness) -> Outputs:
        """A cell for each cell."""
        return self.solution.draw(inputs, randomness)

    def scores(self, inputs: Inputs, outputs: Outputs) -> Floats:
        """log q(y|x)."""
        rows = np.array([self.solution.channel_row(int(cell)).ravel()[outputs] for cell in inputs])
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(rows))


@dataclass(frozen=True)
class Designed(OnCells):
    """The cell that is released for each cell of a map, by a channel that was designed for a prior."""

    law: DesignedLaw

    @property
    def released(self) -> tuple[Label, ...]:
        """Any cell."""
        return self.cells.labels

    @property
    def capabilities(self) -> Capabilities:
        """Too large for a channel that is written down."""
        return replace(super().capabilities, finite=False)


@checked
def least_leaking_on_grid(
    prior: Distribution, cells: MapCells, mean_distance: float, gap: float = GRID_GAP
) -> Designed:
    """``least_leaking`` for maps of up to a million cells, whose channel is never written down; gap in nats.

    It claims a local ε of 53 ln 2, since every cell that is ever released is released for any cell with 2^-53 at least,
    and its leakage in bits under the prior.
    """
    shares = prior.probabilities.reshape(cells.rows, cells.columns)
    best = solve_on_grid(shares, cells.metres(), MaxDistortion(mean_distance), gap)
    claims = (LocalDP(math.nextafter(DYADIC_BITS * math.log(2), math.inf)), MutualInformation(best.leakage))
    return Designed("designed", {}, claims, DesignedLaw(best), cells)

"""The slope of a solution is that of the curve where it lies, and says how far its distortion is from the least."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.design import MaxDistortion, MaxLeakage, RateDistortion, Slope, solve
from leakgauge.probability import Joint
from tests.design.families import FAMILIES
from tests.design.sources import conic_distortion
from tests.grids import nightly

NATS = math.log(2)
FEW, MANY = 3, 31


def _ends(problem: RateDistortion) -> tuple[float, float, float, float]:
    """The least and most of the distortion, and of the leakage in bits."""
    flat, end = (solve(problem.with_target(Slope(slope)), 1e-6) for slope in (0.0, math.inf))
    return end.distortion, flat.distortion, flat.objective, end.objective


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("count", [FEW, nightly(MANY)])
def test_a_slope_handed_back_leads_to_the_same_point_or_its_straight_piece(name: str, count: int) -> None:
    draw = randomness.simulation(list(FAMILIES).index(name))
    for _ in range(count):
        problem = FAMILIES[name](draw)
        gap = 1e-9 if (problem.local_dp, problem.weights, problem.secret) == (None, None, None) else 1e-6
        least, most, untold, told = _ends(problem)
        share = draw.uniform(0.02, 0.98)
        if most - least < 1e-9 or told - untold < 1e-3:
            continue
        for target in (MaxDistortion(least + share * (most - least)), MaxLeakage(untold + share * (told - untold))):
            best = solve(problem.with_target(target), gap)
            at, gentler, steeper = (
                solve(problem.with_target(Slope(factor * best.slope)), gap) for factor in (1.0, 1 / 1.02, 1.02)
            )
            line = NATS * (at.objective - best.objective) + best.slope * (at.distortion - best.distortion)
            assert abs(line) <= 2 * gap, "both lie on one line of this slope"
            reach = 1e-6 * (most - least)
            assert steeper.distortion - reach <= best.distortion <= gentler.distortion + reach or best.slope == 0


@pytest.mark.parametrize("name", ["hamming", "absolute", "squared", "random", "attacker", "local ε"])
@pytest.mark.parametrize("count", [FEW, nightly(2 * MANY)])
def test_the_distortion_is_no_further_from_the_least_than_the_gap_over_the_slope(name: str, count: int) -> None:
    draw = randomness.simulation(100 + list(FAMILIES).index(name))
    for _ in range(count):
        problem = FAMILIES[name](draw)
        least, most, untold, told = _ends(problem)
        if told - untold < 1e-3:
            continue
        target = MaxLeakage(untold + draw.uniform(0.02, 0.98) * (told - untold))
        # Gaps far wider than a conic solver's own.
        best = solve(problem.with_target(target), float(draw.choice([1e-4, 1e-3, 1e-2])))
        source = problem.source
        joint = source.matrix if isinstance(source, Joint) else source.probabilities[:, None]
        distances = problem.distortion.between(problem.inputs, problem.letters)
        nats = NATS * (target.bits - (best.background_floor or 0.0))
        found = conic_distortion(np.asarray(joint), distances, nats, problem.local_dp)
        slack = 1e-5 * (most - least)
        assert best.distortion >= found - slack
        assert best.slope > 0 and best.distortion - best.gap * NATS / best.slope <= found + slack

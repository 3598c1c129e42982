"""Problems with next to no room, or with letters that are forbidden: each is solved, and quickly."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.design import Keep, Knowledge, MaxDistortion, MaxLeakage, RateDistortion, Slope, Solution, solve
from leakgauge.distances import Given
from leakgauge.errors import RefusalError
from leakgauge.notions import prior_skew
from leakgauge.probability import Distribution, Joint
from leakgauge.probability.cells import Floats
from tests.design.sources import conic_optimum
from tests.grids import nightly

OPEN = Slope(0.0)
Family: TypeAlias = Callable[[np.random.Generator], RateDistortion]


def _distances(draw: np.random.Generator, count: int, forbidden: float = 0.0) -> Given:
    distances = draw.random((count, count)) * draw.choice([1.0, 10.0])
    distances[draw.random((count, count)) < forbidden] = np.inf
    distances[np.diag_indices(count)] = 0.0
    return Given(distances)


def _shares(draw: np.random.Generator, most: int = 6) -> Floats:
    count = int(draw.integers(2, most))
    return draw.dirichlet(np.full(count, draw.choice([0.3, 1.0, 5.0]))) + 1e-4


def _prior(draw: np.random.Generator) -> Distribution:
    shares = _shares(draw)
    return Distribution(range(len(shares)), shares / shares.sum())


def _joint(draw: np.random.Generator, never: int = 0) -> Joint:
    """Some values that occur with one of three backgrounds, and some that never do."""
    shares = np.append(_shares(draw), np.zeros(never))
    matrix = shares[:, None] * draw.dirichlet(np.ones(3), size=len(shares))
    return Joint(range(len(shares)), range(3), matrix / matrix.sum())


def _forbidden(never: int, knowledge: Knowledge = Knowledge.NOBODY, weigh: bool = False) -> Family:
    def problem(draw: np.random.Generator) -> RateDistortion:
        joint = _joint(draw, never)
        count = len(joint.rows)
        source = joint.row_marginal() if knowledge is Knowledge.NOBODY else joint
        weights = draw.random(count).tolist() if weigh else None
        return RateDistortion(source, _distances(draw, count, 0.35), OPEN, knowledge, weights=weights)

    return problem


def _at_skew(knowledge: Knowledge, above: float = 0.0, weigh: bool = False) -> Family:
    """An identifiability at that of the prior alone, or this part above it."""

    def problem(draw: np.random.Generator) -> RateDistortion:
        joint = _joint(draw)
        count = len(joint.rows)
        prior = joint.row_marginal()
        return RateDistortion(
            prior if knowledge is Knowledge.NOBODY else joint,
            _distances(draw, count),
            OPEN,
            knowledge,
            identifiability=prior_skew(prior) * (1 + above),
            weights=draw.random(count).tolist() if weigh else None,
        )

    return problem


TIGHT: dict[str, Family] = {
    "forbidden": _forbidden(0),
    "forbidden, attacker": _forbidden(0, Knowledge.ATTACKER),
    "forbidden, weights": _forbidden(0, weigh=True),
    "never occurring": _forbidden(1),
    "never occurring, attacker": _forbidden(2, Knowledge.ATTACKER),
    "never occurring, weights": _forbidden(1, weigh=True),
    "identifiability Δ": _at_skew(Knowledge.NOBODY),
    "identifiability Δ, attacker": _at_skew(Knowledge.ATTACKER),
    "identifiability Δ, weights": _at_skew(Knowledge.NOBODY, weigh=True),
    "forbidden, both": _forbidden(0, Knowledge.BOTH),
    "never occurring, both": _forbidden(2, Knowledge.BOTH),
    "identifiability above Δ": _at_skew(Knowledge.NOBODY, 0.1),
}


def _by_cone(problem: RateDistortion, slope: float) -> float:
    """The least leakage + slope · distortion in nats, of the values that occur."""
    joint = problem.source.matrix if isinstance(problem.source, Joint) else problem.source.probabilities[:, None]
    costs = slope * problem.distortion.between(problem.inputs, problem.letters)
    prior = problem.prior.probabilities
    matter = np.ones(len(prior)) if problem.weights is None else np.asarray(problem.weights)

    def least(joint: Floats) -> float:
        occurs = joint.sum(axis=1) > 0
        weights = prior[occurs] / prior.max()
        return conic_optimum(joint[occurs], costs[occurs], problem.identifiability, weights, matter[occurs])

    if problem.knowledge is Knowledge.BOTH:
        shares = joint.sum(axis=0)
        return math.fsum(share * least(joint[:, [z]] / share) for z, share in enumerate(shares.tolist()))
    return least(joint if problem.knowledge is Knowledge.ATTACKER else joint.sum(axis=1, keepdims=True))


def _told(found: Solution) -> float:
    """What is made small, in nats."""
    if found.leakage_with_background is not None and found.background_floor is not None:
        return (found.leakage_with_background - found.background_floor) * math.log(2)
    return (found.leakage if found.weighted_leakage is None else found.weighted_leakage) * math.log(2)


@pytest.mark.parametrize("count", [1, nightly(25)])
@pytest.mark.parametrize("family", TIGHT)
def test_as_a_conic_solver_finds(family: str, count: int) -> None:
    draw = randomness.simulation(11)
    for _ in range(count):
        problem, slope = TIGHT[family](draw), float(draw.choice([0.3, 1.0, 3.0]))
        found = solve(problem.with_target(Slope(slope)))
        assert _told(found) + slope * found.distortion == pytest.approx(_by_cone(problem, slope), abs=3e-6)


@pytest.mark.parametrize("count", [2, nightly(60)])
@pytest.mark.parametrize("family", TIGHT)
def test_every_target_is_met(family: str, count: int) -> None:
    draw = randomness.simulation(12)
    for _ in range(count):
        problem = TIGHT[family](draw)
        floor = solve(problem).background_floor or 0.0
        for target in (MaxDistortion(0.1), MaxDistortion(0.5), MaxLeakage(floor + 0.3), Slope(1.0), Slope(math.inf)):
            try:
                found = solve(problem.with_target(target))
            except RefusalError:
                continue
            assert found.gap <= 1e-9 * max(1.0, *(problem.weights or [1.0])) / math.log(2)
            if isinstance(target, MaxDistortion):
                assert found.distortion <= target.distortion


# Slopes that started from a neighbour's letters never found those that it had given up.
@pytest.mark.parametrize(("seed", "nats"), [(17, None), (20, None), (52, 0.3), (103, 0.02)])
def test_letters_that_a_neighbouring_slope_gave_up_come_back(seed: int, nats: float | None) -> None:
    draw = randomness.simulation(seed)
    inputs, backgrounds = int(draw.integers(2, 13)), int(draw.integers(2, 6))
    joint = draw.dirichlet(np.full(inputs * backgrounds, draw.choice([0.3, 1.0, 5.0]))) + 1e-4
    source = Joint(range(inputs), range(backgrounds), (joint / joint.sum()).reshape(inputs, backgrounds))
    distances = draw.random((inputs, inputs)) * draw.choice([1.0, 10.0])
    distances[draw.random((inputs, inputs)) < float(draw.choice([0.1, 0.3, 0.6]))] = np.inf
    distances[np.diag_indices(inputs)] = 0.0
    problem = RateDistortion(source, Given(distances), OPEN, Knowledge.ATTACKER)
    if nats is None:
        floor = solve(problem).background_floor
        assert floor is not None
        target: MaxLeakage | MaxDistortion = MaxLeakage(floor + float(draw.choice([0.05, 0.2, 0.5])))
    else:
        target = MaxDistortion(nats)
    found = solve(problem.with_target(target))
    assert found.gap <= 1e-9 / math.log(2)
    # Slopes take some hundreds of sweeps each; those that started badly took 20,000.
    assert found.iterations < 20_000


def test_a_value_that_never_occurs_and_may_be_released_as_no_letter_used() -> None:
    distances = np.array([[0.0, 1.0, np.inf], [1.0, 0.0, np.inf], [np.inf, np.inf, 0.0]])
    source = Distribution("abc", [0.5, 0.5, 0.0])
    for target in (OPEN, Slope(1.0), MaxDistortion(0.1), MaxLeakage(0.5)):
        found = solve(RateDistortion(source, Given(distances, "abc"), target))
        assert found.channel.matrix[:, 2].tolist() == [0.0, 0.0, 1.0]
    found = solve(RateDistortion(source, Given(distances, "abc"), MaxDistortion(0.1)))
    without = solve(RateDistortion(Distribution("ab", [0.5, 0.5]), Given(distances[:2, :2], "ab"), MaxDistortion(0.1)))
    assert found.leakage == pytest.approx(without.leakage, abs=1e-9)


@pytest.mark.parametrize(("gap", "bits"), [(1e-9, 1e-10), (1e-9, 1e-11), (1e-9, 1e-12), (1e-3, 1e-4), (1e-3, 1e-9)])
def test_next_to_no_leakage(gap: float, bits: float) -> None:
    for seed in (2, 43):
        draw = randomness.simulation(3000 + seed)
        prior = _prior(draw)
        distances = _distances(draw, len(prior.outcomes))
        for how in ({}, {"local_dp": 1.0}, {"keep": Keep.SHARES}):
            found = solve(RateDistortion(prior, distances, MaxLeakage(bits), **how), gap)
            assert found.leakage <= bits and found.gap <= gap / math.log(2)
            assert found.local_dp.value <= how.get("local_dp", math.inf)  # type: ignore[operator]

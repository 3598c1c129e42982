"""The proofs hold: against a conic solver, a closed form, the optimality conditions and relabelling."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.design import Knowledge, RateDistortion, Slope, Solution, solve
from leakgauge.design.certificate import Secrets, lower_bound
from leakgauge.design.sweeps import alternate
from leakgauge.distances import Absolute, Given, Hamming, Squared
from leakgauge.probability import Distribution, Joint
from leakgauge.probability.cells import Floats
from tests.design.sources import by_the_general_solver, conic_optimum, random_tables


def cost(best: Solution, joint: Floats, slope: float) -> float:
    """Leakage above its floor plus the price of the distortion, in nats."""
    return (best.objective - (best.background_floor or 0.0)) * math.log(2) + slope * best.distortion


def compare(count: int, seed: int) -> None:
    draw = randomness.simulation(seed)
    for trial in range(count):
        backgrounds = 1 if trial % 2 else int(draw.integers(2, 5))
        joint, distances = random_tables(draw, backgrounds)
        slope = float(draw.choice([0.3, 1.0, 3.0, 10.0]))
        inputs, outputs = range(joint.shape[0]), range(100, 100 + distances.shape[1])
        source = Joint(inputs, range(backgrounds), joint)
        knowledge = Knowledge.NOBODY if backgrounds == 1 else Knowledge.ATTACKER
        best = solve(RateDistortion(source, Given(distances), Slope(slope), knowledge, outputs))
        truth = conic_optimum(joint, slope * distances)
        found = cost(best, joint, slope)
        assert best.gap <= 1e-9 / math.log(2)
        assert found <= truth + best.gap * math.log(2) + 1e-6
        assert found >= truth - 1e-6, "no channel is better than the best"


def compare_bounded(count: int, seed: int) -> None:
    draw = randomness.simulation(seed)
    for _ in range(count):
        joint, distances = random_tables(draw, int(draw.integers(1, 4)))
        slope, bound = float(draw.choice([0.3, 1.0, 3.0, 10.0])), float(draw.choice([0.3, 1.0, 3.0]))
        source = Joint(range(len(joint)), range(joint.shape[1]), joint)
        outputs = range(distances.shape[1])
        problem = RateDistortion(source, Given(distances), Slope(slope), Knowledge.ATTACKER, outputs, bound)
        best = solve(problem, gap=1e-6)
        assert best.epsilon <= bound
        truth = conic_optimum(joint, slope * distances, bound)
        assert abs(cost(best, joint, slope) - truth) <= best.gap * math.log(2) + 1e-6


def test_a_conic_solver_agrees_under_a_bound() -> None:
    compare_bounded(15, seed=7)


@pytest.mark.nightly
def test_a_conic_solver_agrees_under_a_bound_on_many() -> None:
    compare_bounded(200, seed=8)


def test_a_conic_solver_agrees() -> None:
    compare(40, seed=5)


@pytest.mark.nightly
def test_a_conic_solver_agrees_on_many() -> None:
    compare(1000, seed=6)


def test_the_bound_is_below_every_channel() -> None:
    draw = randomness.simulation(2)
    for _ in range(300):
        joint, costs = random_tables(draw, int(draw.integers(1, 5)))
        secrets = Secrets.of(joint)
        weights = draw.dirichlet(np.full(costs.shape[1], 0.5), size=joint.shape[1]) + 1e-12
        bound = lower_bound(secrets, costs, np.log(weights))
        channel = draw.dirichlet(np.full(costs.shape[1], 0.3), size=len(joint))
        nearest = np.eye(costs.shape[1])[costs.argmin(axis=1)]
        for any_channel in (channel, nearest):
            assert bound <= secrets.leakage(any_channel) + secrets.prior @ (any_channel * costs).sum(axis=1)


@pytest.mark.parametrize("letters", [2, 3, 10, 60, 300])
@pytest.mark.parametrize("slope", [0.2, 1.0, 4.0, 12.0])
def test_hammings_closed_form_is_within_the_gap_of_the_general_solver(letters: int, slope: float) -> None:
    source = Distribution(range(letters), randomness.simulation(letters).dirichlet(np.ones(letters)))
    problem = RateDistortion(source, Hamming(), Slope(slope))
    closed, general = solve(problem), solve(by_the_general_solver(problem))
    joint = source.probabilities[:, None]
    # The closed form is the truth, up to rounding.
    assert closed.gap < 1e-11
    assert -1e-12 <= cost(general, joint, slope) - cost(closed, joint, slope) <= general.gap * math.log(2) + 1e-12


@pytest.mark.parametrize("distortion", [Absolute(), Squared()])
def test_the_optimality_conditions_hold(distortion: Absolute | Squared) -> None:
    letters, slope = 40, 2.0
    source = Distribution(range(letters), randomness.simulation(4).dirichlet(np.ones(letters)))
    best = solve(RateDistortion(source, distortion, Slope(slope)))
    matrix, prior = best.channel.matrix, source.probabilities
    seen = prior @ matrix
    kernel = np.exp(-slope * distortion.between(range(letters), range(letters)))
    ratios = kernel.T @ (prior / (kernel @ seen))
    used = seen > 0
    assert abs(ratios[used] - 1).max() < 1e-6
    assert ratios.max() < 1 + 1e-8
    assert np.allclose(matrix, kernel * seen / (kernel @ seen)[:, None], atol=1e-8)


@pytest.mark.parametrize("knowledge", [Knowledge.NOBODY, Knowledge.ATTACKER, Knowledge.BOTH])
def test_renaming_and_reordering_changes_nothing(knowledge: Knowledge) -> None:
    draw = randomness.simulation(9)
    joint = draw.dirichlet(np.ones(24)).reshape(6, 4)
    distances = draw.random((6, 5))
    rows, columns, outputs = draw.permutation(6), draw.permutation(4), draw.permutation(5)
    first = solve(RateDistortion(Joint(range(6), range(4), joint), Given(distances), Slope(4), knowledge, range(5)))
    moved = Joint("uvwxyz", "abcd", joint[np.ix_(rows, columns)])
    second = solve(RateDistortion(moved, Given(distances[np.ix_(rows, outputs)]), Slope(4), knowledge, "ABCDE"))
    assert second.objective == pytest.approx(first.objective, abs=1e-7)
    assert second.distortion == pytest.approx(first.distortion, abs=1e-7)
    if knowledge is not Knowledge.BOTH:
        assert np.allclose(second.channel.matrix, first.channel.matrix[np.ix_(rows, outputs)], atol=1e-6)


def test_sweeps_and_steps_find_the_same() -> None:
    draw = randomness.simulation(11)
    joint = draw.dirichlet(np.full(30 * 8, 0.3)).reshape(30, 8) + 1e-9
    joint /= joint.sum()
    best = solve(RateDistortion(Joint(range(30), range(8), joint), Hamming(), Slope(2.5), Knowledge.ATTACKER))
    secrets, costs = Secrets.of(joint), 2.5 * (1 - np.eye(30))
    swept = alternate(secrets, costs, 1e-6)
    found = secrets.leakage(swept.channel) + secrets.prior @ (swept.channel * costs).sum(axis=1)
    assert found - swept.lower <= 1e-6
    assert found == pytest.approx(cost(best, joint, 2.5), abs=2e-6)

"""Problems that are hard on floating point: the gap is reached all the same, and by the same proof."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.design import Knowledge, RateDistortion, Slope, Solution, frontier, solve
from leakgauge.design.certificate import Secrets, lower_bound
from leakgauge.design.sweeps import alternate
from leakgauge.distances import Absolute, Euclidean, Given, Hamming, Squared
from leakgauge.measures.banded import Band
from leakgauge.probability import Distribution, Joint
from leakgauge.probability.cells import Floats
from tests.design.sources import by_the_general_solver

GAP = 1e-9 / math.log(2)


def proven_again(best: Solution, prior: Floats, costs: Floats) -> float:
    """How far the channel handed over is from the bound that its own output marginal proves, in nats."""
    seen = prior @ best.channel.matrix
    with np.errstate(divide="ignore"):
        bound = lower_bound(Secrets.of(prior[:, None]), costs, np.log(seen)[None, :])
    mean = float(prior @ (best.channel.matrix * costs).sum(axis=1))
    return best.leakage * math.log(2) + mean - bound


@pytest.mark.parametrize("spread", [0.7, 1.0, 1.5, 3.0])
@pytest.mark.parametrize("slope", [0.3, 1.0, 3.0, 10.0])
def test_a_peak_on_a_grid_with_a_kernel_close_to_the_identity(spread: float, slope: float) -> None:
    cells = [(i, j) for i in range(20) for j in range(20)]
    prior = np.array([math.exp(-((i - 9.5) ** 2 + (j - 9.5) ** 2) / (2 * spread**2)) for i, j in cells])
    source = Distribution([(10.0 * i, 10.0 * j) for i, j in cells], prior / prior.sum())
    best = solve(RateDistortion(source, Euclidean(), Slope(slope)))
    assert best.gap <= GAP
    if slope >= 3:
        # Hardly any letter is ever worth releasing for another: what leaks is all but the entropy.
        entropy = -float(source.probabilities @ np.log2(source.probabilities))
        assert best.leakage == pytest.approx(entropy, abs=1e-8)


@pytest.mark.parametrize("smallest", [1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("distortion", [Hamming(), Absolute(), Squared()])
@pytest.mark.parametrize("slope", [0.5, 3.0, 20.0])
def test_very_skewed_priors(smallest: float, distortion: Hamming | Absolute | Squared, slope: float) -> None:
    prior = np.geomspace(1.0, smallest, 60)
    prior = randomness.simulation(4).permutation(prior / prior.sum())
    problem = RateDistortion(Distribution(range(60), prior), distortion, Slope(slope))
    best = solve(by_the_general_solver(problem))
    assert best.gap <= GAP
    costs = slope * distortion.between(range(60), range(60))
    assert proven_again(best, prior, costs) >= -1e-12, "no channel is below the bound"


def test_a_kernel_that_is_nearly_flat_leaves_one_letter() -> None:
    prior = randomness.simulation(5).dirichlet(np.ones(200))
    problem = RateDistortion(Distribution(range(200), prior), Hamming(), Slope(1e-7))
    best = solve(by_the_general_solver(problem))
    assert best.gap <= GAP
    assert best.leakage <= 1e-8
    assert 1 - best.distortion == pytest.approx(prior.max(), abs=0.01)


@pytest.mark.parametrize("apart", [1e-6, 1e-9, 1e-12])
def test_rows_that_are_nearly_the_same(apart: float) -> None:
    draw = randomness.simulation(6)
    distances = np.repeat(draw.random((20, 30)), 2, axis=0)
    distances[1::2] += apart * draw.random((20, 30))
    prior = draw.dirichlet(np.ones(40))
    source = Distribution(range(40), prior)
    best = solve(RateDistortion(source, Given(distances), Slope(8.0), outputs=range(30)))
    merged = Distribution(range(20), prior.reshape(20, 2).sum(axis=1))
    fewer = solve(RateDistortion(merged, Given(distances[::2]), Slope(8.0), outputs=range(30)))
    cost, other = (one.leakage * math.log(2) + 8 * one.distortion for one in (best, fewer))
    assert best.gap <= GAP
    assert cost == pytest.approx(other, abs=1e-8 + 8 * apart)


@pytest.mark.parametrize("beside", [-1e-3, -1e-6, 0.0, 1e-6, 1e-3])
@pytest.mark.parametrize("rarest", [0.02, 1e-4])
def test_a_letter_about_to_die(beside: float, rarest: float) -> None:
    # By the closed form the rarest letter is released from the slope on at which p = θ = 1 / (n − 1 + e^slope).
    prior = np.append(np.full(9, (1 - rarest) / 9), rarest)
    dies = math.log(1 / rarest - 9)
    problem = RateDistortion(Distribution(range(10), prior), Hamming(), Slope(dies + beside))
    best, known = solve(by_the_general_solver(problem)), solve(problem)
    assert best.gap <= GAP
    slope = dies + beside
    cost, other = (one.leakage * math.log(2) + slope * one.distortion for one in (best, known))
    assert abs(cost - other) <= 2e-9


def test_background_with_letters_about_to_die_in_a_large_problem() -> None:
    joint = Joint(range(150), range(40), randomness.simulation(9).dirichlet(np.full(6000, 0.1)).reshape(150, 40))
    for slope in (1.0, 2.0, 4.0):
        best = solve(RateDistortion(joint, Hamming(), Slope(slope), Knowledge.ATTACKER), gap=1e-7)
        assert best.gap <= 1e-7 / math.log(2)
        # Whatever weights a bound is proven from, no channel is below it.
        secrets, costs = Secrets.of(joint.matrix), slope * (1 - np.eye(150))
        with np.errstate(divide="ignore"):
            seen = np.log(secrets.seen(best.channel.matrix))
        cost = secrets.leakage(best.channel.matrix) + slope * best.distortion
        assert lower_bound(secrets, costs, seen) <= cost


@pytest.mark.parametrize("distortion", [Absolute(), Squared()])
def test_points_started_from_neighbours_are_those_found_alone(distortion: Absolute | Squared) -> None:
    prior = randomness.simulation(10).dirichlet(np.ones(300))
    problem = RateDistortion(Distribution([place / 30 for place in range(300)], prior), distortion, Slope(1.0))
    points = frontier(problem, 12)
    assert len(points) == 12
    for point in points[1:-1:3]:
        alone = solve(problem.with_target(Slope(point.slope)))
        cost, other = (one.leakage * math.log(2) + point.slope * one.distortion for one in (point, alone))
        assert abs(cost - other) <= 2e-9


@pytest.mark.parametrize("reach", [0, 1, 7, 60])
def test_a_band_solves_what_the_whole_system_does(reach: int) -> None:
    draw = randomness.simulation(11)
    at = np.arange(400)
    matrix = np.where(abs(at[:, None] - at) <= reach, draw.random((400, 400)) + 0.1, 0.0)
    columns = np.sort(draw.permutation(400)[:350])
    of_rows, of_columns, diagonal = draw.random(400) + 0.1, draw.random(350) + 0.1, draw.random(350) + 0.1
    band = Band(matrix)
    width = band.width(columns)
    assert width is not None and width <= 2 * reach
    solver = band.solver(of_rows, columns, of_columns, diagonal)
    assert solver is not None
    scaled = of_rows[:, None] * matrix[:, columns] * of_columns
    right = draw.random(350)
    assert np.allclose((scaled.T @ scaled + np.diag(diagonal)) @ solver(right), right, atol=1e-9)


def test_a_neighbour_to_start_from_is_no_slower_than_none() -> None:
    """Letters that are dead at the neighbouring slope are not left at next to nothing, where they revive slowly."""
    distances = Absolute().between(range(100), range(100))
    cold = warm = 0
    for seed in range(3):
        secrets = Secrets.of(randomness.simulation(seed).dirichlet(np.full(800, 0.5)).reshape(100, 8))
        neighbour = alternate(secrets, 0.1 * distances, 1e-10)
        with np.errstate(divide="ignore"):
            start = np.maximum(np.log(secrets.seen(neighbour.channel)), -600.0)
        cold += alternate(secrets, 0.13 * distances, 1e-10).steps
        warm += alternate(secrets, 0.13 * distances, 1e-10, start).steps
    assert warm <= 1.4 * cold

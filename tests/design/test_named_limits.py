"""A refusal names a number that is accepted when it is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.design import Knowledge, MaxDistortion, MaxLeakage, RateDistortion, Slope, solve
from leakgauge.design.output_entropy import largest_output_entropy
from leakgauge.design.solving import GAP
from leakgauge.design.structured import solve_on_grid
from leakgauge.distances import Given
from leakgauge.distances.grid import Grid
from leakgauge.errors import RefusalError
from leakgauge.notions import prior_skew
from leakgauge.probability import Distribution
from tests.design.families import FAMILIES
from tests.grids import nightly

FEW, MANY = 6, 60


def named_in(message: str) -> tuple[float, float]:
    """The number that is refused and the one to ask for instead, as they are written."""
    first, *_, last = re.findall(r"(?<![\^\w])\d+(?:\.\d+)?(?:e[-+]\d+)?", message)
    return float(first), float(last)


def refused_then_accepted(ask: Callable[[float], object], number: float) -> None:
    with pytest.raises(RefusalError) as refused:
        ask(number)
    asked, named = named_in(str(refused.value))
    assert asked <= number < named
    ask(named)


def met(
    problem: RateDistortion, target: type[MaxDistortion] | type[MaxLeakage], gap: float = GAP
) -> Callable[[float], object]:
    return lambda number: solve(problem.with_target(target(number)), gap)


def _no_letter_of_its_own(draw: np.random.Generator) -> tuple[RateDistortion, float]:
    inputs, outputs = draw.integers(2, 6, size=2).tolist()
    distances = draw.uniform(0.1, 1, (inputs, outputs))
    shares = draw.dirichlet(np.ones(inputs))
    loss = Given(distances, range(inputs), [f"y{at}" for at in range(outputs)])
    return RateDistortion(Distribution(range(inputs), shares), loss, Slope(0)), float(shares @ distances.min(axis=1))


@pytest.mark.parametrize("count", [FEW, nightly(MANY)])
def test_a_distortion_below_that_of_the_nearest_letters(count: int) -> None:
    draw = randomness.simulation(1)
    for _ in range(count):
        problem, least = _no_letter_of_its_own(draw)
        number = least * (1 - float(draw.choice([1e-3, 1e-9, 1e-12])))
        refused_then_accepted(met(problem, MaxDistortion), number)


@pytest.mark.parametrize("count", [FEW, nightly(MANY)])
@pytest.mark.parametrize("family", ["local ε", "attacker", "shares"])
def test_a_distortion_below_what_a_local_epsilon_allows(family: str, count: int) -> None:
    draw = randomness.simulation(2)
    for _ in range(count):
        drawn = FAMILIES[family](draw)
        problem = RateDistortion(
            drawn.source,
            drawn.distortion,
            Slope(0),
            drawn.knowledge,
            keep=drawn.keep,
            local_dp=float(draw.choice([0.5, 1.0, 3.0])),
        )
        least = solve(problem.with_target(Slope(np.inf)), 1e-6).distortion
        number = least * (1 - float(draw.choice([1e-2, 1e-5])))
        refused_then_accepted(met(problem, MaxDistortion, 1e-6), number)


@pytest.mark.parametrize("count", [FEW, nightly(MANY)])
@pytest.mark.parametrize("knowledge", [Knowledge.ATTACKER, Knowledge.BOTH])
def test_a_leakage_below_what_the_background_reveals(knowledge: Knowledge, count: int) -> None:
    draw = randomness.simulation(3)
    for _ in range(count):
        problem = FAMILIES["attacker"](draw)
        problem = RateDistortion(problem.source, problem.distortion, Slope(0), knowledge)
        floor = solve(problem).background_floor
        assert floor is not None
        number = floor * (1 - float(draw.choice([1e-3, 1e-9, 1e-12])))
        refused_then_accepted(met(problem, MaxLeakage), number)


@pytest.mark.parametrize("count", [FEW, nightly(MANY)])
def test_a_leakage_below_what_unchangeable_values_reveal(count: int) -> None:
    draw = randomness.simulation(4)
    for _ in range(count):
        inputs = int(draw.integers(3, 6))
        distances = draw.random((inputs, inputs))
        distances[0, 1:], distances[1:, 0] = np.inf, np.inf
        distances[np.diag_indices(inputs)] = 0.0
        source = Distribution(range(inputs), draw.dirichlet(np.ones(inputs)))
        problem = RateDistortion(source, Given(distances), Slope(0))
        number = solve(problem).leakage * (1 - float(draw.choice([1e-3, 1e-6])))
        refused_then_accepted(met(problem, MaxLeakage), number)


@pytest.mark.parametrize("count", [FEW, nightly(MANY)])
def test_an_identifiability_below_that_of_the_prior(count: int) -> None:
    draw = randomness.simulation(5)
    for _ in range(count):
        problem = FAMILIES["random"](draw)
        number = prior_skew(problem.prior) * (1 - float(draw.choice([1e-3, 1e-9, 1e-12])))

        def ask(epsilon: float, of: RateDistortion = problem) -> object:
            return solve(RateDistortion(of.source, of.distortion, Slope(1), identifiability=epsilon))

        refused_then_accepted(ask, number)


def test_a_distortion_below_what_a_varied_output_allows() -> None:
    draw = randomness.simulation(6)
    for _ in range(FEW):
        problem = FAMILIES["random"](draw)
        least = solve(RateDistortion(problem.source, problem.distortion, Slope(np.inf), local_dp=1.0), 1e-6).distortion

        def ask(most: float, of: RateDistortion = problem) -> object:
            return largest_output_entropy(of.prior, of.distortion, most, local_dp=1.0)

        refused_then_accepted(ask, 0.99 * least)


def test_a_distortion_below_what_a_grid_can_be_drawn_with() -> None:
    prior, grid = np.full((4, 4), 1 / 16), Grid((4, 4))
    refused_then_accepted(lambda asked: solve_on_grid(prior, grid, MaxDistortion(asked)), 0.0)

"""Bounds on ratios of many letters: kept, proven, and the same as the method for few letters finds."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.design import Knowledge, MaxDistortion, MaxLeakage, RateDistortion, Slope, solve, symmetric_channel
from leakgauge.design.bounded import minimise_bounded
from leakgauge.design.certificate import Secrets
from leakgauge.design.columns import minimise_columns
from leakgauge.design.cones import Window
from leakgauge.distances import Absolute, Distortion, Hamming, Squared
from leakgauge.errors import EngineError, OptionError
from leakgauge.measures import mutual_information
from leakgauge.probability import Distribution, Joint, Scenario
from leakgauge.probability.cells import Floats
from tests.design.sources import conic_optimum, random_tables


def source(letters: int, seed: int = 1) -> Distribution:
    weights = randomness.simulation(seed).dirichlet(np.ones(letters)) + 1e-5
    return Distribution(range(letters), weights / weights.sum())


def cost_of(prior: Floats, costs: Floats, channel: Floats) -> float:
    return Secrets.of(prior[:, None]).leakage(channel) + float(prior @ (channel * costs).sum(axis=1))


def largest_log_ratio(weighted: Floats) -> float:
    used = weighted[:, weighted.max(axis=0) > 0]
    return float(np.log(used.max(axis=0) / used.min(axis=0)).max())


@pytest.mark.parametrize("seed", range(12))
def test_a_conic_solver_agrees(seed: int) -> None:
    draw = randomness.simulation(seed)
    joint, distances = random_tables(draw)
    prior, costs = joint[:, 0], distances * draw.choice([0.3, 3.0])
    epsilon = float(draw.choice([0.1, 1.0, 3.0]))
    found = minimise_bounded(prior, costs, Window.within_ratio(np.ones(len(prior)), epsilon), 1e-7)
    best = conic_optimum(joint, costs, epsilon)
    ours = cost_of(prior, costs, found.channel)
    assert found.lower <= best + 1e-6 and best <= ours + 1e-6
    assert ours - found.lower <= 1e-7
    assert largest_log_ratio(found.channel) <= epsilon + 1e-12
    assert np.allclose(found.channel.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("identifiable", [False, True])
@pytest.mark.parametrize(("epsilon", "slope"), [(0.5, 4.0), (2.0, 1.0)])
@pytest.mark.parametrize("shape", [(12, 20), (20, 12)])
def test_the_method_for_few_letters_agrees(
    shape: tuple[int, int], epsilon: float, slope: float, identifiable: bool
) -> None:
    draw = randomness.simulation(7)
    prior, costs = source(shape[0]).probabilities, slope * draw.random(shape)
    weights = prior if identifiable else np.ones(len(prior))
    cone = Window.within_ratio(weights, epsilon + math.log(weights.max() / weights.min()))
    ours, theirs = (
        minimise_bounded(prior, costs, cone, 1e-7),
        minimise_columns(Secrets.of(prior[:, None]), costs, cone, 1e-6),
    )
    for channel in (ours.channel, theirs.channel):
        assert max(ours.lower, theirs.lower) <= cost_of(prior, costs, channel)
    assert cost_of(prior, costs, ours.channel) <= cost_of(prior, costs, theirs.channel) + 1e-7
    assert cost_of(prior, costs, ours.channel) - ours.lower <= 1e-7


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_of_equal_letters_the_best_is_randomized_response(epsilon: float) -> None:
    prior = Distribution.uniform(range(70))
    best = solve(RateDistortion(prior, Hamming(), Slope(30.0), local_dp=epsilon), gap=1e-8)
    lie = 69 / (69 + math.exp(epsilon))
    expected = symmetric_channel(prior.outcomes, lie)
    assert best.leakage == pytest.approx(mutual_information(Scenario(prior, expected)), abs=1e-8)
    assert best.distortion == pytest.approx(lie, abs=1e-9)
    assert np.allclose(best.channel.matrix, expected.matrix, atol=1e-9)
    assert epsilon - 1e-6 <= best.epsilon <= epsilon


@pytest.mark.parametrize("distortion", [Hamming(), Absolute(), Squared()], ids=["hamming", "absolute", "squared"])
@pytest.mark.parametrize("bound", ["local_dp", "identifiability"])
def test_bounds_are_kept_and_reached_by_the_channel_handed_over(distortion: Distortion, bound: str) -> None:
    prior = source(60)
    skew = math.log(prior.probabilities.max() / prior.probabilities.min())
    local = bound == "local_dp"
    epsilon = 1.0 if local else skew + 1.0
    mean = float(distortion.between(prior.outcomes, prior.outcomes).mean())
    problem = RateDistortion(prior, distortion, Slope(20 / mean))
    problem = replace(problem, local_dp=epsilon) if local else replace(problem, identifiability=epsilon)
    best = solve(problem, gap=1e-5)
    assert best.identifiability is not None
    level = best.epsilon if local else best.identifiability.value
    assert epsilon - 1e-6 <= level <= epsilon
    assert 0 <= best.gap <= 1e-5 / math.log(2)


def test_targets_are_met_on_the_safe_side() -> None:
    problem = RateDistortion(source(50), Absolute(), MaxLeakage(0.1), local_dp=1.5)
    best = solve(problem, gap=1e-6)
    assert best.leakage <= 0.1 and best.epsilon <= 1.5
    back = solve(problem.with_target(MaxDistortion(best.distortion)), gap=1e-6)
    assert back.distortion <= best.distortion
    assert back.leakage == pytest.approx(best.leakage, abs=4e-6)


def test_bounds_at_their_ends() -> None:
    silent = solve(RateDistortion(source(50), Absolute(), Slope(1.0), local_dp=0.0), gap=1e-6)
    assert (silent.epsilon, silent.leakage, silent.letters) == (0, 0, 1)
    free = solve(RateDistortion(source(50), Absolute(), Slope(1.0)))
    loose = solve(RateDistortion(source(50), Absolute(), Slope(1.0), local_dp=1e4), gap=1e-7)
    assert loose.leakage + loose.distortion / math.log(2) == pytest.approx(
        free.leakage + free.distortion / math.log(2), abs=2e-7
    )


def test_what_is_not_reached_or_too_large_is_refused() -> None:
    with pytest.raises(EngineError, match=r"proven to be within .* nats of the best, not within 1e-15"):
        solve(RateDistortion(source(50), Absolute(), Slope(0.5), local_dp=1.0), gap=1e-15)
    with pytest.raises(OptionError, match="Bounds on ratios work for up to 2097152 inputs × outputs"):
        solve(RateDistortion(Distribution.uniform(range(1500)), Hamming(), Slope(1), local_dp=1.0))
    joint = Joint(range(50), "uv", np.full((50, 2), 0.01))
    with pytest.raises(OptionError, match="what the attacker knows work for up to 1600 inputs × outputs"):
        solve(RateDistortion(joint, Hamming(), Slope(1), Knowledge.ATTACKER, local_dp=1.0))


@pytest.mark.nightly
@pytest.mark.parametrize(("letters", "gap", "seconds"), [(200, 1e-4, 30), (500, 1e-3, 60)])
@pytest.mark.parametrize("distortion", [Hamming(), Absolute(), Squared()], ids=["hamming", "absolute", "squared"])
def test_hundreds_of_letters_are_within_reach(distortion: Distortion, letters: int, gap: float, seconds: float) -> None:
    start = time.process_time()
    mean = distortion.between(range(letters), range(letters)).mean()
    best = solve(RateDistortion(source(letters), distortion, Slope(6 / float(mean)), local_dp=2.0), gap=gap)
    assert best.gap <= gap / math.log(2) and best.epsilon <= 2
    assert time.process_time() - start < seconds

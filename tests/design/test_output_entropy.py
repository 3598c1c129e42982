"""The most varied output: empty without a distortion, and against a conic solver within one."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.design import MaxLeakage, RateDistortion, largest_output_entropy, solve
from leakgauge.design.barrier import LeakageBounds, RatioBounds
from leakgauge.design.baselines import maximum_entropy_channel
from leakgauge.design.problem import MaxDistortion
from leakgauge.distances import Absolute, Given, Hamming
from leakgauge.errors import EngineError, OptionError, RefusalError
from leakgauge.measures import entropy, mutual_information
from leakgauge.notions import levels
from leakgauge.probability import Channel, Distribution, Scenario
from leakgauge.probability.cells import Floats
from tests.design.sources import FILM, cvxpy, random_tables
from tests.grids import nightly

Bound = dict[str, float]


def conic_entropy(prior: Floats, distances: Floats, most: float, bound: Bound) -> float:
    """The largest H(Y) in nats by Clarabel."""
    channel: Any = cvxpy.Variable(distances.shape, nonneg=True)
    seen = prior @ channel
    constraints = [cvxpy.sum(channel, axis=1) == 1]
    constraints.append(cvxpy.sum(cvxpy.multiply(prior[:, None] * distances, channel)) <= most)
    if "local_dp" in bound:
        least: Any = cvxpy.Variable(distances.shape[1])
        constraints += [row >= least for row in channel]
        constraints += [row <= math.exp(bound["local_dp"]) * least for row in channel]
    else:
        told = [p * cvxpy.sum(cvxpy.rel_entr(row, seen)) for p, row in zip(prior, channel, strict=True)]
        constraints.append(cvxpy.sum(told) <= bound["max_leakage"] * math.log(2))
    problem = cvxpy.Problem(cvxpy.Maximize(cvxpy.sum(cvxpy.entr(seen))), constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        problem.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    return float(problem.value)


@pytest.mark.parametrize("problems", [6, nightly(15)])
@pytest.mark.parametrize("kind", ["local_dp", "max_leakage"])
def test_a_conic_solver_agrees(kind: str, problems: int) -> None:
    draw = randomness.simulation(31)
    compared = 0
    while compared < problems:
        joint, distances = random_tables(draw)
        prior, distances = joint[:8, 0] / joint[:8, 0].sum(), distances[:8, :8]
        low, high = prior @ distances.min(axis=1), prior @ distances.mean(axis=1)
        most = float(low + draw.random() * (high - low))
        bound = {kind: float(draw.choice([0.5, 1, 3, 8] if kind == "local_dp" else [0.05, 0.3, 1]))}
        source, outputs = Distribution(range(len(prior)), prior), range(distances.shape[1])
        try:
            found = largest_output_entropy(source, Given(distances), most, outputs=outputs, **bound)
        except RefusalError:
            continue
        compared += 1
        assert found.distortion <= most
        assert found.leakage <= bound.get("max_leakage", math.inf)
        assert found.local_dp.value <= bound.get("local_dp", math.inf)
        assert 0 <= found.gap <= 1e-6 / math.log(2)
        truth = conic_entropy(prior, distances, most, bound)
        assert truth - found.gap * math.log(2) - 1e-6 <= found.bits * math.log(2) <= truth + 1e-6


@pytest.mark.parametrize("channels", [50, nightly(200)])
def test_any_prices_prove_a_bound_above_every_channel(channels: int) -> None:
    draw = randomness.simulation(32)
    for trial in range(channels):
        joint, distances = random_tables(draw)
        prior, costs = joint[:, 0], 3 * distances.T - 4
        rows = draw.dirichlet(np.full(len(costs), 0.5), size=len(prior)) + 1e-3
        rows /= rows.sum(axis=1, keepdims=True)
        gain = -float(prior @ (rows * costs.T).sum(axis=1))
        prices = prior * draw.normal(size=len(prior)) * (trial % 3)
        epsilon = float(np.log(rows.max(axis=0) / rows.min(axis=0)).max())
        assert gain <= RatioBounds(epsilon).upper_bound(prior, rows.T, costs, prices, 0.0)
        channel = Channel(range(len(prior)), range(len(costs)), rows)
        told = mutual_information(Scenario(Distribution(range(len(prior)), prior), channel)) * math.log(2)
        for price in (0.0, 0.1, 1.0, 10.0):
            assert gain <= LeakageBounds(told).upper_bound(prior, rows.T, costs, prices, price) + 1e-12


def test_without_a_distortion_pure_noise_is_the_answer_and_tells_nothing() -> None:
    # "Choose the release of largest entropy that meets the privacy requirement" asks for nothing else.
    noise = Channel.constant(FILM.outcomes, Distribution.uniform(FILM.outcomes))
    assert entropy(noise.output(FILM)) == pytest.approx(math.log2(5)), "no output of five letters has more"
    assert levels(noise)["local-dp"].value == 0
    assert mutual_information(Scenario(FILM, noise)) == pytest.approx(0, abs=1e-12)
    for found in (
        largest_output_entropy(FILM, Hamming(), 1.0, local_dp=1e-6),
        largest_output_entropy(FILM, Hamming(), 1.0, max_leakage=1e-6),
    ):
        assert (found.channel.matrix == found.channel.matrix[0]).all()
        assert found.bits == pytest.approx(math.log2(5), abs=1e-12)
        assert found.gap <= 1e-12 and found.iterations == 0


def test_more_room_never_means_less_entropy() -> None:
    by_epsilon = [largest_output_entropy(FILM, Absolute(), 0.6, local_dp=epsilon).bits for epsilon in (2, 3, 5, 800)]
    by_bits = [largest_output_entropy(FILM, Absolute(), 0.6, max_leakage=bits).bits for bits in (0.3, 0.5, 1, 3)]
    by_distortion = [largest_output_entropy(FILM, Absolute(), most, local_dp=3).bits for most in (0.6, 0.7, 0.9)]
    for ladder in (by_epsilon, by_bits, by_distortion):
        assert all(after >= before - 2e-6 for before, after in itertools.pairwise(ladder))
        assert ladder[-1] > ladder[0] + 1e-3
    # A bound that binds no more leaves the distortion alone, whichever it was.
    assert by_epsilon[-1] == pytest.approx(by_bits[-1], abs=3e-6)


def test_it_is_above_the_least_leaking_and_the_exponential_channel() -> None:
    least = solve(RateDistortion(FILM, Hamming(), MaxLeakage(0.5)))
    most = least.distortion + 1e-3
    found = largest_output_entropy(FILM, Hamming(), most, max_leakage=0.5)
    assert entropy(least.channel.output(FILM)) < found.bits
    noisy = maximum_entropy_channel(FILM, Hamming(), MaxDistortion(0.4))
    told = mutual_information(Scenario(FILM, noisy))
    assert entropy(noisy.output(FILM)) <= largest_output_entropy(FILM, Hamming(), 0.4, max_leakage=told).bits + 2e-6


def test_letters_that_never_occur_act_like_others() -> None:
    source = Distribution(range(4), [0.5, 0, 0.3, 0.2])
    found = largest_output_entropy(source, Hamming(), 0.3, local_dp=3.0)
    assert (found.channel.matrix[1] == found.channel.matrix[[0, 2, 3]]).all(axis=1).any()
    assert found.local_dp.value <= 3 and found.channel.dyadic() == found.channel


def test_what_cannot_be_had_is_refused() -> None:
    for bound in (None, 1.0):
        with pytest.raises(OptionError, match="No bound or two bounds"):
            largest_output_entropy(FILM, Hamming(), 0.3, local_dp=bound, max_leakage=bound)
    for value in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(OptionError, match="above 0"):
            largest_output_entropy(FILM, Hamming(), 0.3, max_leakage=value)
    with pytest.raises(OptionError, match="above 0"):
        largest_output_entropy(FILM, Hamming(), 0.3, max_leakage=1, gap=0)
    with pytest.raises(RefusalError, match=r"ask for at least 0\.3252"):
        largest_output_entropy(FILM, Hamming(), 0.2, local_dp=2.0)
    with pytest.raises(OptionError, match="up to 900 inputs × outputs, but there are 1600"):
        largest_output_entropy(Distribution.uniform(range(40)), Hamming(), 0.2, local_dp=2.0)
    with pytest.raises(EngineError, match="proven to be within"):
        largest_output_entropy(FILM, Hamming(), 0.4, local_dp=2.0, gap=1e-15)

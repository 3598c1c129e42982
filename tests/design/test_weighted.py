"""Weighted leakage as what is made small: against a conic solver, the measure's own definition and plain leakage."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.design import (
    Knowledge,
    MaxDistortion,
    MaxLeakage,
    RateDistortion,
    Slope,
    solve,
    symmetric_channel,
    waste,
)
from leakgauge.design.certificate import Secrets, weighted_lower_bound
from leakgauge.distances import Given, Hamming
from leakgauge.errors import LabelError, ModelError, OptionError
from leakgauge.measures import mutual_information
from leakgauge.probability import Distribution, Joint, Scenario
from leakgauge.probability.cells import Floats
from tests.design.sources import FILM, cvxpy, random_tables
from tests.grids import nightly

WEIGHTS = (5.0, 2.0, 0.5, 0.0, 1.0)


def weighted_optimum(prior: Floats, weights: Floats, costs: Floats) -> float:
    """The least I_w(X;Y) + E cost in nats by Clarabel."""
    channel: Any = cvxpy.Variable(costs.shape, nonneg=True)
    seen = prior @ channel
    total = cvxpy.sum(cvxpy.multiply(prior[:, None] * costs, channel))
    for x in range(len(prior)):
        total += weights[x] * prior[x] * cvxpy.sum(cvxpy.rel_entr(channel[x], seen))
    problem = cvxpy.Problem(cvxpy.Minimize(total), [cvxpy.sum(channel, axis=1) == 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        problem.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    return float(problem.value)


@pytest.mark.parametrize("problems", [12, nightly(40)])
def test_a_conic_solver_agrees(problems: int) -> None:
    draw = randomness.simulation(21)
    for trial in range(problems):
        joint, distances = random_tables(draw)
        prior = joint[:, 0]
        weights = draw.exponential(size=len(prior))
        if trial % 3 == 0:
            weights[draw.integers(len(prior))] = 0.0
        slope = float(draw.choice([0.3, 1.0, 3.0]))
        source, outputs = Distribution(range(len(prior)), prior), range(distances.shape[1])
        problem = RateDistortion(source, Given(distances), Slope(slope), outputs=outputs, weights=weights.tolist())
        best = solve(problem, gap=1e-7)
        truth = weighted_optimum(prior, weights, slope * distances)
        found = best.objective * math.log(2) + slope * best.distortion
        assert best.gap <= 1e-7 / math.log(2)
        assert truth - 1e-6 <= found <= truth + best.gap * math.log(2) + 1e-6


def test_the_bound_is_below_every_channel() -> None:
    draw = randomness.simulation(22)
    for trial in range(300):
        joint, costs = random_tables(draw)
        weights = draw.exponential(size=len(joint)) * (draw.random(len(joint)) > 0.2)
        weights[0] += 0.1
        secrets = Secrets.of(joint, weights)
        bound = weighted_lower_bound(secrets, costs, draw.normal(size=len(joint)) * (trial % 3) * secrets.prior)
        channel = draw.dirichlet(np.full(costs.shape[1], 0.3), size=len(joint))
        nearest = np.eye(costs.shape[1])[costs.argmin(axis=1)]
        for any_channel in (channel, nearest):
            assert bound <= secrets.leakage(any_channel) + secrets.prior @ (any_channel * costs).sum(axis=1)


def test_the_leakage_is_the_measures_own() -> None:
    best = solve(RateDistortion(FILM, Hamming(), MaxDistortion(0.3), weights=WEIGHTS), gap=1e-7)
    measured = mutual_information(Scenario(FILM, best.channel, weights=WEIGHTS))
    assert best.weighted_leakage == best.objective == pytest.approx(measured, abs=1e-12)
    plain = solve(RateDistortion(FILM, Hamming(), MaxDistortion(0.3)))
    assert plain.weighted_leakage is None
    assert measured < mutual_information(Scenario(FILM, plain.channel, weights=WEIGHTS)) - 0.01
    assert best.leakage > plain.leakage
    assert best.distortion <= 0.3


def test_equal_weights_scale_plain_leakage() -> None:
    plain = solve(RateDistortion(FILM, Hamming(), Slope(2.0)))
    double = solve(RateDistortion(FILM, Hamming(), Slope(4.0), weights=dict.fromkeys(FILM.outcomes, 2.0)), gap=1e-8)
    assert double.objective == pytest.approx(2 * plain.leakage, abs=1e-4)
    cost = plain.leakage * math.log(2) + 2 * plain.distortion
    assert double.objective * math.log(2) + 4 * double.distortion == pytest.approx(2 * cost, abs=2e-8)


def test_targets_ends_and_bounds() -> None:
    problem = RateDistortion(FILM, Hamming(), MaxLeakage(0.4), weights=WEIGHTS)
    best = solve(problem, gap=1e-7)
    assert 0.4 - 1e-6 < best.objective <= 0.4
    exact = solve(problem.with_target(MaxDistortion(0.0)))
    assert exact.distortion == 0
    assert exact.objective == pytest.approx(-(FILM.probabilities * WEIGHTS) @ np.log2(FILM.probabilities))
    bounded = solve(RateDistortion(FILM, Hamming(), Slope(3.0), local_dp=1.0, weights=WEIGHTS), gap=1e-6)
    assert 0 < bounded.epsilon <= 1
    found = waste(symmetric_channel(FILM.outcomes, 0.3), problem, gap=1e-7)
    assert found.bits > 0.1


def test_weights_that_make_no_sense_are_refused() -> None:
    with pytest.raises(OptionError, match="no secret that matters"):
        RateDistortion(FILM, Hamming(), Slope(1), weights=[0.0] * 5)
    with pytest.raises(ModelError):
        RateDistortion(FILM, Hamming(), Slope(1), weights=[1, 1, 1, 1, -1])
    with pytest.raises((LabelError, ModelError)):
        RateDistortion(FILM, Hamming(), Slope(1), weights=[1.0] * 4)
    joint = Joint("ab", "uv", [[0.25, 0.25], [0.25, 0.25]])
    with pytest.raises(OptionError, match="known background"):
        RateDistortion(joint, Hamming(), Slope(1), Knowledge.ATTACKER, weights=[1, 2])
    many = Distribution.uniform(range(200))
    with pytest.raises(OptionError, match="merge rare letters"):
        solve(RateDistortion(many, Hamming(), Slope(1), weights=[1.0] * 200))

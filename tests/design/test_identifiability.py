"""Channels held to an identifiability: against a conic solver, and exactly where the bound is reached."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.design import RateDistortion, Slope, solve
from leakgauge.distances import Given
from leakgauge.notions import prior_skew
from leakgauge.notions.ratios import identifiability
from leakgauge.probability import Distribution
from leakgauge.probability.cells import Floats
from tests.design.sources import cvxpy
from tests.grids import nightly


def conic_optimum(prior: Floats, costs: Floats, bound: float) -> float:
    """The least I(X;Y) + E cost in nats with p(x|y) ≤ e^bound p(x'|y), by Clarabel."""
    channel: Any = cvxpy.Variable(costs.shape, nonneg=True)
    least: Any = cvxpy.Variable(costs.shape[1])
    seen = prior @ channel
    total = cvxpy.sum(cvxpy.multiply(prior[:, None] * costs, channel))
    constraints = [cvxpy.sum(channel, axis=1) == 1]
    for p, row in zip(prior, channel, strict=True):
        total += p * cvxpy.sum(cvxpy.rel_entr(row, seen))
        constraints += [p * row >= least, p * row <= math.exp(bound) * least]
    problem = cvxpy.Problem(cvxpy.Minimize(total), constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        problem.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    return float(problem.value)


@pytest.mark.parametrize(("problems", "least"), [(10, 2), nightly(40, 10)])
def test_a_conic_solver_agrees_and_the_bound_is_kept_and_reached(problems: int, least: int) -> None:
    draw = randomness.simulation(51)
    reached = 0
    for _ in range(problems):
        inputs, outputs = draw.integers(2, 9, size=2)
        prior = draw.dirichlet(np.full(inputs, draw.choice([1.0, 5.0])))
        distances = draw.random((inputs, outputs))
        source, slope = Distribution(range(inputs), prior), float(draw.choice([1.0, 3.0, 10.0]))
        bound = prior_skew(source) + float(draw.choice([0.3, 1.0, 2.0]))
        problem = RateDistortion(source, Given(distances), Slope(slope), outputs=range(outputs))
        free = solve(problem)
        held = RateDistortion(source, Given(distances), Slope(slope), outputs=range(outputs), identifiability=bound)
        best = solve(held, gap=1e-6)
        truth = conic_optimum(prior, slope * distances, bound)
        cost = best.leakage * math.log(2) + slope * best.distortion
        assert truth - 1e-6 <= cost <= truth + best.gap * math.log(2) + 1e-6
        assert best.identifiability is not None and free.identifiability is not None
        assert best.identifiability == identifiability(best.channel, source)
        assert best.identifiability.value <= bound
        if free.identifiability.value > bound + 1e-3 and best.letters > 1:
            # The bound costs something, and something is still told: some posterior is at the bound.
            assert best.identifiability.value >= bound - 1e-6
            reached += 1
    assert reached >= least

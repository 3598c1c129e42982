"""Sources and random problems the tests share, and what a conic solver makes of them."""

from __future__ import annotations

import csv
import warnings
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from leakgauge.design import RateDistortion
from leakgauge.distances import Given
from leakgauge.probability import Distribution, Joint
from leakgauge.probability.cells import Floats

cvxpy: Any = import_module("cvxpy")  # its types do not cover what is used here

FILM = Distribution(range(1, 6), np.array([2, 6, 19, 8, 4]) / 39)
"""MovieLens film 785: how many of 39 people gave it 1 to 5 stars."""


def adult(data: Path) -> Joint:
    """Marital status and occupation of 30,718 people."""
    with (data / "adult_marital_x_occupation_30718.csv").open(encoding="utf-8", newline="") as lines:
        header, *rows = list(csv.reader(lines))
    counts = np.array([[int(cell) for cell in row[1:]] for row in rows], dtype=np.float64)
    return Joint([row[0] for row in rows], header[1:], counts / counts.sum())


def random_tables(draw: np.random.Generator, backgrounds: int = 1) -> tuple[Floats, Floats]:
    """p(x, z) and distances of a random problem with up to 12 inputs and outputs; some letters are rare."""
    inputs, outputs = draw.integers(2, 13, size=2)
    joint = draw.dirichlet(np.full(inputs * backgrounds, draw.choice([0.3, 1.0, 5.0]))).reshape(inputs, backgrounds)
    joint = (joint + 1e-6) / (joint + 1e-6).sum()
    return joint, draw.random((inputs, outputs)) * draw.choice([1.0, 10.0])


def conic_optimum(
    joint: Floats, costs: Floats, epsilon: float | None = None, weights: Floats | float = 1.0, matter: Any = 1.0
) -> float:
    """The least I(X;Y|Z) + E cost in nats by Clarabel, about 1e-7 off.

    Args:
        costs: infinite where a letter may not be released.
        epsilon: how far ln of an entry times its input's weight may be from another of its column.
        weights: the prior where the bound is one on identifiability.
        matter: how much each secret matters.
    """
    leakage, cost, constraints = _conic_program(joint, costs, epsilon, weights, matter)
    return _conic_value(leakage + cost, constraints)


def conic_distortion(joint: Floats, distances: Floats, most: float, epsilon: float | None = None) -> float:
    """The least E d with I(X;Y|Z) of at most so many nats by Clarabel, about 1e-7 off."""
    leakage, distortion, constraints = _conic_program(joint, distances, epsilon)
    return _conic_value(distortion, [*constraints, leakage <= most])


def _conic_program(
    joint: Floats, costs: Floats, epsilon: float | None, weights: Floats | float = 1.0, matter: Any = 1.0
) -> tuple[Any, Any, list[Any]]:
    """I(X;Y|Z) and E cost of a channel, and what makes it one."""
    inputs, outputs = costs.shape
    allowed = np.isfinite(costs)
    channel = cvxpy.Variable((inputs, outputs), nonneg=True)
    constraints = [cvxpy.sum(channel, axis=1) == 1]
    if not allowed.all():
        constraints.append(cvxpy.multiply(~allowed, channel) == 0)
    costs = np.where(allowed, costs, 0.0)
    units, matters = (np.broadcast_to(np.asarray(one, dtype=np.float64), inputs) for one in (weights, matter))
    leakage = 0
    for z in range(joint.shape[1]):
        own = joint[:, z]
        seen = (own / own.sum()) @ channel
        leakage += cvxpy.sum([matters[x] * own[x] * cvxpy.sum(cvxpy.rel_entr(channel[x], seen)) for x in range(inputs)])
    if epsilon is not None:
        least = cvxpy.Variable(outputs)
        constraints += [units[x] * channel[x] >= least for x in range(inputs)]
        constraints += [units[x] * channel[x] <= np.exp(epsilon) * least for x in range(inputs)]
    return leakage, cvxpy.sum(cvxpy.multiply(joint.sum(axis=1)[:, None] * costs, channel)), constraints


def _conic_value(objective: Any, constraints: list[Any]) -> float:
    problem = cvxpy.Problem(cvxpy.Minimize(objective), constraints)
    with warnings.catch_warnings():
        # It warns where it misses these tolerances, which are far below what is compared.
        warnings.simplefilter("ignore", UserWarning)
        problem.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    return float(problem.value)


def by_the_general_solver(problem: RateDistortion) -> RateDistortion:
    """The same problem with its distances as a table, for which no closed form is known."""
    return replace(problem, distortion=Given(problem.distortion.between(problem.inputs, problem.letters)))

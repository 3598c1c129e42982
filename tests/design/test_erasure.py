"""Infinite distances: values that must never be released as some letters, such as all but themselves and an erasure."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leakgauge.design import (
    Keep,
    Knowledge,
    MaxDistortion,
    MaxLeakage,
    RateDistortion,
    Slope,
    frontier,
    largest_output_entropy,
    solve,
    symmetric_channel,
    waste,
)
from leakgauge.design.baselines import maximum_entropy_channel
from leakgauge.distances import Given, read_distortion
from leakgauge.distances.distortions import ColumnSums
from leakgauge.errors import FileError, ModelError, OptionError, RefusalError
from leakgauge.probability import Distribution, Joint
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation
from tests.design.sources import cvxpy

ASKED: dict[str, dict[str, Any]] = {
    "nobody": {},
    "attacker": {"knowledge": Knowledge.ATTACKER},
    "both": {"knowledge": Knowledge.BOTH},
    "shares": {"keep": Keep.SHARES},
    "attacker, shares": {"knowledge": Knowledge.ATTACKER, "keep": Keep.SHARES},
    "associations": {"knowledge": Knowledge.BOTH, "keep": Keep.ASSOCIATIONS},
    "weights": {"weights": (0.5, 1.0, 2.0, 1.5)},
}
SEEDS = [0, *(pytest.param(at, marks=pytest.mark.nightly) for at in range(1, 100))]


def _erasing(values: int) -> Given:
    distances = np.full((values, values + 1), math.inf)
    np.fill_diagonal(distances, 0.0)
    distances[:, values] = 1.0
    return Given(distances, range(values), [*range(values), "?"])


@pytest.mark.parametrize("values", [2, 7])
@pytest.mark.parametrize("distortion", [0.0, 0.3, 0.95, 1.0])
def test_the_erasure_channel_has_its_closed_form(values: int, distortion: float) -> None:
    whole = math.log2(values)
    problem = RateDistortion(Distribution.uniform(range(values)), _erasing(values), MaxDistortion(distortion))
    found = solve(problem)
    assert found.leakage == pytest.approx((1 - distortion) * whole, abs=1e-12)
    assert found.gap <= 1e-9 and found.distortion <= distortion
    assert not found.channel.matrix[np.isinf(_erasing(values).matrix)].any()
    by_bits = solve(problem.with_target(MaxLeakage((1 - distortion) * whole)))
    assert by_bits.distortion == pytest.approx(distortion, abs=1e-9)


def _random(seed: int) -> tuple[Joint, Floats]:
    """p(x, z) and distances of four values, about half of the changes forbidden."""
    draw = simulation(seed)
    joint = draw.dirichlet(np.full(12, 0.8)).reshape(4, 3) + 1e-3
    distances = draw.random((4, 4))
    distances[draw.random((4, 4)) < 0.45] = math.inf
    np.fill_diagonal(distances, 0.0)
    return Joint(range(4), range(3), joint / joint.sum()), distances


def _conic(joint: Floats, distances: Floats, slope: float, keep: bool, weights: Floats | None = None) -> float:
    """The least I(X;Y|Z) + slope · E d of channels from x that release nothing forbidden."""
    prior, forbidden = joint.sum(axis=1), np.isinf(distances)
    channel = cvxpy.Variable(distances.shape, nonneg=True)
    rules = [cvxpy.sum(channel, axis=1) == 1, cvxpy.multiply(forbidden.astype(float), channel) == 0]
    if keep:
        rules.append(prior @ channel == prior)
    total = slope * cvxpy.sum(cvxpy.multiply(prior[:, None] * np.where(forbidden, 0.0, distances), channel))
    for own in joint.T:
        seen = (own / own.sum()) @ channel
        counted = own if weights is None else own * weights
        total += cvxpy.sum([counted[x] * cvxpy.sum(cvxpy.rel_entr(channel[x], seen)) for x in range(len(own))])
    return _solved(total, rules)


def _solved(total: Any, rules: list[Any]) -> float:
    asked = cvxpy.Problem(cvxpy.Minimize(total), rules)
    with warnings.catch_warnings():
        # It warns where it misses these tolerances, which are far below what is compared.
        warnings.simplefilter("ignore", UserWarning)
        asked.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    return float(asked.value)


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_proof_against_a_conic_solver(seed: int, name: str) -> None:
    joint, distances = _random(seed)
    slope, asked = float(simulation(seed).uniform(0.5, 6)), ASKED[name]
    knowledge, keep = asked.get("knowledge", Knowledge.NOBODY), "keep" in asked
    source = joint.row_marginal() if knowledge is Knowledge.NOBODY else joint
    problem = RateDistortion(source, Given(distances), Slope(slope), **asked)
    found = solve(problem, 1e-9 if "weights" not in asked else 1e-6)
    floor = (found.background_floor or 0.0) if knowledge is not Knowledge.NOBODY else 0.0
    cost = (found.objective - floor) * math.log(2) + slope * found.distortion
    if knowledge is Knowledge.BOTH:
        best = sum(
            share * _conic(joint.matrix[:, [z]] / share, distances, slope, keep)
            for z, share in enumerate(joint.matrix.sum(axis=0).tolist())
        )
    else:
        cells = joint.matrix if knowledge is Knowledge.ATTACKER else joint.matrix.sum(axis=1, keepdims=True)
        weights = np.array(asked["weights"]) if "weights" in asked else None
        best = _conic(cells, distances, slope, keep, weights)
    assert cost == pytest.approx(best, abs=2e-6)
    assert cost - found.gap * math.log(2) <= best + 1e-6
    rows = found.channel.matrix.reshape(4, -1, 4)
    assert not rows[np.broadcast_to(np.isinf(distances)[:, None], rows.shape)].any()
    if keep:
        pairs = joint.matrix if knowledge is Knowledge.BOTH else joint.matrix.sum(axis=1, keepdims=True)
        released = (pairs[:, :, None] * rows).sum(axis=0)
        assert abs(released - pairs.T).max() <= 4 * 2.0**-53


@pytest.mark.parametrize("keep", [Keep.NOTHING, Keep.SHARES])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_proof_of_inference_against_a_conic_solver(seed: int, keep: Keep) -> None:
    joint, distances = _random(seed)
    told = Joint(joint.columns, joint.rows, joint.matrix.T)
    prior, slope = joint.row_marginal().probabilities, 0.3
    found = solve(RateDistortion(joint.row_marginal(), Given(distances), Slope(slope), secret=told, keep=keep), 1e-7)
    forbidden = np.isinf(distances)
    plan = cvxpy.Variable((4, 4), nonneg=True)
    rules = [cvxpy.sum(plan, axis=1) == prior, cvxpy.multiply(forbidden.astype(float), plan) == 0]
    if keep is Keep.SHARES:
        rules.append(cvxpy.sum(plan, axis=0) == prior)
    given, shares = told.matrix / prior, told.row_marginal().probabilities
    total = cvxpy.sum(
        [cvxpy.sum(cvxpy.rel_entr(given @ plan[:, [y]], shares[:, None] * cvxpy.sum(plan[:, y]))) for y in range(4)]
    )
    best = _solved(total + slope * cvxpy.sum(cvxpy.multiply(plan, np.where(forbidden, 0.0, distances))), rules)
    assert found.leakage * math.log(2) + slope * found.distortion == pytest.approx(best, abs=2e-6)
    assert not found.channel.matrix[forbidden].any()


def test_where_letters_cannot_be_shared_something_is_told_whatever_the_distortion() -> None:
    distances = [[0.0, 1.0, math.inf], [math.inf, 0.0, 1.0], [1.0, math.inf, 0.0]]
    source = Distribution("abc", [0.5, 0.3, 0.2])
    problem = RateDistortion(source, Given(distances), Slope(0.0))
    least = solve(problem)
    assert least.leakage > 0.3
    anything = solve(problem.with_target(MaxDistortion(50.0)))
    assert anything.leakage == pytest.approx(least.leakage, abs=2e-9)
    points = frontier(problem, 6)
    assert points[0].leakage == pytest.approx(least.leakage, abs=2e-9) and points[-1].distortion == 0
    with pytest.raises(RefusalError, match="may not be changed") as refused:
        solve(problem.with_target(MaxLeakage(0.1)))
    named = float(str(refused.value).split(" reveal ")[1].split(";")[0])
    assert solve(problem.with_target(MaxLeakage(named))).leakage <= named
    # Nothing that cannot come back is passed on where shares are kept.
    one_way = Given([[0.0, 1.0], [math.inf, 0.0]])
    kept = solve(RateDistortion(Distribution("ab", [0.5, 0.5]), one_way, MaxDistortion(0.5), keep=Keep.SHARES))
    assert kept.channel.matrix.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_values_that_never_occur_are_not_released_as_what_is_forbidden() -> None:
    distances = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [math.inf, 1.0, 0.0]])
    source = Distribution("abc", [0.9, 0.1, 0.0])
    found = solve(RateDistortion(source, Given(distances), MaxDistortion(0.05)))
    assert found.channel.matrix[2, 0] == 0
    alone = np.array([[0.0, math.inf], [math.inf, 0.0], [math.inf, 0.0]])
    found = solve(RateDistortion(source, Given(alone), MaxDistortion(0.05), outputs="ab"))
    assert found.channel.matrix[2].tolist() == [0.0, 1.0]
    nowhere = np.array([[0.0, 1.0], [0.0, 1.0], [math.inf, 0.0]])
    found = solve(RateDistortion(source, Given(nowhere), MaxDistortion(0.0), outputs="ab"))
    assert found.channel.matrix.tolist() == [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]


def test_what_infinite_distances_rule_out_is_refused(tmp_path: Path) -> None:
    source, distances = Distribution("ab", [0.5, 0.5]), Given([[0.0, 1.0], [math.inf, 0.0]])
    for bound in ({"local_dp": 1.0}, {"identifiability": 1.0}):
        with pytest.raises(OptionError, match="1 infinite distances rule letters out"):
            solve(RateDistortion(source, distances, MaxDistortion(0.5), **bound))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="1 of the 2 values have only infinite distances"):
        solve(RateDistortion(source, Given([[0.0, 1.0], [math.inf, math.inf]]), MaxDistortion(0.5)))
    with pytest.raises(OptionError, match="needs finite distances"):
        largest_output_entropy(source, distances, 0.4, max_leakage=0.5)
    with pytest.raises(OptionError, match="forbids"):
        waste(symmetric_channel("ab", 0.2), RateDistortion(source, distances, Slope(1.0)))
    for wrong in (-math.inf, math.nan, -1.0):
        with pytest.raises(ModelError):
            Given([[0.0, wrong], [1.0, 0.0]])
    table = tmp_path / "distances.csv"
    table.write_text("x,a,?\na,0,1\nb,inf,1\n", encoding="utf-8")
    assert read_distortion(table).matrix.tolist() == [[0.0, 1.0], [math.inf, 1.0]]
    table.write_text("x,a,?\na,0,never\nb,inf,1\n", encoding="utf-8")
    with pytest.raises(FileError, match="inf for a forbidden change"):
        read_distortion(table)


def test_other_channels_know_what_is_forbidden() -> None:
    source, distances = Distribution("ab", [0.5, 0.5]), Given([[0.0, 1.0], [math.inf, 0.0]])
    channel = maximum_entropy_channel(source, distances, MaxDistortion(0.2))
    assert channel.matrix[1].tolist() == [0.0, 1.0] and channel.matrix[0, 1] == pytest.approx(0.4)
    assert maximum_entropy_channel(source, distances, Slope(0.0)).matrix.tolist() == [[0.5, 0.5], [0.0, 1.0]]
    labels, own = [(0, 0), (1, 1)], ([0, 1], [0, 1])
    pairs = ColumnSums((Given([[0.0, 1.0], [math.inf, 0.0]], *own), Given([[0.0, 1.0], [1.0, 0.0]], *own)), (0.0, 2.0))
    assert pairs.between(labels, labels).tolist() == [[0.0, 2.0], [math.inf, 0.0]]

"""Channels that read the background: their ε is given Z, of two secrets with the same background."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from leakgauge.design import Keep, Knowledge, MaxDistortion, RateDistortion, Slope, frontier, solve
from leakgauge.distances import Given, Hamming
from leakgauge.errors import RefusalError
from leakgauge.probability import Joint
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation
from tests.design.sources import adult, conic_optimum


def _given(channel: Floats, backgrounds: int) -> float:
    """The largest log-ratio of two secrets at one output and one background."""
    cells = channel.reshape(-1, backgrounds, channel.shape[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.log(cells.max(axis=0)) - np.log(cells.min(axis=0))
    return float(np.nan_to_num(ratios, nan=0.0, posinf=math.inf).max())


def test_epsilon_is_finite_where_backgrounds_differ(data: Path) -> None:
    people = adult(data)
    found = solve(RateDistortion(people, Hamming(), MaxDistortion(0.2), Knowledge.BOTH))
    assert found.epsilon == pytest.approx(_given(found.channel.matrix, len(people.columns)), rel=1e-12)
    assert math.isfinite(found.epsilon)
    witness = found.local_dp.witness
    assert witness is not None
    first, second = (found.channel.inputs.index(one) for one in witness.inputs)
    pairs = [divmod(at, len(people.columns)) for at in (first, second)]
    assert pairs[0][1] == pairs[1][1]
    assert pairs[0][0] != pairs[1][0]
    column = found.channel.matrix[:, found.channel.outputs.index(witness.output)]
    assert math.log(column[first] / column[second]) == pytest.approx(found.epsilon, rel=1e-12)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(at, marks=pytest.mark.nightly) for at in range(2, 200))])
def test_a_bound_given_the_background_against_a_conic_solver(seed: int) -> None:
    """Each background is a problem of its own at the common slope."""
    draws = simulation(3000 + seed)
    joint, distances = draws.dirichlet(np.full(8, 0.7)).reshape(4, 2), draws.random((4, 4))
    slope, epsilon = 3.0 + seed % 3, 0.5 + 0.5 * (seed % 4)
    shares = joint.sum(axis=0)
    best = sum(
        shares[z] * conic_optimum(joint[:, [z]] / shares[z], slope * distances, epsilon) for z in range(len(shares))
    )
    source, loss = Joint(range(4), range(2), joint), Given(distances, range(4), range(4))
    problem = RateDistortion(source, loss, Slope(slope), Knowledge.BOTH, local_dp=epsilon)
    found = solve(problem, 1e-7)
    added = (found.objective - (found.background_floor or 0.0)) * math.log(2)
    assert added + slope * found.distortion == pytest.approx(best, abs=2e-6)
    assert _given(found.channel.matrix, 2) <= epsilon * (1 + 1e-12)
    if len(set(distances.argmin(axis=1).tolist())) == 1:
        return  # one letter is the nearest to all, and any bound allows it
    with pytest.raises(RefusalError, match="the least that these bounds allow is"):
        solve(problem.with_target(MaxDistortion(distances.min(axis=1) @ joint.sum(axis=1) * (1 + 1e-9))), 1e-6)


def test_associations_are_kept_within_a_bound(data: Path) -> None:
    people = adult(data)
    problem = RateDistortion(
        people, Hamming(), MaxDistortion(0.4), Knowledge.BOTH, keep=Keep.ASSOCIATIONS, local_dp=2.0
    )
    found = solve(problem, 1e-6)
    assert _given(found.channel.matrix, len(people.columns)) <= 2.0 * (1 + 1e-12)
    cells = (people.matrix[:, :, None] * found.channel.matrix.reshape(*people.matrix.shape, -1)).sum(axis=0).T
    assert cells == pytest.approx(people.matrix, abs=1e-15)
    assert found.distortion <= 0.4


def test_backgrounds_with_one_value_and_backgrounds_that_never_occur() -> None:
    joint = Joint(["a", "b"], ["one", "two", "never"], [[0.3, 0.4, 0.0], [0.0, 0.3, 0.0]])
    for keep in (Keep.NOTHING, Keep.ASSOCIATIONS):
        problem = RateDistortion(joint, Hamming(), Slope(2.0), Knowledge.BOTH, keep=keep, local_dp=1.0)
        assert _given(solve(problem, 1e-6).channel.matrix, 3) <= 1.0
        assert all(_given(one.channel.matrix, 3) <= 1.0 for one in frontier(problem, 4, 1e-6))

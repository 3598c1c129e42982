"""Channels that keep the shares, or the associations; the same for a column that tells on a secret."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
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
    solve,
    symmetric_channel,
    waste,
)
from leakgauge.design.certificate import Secrets
from leakgauge.design.saddle import alternate_keeping, keeping_bound
from leakgauge.design.transport import mean_cost, rounded_to_shares
from leakgauge.distances import Absolute, Given, Hamming, Squared
from leakgauge.errors import OptionError, RefusalError
from leakgauge.probability import Distribution, Joint
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation
from tests.design.sources import adult

ADULT = {
    # distortion: keep shares I(X;Y) and ε; with an attacker I(X;Y,Z); associations I(X;Y|Z) and slope
    0.1: (1.179875, 5.5548, 1.198941, 1.109478, 3.2936),
    0.2: (0.768494, 3.9819, 0.804053, 0.705292, 2.3860),
    0.3: (0.463333, 2.8893, 0.513154, 0.408919, 1.7463),
}
"""Computed independently, by Sinkhorn's algorithm and a conic solver."""
OCCUPATION = {
    # distortion: least I(S;Y), and keeping the shares of the occupation
    0.05: (0.050340, 0.052061),
    0.1: (0.032535, 0.035587),
    0.2: (0.010343, 0.013417),
    0.4: (0.000325, 0.001013),
}

SEEDS = [(0, 3), pytest.param(range(4, 1000), marks=pytest.mark.nightly, id="many")]
"""Random problems of every kind."""


@pytest.fixture(scope="module")
def people(data: Path) -> Joint:
    return adult(data)


@pytest.mark.parametrize("distortion", ADULT)
def test_what_keeping_costs_on_adult(people: Joint, distortion: float) -> None:
    shares, epsilon, attacker, associations, slope = ADULT[distortion]
    target = MaxDistortion(distortion)
    alone = solve(RateDistortion(people.row_marginal(), Hamming(), target, keep=Keep.SHARES))
    assert alone.leakage == pytest.approx(shares, abs=1e-6)
    assert alone.epsilon == pytest.approx(epsilon, abs=5e-5)
    assert _off(alone.problem, alone.channel.matrix) <= len(people.rows) * 2.0**-53
    seen = solve(RateDistortion(people, Hamming(), target, Knowledge.ATTACKER, keep=Keep.SHARES))
    assert seen.objective == pytest.approx(attacker, abs=1e-6)
    assert _off(seen.problem, seen.channel.matrix) <= len(people.rows) * 2.0**-53
    both = solve(RateDistortion(people, Hamming(), target, Knowledge.BOTH, keep=Keep.ASSOCIATIONS))
    assert both.objective - (both.background_floor or 0) == pytest.approx(associations, abs=1e-6)
    assert both.slope == pytest.approx(slope, abs=1e-3)
    joint = people.matrix.ravel() @ both.channel.matrix.reshape(people.matrix.size, -1)
    assert joint == pytest.approx(people.row_marginal().probabilities, abs=1e-15)
    cells = (people.matrix[:, :, None] * both.channel.matrix.reshape(*people.matrix.shape, -1)).sum(axis=0).T
    assert cells == pytest.approx(people.matrix, abs=1e-15)
    for found in (alone, seen, both):
        assert found.gap * math.log(2) <= 1e-9
        assert found.distortion <= distortion


@pytest.mark.parametrize("distortion", OCCUPATION)
def test_what_occupation_tells_of_marital_status(people: Joint, distortion: float) -> None:
    least, keeping = OCCUPATION[distortion]
    for keep, bits in ((Keep.NOTHING, least), (Keep.SHARES, keeping)):
        problem = RateDistortion(
            people.column_marginal(), Hamming(), MaxDistortion(distortion), secret=people, keep=keep
        )
        found = solve(problem, 1e-6)
        assert found.leakage == pytest.approx(bits, abs=2e-6)
        assert found.distortion <= distortion
        if keep is Keep.SHARES:
            assert _off(problem, found.channel.matrix) <= len(problem.inputs) * 2.0**-53


def _off(problem: RateDistortion, channel: Floats) -> float:
    prior = problem.prior.probabilities
    places = [problem.letters.index(one) for one in problem.inputs]
    return float(abs(prior @ channel[:, places] - prior).max())


def _problem(seed: int, letters: int, backgrounds: int = 1) -> tuple[Joint, Floats]:
    draws = simulation(seed)
    joint = draws.dirichlet(np.full(letters * backgrounds, 0.5)).reshape(letters, backgrounds)
    return Joint(range(letters), range(backgrounds), joint), draws.random((letters, letters)) * (1 - np.eye(letters))


def _conic(plan_cost: Any, constraints: list[Any]) -> float:
    cp: Any = pytest.importorskip("cvxpy")
    asked = cp.Problem(cp.Minimize(plan_cost), constraints)
    asked.solve(solver=cp.CLARABEL)
    return float(asked.value)


def _kept_shares(seed: int) -> None:
    """I + λ E d of the solution is the conic optimum; the bound, that less the gap, is not above it."""
    cp: Any = pytest.importorskip("cvxpy")
    joint, distances = _problem(seed, 4, 3)
    slope, prior = 2.0 + seed % 3, joint.row_marginal().probabilities
    distances = distances if seed % 2 else (distances + distances.T) / 2
    loss = Given(distances, range(4), range(4))
    floor = 0.3 if seed % 4 > 1 else 0.0

    plan = cp.Variable((4, 4), nonneg=True)
    keeping = [cp.sum(plan, axis=1) == prior, cp.sum(plan, axis=0) == prior, cp.diag(plan) >= floor * prior]
    told = cp.sum(cp.rel_entr(plan, np.outer(prior, prior)))
    best = _conic(told + slope * cp.sum(cp.multiply(plan, distances)), keeping)
    found = solve(RateDistortion(joint.row_marginal(), loss, Slope(slope), keep=Keep.SHARES, keep_at_least=floor), 1e-8)
    assert found.leakage * math.log(2) + slope * found.distortion == pytest.approx(best, abs=2e-6)
    assert found.channel.matrix.diagonal().min() >= floor - 1e-12

    # What somebody with z sees of each plan: Σ_x p(x|z) q(y|x).
    weights = joint.matrix / prior[:, None]
    extra = sum(
        cp.sum(
            cp.rel_entr(
                cp.multiply(weights[:, [z]], plan),
                joint.matrix[:, [z]] / joint.matrix[:, z].sum() @ _row(weights, plan, z),
            )
        )
        for z in range(3)
    )
    best = _conic(extra + slope * cp.sum(cp.multiply(plan, distances)), keeping)
    problem = RateDistortion(joint, loss, Slope(slope), Knowledge.ATTACKER, keep=Keep.SHARES, keep_at_least=floor)
    known = solve(problem, 1e-8)
    added = (known.objective - (known.background_floor or 0)) * math.log(2)
    assert added + slope * known.distortion == pytest.approx(best, abs=2e-6)


def _kept_within_an_epsilon(seed: int) -> None:
    cp: Any = pytest.importorskip("cvxpy")
    joint, distances = _problem(2000 + seed, 4, 2)
    slope, prior, epsilon = 2.0 + 3 * (seed % 3), joint.row_marginal().probabilities, 0.5 + 0.7 * (seed % 4)
    loss = Given(distances, range(4), range(4))
    channel, least = cp.Variable((4, 4), nonneg=True), cp.Variable(4)
    rules = [cp.sum(channel, axis=1) == 1, prior @ channel == prior]
    rules += [rule for x in range(4) for rule in (channel[x] >= least, channel[x] <= math.exp(epsilon) * least)]
    paid = slope * cp.sum(cp.multiply(prior[:, None] * distances, channel))

    for source, knowledge in ((joint.row_marginal(), Knowledge.NOBODY), (joint, Knowledge.ATTACKER)):
        cells = joint.matrix if knowledge is Knowledge.ATTACKER else prior[:, None]
        told = sum(
            own[x] * cp.sum(cp.rel_entr(channel[x], (own / own.sum()) @ channel)) for own in cells.T for x in range(4)
        )
        best = _conic(told + paid, rules)
        problem = RateDistortion(source, loss, Slope(slope), knowledge, keep=Keep.SHARES, local_dp=epsilon)
        found = solve(problem, 1e-8)
        floor = (found.background_floor or 0.0) if knowledge is Knowledge.ATTACKER else 0.0
        value = (found.objective - floor) * math.log(2) + slope * found.distortion
        assert value == pytest.approx(best, abs=2e-6)
        assert found.epsilon <= epsilon
        assert _off(problem, found.channel.matrix) <= 4 * 2.0**-53

    # Less than the linear program's least is refused, its least is met.
    best = _conic(paid, rules) / slope
    with pytest.raises(RefusalError, match="the least that these bounds allow is"):
        solve(replace(problem, target=MaxDistortion(best * (1 - 1e-6))), 1e-6)
    assert solve(replace(problem, target=MaxDistortion(best * (1 + 1e-6))), 1e-6).epsilon <= epsilon


def test_a_wide_local_epsilon_changes_nothing_and_none_leaves_the_shares_alone(people: Joint) -> None:
    prior, target = people.row_marginal(), MaxDistortion(0.2)
    free = solve(RateDistortion(prior, Hamming(), target, keep=Keep.SHARES))
    wide = solve(RateDistortion(prior, Hamming(), target, keep=Keep.SHARES, local_dp=free.epsilon + 0.01))
    assert wide.leakage == pytest.approx(free.leakage, abs=1e-8)
    tight = solve(RateDistortion(prior, Hamming(), target, keep=Keep.SHARES, local_dp=3.0))
    assert tight.leakage > free.leakage
    nothing = solve(RateDistortion(prior, Hamming(), Slope(1.0), keep=Keep.SHARES, local_dp=0.0))
    assert nothing.leakage == pytest.approx(0.0, abs=1e-12)
    assert nothing.channel.matrix[0] == pytest.approx(prior.probabilities, abs=1e-15)


def _row(weights: Floats, plan: Any, z: int) -> Any:
    """p(z, y) as a row."""
    cp: Any = pytest.importorskip("cvxpy")
    return cp.reshape(weights[:, z] @ plan, (1, 4), order="C")


def _inference(seed: int, keep: Keep = Keep.NOTHING) -> None:
    cp: Any = pytest.importorskip("cvxpy")
    draws = simulation(1000 + seed)
    joint = Joint(range(3), range(4), draws.dirichlet(np.full(12, 0.5)).reshape(3, 4))
    prior, slope = joint.column_marginal().probabilities, 0.3 * (1 + seed % 3)
    distances = 1 - np.eye(4)
    plan = cp.Variable((4, 4), nonneg=True)
    rules = [cp.sum(plan, axis=1) == prior, *([cp.sum(plan, axis=0) == prior] if keep is Keep.SHARES else [])]
    given = joint.matrix / prior
    told = sum(
        cp.sum(cp.rel_entr(given @ plan[:, [y]], joint.row_marginal().probabilities[:, None] * cp.sum(plan[:, y])))
        for y in range(4)
    )
    best = _conic(told + slope * cp.sum(cp.multiply(plan, distances)), rules)
    found = solve(RateDistortion(joint.column_marginal(), Hamming(), Slope(slope), secret=joint, keep=keep), 1e-6)
    assert found.leakage * math.log(2) + slope * found.distortion == pytest.approx(best, abs=3e-6)


def _inference_with_kept_shares(seed: int) -> None:
    _inference(seed, Keep.SHARES)


def _kept_associations(seed: int) -> None:
    cp: Any = pytest.importorskip("cvxpy")
    joint, distances = _problem(3000 + seed, 4, 3)
    slope, best = 1.0 + seed % 4, 0.0
    for share, column in zip(joint.matrix.sum(axis=0), joint.matrix.T, strict=True):
        own, plan = column / share, cp.Variable((4, 4), nonneg=True)
        told = cp.sum(cp.rel_entr(plan, np.outer(own, own)))
        rules = [cp.sum(plan, axis=1) == own, cp.sum(plan, axis=0) == own]
        best += share * _conic(told + slope * cp.sum(cp.multiply(plan, distances)), rules)
    loss = Given(distances, range(4), range(4))
    found = solve(RateDistortion(joint, loss, Slope(slope), Knowledge.BOTH, keep=Keep.ASSOCIATIONS), 1e-8)
    value = (found.objective - (found.background_floor or 0)) * math.log(2) + slope * found.distortion
    assert value == pytest.approx(best, abs=2e-6)


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize(
    "check",
    [_kept_shares, _kept_within_an_epsilon, _kept_associations, _inference, _inference_with_kept_shares],
)
def test_the_proof_against_a_conic_solver(check: Callable[[int], None], seeds: Sequence[int]) -> None:
    for seed in seeds:
        check(seed)


def _any_problem(seed: int) -> RateDistortion:
    """Up to 60 values, 8 backgrounds, slopes from 0.001 to 1,000."""
    draws = simulation(seed)
    letters, backgrounds = int(draws.integers(2, 61)), int(draws.integers(2, 9))
    cells = np.maximum(draws.dirichlet(np.full(letters * backgrounds, draws.choice([0.1, 0.5, 2.0]))), 1e-14)
    joint = Joint(range(letters), range(backgrounds), (cells / cells.sum()).reshape(letters, backgrounds))
    given = Given(draws.random((letters, letters)) * (1 - np.eye(letters)), range(letters), range(letters))
    loss = (Hamming(), Absolute(), given)[seed % 3]
    return RateDistortion(joint, loss, Slope(float(10 ** draws.uniform(-3, 3))), Knowledge.ATTACKER)


@pytest.mark.parametrize("seeds", [(1, 2, 3), pytest.param(range(4, 300), marks=pytest.mark.nightly, id="many")])
def test_every_slope_reaches_its_gap(seeds: Sequence[int]) -> None:
    for seed in seeds:
        problem = _any_problem(seed)
        assert solve(problem).gap * math.log(2) <= 1e-9
        assert solve(replace(problem, keep=Keep.SHARES)).gap * math.log(2) <= 1e-9


def test_the_bound_is_below_every_channel_that_keeps_the_shares() -> None:
    draws = simulation(6)
    for _ in range(100):
        letters, backgrounds = int(draws.integers(2, 7)), int(draws.integers(1, 5))
        secrets = Secrets.of(draws.dirichlet(np.full(letters * backgrounds, 0.5)).reshape(letters, backgrounds))
        costs, floors = 5 * draws.random((letters, letters)), draws.choice([0.0, 0.3], letters)
        seen, prices = draws.normal(size=(backgrounds, letters)), draws.normal(size=letters)
        bound = keeping_bound(secrets, costs, floors, seen, prices)
        best = alternate_keeping(secrets, costs, floors, 1e-9)[0]
        any_channel = rounded_to_shares(draws.dirichlet(np.ones(letters), letters), secrets.prior, floors, costs)
        for channel in (best.channel, any_channel, np.eye(letters)):
            assert max(bound, best.lower) <= secrets.leakage(channel) + mean_cost(secrets.prior, costs, channel)


def test_three_hundred_values_and_an_attacker_in_few_steps() -> None:
    """Where plain sweeps took tens of thousands, or missed their gap."""
    cells = simulation(0).dirichlet(np.full(2400, 0.5)).reshape(300, 8)
    joint = Joint(range(300), range(8), cells)
    for keep, most in ((Keep.NOTHING, 6_000), (Keep.SHARES, 200)):
        found = solve(RateDistortion(joint, Absolute(), MaxDistortion(15), Knowledge.ATTACKER, keep=keep))
        assert found.gap * math.log(2) <= 1e-9
        assert found.iterations <= most


def test_kept_shares_meet_the_conditions_of_the_best() -> None:
    """ln q(y|x) + λ d is a sum of something of x and something of y."""
    joint, distances = _problem(17, 6)
    slope = 2.0
    loss = Given(distances, range(6), range(6))
    found = solve(RateDistortion(joint.row_marginal(), loss, Slope(slope), keep=Keep.SHARES), 1e-12)
    scores = np.log(found.channel.matrix) + slope * distances
    off = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()
    assert abs(off).max() <= 1e-5


def test_a_column_that_is_the_secret_gives_the_plain_problem(people: Joint) -> None:
    prior = people.row_marginal()
    same = Joint(prior.outcomes, prior.outcomes, np.diag(prior.probabilities))
    through = solve(RateDistortion(prior, Hamming(), MaxDistortion(0.2), secret=same), 1e-6)
    assert through.leakage == pytest.approx(
        solve(RateDistortion(prior, Hamming(), MaxDistortion(0.2))).leakage, abs=2e-6
    )


def test_what_is_inferred_never_exceeds_what_the_column_tells(people: Joint) -> None:
    told = _information(people.matrix)
    problem = RateDistortion(people.column_marginal(), Hamming(), Slope(1.0), secret=people, keep=Keep.SHARES)
    points = frontier(problem, 6, 1e-6)
    assert all(point.leakage <= told + 1e-12 for point in points)
    assert points[-1].leakage == pytest.approx(told, abs=1e-9)
    assert points[0].leakage == pytest.approx(0.0, abs=1e-12)


def _information(joint: Floats) -> float:
    outer = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    return float((joint[joint > 0] * np.log2(joint[joint > 0] / outer[joint > 0])).sum())


def test_an_attacker_with_a_background_infers_through_a_column() -> None:
    draws = simulation(5)
    cells = draws.dirichlet(np.full(24, 0.7)).reshape(2, 4, 3)  # s, x, z
    pairs = [(x, z) for x in range(4) for z in range(3)]
    source, secret = Joint(range(4), range(3), cells.sum(axis=0)), Joint(range(2), pairs, cells.reshape(2, 12))
    found = solve(RateDistortion(source, Hamming(), MaxDistortion(0.3), Knowledge.ATTACKER, secret=secret), 1e-6)
    seen = np.einsum("sxz,xy->syz", cells, found.channel.matrix)
    assert found.leakage == pytest.approx(_information(seen.sum(axis=2)), abs=1e-9)
    assert found.leakage_with_background == pytest.approx(_information(seen.reshape(2, -1)), abs=1e-9)
    assert found.background_floor == pytest.approx(_information(cells.sum(axis=1)), abs=1e-9)
    assert found.background_floor is not None
    assert found.leakage_with_background is not None
    assert found.background_floor <= found.leakage_with_background
    # Any channel's waste is of what the column tells on the secret.
    assert waste(found.channel, found.problem, 1e-6).bits < 1e-5
    alike = waste(symmetric_channel(range(4), 0.3), found.problem, 1e-6)
    seen = np.einsum("sxz,xy->syz", cells, symmetric_channel(range(4), 0.3).matrix)
    assert alike.leakage == pytest.approx(_information(seen.reshape(2, -1)), abs=1e-9)


def test_keeping_is_never_cheaper_and_never_dearer_than_doing_nothing_to_it() -> None:
    draws = simulation(11)
    for letters in (3, 6):
        prior = Distribution(range(letters), draws.dirichlet(np.ones(letters)))
        for loss in (Hamming(), Absolute(), Squared()):
            target = MaxDistortion(0.3)
            least = solve(RateDistortion(prior, loss, target))
            kept = solve(RateDistortion(prior, loss, target, keep=Keep.SHARES))
            assert least.leakage <= kept.leakage + 1e-9
            bits = solve(RateDistortion(prior, loss, MaxLeakage(kept.leakage), keep=Keep.SHARES))
            assert bits.distortion <= 0.3 + 1e-6


def test_values_that_never_change_are_told_with_certainty() -> None:
    prior = Distribution(["a", "b", "c"], [0.5, 0.3, 0.2])
    found = solve(RateDistortion(prior, Hamming(), MaxDistortion(0.2), keep=Keep.SHARES, never_changed=["c"]))
    matrix = found.channel.matrix
    assert matrix[2].tolist() == [0.0, 0.0, 1.0]
    assert matrix[:2, 2].tolist() == [0.0, 0.0]
    assert math.isinf(found.epsilon)
    assert _off(found.problem, matrix) <= 3 * 2.0**-53


def test_relabelling_changes_nothing_for_an_attacker() -> None:
    joint, _ = _problem(23, 6, 3)
    order = simulation(23).permutation(6)
    other = Joint(order.tolist(), range(3), joint.matrix[order])
    for keep in (Keep.NOTHING, Keep.SHARES):
        first, second = (
            solve(RateDistortion(one, Absolute(), MaxDistortion(0.7), Knowledge.ATTACKER, keep=keep))
            for one in (joint, other)
        )
        assert first.objective == pytest.approx(second.objective, abs=3e-9)


def test_relabelling_changes_nothing() -> None:
    prior = Distribution(["a", "b", "c"], [0.5, 0.3, 0.2])
    other = Distribution(["c", "a", "b"], [0.2, 0.5, 0.3])
    first, second = (
        solve(RateDistortion(one, Hamming(), MaxDistortion(0.2), keep=Keep.SHARES)) for one in (prior, other)
    )
    assert first.leakage == pytest.approx(second.leakage, abs=1e-12)
    places = [second.channel.inputs.index(one) for one in first.channel.inputs]
    assert first.channel.matrix == pytest.approx(second.channel.matrix[np.ix_(places, places)], abs=1e-9)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"keep": Keep.ASSOCIATIONS}, "keep shares"),
        ({"keep": Keep.SHARES, "outputs": ["a", "b"]}, "1 of the 3 values are not among the outputs"),
        ({"keep": Keep.SHARES, "identifiability": 2.0}, "a bound on identifiability"),
        ({"keep": Keep.SHARES, "weights": [1, 2, 3]}, "together with weights"),
        ({"keep": Keep.SHARES, "local_dp": 1.0, "never_changed": ["a"]}, "combined with a local ε"),
        ({"keep": Keep.SHARES, "keep_at_least": 1.0}, "never changes"),
        ({"keep": Keep.SHARES, "never_changed": ["d"]}, "not a value of the secret"),
        ({"keep_at_least": 0.5}, "go with keeping the shares"),
    ],
)
def test_what_cannot_be_kept_is_refused(asked: dict[str, object], told: str) -> None:
    prior = Distribution(["a", "b", "c"], [0.5, 0.3, 0.2])
    with pytest.raises(OptionError, match=told):
        RateDistortion(prior, Hamming(), MaxDistortion(0.2), **asked)  # type: ignore[arg-type]

"""What (ε, δ), total variation and identifiability imply: no channel violates it, and the sharp levels are reached."""

from __future__ import annotations

import math
from itertools import chain, combinations, permutations

import numpy as np
import pytest
from scipy.optimize import linprog

from leakgauge import claims, randomness
from leakgauge.claims import ApproximateDP, Statement, TotalVariation
from leakgauge.measures import capacities, mutual_information, renyi
from leakgauge.notions import Circumstances, approximate_dp, everything_implied, implied, levels, prior_skew
from leakgauge.papers.counterexamples import COUNTEREXAMPLES
from leakgauge.probability import Channel, Distribution, Scenario
from leakgauge.probability.cells import Floats
from tests.notions.test_edges import at_identifiability, revealed


def level(statement: Statement, to: type[Statement], known: Circumstances | None = None) -> float:
    found = implied(statement, to, known).statement
    assert found is not None
    return found.level


def most(rows: int, outputs: int, epsilon: float, delta: float, objective: Floats) -> float:
    """The largest ⟨objective, q⟩ over channels whose rows are within (ε, δ) of each other, by a linear program."""
    events = list(chain.from_iterable(combinations(range(outputs), size) for size in range(1, outputs)))
    bounds = []
    for x, u in permutations(range(rows), 2):
        for event in events:
            row = np.zeros((rows, outputs))
            row[x, list(event)], row[u, list(event)] = 1.0, -math.exp(epsilon)
            bounds.append(row.ravel())
    sums = np.kron(np.eye(rows), np.ones(outputs))
    found = linprog(
        -objective.ravel(), A_ub=np.array(bounds), b_ub=np.full(len(bounds), delta), A_eq=sums, b_eq=np.ones(rows)
    )
    assert found.success
    return -float(found.fun)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (0.5, 0.1), (2.0, 0.02), (0.0, 0.3)])
def test_what_approximate_dp_implies_is_what_a_linear_program_finds(epsilon: float, delta: float) -> None:
    statement = ApproximateDP(epsilon, delta)
    apart = np.array([[1.0, 1, 0, 0], [-1.0, -1, 0, 0]])
    assert level(statement, TotalVariation) == pytest.approx(most(2, 4, epsilon, delta, apart), abs=1e-8)
    wanted = delta + 0.1
    other = level(statement, ApproximateDP, Circumstances(delta=wanted))
    if other > 0:
        stick = np.array([[1.0, 1, 0, 0], [-math.exp(other), -math.exp(other), 0, 0]])
        assert most(2, 4, epsilon, delta, stick) == pytest.approx(wanted, abs=1e-8)
    for values in (2, 3, 4):
        bits = level(statement, claims.MaximalLeakage, Circumstances(values=values))
        assert 2**bits == pytest.approx(most(values, values, epsilon, delta, np.eye(values)), abs=1e-8)


def drawn(seed: int) -> tuple[Channel, Distribution]:
    draw = randomness.simulation(seed)
    inputs, outputs = draw.integers(2, 6, size=2)
    rows = draw.dirichlet(np.full(outputs, draw.choice([0.3, 1.0, 10.0])), size=inputs)
    prior = draw.dirichlet(np.full(inputs, draw.choice([0.5, 3.0])))
    return Channel(range(inputs), range(outputs), rows), Distribution(range(inputs), prior)


@pytest.mark.parametrize("seed", range(60))
def test_no_channel_violates_what_follows(seed: int) -> None:
    channel, prior = drawn(seed)
    scenario = Scenario(prior, channel)
    known = Circumstances(delta=0.3).with_prior(prior)
    truth: dict[type[Statement], float] = {
        claims.MutualInformation: mutual_information(scenario),
        claims.CentralMutualInformation: mutual_information(scenario),
        claims.MutualInformationDP: capacities.shannon(channel).value,
        claims.MaximalLeakage: renyi.maximal_leakage(channel),
        claims.MinEntropyLeakage: renyi.leakage(scenario, math.inf),
        TotalVariation: levels(channel)["total-variation"].value,
    }
    for epsilon in (0.0, 0.2, 1.0, 3.0):
        delta = dict(approximate_dp(channel, epsilon).statement.parameters)["delta"]
        premises: list[Statement] = [ApproximateDP(epsilon, delta)]
        if epsilon == 0:
            premises.append(TotalVariation(delta))
        for premise in premises:
            for notion, exact in truth.items():
                if notion is not type(premise):
                    assert exact <= level(premise, notion, known) * (1 + 1e-9) + 1e-12, (premise, notion)
            other = implied(premise, ApproximateDP, known).statement
            if other is not None:
                assert dict(approximate_dp(channel, other.level).statement.parameters)["delta"] <= 0.3 + 1e-12


@pytest.mark.parametrize("delta", [0.0, 0.01, 0.2])
def test_the_bits_of_two_values_are_reached_under_their_worst_prior(delta: float) -> None:
    channel = revealed(0.7, delta, 2)
    known = Circumstances().with_domain(channel.inputs)
    bound = implied(ApproximateDP(0.7, delta), claims.MutualInformationDP, known)
    assert bound.sharp
    assert bound.statement is not None
    assert bound.statement.level == pytest.approx(capacities.shannon(channel).value, rel=1e-9)
    more = implied(ApproximateDP(0.7, delta), claims.MutualInformationDP, Circumstances(values=3))
    assert not more.sharp


@pytest.mark.parametrize("share", [0.0, 0.1, 0.9, 1.0])
def test_an_erasure_reaches_what_total_variation_allows(share: float) -> None:
    prior = Distribution(range(3), [0.7, 0.2, 0.1])
    scenario = Scenario(prior, revealed(0.0, share, 3))
    known = Circumstances().with_prior(prior)
    statement = TotalVariation(share)
    assert level(statement, claims.MutualInformation, known) == pytest.approx(mutual_information(scenario), abs=1e-12)
    guess = level(statement, claims.MinEntropyLeakage, known)
    assert guess == pytest.approx(renyi.leakage(scenario, math.inf), abs=1e-12)


def test_data_sets_of_two_records_are_within_what_follows() -> None:
    draw = randomness.simulation(8)
    sets = [(0, 0), (0, 1), (1, 0), (1, 1)]
    for _ in range(50):
        channel = Channel(sets, range(3), draw.dirichlet(np.full(3, 2.0), size=4))
        prior = Distribution(sets, draw.dirichlet(np.ones(4)))
        exact = levels(channel, prior, records=2)
        known = Circumstances(records=2).with_prior(prior)
        premise = exact["total-variation"].statement
        for name in ("central-mutual-information", "maximal-leakage", "min-entropy-leakage", "mutual-information-dp"):
            assert exact[name].value <= level(premise, claims.NOTIONS[name], known) + 1e-9, name


def test_identifiability_bounds_the_budget_without_a_prior() -> None:
    """ε_i ≥ Δ whatever the prior, so ε_d ≤ ε_i + Δ ≤ 2ε_i; and no less follows for all priors."""
    draw = randomness.simulation(4)
    for _ in range(200):
        letters = draw.integers(2, 5)
        prior = Distribution(range(letters), draw.dirichlet(np.ones(letters)))
        channel = Channel(range(letters), range(3), draw.dirichlet(np.ones(3), size=letters))
        exact = levels(channel, prior)
        assert exact["local-dp"].value <= level(exact["identifiability"].statement, claims.LocalDP) * (1 + 1e-12)
    for skew in (0.5, 0.9, 0.999):
        prior = Distribution("ab", [1 / (1 + math.exp(-skew)), 1 / (1 + math.exp(skew))])
        found = levels(at_identifiability(1.0, prior), prior)
        assert found["identifiability"].value == pytest.approx(1.0)
        assert found["local-dp"].value == pytest.approx(1.0 + skew)


def test_identifiability_and_skew_give_a_sharp_budget_above_the_skew_only() -> None:
    prior = Distribution("abc", [0.6, 0.3, 0.1])
    skew, known = prior_skew(prior), Circumstances().with_prior(prior)
    above = implied(claims.Identifiability(skew + 0.2), claims.LocalDP, known)
    assert above.sharp
    found = levels(at_identifiability(skew + 0.2, prior), prior)
    assert found["identifiability"].value == pytest.approx(skew + 0.2)
    assert found["local-dp"].value == pytest.approx(2 * skew + 0.2)
    # At Δ itself a and c have equal rows; that two secrets have ε_d = 0 is not taken from a rounded level.
    assert not implied(claims.Identifiability(skew), claims.LocalDP, known).sharp


def test_at_the_skew_itself_two_secrets_have_equal_rows() -> None:
    """Of (c, d), what prior (3/4, 1/4) gives an output, and of what remains, c ≤ 3d: so c = 3d, and ε_d = 0."""
    found = linprog([1, -3], A_ub=[[1, -3], [-1, 3]], b_ub=[0, 0], bounds=[(0, 0.75), (0, 0.25)])
    assert found.success
    assert found.fun == pytest.approx(0.0, abs=1e-12)
    prior = Distribution("ab", [0.75, 0.25])
    told = implied(claims.Identifiability(prior_skew(prior)), claims.LocalDP, Circumstances().with_prior(prior))
    assert told.statement is not None
    assert told.statement.level == pytest.approx(2 * math.log(3))
    assert not told.sharp


def test_a_lower_order_is_not_called_sharp() -> None:
    found = implied(claims.RenyiDP(0.2, 4.0), claims.RenyiDP, Circumstances(order=2.0))
    assert found.statement == claims.RenyiDP(0.2, 2.0)
    assert not found.sharp
    # Over all laws of the likelihood ratio, within order 4 in both directions, order 2 is at most 0.117.
    ratio = np.exp(np.linspace(-3, 3, 2001))
    within = np.array([ratio**4, ratio**-3]) / math.exp(3 * 0.2)
    most = linprog(-(ratio**2), A_ub=within, b_ub=[1, 1], A_eq=[np.ones(len(ratio)), ratio], b_eq=[1, 1])
    assert math.log(-most.fun) == pytest.approx(0.117, abs=5e-4)
    assert everything_implied(claims.RenyiDP(0.2, 4.0), Circumstances(order=2.0))["renyi-dp"] == found
    assert "renyi-dp" not in everything_implied(claims.RenyiDP(0.2, 2.0))


def test_a_chance_of_revelation_has_no_pure_budget() -> None:
    shown = COUNTEREXAMPLES["revelation-by-chance"]()
    for notion in (
        claims.LocalDP,
        claims.RenyiDP,
        claims.ZeroConcentratedDP,
        claims.GaussianDP,
        claims.Identifiability,
    ):
        assert math.isinf(shown.level(notion).level)
        assert implied(ApproximateDP(1.0, 1e-6), notion).counterexample == "revelation-by-chance"
    assert shown.level(TotalVariation).level == pytest.approx(0.001)
    assert shown.level(claims.MutualInformationDP).level == pytest.approx(0.001)

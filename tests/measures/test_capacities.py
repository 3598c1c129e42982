"""Capacities: theorems against libqif, searches against all strategies, brackets that no prior leaves."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from leakgauge.errors import LabelError, OptionError
from leakgauge.measures import capacities, renyi, vulnerability
from leakgauge.measures.vulnerability import Gain
from leakgauge.probability import Channel, Distribution, Scenario
from leakgauge.probability.cells import Floats
from tests.grids import nightly

CLOSE = 4e-6
"""How far the bounds of a search that was finished are apart."""


def drawn(generator: np.random.Generator, inputs: int, outputs: int) -> Channel:
    """With some probabilities of 0, which draws from a Dirichlet law never have."""
    matrix = generator.dirichlet(np.full(outputs, 0.7), inputs)
    matrix[matrix < 0.05] = 0.0
    return Channel(range(inputs), range(outputs), matrix / matrix.sum(axis=1, keepdims=True))


def gains(generator: np.random.Generator, actions: int, secrets: int) -> Gain:
    return Gain(range(actions), range(secrets), generator.uniform(0, 1, (actions, secrets)))


def bayes_risk(prior: Floats, matrix: Floats) -> float:
    return 1 - float((prior[:, None] * matrix).max(axis=0).sum())


def test_theorems_agree_with_qif_on_200_channels() -> None:
    import qif

    measure: Any = qif.measure
    generator = np.random.default_rng(40)
    for _ in range(200):
        inputs, outputs = generator.integers(2, 7, 2).tolist()
        channel = drawn(generator, inputs, outputs)
        matrix, prior = np.array(channel.matrix), Distribution(range(inputs), generator.dirichlet(np.ones(inputs)))
        law = np.array(prior.probabilities)
        assert capacities.multiplicative(channel).value == pytest.approx(measure.bayes_vuln.mult_capacity(matrix))
        factor, _ = measure.bayes_risk.mult_capacity(matrix)
        assert capacities.risk(channel).value == pytest.approx(min(factor, math.inf), rel=1e-9)
        scenario = Scenario(prior, channel)
        theirs = measure.g_vuln.add_capacity(law, matrix, one_spanning_g=True)
        assert capacities.additive_over_gains(scenario) == pytest.approx(theirs, abs=1e-12)
        theirs = measure.g_vuln.add_capacity(law, matrix, one_spanning_g=False)
        assert capacities.additive_over_vulnerabilities(channel) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("cases", [25, nightly(500)])
def test_the_additive_capacity_is_that_of_all_sets_however_it_is_searched(
    cases: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(41)
    for _ in range(cases):
        inputs, outputs = generator.integers(2, 8, 2).tolist()
        channel = drawn(generator, inputs, outputs)
        sets = [list(chosen) for size in range(1, inputs + 1) for chosen in combinations(range(inputs), size)]
        expected = max((channel.matrix[one].max(axis=0).sum() - 1) / len(one) for one in sets)
        found = capacities.additive(channel)
        assert found.value == pytest.approx(expected, abs=1e-12)
        assert found.high == found.value
        monkeypatch.setattr(capacities, "FEW", 0)
        searched = capacities.additive(channel)
        monkeypatch.undo()
        assert searched.value == pytest.approx(expected, abs=1e-12)
        assert expected <= searched.high + 1e-12 < expected + CLOSE
        unsearched = capacities.additive_bounds(channel)
        assert unsearched.value - 1e-12 <= expected <= unsearched.high + 1e-12


@pytest.mark.parametrize("cases", [12, nightly(200)])
def test_capacities_of_gains_are_those_of_all_strategies(cases: int) -> None:
    """Of each strategy, an action for every output, the best prior is a linear program of its own."""
    generator = np.random.default_rng(42)
    for _ in range(cases):
        inputs, outputs, actions = generator.integers(2, 4, 3).tolist()
        channel, gain = drawn(generator, inputs, outputs), gains(generator, actions, inputs)
        ratio = difference = 0.0
        for strategy in product(range(actions), repeat=outputs):
            worth = (channel.matrix * gain.matrix[list(strategy)].T).sum(axis=1)
            bounded = linprog(-worth, A_ub=gain.matrix, b_ub=np.ones(actions))
            ratio = max(ratio, -float(bounded.fun))
            below = np.hstack([gain.matrix, -np.ones((actions, 1))])
            whole = np.append(np.ones(inputs), 0.0)[None]
            lower = linprog(np.append(-worth, 1.0), A_ub=below, b_ub=np.zeros(actions), A_eq=whole, b_eq=[1.0])
            difference = max(difference, -float(lower.fun))
        for found, expected in (
            (capacities.multiplicative(channel, gain), ratio),
            (capacities.additive(channel, gain), difference),
        ):
            assert found.value == pytest.approx(expected, abs=1e-7)
            assert expected - 1e-9 <= found.high < expected + CLOSE


def test_no_prior_exceeds_a_capacity_and_its_own_reaches_it() -> None:
    generator = np.random.default_rng(43)
    for _ in range(8):
        channel, gain = drawn(generator, 4, 4), gains(generator, 3, 4)
        risk = capacities.risk(channel)
        found = [
            (capacities.multiplicative(channel), vulnerability.leakage, None),
            (capacities.additive(channel), vulnerability.additive_leakage, None),
            (capacities.multiplicative(channel, gain), vulnerability.leakage, gain),
            (capacities.additive(channel, gain), vulnerability.additive_leakage, gain),
        ]
        for capacity, leakage, by in found:
            assert leakage(Scenario(capacity.prior, channel), by) == pytest.approx(capacity.value)
        for _ in range(60):
            prior = Distribution(range(4), generator.dirichlet(np.full(4, 0.4)))
            for capacity, leakage, by in found:
                assert leakage(Scenario(prior, channel), by) <= capacity.high + 1e-12
            law = prior.probabilities
            assert 1 - law.max() <= risk.value * bayes_risk(law, channel.matrix) + 1e-12


def test_processing_never_adds_and_the_bounds_of_all_gains_hold() -> None:
    generator = np.random.default_rng(44)
    for _ in range(10):
        channel, gain = drawn(generator, 4, 4), gains(generator, 3, 4)
        after = channel.then(drawn(generator, 4, 3))
        assert capacities.multiplicative(after).value <= capacities.multiplicative(channel).value + 1e-12
        assert capacities.additive(after).value <= capacities.additive(channel).value + 1e-12
        assert capacities.risk(after).value <= capacities.risk(channel).value * (1 + 1e-12)
        for one in (capacities.multiplicative, capacities.additive):
            assert one(after, gain).value <= one(channel, gain).high + 1e-12
        # The miracle theorem, and its additive form.
        assert capacities.multiplicative(channel, gain).high <= capacities.multiplicative(channel).value + 1e-12
        assert capacities.additive(channel, gain).high <= capacities.additive_over_vulnerabilities(channel) + 1e-12
        assert math.log2(capacities.multiplicative(channel).value) == pytest.approx(renyi.maximal_leakage(channel))


def test_a_gain_of_one_guess_is_one_guess() -> None:
    channel = drawn(np.random.default_rng(45), 4, 5)
    guess = Gain(range(4), range(4), np.eye(4))
    for one in (capacities.multiplicative, capacities.additive):
        assert one(channel, guess).value == pytest.approx(one(channel).value, abs=1e-9)
        # The unit of the gains is that of what is added, and no matter to a factor.
        scaled = one(channel, Gain(range(4), range(4), 1e6 * np.eye(4)))
        assert scaled.value == pytest.approx(one(channel).value * (1e6 if one is capacities.additive else 1))


def test_what_is_at_stake_with_a_secret_is_no_matter_to_a_factor() -> None:
    """A secret of a thousand times the gains is one of a thousandth of the probability."""
    generator = np.random.default_rng(48)
    for _ in range(5):
        channel, gain = drawn(generator, 4, 4), gains(generator, 3, 4)
        stakes = 10.0 ** generator.uniform(-4, 4, 4)
        found = capacities.multiplicative(channel, gain)
        scaled = capacities.multiplicative(channel, Gain(range(3), range(4), gain.matrix * stakes))
        assert scaled.value == pytest.approx(found.value, rel=1e-9)
        assert scaled.high == pytest.approx(found.high, rel=1e-9)


def test_the_bounds_over_gains_are_reached() -> None:
    """By the gains that the proofs name: the sign of p(x|y) − p(x), level at the prior, and 1 − [x = w] / p(x)."""
    generator = np.random.default_rng(46)
    for _ in range(20):
        channel = drawn(generator, 3, 4)
        prior = Distribution(range(3), generator.dirichlet(np.ones(3)))
        scenario, law = Scenario(prior, channel), prior.probabilities
        above = (channel.matrix > law @ channel.matrix).astype(np.float64).T
        level = Gain(range(4), range(3), 1 + above - (above @ law)[:, None])
        reached = vulnerability.additive_leakage(scenario, level)
        assert reached == pytest.approx(capacities.additive_over_gains(scenario), abs=1e-12)
        apart = Gain(range(3), range(3), 1 / law.min() - np.eye(3) / law)
        reached = vulnerability.additive_leakage(scenario, apart)
        assert reached == pytest.approx(capacities.additive_over_vulnerabilities(channel), abs=1e-12)
        anything = gains(generator, 5, 3)
        assert vulnerability.additive_leakage(scenario, anything) <= capacities.additive_over_gains(scenario) + 1e-12


def test_channels_of_ends() -> None:
    truth = Channel.identity("abc")
    nothing = Channel.constant("abc", Distribution("xy", [0.5, 0.5]))
    assert (capacities.multiplicative(truth).value, capacities.multiplicative(nothing).value) == (3, 1)
    assert capacities.additive(truth).value == pytest.approx(2 / 3)
    assert capacities.additive(nothing).value == capacities.additive_over_vulnerabilities(nothing) == 0
    assert capacities.risk(truth).value == math.inf
    assert capacities.risk(nothing).value == capacities.risk(Channel.identity("a")).value == 1
    useless, level = Gain("w", "abc", [[0, 0, 0]]), Gain("w", "abc", [[2, 2, 2]])
    assert capacities.multiplicative(truth, useless).high == 1
    assert capacities.additive(truth, level).high == 0
    one = Gain("w", "abc", [[1, 0, 2]])
    assert capacities.additive(truth, one).value == pytest.approx(0, abs=1e-9)
    assert capacities.multiplicative(truth, one).value == pytest.approx(1)
    # More secrets than all sets of which are looked at: a uniform prior over n secrets, told for certain.
    assert capacities.additive(Channel.identity(range(20))).value == pytest.approx(0.95)


def test_few_branches_leave_a_bracket() -> None:
    generator = np.random.default_rng(47)
    channel, gain = drawn(generator, 5, 5), gains(generator, 5, 5)
    rough, fine = (capacities.additive(channel, gain, nodes=nodes) for nodes in (1, 1000))
    assert rough.value <= fine.value + 1e-9
    assert rough.high >= fine.value
    assert rough.high >= fine.high - 1e-9


def test_what_cannot_be_searched_is_refused() -> None:
    channel = Channel.identity("ab")
    with pytest.raises(LabelError, match="secrets of the gains"):
        capacities.additive(channel, Gain("w", "ac", [[1, 0]]))
    with pytest.raises(OptionError, match="0 branches"):
        capacities.additive(channel, Gain("w", "ab", [[1, 0]]), nodes=0)
    large = Channel.identity(range(80))
    for gain in (None, Gain("w", range(80), np.ones((1, 80)) * np.arange(80))):
        with pytest.raises(OptionError, match=r"80 inputs and 80 outputs with .* too large"):
            capacities.additive(large, gain)

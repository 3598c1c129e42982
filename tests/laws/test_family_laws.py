"""Laws of the families beyond Shannon's, over random scenarios."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge import measures
from leakgauge.errors import ModelError, OptionError
from leakgauge.measures import Unit, anonymity, divergences, guessing, renyi, vulnerability
from leakgauge.measures.vulnerability import Gain
from leakgauge.probability import Distribution, Scenario, Seen
from tests.laws.strategies import channels, distributions, joints, scenarios

TINY = 1e-11
ORDERS = st.sampled_from([0.0, 0.01, 0.5, 0.999, 1.0, 1.001, 2.0, 7.5, 100.0, math.inf])
VIEWS = st.sampled_from(list(Seen))


@given(distributions(), st.lists(ORDERS, min_size=2, max_size=2))
def test_renyi_entropy_falls_with_its_order(p: Distribution, orders: list[float]) -> None:
    low, high = sorted(orders)
    assert 0 <= renyi.prior(p, high) <= renyi.prior(p, low) + 1e-9
    assert renyi.prior(p, low) <= math.log2(len(p)) + TINY


@given(scenarios(), ORDERS, VIEWS)
def test_seeing_never_raises_renyi_entropy(s: Scenario, order: float, seen: Seen) -> None:
    assert renyi.posterior(s, order, seen) <= renyi.prior(s, order) + 1e-9
    assert renyi.leakage(s, order, seen) >= 0


@given(scenarios())
def test_renyi_of_order_one_is_shannons(s: Scenario) -> None:
    assert renyi.prior(s, 1) == pytest.approx(measures.entropy(s), abs=TINY)
    assert renyi.posterior(s, 1) == pytest.approx(measures.conditional_entropy(s), abs=TINY)
    assert renyi.leakage(s, 1, Seen.BOTH) == pytest.approx(measures.leakage_with_background(s), abs=TINY)


@given(scenarios())
def test_renyi_is_continuous_at_one_and_at_infinity(s: Scenario) -> None:
    assert renyi.posterior(s, 1 + 1e-7) == pytest.approx(renyi.posterior(s, 1), abs=1e-3)
    assert renyi.posterior(s, 1e6) == pytest.approx(renyi.posterior(s, math.inf), abs=1e-4)


@given(scenarios(), VIEWS)
def test_min_entropy_leakage_is_the_logarithm_of_the_gain_in_vulnerability(s: Scenario, seen: Seen) -> None:
    assert renyi.leakage(s, math.inf, seen) == pytest.approx(math.log2(vulnerability.leakage(s, seen=seen)), abs=TINY)


@given(scenarios(), VIEWS)
def test_vulnerability_lies_between_its_bounds(s: Scenario, seen: Seen) -> None:
    before, after = vulnerability.prior(s), vulnerability.posterior(s, seen=seen)
    assert 1 / len(s.source) - TINY <= before <= after + TINY <= 1 + 2 * TINY
    assert vulnerability.additive_leakage(s, seen=seen) == pytest.approx(max(after - before, 0), abs=TINY)


@given(st.data())
def test_gain_of_guessing_is_bayes_vulnerability_and_any_gain_obeys_data_processing(data: st.DataObject) -> None:
    joint = data.draw(joints())
    first = data.draw(channels(inputs=len(joint.rows)))
    after_more = first.then(data.draw(channels(inputs=len(first.outputs))))
    guess = Gain(joint.rows, joint.rows, np.eye(len(joint.rows)))
    odd = Gain("pq", joint.rows, np.random.default_rng(1).random((2, len(joint.rows))))
    near, far = Scenario(joint, first), Scenario(joint, after_more)
    assert vulnerability.posterior(near, guess) == pytest.approx(vulnerability.posterior(near), abs=TINY)
    for seen in Seen:
        assert vulnerability.posterior(far, odd, seen) <= vulnerability.posterior(near, odd, seen) + TINY
        assert renyi.posterior(far, 2, seen) >= renyi.posterior(near, 2, seen) - 1e-9
        assert guessing.posterior(far, seen) >= guessing.posterior(near, seen) - TINY


@given(scenarios(), VIEWS)
def test_guessing_lies_between_its_bounds(s: Scenario, seen: Seen) -> None:
    n = len(s.source)
    assert 1 <= guessing.posterior(s, seen) <= guessing.prior(s) + TINY <= (n + 1) / 2 + 2 * TINY
    # Massey: G ≥ 2^H / 4 + 1 once H ≥ 2 bits.
    entropy = measures.entropy(s)
    assert entropy < 2 or guessing.prior(s) >= 2**entropy / 4 + 1 - TINY


def test_guessing_by_hand() -> None:
    p = Distribution("abcd", [0.1, 0.4, 0.2, 0.3])
    assert guessing.prior(p) == pytest.approx(0.4 + 2 * 0.3 + 3 * 0.2 + 4 * 0.1)


@given(scenarios(), VIEWS)
def test_the_effective_set_is_a_size(s: Scenario, seen: Seen) -> None:
    assert 1 - TINY <= anonymity.posterior(s, seen) <= anonymity.prior(s) + 1e-9 <= len(s.source) + 2e-9
    assert anonymity.leakage(s, seen) >= 1
    assert 0 <= anonymity.normalised_entropy(s) <= 1


def test_a_uniform_secret_hides_in_the_whole_crowd() -> None:
    crowd = Distribution.uniform(range(8))
    assert anonymity.prior(crowd) == pytest.approx(8)
    assert anonymity.normalised_entropy(crowd) == pytest.approx(1)
    assert anonymity.normalised_entropy(Distribution.uniform("a")) == 0


def test_weights_are_refused_where_they_would_be_ignored() -> None:
    weighted = Scenario(Distribution.uniform("ab"), weights=[1, 2])
    for family in (renyi, vulnerability, guessing, anonymity):
        with pytest.raises(ModelError, match="no weighted form"):
            family.posterior(weighted)


@given(st.data(), st.integers(1, 6))
def test_divergences_keep_their_bounds(data: st.DataObject, size: int) -> None:
    p, q = data.draw(distributions(size)), data.draw(distributions(size))
    variation = divergences.total_variation(p, q)
    assert 0 <= variation <= 1
    assert divergences.hockey_stick(p, q, 0.0) == pytest.approx(variation, abs=TINY)
    assert divergences.kullback_leibler(p, q, Unit.NATS) >= 2 * variation**2 - TINY  # Pinsker
    assert divergences.kullback_leibler(p, p) == 0
    assert 0 <= divergences.jensen_shannon(p, q) <= 1
    largest = divergences.renyi(p, q, math.inf, Unit.NATS)
    # An outcome that q never shows stays visible at every ε.
    impossible = float(p.probabilities[q.probabilities == 0].sum())
    assert divergences.hockey_stick(p, q, largest) == pytest.approx(impossible, abs=TINY)


@given(st.data(), st.integers(1, 6), st.lists(ORDERS, min_size=2, max_size=2))
def test_renyi_divergence_grows_with_its_order(data: st.DataObject, size: int, orders: list[float]) -> None:
    p, q = data.draw(distributions(size)), data.draw(distributions(size))
    low, high = sorted(orders)
    assert divergences.renyi(p, q, low) <= divergences.renyi(p, q, high) * (1 + 1e-9) + 1e-9


@given(st.data(), st.integers(1, 5), st.floats(0, 5))
def test_post_processing_never_raises_a_divergence(data: st.DataObject, size: int, epsilon: float) -> None:
    p, q = data.draw(distributions(size)), data.draw(distributions(size))
    channel = data.draw(channels(inputs=size))
    a, b = channel.output(p), channel.output(q)
    assert divergences.hockey_stick(a, b, epsilon) <= divergences.hockey_stick(p, q, epsilon) + TINY
    assert divergences.total_variation(a, b) <= divergences.total_variation(p, q) + TINY
    assert divergences.kullback_leibler(a, b) <= divergences.kullback_leibler(p, q) * (1 + 1e-9) + 1e-9


def test_divergences_say_what_they_do_not_take() -> None:
    p = Distribution.uniform("ab")
    with pytest.raises(OptionError, match="order of -1"):
        divergences.renyi(p, p, -1)
    with pytest.raises(OptionError, match="at least 0"):
        divergences.hockey_stick(p, p, math.nan)
    with pytest.raises(OptionError, match="order of nan"):
        renyi.prior(p, math.nan)
    assert divergences.kullback_leibler(p, Distribution("ab", [1, 0])) == math.inf
    assert divergences.hockey_stick(p, Distribution("ab", [1, 0]), math.inf) == 0.5

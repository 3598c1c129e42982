"""The identities and inequalities of information theory, over random scenarios."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge import measures
from leakgauge.measures import Unit
from leakgauge.probability import Channel, Distribution, Joint, Scenario, Seen
from tests.laws.strategies import channels, distributions, joints, scenarios

TINY = 1e-11


def close(left: float, right: float, scale: float = 1.0) -> bool:
    return abs(left - right) <= TINY * max(1.0, scale)


def heaviest(scenario: Scenario) -> float:
    return 1.0 if scenario.weights is None else float(scenario.weights.max())


@given(distributions())
def test_entropy_lies_between_zero_and_the_logarithm_of_the_alphabet(p: Distribution) -> None:
    assert 0 <= measures.entropy(p) <= math.log2(len(p)) + TINY


@given(distributions(), st.randoms(use_true_random=False))
def test_entropy_does_not_depend_on_the_order_of_letters(p: Distribution, random: object) -> None:
    order = list(range(len(p)))
    random.shuffle(order)  # type: ignore[attr-defined]
    permuted = Distribution([p.outcomes[i] for i in order], p.probabilities[order])
    assert close(measures.entropy(permuted), measures.entropy(p))


@given(distributions())
def test_a_letter_that_never_occurs_changes_nothing(p: Distribution) -> None:
    wider = Distribution((*p.outcomes, "never"), np.append(p.probabilities, 0.0))
    assert measures.entropy(wider) == measures.entropy(p)


@given(distributions(), distributions())
def test_entropy_of_independent_parts_adds_up(p: Distribution, q: Distribution) -> None:
    assert close(measures.entropy(p.product(q)), measures.entropy(p) + measures.entropy(q))


@given(st.data(), st.integers(1, 6), st.floats(0, 1))
def test_entropy_is_concave(data: st.DataObject, size: int, share: float) -> None:
    p, q = data.draw(distributions(size)), data.draw(distributions(size))
    mixed = Distribution(p.outcomes, share * p.probabilities + (1 - share) * q.probabilities)
    assert measures.entropy(mixed) >= share * measures.entropy(p) + (1 - share) * measures.entropy(q) - TINY


@given(distributions())
def test_a_sure_secret_has_no_entropy(p: Distribution) -> None:
    sure = Distribution(p.outcomes, np.eye(len(p))[0])
    assert measures.entropy(sure) == 0


@given(distributions())
def test_nats_are_bits_times_ln_2(p: Distribution) -> None:
    assert close(measures.entropy(p, Unit.NATS), measures.entropy(p) * math.log(2))


@given(scenarios())
def test_mutual_information_is_the_loss_of_entropy(s: Scenario) -> None:
    assert close(measures.mutual_information(s), measures.entropy(s) - measures.conditional_entropy(s))


@given(scenarios())
def test_bounds_of_mutual_information(s: Scenario) -> None:
    assert s.channel is not None
    leak = measures.mutual_information(s)
    assert 0 <= leak <= min(measures.entropy(s), math.log2(len(s.channel.outputs))) + TINY


@given(scenarios())
def test_background_never_hurts_the_attacker(s: Scenario) -> None:
    assert measures.mutual_information(s) <= measures.leakage_with_background(s) + TINY
    assert measures.background_floor(s) <= measures.leakage_with_background(s) + TINY
    assert measures.conditional_entropy(s) >= measures.conditional_entropy_with_background(s) - TINY


@given(scenarios())
def test_chain_rule_with_background(s: Scenario) -> None:
    total = measures.background_floor(s) + measures.conditional_mutual_information(s)
    assert close(measures.leakage_with_background(s), total)
    assert close(
        measures.leakage_with_background(s), measures.entropy(s) - measures.conditional_entropy_with_background(s)
    )


@given(joints(), st.data())
def test_mutual_information_is_symmetric(joint: Joint, data: st.DataObject) -> None:
    forward = Scenario(joint)
    backward = Scenario(joint.transpose())
    assert close(measures.background_floor(forward), measures.background_floor(backward))


@given(st.data())
def test_a_cascade_never_tells_more(data: st.DataObject) -> None:
    joint = data.draw(joints())
    first = data.draw(channels(inputs=len(joint.rows)))
    second = data.draw(channels(inputs=len(first.outputs)))
    before, after = Scenario(joint, first), Scenario(joint, first.then(second))
    for measure in (measures.mutual_information, measures.leakage_with_background):
        assert measure(after) <= measure(before) + TINY


@given(st.data())
def test_joint_entropy_of_several_sources(data: st.DataObject) -> None:
    joint = data.draw(joints())
    pairs = Distribution([(x, z) for x in joint.rows for z in joint.columns], joint.matrix.ravel())
    given_first = measures.entropy(joint.column_marginal()) - measures.background_floor(Scenario(joint))
    assert close(measures.entropy(pairs), measures.entropy(joint.row_marginal()) + given_first)


@given(scenarios())
def test_leakage_by_output_has_mutual_information_as_its_mean(s: Scenario) -> None:
    assert s.channel is not None
    by_output = measures.leakage_by_output(s)
    seen = dict(zip(s.channel.outputs, s.view(Seen.RELEASE).cells.column_sums().tolist(), strict=True))
    assert all(leak >= 0 for leak in by_output.values())
    assert close(sum(seen[y] * leak for y, leak in by_output.items()), measures.mutual_information(s))


@given(scenarios())
def test_one_pass_gives_what_the_single_measures_give(s: Scenario) -> None:
    at_once = measures.basic(s)
    assert close(at_once.entropy, measures.entropy(s))
    assert close(at_once.conditional_entropy, measures.conditional_entropy(s))
    assert close(at_once.mutual_information, measures.mutual_information(s))


@given(scenarios(weighted=True))
def test_weighted_measures_keep_their_signs_and_sums(s: Scenario) -> None:
    scale = heaviest(s)
    assert measures.entropy(s) >= 0
    assert measures.mutual_information(s) >= 0
    assert measures.conditional_mutual_information(s) >= 0
    assert close(measures.mutual_information(s), measures.entropy(s) - measures.conditional_entropy(s), scale)
    with_both = measures.entropy(s) - measures.conditional_entropy_with_background(s)
    assert close(measures.leakage_with_background(s), with_both, scale)
    parts = measures.background_floor(s) + measures.conditional_mutual_information(s)
    assert close(measures.leakage_with_background(s), parts, scale)


@given(scenarios())
def test_unit_weights_change_nothing(s: Scenario) -> None:
    ones = Scenario(s.background or s.source, s.channel, weights=[1.0] * len(s.source))
    assert s.channel is not None
    square = Scenario(s.background or s.source, s.channel, weights=np.ones((len(s.source), len(s.channel.outputs))))
    for measure in SHANNON:
        assert close(measure(ones), measure(s))
        assert close(measure(square), measure(s))


@given(scenarios(weighted=True), st.sampled_from([0.0, 0.5, 1e6]))
def test_weighted_measures_are_linear_in_the_weights(s: Scenario, factor: float) -> None:
    assert s.weights is not None
    scaled = Scenario(s.background or s.source, s.channel, weights=s.weights * factor)
    for measure in SHANNON:
        assert close(measure(scaled), factor * measure(s), heaviest(s) * max(factor, 1.0))


@given(distributions(), st.floats(0, 1e-6))
def test_weighted_entropy_is_continuous(p: Distribution, shift: float) -> None:
    uniform = np.full(len(p), 1 / len(p))
    nearby = Distribution(p.outcomes, (1 - shift) * p.probabilities + shift * uniform)
    weights = np.linspace(0, 5, len(p))
    difference = measures.entropy(Scenario(nearby, weights=weights)) - measures.entropy(Scenario(p, weights=weights))
    # |η(a) − η(b)| ≤ η(|a − b|) for η(t) = −t log t and small steps.
    bound = 5 * len(p) * (-shift * math.log2(shift) + shift) if shift > 0 else 0.0
    assert abs(difference) <= bound + TINY


def test_a_weight_matrix_can_make_the_weighted_information_negative() -> None:
    joint = Joint("ab", "uv", [[0.4, 0.1], [0.1, 0.4]])
    off_diagonal = Scenario(joint.row_marginal(), joint.channel(), weights=[[0.0, 1.0], [1.0, 0.0]])
    assert measures.mutual_information(off_diagonal) == pytest.approx(-0.264, abs=5e-4)


@given(st.integers(1, 5), st.integers(1, 5))
def test_a_constant_channel_protects_perfectly_and_identity_tells_all(n: int, m: int) -> None:
    joint = Joint(range(n), range(m), np.full((n, m), 1 / (n * m)))
    silent = Scenario(joint, Channel.constant(range(n), Distribution("uv", [0.3, 0.7])))
    open_book = Scenario(joint, Channel.identity(range(n)))
    assert measures.is_perfect(silent)
    assert close(measures.mutual_information(open_book), math.log2(n))
    assert measures.is_perfect(open_book) == (n == 1)


SHANNON = (
    measures.entropy,
    measures.conditional_entropy,
    measures.mutual_information,
    measures.conditional_entropy_with_background,
    measures.conditional_mutual_information,
    measures.leakage_with_background,
    measures.background_floor,
)

"""Orders of mechanisms and attacks: definitions 1–8."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge import measures
from leakgauge.errors import InputError, LabelError, ModelError
from leakgauge.probability import Channel, Counts, Distribution, Joint, Scenario
from tests.laws.strategies import channels, joints, weight_vectors

SECRET = Distribution("ab", [0.5, 0.5])


def response(keep: float) -> Channel:
    return Channel("ab", "ab", [[keep, 1 - keep], [1 - keep, keep]])


def test_less_leakage_ranks_first_with_ties_and_distances() -> None:
    ranking = measures.rank(
        {name: Scenario(SECRET, response(keep)) for name, keep in [("weak", 0.9), ("strong", 0.6), ("mirrored", 0.4)]}
    )
    assert ranking.order == (("strong", "mirrored"), ("weak",))
    assert ranking.names == ("weak", "strong", "mirrored")
    assert ranking.distances[0, 1] == pytest.approx(ranking.leakage["weak"] - ranking.leakage["strong"])
    np.testing.assert_array_equal(ranking.distances, ranking.distances.T)


@given(st.data(), st.booleans())
def test_orders_are_transitive_and_agree_with_the_remaining_uncertainty(data: st.DataObject, weighted: bool) -> None:
    joint = data.draw(joints())
    weights = data.draw(weight_vectors(len(joint.rows))) if weighted else None
    mechanisms = {
        name: Scenario(joint, data.draw(channels(inputs=len(joint.rows))), weights=weights) for name in "pqrs"
    }
    ranking = measures.rank(mechanisms)
    flat = [name for group in ranking.order for name in group]
    scale = max([1.0, *(weights or [])])
    leaks = [ranking.leakage[name] for name in flat]
    left = [ranking.remaining[name] for name in flat]
    assert sorted(flat) == list("pqrs")
    assert all(a <= b + 1e-11 * scale for a, b in pairwise(leaks))
    assert all(a >= b - 1e-9 * scale for a, b in pairwise(left))


def test_several_sources_rank_like_one_source_of_tuples() -> None:
    pair = SECRET.product(SECRET)
    both, one = response(0.9).product(response(0.9)), response(0.9).product(response(0.5))
    ranking = measures.rank({"both": Scenario(pair, both), "one": Scenario(pair, one)})
    assert ranking.order == (("one",), ("both",))
    assert ranking.leakage["both"] == pytest.approx(2 * ranking.leakage["one"])


def test_what_cannot_be_compared_is_refused() -> None:
    skewed = Scenario(Distribution("ab", [0.9, 0.1]), response(0.9))
    with pytest.raises(ModelError, match="differ in their source"):
        measures.rank({"one": Scenario(SECRET, response(0.9)), "other": skewed})
    with pytest.raises(ModelError, match="differ in their weights"):
        measures.rank(
            {"one": Scenario(SECRET, response(0.9)), "other": Scenario(SECRET, response(0.9), weights=[1, 2])}
        )
    informed = Scenario(Joint("ab", "uv", [[0.4, 0.1], [0.1, 0.4]]), response(0.9))
    with pytest.raises(ModelError, match="differ in their background"):
        measures.rank({"one": Scenario(SECRET, response(0.9)), "other": informed})
    with pytest.raises(LabelError, match="share 1 labels"):
        measures.rank({"one": skewed, "other": Scenario(Distribution("bc", [0.5, 0.5]))})
    with pytest.raises(InputError, match="no mechanisms"):
        measures.rank({})


def test_attacks_on_different_mechanisms_are_refused() -> None:
    known, unknown = (Joint("ab", "uv", [[0.5 - p, p], [p, 0.5 - p]]) for p in (0.1, 0.25))
    ranking = measures.rank_attacks(
        {"knows": Scenario(known, response(0.9)), "guesses": Scenario(unknown, response(0.9))}
    )
    assert ranking.order == (("knows",), ("guesses",))
    mirrored = Channel("ab", "ba", response(0.9).matrix)
    for other in (response(0.8), mirrored, Channel("ab", "abc", [[0.9, 0.1, 0], [0.1, 0.8, 0.1]]), None):
        with pytest.raises(ModelError, match="'guesses' and 'knows' attack different mechanisms"):
            measures.rank_attacks({"knows": Scenario(known, response(0.9)), "guesses": Scenario(unknown, other)})


def test_attackers_may_write_one_mechanism_by_what_they_know() -> None:
    counts = Counts(
        {"secret": "ab", "release": "xy", "place": "uv", "age": "st"},
        np.random.default_rng(1).integers(1, 9, (2, 2, 2, 2)),
    )
    attacks = {known: Scenario.from_counts(counts, ["secret"], ["release"], [known]) for known in ("place", "age")}
    assert set(measures.rank_attacks(attacks).names) == {"place", "age"}


@pytest.mark.parametrize(
    "weights",
    [
        [[0.0, 0.0], [0.0, 0.0]],
        [0.0, 0.0],
    ],
)
def test_weights_do_not_make_a_leaking_channel_perfect(weights: list[list[float]] | list[float]) -> None:
    assert not measures.is_perfect(Scenario(SECRET, response(0.9), weights=weights))


def test_weights_of_pairs_that_cancel_do_not_make_a_leaking_channel_perfect() -> None:
    gain, loss = np.log(1.8), -np.log(0.2)
    cancelling = Scenario(SECRET, response(0.9), weights=[[loss, 9 * gain], [9 * gain, loss]])
    assert measures.mutual_information(cancelling) == pytest.approx(0, abs=1e-12)
    assert not measures.is_perfect(cancelling)


def test_a_small_leak_is_not_perfect() -> None:
    assert not measures.is_perfect(Scenario(SECRET, response(0.5 + 5e-7)))
    assert measures.is_perfect(Scenario(SECRET, response(0.5)))


@given(st.data())
def test_perfect_means_that_the_release_adds_nothing_to_the_background(data: st.DataObject) -> None:
    joint = data.draw(joints())
    scenario = Scenario(joint, data.draw(channels(inputs=len(joint.rows))))
    leak = measures.conditional_mutual_information(scenario)
    assert leak < 1e-9 if measures.is_perfect(scenario) else leak >= 0
    if leak > 1e-9:
        assert not measures.is_perfect(scenario)


def test_secrets_that_are_known_or_never_occur_leak_nothing() -> None:
    assert measures.is_perfect(Scenario(Joint("ab", "uv", [[0.5, 0.0], [0.0, 0.5]]), Channel.identity("ab")))
    assert not measures.is_perfect(Scenario(Joint("ab", "uv", [[0.5, 0.1], [0.0, 0.4]]), Channel.identity("ab")))
    assert measures.is_perfect(Scenario(Distribution("ab", [1.0, 0.0]), Channel.identity("ab")))
    assert measures.is_perfect(Scenario(Joint("ab", "uv", [[0.5, 0.1], [0.0, 0.4]])))
    with pytest.raises(ModelError, match="no channel"):
        measures.is_perfect(Scenario(SECRET))

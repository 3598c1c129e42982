"""Orders of mechanisms and attacks: definitions 1–8."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge import measures
from leakgauge.errors import InputError, LabelError, ModelError
from leakgauge.probability import Channel, Distribution, Joint, Scenario
from tests.laws.strategies import channels, joints, weight_vectors

SECRET = Distribution("ab", [0.5, 0.5])


def response(keep: float) -> Channel:
    return Channel("ab", "ab", [[keep, 1 - keep], [1 - keep, keep]])


def test_less_leakage_ranks_first_with_ties_and_distances() -> None:
    ranking = measures.rank(
        {name: Scenario(SECRET, response(keep)) for name, keep in [("weak", 0.9), ("strong", 0.6), ("mirrored", 0.4)]}
    )
    assert ranking.order == (("strong", "mirrored"), ("weak",))
    assert ranking.better("strong", "weak")
    assert not ranking.better("strong", "mirrored")
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

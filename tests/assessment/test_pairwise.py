"""Weights from comparisons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.assessment.algebra import over_arcs
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.assessment.pairwise import pairwise_weights, with_weights
from leakgauge.errors import InputError, ModelError, OptionError
from tests.assessment.diagrams import measured

AT_ODDS = [
    [1, 4, 3, 1, 3, 4],
    [1 / 4, 1, 7, 3, 1 / 5, 1],
    [1 / 3, 1 / 7, 1, 1 / 5, 1 / 5, 1 / 6],
    [1, 1 / 3, 5, 1, 1, 1 / 3],
    [1 / 3, 5, 5, 1, 1, 3],
    [1 / 4, 1, 6, 3, 1 / 3, 1],
]


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=15))
def test_comparisons_that_agree_give_their_weights_back(weights: list[float]) -> None:
    shares = np.array(weights) / sum(weights)
    found = pairwise_weights(shares[:, None] / shares)
    assert np.allclose(found.weights, shares)
    assert found.consistency_ratio == pytest.approx(0, abs=1e-9) and found.consistent


def test_comparisons_at_odds_have_the_principal_eigenvector() -> None:
    found, vector, largest = pairwise_weights(AT_ODDS), np.ones(6) / 6, 0.0
    for _ in range(200):
        vector = np.array(AT_ODDS) @ vector
        largest, vector = vector.sum(), vector / vector.sum()
    assert found.weights == pytest.approx(vector)
    # (λ − n) / (n − 1) over Saaty's random index of six things.
    assert found.consistency_ratio == pytest.approx((largest - 6) / 5 / 1.24)
    assert found.consistency_ratio == pytest.approx(0.229, abs=1e-3) and not found.consistent


def test_two_things_cannot_contradict_each_other() -> None:
    found = pairwise_weights([[1, 9], [1 / 9, 1]])
    assert found.weights == pytest.approx((0.9, 0.1)) and found.consistency_ratio == 0


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        ([[1, 2], [2, 1]], "comparisons 1, 2 and 2, 1 are 2 and 2"),
        ([[2, 1], [1, 1]], "1, 1 and 1, 1 are 2 and 2"),
        ([[1, 0], [0, 1]], "are 0 and 0"),
        ([[1, -1], [-1, 1]], "contain -1"),
        ([[1, 2, 3]], "are 1 × 3"),
        ([[1]], "are 1 × 1"),
        (np.ones((16, 16)), "are 16 × 16"),
        ([[1, "3"], ["1/3", 1]], "not all numbers"),
        ([[1, float("nan")], [1, 1]], "contain nan"),
    ],
)
def test_comparisons_that_cannot_be_used(matrix: object, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        pairwise_weights(matrix)


def test_weights_are_put_on_the_arcs_of_one_node() -> None:
    diagram, places = default_diagram(), measured({"14": 1.0, "15": 0.0})
    weighted = with_weights(diagram, "44", {"14": 3.0, "15": 1.0, "34": 3.0})
    assert weighted.into("43") == diagram.into("43") and diagram.into("44")[0].weight == 1
    assert over_arcs(diagram, places).score == 50
    assert over_arcs(weighted, places).score == pytest.approx(75)
    with pytest.raises(OptionError, match=r"no arc 16 → 44"):
        with_weights(diagram, "44", {"16": 1.0})
    with pytest.raises(InputError, match="weight of -1"):
        with_weights(diagram, "44", {"14": -1.0})

"""The published algebra: laws over random leaves and directions, grades of states and matrices; refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.assessment import published
from leakgauge.assessment.diagram import Arc
from leakgauge.assessment.published import Frequency, LeafStates, State
from leakgauge.errors import ModelError
from leakgauge.papers import influence_diagram as paper
from leakgauge.papers.influence_diagram import Directions
from leakgauge.randomness import simulation

LAPLACE = paper.table_1()
ARCS = paper.table_2(Directions.CORRECTED)
LEAVES = tuple(LAPLACE)

labels = st.dictionaries(st.sampled_from(State), st.sampled_from(Frequency), min_size=1)
leaf_states = st.dictionaries(st.sampled_from(LEAVES), labels, min_size=1)


@st.composite
def directed_arcs(draw: st.DrawFn) -> tuple[Arc, ...]:
    mirrored = draw(st.lists(st.booleans(), min_size=len(ARCS), max_size=len(ARCS)))
    return tuple(replace(arc, mirrored=flag) for arc, flag in zip(ARCS, mirrored, strict=True))


@given(leaf_states, directed_arcs())
def test_the_majority_does_not_matter(states: LeafStates, arcs: tuple[Arc, ...]) -> None:
    """F_Y = (∪ flip^[mirrored] F_i) ∘ R_id, whichever direction has the majority."""
    found = published.propagate(states, arcs)
    known = {**found.leaves, **{key: node.frequency for key, node in found.nodes.items()}}
    assert found.nodes[found.value].frequency.any()
    for key, node in found.nodes.items():
        into = [arc for arc in arcs if arc.target == key and arc.source in known]
        straight = [known[arc.source][:, ::-1] if arc.mirrored else known[arc.source] for arc in into]
        expected = published.compose(np.max(straight, axis=0), published.relation(False))
        assert np.array_equal(node.frequency, expected)


@given(leaf_states, directed_arcs())
def test_mirrored_leaves_have_the_mirrored_score(states: LeafStates, arcs: tuple[Arc, ...]) -> None:
    other = {key: {state.mirrored: often for state, often in own.items()} for key, own in states.items()}
    one, two = published.grade(states, arcs), published.grade(other, arcs)
    assert one.score + two.score == pytest.approx(100, abs=1e-9)
    assert one.row == two.row[::-1]
    for state in State:
        assert one.probabilities[state] == pytest.approx(two.probabilities[state.mirrored], abs=1e-12)


@given(leaf_states)
def test_without_mirrored_arcs_the_flips_change_nothing(states: LeafStates) -> None:
    arcs = tuple(replace(arc, mirrored=False) for arc in ARCS)
    assert published.grade(states, arcs) == published.grade(states, arcs, positive_direction=False)


@given(leaf_states, directed_arcs())
def test_what_is_left_out_is_said(states: LeafStates, arcs: tuple[Arc, ...]) -> None:
    found = published.grade(states, arcs)
    assert set(found.left_out) == set(LEAVES) - set(states)
    assert sum(found.distribution) == pytest.approx(1)
    assert found.probabilities[found.grade] == pytest.approx(max(found.probabilities.values()), abs=1e-9)


@given(st.integers(0, 10**6))
def test_composition_is_max_min(seed: int) -> None:
    left, right = simulation(seed).integers(0, 101, (2, 11, 11)) / 100
    expected = [[max(min(left[u, v], right[v, w]) for v in range(11)) for w in range(11)] for u in range(11)]
    assert published.compose(left, right).tolist() == expected


def test_relations_mirror_each_other() -> None:
    straight, mirrored = published.relation(False), published.relation(True)
    assert np.array_equal(straight[:, ::-1], mirrored)
    assert np.array_equal(straight, straight.T)
    assert np.array_equal(straight, straight[::-1, ::-1])


def test_it_never_decides_and_says_why() -> None:
    found = published.grade(LAPLACE, ARCS)
    assert not found.decides
    assert not published.PublishedGrade.decides
    assert str(found.why_not).startswith("The published score does not decide. ")


@pytest.mark.parametrize("node", ["45", "17", "99"])
def test_a_node_that_is_no_leaf_is_refused(node: str) -> None:
    with pytest.raises(ModelError, match=f"The node '{node}' is not a leaf of the arcs"):
        published.grade({node: {State.LOW: Frequency.HIGH}}, ARCS)


def test_a_leaf_in_no_state_is_refused() -> None:
    with pytest.raises(ModelError, match="The leaf '14' has no state"):
        published.grade({"14": {}}, ARCS)


def test_a_cycle_is_refused() -> None:
    with pytest.raises(ModelError, match=r"The arcs have a cycle: .*a.*b"):
        published.grade({"c": {State.LOW: Frequency.HIGH}}, [Arc("a", "b"), Arc("b", "a"), Arc("c", "a")])


def test_two_ends_are_refused() -> None:
    with pytest.raises(ModelError, match=r"The arcs end in 2 nodes \(b, c\)"):
        published.grade({"a": {State.LOW: Frequency.HIGH}}, [Arc("a", "b"), Arc("a", "c")])


@pytest.mark.parametrize(
    "bad", [np.zeros((11, 11)), np.ones((11, 10)), np.full((11, 11), np.nan), np.full((11, 11), 2)]
)
def test_matrices_that_say_nothing_are_refused(bad: np.ndarray) -> None:
    with pytest.raises(ModelError, match="is not 11 × 11 memberships"):
        published.grade_matrix(bad)


def test_the_row_read_has_the_largest_sum_times_frequency() -> None:
    matrix = np.zeros((11, 11))
    matrix[5, :], matrix[10, 10] = 0.9, 1.0
    assert published.grade_matrix(matrix).frequency == 0.5
    matrix[10, :] = 0.5
    assert published.grade_matrix(matrix).frequency == 1.0


def test_ties_go_to_the_lower_state() -> None:
    matrix = np.zeros((11, 11))
    matrix[10, [0, 10]] = 1.0
    assert published.grade_matrix(matrix).grade is State.VERY_LOW
    matrix[10] = [0, 0, 0.7, 0.1, 0, 0.8, 0, 0, 0.8, 0, 0]
    found = published.grade_matrix(matrix)
    assert found.probabilities[State.LOW] == found.probabilities[State.HIGH]
    assert found.grade is State.LOW

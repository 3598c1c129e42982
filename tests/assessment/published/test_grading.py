"""Grades of leaf states, of matrices and of evidence; what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from leakgauge.artefacts.evidence import Evidence, Scale, Standing, missing
from leakgauge.assessment import published
from leakgauge.assessment.diagram import Arc
from leakgauge.assessment.published import Directions, Frequency, State
from leakgauge.errors import ModelError, OptionError
from leakgauge.sentences import Sentence

LAPLACE = published.table_1()
ARCS = published.table_2(Directions.CORRECTED)


def measured(leaf: str, value: float) -> Evidence:
    return Evidence(leaf, Standing.MEASURED, Sentence("a test"), value, scale=Scale(0, 10))


def test_it_never_decides_and_says_why() -> None:
    found = published.grade(LAPLACE, ARCS)
    assert not found.decides
    assert not published.PublishedGrade.decides
    assert str(found.why_not).startswith("The published score does not decide: ")
    assert str(found.why_not).count(". ") == 0


def test_evidence_is_graded_as_its_labels_are() -> None:
    evidence = [
        measured("14", 8.5),
        Evidence("15", Standing.ASKED, Sentence("a test"), answers=(0, 0, 1, 2, 2)),
        Evidence("3", Standing.DECLARED, Sentence("a test"), float("inf"), scale=Scale(0.01, 10, logarithmic=True)),
        missing("4", Sentence("a test")),
    ]
    states = {
        "14": {State.HIGH: Frequency.MEDIUM, State.VERY_HIGH: Frequency.MEDIUM},
        "15": {State.MEDIUM: Frequency.LOW, State.HIGH: Frequency.MEDIUM, State.VERY_HIGH: Frequency.MEDIUM},
        "3": {State.VERY_HIGH: Frequency.VERY_HIGH},
    }
    found = published.grade_evidence(evidence)
    assert found == published.grade(states, published.table_2(Directions.BY_MEANING))
    assert "4" in found.left_out
    assert len(found.left_out) == 25
    assert not found.decides


def test_evidence_through_other_arcs() -> None:
    arcs = (Arc("cost", "value", mirrored=True),)
    assert published.grade_evidence([measured("cost", 0)], arcs).grade is State.VERY_HIGH
    assert published.grade_evidence([measured("cost", 10)], arcs).grade is State.VERY_LOW


def test_evidence_twice_is_refused() -> None:
    with pytest.raises(ModelError, match="The leaf '14' has evidence twice; keep one"):
        published.grade_evidence([measured("14", 1), missing("14", Sentence("a test"))])


def test_nothing_known_is_refused() -> None:
    with pytest.raises(ModelError, match="No leaf is known"):
        published.grade_evidence([missing("14", Sentence("a test"))])


@pytest.mark.parametrize("node", ["45", "17", "99"])
def test_a_node_that_is_no_leaf_is_refused(node: str) -> None:
    with pytest.raises(ModelError, match=f"The node '{node}' is no leaf of the arcs"):
        published.grade({node: {State.LOW: Frequency.HIGH}}, ARCS)


def test_a_leaf_in_no_state_is_refused() -> None:
    with pytest.raises(ModelError, match="The leaf '14' is in no state"):
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


def test_an_unknown_matrix_is_refused() -> None:
    with pytest.raises(OptionError, match="No matrix 'F99' is printed"):
        published.printed_matrix("F99")


def test_the_tables_are_whole() -> None:
    assert len(LAPLACE) == 28
    assert len(ARCS) == 53
    assert {arc.target for arc in ARCS} | set(LAPLACE) == {str(node) for node in range(1, 46)}

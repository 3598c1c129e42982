"""The published score of one's own data: the paper's numbers by the same code, other diagrams by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from leakgauge.artefacts.criteria import Published
from leakgauge.artefacts.evidence import Evidence, Scale, Standing, missing
from leakgauge.assessment import published
from leakgauge.assessment.diagram import Diagram
from leakgauge.assessment.diagram_files import default_diagram, read_diagram
from leakgauge.assessment.published import Frequency, State
from leakgauge.assessment.published_score import published_of, published_score
from leakgauge.errors import ModelError
from leakgauge.papers import influence_diagram as paper
from leakgauge.papers.influence_diagram import Directions
from leakgauge.sentences import Sentence
from tests.assessment.diagrams import measured, with_places

ONE_LEAF = 239.2 / 2.9
"""Score of a single leaf that is certainly at the good end: VH ⊗ VHL has .1, .3, .7, 1 at 70, 80, 90, 100 in the row of
frequency 1; max-min with the relation adds .04, .1, .16, .3 at 30, 40, 50, 60 and makes 70 .3. Their sum is 2.9, and
Σ x m(x) is 239.2."""
ROW = (0, 0, 0, 0.04, 0.1, 0.16, 0.3, 0.3, 0.3, 0.7, 1)
THROUGH_A_NODE = (0.04, 0.04, 0.16, 0.16, 0.3, 0.3, 0.3, 0.3, 0.3, 0.7, 1)
"""The row above composed with the relation once more; it sums to 3.6, and Σ x m(x) is 261.4."""

WITHOUT = """
schema = "leakgauge/diagram/1"
value = "effect"
privacy = ["effect"]
utility = ["effect"]
arcs = [
    { from = "5", to = "effect", direction = "mirrored" },
]

[nodes]
5 = { name = "success of attacks", better = "lower" }
effect = { name = "effect" }
"""
LED_THROUGH = WITHOUT.replace(
    '"effect", direction = "mirrored" }',
    '"safe", direction = "mirrored" },\n    { from = "safe", to = "effect", direction = "same" }',
).replace("[nodes]\n", '[nodes]\nsafe = { name = "resistance" }\n')
ADDED = WITHOUT.replace("arcs = [\n", 'arcs = [\n    { from = "trust", to = "effect", direction = "same" },\n').replace(
    "[nodes]\n", '[nodes]\ntrust = { name = "trust", better = "higher" }\n'
)
DELETED = ADDED.replace('    { from = "5", to = "effect", direction = "mirrored" },\n', "").replace(
    '5 = { name = "success of attacks", better = "lower" }\n', ""
)


def drawn(text: str, folder: Path) -> Diagram:
    place = folder / "own.toml"
    place.write_text(text, encoding="utf-8")
    return read_diagram(place)


def asked(leaf: str, *answers: int) -> Evidence:
    return Evidence(leaf, Standing.ASKED, Sentence("a test"), answers=answers)


def the(found: Published | None) -> Published:
    assert found is not None
    return found


def test_the_papers_leaves_give_what_it_prints() -> None:
    """Table 1 with Table 2's directions moved back: F45, 48.4 and 0.028 of section 4.3, Tables 3, 4 and 9."""
    found = published_of(paper.table_1(), paper.table_2(Directions.CORRECTED), matrices=True)
    assert np.allclose(found.matrix, paper.printed_matrix("F45"), atol=1e-9)
    assert (found.grade, found.frequency, found.left_out) == ("ML", 1.0, ())
    assert found.row == pytest.approx(paper.TABLE_3["membership"], abs=1e-9)
    assert found.score == pytest.approx(48.41, abs=5e-3)
    assert found.credibility == pytest.approx(0.0280, abs=5e-5)
    # Tables 4 and 6 list the grades in reverse.
    assert tuple(found.probabilities.values()) == pytest.approx(paper.TABLE_4[::-1], abs=5e-5)
    assert found.unflipped is not None and found.unflipped.score == pytest.approx(50.0)
    assert tuple(found.unflipped.probabilities.values()) == pytest.approx(paper.TABLE_9, abs=5e-5)
    assert list(found.probabilities) == [state.value for state in State]
    node = found.nodes["32"]
    assert np.allclose(node.joint_relation, paper.printed_matrix("R32P"), atol=1e-9)
    assert np.allclose(node.joint_frequency, paper.printed_matrix("F32P"), atol=1e-9)
    assert len(found.nodes) == 16 and not found.decides


@given(with_places())
def test_evidence_takes_the_same_way(given: tuple[Diagram, dict[str, float]]) -> None:
    """What is scored of evidence is what is scored of the labels that it shows, over the arcs of the diagram."""
    diagram, places = given
    found = the(published_score(measured(places), diagram))
    states = {
        leaf.leaf: {State(state): Frequency(often) for state, often in leaf.frequencies.items()}
        for leaf in found.leaves
    }
    again = published_of(states, diagram.arcs)
    assert (found.score, found.matrix, found.unflipped) == (again.score, again.matrix, again.unflipped)
    assert found.score == published.grade(states, diagram.arcs).score
    assert {*states, *found.left_out} == {*diagram.leaves} and not {*states} & {*found.left_out}
    assert found.nodes == {}


def test_leaves_are_labelled_as_they_are_known() -> None:
    evidence = [
        Evidence("14", Standing.MEASURED, Sentence("a test"), 8.5, "points", Scale(0, 10)),
        asked("15", 0, 0, 1, 2, 2),
        Evidence("3", Standing.DECLARED, Sentence("a test"), float("inf"), scale=Scale(0.01, 10, logarithmic=True)),
        missing("4", Sentence("a test")),
    ]
    found = the(published_score(evidence))
    # Table 1's way of writing; 8.5 of 10 lies halfway between the printed memberships at 80 and 90.
    assert [(leaf.leaf, leaf.value, leaf.frequencies) for leaf in found.leaves] == [
        ("3", float("inf"), {"VHL": "VH"}),
        ("14", 8.5, {"HL": "M", "VHL": "M"}),
        ("15", None, {"ML": "L", "HL": "M", "VHL": "M"}),
    ]
    assert found.leaves[1].memberships == {"HL": 0.4, "VHL": 0.5}
    assert found.leaves[2].memberships == {"ML": 0.2, "HL": 0.4, "VHL": 0.4}
    assert found.leaves[1].chinese and found.leaves[1].unit == "points"
    assert "4" in found.left_out and len(found.left_out) == 25
    assert (
        found.score
        == published.grade(
            {
                "3": {State.VERY_HIGH: Frequency.VERY_HIGH},
                "14": {State.HIGH: Frequency.MEDIUM, State.VERY_HIGH: Frequency.MEDIUM},
                "15": {State.MEDIUM: Frequency.LOW, State.HIGH: Frequency.MEDIUM, State.VERY_HIGH: Frequency.MEDIUM},
            },
            default_diagram().arcs,
        ).score
    )


def test_added_and_deleted_nodes_act_on_the_score(tmp_path: Path) -> None:
    """By hand; leaf 6 is measured and not in any of these diagrams."""
    evidence = [*measured({"5": 0.0, "6": 1.0}), asked("trust", 8, 0, 0, 0, 0)]
    safe = the(published_score(evidence, drawn(WITHOUT, tmp_path)))
    assert safe.row == pytest.approx(ROW) and safe.score == pytest.approx(ONE_LEAF) and safe.grade == "VHL"
    assert [leaf.leaf for leaf in safe.leaves] == ["5"]
    through = the(published_score(evidence, drawn(LED_THROUGH, tmp_path), matrices=True))
    assert through.row == pytest.approx(THROUGH_A_NODE) and through.score == pytest.approx(261.4 / 3.6)
    assert through.nodes["safe"].frequency[-1] == pytest.approx(ROW) and list(through.nodes) == ["safe"]
    both = the(published_score(evidence, drawn(ADDED, tmp_path)))
    # Safe by the one and untrusted by the other: one union, the same read from either end.
    assert both.score == 50 and both.row == both.row[::-1] and both.grade == "VLL"
    untrusted = the(published_score(evidence, drawn(DELETED, tmp_path)))
    assert untrusted.score == pytest.approx(100 - ONE_LEAF) and untrusted.row == pytest.approx(ROW[::-1])
    assert [leaf.name for leaf in untrusted.leaves] == ["trust"]


def test_of_nothing_known_there_is_no_score(tmp_path: Path) -> None:
    assert published_score([missing("14", Sentence("a test"))]) is None
    assert published_score(measured({"6": 1.0}), drawn(WITHOUT, tmp_path)) is None


def test_evidence_twice_is_refused() -> None:
    with pytest.raises(ModelError, match="two pieces of evidence of leaf '14'"):
        published_score([*measured({"14": 0.5}), missing("14", Sentence("a test"))])

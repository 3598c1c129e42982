"""Questionnaires: strict CSV, one voice a person, and leaves of a diagram of one's own."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from leakgauge.artefacts.evidence import Standing
from leakgauge.assessment import Questionnaire, answered_beyond, asked_leaves, read_questionnaire
from leakgauge.assessment.diagram import Better, Node
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.errors import FileError


def written(place: Path, *lines: str) -> Path:
    file = place / "answers.csv"
    file.write_text("\n".join(["respondent,leaf,answer", *lines]) + "\n")
    return file


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (('1,14,"5', "2,14,1"), "a quote is not closed"),
        (("1,14,5", f"{'x' * 200_000},14,5"), "line 3: it is not CSV"),
        (("Alice,14,5", "alice ,14,1"), "line 3: a respondent answers leaf 14 a second time"),
        (("Ann  Lee,14,5", "ann lee,14,1"), "line 3: a respondent answers leaf 14 a second time"),
    ],
)
def test_a_fault_names_its_line_and_nobody(tmp_path: Path, lines: tuple[str, ...], says: str) -> None:
    with pytest.raises(FileError, match=says) as caught:
        read_questionnaire(written(tmp_path, *lines))
    assert len(str(caught.value)) < 400
    assert "lice" not in str(caught.value) and "lee" not in str(caught.value)


def test_people_are_counted_once(tmp_path: Path) -> None:
    found = read_questionnaire(written(tmp_path, "Alice,14,5", " ALICE,15,4", "Bob,14,1"))
    assert found == Questionnaire({"14": (1, 0, 0, 0, 1), "15": (0, 0, 0, 1, 0)}, 2)


def test_leaves_that_nothing_measures_may_be_asked_about(tmp_path: Path) -> None:
    diagram = default_diagram()
    arc = dataclasses.replace(diagram.arcs[0], source="mine", target="45", mirrored=False)
    nodes = {**diagram.nodes, "mine": Node("mine", "mine", better=Better.HIGHER)}
    own = dataclasses.replace(diagram, nodes=nodes, arcs=(*diagram.arcs, arc))
    assert (asked_leaves(diagram), asked_leaves(own)) == (("14", "15", "19"), ("14", "15", "19", "mine"))
    file = written(tmp_path, "1,mine,5", "2,mine,4", "1,14,3")
    found = read_questionnaire(file, asked_leaves(own))
    (evidence,) = answered_beyond(found)
    assert (evidence.leaf, evidence.standing, evidence.answers) == ("mine", Standing.ASKED, (0, 0, 0, 1, 1))
    with pytest.raises(FileError, match="write one of 14, 15, 19"):
        read_questionnaire(file)
    assert answered_beyond(None) == ()

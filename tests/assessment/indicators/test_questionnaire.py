"""The questionnaire: a template in two languages, answers, and every fault with its line."""

from __future__ import annotations

import csv
import dataclasses
from pathlib import Path

import pytest

from leakgauge.artefacts.evidence import Standing
from leakgauge.assessment import Questionnaire, collect, protected_column
from leakgauge.assessment.diagram import Better, Node
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.assessment.indicators.catalogue import answered_beyond, asked_leaves
from leakgauge.assessment.indicators.questionnaire import (
    ASKED,
    LANGUAGES,
    questions,
    read_questionnaire,
    write_template,
)
from leakgauge.errors import FileError, OptionError
from leakgauge.mechanisms import randomized_response
from leakgauge.randomness import Simulated
from tests.assessment.indicators.small import LETTERS, by_leaf, table


def written(place: Path, text: str) -> Path:
    path = place / "answers.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_answers_become_counts_and_evidence(tmp_path: Path) -> None:
    path = written(tmp_path, "respondent,leaf,answer\n1,14,5\n2,14,4\n3,14,5\n1,19,1\n2,19,\n\n")
    found = read_questionnaire(path)
    assert found.answers == {"14": (0, 0, 0, 1, 2), "19": (1, 0, 0, 0, 0)}
    assert found.respondents == 3
    made = protected_column(table(), "illness", randomized_response(1.0, letters=LETTERS), Simulated(1))
    evidence = by_leaf(collect(made, questionnaire=found))
    assert (evidence["14"].standing, evidence["14"].answers) == (Standing.ASKED, (0, 0, 0, 1, 2))
    assert evidence["15"].standing is Standing.MISSING


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_template_is_read_back_once_filled_in(language: str, tmp_path: Path) -> None:
    path = tmp_path / "template.csv"
    write_template(path, language, respondents=3)
    assert read_questionnaire(path).answers == {}
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["leaf"] for row in rows] == [*ASKED] * 3
    assert all(row["question"] and len(row["answers"].replace("；", ";").split(";")) == 5 for row in rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows({**row, "answer": "4"} for row in rows)
    assert read_questionnaire(path).answers == dict.fromkeys(ASKED, (0, 0, 0, 3, 0))


def test_both_languages_ask_the_same_leaves() -> None:
    assert [row[0] for row in questions("en")] == [row[0] for row in questions("zh")] == list(ASKED)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "respondent,leaf,answer\nAnn Lee,14,5\nAnn Lee,14,6\n",
            "line 3: the answer is not a whole number from 1 to 5",
        ),
        ("respondent,leaf,answer\nAnn Lee,14,0\n", "line 2: the answer is not"),
        ("respondent,leaf,answer\nAnn Lee,14,4.5\n", "line 2: the answer is not"),
        (
            "respondent,leaf,answer\n14,Ann Lee,5\n",
            "line 2: the leaf is not one that people are asked about; write one of 14, 15",
        ),
        ("respondent,leaf,answer\nAnn Lee,14,5\nAnn Lee,14,5\n", "line 3: a respondent answers leaf 14 a second time"),
        ("respondent,leaf,answer\nAnn Lee,14\n", "line 2: it has 2 cells, but the header has 3"),
        ("respondent,leaf,answer\n,14,3\n", "line 2: the answer has no respondent"),
        ("respondent,leaf\nAnn Lee,14\n", "line 1: the columns are 'respondent', 'leaf'; write respondent,leaf,answer"),
        ("respondent,leaf,answer,age\n", "line 1: the columns are"),
        ("", "line 1: the columns are missing"),
    ],
)
def test_faults_name_the_line_and_never_a_respondent(text: str, said: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FileError) as caught:
        read_questionnaire(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)
    assert "Ann" not in str(caught.value)


def test_files_and_languages_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        read_questionnaire(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes(b"respondent,leaf,answer\n\xe9,14,3\n")
    with pytest.raises(FileError, match="not UTF-8"):
        read_questionnaire(tmp_path / "latin.csv")
    with pytest.raises(OptionError, match="no questionnaire in 'fr'"):
        write_template(tmp_path / "x.csv", "fr")
    with pytest.raises(OptionError, match="is empty"):
        write_template(tmp_path / "x.csv", "en", 0)


def answered(place: Path, *lines: str) -> Path:
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
        read_questionnaire(answered(tmp_path, *lines))
    assert len(str(caught.value)) < 400
    assert "lice" not in str(caught.value) and "lee" not in str(caught.value)


def test_people_are_counted_once(tmp_path: Path) -> None:
    found = read_questionnaire(answered(tmp_path, "Alice,14,5", " ALICE,15,4", "Bob,14,1"))
    assert found == Questionnaire({"14": (1, 0, 0, 0, 1), "15": (0, 0, 0, 1, 0)}, 2)


def test_leaves_that_nothing_measures_may_be_asked_about(tmp_path: Path) -> None:
    diagram = default_diagram()
    arc = dataclasses.replace(diagram.arcs[0], source="mine", target="45", mirrored=False)
    nodes = {**diagram.nodes, "mine": Node("mine", "mine", better=Better.HIGHER)}
    own = dataclasses.replace(diagram, nodes=nodes, arcs=(*diagram.arcs, arc))
    assert (asked_leaves(diagram), asked_leaves(own)) == (("14", "15", "19"), ("14", "15", "19", "mine"))
    file = answered(tmp_path, "1,mine,5", "2,mine,4", "1,14,3")
    found = read_questionnaire(file, asked_leaves(own))
    (evidence,) = answered_beyond(found)
    assert (evidence.leaf, evidence.standing, evidence.answers) == ("mine", Standing.ASKED, (0, 0, 0, 1, 1))
    with pytest.raises(FileError, match="write one of 14, 15, 19"):
        read_questionnaire(file)
    assert answered_beyond(None) == ()

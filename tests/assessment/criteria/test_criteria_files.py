"""Diagrams of criteria in TOML: weights, judgements, and every fault in one sentence with the leaf and the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from leakgauge.assessment import Diagram, default_diagram, read_questionnaire
from leakgauge.assessment.criteria import CriteriaDiagram, asked_by, default_criteria, open_diagram, write_diagram
from leakgauge.errors import FileError, InputError
from tests.assessment.test_diagram_files import TEXT as PAPERS_KIND

TEXT = """
schema = "leakgauge/diagram/2"

[criteria]
secrecy = { name = "secrecy", score = "protection" }
use = { name = "use", chinese = "可用性" }

[leaves]
5 = { name = "attacks", feeds = "secrecy", better = "null" }
10 = { name = "error", feeds = "use", better = "raw", weight = 3 }
12 = { name = "similarity", feeds = "use", better = "raw" }
trust = { name = "trust", feeds = "use", better = "higher", weight = 0 }
19 = { name = "sensitivity", feeds = "needed", better = "higher" }
"""
JUDGED = TEXT.replace(", weight = 3", "").replace(", weight = 0", "") + (
    '[pairwise.use]\nof = ["12", "10", "trust"]\njudgements = [[1, 2, 4], ["1/2", 1, 2], [0.25, "1/2", 1]]\n'
)


def opened(file: Path) -> CriteriaDiagram:
    diagram = open_diagram(file)
    assert isinstance(diagram, CriteriaDiagram)
    return diagram


def read(place: Path, text: str) -> CriteriaDiagram:
    file = place / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return opened(file)


def test_a_file_is_read_as_it_is_written(tmp_path: Path) -> None:
    diagram = read(tmp_path, TEXT)
    assert diagram.shares("use") == {"10": 0.75, "12": 0.25, "trust": 0}
    assert diagram.criteria["use"].chinese == "可用性" and diagram.criteria["secrecy"].score == "protection"
    assert asked_by(diagram) == ("trust", "19")
    huge = read(tmp_path, TEXT.replace("weight = 3", "weight = 1e308").replace("weight = 0", "weight = 1e308"))
    assert huge.shares("use") == pytest.approx({"10": 0.5, "12": 0, "trust": 0.5})


def test_the_default_is_written_to_be_changed(tmp_path: Path) -> None:
    place = tmp_path / "own.toml"
    write_diagram(place)
    own = opened(place)
    assert own.leaves == default_criteria().leaves and own.criteria == default_criteria().criteria
    place.write_text(
        place.read_text(encoding="utf-8").replace('feeds = "audit"', 'feeds = "security"'), encoding="utf-8"
    )
    assert opened(place).shares("security") == dict.fromkeys(["4", "5", "6", "7"], 0.25)
    with pytest.raises(FileError, match=r"own.toml exists; name another"):
        write_diagram(place)
    with pytest.raises(FileError, match="does not exist"):
        write_diagram(tmp_path / "none" / "own.toml")


def test_the_example_in_the_default_holds(tmp_path: Path) -> None:
    place = tmp_path / "own.toml"
    write_diagram(place)
    lines = place.read_text(encoding="utf-8").splitlines()
    example = [line.removeprefix("#   ") for line in lines if line.startswith("#   ")]
    place.write_text("\n".join([*lines, *example]), encoding="utf-8")
    shares = opened(place).shares("utility")
    assert shares["12"] == pytest.approx(4 / 9) and shares["8"] == 0


def test_a_diagram_is_opened_by_its_name_or_its_schema(tmp_path: Path) -> None:
    assert open_diagram() is default_criteria() and open_diagram("paper") is default_diagram()
    for name, text, kind in (("one.toml", PAPERS_KIND, Diagram), ("two.toml", TEXT, CriteriaDiagram)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert isinstance(open_diagram(tmp_path / name), kind)
    (tmp_path / "three.toml").write_text('schema = "leakgauge/diagram/3"')
    with pytest.raises(FileError, match="has the schema 'leakgauge/diagram/3'"):
        open_diagram(tmp_path / "three.toml")


def test_weights_are_judged_two_at_a_time(tmp_path: Path) -> None:
    for text in (JUDGED, JUDGED.replace('["12", "10"', "[12, 10")):
        assert read(tmp_path, text).shares("use") == pytest.approx({"10": 2 / 7, "12": 4 / 7, "trust": 1 / 7})


FAULTS = [
    ("feeds nothing", 'feeds = "secrecy", ', "", "the leaf '5' feeds nothing; .* secrecy, use, needed, audit"),
    ("feeds two", 'feeds = "secrecy"', 'feeds = ["secrecy", "use"]', "the leaf '5' feeds 2 criteria, secrecy, use"),
    ("feeds another", 'feeds = "secrecy"', 'feeds = "secresy"', "'5' feeds 'secresy', .* did you mean 'secrecy'"),
    ("feeds a number", 'feeds = "secrecy"', "feeds = 5", "the leaf '5' has feeds = 5"),
    ("schema", "diagram/2", "diagram/3", "has the schema 'leakgauge/diagram/3'"),
    ("no better", ', better = "null"', "", "the leaf '5' has better = ''"),
    ("wrong better", '"null"', '"less"', "the leaf '5' has better = 'less'; write higher, lower, raw or null"),
    ("asked as an outcome", '"higher", weight = 0', '"raw"', "asked about the leaf 'trust', so it has no value"),
    ("text as weight", "weight = 3", 'weight = "3"', "the leaf '10' has the weight '3'; write a number"),
    ("true as weight", "weight = 3", "weight = true", "the leaf '10' has the weight True"),
    ("negative", "weight = 3", "weight = -3", "the leaf '10' has a weight of -3.0; give a number of at least 0"),
    ("not a number", "weight = 3", "weight = nan", "the leaf '10' has a weight of nan"),
    ("infinite", "weight = 3", "weight = inf", "the leaf '10' has the weight inf"),
    ("all zero", 'better = "higher" }', 'better = "higher", weight = 0 }', "all 1 leaves that feed 'needed' are 0"),
    ("fed by nothing", "[leaves]", 'idle = { name = "idle" }\n[leaves]', "no leaf feeds the criterion 'idle'"),
    ("beside", "[leaves]", 'audit = { name = "audit" }\n[leaves]', "a criterion 'audit'"),
    ("unknown score", '"protection"', '"protecton"', "unknown score 'protecton'; did you mean 'protection'"),
    ("unknown key", "weight = 3", "wieght = 3", "the leaf '10' has the unknown key 'wieght'; did you mean 'weight'"),
    ("unknown criterion key", 'score = "', 'dail = "', "the criterion 'secrecy' has the unknown key 'dail'"),
    ("no name", 'name = "attacks", ', "", "the leaf '5' has no name, or it is not text"),
    ("name as number", 'name = "attacks"', "name = 5", "the leaf '5' has no name, or it is not text"),
    ("leaf not a table", '{ name = "error", feeds = "use", better = "raw", weight = 3 }', "3", "'10' under .leaves."),
    ("no leaves", "[leaves]", "[lines]", "unknown key 'lines'; known are 'criteria', 'leaves'"),
    ("no criteria", "[criteria]", "[criteria.more]", "more"),
]


@pytest.mark.parametrize(("old", "new", "said"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_a_fault_is_one_sentence_with_the_leaf_and_the_file(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in TEXT
    require_fault(tmp_path, TEXT.replace(old, new, 1), said)


JUDGED_FAULTS = [
    ('"1/2", 1, 2', '"1/9", 1, 2', r"comparisons 1, 2 and 2, 1 are 2 and 0.111"),
    ('of = ["12", "10", "trust"]', 'of = ["12", "10"]', "for 'use' do not cover .* with 10, 12, trust"),
    ('of = ["12", "10", "trust"]', 'of = ["12", "10", "10"]', "for 'use' do not cover"),
    ("judgements = [[1, 2, 4], ", "judgements = [[1, 2, 4, 1], ", "not 3 rows of 3"),
    ("judgements", "judgments", r"judgements = \[…\] with a row for each"),
    ('"1/2", 1, 2', '"a half", 1, 2', "a judgement for 'use' is 'a half'; write a number above 0"),
    ('"1/2", 1, 2', '"1/0", 1, 2', "a judgement for 'use' is '1/0'"),
    ('"1/2", 1, 2', '"1e999999999", 1, 2', "a judgement for 'use' is '1e999999999'"),
    ('"1/2", 1, 2', "true, 1, 2", "a judgement for 'use' is True"),
    ('"1/2", 1, 2', "[1], 1, 2", "a judgement for 'use' is .1."),
    ('"1/2", 1, 2', "-1, 1, 2", "a judgement for 'use' is -1"),
    ("[pairwise.use]", "[pairwise.usage]", "does not name a criterion; did you mean 'use'"),
    ('better = "raw" }', 'better = "raw", weight = 2 }', "has a weight, and .pairwise.use. judges it as well"),
]


@pytest.mark.parametrize(("old", "new", "said"), JUDGED_FAULTS)
def test_judgements_that_cannot_be_used(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in JUDGED
    require_fault(tmp_path, JUDGED.replace(old, new, 1), said)


def test_judgements_that_contradict_each_other_name_the_worst(tmp_path: Path) -> None:
    write_diagram(tmp_path / "own.toml")
    text = (tmp_path / "own.toml").read_text(encoding="utf-8")
    # All alike, but that 11 is judged nine times as much as 13.
    text += '[pairwise.utility]\nof = ["10", "11", "12", "13"]\n'
    text += 'judgements = [[1, 1, 1, 1], [1, 1, 1, 9], [1, 1, 1, 1], [1, "1/9", 1, 1]]\n'
    said = (
        r"for 'utility' contradict each other with a ratio of 0\.243, above 0\.1; the worst says that '11' matters 9 "
        r"times as much as '13', where all together say 3\.36; reconsider it"
    )
    require_fault(tmp_path, text, said)


def require_fault(place: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        read(place, text)
    message = str(caught.value)
    assert "mine.toml" in message and "\n" not in message and message.endswith((".", "?"))


def test_the_questionnaire_of_another_diagram_names_the_leaves(tmp_path: Path) -> None:
    own, answers = read(tmp_path, TEXT), tmp_path / "answers.csv"
    answers.write_text("respondent,leaf,answer\n1,14,5\n1,15,4\n1,19,3\n")
    assert read_questionnaire(answers, asked_by(default_criteria())).respondents == 1
    with pytest.raises(FileError, match=r"another diagram: it answers 14, 15, but this diagram asks about trust, 19"):
        read_questionnaire(answers, asked_by(own))
    with pytest.raises(FileError, match="has no questions"):
        read_questionnaire(answers, ())
    answers.write_text("respondent,leaf,answer\n1,trust,5\n")
    assert read_questionnaire(answers, asked_by(own)).answers == {"trust": (0, 0, 0, 0, 1)}
    # What is no number may be somebody's name, so that only the diagram's own leaves are named.
    with pytest.raises(FileError, match=r"line 2: the leaf is not one .* write one of 14, 15, 19") as caught:
        read_questionnaire(answers, asked_by(default_criteria()))
    assert "trust" not in str(caught.value)

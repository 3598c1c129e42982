"""``leakgauge assess`` from the command line."""

from __future__ import annotations

import json
import xml.dom.minidom
from pathlib import Path
from typing import Any

import pytest

from leakgauge.artefacts.codec import digest_of, sentence_of
from leakgauge.cli import main
from tests.cli.running import as_json, run


def sealed(fields: dict[str, Any]) -> str:
    """An audit with another digest, as one that was made so."""
    return json.dumps({**fields, "digest": digest_of(fields)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 2000 people, released at ε = 1, and its audit."""
    place = tmp_path_factory.mktemp("graded")
    illnesses = ("flu", "none", "none", "cold")
    lines = (f"{'AB'[at % 2]},{illnesses[(at * 7 + at // 5) % 4]},{20 + at % 50}" for at in range(2000))
    (place / "people.csv").write_text("\n".join(["city,illness,age", *lines]) + "\n")
    (place / "plan.toml").write_text(
        'public = ["city"]\n[columns]\nillness = "randomized-response:epsilon=1,letters=flu|none|cold"\n'
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        assert (
            main(
                [
                    "release",
                    "people.csv",
                    "--plan",
                    "plan.toml",
                    "--record",
                    "out.json",
                    "--simulate",
                    "1",
                    "-o",
                    "out.csv",
                ]
            )
            == 0
        )
        assert main(["audit", "out.json", "--original", "people.csv", "-o", "audit.json", "--json"]) == 0
    return place


@pytest.fixture
def graded(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(folder)
    capsys.readouterr()
    return folder


ASSESS = ("assess", "out.json", "audit.json", "--original", "people.csv")


def test_a_release_is_graded_from_its_record_its_table_and_its_audit(
    graded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, fields = as_json(capsys, *ASSESS, "-o", "assessment.json")
    assert code == 0
    assert fields["schema"] == "leakgauge/assessment/1"
    assert fields["interval"]["low"] <= fields["score"] <= fields["interval"]["high"]
    assert fields["grade"] in ("very-poor", "poor", "medium", "good", "very-good")
    assert 0 <= fields["privacy"] <= 100
    assert 0 <= fields["utility"] <= 100
    assert fields["vetoes"] == []
    leaves = {one["leaf"]: one for one in fields["leaves"]}
    assert len(leaves) == 28
    assert leaves["3"]["value"] == pytest.approx(1)
    assert leaves["14"]["standing"] == "missing"
    assert all(sum(one["states"]) == pytest.approx(1) for one in fields["nodes"].values())
    assert fields["published"]["decides"] is False
    assert fields["published"]["why_not"]
    assert json.loads(Path("assessment.json").read_text()) == fields


def test_a_second_assessment_reads_space_and_time_and_agrees_to_the_digit(
    graded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, first = as_json(capsys, *ASSESS, "-o", "first.json")
    _, second = as_json(capsys, *ASSESS, "--stored", "first.json")
    assert second == first


def test_the_tables_for_a_person_and_the_picture(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *ASSESS, "--picture", "diagram.svg", "--algebra", "published")
    assert code == 0
    for words in ("Protection effect of illness", "privacy", "utility", "does not decide", "credibility", "A lift to"):
        assert words in out
    picture = Path("diagram.svg").read_text(encoding="utf-8")
    xml.dom.minidom.parseString(picture)
    assert "protection effect" in picture


def test_a_policy_that_is_not_kept_exits_1_with_the_failed_lines(
    graded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("policy.toml").write_text('max_epsilon = 0.5\nmax_leakage_bits = 1\ntarget_grade = "very-poor"\n')
    code, out, err = run(capsys, *ASSESS, "--policy", "policy.toml")
    assert code == 1
    assert "NOT KEPT" in out
    assert err == "leakgauge: The policy is not kept: max_epsilon is 1 (ε of the column's claim), the limit 0.5.\n"
    Path("policy.toml").write_text("max_epsilon = 1\n")
    code, fields = as_json(capsys, *ASSESS, "--policy", "policy.toml")
    assert code == 0
    assert fields["policy"] == [
        {
            "name": "max_epsilon",
            "limit": 1.0,
            "found": pytest.approx(1.0),
            "holds": True,
            "of": "ε of the column's claim",
        },
        # A policy that says nothing of it allows one row in twenty to stand alone in the public columns.
        {"name": "max_alone", "limit": 0.05, "found": 0.0, "holds": True, "of": ""},
    ]


def test_questionnaires_are_made_and_read(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for language in ("en", "zh"):
        code, out, _ = run(capsys, "assess", "--template", f"{language}.csv", "--template-language", language)
        assert code == 0
        assert f"{language}.csv" in out
    assert "respondent,leaf,answer" in Path("en.csv").read_text(encoding="utf-8-sig").replace(" ", "")
    lines = [f"p{person},{leaf},{1 + (person + int(leaf)) % 5}" for person in range(8) for leaf in ("14", "15", "19")]
    Path("answers.csv").write_text("\n".join(["respondent,leaf,answer", *lines]) + "\n")
    _, fields = as_json(capsys, *ASSESS, "--questionnaire", "answers.csv")
    asked = [one["leaf"] for one in fields["leaves"] if one["standing"] == "asked"]
    assert asked == ["14", "15", "19"]


def test_an_audit_that_found_a_violation_caps_the_grade(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fields = json.loads(Path("audit.json").read_text())
    fields["columns"]["illness"]["violated"] = True
    fields["columns"]["illness"]["lower_bound"]["value"] = 2.0
    violated = ("assess", "out.json", "violated.json", "--original", "people.csv")
    Path("violated.json").write_text(json.dumps(fields))
    code, out, err = run(capsys, *violated)
    assert (code, out) == (1, "")
    assert "violated.json was changed" in err
    Path("violated.json").write_text(sealed(fields))
    code, found = as_json(capsys, *violated)
    assert code == 1
    assert "2 nats" in str(sentence_of(found["vetoes"][0]["reason"]))
    assert found["grade"] in ("poor", "very-poor")
    # A policy that asks for something else does not let it pass.
    Path("lenient.toml").write_text("max_epsilon = 5\n")
    code, _, err = run(capsys, *violated, "--policy", "lenient.toml")
    assert code == 1
    assert "vetoes is the column illness shows at least 2 nats" in err
    fields["epsilon_lower_bound"]["value"] = 9.0
    Path("violated.json").write_text(sealed(fields))
    assert "max_epsilon is 9 (ε of what the audit shows)" in run(capsys, *violated, "--policy", "lenient.toml")[2]


def test_the_grade_is_of_one_release_and_the_policy_of_all(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("yearly.toml").write_text("max_epsilon = 1.0\n")
    code, out, err = run(capsys, *ASSESS, "--policy", "yearly.toml", "--releases-per-period", "365")
    assert code == 1
    assert "The grade is of one release" in out
    assert "max_epsilon is 365 (ε of the column's claim, times 365 releases per period), the limit 1" in err


def test_files_with_answers_and_two_outputs_are_kept_apart(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("filled.csv").write_text("answers\n")
    code, _, err = run(capsys, "assess", "--template", "filled.csv")
    assert (code, Path("filled.csv").read_text()) == (2, "answers\n")
    assert "filled.csv exists" in err
    code, _, err = run(capsys, *ASSESS, "-o", "same.svg", "--picture", "./same.svg")
    assert code == 2
    assert "name two files" in err
    assert not Path("same.svg").exists()


def test_letters_have_no_sensitivity_to_lift(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for target in ("medium", "90", "77"):
        _, fields = as_json(capsys, *ASSESS, "--target", target)
        moved = {move["leaf"] for lift in fields["lifts"] for move in lift["moves"]}
        assert moved or fields["blocked"]
        assert "1" not in moved


OWN = (
    'schema = "leakgauge/diagram/1"\nvalue = "v"\nprivacy = ["p"]\nutility = ["u"]\nstates = 9\n'
    '[nodes]\n3 = { name = "budget", better = "trade-off" }\n12 = { name = "similar", better = "higher" }\n'
    'p = { name = "privacy" }\nu = { name = "utility" }\nv = { name = "value" }\n'
    '[[arcs]]\nfrom = "3"\nto = "p"\ndirection = "mirrored"\n[[arcs]]\nfrom = "3"\nto = "u"\ndirection = "same"\n'
    '[[arcs]]\nfrom = "12"\nto = "u"\ndirection = "same"\n[[arcs]]\nfrom = "p"\nto = "v"\ndirection = "same"\n'
    '[[arcs]]\nfrom = "u"\nto = "v"\ndirection = "same"\n'
)
ARC = '[[arcs]]\nfrom = "mine"\nto = "v"\ndirection = "same"\n'


def test_people_answer_about_leaves_of_a_diagram_of_ones_own(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("asked.toml").write_text(OWN.replace("v = {", 'mine = { name = "mine", better = "higher" }\nv = {') + ARC)
    Path("mine.csv").write_text("respondent,leaf,answer\n1,mine,5\n2,mine,4\n")
    code, fields = as_json(capsys, *ASSESS, "--diagram", "asked.toml", "--questionnaire", "mine.csv")
    assert code == 0
    assert [(one["leaf"], one["standing"]) for one in fields["leaves"]][2] == ("mine", "asked")
    code, _, err = run(capsys, *ASSESS, "--questionnaire", "mine.csv")
    assert code == 2
    assert "14, 15, 19" in err


def test_a_diagram_of_ones_own(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("own.toml").write_text(OWN)
    code, fields = as_json(capsys, *ASSESS, "--diagram", "own.toml")
    assert code == 0
    assert [one["leaf"] for one in fields["leaves"]] == ["3", "12"]
    assert len(fields["nodes"]["v"]["states"]) == 9


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["out.json"], 2, "needs a record and its audit"),
        (["out.json", "audit.json"], 2, "name that with --original"),
        (["out.json", "out.json", "--original", "people.csv"], 2, "out.json"),
        (["out.json", "audit.json", "--original", "people.csv", "--policy", "none.toml"], 2, "none.toml"),
        (["out.json", "audit.json", "--original", "people.csv", "--target", "best"], 2, "'best' is no target"),
        (["out.json", "audit.json", "--original", "people.csv", "--column", "ilness"], 2, "ilness"),
        (["out.json", "audit.json", "--original", "people.csv", "-o", "audit.json"], 2, "audit.json"),
        (["out.json", "audit.json", "--original", "people.csv", "--diagram", "plan.toml"], 2, "plan.toml"),
        (["out.json", "other.json", "--original", "people.csv"], 1, "another release"),
    ],
)
def test_bad_input_gets_one_sentence(
    arguments: list[str], code: int, says: str, graded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = json.loads(Path("audit.json").read_text())
    other["record"]["digest"] = "0" * 64
    Path("other.json").write_text(sealed(other))
    found, out, err = run(capsys, "assess", *arguments)
    assert (found, out) == (code, ""), err
    assert says in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("max_epsilom = 1", "did you mean"),
        ("max_epsilon = -1", "max_epsilon is -1"),
        ('max_epsilon = "one"', "max_epsilon is 'one'"),
        ('target_grade = "fine"', "target_grade is 'fine'"),
        ("", "sets no limit"),
        ("max_epsilon", "is not TOML"),
    ],
)
def test_a_policy_with_a_fault_is_named(text: str, says: str, graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.toml").write_text(text)
    code, _, err = run(capsys, *ASSESS, "--policy", "bad.toml")
    assert code == 2
    assert "bad.toml" in err
    assert says in err


def test_stored_evidence_of_another_release_is_refused(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    as_json(capsys, *ASSESS, "-o", "stored.json")
    fields = json.loads(Path("stored.json").read_text())
    fields["evidence"]["record"] = "0" * 64
    Path("stored.json").write_text(json.dumps(fields))
    code, out, err = run(capsys, *ASSESS, "--stored", "stored.json")
    assert (code, out) == (1, "")
    assert "stored.json" in err

"""``leakgauge assess`` and ``improve`` from the command line."""

from __future__ import annotations

import json
import xml.dom.minidom
from pathlib import Path
from typing import Any

import pytest

from leakgauge.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code, out, err = run(capsys, *arguments, "--json")
    assert out, err
    fields: dict[str, Any] = json.loads(out)
    return code, fields


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
        assert main(["release", "people.csv", "--plan", "plan.toml", "--record", "out.json", "-o", "out.csv"]) == 0
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
    assert err == "leakgauge: The policy is not kept: max_epsilon is 1, the limit 0.5.\n"
    Path("policy.toml").write_text("max_epsilon = 1\n")
    code, fields = as_json(capsys, *ASSESS, "--policy", "policy.toml")
    assert code == 0
    assert fields["policy"] == [
        {"name": "max_epsilon", "limit": 1.0, "found": pytest.approx(1.0), "holds": True},
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
    Path("violated.json").write_text(json.dumps(fields))
    code, found = as_json(capsys, "assess", "out.json", "violated.json", "--original", "people.csv")
    assert code == 0
    assert "2 nats" in found["vetoes"][0]["reason"]
    assert found["grade"] in ("poor", "very-poor")


def test_a_diagram_of_ones_own(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("own.toml").write_text(
        'schema = "leakgauge/diagram/1"\nvalue = "v"\nprivacy = ["p"]\nutility = ["u"]\nstates = 9\n'
        '[nodes]\n3 = { name = "budget", better = "trade-off" }\n12 = { name = "similar", better = "higher" }\n'
        'p = { name = "privacy" }\nu = { name = "utility" }\nv = { name = "value" }\n'
        '[[arcs]]\nfrom = "3"\nto = "p"\ndirection = "mirrored"\n[[arcs]]\nfrom = "3"\nto = "u"\ndirection = "same"\n'
        '[[arcs]]\nfrom = "12"\nto = "u"\ndirection = "same"\n[[arcs]]\nfrom = "p"\nto = "v"\ndirection = "same"\n'
        '[[arcs]]\nfrom = "u"\nto = "v"\ndirection = "same"\n'
    )
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
    Path("other.json").write_text(json.dumps(other))
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


IMPROVE = ("improve", "people.csv", "--secret", "illness")


def test_a_target_that_can_be_met_is_met_at_the_least_cost(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, fields = as_json(capsys, *IMPROVE, "--target", "medium", "--min-utility", "30")
    assert code == 0
    chosen = fields["chosen"]
    assert chosen["stage"] == "parameters"
    assert chosen["score"] >= 40
    assert chosen["utility"] >= 30
    assert len(chosen["leaves"]) == 28
    assert len(fields["trials"]) <= 60
    assert "not protected" in fields["learned_from"]
    balance = [min(one["privacy"], one["utility"]) for one in fields["trials"] if one["meets"]]
    assert min(chosen["privacy"], chosen["utility"]) == max(balance)


def test_a_target_that_cannot_be_met_names_what_blocks_it(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *IMPROVE, "--target", "99.5")
    assert code == 1
    assert "histogram" in out
    assert "No setting reaches a score of 99.5" in err
    assert "points" in err


def test_numbers_are_tried_with_bounds_and_in_bins(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, fields = as_json(
        capsys, "improve", "people.csv", "--secret", "age", "--target", "99", "--lower", "0", "--upper", "100"
    )
    assert fields["trials"][0]["mechanism"].startswith("laplace:")
    assert {one["form"] for one in fields["trials"]} >= {"column", "column in 8 bins"}


def test_an_accounted_search_pays_and_reads_nothing_else(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("l.db").unlink(missing_ok=True)
    assert run(capsys, "ledger", "open", "l.db", "--dataset", "people", "--epsilon", "1")[0] == 0
    paid = (*IMPROVE, "--target", "medium", "--accounted", "0.8", "--ledger", "l.db", "--dataset", "people")
    code, fields = as_json(capsys, *paid)
    assert code == 0
    assert "noisy histogram" in fields["learned_from"]
    code, _, err = run(capsys, *paid)
    assert code == 1
    assert "has ε = 0.2 left; nothing was spent" in err
    code, _, err = run(capsys, *IMPROVE, "--target", "medium", "--accounted", "0.8")
    assert code == 2
    assert "name the ledger" in err

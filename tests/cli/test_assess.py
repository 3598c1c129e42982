"""``leakgauge assess`` from the command line: a record with its audit, a finished job, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import leakgauge as lg
from leakgauge.artefacts.codec import digest_of, encode, sentence_of
from leakgauge.artefacts.scores import SCORES
from leakgauge.cli import main
from leakgauge.errors import OptionError
from tests.cli.running import as_json, run
from tests.jobs.finished import Finished

ASSESS = ("assess", "out.json", "audit.json", "--original", "people.csv")
DECLARED = ("--purpose", "teaching", "--recipient", "a university", "--review", "2099-01-01")


def sealed(fields: dict[str, Any]) -> str:
    """An audit with another digest, as one that was made so."""
    return json.dumps({**fields, "digest": digest_of(fields)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 2000 people, released at ε = 2, and its audit."""
    place = tmp_path_factory.mktemp("judged")
    illnesses = ("flu", "none", "none", "cold")
    lines = (f"{'AB'[at % 2]},{illnesses[(at * 7 + at // 5) % 4]},{20 + at % 50}" for at in range(2000))
    (place / "people.csv").write_text("\n".join(["city,illness,age", *lines]) + "\n")
    (place / "plan.toml").write_text(
        'public = ["city"]\n[columns]\nillness = "randomized-response:epsilon=2,letters=flu|none|cold"\n'
    )
    release = ("release", "people.csv", "--plan", "plan.toml", "--record", "out.json", "--simulate", "1")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        assert main([*release, "-o", "out.csv"]) == 0
        assert main(["audit", "out.json", "--original", "people.csv", "-o", "audit.json", "--json"]) == 0
    return place


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(folder)
    capsys.readouterr()
    return folder


def test_a_release_is_judged_from_its_record_its_table_and_its_audit(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, fields = as_json(capsys, *ASSESS, "-o", "verdict.json")
    assert code == 0
    assert fields["schema"] == "leakgauge/verdict/2"
    for name in SCORES:
        assert 0 <= fields[name]["value"] <= 100
    # (e² − 1)/(e² + 1)
    assert fields["guarantee"]["advantage"] == pytest.approx(0.76159, abs=1e-4)
    assert fields["recommendation"] == "do not release" and fields["reasons"] and fields["vetoes"] == []
    leaves = [leaf["leaf"] for one in fields["beside"]["illness"]["criteria"]["criteria"] for leaf in one["leaves"]]
    assert len(set(leaves)) == len(leaves) > 20
    assert not any(one["given"] for one in fields["policy"])
    assert fields["beside"]["illness"]["published"]["decides"] is False
    assert json.loads(Path("verdict.json").read_text()) == fields
    again = lg.assess("out.json", "audit.json", original="people.csv", stored="verdict.json")
    assert encode(again) == fields


def test_the_screen_says_the_recommendation_first_and_why(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *ASSESS, "--diagram", "paper", "--fuzzy", "paper-a")
    assert (code, err) == (0, "")
    first, second, third, *_ = out.splitlines()
    assert first == "Recommendation: do not release." and second.startswith("· it is a simulation")
    # How many people is said in a sentence of its own.
    assert third.startswith("· protection is ")
    for words in (
        *SCORES,
        "default policy",
        "NOT MET",
        "user experience",
        "a protection of up to",
        "By the published method the score is",
        "Over the arcs of the diagram",
        "By the comprehensive evaluation the grade is",
    ):
        assert words in out, words
    assert out.count("does not decide") == 3


def test_the_papers_tables_are_of_this_release(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "assess", "--diagram", "paper", "--write-diagram", "arcs.toml")[0] == 0
    _, out, _ = run(capsys, *ASSESS, "--diagram", "arcs.toml")
    (epsilon,) = [line.split() for line in out.splitlines() if line.startswith(" 3 ")]
    # ln(2 / 0.01) / ln(10 / 0.01) is 0.767 of the scale: ML .066, HL .8 + .2 · .33 and VHL .23 by straight lines.
    assert epsilon[:1] + epsilon[-3:] == ["3", "VL", "VH", "L"] and "privacy budget ε" in " ".join(epsilon)
    for words in ("without flips", "Credibility is the paper's name for the variance"):
        assert words in " ".join(out.split()), words
    _, plain = as_json(capsys, *ASSESS)
    assert "Credibility" not in run(capsys, *ASSESS)[1]
    found = plain["beside"]["illness"]["published"]
    assert len(found["matrix"]) == len(found["matrix"][0]) == len(found["row"]) == 11 and found["nodes"] == {}
    _, fields = as_json(capsys, *ASSESS, "--diagram", "paper", "--matrices")
    assert len(fields["beside"]["illness"]["published"]["nodes"]) == 16


def test_a_leaf_that_is_taken_out_or_added_counts_in_the_published_score(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each alone: ε = 2, mirrored, is HL very often, and nobody trusts the release."""
    arc = '    { from = "3", to = "effect", direction = "mirrored" },'
    own = ['schema = "leakgauge/diagram/1"', 'value = "effect"', 'privacy = ["effect"]', 'utility = ["effect"]']
    own += ["arcs = [", arc, "]", "[nodes]", 'effect = { name = "effect" }', '3 = { name = "ε", better = "lower" }']
    Path("epsilon.toml").write_text("\n".join(own), encoding="utf-8")
    _, before = as_json(capsys, *ASSESS, "--diagram", "epsilon.toml")
    other = [line for line in own if "3" not in line] + ['trust = { name = "trust", better = "higher" }']
    other.insert(other.index("arcs = [") + 1, '{ from = "trust", to = "effect", direction = "same" },')
    Path("trust.toml").write_text("\n".join(other), encoding="utf-8")
    Path("trust.csv").write_text("respondent,leaf,answer\n" + "".join(f"p{at},trust,1\n" for at in range(8)))
    _, after = as_json(capsys, *ASSESS, "--diagram", "trust.toml", "--questionnaire", "trust.csv")
    first, second = (one["beside"]["illness"]["published"] for one in (before, after))
    assert [[leaf["leaf"] for leaf in one["leaves"]] for one in (first, second)] == [["3"], ["trust"]]
    assert first["leaves"][0]["frequencies"]["HL"] == "VH" and first["score"] < 50
    # As in tests/assessment/test_published_score.py, from the other end.
    assert second["score"] == pytest.approx(100 - 239.2 / 2.9)


def test_a_limit_that_somebody_gave_decides_the_exit(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("policy.toml").write_text('min_protection = 30\nmax_epsilon = 2\ndeclared = ["purpose"]\n')
    code, _, err = run(capsys, *ASSESS, "--policy", "policy.toml")
    assert code == 1 and err == (
        "leakgauge: The release does not meet the requirements: declare its purpose; do not hand it out.\n"
    )
    code, out, _ = run(capsys, *ASSESS, "--policy", "policy.toml", "--purpose", "teaching")
    assert code == 0 and "NOT MET" not in out and "│ default policy" not in out
    assert "Limits of the default policy that yours does not set: max_surest, min_usefulness" in " ".join(out.split())
    code, _, err = run(capsys, *ASSESS, "--policy", "policy.toml", "--purpose", "x", "--releases-per-period", "12")
    assert code == 1 and "ε is 24; you allow at most 2" in err
    code, out, err = run(capsys, *ASSESS, "--min-protection", "99", *DECLARED)
    assert code == 1 and "of 100; you require 99" in err
    assert "Next step: do not hand out this release; it was not made by a job" in " ".join(out.split())
    assert [line.split("│")[5].strip() for line in out.splitlines() if "protection, at least" in line] == ["you"]


def test_a_veto_is_named_and_no_policy_lets_it_pass(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fields = json.loads(Path("audit.json").read_text())
    fields["violated"] = True
    fields["violations"] = ["the column illness shows at least 3 nats"]
    Path("violated.json").write_text(json.dumps(fields))
    violated = ("assess", "out.json", "violated.json", "--original", "people.csv")
    code, out, err = run(capsys, *violated)
    assert (code, out) == (1, "") and "violated.json was changed" in err
    Path("violated.json").write_text(sealed(fields))
    Path("lenient.toml").write_text("max_epsilon = 5\n")
    code, out, err = run(capsys, *violated, "--policy", "lenient.toml")
    assert code == 1
    assert "Veto: the column illness shows at least 3 nats." in out
    assert err.startswith("leakgauge: The release is vetoed: ")
    _, found = as_json(capsys, *violated)
    assert found["protection"]["value"] == 0


def test_more_background_never_protects_better(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, alone = as_json(capsys, *ASSESS)
    _, known = as_json(capsys, *ASSESS, "--background", "city")
    assert known["protection"]["value"] <= alone["protection"]["value"] + 1e-9
    assert ["city"] in [one["knows"] for one in known["evidence"]["illness"]["attackers"]]


def test_rows_are_another_use_than_statistics(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, shares = as_json(capsys, *ASSESS)
    _, rows = as_json(capsys, *ASSESS, "--use", "rows")
    assert (shares["use"], rows["use"]) == ("statistics", "rows")
    assert rows["usefulness"]["value"] != pytest.approx(shares["usefulness"]["value"], abs=1)
    assert rows["protection"] == shares["protection"]


def test_questionnaires_and_diagrams_are_written_and_read(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for language in ("en", "zh"):
        code, out, _ = run(capsys, "assess", "--template", f"{language}.csv", "--template-language", language)
        assert (code, out) == (0, f"Wrote {language}.csv.\n")
    assert "respondent,leaf,answer" in Path("en.csv").read_text(encoding="utf-8-sig").replace(" ", "")
    lines = [f"p{person},{leaf},{1 + (person + int(leaf)) % 5}" for person in range(8) for leaf in ("14", "15", "19")]
    Path("answers.csv").write_text("\n".join(["respondent,leaf,answer", *lines]) + "\n")
    assert run(capsys, "assess", "--write-diagram", "own.toml") == (0, "Wrote own.toml.\n", "")
    _, fields = as_json(capsys, *ASSESS, "--questionnaire", "answers.csv", "--diagram", "own.toml")
    criteria = fields["beside"]["illness"]["criteria"]
    asked = {one["key"]: one["points"] for one in criteria["criteria"]}
    assert asked["experience"] is not None and criteria["needed"]["points"] is not None
    for option, file in (("--template", "en.csv"), ("--write-diagram", "own.toml")):
        kept = Path(file).read_text(encoding="utf-8-sig")
        code, _, err = run(capsys, "assess", option, file)
        assert code == 2 and f"{file} exists" in err and Path(file).read_text(encoding="utf-8-sig") == kept
    Path("mine.csv").write_text("respondent,leaf,answer\n1,mine,5\n")
    code, _, err = run(capsys, *ASSESS, "--questionnaire", "mine.csv")
    assert code == 2 and "14, 15, 19" in err


def test_a_finished_job_says_itself_what_it_is(
    finished_job: Finished, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, fields = as_json(capsys, "assess", finished_job.folder)
    stored = json.loads((finished_job.folder / "verdict.json").read_text(encoding="utf-8"))
    assert code == 0
    assert {name: fields[name] for name in (*SCORES, "vetoes")} == {name: stored[name] for name in (*SCORES, "vetoes")}
    assert [sentence_of(one["said"]) for one in fields["actions"]] == [
        sentence_of(one["said"]) for one in stored["actions"]
    ]
    (tmp_path / "strict.toml").write_text("min_protection = 70\n")
    code, out, err = run(capsys, "assess", finished_job.folder, "--policy", tmp_path / "strict.toml")
    assert (
        code == 1 and "Next step: change " in out and "\n  leakgauge protect " in out and "│ --max-distortion " in out
    )
    assert "of 100; you require 70" in err
    for kept in (finished_job.asked.table, finished_job.folder / "verdict.json"):
        code, out, err = run(capsys, "assess", finished_job.folder, "-o", kept)
        assert (code, out) == (2, "") and "an input" in err
    code, out, err = run(capsys, "assess", finished_job.folder, "--secret", "illness")
    assert (code, out) == (2, "") and "--secret is already known for a finished job" in err


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ([], 2, "There is nothing to assess"),
        (["out.json"], 2, "needs a record and its audit"),
        (["out.json", "audit.json"], 2, "with --original"),
        (["out.json", "out.json", *ASSESS[3:]], 2, "out.json"),
        ([*ASSESS[1:], "--policy", "none.toml"], 2, "none.toml"),
        ([*ASSESS[1:], "--secret", "ilness"], 2, "does not contain ilness"),
        ([*ASSESS[1:], "-o", "audit.json"], 2, "audit.json is an input"),
        ([*ASSESS[1:], "--review", "soon"], 2, "--review 'soon' is not a date"),
        ([*ASSESS[1:], "--releases-per-period", "0"], 2, "not a finite number above 0"),
        ([*ASSESS[1:], "--diagram", "plan.toml"], 2, "plan.toml"),
        ([*ASSESS[1:], "--fuzzy", "plan.toml"], 2, "plan.toml"),
        ([*ASSESS[1:], "--target", "good"], 2, "--target was removed; use --min-protection 60 instead."),
        ([*ASSESS[1:], "--algebra", "sound"], 2, "--algebra was removed; use --diagram paper instead."),
        ([*ASSESS[1:], "--column", "illness"], 2, "--column was removed; use --secret instead."),
        (["out.json", "other.json", *ASSESS[3:]], 1, "not of this release"),
        (["."], 2, "job.json"),
    ],
)
def test_bad_input_gets_one_sentence(
    arguments: list[str], code: int, says: str, here: Path, capsys: pytest.CaptureFixture[str]
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
        ("min_protectoin = 60", "did you mean 'min_protection'"),
        ("min_protection = 600", "min_protection is 600"),
        ('max_epsilon = "one"', "max_epsilon is 'one'"),
        ("min_privacy = 50", "a limit of earlier scores; choose a limit again and set"),
        ('target_grade = "good"', "a limit of earlier scores; choose a limit again and set"),
        ("min_protection = 100\nmin_usefulness = 20", "contradict each other"),
        ("", "sets no limit"),
        ("max_epsilon", "is not TOML"),
    ],
)
def test_a_policy_with_a_fault_is_named(text: str, says: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.toml").write_text(text)
    code, _, err = run(capsys, *ASSESS, "--policy", "bad.toml")
    assert code == 2 and "bad.toml" in err and says in err


def test_stored_evidence_of_another_release_is_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    as_json(capsys, *ASSESS, "-o", "stored.json")
    fields = json.loads(Path("stored.json").read_text())
    fields["beside"]["illness"]["evidence"]["record"] = "0" * 64
    Path("stored.json").write_text(json.dumps(fields))
    code, out, err = run(capsys, *ASSESS, "--stored", "stored.json")
    assert (code, out) == (1, "") and "stored.json" in err


def test_python_takes_what_the_command_line_takes(here: Path) -> None:
    with pytest.raises(OptionError, match="There is no use 'row'; did you mean 'rows'"):
        lg.assess("out.json", "audit.json", original="people.csv", use="row")

"""A release made elsewhere, from its audit over its verdict to a report, without a record."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from pathlib import Path

import pyarrow.csv
import pytest

from leakgauge.artefacts.codec import sentence_of
from leakgauge.cli import main
from tests.audit.foreign.releases import made
from tests.cli.running import as_json, run

pytestmark = pytest.mark.usefixtures("undrawn")

AUDIT = ("audit", "--released", "theirs.csv", "--original", "people.csv", "--key", "id")
WHO = "'id' is published and identifies people (nearly all values are unique)"
ASSESS = ("assess", "out/audit.json", "--released", "theirs.csv", "--original", "people.csv")


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with a table, its release and its audit, and what the audit printed."""
    folder = tmp_path_factory.mktemp("audited")
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()) as printed:
        patch.chdir(folder)
        people, _ = made(folder, rows=1200)
        pyarrow.csv.write_csv(people, "people.csv")
        Path("out").mkdir()
        assert main([*AUDIT, "--secret", "illness", "-o", "out/audit.json"]) == 0
    return folder, printed.getvalue()


@pytest.fixture
def printed(audited: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the audit printed, in a copy of its folder."""
    folder, said = audited
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return said


def test_what_is_printed(printed: str) -> None:
    for said in ("By the key id, 1,150 rows", "of the original", "record linkage", "not tried", "There is no record"):
        assert said in printed, said


def test_from_a_file_made_elsewhere_to_a_report(printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    fields = json.loads(Path("out/audit.json").read_text())
    assert (fields["record"], fields["rows"], fields["violations"]) == (None, 1150, [])
    assert fields["epsilon_lower_bound"]["value"] > 0.5
    assert {one["target"][0] for one in fields["attacks"]} == {"illness"}

    code, fields = as_json(capsys, *ASSESS, "-o", "out/verdict.json")
    assert code == 1 and fields["recommendation"] == "do not release"
    assert [str(sentence_of(one)) for one in fields["vetoes"]] == [WHO]
    assert (fields["guarantee"], fields["deciding"]) == (None, "illness")
    code, fields = as_json(capsys, *ASSESS, "--accept-unique", "id", "-o", "out/verdict.json")
    assert code == 0 and fields["vetoes"] == [] and 10 < fields["protection"]["value"] < 80
    criteria = fields["beside"]["illness"]["criteria"]["criteria"]
    leaves = {leaf["leaf"]: leaf for one in criteria for leaf in one["leaves"]}
    assert leaves["3"]["value"] == "infinity" and 0.3 < leaves["5"]["value"] < 0.8
    assert leaves["25"]["standing"] == "missing"
    # Two in three illnesses are true; the squared error of the others is that of two letters.
    assert leaves["10"]["value"] == pytest.approx(2 * 0.3 / 0.7, abs=0.15)

    code, _, err = run(capsys, "report", "out", "--format", "md")
    assert (code, err) == (0, "")
    report = Path("out/report.md").read_text()
    for said in (
        "made elsewhere and has no record",
        "By the key id, 1,150 rows were matched",
        "identifies people",
        "The mechanism is unknown, so nothing is guaranteed.",
        "Is or contains the truth",
        "the secret itself, as it was released",
        "leakgauge audit --released theirs.csv --original TABLE --secret illness --key id",
    ):
        assert said in report, said
    # Values of the table, and promises that nobody made, are not in it.
    for said in ("cancer", "1*", "[20, 30)", "was released with noise", "cost nothing"):
        assert said not in report, said
    code, _, err = run(capsys, "report", "out", "--edition", "external")
    assert code == 2 and "has no external report" in err


def test_a_policy_holds_what_is_not_known_against_it(printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("policy.toml").write_text("max_epsilon = 5\nmax_alone = 1\n")
    code, fields = as_json(capsys, *ASSESS, "--policy", "policy.toml")
    lines = {one["name"]: one for one in fields["policy"]}
    assert code == 1 and (lines["max_epsilon"]["found"], lines["max_epsilon"]["holds"]) == (None, False)
    assert lines["max_alone"]["holds"]


def test_several_secrets_have_one_verdict(printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    two = ("--secret", "illness", "--secret", "city", "-o", "out/audit.json")
    assert run(capsys, *AUDIT, *two)[0] == 0
    _, fields = as_json(capsys, *ASSESS, "-o", "out/verdict.json")
    assert list(fields["scores"]) == list(fields["beside"]) == ["illness", "city"]
    assert run(capsys, "report", "out", "--format", "md")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--released", "theirs.csv"), "made from; name it with --original"),
        (("--released", "theirs.csv", "--original", "people.csv"), "name it with --secret"),
        (("--original", "people.csv", "--secret", "illness"), "Name one thing to audit"),
        (
            (*AUDIT[1:], "--secret", "illness", "--claim", "local-dp:1"),
            "--claim does not apply to the audit of a release made",
        ),
        ((*AUDIT[1:], "--secret", "ilness"), "did you mean 'illness'?"),
        ((*AUDIT[1:-1], "city", "--secret", "illness"), "The key 'city' repeats"),
        (("--released", "theirs.csv", "--original", "people.csv", "--secret", "illness"), "1150 rows and the original"),
        (("--released", "none.csv", "--original", "people.csv", "--secret", "illness"), "none.csv"),
        (
            ("randomized-response:epsilon=1,letters=a|b", "--key", "id"),
            "--key does not apply to the audit of a mechanism",
        ),
        ((*AUDIT[1:], "--secret", "illness", "-o", "theirs.csv"), "theirs.csv"),
    ],
)
def test_wrong_mixes_get_one_sentence(
    printed: str, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], sentence: str
) -> None:
    code, out, err = run(capsys, "audit", *arguments)
    assert (code, out) == (2, "")
    assert sentence in err and err.count("\n") == 1, err


def test_an_assessment_of_something_else_is_refused(printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    for extra, sentence in (
        (("--secret", "age"), "--secret is already known for an audit of a release made elsewhere"),
        (("--stored", "out/audit.json"), "--stored does not apply to a release made elsewhere"),
    ):
        code, _, err = run(capsys, *ASSESS, *extra)
        assert code == 2 and sentence in err
    code, _, err = run(capsys, *ASSESS[:2], *ASSESS[4:])
    assert code == 2 and "name it with --released" in err
    lines = Path("people.csv").read_text().splitlines(keepends=True)
    Path("fewer.csv").write_text("".join(lines[:-10]))
    code, _, err = run(capsys, *ASSESS[:-1], "fewer.csv")
    assert code == 1 and "audit this original" in err
    Path("theirs.csv").write_text(Path("theirs.csv").read_text() + "\n")
    code, _, err = run(capsys, *ASSESS)
    assert code == 1 and "theirs.csv is not the release that was audited" in err
    other = Path("out/verdict.json")
    other.write_text("{}")
    assert run(capsys, "report", "out")[0] == 2

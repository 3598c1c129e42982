"""Releases that ``leakgauge assess`` must not let pass, and one with missing values."""

from __future__ import annotations

from pathlib import Path

import pytest

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import sentence_of, text_of
from leakgauge.assessment import assess_release
from leakgauge.audit import attack
from leakgauge.cli import main
from leakgauge.probability import Channel
from leakgauge.probability.files import NamedChannel
from leakgauge.tables import open_table
from tests.cli.running import as_json, run


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """Two columns, the one copied by the other in four of five rows, released at ε = 1 and ε = 6."""
    monkeypatch.chdir(tmp_path)
    lines = ["xy"[at % 7 % 2] for at in range(2000)]
    copied = [value if at % 5 else "xy"[at // 5 % 2] for at, value in enumerate(lines)]
    Path("two.csv").write_text("\n".join(["a,b", *(f"{x},{y}" for x, y in zip(lines, copied, strict=True))]) + "\n")
    Path("plan.toml").write_text(
        '[columns]\na = "randomized-response:epsilon=1,letters=x|y"\nb = "randomized-response:epsilon=6,letters=x|y"\n'
    )
    assert (
        main(["release", "two.csv", "--plan", "plan.toml", "--record", "out.json", "--simulate", "1", "-o", "out.csv"])
        == 0
    )
    assert main(["audit", "out.json", "--original", "two.csv", "--secret", "a", "-o", "audit.json"]) == 0
    capsys.readouterr()
    return tmp_path


def test_a_policy_judges_the_release_and_a_column_without_attacks_is_not_safe(
    two: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("policy.toml").write_text("max_epsilon = 1\n")
    assess = ("assess", "out.json", "audit.json", "--original", "two.csv", "--column")
    code, _, err = run(capsys, *assess, "a", "--policy", "policy.toml")
    assert code == 1
    assert "max_epsilon is 7 (ε of all columns together), the limit 1" in err
    _, fields = as_json(capsys, *assess, "b")
    assert fields["grade"] in ("poor", "very-poor")
    assert "nothing is known of what attacks gain (leaf 5)" in [
        str(sentence_of(one["reason"])) for one in fields["vetoes"]
    ]


def test_a_channel_that_rules_letters_out_is_vetoed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    letters = ["a", "b", "c"]
    matrix = [[0.75, 0.25, 0.0], [0.0, 0.75, 0.25], [0.25, 0.0, 0.75]]
    Path("zeros.json").write_text(
        text_of(ChannelFile.of(NamedChannel(Channel(letters, letters, matrix), ("x",), ("x",))))
    )
    Path("x.csv").write_text("\n".join(["x,y", *(f"{letters[at * 5 // 3 % 3]},{at % 4}" for at in range(900))]) + "\n")
    Path("plan.toml").write_text('[columns]\nx = "channel:file=zeros.json"\n')
    assert (
        main(["release", "x.csv", "--plan", "plan.toml", "--record", "out.json", "--simulate", "1", "-o", "out.csv"])
        == 0
    )
    main(["audit", "out.json", "--original", "x.csv", "-o", "audit.json"])
    capsys.readouterr()
    _, fields = as_json(capsys, "assess", "out.json", "audit.json", "--original", "x.csv")
    assert "ε is infinite, which promises nothing" in [str(sentence_of(one["reason"])) for one in fields["vetoes"]]
    assert fields["grade"] in ("poor", "very-poor")
    with open_table("x.csv") as table:
        alike = assess_release("out.json", attack("out.json", table), table)
    assert alike.grade.value == fields["grade"]
    assert {veto.reason for veto in alike.vetoes} <= {sentence_of(one["reason"]) for one in fields["vetoes"]}


def test_a_release_with_missing_values_is_audited_and_graded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = (f"{('u', 'v', '?', 'u')[at * 3 % 4]},{at % 9}" for at in range(1200))
    Path("gaps.csv").write_text("\n".join(["x,y", *rows]) + "\n")
    Path("plan.toml").write_text('[columns]\nx = "randomized-response:epsilon=1,letters=this-table"\n')
    made = [
        "release",
        "gaps.csv",
        "--plan",
        "plan.toml",
        "--missing",
        "?",
        "--record",
        "out.json",
        "--simulate",
        "1",
        "-o",
        "out.csv",
    ]
    assert main(made) == 0
    assert main(["audit", "out.json", "--original", "gaps.csv", "--missing", "?", "-o", "audit.json"]) == 0
    code, out, err = run(capsys, "assess", "out.json", "audit.json", "--original", "gaps.csv", "--missing", "?")
    assert code == 0, err
    assert "Protection effect of x" in out
    assert "VETO" not in out
    code, _, err = run(capsys, "audit", "laplace:epsilon=1,sensitivity=1", "--missing", "?")
    assert code == 2
    assert "--missing is not for the audit of a mechanism" in err

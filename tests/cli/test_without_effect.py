"""Nothing a person types is without effect, and numbers from too few rows are said to be so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import run
from tests.jobs.people import write_people

PROTECT = ("protect", "people.csv", "--secret", "illness", "--max-distortion", "0.2", "--simulate", "3", "-o", "out")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_people(tmp_path / "people.csv", 60)
    (tmp_path / "plan.toml").write_text('[columns]\nillness = "randomized-response:epsilon=1,letters=this-table"\n')
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((*PROTECT, "--dataset", "people"), "no ledger is given"),
        (("release", "people.csv", "--plan", "plan.toml", "--dataset", "people", "-o", "o.csv"), "no ledger is given"),
        ((*PROTECT, "--bins", "age=width:10"), "has no role here"),
        (("report", "out", "--limit", "50"), "say --edition external"),
        (("report", "out", "-o", "report.docx"), "does not end in .html, .md or .pdf"),
        (("audit", "--program", "cat", "--claim", "local-dp:1", "--inputs", "a", "a"), "two different inputs"),
    ],
)
def test_what_would_be_ignored_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], sentence: str
) -> None:
    before = set(here.iterdir())
    code, _, err = run(capsys, *arguments)
    assert code == 2 and sentence in err
    assert len(err.strip().splitlines()) == 1
    assert set(here.iterdir()) == before


def test_too_few_rows_are_said_to_be_too_few(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, shown, _ = run(capsys, *PROTECT, "--background", "age")
    assert "the attacker learns" in shown and "Too small to tell" in shown


def test_a_program_without_noise_has_none_that_could_repeat(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    audit = ("audit", "--program", "cat", "--claim", "local-dp:100", "--inputs", "a", "b", "--samples", "400")
    _, shown, _ = run(capsys, *audit)
    assert "without noise ε is infinite" in shown.replace("\n", " ")
    assert "fresh noise" not in shown

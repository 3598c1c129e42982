"""A veto is said with its reason wherever a grade is shown, is never taken for the lowest score, and means no."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from leakgauge.artefacts import Request
from leakgauge.artefacts.codec import sentence_of
from leakgauge.cli import main
from leakgauge.errors import RefusalError
from leakgauge.jobs.assess import read_audit
from leakgauge.jobs.protect import protect
from leakgauge.languages import ENGLISH
from leakgauge.web.job import Job
from tests.cli.running import run
from tests.jobs.people import write_people

REASON = "ε is infinite, which promises nothing"
LOWEST = "the lowest of"
ASKED = ("--secret", "illness", "--max-distortion", "0", "--simulate", "3")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The finished job of a column released as it is: the data themselves, so that ε is infinite."""
    place = tmp_path_factory.mktemp("refused")
    write_people(place / "people.csv", 200)
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(["protect", str(place / "people.csv"), *ASKED, "-o", str(place / "out")]) == 1
    return place


def graded(folder: Path) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads((folder / "out/assessment.json").read_text(encoding="utf-8"))
    return fields


def test_protect_says_the_veto_and_exits_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # What is finished is kept: the answer is no every time it is asked.
    code, out, err = run(capsys, "protect", str(folder / "people.csv"), *ASKED, "-o", str(folder / "out"))
    assert code == 1
    assert graded(folder)["grade_uncapped"] == "medium"
    assert "poor, by a veto; medium without it" in out
    for veto in graded(folder)["vetoes"]:
        assert f"VETO: {sentence_of(veto['reason'])}." in out
    assert LOWEST not in out
    assert REASON in err
    assert err.splitlines()[-1].startswith("leakgauge: A veto stands against the release: ")


def test_protect_says_it_in_chinese(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chinese = ("--language", "zh", "--report-language", "en")
    code, out, err = run(capsys, "protect", str(folder / "people.csv"), *ASKED, *chinese, "-o", str(folder / "out"))
    assert code == 1
    assert "否决：ε 为无穷大" in out
    assert "veto" not in (out + err).lower()


def test_python_refuses_too(folder: Path) -> None:
    asked = Request(str(folder / "people.csv"), ("illness",), max_distortion=0.0, simulate=3, report_language="en")
    done = protect(asked, folder / "out")
    with pytest.raises(RefusalError, match=REASON):
        done.require()
    assert done.released is True
    assert done.job.outcome is not None and REASON in str(done.job.outcome.reason)
    assert done.job.headline is not None and REASON in map(str, done.job.headline.vetoes)


def test_the_page_says_no_and_does_not_hand_the_release_out(folder: Path) -> None:
    job = Job.kept("out", folder, "out")
    assert job is not None
    fields: dict[str, Any] = job.fields(ENGLISH)
    assert fields["state"] == "refused"
    assert REASON in fields["message"]
    assert REASON in fields["headline"]["vetoes"]
    assert not {"release.csv", "release.json"} & set(fields["files"])


def test_the_report_opens_with_the_veto(folder: Path) -> None:
    text = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert "graded poor, by a veto. Without it the grade would be medium:" in text.replace("\n", " ")
    assert f"Veto: {REASON}" in text
    statement = text[: text.index("Approved by")]
    assert LOWEST not in statement.lower()


def test_assess_says_the_veto(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "out"
    code, shown, err = run(
        capsys, "assess", str(out / "release.json"), str(out / "audit.json"), "--original", str(folder / "people.csv")
    )
    assert code == 1
    assert "by a veto; medium without it" in shown
    assert f"VETO: {REASON}; the grade is at most poor." in shown
    assert LOWEST not in shown
    assert REASON in err


def test_an_accusation_in_doubt_is_shown_and_is_no_veto(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At a confidence of 30 % a right release is accused often; this seed is one."""
    write_people(tmp_path / "people.csv", 1000)
    out = tmp_path / "out"
    asked = ("--secret", "illness", "--mechanism", "randomized-response:epsilon=1", "--simulate", "17")
    code, shown, _ = run(capsys, "protect", str(tmp_path / "people.csv"), *asked, "--confidence", "0.3", "-o", str(out))
    (accused,) = map(str, read_audit(out / "audit.json").violations)
    assert "local-dp:1 is claimed" in accused
    assert code == 0
    assert "VETO" not in shown
    report = (out / "report.html").read_text(encoding="utf-8")
    assert f"at its confidence and not beyond doubt: {accused}" in report
    assert "does not keep what it claims" not in report

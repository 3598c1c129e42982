"""``leakgauge protect``, ``report`` and ``demo`` from the command line."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from leakgauge.artefacts import Request
from leakgauge.artefacts.verdict import Recommendation
from leakgauge.jobs.assess import read_audit
from leakgauge.jobs.protect import NAMES
from leakgauge.languages import ENGLISH
from leakgauge.release.ledger import open_ledger
from leakgauge.telling.actions import given_out
from leakgauge.telling.blocks import text_of
from leakgauge.telling.outcome import report_command
from leakgauge.telling.voice import Voice
from tests.cli.running import as_json, run
from tests.jobs.finished import ROWS, Finished
from tests.jobs.people import write_people
from tests.jobs.stubs import stubbed

PROTECT = ("protect", "people.csv", "--secret", "illness", "--background", "city", "--simulate", "3")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_people(tmp_path / "people.csv", ROWS)
    return tmp_path


def numbers(text: str) -> list[str]:
    return sorted(re.findall(r"\d+(?:\.\d+)?", text))


def test_a_job_in_both_languages_shows_the_same_numbers(
    here: Path, capsys: pytest.CaptureFixture[str], finished_job: Finished
) -> None:
    with stubbed(finished_job.folder):
        code, english, told = run(capsys, *PROTECT, "--max-distortion", "0.2", "--report-language", "en", "-o", "out")
    assert code == 0, told
    assert [line.partition(":")[2].strip() for line in told.splitlines()] == ["done"] * len(NAMES)
    # The verdict, its reasons and the command to go on with are the last that a screen shows.
    verdict = english[english.index("\nRecommendation: do not release.\n· ") :]
    assert verdict.index("· protection is ") < verdict.index("\nNext step: change ") < verdict.index(" -o out-2\n")
    assert "\n  leakgauge protect " in verdict
    assert "Leakage of the secret" in english and "usefulness" in english
    assert "SIMULATION, NOT PRIVATE" in english
    code, chinese, again = run(
        capsys, *PROTECT, "--max-distortion", "0.2", "--report-language", "en", "-o", "out", "--language", "zh"
    )
    assert code == 0
    assert len(again.splitlines()) == len(NAMES)
    assert "泄露" in chinese
    assert numbers(chinese) == numbers(english)
    # Commands to copy are code, and so are options with their columns.
    lines = (line for line in chinese.splitlines() if " leakgauge " not in line and "：leakgauge " not in line)
    prose = re.sub(r"--\w+ \S+", "", "\n".join(lines))
    assert not re.search(r"[a-z]{3,} [a-z]{3,}", prose)


@pytest.mark.usefixtures("undrawn")
def test_cells_that_a_mechanism_leaves_blank_are_counted(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sampled = "sampled-randomized-response:epsilon=2,sampling_probability=0.4"
    code, out, told = run(
        capsys, "protect", "people.csv", "--secret", "illness", "--simulate", "3", "--mechanism", sampled, "-o", "out"
    )
    assert code == 0, told
    with Path("out/release.csv").open(encoding="utf-8", newline="") as file:
        blank = sum(row["illness"] == "" for row in csv.DictReader(file))
    assert 0.5 * ROWS < blank < 0.7 * ROWS
    said = (
        f"{blank:,} of {ROWS:,} cells of illness are blank: the mechanism chooses at random which rows release a value"
    )
    assert said in " ".join(out.split())
    assert said in Path("out/kit/README.md").read_text(encoding="utf-8")
    for edition in ("internal", "external"):
        assert run(capsys, "report", "out", "--edition", edition, "-o", f"{edition}.md")[0] == 0
        assert said in Path(f"{edition}.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("undrawn")
def test_the_answer_may_be_no(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *PROTECT, "--max-leakage", "0.000001", "-o", "no", "--json")
    assert code == 1
    # The job is the answer, and why it is no is beside it.
    assert not json.loads(out)["outcome"]["released"]
    said = json.loads(err.splitlines()[-1])
    assert (said["kind"], said["exit"]) == ("RefusalError", 1)
    assert "Nothing was released" in Path("no/report.html").read_text(encoding="utf-8")
    code, out, err = run(capsys, *PROTECT, "--max-distortion", "0.2", "--min-protection", "60", "-o", "strict")
    assert code == 1
    # What the job promises is refused before anything is drawn, with the first thing that would change it.
    assert out.startswith("Nothing was released.\n") and "\nRecommendation: do not release.\n" in out
    assert (
        "A limit is not met: protection is " in out
        and "Next step: change " in out
        and " -o strict-2" in out.splitlines()[-1]
        and not Path("strict/release.csv").exists()
    )
    assert err.splitlines()[-1].startswith("leakgauge: The release would not meet the requirements: protection is ")


@pytest.mark.usefixtures("undrawn")
def test_strictly_what_is_not_recommended_fails(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = (*PROTECT, "--max-distortion", "0.2", "-o", "advised")
    code, out, err = run(capsys, *command, "--strict")
    assert code == 1 and "\nRecommendation: do not release.\n" in out
    assert err.splitlines()[-1].startswith("leakgauge: The release is not recommended: it is a simulation")
    # Everything is written but what recipients get, and the same job without the switch keeps it.
    written = {path.name for path in Path("advised").iterdir()}
    assert {"release.csv", "verdict.json", "report.html"} <= written and "kit" not in written
    release = Path("advised/release.csv").read_bytes()
    assert run(capsys, *command)[0] == 0
    assert Path("advised/release.csv").read_bytes() == release and Path("advised/kit").is_dir()
    code, _, err = run(capsys, "assess", "advised", "--strict")
    assert code == 1 and err.splitlines()[-1].startswith("leakgauge: The release is not recommended: ")


@pytest.mark.usefixtures("undrawn")
def test_an_accounted_job_designs_from_what_it_bought(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "ledger", "open", "l.db", "--dataset", "people", "--epsilon", "30")[0] == 0
    paid = ("--ledger", "l.db", "--accounted", "5", "--max-distortion", "0.3", "-o", "out")
    code, fields = as_json(capsys, *PROTECT[:-2], *paid)
    assert (code, fields["outcome"]["released"]) in ((0, True), (1, True))
    record = json.loads(Path("out/release.json").read_text(encoding="utf-8"))
    assert record["plan"]["columns"]["illness"]["channel_prior"] == "noisy histogram"
    assert record["budget"]["ledger"]["dataset"] == "people"
    with open_ledger("l.db") as ledger:
        # The histogram and the release.
        assert ledger.spent("people").epsilon == pytest.approx(5 + record["budget"]["epsilon"]["value"])


def test_a_report_is_written_again_in_other_forms(
    here: Path, capsys: pytest.CaptureFixture[str], finished_job: Finished
) -> None:
    shutil.copytree(finished_job.folder, "out")
    for options, file in (
        (("--edition", "external", "--report-language", "both"), "out/report-external.html"),
        (("-o", "r.md"), "r.md"),
        (("-o", "r.pdf", "--report-language", "zh"), "r.pdf"),
    ):
        code, out, err = run(capsys, "report", "out", *options)
        assert (code, out) == (0, f"Report: {file}\n"), err
        assert Path(file).stat().st_size > 5000
    both = Path("out/report-external.html").read_text(encoding="utf-8")
    assert 'lang="en"' in both
    assert 'lang="zh' in both
    assert Path("r.pdf").read_bytes().startswith(b"%PDF")
    code, fields = as_json(capsys, "report", "out")
    assert (code, fields["schema"]) == (0, "leakgauge/report/1")
    # To standard output, where nothing but the report is written.
    run(capsys, "report", "out", "-o", "r.html")
    assert run(capsys, "report", "out", "-o", "-") == (0, Path("r.html").read_text(encoding="utf-8"), "")
    assert run(capsys, "report", "out", "-o", "-", "--format", "md")[1] == Path("r.md").read_text(encoding="utf-8")
    code, out, _ = run(capsys, "report", "out", "--json", "-o", "-")
    assert (code, json.loads(out)) == (0, fields) and not Path("-").exists()
    code, out, err = run(capsys, "report", "out", "-o", "-", "--open")
    assert (code, out) == (2, "") and "--open shows a file" in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("report", "nothing"), "not a folder"),
        (("report", "."), "neither a job.json nor a release.json"),
        ((*PROTECT, "-o", "out"), "No target"),
        ((*PROTECT, "--target", "good", "-o", "out"), "--target was removed; use --min-protection 60 instead."),
        ((*PROTECT, "--min-protection", "600", "-o", "out"), "runs from 0 to 100"),
        ((*PROTECT, "--background", "illness", "--max-distortion", "0.2", "-o", "out"), "both as secret"),
        ((*PROTECT, "--max-distortion", "0.2", "-o", "people.csv"), "is a file"),
        ((*PROTECT, "--max-distortion", "0.2", "--policy", "none.toml", "-o", "out"), "none.toml"),
        ((*PROTECT, "--max-distortion", "0.2", "--distortion", "none.csv", "-o", "out"), "none.csv"),
        ((*PROTECT, "--max-distortion", "0.2", "--bins", "age=width:10", "-o", "out"), "no role here"),
        (("protect", "gone.csv", "--secret", "x", "--max-distortion", "0.2", "-o", "out"), "gone.csv"),
    ],
)
def test_bad_input_gets_one_sentence(
    arguments: tuple[str, ...], says: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, ""), err
    assert err.startswith("leakgauge: ")
    assert says in err
    assert err.count("\n") == 1
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("recommendation", "said"),
    [
        (Recommendation.RELEASE, "Next step: give release.csv, kit to the recipient; keep everything else private."),
        (Recommendation.RELEASE_IF, "Once the conditions are met, give release.csv, kit to the recipient;"),
        (Recommendation.DO_NOT_RELEASE, "Do not hand out anything yet: release.csv, kit were written;"),
    ],
)
def test_files_are_to_be_handed_out_as_recommended(recommendation: Recommendation, said: str) -> None:
    job: Any = SimpleNamespace(shareable=("release.csv", "kit"))
    verdict: Any = SimpleNamespace(recommendation=recommendation)
    (sentence,) = given_out(Voice(), verdict, job)
    assert isinstance(sentence, tuple) and text_of(sentence, ENGLISH).startswith(said)


@pytest.mark.parametrize(("language", "option"), [("en", ""), ("zh", " --report-language zh")])
def test_the_report_to_sign_is_in_the_language_of_the_job(language: str, option: str) -> None:
    asked = Request.of("people.csv", secret=("illness",), max_distortion=0.2, report_language=language)
    assert report_command(Path("out"), asked) == f"leakgauge report out --format pdf{option}"


def test_the_demo_ends_with_the_report_and_the_numbers_that_matter(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "demo", "-o", "new/demo")
    assert code == 0
    assert "\nRecommendation: release.\n" in out
    for words in ("protection", "surest", "usefulness", "ε", "Strongest attack", "left unchanged"):
        assert words in out
    assert "Report: new/demo/report.html\n" in out
    assert out.splitlines()[-1] == "  leakgauge report new/demo --format pdf"
    assert Path("new/demo/report.html").exists()
    # It asks what the first command of the README asks, so that both have the same numbers.
    readme = Path(__file__).parents[2].joinpath("README.md").read_text(encoding="utf-8").splitlines()
    first = next(line for line in readme if line.startswith("$ leakgauge protect "))
    asked = json.loads(Path("new/demo/job.json").read_text(encoding="utf-8"))["command"]
    shown, demo = (shlex.split(command[: command.index(" --purpose ")]) for command in (first[2:], asked))
    assert shown[3:] == demo[3:]
    code, out, _ = run(capsys, "demo", "--sample", "adult.csv")
    assert (code, out) == (0, "Wrote adult.csv.\n")
    assert len(Path("adult.csv").read_text().splitlines()) == 30719


@pytest.mark.usefixtures("undrawn")
def test_several_secrets_have_a_line_each(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = ("--secret", "city", "--max-distortion", "0.4", "-o", "both")
    code, out, _ = run(capsys, *PROTECT[:4], *both, "--simulate", "3")
    assert code == 0
    table = out[out.index("Every secret") :]
    assert [name for name in ("illness", "city") if f"│ {name} " in table] == ["illness", "city"]
    assert "all of them" in table


@pytest.mark.usefixtures("undrawn")
def test_an_accusation_in_doubt_is_no_veto(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At a confidence of 30 % a right release is accused often; this seed is one."""
    write_people(here / "people.csv", 1000)
    asked = ("--secret", "illness", "--mechanism", "randomized-response:epsilon=1", "--simulate", "17")
    code, out, _ = run(capsys, "protect", "people.csv", *asked, "--confidence", "0.3", "-o", "out")
    (accused,) = map(str, read_audit(here / "out/audit.json").violations)
    assert "local-dp:1 is claimed" in accused
    assert code == 0 and "Veto: " not in out
    # The folder says so later on too.
    code, out, _ = run(capsys, "assess", "out")
    assert code == 0 and "Veto: " not in out

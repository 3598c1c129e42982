"""``leakgauge serve`` itself: what it refuses, how it opens the browser, how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leakgauge.artefacts import Ended, JobEvent, Request
from leakgauge.jobs.protect import NAMES
from leakgauge.languages import ENGLISH
from leakgauge.web.job import Job
from leakgauge.web.jobs import event_in
from leakgauge.web.server import new_token
from tests.cli.running import run
from tests.jobs.finished import Finished
from tests.jobs.people import write_people
from tests.web.serving import Started
from tests.web.tables import folder_with_people

Serving = Callable[..., Started]


def _run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "leakgauge", "serve", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
    )


def test_tokens_have_128_bits_and_differ() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100 and all(re.fullmatch(r"[0-9a-f]{32}", token) for token in tokens)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["nowhere"], "There is no folder"),
        ([".", "--port", "70000"], "Port 70000 is not from 0 to 65535"),
        ([".", "--port", "-1"], "Port -1"),
        ([".", "--max-upload", "0"], "--max-upload 0"),
    ],
)
def test_misuse_is_one_sentence(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, told = run(capsys, "serve", *options, "--no-browser")
    assert (code, out) == (2, "")
    assert said in told and told.count("\n") == 1


def test_a_port_in_use_is_told(serving: Serving, tmp_path: Path) -> None:
    first = serving(folder_with_people(tmp_path))
    done = _run(str(tmp_path), "--no-browser", "--port", str(first.port))
    assert done.returncode == 2 and f"Port {first.port} cannot be used" in done.stderr


def test_a_port_can_be_chosen_and_used_again_at_once(serving: Serving, tmp_path: Path) -> None:
    first = serving(folder_with_people(tmp_path))
    assert first.get("/").status == 200
    assert first.stop() == 0
    again = serving(tmp_path, "--port", str(first.port))
    assert again.port == first.port and again.token != first.token and again.get("/").status == 200


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_with_one_line_and_nothing_left(serving: Serving, tmp_path: Path, number: int) -> None:
    server = serving(folder_with_people(tmp_path))
    assert server.drop("x.csv", (tmp_path / "people.csv").read_bytes()).status == 200
    assert list(server.temporary.iterdir())
    # A closed terminal ends it like a request to end, in the way that shells tell of.
    assert server.stop(number) == (0 if number == signal.SIGINT else 128 + signal.SIGTERM)
    assert list(server.temporary.iterdir()) == []
    assert server.process.stderr is not None and server.process.stderr.read() == ""


def test_nothing_is_written_before_a_job(serving: Serving, tmp_path: Path) -> None:
    server = serving(folder_with_people(tmp_path))
    assert server.seconds < 2, "the address is printed at once"
    server.open("people.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_under_nohup_it_goes_on_when_its_terminal_is_closed(serving: Serving, tmp_path: Path) -> None:
    server = serving(folder_with_people(tmp_path), hung_up=signal.SIG_IGN)
    server.process.send_signal(signal.SIGHUP)
    assert server.get("/").status == 200
    assert server.stop() == 0


def test_the_browser_is_opened_by_a_private_file_so_that_no_process_shows_the_token(tmp_path: Path) -> None:
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\nfor one in "$@"; do echo "$one"; done > {seen}.part\nmv {seen}.part {seen}\n', encoding="utf-8"
    )
    browser.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "leakgauge", "serve", str(folder_with_people(tmp_path / "data"))],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "DISPLAY": ":0", "BROWSER": f"{browser} %s", "TMPDIR": str(tmp_path)},
    )
    try:
        assert process.stdout is not None
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address is not None
        for _ in range(300):
            if seen.exists():
                break
            time.sleep(0.1)
        opened = seen.read_text(encoding="utf-8").strip()
        assert opened.startswith("file://") and "token" not in opened
        door = Path(opened.removeprefix("file://"))
        assert address[0] in door.read_text(encoding="utf-8")
        assert stat.S_IMODE(door.parent.stat().st_mode) == 0o700
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
        process.stdout.close()  # type: ignore[union-attr]
    assert not door.parent.exists()


def test_it_speaks_chinese(tmp_path: Path) -> None:
    done = _run(str(tmp_path / "nowhere"), "--no-browser", LEAKGAUGE_LANGUAGE="zh")
    assert done.returncode == 2 and any("\u4e00" <= letter <= "\u9fff" for letter in done.stderr)


def test_jobs_of_the_command_line_are_listed_and_what_is_none_is_not(
    serving: Serving, tmp_path: Path, finished_job: Finished
) -> None:
    results = tmp_path / "results"
    ended = json.loads((finished_job.folder / "job.json").read_text(encoding="utf-8"))
    measured = ended["stages"]["measure"]
    for name, fields in {
        "ended": ended,
        "begun": {**ended, "stages": {"measure": measured}, "outcome": None},
        "outside": {**ended, "stages": {"measure": {**measured, "outputs": {"../x": ""}}}},
        # Each of these once took the whole page with it.
        "stages": {**ended, "stages": {"measure": "x", "design": {"outputs": 3}, "assess": {"outputs": {"n.json": 1}}}},
        "odd": [],
        "other": {**ended, "schema": "other"},
        "unasked": {**ended, "asked": {"table": "people.csv"}},
    }.items():
        (results / name).mkdir(parents=True)
        (results / name / "job.json").write_text(json.dumps(fields), encoding="utf-8")
    (results / "unread").mkdir()
    (results / "unread" / "job.json").write_text(json.dumps(ended), encoding="utf-8")
    (results / "unread" / "verdict.json").write_text('{"scores": 3}', encoding="utf-8")
    (results / "empty").mkdir()
    (results / "away").symlink_to(results / "ended")
    (results / "gone").symlink_to(results / "nowhere")
    (results / "broken.json").write_text("{", encoding="utf-8")
    (results / "strange.json").write_text(
        '{"schema": "leakgauge/page-job/1", "asked": 3, "message": 4}', encoding="utf-8"
    )
    server = serving(folder_with_people(tmp_path / "data"), results=results)
    listed = {one["id"]: one for one in server.get("/api/state").fields["jobs"]}
    states = {"ended": "done", "begun": "stopped", "unread": "done"}
    assert {key: one["state"] for key, one in listed.items()} == states
    assert not any(one["started_here"] for one in listed.values())
    assert listed["ended"]["asked"]["table"] == "people.csv" and listed["ended"]["files"] == ["job.json"]
    assert listed["begun"]["stages"][1]["state"] == "done" and listed["begun"]["files"] == ["job.json"]
    assert server.get("/jobs/begun/files/..%2fx").status == 404
    # Without its verdict a job shows the rest.
    assert server.get("/api/jobs/unread/result").status == server.get("/api/jobs/ended/result").status == 200


def test_lines_that_are_no_events_say_nothing(tmp_path: Path) -> None:
    for line in (b"", b"Traceback", b"[]", b"3", b'{"stage": "audit", "state": "no"}', b'{"outcome": {}}'):
        assert event_in(line) is None
    request = Request.of("people.csv", secret=("illness",), max_distortion=0.2)
    job = Job("x", tmp_path, {"table": "people.csv"}, request, "x")
    before = job.fields(ENGLISH)
    job.hear(JobEvent("no", "started"))
    assert job.fields(ENGLISH) == before
    working = event_in(b'{"stage": "audit", "state": "working", "done": 2, "total": 5}')
    assert working == JobEvent("audit", "working", 2, 5)
    job.hear(working)
    fields: dict[str, Any] = job.fields(ENGLISH)
    stage = fields["stages"][4]
    assert stage.pop("seconds") < 60
    assert {"name": "audit", "state": "running", "done": 2, "total": 5}.items() <= stage.items()
    ended = event_in(b'{"code": 1, "reason": {"template": "No {thing!r}.", "fields": {"thing": "x"}}}')
    assert isinstance(ended, Ended)
    job.hear(ended)
    job.end(1, stopped=False)
    assert job.state == "refused" and str(job.message) == "No 'x'."


def test_a_jobs_process_tells_events_and_how_it_ended(tmp_path: Path) -> None:
    write_people(tmp_path / "people.csv", 300)
    asked = {"table": "people.csv", "secret": ["illness"], "background": ["city"], "simulate": 3}
    goals: tuple[dict[str, object], ...] = ({"max_leakage": 1e-6}, {"max_distortion": 0.2, "bins": ["age=width:10"]})
    for code, goal in enumerate(goals, 1):
        command = [sys.executable, "-m", "leakgauge.web.worker", "protect", f"out{code}"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path) as process:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps({**asked, **goal}).encode() + b"\n")
            process.stdin.flush()
            *steps, last = [event_in(line) for line in process.stdout]
        assert process.returncode == code
        assert isinstance(last, Ended) and last.code == code and last.reason is not None
        assert all(isinstance(one, JobEvent) for one in steps)
        if code == 1:
            ends = [one for one in steps if isinstance(one, JobEvent) and one.state in ("finished", "skipped")]
            assert [one.stage for one in ends] == list(NAMES)
            assert any(isinstance(one, JobEvent) and 0 < one.done <= one.total for one in steps)

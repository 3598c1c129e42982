"""The main job: everything in one folder, each stage kept, whatever happens on the way."""

from __future__ import annotations

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leakgauge.cli import main
from leakgauge.errors import FileError, OptionError, RefusalError, TableError
from leakgauge.jobs.protect import NAMES, Asked, protect
from leakgauge.report.facts import Facts
from leakgauge.tables import open_table
from tests.jobs.people import write_people


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    """A job on a small table, with noise of a seed so that the same comes out again."""
    table = write_people(tmp_path / "people.csv")
    return Asked(str(table), "illness", ("city",), max_distortion=0.2, simulate=3)


class Told:
    """Every step of a job, in order."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, str]] = []

    def __call__(self, stage: str, state: str, done: int = 0, total: int = 0, /) -> None:
        if state != "working":
            self.steps.append((stage, state))

    def states(self) -> dict[str, str]:
        return dict(self.steps)


def test_a_table_becomes_a_release_with_its_audit_grade_and_report(asked: Asked, tmp_path: Path) -> None:
    told = Told()
    done = protect(asked, tmp_path / "out", progress=told)
    done.require()
    assert told.steps == [(stage, state) for stage in NAMES for state in ("started", "finished")]
    assert done.fields["outcome"] == {"released": True, "reason": None}
    assert done.fields["withheld"] == ["name", "age"]
    with open_table(str(tmp_path / "out" / "release.csv")) as released:
        assert [one.name for one in released.columns()] == ["city", "illness", "not_private"]
        assert released.rows == 2000
    found = done.fields["headline"]
    after, floor = found["leakage_after"]["value"], found["floor"]["value"]
    assert floor < after < found["leakage_before"]["value"]
    assert found["unchanged"]["value"] == pytest.approx(0.8)
    assert found["grade"] in ("very-poor", "poor", "medium", "good", "very-good")
    for edition in ("report.html", "report-external.html"):
        assert "</html>" in (tmp_path / "out" / edition).read_text(encoding="utf-8")


def test_every_number_of_the_report_stands_in_a_file_of_the_folder(asked: Asked, tmp_path: Path) -> None:
    protect(asked, tmp_path / "out")
    facts = Facts.read(tmp_path / "out")
    twin = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    numbers = list(_numbers(twin))
    assert len(numbers) > 150
    for one in numbers:
        stored = facts.resolve(one["source"])
        assert stored == one["value"] or float(stored) == pytest.approx(float(one["value"])), one["source"]


def _numbers(data: Any) -> list[dict[str, Any]]:
    if isinstance(data, dict):
        if "source" in data and "value" in data:
            return [data]
        return [one for value in data.values() for one in _numbers(value)]
    return [one for value in data for one in _numbers(value)] if isinstance(data, list) else []


def test_a_job_stopped_in_every_stage_goes_on_where_it_was(asked: Asked, tmp_path: Path) -> None:
    for stage in NAMES:
        told = Told()

        def stop(name: str, state: str, done: int = 0, total: int = 0, /, last: str = stage, told: Told = told) -> None:
            told(name, state)
            if (name, state) == (last, "started"):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            protect(asked, tmp_path / "out", progress=stop)
        # Of the stages before, only the one that the last run was stopped in is done in this one.
        before = NAMES[: NAMES.index(stage)]
        assert told.states() == {
            **dict.fromkeys(before[:-1], "kept"),
            **dict.fromkeys(before[-1:], "finished"),
            stage: "started",
        }
    told = Told()
    done = protect(asked, tmp_path / "out", progress=told)
    assert done.fields["outcome"]["released"]
    assert told.states() == {**dict.fromkeys(NAMES[:-1], "kept"), "report": "finished"}


def test_a_finished_job_is_not_done_again(asked: Asked, tmp_path: Path) -> None:
    protect(asked, tmp_path / "out")
    before = {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir() if file.name != "job.json"}
    told = Told()
    protect(asked, tmp_path / "out", progress=told)
    assert set(told.states().values()) == {"kept"}
    assert before == {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir() if file.name != "job.json"}


def test_what_was_changed_in_the_folder_is_made_again_and_all_that_rests_on_it(asked: Asked, tmp_path: Path) -> None:
    protect(asked, tmp_path / "out")
    audit = tmp_path / "out" / "audit.json"
    audit.write_text(audit.read_text(encoding="utf-8").replace('"violated": false', '"violated": true'))
    told = Told()
    protect(asked, tmp_path / "out", progress=told)
    kept = ("measure", "design", "release")
    assert told.states() == {name: "kept" if name in kept else "finished" for name in NAMES}
    assert '"violated": true' not in audit.read_text(encoding="utf-8")


KILLED = """
import sys
from leakgauge.jobs.protect import Asked, protect
protect(Asked(sys.argv[1], "illness", ("city",), max_distortion=0.2, simulate=3), sys.argv[2])
"""


def test_a_job_killed_at_random_instants_completes_in_the_end(asked: Asked, tmp_path: Path) -> None:
    draw = random.Random(7)
    command = [sys.executable, "-c", KILLED, asked.table, str(tmp_path / "out")]
    for _ in range(6):
        process = subprocess.Popen(command)
        time.sleep(0.7 + 2.5 * draw.random())
        process.send_signal(signal.SIGKILL)
        process.wait()
        # Nothing half written has a name.
        for file in (tmp_path / "out").glob("*.json"):
            json.loads(file.read_text(encoding="utf-8"))
    done = protect(asked, tmp_path / "out")
    assert done.fields["outcome"]["released"]
    assert (tmp_path / "out" / "report.html").exists()


def test_a_table_that_changes_meanwhile_is_refused(asked: Asked, tmp_path: Path) -> None:
    def change(stage: str, state: str, done: int = 0, total: int = 0, /) -> None:
        if (stage, state) == ("audit", "started"):
            with Path(asked.table).open("a", encoding="utf-8") as file:
                file.write("p,A,flu,30\n")

    with pytest.raises(TableError, match="was changed while the job was at work"):
        protect(asked, tmp_path / "out", progress=change)
    with pytest.raises(FileError, match="holds another job"):
        protect(asked, tmp_path / "out")
    assert protect(asked, tmp_path / "out", overwrite=True).fields["table"]["rows"] == 2001


def test_two_jobs_in_one_folder_do_not_meet(asked: Asked, tmp_path: Path) -> None:
    at_work, may_go = threading.Event(), threading.Event()

    def wait(stage: str, state: str, done: int = 0, total: int = 0, /) -> None:
        at_work.set()
        assert may_go.wait(60)

    first = threading.Thread(target=lambda: protect(asked, tmp_path / "out", progress=wait))
    first.start()
    try:
        assert at_work.wait(60)
        with pytest.raises(OptionError, match="Another job is at work"):
            protect(asked, tmp_path / "out")
    finally:
        may_go.set()
        first.join()
    assert (tmp_path / "out" / "report.html").exists()


def test_a_folder_of_something_else_stays_as_it_is(asked: Asked, tmp_path: Path) -> None:
    protect(asked, tmp_path / "out")
    other = replace(asked, max_distortion=0.3)
    with pytest.raises(FileError, match="holds another job"):
        protect(other, tmp_path / "out")
    assert json.loads((tmp_path / "out" / "job.json").read_text())["asked"]["max_distortion"] == 0.2
    assert protect(other, tmp_path / "out", overwrite=True).fields["asked"]["max_distortion"] == 0.3
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(FileError, match="is not empty"):
        protect(asked, tmp_path / "mine")
    with pytest.raises(FileError, match="is a file"):
        protect(asked, Path(asked.table))


@pytest.mark.parametrize(
    ("change", "says", "files"),
    [
        ({"max_distortion": None, "max_leakage": 1e-6}, "the background alone tells", {"frontier.json"}),
        ({"max_distortion": None, "target": "very-good"}, "No setting reaches", {"improvement.json"}),
        (
            {"mechanism": ("randomized-response:epsilon=0.1",), "max_distortion": 0.1},
            "None of 1 mechanisms meets",
            {"comparison.json"},
        ),
    ],
)
def test_where_nothing_meets_the_target_the_report_says_what_is_possible(
    change: dict[str, object], says: str, files: set[str], asked: Asked, tmp_path: Path
) -> None:
    told = Told()
    done = protect(replace(asked, **change), tmp_path / "out", progress=told)  # type: ignore[arg-type]
    with pytest.raises(RefusalError, match=says):
        done.require()
    assert not done.fields["outcome"]["released"]
    assert says in done.fields["outcome"]["reason"]
    assert told.states()["release"] == "skipped"
    written = {file.name for file in (tmp_path / "out").iterdir()}
    assert files | {"measurement.json", "report.html"} <= written
    assert files <= set(done.fields["stages"]["design"]["outputs"])
    assert not any(name.startswith("release") for name in written)
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Nothing was released" in report


@pytest.mark.parametrize(
    ("change", "mechanism"),
    [
        ({"local_dp": 2.0, "max_distortion": None}, "channel"),
        # At this ε the least distorting channel always says the commonest value.
        ({"local_dp": 0.2, "max_distortion": None}, "randomized-response"),
        ({"local_dp": 3.0, "max_distortion": 0.25}, "channel"),
        ({"mechanism": ("randomized-response:epsilon=4", "randomized-response:epsilon=3")}, "randomized-response"),
        ({"mechanism": ("exponential:epsilon=7",)}, "channel"),
        ({"mechanism": ("randomized-response:epsilon=3",), "max_distortion": None}, "randomized-response"),
        ({"target": "poor", "max_distortion": None, "background": ()}, ""),
        ({"max_distortion": None, "max_leakage": 0.5}, "channel"),
        (
            {"secret": "age", "mechanism": ("laplace:epsilon=1,lower=0,upper=100",), "max_distortion": None},
            "laplace",
        ),
        ({"secret": "age", "bins": ("age=width:20",), "max_distortion": 0.3}, "channel"),
        ({"background": (), "public": ("city", "age")}, "channel"),
    ],
    ids=str,
)
def test_every_way_to_ask(change: dict[str, object], mechanism: str, asked: Asked, tmp_path: Path) -> None:
    wanted = replace(asked, **change)  # type: ignore[arg-type]
    done = protect(wanted, tmp_path / "out")
    done.require()
    record = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))
    assert record["plan"]["columns"][wanted.secret]["mechanism"].startswith(mechanism)
    if wanted.local_dp is not None:
        assert done.fields["headline"]["epsilon"]["value"] <= wanted.local_dp
    if wanted.max_leakage is not None:
        assert done.fields["headline"]["leakage_after"]["value"] <= wanted.max_leakage
    assert set(record["output"]["columns"]) == set(wanted.released)


def test_the_command_and_the_script_ask_for_the_same(asked: Asked, tmp_path: Path) -> None:
    wanted = replace(asked, missing=("?", "n a"), purpose="a 'test'")
    done = protect(wanted, tmp_path / "out")
    program, verb, *arguments = shlex.split(done.fields["command"])
    assert (program, verb) == ("leakgauge", "protect")
    told = done.fields["stages"]
    assert main(["protect", *arguments]) == 0
    assert json.loads((tmp_path / "out" / "job.json").read_text(encoding="utf-8"))["stages"] == told
    ran = subprocess.run(
        [sys.executable, "-c", done.fields["script"]], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert ran.stdout.strip().endswith("report.html")
    assert json.loads((tmp_path / "out" / "job.json").read_text(encoding="utf-8"))["stages"] == told


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"background": ("illness",)}, "both as secret and as background"),
        ({"background": ("city", "city")}, "named twice"),
        ({"public": ("city",)}, "named twice"),
        ({"max_leakage": 1.0}, "Two targets"),
        ({"max_distortion": None}, "No target"),
        ({"target": "good"}, "Two targets"),
        ({"max_distortion": None, "target": "splendid"}, "no target"),
        ({"max_distortion": -1.0}, "no finite number"),
        ({"local_dp": 0.0}, "ε"),
        ({"confidence": 1.0}, "not between 0 and 1"),
        ({"accounted": 1.0}, "--accounted buys"),
        ({"ledger": "x.db"}, "simulation spends nothing"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(change: dict[str, object], says: str, asked: Asked) -> None:
    with pytest.raises(OptionError, match=says) as refused:
        replace(asked, **change)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


def test_nothing_is_written_where_a_column_is_unknown(asked: Asked, tmp_path: Path) -> None:
    with pytest.raises(TableError, match="did you mean 'illness'"):
        protect(replace(asked, secret="ilness"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_bins_of_the_background_are_the_backgrounds_alone(asked: Asked, tmp_path: Path) -> None:
    done = protect(replace(asked, background=("age",), bins=("age=width:20",)), tmp_path / "out")
    assert done.fields["headline"]["floor"]["value"] < done.fields["headline"]["leakage_after"]["value"]

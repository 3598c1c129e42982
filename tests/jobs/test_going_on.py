"""A job that was stopped, killed or disturbed: it goes on where it was, and draws and spends nothing twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
from contextlib import nullcontext
from pathlib import Path

import pytest
from msgspec.structs import asdict, replace

from leakgauge.artefacts import JobEvent, Request
from leakgauge.errors import BudgetError, FileError, OptionError, TableError
from leakgauge.jobs.protect import NAMES, protect
from leakgauge.release import verify
from leakgauge.release.ledger import ApproximateLimit, Ledger, open_ledger
from leakgauge.release.ledger.entry import Kind
from leakgauge.release.record import file_digest
from tests.forks import PROCESSES
from tests.jobs.finished import Finished, Told
from tests.jobs.people import write_people
from tests.jobs.stubs import stubbed


def killed(asked: Request, folder: Path, stage: str, state: str, made: Path | None = None) -> None:
    """The job in another process, killed when it tells of this state; with stages that copy, where a job is given."""
    worker = PROCESSES.Process(target=protecting, args=(asked, folder, stage, state, made))
    worker.start()
    worker.join(120)
    assert worker.exitcode == -signal.SIGKILL
    for file in folder.glob("*.json"):
        # Nothing half written has a name.
        assert json.loads(file.read_text(encoding="utf-8"))


def protecting(asked: Request, folder: Path, stage: str, state: str, made: Path | None) -> None:
    """What the killed process does."""

    def kill(event: JobEvent) -> None:
        if (event.stage, event.state) == (stage, state):
            os.kill(os.getpid(), signal.SIGKILL)

    with nullcontext() if made is None else stubbed(made):
        protect(asked, folder, progress=kill)


def test_a_job_killed_while_it_draws_goes_on_and_completes(asked: Request, tmp_path: Path) -> None:
    killed(asked, tmp_path / "out", "release", "working")
    told = Told()
    done = protect(asked, tmp_path / "out", progress=told)
    assert done.released
    states = dict.fromkeys(("survey", "measure", "design"), "kept")
    assert told.states() == dict.fromkeys(NAMES, "finished") | states


def test_a_job_killed_in_one_stage_after_the_other_completes_in_the_end(finished: Finished, tmp_path: Path) -> None:
    folder, asked = tmp_path / "killed", finished.asked
    for stage, state in [("measure", "finished"), ("release", "working"), ("audit", "started"), ("report", "started")]:
        killed(asked, folder, stage, state, finished.folder)
    told = Told()
    with stubbed(finished.folder):
        done = protect(asked, folder, progress=told)
    assert done.released
    assert told.states() == {**dict.fromkeys(NAMES[:-1], "kept"), "report": "finished"}


@pytest.mark.usefixtures("stubs")
def test_a_job_stopped_in_every_stage_goes_on_where_it_was(asked: Request, tmp_path: Path) -> None:
    for stage in NAMES:
        told = Told()

        def stop(event: JobEvent, last: str = stage, told: Told = told) -> None:
            told(event)
            if event == JobEvent(last, "started"):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            protect(asked, tmp_path / "out", progress=stop)
        # Of the stages before, only the one that the last run was stopped in is done in this one.
        before = NAMES[: NAMES.index(stage)]
        states = {**dict.fromkeys(before[:-1], "kept"), **dict.fromkeys(before[-1:], "finished"), stage: "started"}
        assert told.states() == states
    told = Told()
    assert protect(asked, tmp_path / "out", progress=told).released
    assert told.states() == {**dict.fromkeys(NAMES[:-1], "kept"), "report": "finished"}


def test_a_release_that_was_drawn_but_not_noted_is_kept(finished: Finished, made: Path) -> None:
    job = json.loads((finished.folder / "job.json").read_text(encoding="utf-8"))
    for stage in ("release", "audit", "assess", "report"):
        del job["stages"][stage]
    (finished.folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    drawn = file_digest(finished.folder / "release.csv")
    changed = (finished.folder / "release.json").stat().st_mtime_ns
    with stubbed(made, ("audit", "assess", "report")):
        protect(finished.asked, finished.folder)
    assert file_digest(finished.folder / "release.csv") == drawn
    assert (finished.folder / "release.json").stat().st_mtime_ns == changed


def test_a_release_that_was_named_but_not_noted_in_the_ledger_is_noted_once(
    people: Path, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, folder = str(tmp_path / "l.db"), tmp_path / "out"
    with open_ledger(ledger, create=True) as opened:
        opened.open_account("people", ApproximateLimit(1.5))
    mechanism = ("randomized-response:epsilon=1",)
    asked = Request.of(
        str(people), secret=("illness",), public=("city",), mechanism=mechanism, ledger=ledger, dataset="people"
    )

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "complete", stop)
        with pytest.raises(KeyboardInterrupt):
            protect(asked, folder)
    drawn = file_digest(folder / "release.csv")
    for _ in range(2):
        with stubbed(made, ("audit", "assess", "report")):
            assert protect(asked, folder).released
        with open_ledger(ledger) as opened:
            assert [entry.kind for entry in opened.entries("people")] == [Kind.OPEN, Kind.SPEND, Kind.COMPLETE]
            verify(folder / "release.json", ledger=opened).require()
    assert file_digest(folder / "release.csv") == drawn


def test_a_finished_job_is_not_done_again(finished: Finished) -> None:
    before = contents(finished.folder)
    told = Told()
    protect(finished.asked, finished.folder, progress=told)
    assert set(told.states().values()) == {"kept"}
    assert before == contents(finished.folder)


def contents(folder: Path) -> dict[Path, bytes]:
    """What the files of a job hold, those of its kit included; its own file has the time."""
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.name != "job.json"}


@pytest.mark.usefixtures("stubs")
@pytest.mark.parametrize(
    ("file", "again"),
    [("audit.json", ("audit",)), ("utility.json", ("audit",)), ("frontier.json", ("design",))],
)
def test_what_was_changed_is_made_again_and_the_release_stays(
    file: str, again: tuple[str, ...], finished: Finished
) -> None:
    release = (finished.folder / "release.csv").read_bytes()
    before = (finished.folder / file).read_text(encoding="utf-8")
    (finished.folder / file).write_text(before + "\n", encoding="utf-8")
    told = Told()
    protect(finished.asked, finished.folder, progress=told)
    redone = {name for name, state in told.states().items() if state == "finished"}
    assert set(again) <= redone
    assert "release" not in redone
    assert not (finished.folder / file).read_text(encoding="utf-8").endswith("\n\n")
    assert (finished.folder / "release.csv").read_bytes() == release


@pytest.mark.usefixtures("stubs")
@pytest.mark.parametrize("file", ["release.csv", "release.json"])
def test_a_release_that_was_changed_is_not_drawn_again_silently(file: str, finished: Finished) -> None:
    with (finished.folder / file).open("a", encoding="utf-8") as changed:
        changed.write("\n")
    with pytest.raises(FileError, match="generate another one, which would leak more"):
        protect(finished.asked, finished.folder)
    assert protect(finished.asked, finished.folder, overwrite=True).released


@pytest.mark.usefixtures("stubs")
def test_a_table_that_changes_meanwhile_is_refused(asked: Request, tmp_path: Path) -> None:
    table = write_people(tmp_path / "mine.csv", 300)
    asked = replace(asked, table=str(table))

    def change(event: JobEvent) -> None:
        if event == JobEvent("audit", "started"):
            with table.open("a", encoding="utf-8") as file:
                file.write("p,A,flu,30\n")

    with pytest.raises(TableError, match="changed while the job was running"):
        protect(asked, tmp_path / "out", progress=change)
    with pytest.raises(FileError, match="holds the release of another job"):
        protect(asked, tmp_path / "out")
    assert protect(asked, tmp_path / "out", overwrite=True).job.table.rows == 301


def test_two_jobs_in_one_folder_do_not_meet(finished: Finished) -> None:
    at_work, may_go = threading.Event(), threading.Event()

    def wait(event: JobEvent) -> None:
        at_work.set()
        assert may_go.wait(60)

    first = threading.Thread(target=lambda: protect(finished.asked, finished.folder, progress=wait))
    first.start()
    try:
        assert at_work.wait(60)
        with pytest.raises(OptionError, match="Another job is running"):
            protect(finished.asked, finished.folder)
    finally:
        may_go.set()
        first.join()
    assert (finished.folder / "report.html").exists()


def test_what_is_too_expensive_buys_nothing(people: Path, made: Path, tmp_path: Path) -> None:
    ledger = str(tmp_path / "l.db")
    with open_ledger(ledger, create=True) as opened:
        opened.open_account("people", ApproximateLimit(1.5))
    asked = Request.of(
        str(people),
        secret=("illness",),
        background=("city",),
        local_dp=1.0,
        accounted=0.6,
        ledger=ledger,
        dataset="people",
    )
    with pytest.raises(BudgetError):
        protect(asked, tmp_path / "out").require()
    with open_ledger(ledger) as opened:
        assert opened.spent("people").epsilon == 0
    with stubbed(made, ("audit", "assess", "report")):
        done = protect(asked.having(accounted=0.4), tmp_path / "out")
    spent = {"histogram": 0.4, "release": pytest.approx(1.0), "together": pytest.approx(1.4)}
    assert done.job.spent is not None and asdict(done.job.spent) == spent
    drawn = file_digest(tmp_path / "out" / "release.csv")
    with (tmp_path / "out" / "frontier.json").open("a") as changed:
        changed.write("\n")
    with pytest.raises(FileError, match="generate another one, which would leak more"):
        protect(asked.having(accounted=0.4), tmp_path / "out")
    assert file_digest(tmp_path / "out" / "release.csv") == drawn
    dear = asked.having(accounted=None, dataset="people")
    refused = protect(dear, tmp_path / "dear")
    with pytest.raises(BudgetError):
        refused.require()
    assert not refused.released
    assert "Nothing was released" in (tmp_path / "dear" / "report.html").read_text(encoding="utf-8")


def test_a_job_removes_nothing_outside_its_folder(tmp_path: Path) -> None:
    write_people(tmp_path / "people.csv")
    victim = tmp_path / "victim.txt"
    victim.write_text("mine", encoding="utf-8")
    place = tmp_path / "out"
    shutil.copytree(Path(__file__).parent / "stored" / "released", place)
    whole = (place / "job.json").read_text(encoding="utf-8")
    for name in ("../victim.txt", str(victim), "..", "a/b"):
        fields = json.loads(whole)
        fields["stages"]["measure"]["outputs"][name] = "00"
        (place / "job.json").write_text(json.dumps(fields), encoding="utf-8")
        for overwrite in (False, True):
            with pytest.raises(FileError, match="is not in the job's folder"):
                protect(
                    Request.of(str(tmp_path / "people.csv"), secret=("illness",), max_distortion=0.2),
                    place,
                    overwrite=overwrite,
                )
    assert victim.read_text(encoding="utf-8") == "mine"

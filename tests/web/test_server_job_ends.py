"""How jobs end with their server: stopped, resumed, killed, left by a closed terminal; no process stays."""

from __future__ import annotations

import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from leakgauge.web.private_folder import PrivateFolder
from tests.web.serving import Started, processes, running_processes
from tests.web.tables import ROWS, asked_of, folder_with_people, people

Serving = Callable[..., Started]


def is_gone(job: str) -> bool:
    """Whether the processes of a job end; one that was killed is there for a moment longer."""
    for _ in range(300):
        if not processes(job):
            return True
        time.sleep(0.1)
    return False


def test_stopped_it_goes_on_where_it_was(serving: Serving, tmp_path: Path) -> None:
    # Rows enough that there is a middle to end in.
    server = serving(folder_with_people(tmp_path / "data", 20_000))
    begun = server.post("/api/jobs", asked_of(server)).fields
    for told in server.events(begun["id"]):
        if told["stages"][0]["state"] == "done":
            break
    assert server.post(f"/api/jobs/{begun['id']}/stop", {}).fields["state"] == "stopped"
    assert is_gone(begun["id"])
    assert server.post(f"/api/jobs/{begun['id']}/stop", {}).fields["state"] == "stopped", "twice does no harm"

    again = server.post("/api/jobs", asked_of(server))
    assert again.status == 202 and again.fields["id"] == begun["id"]
    for told in server.events(begun["id"]):
        if told["stages"][0]["state"] == "kept":
            break
    assert told["state"] == "running"
    # The server ends in the middle: the job with it, cleanly.
    assert processes(begun["id"])
    assert server.stop() == 0
    assert is_gone(begun["id"])
    assert server.process.stderr is not None and server.process.stderr.read() == ""

    later = serving(tmp_path / "data")
    listed = later.get("/api/state").fields["jobs"]
    assert [(one["id"], one["state"]) for one in listed] == [(begun["id"], "stopped")]
    assert later.post("/api/jobs", asked_of(later)).fields["id"] == begun["id"]
    for told in later.events(begun["id"]):
        if told["stages"][1]["state"] in ("done", "kept"):
            break
    assert told["stages"][0]["state"] == "kept"


def test_a_server_that_is_killed_leaves_no_process_and_the_next_one_removes_its_drops(
    serving: Serving, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    server = serving(folder_with_people(tmp_path / "data", ROWS), temporary=temporary)
    assert server.drop("mine.csv", people(50)).status == 200
    begun = server.post("/api/jobs", asked_of(server)).fields
    assert next(server.events(begun["id"]))["state"] == "running" and running_processes(begun["id"])
    # Someone still listens to the job, so that it does not end by itself when it tells of a stage.
    with Path(f"/proc/{processes(begun['id'])[0]}/fd/1").open("rb"):
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        assert is_gone(begun["id"])
    assert list(temporary.rglob("mine.csv"))
    with _server_in_the_same_place(temporary) as held:
        later = serving(tmp_path / "data", temporary=temporary)
        assert not list(temporary.rglob("mine.csv")) and held.exists(), "only what nobody holds"
    listed = later.get("/api/state").fields["jobs"]
    assert [(one["id"], one["state"]) for one in listed] == [(begun["id"], "stopped")]


@contextmanager
def _server_in_the_same_place(temporary: Path) -> Iterator[Path]:
    """A folder that a living process holds."""
    before, tempfile.tempdir = tempfile.tempdir, str(temporary)
    held = PrivateFolder()
    try:
        yield held.place
    finally:
        tempfile.tempdir = before
        held.close()


def test_a_closed_terminal_ends_the_job_too_and_an_open_stream_does_not_keep_the_server(
    serving: Serving, tmp_path: Path
) -> None:
    server = serving(folder_with_people(tmp_path / "data", ROWS))
    begun = server.post("/api/jobs", asked_of(server)).fields
    stream = server.events(begun["id"])
    assert next(stream)["state"] == "running" and running_processes(begun["id"])
    asked = time.monotonic()
    assert server.stop(signal.SIGHUP) == 128 + signal.SIGTERM
    assert time.monotonic() - asked < 15
    stream.close()
    assert is_gone(begun["id"])

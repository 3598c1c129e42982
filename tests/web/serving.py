"""A real server on a folder, on a free port: in a thread of this process, or ``leakgauge serve`` in one of its own."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from leakgauge.web.server import ready_server

_ADDRESS = re.compile(r"((http://127\.0\.0\.1:(\d+))/([0-9a-f]{32}))/\?token=([0-9a-f]{32})")


@dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def fields(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The one sentence of an answer that went wrong."""
        said: str = self.fields["error"]
        return said


@dataclass(frozen=True)
class Served:
    """A running server.

    Attributes:
        address: such as ``http://127.0.0.1:40123/0f…``, without a slash at its end; everything lies below it.
        origin: of the address, such as ``http://127.0.0.1:40123``.
        port: of the address.
        door: the first part of every path, without slashes.
        token: that opens it: ``{address}/?token={token}``.
        folder: what it serves.
        results: where its jobs are.
        temporary: its folder for temporary files, of its own.
    """

    address: str
    origin: str
    port: int
    door: str
    token: str
    folder: Path
    results: Path
    temporary: Path

    @property
    def entry(self) -> str:
        """The address with its token, as it is printed."""
        return f"{self.address}/?token={self.token}"

    @cached_property
    def cookie(self) -> str:
        """What a browser sends that came in by the entry."""
        answer = self.send("GET", f"/?token={self.token}", headers={"Host": f"127.0.0.1:{self.port}"})
        return answer.headers["set-cookie"].split(";")[0]

    def headers(self, **more: str) -> dict[str, str]:
        """Of a request that the page itself makes."""
        given = {"Host": f"127.0.0.1:{self.port}", "Cookie": self.cookie, "Origin": self.origin}
        return given | {name.replace("_", "-"): value for name, value in more.items()}

    def send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        outside: bool = False,
    ) -> Answer:
        """What comes back for exactly these headers; without any, for those of the page itself.

        Args:
            method: of the request.
            path: from the door on.
            body: of the request.
            headers: all of them.
            outside: whether the path is the whole one.
        """
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            # The path goes out as it is: http.client neither resolves nor quotes it.
            connection.putrequest(
                method, path if outside else f"/{self.door}{path}", skip_host=True, skip_accept_encoding=True
            )
            given = dict(self.headers() if headers is None else headers)
            if body is not None and not {"Content-Length", "Transfer-Encoding"} & set(given):
                given["Content-Length"] = str(len(body))
            for name, value in given.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            reply = connection.getresponse()
            return Answer(reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read())
        finally:
            connection.close()

    def get(self, path: str, **more: str) -> Answer:
        """What comes back for a path."""
        return self.send("GET", path, headers=self.headers(**more))

    def post(self, path: str, fields: object, **more: str) -> Answer:
        """What comes back for some fields, sent as JSON."""
        return self.send(
            "POST", path, json.dumps(fields).encode(), self.headers(Content_Type="application/json", **more)
        )

    def drop(self, name: str, body: bytes, **more: str) -> Answer:
        """What comes back for a dropped file."""
        return self.send("PUT", f"/api/drop?name={name}", body, self.headers(**more))

    def delete(self, path: str) -> Answer:
        """What comes back for the removal of a path."""
        return self.send("DELETE", path)

    def open(self, path: str) -> str:
        """The id of a table in the folder."""
        answer = self.post("/api/tables", {"path": path})
        assert answer.status == 200, answer.body
        found: str = answer.fields["id"]
        return found

    def events(self, job: str) -> Generator[dict[str, Any], None, None]:
        """What the stream of a job tells, until it ends or is left."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("GET", f"/{self.door}/api/jobs/{job}/events", headers=self.headers())
        answer = connection.getresponse()
        assert answer.status == 200 and answer.headers["Content-Type"].startswith("text/event-stream")
        try:
            for line in answer:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])
        finally:
            answer.close()
            connection.close()

    def ended(self, job: str, seconds: float = 120) -> Any:
        """The job once it has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            fields = self.get(f"/api/jobs/{job}").fields
            if fields["state"] != "running":
                return fields
            time.sleep(0.1)
        raise AssertionError(f"job {job} still runs after {seconds} s")


@dataclass(frozen=True)
class Started(Served):
    """A server in a process of its own.

    Attributes:
        process: it runs in.
        seconds: of CPU from its start to the first line it printed.
    """

    process: subprocess.Popen[str]
    seconds: float

    def stop(self, number: int = signal.SIGINT) -> int:
        """Its exit code once it has ended."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(timeout=30)


@contextmanager
def running(
    folder: Path, *, results: Path | None = None, max_upload: int = 1024, databases: Sequence[str] = ()
) -> Iterator[Served]:
    """The server on the folder in a thread of this process, gone when the block ends; ``max_upload`` is in MiB."""
    results = results or folder / "leakgauge-results"
    before, temporary = tempfile.tempdir, tempfile.mkdtemp()
    tempfile.tempdir = temporary
    try:
        with ready_server(folder, results, 0, max_upload << 20, databases) as server:
            thread = threading.Thread(target=server.run)
            thread.start()
            try:
                yield Served(*_parts(server.entry), folder, results, Path(temporary))
            finally:
                server.should_exit = True
                thread.join()
    finally:
        tempfile.tempdir = before
        shutil.rmtree(temporary)


def _parts(told: str) -> tuple[str, str, int, str, str]:
    """Address, origin, port, door and token of an entry somewhere in a text."""
    found = _ADDRESS.search(told)
    assert found is not None, told
    return found[1], found[2], int(found[3]), found[4], found[5]


@contextmanager
def hang_up(action: signal.Handlers = signal.SIG_DFL) -> Iterator[None]:
    """Processes started in the block meet a closed terminal in this way, whatever the one that runs the tests does."""
    before = signal.signal(signal.SIGHUP, action)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


@contextmanager
def started(
    folder: Path,
    *options: str,
    results: Path | None = None,
    temporary: Path | None = None,
    hung_up: signal.Handlers = signal.SIG_DFL,
) -> Iterator[Started]:
    """A server on the folder in a process of its own, gone when the block ends.

    Args:
        folder: to serve.
        options: of ``serve``, such as ``--max-upload 1``.
        results: where its jobs are.
        temporary: for its temporary files.
        hung_up: what a closed terminal does to it by default.
    """
    results = results or folder / "leakgauge-results"
    own = temporary is None
    temporary = temporary or Path(tempfile.mkdtemp())
    with hang_up(hung_up):
        command = ["leakgauge", "serve", str(folder), "--no-browser", "--results", str(results), *options]
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(temporary)},
        )
    assert process.stdout is not None and process.stderr is not None
    try:
        line = process.stdout.readline()
        assert line or process.poll() is None, process.stderr.read()
        yield Started(*_parts(line), folder, results, temporary, process, _cpu_seconds(process.pid))
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=30)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            process.stdout.close()
            process.stderr.close()
            if own:
                shutil.rmtree(temporary)


def _cpu_seconds(process: int) -> float:
    """What a process has computed so far."""
    counted = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(counted[11]) + int(counted[12])) / os.sysconf("SC_CLK_TCK")


def running_processes(job: str) -> list[int]:
    """The processes that run a job that was just begun: before a program is loaded the system does not name it yet."""
    until = time.monotonic() + 5
    while not (found := processes(job)) and time.monotonic() < until:
        time.sleep(0.02)
    return found


def processes(job: str) -> list[int]:
    """The processes that run a job."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdecimal() and int(place.name) != os.getpid():
            try:
                line = (place / "cmdline").read_bytes()
            except OSError:
                continue
            if job.encode() in line and b"protect" in line:
                found.append(int(place.name))
    return found

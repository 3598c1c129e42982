"""Jobs as processes: one at a time, heard by their event lines, alive whether or not a browser looks."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from leakgauge.artefacts import Ended, JobEvent, Request, codec
from leakgauge.artefacts.request import StoredRequest
from leakgauge.drafts import OWNER_ONLY_FOLDER, could_not_write
from leakgauge.errors import LeakgaugeError, RefusalError
from leakgauge.web.job import Job
from leakgauge.web.questions import DECLARED, UnknownError, shown_of
from leakgauge.web.workspace import OpenTable

_LISTED: Final = 200
_LINE: Final = 1 << 20
# Asked politely a job removes its drafts; killed it leaves them, and nothing half written under a name that counts.
_SIGNALS: Final = ((signal.SIGINT, 10.0), (signal.SIGTERM, 3.0), (signal.SIGKILL, 10.0))
_PACE: Final = 0.1
_QUIET: Final = 1.0


class Jobs:
    """The jobs in a results folder, which is made with the first one; those of earlier runs included."""

    def __init__(self, results: Path, folder: Path) -> None:
        self.results = results.resolve()
        self._folder = folder.resolve()
        self._jobs: dict[str, Job] = {}
        self._running: Job | None = None
        self._at_work: OpenTable | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._following: asyncio.Task[None] | None = None
        self._stopping = False
        self._closed = False
        self._changed = asyncio.Event()
        self._list()

    def all(self) -> list[Job]:
        """The last one first."""
        return list(reversed(self._jobs.values()))

    def job(self, key: str) -> Job:
        """The job of an id; ``UnknownError`` where none has it."""
        if key not in self._jobs:
            raise UnknownError("There is no job of this id; look at the list of jobs.")
        return self._jobs[key]

    async def start(self, asked: Request, table: OpenTable) -> Job:
        """The job of a request about a table, running; asked again of the same table it goes on where it was.

        Raises:
            RefusalError: another one runs, or the server is about to end.
            EngineError: the results folder or the process could not be made.
        """
        if self._running is not None or self._closed:
            raise RefusalError("Another job is already running; wait for it, or stop it first.")
        request = replace(asked, table=table.address)
        shown = shown_of(codec.encode(StoredRequest.of(request)))
        key = _key(shown, table)
        folder = self.results / key
        if folder.is_relative_to(table.place):
            folder = folder.relative_to(table.place)
        job = Job(key, self.results, shown, request, self._output(key), table.path, started_here=True)
        # Taken before the first await: two questions at once must not both pass the check above.
        self._running, self._at_work, self._stopping = job, table, False
        try:
            self.results.mkdir(OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
            job.begin()
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "leakgauge.web.worker",
                "protect",
                str(folder),
                cwd=table.place,
                # After the request nothing is written to it: its end tells the job that this server is gone.
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                # Shown in the server's terminal where somebody looks for a bug.
                stderr=None if os.environ.get("LEAKGAUGE_DEBUG") else asyncio.subprocess.DEVNULL,
                # Of its own session: an interrupt at the terminal is for the server, which then stops the job itself.
                start_new_session=True,
                limit=_LINE,
            )
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(codec.encode(StoredRequest.of(request))).encode() + b"\n")
        except OSError as error:
            self._running = None
            raise could_not_write(self.results, error) from None
        except BaseException:
            self._running = None
            raise
        self._jobs.pop(key, None)
        self._jobs[key] = job
        self._following = asyncio.create_task(self._follow(job, self._process))
        return job

    def is_at_work_on(self, table: OpenTable) -> bool:
        """Whether a job that runs reads this table."""
        return self._running is not None and self._at_work is table

    async def stop(self, job: Job) -> None:
        """End a job that runs; its finished stages are kept, and the same question goes on from there."""
        if job is not self._running or self._process is None or self._following is None:
            return
        self._stopping = True
        for number, patience in _SIGNALS:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)
            done, _ = await asyncio.wait({self._following}, timeout=patience)
            if done:
                return

    async def changes(self, job: Job) -> AsyncIterator[Job]:
        """The job now, after every change and every second, until it ends."""
        while True:
            changed = self._changed
            yield job
            if job is not self._running or self._closed:
                return
            try:
                await asyncio.wait_for(changed.wait(), _QUIET)
                # Many changes in a moment are told as one.
                await asyncio.sleep(_PACE)
            except TimeoutError:
                # A stage that tells nothing for a while still takes its time.
                continue

    def close_streams(self) -> None:
        """Let everyone who listens go: the server is about to end."""
        self._closed = True
        self._tell()

    async def close(self) -> None:
        """Stop what runs."""
        self.close_streams()
        if self._running is not None:
            await self.stop(self._running)

    def kill(self) -> None:
        """End what still runs at once, where there was no time to ask."""
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def _follow(self, job: Job, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        # Where the results lie is nobody's business.
        hidden = json.dumps(f"{self.results}/")[1:-1].encode()
        try:
            while line := await _line(process.stdout):
                event = event_in(line.replace(hidden, b""))
                if event is not None:
                    job.hear(event)
                    self._tell()
            job.end(await process.wait(), self._stopping)
        finally:
            self._running = self._process = self._following = None
            self._tell()

    def _tell(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _list(self) -> None:
        """Find the jobs of earlier runs."""
        try:
            found = sorted((path.lstat().st_mtime, path) for path in self.results.iterdir())
        except OSError:
            return
        keys = dict.fromkeys(path.stem if path.suffix == ".json" else path.name for _, path in found)
        for key in list(keys)[-_LISTED:]:
            job = Job.kept(key, self.results, self._output(key)) if re.fullmatch(r"\w[\w.-]*", key) else None
            if job is not None:
                self._jobs[key] = job

    def _output(self, key: str) -> str:
        """A job's folder for who runs a command in the folder that is served."""
        place = self.results / key
        return str(place.relative_to(self._folder) if place.is_relative_to(self._folder) else place)


async def _line(stream: asyncio.StreamReader) -> bytes:
    """The next line; one that is too long is read past, and says nothing."""
    try:
        return await stream.readline()
    except ValueError:
        return b"\n"


def event_in(line: bytes) -> JobEvent | Ended | None:
    """What a line tells; None of one that tells nothing."""
    kinds: tuple[type[JobEvent | Ended], ...] = (JobEvent, Ended)
    for kind in kinds:
        with suppress(LeakgaugeError, ValueError, TypeError, AttributeError):
            return codec.decode(kind, json.loads(line), "The event")
    return None


def _key(shown: Mapping[str, Any], table: OpenTable) -> str:
    """The id of a question about a table: the same for the same, so that it is resumed and nothing is drawn twice.

    What is declared of a release changes nothing in it: declared later, it is judged anew and not drawn anew.
    """
    asked = {name: value for name, value in shown.items() if name not in ("table", *DECLARED)}
    what = json.dumps([table.name, table.digest, asked], sort_keys=True)
    stem = re.sub(r"[^A-Za-z0-9]+", "-", table.name.split(".")[0]).strip("-")[:40] or "table"
    return f"{stem}-{hashlib.sha256(what.encode()).hexdigest()[:12]}"

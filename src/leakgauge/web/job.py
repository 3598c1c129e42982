"""A job as the page sees it: its stages, and what became of it."""

from __future__ import annotations

import re
import shlex
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec.structs import replace

from leakgauge.artefacts import Ended, Headline, JobEvent, PageJob, Quantity, Request, Sentence, codec
from leakgauge.artefacts import Job as JobFile
from leakgauge.artefacts.codec import Stored
from leakgauge.artefacts.dossier import JOB, Dossier, gathered
from leakgauge.artefacts.report import Grid
from leakgauge.artefacts.request import StoredRequest
from leakgauge.errors import FileError, OptionError
from leakgauge.jobs.protect.folder import KIT
from leakgauge.languages import Language, message
from leakgauge.telling.blocks import text_of
from leakgauge.telling.outcome import in_short
from leakgauge.telling.verdict import THEN
from leakgauge.telling.voice import Voice
from leakgauge.visible import on_one_line
from leakgauge.web.questions import is_asked_by_the_page, shown_of

STAGES: Final = ("survey", "measure", "design", "release", "audit", "assess", "report")
_HEARD: Final = {"started": "running", "working": "running", "finished": "done", "kept": "kept", "skipped": "skipped"}
_SILENT: Final = message("The job failed without saying why; run its command in a terminal.")
_BESIDE: Final = message("The file was dropped onto the page: put {name!r} into the folder where you run this.")


class Job:
    """One run of the main job, in the folder ``key`` of the results; ``output`` is that in commands for people.

    ``asked`` is the question for the page, and ``request`` the same as people would ask it, None where it cannot be;
    ``path`` is that of the table in the folder that is served, None where it was dropped or is not known.
    """

    def __init__(
        self,
        key: str,
        results: Path,
        asked: Mapping[str, object],
        request: Request | None,
        output: str,
        path: str | None = None,
        *,
        started_here: bool = False,
    ) -> None:
        self.key = key
        self.folder = results / key
        self.started_here = started_here
        self._record = results / f"{key}.json"
        self._asked = dict(asked)
        self._request = request and replace(request, table=path or self._asked["table"])
        self._path = path
        self._dropped = path is None
        self._output = key if path is None else output
        self.state: Literal["running", "done", "refused", "failed", "stopped"] = "stopped"
        self.message: Sentence | None = None
        self._ended: Ended | None = None
        self._started: str | None = None
        self._forget()

    @classmethod
    def kept(cls, key: str, results: Path, output: str) -> Job | None:
        """The job of an earlier run, from what it left; None where it left nothing that can be trusted to be one."""
        record, left = _noted(results / f"{key}.json"), _left_in(results / key)
        if (record is None and left is None) or (results / key).is_symlink():
            return None
        if record is not None:
            job = cls(key, results, shown_of(codec.encode(record.asked)), record.asked.request(), output, record.path)
            job.state, job.message, job._started = record.state, record.message, record.started
        else:
            assert left is not None
            job = cls(key, results, shown_of(codec.encode(left.asked)), _request_of(left), output)
            job._dropped, job._output = False, output
        job._started = job._started or (None if left is None else left.started)
        job._recall(left)
        return job

    def _recall(self, left: JobFile | None) -> None:
        if left is not None and left.outcome is not None:
            # Ended by someone else where the record does not know of it.
            if self.state not in ("done", "refused"):
                fine = left.outcome.released and left.outcome.reason is None
                self.state, self.message = "done" if fine else "refused", left.outcome.reason
        else:
            # Where it is still marked as running the server went away under it; a release that is not there is none.
            self.state = "failed" if self.state == "failed" else "stopped"
        for name, stage in {} if left is None else left.stages.items():
            if name in self._stages:
                self._stages[name] |= {"state": "done", "seconds": round(stage.seconds, 1)}

    def begin(self) -> None:
        """Mark it as running, on the disk too."""
        self.state, self.message, self._ended = "running", None, None
        self._started = datetime.now(UTC).isoformat(timespec="seconds")
        self._forget()
        self._keep()

    def hear(self, event: JobEvent | Ended) -> None:
        """Take what the job tells."""
        if isinstance(event, Ended):
            self._ended = event
        elif event.stage in self._stages:
            self._stages[event.stage]["state"] = _HEARD[event.state]
            now = time.monotonic()
            begun = self._begun.setdefault(event.stage, now)
            self._stages[event.stage]["seconds"] = None if event.state in ("kept", "skipped") else round(now - begun, 1)
            # Nothing of nothing is said where a stage does not count.
            if event.total > 0:
                self._stages[event.stage] |= {"done": event.done, "total": event.total}

    def end(self, code: int, stopped: bool) -> None:
        """Mark it as ended; the exit code counts where the job itself did not say how it ended."""
        ended = self._ended or Ended(code)
        self.message = ended.reason
        if ended.code == 0:
            self.state = "done"
        elif ended.code == 1:
            self.state = "refused"
        elif stopped or ended.code in (130, -signal.SIGINT):
            self.state, self.message = "stopped", None
        else:
            self.state, self.message = "failed", ended.reason or Sentence(_SILENT)
        for stage in self._stages.values():
            if stage["state"] == "running":
                stage["state"] = "done" if ended.code == 0 else "waiting"
        self._keep()

    def version(self) -> tuple[str, int]:
        """What is another one whenever the job has left something new."""
        try:
            return self.key, (self.folder / JOB.name).stat().st_mtime_ns
        except OSError:
            return self.key, 0

    def files(self) -> list[str]:
        """The names of the files that can be taken away: a release only where the job says that it may be."""
        return self._files(_left_in(self.folder))

    def _files(self, left: JobFile | None) -> list[str]:
        names = self._names(left)
        if self.state == "done" and _has_released(left):
            return names
        stage = None if left is None else left.stages.get("release")
        kept = () if stage is None else stage.outputs
        return [name for name in names if not name.startswith("release.") and name not in kept]

    def kit(self) -> list[str]:
        """The files of the recipient's kit, from the job's folder on; none where no release can be taken away."""
        place = self.folder / KIT
        if self.state != "done" or not _has_released(_left_in(self.folder)) or place.is_symlink():
            return []
        return [f"{KIT}/{one.name}" for one in sorted(place.glob("*")) if one.is_file() and not one.is_symlink()]

    def path(self, name: str) -> Path | None:
        """Where a file is that can be taken away; None where there is none of this name."""
        return self.folder / name if name in self.files() else None

    def dossier(self) -> Dossier:
        """What its finished stages left by now; of a file that is none of ours nothing is taken."""
        left = _left_in(self.folder)
        names, request = self._names(left), None if left is None else _request_of(left)
        return gathered(lambda kind, name: _stored(kind, self.folder / name) if name in names else None, request)

    def fields(self, language: Language) -> dict[str, object]:
        """The job for the page."""
        left = _left_in(self.folder)
        released = self.state != "running" and _has_released(left)
        headline = left.headline if left is not None and released else None
        request = self._request if left is None else _request_of(left)
        words = [] if request is None else ["leakgauge", "protect", *request.arguments(), "-o", self._output]
        command = shell_line(words)
        note = language.say(_BESIDE, name=self._asked["table"]) if self._dropped and command else None
        return {
            "id": self.key,
            "state": self.state,
            "stages": [self._stage(stage, language) for stage in self._stages.values()],
            "passed": self._passed(language),
            "message": None if self.message is None else telling(language)(self.message),
            "asked": self._asked,
            "path": self._path,
            "started": _moment(self._started),
            "started_here": self.started_here,
            "command": command,
            "script": "" if request is None else request.script(self._output),
            "note": note,
            "files": self._files(left),
            "released": released,
            "recommendation": None if headline is None else headline.recommendation.value,
            "outcome": None if headline is None else language.say(THEN[headline.recommendation]),
            "in_short": _in_short(headline, language),
            # Refused by the survey: these columns name people.
            "naming": _columns_in(self.message) if self.state == "refused" and not (left and left.stages) else [],
            "askable": request is not None and is_asked_by_the_page(request),
        }

    @property
    def seconds(self) -> float | None:
        """How long it took; None where it did not end well, or kept a stage from before."""
        taken = [stage["seconds"] for stage in self._stages.values()]
        whole = self.state == "done" and all(stage["state"] == "done" for stage in self._stages.values())
        return sum(taken) if whole and None not in taken else None

    @property
    def table(self) -> object:
        """The name of its table."""
        return self._asked["table"]

    def _taken(self, stage: Mapping[str, Any]) -> float | None:
        """The seconds that a stage took, or has taken so far."""
        now = time.monotonic()
        return now - self._begun.get(stage["name"], now) if stage["state"] == "running" else stage["seconds"]

    def _stage(self, stage: Mapping[str, Any], language: Language) -> dict[str, object]:
        """A stage with how far it is, in words."""
        taken, voice, amounts = self._taken(stage), Voice(language=language), ""
        if stage["state"] == "running" and stage["total"]:
            amounts = f"{stage['done']:,} / {stage['total']:,}"
        seconds = "" if taken is None else text_of((voice.number(Quantity(round(taken, 1), "s")),), language)
        return {**stage, "seconds": taken, "amounts": amounts, "told": seconds}

    def _passed(self, language: Language) -> str:
        """How long it has been at work; empty where it is not."""
        taken = round(sum(self._taken(stage) or 0 for stage in self._stages.values()))
        return language.say("{number:,} s so far", number=taken) if taken and self.state == "running" else ""

    def _names(self, left: JobFile | None) -> list[str]:
        """The files that its finished stages left, and its own."""
        named = [name for stage in ({} if left is None else left.stages).values() for name in stage.outputs]
        return [name for name in dict.fromkeys((*named, JOB.name)) if self._holds(name)]

    def _holds(self, name: str) -> bool:
        """Whether a file of its folder has this name: no path, no hidden file, no link."""
        place = self.folder / name
        return name == place.name and not name.startswith(".") and place.is_file() and not place.is_symlink()

    def _forget(self) -> None:
        self._begun: dict[str, float] = {}
        self._stages: dict[str, dict[str, Any]] = {
            name: {"name": name, "state": "waiting", "done": None, "total": None, "seconds": None} for name in STAGES
        }

    def _keep(self) -> None:
        """Write what a later server must know; the job's own folder belongs to the job."""
        assert self._request is not None
        asked = replace(self._request, table=self._asked["table"])
        codec.write(self._record, PageJob(StoredRequest.of(asked), self._path, self.state, self._started, self.message))


def _stored(kind: type[Stored], place: Path) -> Stored | None:
    """What a file says; None where there is none, or anybody else has written it."""
    try:
        return codec.read(kind, place)
    except (FileError, OSError, ValueError, RecursionError):
        return None


def _left_in(folder: Path) -> JobFile | None:
    """What a job left in its folder; None where there is nothing, or something else."""
    found = _stored(JobFile, folder / JOB.name)
    # No command takes a name with a zero byte.
    return None if found is None or re.search(r"\\u0000", msgspec.json.encode(found.asked).decode()) else found


def _noted(file: Path) -> PageJob | None:
    """What a server noted of a job; None where there is nothing, or something else."""
    found = _stored(PageJob, file)
    try:
        return None if found is None or not found.asked.request() else found
    except OptionError:
        return None


def _request_of(left: JobFile) -> Request | None:
    """Made from what was asked; None where no job would take these options together any more."""
    try:
        return left.request
    except OptionError:
        return None


def _has_released(left: JobFile | None) -> bool:
    return left is not None and left.outcome is not None and left.outcome.released


def _in_short(found: Headline | None, language: Language) -> list[list[str]]:
    """The numbers of a job with their names, as texts; none where it left no such numbers."""
    if found is None:
        return []
    try:
        grids = [one for one in in_short(Voice(language=language), found) if isinstance(one, Grid)]
    except FileError:
        return []
    return [[text_of(cell, language) for cell in row] for grid in grids for row in grid.rows]


def _moment(started: str | None) -> str:
    """The hour of today, or the day too; empty where no time is known."""
    try:
        moment = datetime.fromisoformat(started or "").astimezone()
    except (ValueError, OverflowError):
        return ""
    return moment.strftime("%H:%M" if moment.date() == datetime.now().astimezone().date() else "%Y-%m-%d %H:%M")


def _columns_in(said: object) -> list[str]:
    """The columns that a sentence names, and those within it."""
    fields = said.fields if isinstance(said, Sentence) else {}
    own = [str(value) for name, value in fields.items() if name == "column"]
    return own + [name for value in fields.values() for name in _columns_in(value)]


def shell_line(words: Iterable[str]) -> str:
    r"""Words as one line for a shell; with escapes where needed, which bash, ksh and zsh read back.

    Example:
        >>> shell_line(["echo", "a b", "c\u202ed"])
        "echo 'a b' $'c\\U0000202ed'"
    """
    return " ".join(shlex.quote(word) if word.isprintable() else _quoted(word) for word in words)


def _quoted(word: str) -> str:
    plain = word.replace("\\", "\\\\").replace("'", "\\'")
    # Not as ``\\x``, which is a byte to a shell and not a letter.
    return "$'" + "".join(sign if sign.isprintable() else f"\\U{ord(sign):08x}" for sign in plain) + "'"


def telling(language: Language) -> Callable[[Sentence], str]:
    """How a sentence is told; names of columns in it cannot turn the direction of what stands around them."""
    return lambda sentence: on_one_line(language.retell(sentence))

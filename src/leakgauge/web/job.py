"""A job as the page sees it: its stages, and what became of it."""

from __future__ import annotations

import shlex
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from msgspec.structs import replace

from leakgauge.artefacts import Ended, JobEvent, PageJob, Request, SecretOutcome, Sentence, codec
from leakgauge.artefacts.codec import Stored
from leakgauge.artefacts.dossier import FILES, JOB, RECORD, SURVEY, Dossier, ResultFile, SecretResults
from leakgauge.artefacts.record import Output
from leakgauge.artefacts.request import StoredRequest
from leakgauge.artefacts.survey import Combination
from leakgauge.languages import Language, message
from leakgauge.release.guarantees import said_of_formulas
from leakgauge.visible import on_one_line
from leakgauge.web.job_folder import (
    KIT,
    StoredJob,
    page_job_in,
    part_of,
    read_object,
    shown_of,
    stored_job_in,
    written,
)
from leakgauge.web.questions import is_asked_by_the_page

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
        self._stages: dict[str, dict[str, object]] = {}
        self._forget()

    @classmethod
    def kept(cls, key: str, results: Path, output: str) -> Job | None:
        """The job of an earlier run, from what it left; None where it left nothing that can be trusted to be one."""
        record, left = page_job_in(results / f"{key}.json"), stored_job_in(results / key)
        if (record is None and left is None) or (results / key).is_symlink():
            return None
        if record is not None:
            job = cls(key, results, shown_of(codec.encode(record.asked)), record.asked.request(), output, record.path)
            job.state, job.message = record.state, record.message
        else:
            assert left is not None
            job = cls(key, results, left.asked, left.request, output)
            job._dropped, job._output = False, output
        job._started = (record and record.started) or (left and left.started) or None
        job._recall(left or StoredJob())
        return job

    def _recall(self, left: StoredJob) -> None:
        if left.outcome is not None:
            # Ended by someone else where the record does not know of it.
            if self.state not in ("done", "refused"):
                fine = left.released and left.outcome.reason is None
                self.state, self.message = "done" if fine else "refused", left.outcome.reason
        else:
            # Where it is still marked as running the server went away under it; a release that is not there is none.
            self.state = "failed" if self.state == "failed" else "stopped"
        for name in left.outputs:
            if name in self._stages:
                self._stages[name] |= {"state": "done", "seconds": left.seconds.get(name)}

    def begin(self) -> None:
        """Mark it as running, on the disk too."""
        self.state, self.message, self._ended = "running", None, None
        self._started = written(datetime.now(UTC))
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
        left = self._left()
        names, released = self._names(left), left.outputs.get("release", ())
        if self.state == "done" and left.released:
            return names
        return [name for name in names if not name.startswith("release.") and name not in released]

    def kit(self) -> list[str]:
        """The files of the recipient's kit, from the job's folder on; none where no release can be taken away."""
        place = self.folder / KIT
        if self.state != "done" or not self._left().released or place.is_symlink():
            return []
        return [f"{KIT}/{one.name}" for one in sorted(place.glob("*")) if one.is_file() and not one.is_symlink()]

    def path(self, name: str) -> Path | None:
        """Where a file is that can be taken away; None where there is none of this name."""
        return self.folder / name if name in self.files() else None

    def read(self, file: ResultFile[Stored], place: int | None = None) -> Stored | None:
        """A result, of the secret at a place or of the one that decides; None where there is none of its kind."""
        return part_of(file.kind, self.stored(file, place))

    def stored(self, file: ResultFile[Any], place: int | None = None) -> dict[str, Any]:
        """The same as its file says it, whatever that is; empty where there is none."""
        left = self._left()
        request, names = self._asked_of(left), self._names(left)
        name, group = file.name, self.group(place)
        if request is not None and group and name not in names and file.of_a_secret:
            name = file.about(group, request.roles.sources)
        return read_object(self.folder / name) if name in names else {}

    def dossier(self, place: int | None = None) -> Dossier:
        """What there is by now, of the secret at a place or of the one that decides."""
        found = {file: self.read(file, place) for file in FILES}
        own: dict[str, Any] = {file.field: one for file, one in found.items() if file.of_a_secret}
        once: dict[str, Any] = {file.field: one for file, one in found.items() if not file.of_a_secret}
        return Dossier(secrets=(SecretResults(self.group(place), **own),), **once)

    def group(self, place: int | None = None) -> tuple[str, ...]:
        """The secret at a place of several, or the one that decides; empty in a job with one."""
        left = self._left()
        request = self._asked_of(left)
        if request is None or len(request.roles.sources) < 2:
            return ()
        if place is None and left.headline is not None and left.headline.secret in request.roles.sources:
            return left.headline.secret
        return request.roles.sources[min(place or 0, len(request.roles.sources) - 1)]

    def fields(self, language: Language) -> dict[str, object]:
        """The job for the page."""
        left = self._left()
        released = self.state != "running" and left.released
        request, names = self._asked_of(left), self._names(left)
        words = [] if request is None else ["leakgauge", "protect", *request.arguments(), "-o", self._output]
        command = shell_line(words)
        note = language.say(_BESIDE, name=self._asked["table"]) if self._dropped and command else None
        return {
            "id": self.key,
            "state": self.state,
            "stages": self._timed(),
            "message": None if self.message is None else telling(language)(self.message),
            "asked": self._asked,
            "path": self._path,
            "started": self._started,
            "started_here": self.started_here,
            "command": command,
            "script": "" if request is None else request.script(self._output),
            "note": note,
            "files": self.files(),
            "released": released,
            "headline": codec.encode(left.headline if released else None, telling(language)),
            "secrets": [] if request is None else _secrets(request, left if released else StoredJob(), names),
            "total": codec.encode(left.total if released else None),
            "alone": self._alone() if released else None,
            "cautions": list(map(telling(language), self._cautions())) if released else [],
            # Refused by the survey: these columns name people.
            "naming": _columns_in(self.message) if self.state == "refused" and not left.outputs else [],
            "askable": request is not None and is_asked_by_the_page(request),
        }

    def _timed(self) -> list[dict[str, object]]:
        """The stages with the seconds that each took, or has taken so far."""
        now = time.monotonic()
        return [
            {**stage, "seconds": round(now - self._begun.get(name, now), 1)}
            if stage["state"] == "running"
            else {**stage}
            for name, stage in self._stages.items()
        ]

    def _asked_of(self, left: StoredJob) -> Request | None:
        """Made from what was asked, never taken from a file."""
        return left.request if left.asked else self._request

    def _alone(self) -> dict[str, object] | None:
        """The unique rows in the public columns, as the survey found."""
        found = self.stored(SURVEY)
        together, rows = part_of(Combination, found.get("published")), found.get("rows")
        if together is None or not together.alone or not isinstance(rows, int):
            return None
        return {"columns": list(together.columns), "alone": together.alone, "rows": rows}

    def _cautions(self) -> Iterator[Sentence]:
        """What whoever opens the release should know."""
        output = part_of(Output, self.stored(RECORD).get("output"))
        return iter(()) if output is None else said_of_formulas(output)

    def _left(self) -> StoredJob:
        return stored_job_in(self.folder) or StoredJob()

    def _names(self, left: StoredJob) -> list[str]:
        """The files that its finished stages left, and its own."""
        named = [name for names in left.outputs.values() for name in names]
        return [name for name in dict.fromkeys((*named, JOB.name)) if self._holds(name)]

    def _holds(self, name: str) -> bool:
        """Whether a file of its folder has this name: no path, no hidden file, no link."""
        place = self.folder / name
        return name == place.name and not name.startswith(".") and place.is_file() and not place.is_symlink()

    def _forget(self) -> None:
        self._begun: dict[str, float] = {}
        self._stages = {
            name: {"name": name, "state": "waiting", "done": None, "total": None, "seconds": None} for name in STAGES
        }

    def _keep(self) -> None:
        """Write what a later server must know; the job's own folder belongs to the job."""
        assert self._request is not None
        asked = replace(self._request, table=self._asked["table"])
        codec.write(self._record, PageJob(StoredRequest.of(asked), self._path, self.state, self._started, self.message))


def _secrets(request: Request, left: StoredJob, names: Sequence[str]) -> list[dict[str, object]]:
    """Each secret with what became of it, and the artefacts about it by the names they have in a job of one secret."""
    outcomes = {one.secret: one for one in left.secrets}
    sources = request.roles.sources
    told = [outcomes.get(one) or SecretOutcome(one, one not in request.roles.groups) for one in sources]
    return [
        {
            **codec.encode(one),
            "files": [file.name for file in FILES if {file.name, file.about(one.secret, sources)} & {*names}],
        }
        for one in told
    ]


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

"""A job as the page sees it: its stages, what became of it, and the files it left."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from leakgauge.drafts import write_whole
from leakgauge.errors import InputError
from leakgauge.languages import Language, message
from leakgauge.web.asking import GOALS
from leakgauge.web.recalling import JOB, PAGE_SCHEMA, Left, left_in, read_object, recorded_in, written
from leakgauge.web.showing import shell_line, shown

STAGES: Final = ("measure", "design", "release", "audit", "assess", "report")
_HEARD: Final = {
    "started": "running",
    "working": "running",
    "finished": "done",
    "kept": "kept",
    "skipped": "skipped",
}
_SHOWN: Final = ("secret", "background", "public", "bins", "missing", *GOALS)
_SILENT: Final = message("The job failed without saying why; run its command in a terminal.")
_BESIDE: Final = message("The file was dropped onto the page: put {name!r} into the folder where you run this.")


@dataclass(frozen=True)
class Written:
    """A job as people would run it themselves: for a shell, and for Python; empty where nobody could."""

    command: str = ""
    script: str = ""


class Job:
    """One run of the main job, in a folder of its own.

    Args:
        key: its id, and the name of its folder.
        results: the folder of its folder.
        asked: what was asked, for the page.
        output: its folder in commands for people.
        path: of the table in the folder that is served; None where it was dropped, or is not known.
        started_here: whether this server started it.
    """

    def __init__(
        self,
        key: str,
        results: Path,
        asked: Mapping[str, Any],
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
        self._path = path
        self._dropped = path is None
        self._output = key if path is None else output
        self._written: tuple[Mapping[str, Any], Written] | None = None
        self.state = "stopped"
        self.message: str | None = None
        self._started: str | None = None
        self._stages: dict[str, dict[str, Any]] = {}
        self._forget()

    @classmethod
    def kept(cls, key: str, results: Path, output: str) -> Job | None:
        """The job of an earlier run, from what it left; None where it left nothing that can be trusted to be one."""
        record, left = recorded_in(results / f"{key}.json"), left_in(results / key)
        if (record is None and left is None) or (results / key).is_symlink():
            return None
        if record is not None:
            job = cls(key, results, record.asked, output, record.path)
            job.state, job.message = record.state, record.message
        else:
            assert left is not None
            known = {name: left.asked[name] for name in _SHOWN if name in left.asked}
            job = cls(key, results, {"table": Path(left.asked["table"]).name, **known}, output)
            job._dropped, job._output = False, output
        job._started = (record and record.started) or (left and left.started) or None
        job._recall(left or Left())
        return job

    def _recall(self, left: Left) -> None:
        if left.ended:
            # Ended by someone else where the record does not know of it.
            if self.state not in ("done", "refused"):
                fine = left.released and left.reason is None
                self.state, self.message = "done" if fine else "refused", left.reason
        else:
            # Where it is still marked as running the server went away under it; a release that is not there is none.
            self.state = "failed" if self.state == "failed" else "stopped"
        for name in left.outputs:
            if name in self._stages:
                self._stages[name]["state"] = "done"

    def begin(self) -> None:
        """Mark it as running, on the disk too."""
        self.state, self.message = "running", None
        self._started = written(datetime.now(UTC))
        self._forget()
        self._keep()

    def hear(self, line: bytes) -> bool:
        """Take one line of events; whether it said anything."""
        try:
            said = json.loads(line)
        except ValueError:
            return False
        if not isinstance(said, dict):
            return False
        stage, outcome = self._stages.get(str(said.get("stage"))), said.get("outcome")
        if isinstance(outcome, dict):
            reason = outcome.get("reason")
            self.message = reason if isinstance(reason, str) else None
            return True
        state = _HEARD.get(str(said.get("state")))
        if stage is None or state is None:
            return False
        stage["state"] = state
        done, total = said.get("done"), said.get("total")
        # Nothing of nothing is said where a stage does not count.
        if isinstance(done, int) and isinstance(total, int) and total > 0:
            stage |= {"done": done, "total": total}
        return True

    def end(self, code: int, said: str, stopped: bool) -> None:
        """Mark it as ended.

        Args:
            code: it exited with.
            said: its error sentence; empty where it said none.
            stopped: whether someone asked it to stop.
        """
        if code == 0:
            self.state = "done"
        elif code == 1:
            self.state, self.message = "refused", self.message or said or None
        elif stopped or code == 130:
            self.state, self.message = "stopped", None
        else:
            self.state, self.message = "failed", said or _SILENT
        for stage in self._stages.values():
            if stage["state"] == "running":
                stage["state"] = "done" if code == 0 else "waiting"
        self._keep()

    def version(self) -> tuple[str, int]:
        """What is another one whenever the job has left something new."""
        try:
            return self.key, (self.folder / JOB).stat().st_mtime_ns
        except OSError:
            return self.key, 0

    def files(self) -> list[str]:
        """The names of the files that can be taken away: a release only where the job says that it may be."""
        left = self._left()
        given = self._is_released(left)
        return [name for name in self._names(left) if given or not _is_release(name, left)]

    def path(self, name: str) -> Path | None:
        """Where a file is that can be taken away; None where there is none of this name."""
        return self.folder / name if name in self.files() else None

    def read(self, name: str) -> dict[str, Any]:
        """The fields of one of its JSON files; empty where there is none."""
        return read_object(self.folder / name) if name in self._names(self._left()) else {}

    def fields(self, language: Language) -> dict[str, Any]:
        """The job for the page."""
        left = self._left()
        released = self.state != "running" and left.released
        made = self._made(left)
        note = language.say(_BESIDE, name=self._asked.get("table", "")) if self._dropped and made.command else None
        return {
            "id": self.key,
            "state": self.state,
            "stages": [dict(stage) for stage in self._stages.values()],
            "message": None if self.message is None else shown(language.retell(self.message)),
            "asked": self._asked,
            "path": self._path,
            "started": self._started,
            "started_here": self.started_here,
            "command": made.command,
            "script": made.script,
            "note": note,
            "files": self.files(),
            "released": released,
            "headline": left.headline if released else None,
        }

    def _made(self, left: Left) -> Written:
        """How people would run it: made from what was asked, never taken from a file."""
        question = left.asked or {**self._asked, "table": self._path or self._asked.get("table", "")}
        if self._written is None or self._written[0] != question:
            self._written = question, _written(question, self._output)
        return self._written[1]

    def _left(self) -> Left:
        return left_in(self.folder) or Left()

    def _is_released(self, left: Left) -> bool:
        return self.state == "done" and left.released

    def _names(self, left: Left) -> list[str]:
        """The files that its finished stages left, and its own."""
        named = [name for names in left.outputs.values() for name in names]
        return [name for name in dict.fromkeys((*named, JOB)) if self._holds(name)]

    def _holds(self, name: object) -> bool:
        """Whether a file of its folder has this name: no path, no hidden file, no link."""
        if not isinstance(name, str) or name != Path(name).name or name.startswith("."):
            return False
        place = self.folder / name
        return place.is_file() and not place.is_symlink()

    def _forget(self) -> None:
        self._stages = {name: {"name": name, "state": "waiting", "done": None, "total": None} for name in STAGES}

    def _keep(self) -> None:
        """Write what a later server must know; the job's own folder belongs to the job."""
        record = {
            "schema": PAGE_SCHEMA,
            "asked": self._asked,
            "path": self._path,
            "started": self._started,
            "state": self.state,
            "message": self.message,
        }
        write_whole(self._record, json.dumps(record, ensure_ascii=False, indent=2) + "\n")


def _is_release(name: str, left: Left) -> bool:
    return name.startswith("release.") or name in left.outputs.get("release", ())


def _written(question: Mapping[str, Any], output: str) -> Written:
    from leakgauge.jobs.protect.asked import Asked
    from leakgauge.jobs.protect.script import script

    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in question.items()
    }
    if "target" in given:
        given["target"] = str(given["target"])
    try:
        asked = Asked(**given)
    except InputError:
        # It failed for what was asked of it.
        return Written()
    return Written(shell_line(["leakgauge", "protect", *asked.arguments(), "-o", output]), script(asked, output))

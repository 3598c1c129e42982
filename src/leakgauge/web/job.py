"""A job as the page sees it: its stages, what became of it, and the files it left."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from leakgauge.drafts import write_whole
from leakgauge.languages import Language, message

STAGES: Final = ("measure", "design", "release", "audit", "assess", "report")
_JOB: Final = "job.json"
_SCHEMA: Final = "leakgauge/page-job/1"
_HEARD: Final = {
    "started": "running",
    "working": "running",
    "finished": "done",
    "kept": "kept",
    "skipped": "skipped",
}
_SILENT: Final = message("The job failed without saying why; run its command in a terminal.")


class Job:
    """One run of the main job, in a folder of its own.

    Args:
        key: its id, and the name of its folder.
        results: the folder of its folder.
        asked: what was asked, for the page.
        command: that runs it, for people.
    """

    def __init__(self, key: str, results: Path, asked: Mapping[str, Any], command: str) -> None:
        self.key = key
        self.folder = results / key
        self._record = results / f"{key}.json"
        self._asked = dict(asked)
        self._command = command
        self.state = "stopped"
        self.message: str | None = None
        self._stages: dict[str, dict[str, Any]] = {}
        self._forget()

    @classmethod
    def kept(cls, key: str, results: Path) -> Job | None:
        """The job of an earlier run, from what it left; None where it left nothing that can be read."""
        record, left = _read(results / f"{key}.json"), _read(results / key / _JOB)
        if record.get("schema") != _SCHEMA:
            record = {}
        if (not record and not left) or (results / key).is_symlink():
            return None
        asked, command = record.get("asked"), record.get("command")
        if not isinstance(asked, dict):
            asked = dict(left.get("asked") or {})
            asked["table"] = Path(str(asked.get("table", ""))).name
        job = cls(key, results, asked, str(command or ""))
        job._recall(record, left)
        return job

    def _recall(self, record: Mapping[str, Any], left: Mapping[str, Any]) -> None:
        outcome, stages = left.get("outcome"), left.get("stages")
        state, said = record.get("state"), record.get("message")
        if isinstance(outcome, dict):
            # Ended by someone else where the record does not know of it.
            known = state in ("done", "refused")
            self.state = str(state) if known else "done" if outcome.get("released") else "refused"
            said = said if known else outcome.get("reason")
        else:
            # Where it is still marked as running the server went away under it.
            self.state = "failed" if state == "failed" else "stopped"
        self.message = said if isinstance(said, str) else None
        for name in stages if isinstance(stages, dict) else ():
            if name in self._stages:
                self._stages[name]["state"] = "done"

    def begin(self) -> None:
        """Mark it as running, on the disk too."""
        self.state, self.message = "running", None
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
            return self.key, (self.folder / _JOB).stat().st_mtime_ns
        except OSError:
            return self.key, 0

    def files(self) -> list[str]:
        """The names of the files that its finished stages left, and of its own record."""
        stages = self._left().get("stages")
        outputs = [one.get("outputs") or () for one in stages.values()] if isinstance(stages, dict) else []
        named = [name for names in outputs for name in names]
        return [name for name in (*named, _JOB) if self._holds(name)]

    def path(self, name: str) -> Path | None:
        """Where one of its files is; None where it left none of this name."""
        return self.folder / name if name in self.files() else None

    def read(self, name: str) -> dict[str, Any]:
        """The fields of one of its JSON files; empty where there is none."""
        place = self.path(name)
        return {} if place is None else _read(place)

    def fields(self, language: Language) -> dict[str, Any]:
        """The job for the page."""
        left = self._left()
        outcome = left.get("outcome")
        released = self.state != "running" and isinstance(outcome, dict) and bool(outcome.get("released"))
        return {
            "id": self.key,
            "state": self.state,
            "stages": [dict(stage) for stage in self._stages.values()],
            "message": None if self.message is None else language.retell(self.message),
            "asked": self._asked,
            "command": left.get("command") or self._command,
            "script": left.get("script") or "",
            "files": self.files(),
            "released": released,
            "headline": left.get("headline") if released else None,
        }

    def _left(self) -> dict[str, Any]:
        return _read(self.folder / _JOB)

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
            "schema": _SCHEMA,
            "asked": self._asked,
            "command": self._command,
            "state": self.state,
            "message": self.message,
        }
        write_whole(self._record, json.dumps(record, ensure_ascii=False, indent=2) + "\n")


def _read(path: Path) -> dict[str, Any]:
    """The JSON object in a file; empty where there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}

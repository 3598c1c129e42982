"""The folder of a job: what was asked, what each finished stage read and wrote, and who is at work in it."""

from __future__ import annotations

import fcntl
import json
import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from leakgauge.drafts import could_not_write, write_whole
from leakgauge.errors import FileError, OptionError
from leakgauge.probability.files import parsed_json, require_schema
from leakgauge.release.record import digest_of, file_digest

JOB_SCHEMA = "leakgauge/job/1"
JOB = "job.json"
_LOCK = ".job.lock"
_LIBRARIES = ("numpy", "scipy", "duckdb", "pyarrow", "opendp")


@dataclass
class Folder:
    """A job's folder and the fields of its ``job.json``, which is written after every stage.

    Attributes:
        place: the folder.
        fields: of the job.
    """

    place: Path
    fields: dict[str, Any] = field(default_factory=dict)

    def write(self, name: str, fields: Mapping[str, Any]) -> None:
        """Write an artefact."""
        write_whole(self.place / name, json.dumps(fields, ensure_ascii=False, indent=2, allow_nan=False) + "\n")

    def read(self, name: str) -> dict[str, Any]:
        """The fields of an artefact."""
        return parsed_json(self.place / name)

    def has(self, name: str) -> bool:
        """Whether an artefact is there."""
        return (self.place / name).is_file()

    def outputs(self) -> dict[str, str]:
        """The digests of everything that finished stages wrote."""
        return {file: digest for stage in self.fields["stages"].values() for file, digest in stage["outputs"].items()}

    def is_done(self, stage: str, inputs: str) -> bool:
        """Whether a stage was finished from the same inputs and what it wrote is as it was."""
        done = self.fields["stages"].get(stage)
        return (
            done is not None
            and done["inputs"] == inputs
            and all(self.has(file) and file_digest(self.place / file) == one for file, one in done["outputs"].items())
        )

    def forget_from(self, stage: str, stages: Iterable[str]) -> None:
        """Forget a stage and those after it, and what they wrote: none of it may stand beside something newer."""
        after = list(stages)
        for name in after[after.index(stage) :]:
            for file in self.fields["stages"].pop(name, {"outputs": {}})["outputs"]:
                (self.place / file).unlink(missing_ok=True)
        self.save()

    def finish(self, stage: str, inputs: str, outputs: Iterable[str], seconds: float) -> None:
        """Note a finished stage."""
        written = {file: file_digest(self.place / file) for file in outputs if self.has(file)}
        self.fields["stages"][stage] = {"inputs": inputs, "outputs": written, "seconds": round(seconds, 3)}
        self.save()

    def save(self) -> None:
        """Write the job's own file."""
        self.write(JOB, self.fields)


@contextmanager
def open_folder(
    place: Path, asked: Mapping[str, Any], table: Mapping[str, Any], overwrite: bool = False
) -> Iterator[Folder]:
    """The folder of this job, alone: new, or left by an earlier run that was asked the same.

    Raises:
        FileError: it holds something else, and may not be overwritten.
        OptionError: another run is at work in it.
    """
    try:
        place.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise FileError("{path} is a file; name a folder.", path=place) from None
    except OSError as error:
        raise could_not_write(place, error) from None
    with (place / _LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OptionError(
                "Another job is at work in {path}; wait for it, or name another folder.", path=place
            ) from None
        # The lock's file stays: whoever removed it could let two in at once.
        yield _opened(place, asked, table, overwrite)


def _opened(place: Path, asked: Mapping[str, Any], table: Mapping[str, Any], overwrite: bool) -> Folder:
    file = place / JOB
    now = datetime.now(UTC).isoformat(timespec="seconds")
    new: dict[str, Any] = {
        "schema": JOB_SCHEMA,
        "asked": dict(asked),
        "table": dict(table),
        "started": now,
        "finished": None,
        "versions": {
            "leakgauge": version("leakgauge"),
            "python": platform.python_version(),
            **{name: version(name) for name in _LIBRARIES},
        },
        "stages": {},
        "outcome": None,
    }
    if not file.exists():
        if any(one.name != _LOCK and not one.name.startswith(".") for one in place.iterdir()) and not overwrite:
            raise FileError("{path} is not empty; name a new folder, or say --overwrite.", path=place)
        return Folder(place, new)
    found = parsed_json(file)
    require_schema(found, JOB_SCHEMA, file)
    same = all(digest_of(found.get(name) or {}) == digest_of(new[name]) for name in ("asked", "table"))
    if same:
        # What an interrupted run finished is kept; versions are those that finish the job.
        return Folder(place, {**found, "versions": new["versions"], "finished": None, "outcome": None})
    if not overwrite:
        raise FileError("{path} holds another job; name a new folder, or say --overwrite.", path=place)
    folder = Folder(place, found)
    if found["stages"]:
        folder.forget_from(next(iter(found["stages"])), found["stages"])
    return Folder(place, new)

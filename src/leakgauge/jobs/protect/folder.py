"""The folder of a job: what was asked, what each finished stage read and wrote, and who is at work in it."""

from __future__ import annotations

import fcntl
import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from leakgauge.artefacts import codec
from leakgauge.artefacts.codec import digest_of
from leakgauge.drafts import OWNER_ONLY, OWNER_ONLY_FOLDER, close_folder, could_not_write
from leakgauge.errors import FileError, OptionError
from leakgauge.probability.files import parsed_json, require_schema
from leakgauge.release.record import file_digest

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
        made: whether the folder was made for it.
    """

    place: Path
    fields: dict[str, Any] = field(default_factory=dict)
    made: bool = False

    def write(self, name: str, artefact: object) -> None:
        """Write an artefact."""
        codec.write(self.place / name, artefact)

    def read(self, name: str) -> dict[str, Any]:
        """The fields of an artefact."""
        return parsed_json(self.place / name)

    def has(self, name: str) -> bool:
        """Whether an artefact is there."""
        return (self.place / name).is_file()

    def is_done(self, stage: str, inputs: str) -> bool:
        """Whether a stage was finished from the same inputs and what it wrote is as it was."""
        done = self.fields["stages"].get(stage)
        return done is not None and done["inputs"] == inputs and self.is_whole(stage)

    def is_whole(self, stage: str) -> bool:
        """Whether what a finished stage wrote is as it was."""
        written = self.fields["stages"][stage]["outputs"]
        return all(self.has(file) and file_digest(self.place / file) == one for file, one in written.items())

    def forget(self, *stages: str) -> None:
        """Forget stages and what they wrote."""
        for name in stages:
            for file in self.fields["stages"].pop(name, {"outputs": {}})["outputs"]:
                (self.place / file).unlink(missing_ok=True)
        self.save()

    def drop(self, *files: str) -> None:
        """Remove what this job wrote, these files included, and the folder where it was made for it and is empty."""
        self.forget(*list(self.fields["stages"]))
        for name in (*files, JOB, "diagram.toml", _LOCK):
            (self.place / name).unlink(missing_ok=True)
        with suppress(OSError):
            if self.made:
                self.place.rmdir()

    def finish(
        self, stage: str, inputs: str, outputs: Iterable[str], seconds: float, refused: str | None = None
    ) -> None:
        """Note a finished stage, and why it refused where it did."""
        written = {file: file_digest(self.place / file) for file in outputs if self.has(file)}
        self.fields["stages"][stage] = {"inputs": inputs, "outputs": written, "seconds": round(seconds, 3)}
        if refused is not None:
            self.fields["stages"][stage]["refused"] = refused
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
    made = not place.exists()
    try:
        place.mkdir(OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
    except FileExistsError:
        raise FileError("{path} is a file; name a folder.", path=place) from None
    except OSError as error:
        raise could_not_write(place, error) from None
    with open(place / _LOCK, "w", opener=lambda path, flags: os.open(path, flags, OWNER_ONLY)) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OptionError(
                "Another job is at work in {path}; wait for it, or name another folder.", path=place
            ) from None
        # The lock's file stays: whoever removed it could let two in at once.
        yield replace(_opened(place, asked, table, overwrite), made=made)


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
    shared = not file.exists() and any(not one.name.startswith(".") for one in place.iterdir())
    if shared and not overwrite:
        raise FileError("{path} is not empty; name a new folder, or say --overwrite.", path=place)
    if not shared:
        # A folder that holds other things too may have other readers; each file of the job is closed all the same.
        close_folder(place)
    if not file.exists():
        return Folder(place, new)
    found = parsed_json(file)
    require_schema(found, JOB_SCHEMA, file)
    same = all(digest_of(found.get(name) or {}) == digest_of(new[name]) for name in ("asked", "table"))
    if same:
        # What an interrupted run finished is kept; versions are those that finish the job.
        return Folder(place, {**found, "versions": new["versions"], "finished": None, "outcome": None})
    if "release" in found["stages"] and not overwrite:
        raise FileError("{path} holds the release of another job; name a new folder, or say --overwrite.", path=place)
    # What released nothing is no loss.
    folder = Folder(place, found)
    folder.forget(*list(found["stages"]))
    return Folder(place, new)

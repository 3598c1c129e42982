"""The folder of a job: the request, what each finished stage read and wrote, and a lock."""

from __future__ import annotations

import fcntl
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from leakgauge.artefacts import Job, Request, StageDone, codec
from leakgauge.artefacts.codec import Stored
from leakgauge.artefacts.dossier import JOB, Dossier, ResultFile, gathered
from leakgauge.artefacts.job import TableRead
from leakgauge.artefacts.request import StoredRequest
from leakgauge.drafts import OWNER_ONLY, OWNER_ONLY_FOLDER, close_folder, could_not_write, write_whole
from leakgauge.errors import FileError, OptionError, RefusalError
from leakgauge.release import Release, ReleasePlan
from leakgauge.release.estimates.kit import drop_kit
from leakgauge.release.record import file_digest
from leakgauge.report.reading import DIAGRAM

KIT = "kit"
"""The folder of the recipient's kit."""
_LOCK = ".job.lock"
_LIBRARIES = ("numpy", "scipy", "duckdb", "pyarrow", "opendp")


@dataclass(frozen=True)
class Found:
    """What a stage found.

    Attributes:
        parts: of the dossier, and other artefacts and texts by the names of their files, in the order of its outputs.
        written: the files that it wrote itself.
        plan: of the release, where the stage chose it; ``release`` where the stage made it.
        refused: why the job goes no further.
    """

    parts: tuple[Dossier | Mapping[str, msgspec.Struct | str], ...] = ()
    written: tuple[str, ...] = ()
    plan: ReleasePlan | None = None
    release: Release | None = None
    refused: RefusalError | None = None


@dataclass
class Folder:
    """A job and its folder; the job is written to ``job.json`` after every stage.

    Attributes:
        made: whether the folder was created for this job.
        held: artefacts that this run wrote or read, by the names of their files.
        plan: of the release, if this run made or read it.
        release: if this run made or read it.
    """

    place: Path
    job: Job
    made: bool = False
    held: dict[str, msgspec.Struct] = field(default_factory=dict)
    plan: ReleasePlan | None = None
    release: Release | None = None

    def read(self, kind: type[Stored], name: str) -> Stored:
        """An artefact: the object itself where this run made it, otherwise what its file says."""
        found = self.held.get(name)
        if not isinstance(found, kind):
            self.held[name] = found = codec.read(kind, self.place / name)
        return found

    def get(self, kind: type[Stored], name: str) -> Stored | None:
        """An artefact; None where the job has none of this name."""
        return self.read(kind, name) if self.has(name) else None

    def result(self, file: ResultFile[Stored], secret: tuple[str, ...] = ()) -> Stored:
        """A result, of a secret where there is one for each."""
        return self.read(file.kind, self._name(file, secret))

    def found(self, file: ResultFile[Stored], secret: tuple[str, ...] = ()) -> Stored | None:
        """A result; None where the job has none."""
        return self.get(file.kind, self._name(file, secret))

    def _name(self, file: ResultFile[Stored], secret: tuple[str, ...]) -> str:
        return file.about(secret, self.job.request.roles.sources) if file.of_a_secret else file.name

    def dossier(self) -> Dossier:
        """Everything that was found."""
        return gathered(self.get, self.job.request)

    def has(self, name: str) -> bool:
        """Whether an artefact is there."""
        return (self.place / name).is_file()

    def is_done(self, stage: str, inputs: str) -> bool:
        """Whether a stage was finished from the same inputs and its output is unchanged."""
        done = self.job.stages.get(stage)
        return (done is not None and done.inputs == inputs) and all(
            self.has(file) and file_digest(self.place / file) == digest for file, digest in done.outputs.items()
        )

    def forget(self, *stages: str) -> None:
        """Forget stages and their output; the kit contains the release, and goes with it."""
        if "release" in stages:
            drop_kit(self.place / KIT)
        for name in stages:
            for file in self.job.stages[name].outputs if name in self.job.stages else ():
                (self.place / file).unlink(missing_ok=True)
                self.held.pop(file, None)
        self.note(stages={name: done for name, done in self.job.stages.items() if name not in stages})

    def drop(self, *files: str) -> None:
        """Remove the files of this job, these included, and the folder if it was created for the job and is empty."""
        self.forget(*self.job.stages)
        for name in (*files, JOB.name, DIAGRAM, _LOCK):
            (self.place / name).unlink(missing_ok=True)
        with suppress(OSError):
            if self.made:
                self.place.rmdir()

    def finish(self, stage: str, inputs: str, found: Found, seconds: float) -> None:
        """Write what a finished stage found, and record it."""
        results = dict[str, msgspec.Struct | str]()
        for part in found.parts:
            results.update(part.files() if isinstance(part, Dossier) else part)
        for name, result in results.items():
            if name not in found.written:
                self._write(name, result)
        self.held |= {name: result for name, result in results.items() if isinstance(result, msgspec.Struct)}
        self.plan, self.release = found.plan or self.plan, found.release or self.release
        outputs = {name: file_digest(self.place / name) for name in dict.fromkeys((*found.written, *results))}
        refused = None if found.refused is None else found.refused.sentence
        self.note(stages={**self.job.stages, stage: StageDone(inputs, outputs, round(seconds, 3), refused)})

    def _write(self, name: str, result: msgspec.Struct | str) -> None:
        write_whole(self.place / name, result if isinstance(result, str) else codec.text_of(result))

    def note(self, **changes: Any) -> None:
        """Change fields of the job, and write its file."""
        self.job = msgspec.structs.replace(self.job, **changes)
        self.held[JOB.name] = self.job
        self._write(JOB.name, self.job)


@contextmanager
def open_folder(place: Path, asked: Request, table: TableRead, overwrite: bool = False) -> Iterator[Folder]:
    """The folder of this job, locked: new, or left by an earlier run of the same request.

    Raises:
        FileError: it contains something else, and may not be overwritten.
        OptionError: another run is using it.
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
                "Another job is running in {path}; wait for it, or name another folder.", path=place
            ) from None
        # The lock file stays: removing it could let two jobs in at once.
        yield replace(_opened(place, asked, table, overwrite), made=made)


def _opened(place: Path, asked: Request, table: TableRead, overwrite: bool) -> Folder:
    file = place / JOB.name
    versions = {"leakgauge": version("leakgauge"), "python": platform.python_version()}
    versions |= {name: version(name) for name in _LIBRARIES}
    started = datetime.now(UTC).isoformat(timespec="seconds")
    new = Job(StoredRequest.of(asked), table, started, finished=None, versions=versions, stages={}, outcome=None)
    shared = not file.exists() and any(not one.name.startswith(".") for one in place.iterdir())
    if shared and not overwrite:
        raise FileError("{path} is not empty; name a new folder, or add --overwrite.", path=place)
    if not shared:
        # A folder with other contents may have other readers; each file of the job is private all the same.
        close_folder(place)
    if not file.exists():
        return Folder(place, new)
    found = codec.read(Job, file)
    if (_undeclared(found.request), found.table) == (_undeclared(asked), table):
        # Stages of an interrupted run are kept; the versions stored are those that finish the job.
        return Folder(
            place,
            msgspec.structs.replace(
                found, asked=StoredRequest.of(asked), versions=versions, finished=None, outcome=None
            ),
        )
    if "release" in found.stages and not overwrite:
        raise FileError("{path} holds the release of another job; name a new folder, or add --overwrite.", path=place)
    # A job that released nothing may be replaced.
    folder = Folder(place, found)
    folder.forget(*found.stages)
    return Folder(place, new)


def _undeclared(asked: Request) -> Request:
    """The fields that affect the draw: a purpose declared later only has the same release judged again."""
    return msgspec.structs.replace(asked, declared=asked.declared.unworded())

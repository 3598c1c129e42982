"""The dossier in the folder of a job, read and checked."""

from __future__ import annotations

from pathlib import Path

from leakgauge.artefacts import Audit, Job, Judgement, codec
from leakgauge.artefacts.codec import Stored
from leakgauge.artefacts.dossier import (
    AUDIT,
    JOB,
    RECORD,
    SEALED,
    VERDICT,
    Dossier,
    gathered,
    names_in,
    with_foreign_secrets,
)
from leakgauge.assessment import Diagram, default_diagram, read_diagram
from leakgauge.errors import FileError, VerificationError
from leakgauge.probability.files import parsed_json
from leakgauge.release.record import file_digest

DIAGRAM = "diagram.toml"
"""The arcs that are drawn, where a job has its own."""


def read_dossier(folder: Path | str) -> Dossier:
    """The results in a folder.

    Raises:
        FileError: there is no such folder, nothing to report is in it, its job is not finished, or a result cannot be
            read.
        VerificationError: a result was changed or taken away after it was made.
    """
    place = Path(folder)
    if not place.is_dir():
        raise FileError("{path} is not a folder; name the folder of a finished job.", path=place)
    job = _read(place, Job, JOB.name)
    if job is None and not (place / RECORD.name).exists():
        return _foreign(place)
    if job is not None:
        _require_whole(place, job)

    def read(kind: type[Stored], name: str) -> Stored | None:
        return _read(place, kind, name)

    return gathered(read, None if job is None else job.request)


def diagram_in(folder: Path | str) -> Diagram:
    """The arcs that a report on a folder draws.

    Raises:
        ModelError: a file that is not a diagram.
    """
    own = Path(folder) / DIAGRAM
    return read_diagram(own) if own.exists() else default_diagram()


def _read(place: Path, kind: type[Stored], name: str) -> Stored | None:
    file = place / name
    if not file.exists():
        return None
    fields = parsed_json(file)
    found = codec.decode(kind, fields, file)
    if name in (one.name for one in SEALED):
        codec.require_digest(fields, file)
    return found


def _require_whole(place: Path, job: Job) -> None:
    """Refuse the folder of a job that is not finished, or whose files are not those that it wrote."""
    if job.finished is None:
        raise FileError("The job in {path} is not finished; run the same command again to finish it.", path=place)
    known = names_in(job.request.roles)
    # Reports are written again and again, and nothing is read from them.
    stages = [done for name, done in job.stages.items() if name != "report"]
    for file, digest in (written for done in stages for written in done.outputs.items()):
        found = place / Path(file).name
        if found.exists() and file_digest(found) != digest:
            raise VerificationError(
                "{path} was changed after the job wrote it; put it back as it was, or run the job again.", path=found
            )
        # The released table may be elsewhere by now; what the report rests on must be here.
        if not found.exists() and file in known:
            raise VerificationError(
                "{path}, which the job wrote, is missing; put it back, or run the job again.", path=found
            )


def _foreign(place: Path) -> Dossier:
    """The dossier of a release made elsewhere: its audit, and a verdict on it."""
    audit = _read(place, Audit, AUDIT.name)
    if audit is None or audit.foreign is None:
        raise FileError(
            "{path} has neither a job.json nor a release.json; name the folder of a finished job.", path=place
        )
    verdict = _read(place, Judgement, VERDICT.name)
    if verdict is not None and verdict.record != audit.digest:
        raise VerificationError(
            "{path} does not belong to the audit beside it; assess the release again.", path=place / VERDICT.name
        )
    return with_foreign_secrets(Dossier(audit=audit, verdict=verdict))

"""What a folder says of its job, checked: anybody may have written it, so whatever is of another kind is left out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from leakgauge.artefacts import Headline, Outcome, PageJob, Request, SecretOutcome, codec
from leakgauge.artefacts import Job as JobFile
from leakgauge.artefacts.dossier import JOB
from leakgauge.artefacts.exposure import Total
from leakgauge.artefacts.request import StoredRequest
from leakgauge.artefacts.schemas import raised
from leakgauge.errors import InputError, OptionError, VerificationError
from leakgauge.web.questions import SHOWN

KIT: Final = "kit"
Part = TypeVar("Part", bound=msgspec.Struct)


@dataclass(frozen=True)
class StoredJob:
    """What the job itself left in its folder; None where it is not known, or the job did not get that far.

    ``asked`` is the question for the page, and ``request`` the same as a job is asked, where it can still be asked so;
    ``outputs`` are the names of files by the finished stage that left them, and ``seconds`` what it took.
    """

    asked: Mapping[str, object] = field(default_factory=dict)
    request: Request | None = None
    started: str | None = None
    outputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    outcome: Outcome | None = None
    headline: Headline | None = None
    secrets: tuple[SecretOutcome, ...] = ()
    total: Total | None = None

    @property
    def released(self) -> bool:
        """Whether something was released."""
        return self.outcome is not None and self.outcome.released


def stored_job_in(folder: Path) -> StoredJob | None:
    """What a job left in its folder; None where there is nothing, or something else."""
    found = raised(JobFile, read_object(folder / JOB.name))
    question = _question(found.get("asked"))
    if found.get("schema") != codec.schema_of(JobFile) or question is None:
        return None
    return StoredJob(
        *question,
        started=_time(found.get("started")),
        outputs=_outputs(found.get("stages")),
        seconds=_seconds(found.get("stages")),
        outcome=part_of(Outcome, found.get("outcome")),
        headline=part_of(Headline, found.get("headline")),
        secrets=_parts(SecretOutcome, found.get("secrets")),
        total=part_of(Total, found.get("total")),
    )


def page_job_in(file: Path) -> PageJob | None:
    """What a server noted of a job; None where there is nothing, or something else."""
    found = part_of(PageJob, read_object(file))
    if found is None:
        return None
    try:
        found.asked.request()
    except OptionError:
        return None
    return msgspec.structs.replace(found, started=_time(found.started))


def part_of(kind: type[Part], found: object) -> Part | None:
    """A part of a file; None where it is of another kind."""
    try:
        return codec.decode(kind, found, JOB.name) if isinstance(found, dict) else None
    except (InputError, VerificationError):
        return None


def _parts(kind: type[Part], found: object) -> tuple[Part, ...]:
    """A list of a file; empty where one of its parts is of another kind."""
    parts = [part_of(kind, one) for one in found] if isinstance(found, list) else []
    return tuple(one for one in parts if one is not None) if None not in parts else ()


def shown_of(request: Mapping[str, Any]) -> dict[str, object]:
    """The fields of a request for the page."""
    plain = {"distortion": (["hamming"], ("hamming",)), "releases_per_period": (1.0,), "keep_order": (False,)}
    # What was asked before there were these fields is the same question.
    shown = {
        name: request[name]
        for name in SHOWN
        if request.get(name) is not None and request[name] not in plain.get(name, ())
    }
    return {"table": Path(request["table"]).name, **shown}


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file; empty where there is none."""
    try:
        # Unlike the standard library it takes no NaN, which no answer of the server could hold.
        found = msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _question(found: object) -> tuple[dict[str, object], Request | None] | None:
    """What was asked, for the page and as a request; None where a field is of another kind."""
    known = [one.name for one in msgspec.structs.fields(StoredRequest)]
    given = {name: found[name] for name in known if found.get(name) is not None} if isinstance(found, dict) else {}
    if not isinstance(given.get("table"), str) or "\\u0000" in json.dumps(given):
        return None
    try:
        request = codec.decode(StoredRequest, given, JOB.name).request()
    except OptionError:
        # Every field is of its kind, but no job would take them together any more.
        request = None
    except (InputError, VerificationError):
        return None
    return shown_of(given), request


def _outputs(found: object) -> dict[str, tuple[str, ...]]:
    stages = found.items() if isinstance(found, dict) else ()
    outputs = {name: stage.get("outputs") for name, stage in stages if isinstance(stage, dict)}
    return {name: tuple(files) for name, files in outputs.items() if isinstance(files, dict)}


def _seconds(found: object) -> dict[str, float]:
    stages = found.items() if isinstance(found, dict) else ()
    taken = {name: stage.get("seconds") for name, stage in stages if isinstance(stage, dict)}
    return {
        name: round(float(seconds), 1)
        for name, seconds in taken.items()
        if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and 0 <= seconds < 1e9
    }


def _time(found: object) -> str | None:
    """A time in UTC to the second, such as 2026-11-16T08:19:03Z."""
    try:
        moment = datetime.fromisoformat(found) if isinstance(found, str) else None
        return None if moment is None or moment.tzinfo is None else written(moment)
    except (ValueError, OverflowError):
        return None


def written(moment: datetime) -> str:
    """A time as the page reads it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

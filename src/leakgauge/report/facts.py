"""The contents of a job's folder, and its numbers with their sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_HALF_EVEN
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from leakgauge.artefacts import (
    Audit,
    AuditedRecord,
    ChannelFile,
    CoarseningFound,
    Comparison,
    Design,
    Finding,
    Frontier,
    Job,
    Judgement,
    Levels,
    Measurement,
    PublicRecord,
    Recipients,
    Record,
    Request,
    StoredImprovement,
    Survey,
    Utility,
    codec,
)
from leakgauge.artefacts.location import (
    LocationComparison,
    LocationDesign,
    LocationProtection,
    LocationSurvey,
    LocationTrack,
)
from leakgauge.artefacts.telling import Telling
from leakgauge.assessment import Diagram, default_diagram, read_diagram
from leakgauge.errors import FileError, VerificationError
from leakgauge.probability.files import parsed_json
from leakgauge.release import Release
from leakgauge.release.record import file_digest
from leakgauge.report.numbers import Number
from leakgauge.visible import visible

ARTEFACTS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "job.json": Job,
    "coarsening.json": CoarseningFound,
    "survey.json": Survey,
    "telling.json": Telling,
    "measurement.json": Measurement,
    "design.json": Design,
    "channel.json": ChannelFile,
    "frontier.json": Frontier,
    "comparison.json": Comparison,
    "improvement.json": StoredImprovement,
    "release.json": Record,
    "release.public.json": PublicRecord,
    "location.json": LocationProtection,
    "location-survey.json": LocationSurvey,
    "location-design.json": LocationDesign,
    "location-comparison.json": LocationComparison,
    "location-track.json": LocationTrack,
    "leakage.json": Measurement,
    "levels.json": Levels,
    "utility.json": Utility,
    "audit.json": Audit,
    "recipients.json": Recipients,
    "promise.json": Judgement,
    "verdict.json": Judgement,
}
"""The artefacts of a job that are reported; every one may be absent."""
_SHARED: Final = (
    *("job.json", "coarsening.json", "survey.json", "telling.json", "release.json", "release.public.json"),
    *("audit.json", "recipients.json", "promise.json", "verdict.json", "location.json"),
    *("location-survey.json", "location-design.json", "location-comparison.json", "location-track.json"),
)
"""Artefacts that a job with several secrets has once; it has the others for each."""
_SEALED: Final = ("release.json", "release.public.json", "audit.json")
"""Artefacts with a digest over their fields."""
_INFINITE: Final = ("infinity", "-infinity")
_NEVER: Final = 1e-9
"""What is released less often than this is never seen."""


def artefacts_of(asked: Request) -> dict[str, type[msgspec.Struct]]:
    """The artefacts of a job with their kinds: those about one secret once for each, by its own file's name."""
    names = {
        name: [name] if name in _SHARED else [asked.roles.file(name, one) for one in asked.roles.sources]
        for name in ARTEFACTS
    }
    public = {asked.roles.public_file("design.json", one): Design for one in asked.roles.public_through}
    return public | {file: ARTEFACTS[name] for name, files in names.items() for file in files}


def _own_files(asked: Request) -> dict[tuple[str, ...], dict[str, str]]:
    own = [name for name in ARTEFACTS if name not in _SHARED]
    several = asked.roles.sources if len(asked.roles.sources) > 1 else ()
    return {tuple(visible(one)): {name: asked.roles.file(name, one) for name in own} for one in several}


class _Visible(dict[str, Mapping[str, Any]]):
    """Fields of files in which nothing is hidden: facts are told of many times, and looked through once."""


@dataclass(frozen=True)
class Facts:
    """The fields of the artefacts of a job, by the names of their files.

    Attributes:
        diagram: the arcs that are drawn, where a score over them was asked for.
        own: the files of each of several secrets by the names they have in a job with one; empty where there is one.
        group: the secret that is spoken of, where there are several; its files go by those names.
    """

    files: Mapping[str, Mapping[str, Any]]
    diagram: Diagram = field(default_factory=default_diagram)
    own: Mapping[tuple[str, ...], Mapping[str, str]] = field(default_factory=dict, kw_only=True)
    group: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        # Names and values are the user's, and must not turn or hide what is said beside them.
        if not isinstance(self.files, _Visible):
            object.__setattr__(self, "files", _Visible(visible(dict(self.files))))

    @classmethod
    def of(cls, artefacts: Mapping[str, msgspec.Struct], diagram: Diagram) -> Facts:
        """The facts in artefacts, by the names of their files."""
        job = artefacts.get("job.json")
        audit = artefacts.get("audit.json")
        foreign = audit.foreign if isinstance(audit, Audit) else None
        own = _own_files(job.request) if isinstance(job, Job) else {}
        if job is None and foreign is not None and len(foreign.secrets) > 1:
            own = {tuple(visible((name,))): {} for name in foreign.secrets}
        return cls({name: codec.encode(one) for name, one in artefacts.items()}, diagram, own=own)

    def about(self, group: tuple[str, ...]) -> Self:
        """The same facts, told of one of several secrets: its files go by the names they have in a job with one."""
        own = {name: self.files[file] for name, file in self.own[group].items() if file in self.files}
        return replace(self, files=_Visible({**self.files, **own}), group=group)

    @cached_property
    def each(self) -> tuple[Self, ...]:
        """The facts of each secret; of a single one, these."""
        return tuple(map(self.about, self.own)) or (self,)

    @property
    def kinds(self) -> Mapping[str, type[msgspec.Struct]]:
        """The kind of each file that a report may be made of."""
        own = {file: ARTEFACTS[name] for files in self.own.values() for name, file in files.items()}
        return {**ARTEFACTS, **own}

    @classmethod
    def gathered(cls, release: Release, findings: Sequence[Finding], verdict: Judgement | None) -> Facts:
        """The artefacts that a release, what attacks found and the verdict on it would be written to."""
        artefacts: dict[str, msgspec.Struct] = {"release.json": release.record}
        if findings:
            artefacts["audit.json"] = _audit(release, findings)
        if verdict is not None:
            artefacts["verdict.json"] = verdict
        return cls.of(artefacts, default_diagram())

    @classmethod
    def read(cls, folder: Path | str) -> Facts:
        """The artefacts in a folder.

        Raises:
            FileError: there is no such folder, nothing to report is in it, its job is not finished, or an artefact
                cannot be read.
            VerificationError: an artefact was changed or taken away after it was made.
            ModelError: a file that is not a diagram.
        """
        place = Path(folder)
        if not place.is_dir():
            raise FileError("{path} is not a folder; name the folder of a finished job.", path=place)
        kinds = ARTEFACTS
        if (place / "job.json").exists():
            job = codec.read(Job, place / "job.json")
            kinds = artefacts_of(job.request)
            _require_whole(place, job, kinds)
        elif (place / "audit.json").exists() and not (place / "release.json").exists():
            kinds = _foreign_kinds(place)
        found = {name: _read(kind, place / name) for name, kind in kinds.items() if (place / name).exists()}
        if not found.keys() & {"job.json", "release.json", "audit.json"}:
            raise FileError(
                "{path} has neither a job.json nor a release.json; name the folder of a finished job.", path=place
            )
        own = place / "diagram.toml"
        return cls.of(found, read_diagram(own) if own.exists() else default_diagram())

    def get(self, file: str, *path: str | int) -> Any:
        """What stands at a place; None where nothing does."""
        found: Any = self.files.get(file)
        for step in path:
            if isinstance(found, Mapping):
                found = found.get(step)
            elif isinstance(found, list) and isinstance(step, int) and -len(found) <= step < len(found):
                found = found[step]
            else:
                return None
        return found

    def has(self, file: str, *path: str | int) -> bool:
        """Whether something stands at a place."""
        return self.get(file, *path) is not None

    def items(self, file: str, *path: str | int) -> list[Any]:
        """The entries of the list at a place; none where no list stands."""
        found = self.get(file, *path)
        return found if isinstance(found, list) else []

    def names(self, file: str, *path: str | int) -> list[str]:
        """The names of the fields at a place, or the texts of the list there."""
        found = self.get(file, *path)
        return [str(one) for one in found] if isinstance(found, dict | list) else []

    def number(
        self,
        file: str,
        *path: str | int,
        unit: str = "",
        count: bool = False,
        digits: int = 3,
        percent: bool = False,
        interval: tuple[str | int, ...] = (),
        rounding: str = "",
    ) -> Number:
        """The number at a place, with its unit and interval where a whole quantity stands there.

        The unit, and the place of the interval in the same artefact, are of a number that stands alone; the other
        options are those of ``Number``; without a rounding, levels go up and all others to the nearest.

        Raises:
            FileError: no number stands there.
        """
        found = self.get(file, *path)
        bounds = (self.get(file, *interval) if interval else None) or {}
        if isinstance(found, dict):
            bounds, unit, found = found, str(found.get("unit") or unit), found.get("value")
        # A share is a percentage, whatever it is a share of.
        percent = percent or unit.split(" ")[0] == "share"
        if not _is_number(found):
            raise _without_number(self._place(file, *path))
        low, high, confidence = (
            bounds.get(end) if _is_number(bounds.get(end)) else None for end in ("low", "high", "confidence")
        )
        # A level is a bound on what is told.
        rounding = rounding or (ROUND_CEILING if unit.startswith("nats") else ROUND_HALF_EVEN)
        return Number(found, unit, self._place(file, *path), low, high, confidence, count, digits, percent, rounding)

    def _place(self, file: str, *path: str | int) -> str:
        """The source of what stands at a place: the file's own name, whatever it goes by."""
        return source_of(self.own.get(self.group, {}).get(file, file), *path)

    def never_released(self, file: str, *path: str) -> tuple[Number, Number] | None:
        """How many values of the channel at a place never appear in the release, and of how many; None where all do."""
        if not self.items(file, *path, "matrix") or not self.items(file, *path, "outputs", "labels"):
            return None
        never = self._derived(file, *path, "matrix")
        return (never, self._derived(file, *path, "outputs", "labels")) if never.value else None

    def _derived(self, file: str, *path: str | int) -> Number:
        """What is told of the list at a place."""
        source = self._place(file, *path)
        return Number(self.resolve(source), "", source)

    def resolve(self, source: str) -> Any:
        """What stands at the source of a number: the value of a whole quantity, and of a list what is told of it.

        That is the empty columns of a matrix, and how many labels there are.
        """
        file, _, pointer = source.partition("#")
        found = self.files.get(file)
        for step in pointer.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            found = found[int(name)] if isinstance(found, list) else (found or {})[name]
        if isinstance(found, list):
            return _empty_columns(found) if source.endswith("/matrix") else len(found)
        return found["value"] if isinstance(found, dict) else found


def _empty_columns(matrix: list[list[float]]) -> int:
    """How many columns of a channel are 0 in every row: such a value is never released."""
    return sum(all(share < _NEVER for share in column) for column in zip(*matrix, strict=True))


def source_of(file: str, *path: str | int) -> str:
    """The file and the JSON pointer of a place in it."""
    return f"{file}#" + "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        return value in _INFINITE
    return isinstance(value, int | float) and not isinstance(value, bool)


def _without_number(place: str) -> FileError:
    return FileError("{file} has no number at {place}; run the job again.", file=place.partition("#")[0], place=place)


def _require_whole(place: Path, job: Job, kinds: Mapping[str, type[msgspec.Struct]]) -> None:
    """Refuse the folder of a job that is not finished, or whose files are not those that it wrote."""
    if job.finished is None:
        raise FileError("The job in {path} is not finished; run the same command again to finish it.", path=place)
    # Reports are written again and again, and nothing is read from them.
    stages = [done for name, done in job.stages.items() if name != "report"]
    for file, digest in (written for done in stages for written in done.outputs.items()):
        found = place / Path(file).name
        if found.exists() and file_digest(found) != digest:
            raise VerificationError(
                "{path} was changed after the job wrote it; put it back as it was, or run the job again.", path=found
            )
        # The released table may be elsewhere by now; what the report rests on must be here.
        if not found.exists() and file in kinds:
            raise VerificationError(
                "{path}, which the job wrote, is missing; put it back, or run the job again.", path=found
            )


def _foreign_kinds(place: Path) -> Mapping[str, type[msgspec.Struct]]:
    """What there may be beside the audit of a release made elsewhere: a verdict on it."""
    audit = _read(Audit, place / "audit.json")
    if not isinstance(audit, Audit) or audit.foreign is None:
        return {}
    file = place / "verdict.json"
    verdict = _read(Judgement, file) if file.exists() else None
    if isinstance(verdict, Judgement) and verdict.record != audit.digest:
        raise VerificationError("{path} does not belong to the audit beside it; assess the release again.", path=file)
    return {"audit.json": Audit, "verdict.json": Judgement}


def _read(kind: type[msgspec.Struct], place: Path) -> msgspec.Struct:
    fields = parsed_json(place)
    found = codec.decode(kind, fields, place)
    if place.name in _SEALED:
        codec.require_digest(fields, place)
    return found


def _audit(release: Release, findings: Sequence[Finding]) -> Audit:
    wrong = tuple(one.broken_claim for one in findings if one.beats_claim)
    record = AuditedRecord(release.record.reference, release.digest)
    sure = findings[0].success.confidence or 0.0
    private = release.record.private
    return codec.sealed(Audit(record, private, release.rows, sure, bool(wrong), wrong, attacks=tuple(findings)))

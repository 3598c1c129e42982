"""Everything a job found as one type, and the only table of the names of its files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol

import msgspec

from leakgauge.artefacts.audit import Audit
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.clauses import Clauses
from leakgauge.artefacts.codec import Stored
from leakgauge.artefacts.design import Comparison, Design, Frontier
from leakgauge.artefacts.estimates import Recipients
from leakgauge.artefacts.improvement import StoredImprovement
from leakgauge.artefacts.job import Job
from leakgauge.artefacts.location import (
    LocationComparison,
    LocationDesign,
    LocationProtection,
    LocationSurvey,
    LocationTrack,
)
from leakgauge.artefacts.measurement import Measurement, Utility
from leakgauge.artefacts.quantity import Levels, Part
from leakgauge.artefacts.record import Plan, PublicRecord, Record
from leakgauge.artefacts.request import Request
from leakgauge.artefacts.request.roles import Roles, file_about
from leakgauge.artefacts.survey import CoarseningFound, Survey, Telling
from leakgauge.artefacts.verdict import Judgement, Recommendation


@dataclass(frozen=True)
class ResultFile(Generic[Stored]):
    """A kind of result, and the file of a job's folder that keeps it.

    Attributes:
        name: of the file; in a job with several secrets a file about one of them has its own.
        stage: of the main job that writes it; empty of what the job itself writes, or another command.
        of_a_secret: whether there is one for each secret.
    """

    name: str
    kind: type[Stored]
    field: str
    stage: str = ""
    of_a_secret: bool = False

    def about(self, secret: tuple[str, ...], secrets: Sequence[tuple[str, ...]]) -> str:
        """Its name in the folder of a job on these secrets, where it is about one of them."""
        return file_about(self.name, secret, secrets)

    def names(self, roles: Roles) -> tuple[str, ...]:
        """Its names in the folder of a job with these roles: one, or one for each secret."""
        return tuple(self.about(one, roles.sources) for one in roles.sources) if self.of_a_secret else (self.name,)


JOB: Final = ResultFile("job.json", Job, "job")
COARSENING: Final = ResultFile("coarsening.json", CoarseningFound, "coarsening", "survey")
SURVEY: Final = ResultFile("survey.json", Survey, "survey", "survey")
TELLING: Final = ResultFile("telling.json", Telling, "telling", "design")
MEASUREMENT: Final = ResultFile("measurement.json", Measurement, "measurement", "measure", of_a_secret=True)
DESIGN: Final = ResultFile("design.json", Design, "design", "design", of_a_secret=True)
CHANNEL: Final = ResultFile("channel.json", ChannelFile, "channel", "design", of_a_secret=True)
FRONTIER: Final = ResultFile("frontier.json", Frontier, "frontier", "design", of_a_secret=True)
COMPARISON: Final = ResultFile("comparison.json", Comparison, "comparison", "design", of_a_secret=True)
IMPROVEMENT: Final = ResultFile("improvement.json", StoredImprovement, "improvement", "design", of_a_secret=True)
RECORD: Final = ResultFile("release.json", Record, "record", "release")
PUBLIC_RECORD: Final = ResultFile("release.public.json", PublicRecord, "public_record", "release")
LOCATION: Final = ResultFile("location.json", LocationProtection, "location")
LOCATION_SURVEY: Final = ResultFile("location-survey.json", LocationSurvey, "location_survey")
LOCATION_DESIGN: Final = ResultFile("location-design.json", LocationDesign, "location_design")
LOCATION_COMPARISON: Final = ResultFile("location-comparison.json", LocationComparison, "location_comparison")
LOCATION_TRACK: Final = ResultFile("location-track.json", LocationTrack, "location_track")
LEAKAGE: Final = ResultFile("leakage.json", Measurement, "leakage", "audit", of_a_secret=True)
LEVELS: Final = ResultFile("levels.json", Levels, "levels", "audit", of_a_secret=True)
UTILITY: Final = ResultFile("utility.json", Utility, "utility", "audit", of_a_secret=True)
AUDIT: Final = ResultFile("audit.json", Audit, "audit", "audit")
RECIPIENTS: Final = ResultFile("recipients.json", Recipients, "recipients", "audit")
PROMISE: Final = ResultFile("promise.json", Judgement, "promise", "design")
VERDICT: Final = ResultFile("verdict.json", Judgement, "verdict", "assess")
CLAUSES: Final = ResultFile("clauses.json", Clauses, "clauses")
FILES: Final[tuple[ResultFile[Any], ...]] = tuple(one for one in [*globals().values()] if isinstance(one, ResultFile))
"""The results that a dossier holds; every one may be absent."""
SEALED: Final = (RECORD, PUBLIC_RECORD, AUDIT)
"""Those with a digest over their fields."""
REPORT: Final = "report.json"
"""The report as data, which nothing is read from."""


def public_file(file: ResultFile[Stored], column: str, columns: Iterable[str]) -> str:
    """The name of a file about one of the public columns that go through channels."""
    return file_about(f"public-{file.name}", (column,), [(one,) for one in columns])


def names_in(roles: Roles) -> set[str]:
    """The names of all results in the folder of a job with these roles."""
    columns = roles.public_through
    public = {public_file(DESIGN, column, columns) for column in columns}
    return public | {name for file in FILES for name in file.names(roles)}


class SecretResults(Part, frozen=True):
    """What was found about one secret; None where nothing was.

    Attributes:
        secret: its columns; empty where no job names them.
        leakage: of the release; the measurement is that of the unchanged table.
    """

    secret: tuple[str, ...] = ()
    measurement: Measurement | None = None
    design: Design | None = None
    channel: ChannelFile | None = None
    frontier: Frontier | None = None
    comparison: Comparison | None = None
    improvement: StoredImprovement | None = None
    leakage: Measurement | None = None
    levels: Levels | None = None
    utility: Utility | None = None


Change = Callable[[str, Any], Any]
"""Takes the name of a file and its result, and returns what stands in its place; None where nothing does."""


class Dossier(Part, frozen=True, kw_only=True):
    """Everything a job found; None where it did not find out.

    Attributes:
        secrets: the results of each; one where there is a single secret, or no job says which there are.
        public: the designs of public columns that go through channels, by the column.
        record: of the release; ``public_record`` is the part that is handed out.
        promise: the verdict by law, before anything was drawn.
    """

    secrets: tuple[SecretResults, ...] = (SecretResults(),)
    public: dict[str, Design] = msgspec.field(default_factory=dict)
    job: Job | None = None
    survey: Survey | None = None
    coarsening: CoarseningFound | None = None
    telling: Telling | None = None
    record: Record | None = None
    public_record: PublicRecord | None = None
    audit: Audit | None = None
    recipients: Recipients | None = None
    promise: Judgement | None = None
    verdict: Judgement | None = None
    clauses: Clauses | None = None
    location: LocationProtection | None = None
    location_survey: LocationSurvey | None = None
    location_design: LocationDesign | None = None
    location_comparison: LocationComparison | None = None
    location_track: LocationTrack | None = None

    @property
    def plan(self) -> Plan | None:
        """What was released, and how."""
        return None if self.record is None else self.record.plan

    @property
    def released(self) -> bool:
        """Whether anything was released."""
        if self.audit is not None and self.audit.foreign is not None:
            return True
        outcome = None if self.job is None else self.job.outcome
        return self.record is not None and (outcome is None or outcome.released is not False)

    @property
    def is_refused(self) -> bool:
        """Whether it must not be handed out: nothing was released, it is a rehearsal, or something forbids it."""
        outcome = None if self.job is None else self.job.outcome
        rehearsed = self.record is not None and not self.record.private
        return not self.released or rehearsed or (outcome is not None and outcome.reason is not None)

    @property
    def is_advised_against(self) -> bool:
        """Whether the verdict is against handing it out, be it by limits that hold by default."""
        against = self.verdict is not None and self.verdict.recommendation is Recommendation.DO_NOT_RELEASE
        return self.is_refused or against

    def mapped(self, change: Change, text: Callable[[str], str] = str) -> Dossier:
        """The dossier with every result changed; ``text`` changes the names of the columns that results are about."""
        groups = [one.secret for one in self.secrets]

        def changed(file: ResultFile[Any], owner: Dossier | SecretResults, name: str) -> Any:
            found = getattr(owner, file.field)
            return None if found is None else change(name, found)

        own = [file for file in FILES if file.of_a_secret]
        secrets = tuple(
            SecretResults(
                tuple(map(text, one.secret)),
                **{file.field: changed(file, one, file.about(one.secret, groups)) for file in own},
            )
            for one in self.secrets
        )
        public = {name: change(public_file(DESIGN, name, self.public), one) for name, one in self.public.items()}
        once = {file.field: changed(file, self, file.name) for file in FILES if not file.of_a_secret}
        known = {text(name): one for name, one in public.items() if one is not None}
        return Dossier(secrets=secrets, public=known, **once)

    def files(self) -> dict[str, msgspec.Struct]:
        """Every result by the name of its file."""
        found: dict[str, msgspec.Struct] = {}
        self.mapped(found.setdefault)
        return found


class Reader(Protocol):
    """Reads results from files."""

    def __call__(self, kind: type[Stored], name: str, /) -> Stored | None:
        """The result in the file of a name; None where there is none."""


def gathered(read: Reader, request: Request | None) -> Dossier:
    """The dossier of everything that can be read; ``request`` is that of the job, None where there was none."""
    groups = ((),) if request is None else request.roles.sources
    columns = () if request is None else request.roles.public_through
    own = [file for file in FILES if file.of_a_secret]
    secrets = tuple(
        SecretResults(one, **{file.field: read(file.kind, file.about(one, groups)) for file in own}) for one in groups
    )
    public = {column: read(Design, public_file(DESIGN, column, columns)) for column in columns}
    once = {file.field: read(file.kind, file.name) for file in FILES if not file.of_a_secret}
    return with_foreign_secrets(
        Dossier(secrets=secrets, public={name: one for name, one in public.items() if one is not None}, **once)
    )


def with_foreign_secrets(dossier: Dossier) -> Dossier:
    """The dossier with a place for each of several secrets of a release made elsewhere, which no job names."""
    foreign = None if dossier.audit is None else dossier.audit.foreign
    if dossier.job is not None or foreign is None or len(foreign.secrets) < 2:
        return dossier
    return msgspec.structs.replace(dossier, secrets=tuple(SecretResults((name,)) for name in foreign.secrets))

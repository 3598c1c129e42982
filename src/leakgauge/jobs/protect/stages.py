"""The stages of the main job: each reads the table and what earlier stages wrote, and writes its own files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from leakgauge.artefacts import Audit, Measurement, Record, Request
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.assessment import Policy
from leakgauge.drafts import require_room, write_whole
from leakgauge.errors import InputError, OptionError, VerificationError
from leakgauge.jobs.assess import grade_release
from leakgauge.jobs.audit import audit_release
from leakgauge.jobs.measure import Roles, measure
from leakgauge.jobs.protect.choice import choose, keep_possibilities
from leakgauge.jobs.protect.companions import before, levels_of, utility
from leakgauge.jobs.protect.folder import Folder
from leakgauge.jobs.protect.sources import Sources
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import OperatingSystem, Simulated
from leakgauge.release import Release, ReleasePlan, preview, read_plan, release, verify
from leakgauge.release.execution import Stage as ReleaseStage
from leakgauge.release.priors import bound_channel
from leakgauge.release.recorded_plan import recorded_plan

PLAN, RECORD, PUBLIC_RECORD, AUDIT = "plan.toml", "release.json", "release.public.json", "audit.json"
ASSESSMENT, BEFORE = "assessment.json", "before.json"
POSSIBLE = ("frontier.json", "comparison.json", "improvement.json")
"""What the design leaves where nothing meets the target."""
ROOM = 1 << 24
"""Bytes that what is designed from a noisy histogram takes at most; it has up to 64 values."""
BY_LAW = ("leakage.json", "levels.json", "utility.json")
SURE = 1 - 1e-6
"""The confidence at which what an audit finds is a veto."""


@dataclass(frozen=True)
class Work:
    """A job under way; ``tell`` takes how much is done of how much in the current stage."""

    asked: Request
    folder: Folder
    sources: Sources
    policy: Policy | None
    tell: Callable[[int, int], None]

    @property
    def released(self) -> str:
        """The name of the release: a table like the one that came in."""
        return "release.csv" if self.asked.table.lower().endswith((".csv", ".tsv", ".csv.gz")) else "release.parquet"

    @property
    def plan(self) -> ReleasePlan:
        """By which the secret is released, once that is chosen."""
        return self.folder.plan or read_plan(self.folder.place / PLAN)

    @property
    def release(self) -> Release:
        """The release, once it is made."""
        place = self.folder.place
        record = self.folder.read(Record, RECORD)
        return Release(place / self.released, record, place / RECORD, place / PUBLIC_RECORD)

    def measured(self, channel: NamedChannel | None = None) -> Measurement:
        """What the secret gives away: released as it is, or through a channel."""
        asked, roles = self.asked, Roles((self.asked.secret,), background=self.asked.background)
        name = Path(asked.table).name
        return measure(self.sources.table, roles, called=name, channel=channel, confidence=asked.confidence)


Stage = Callable[[Work], tuple[str, ...]]
"""Part of the job; gives the names of the files it wrote."""


def measure_stage(work: Work) -> tuple[str, ...]:
    """What the secret would give away: released as it is, and by the background alone."""
    work.folder.write("measurement.json", work.measured())
    return ("measurement.json",)


def design_stage(work: Work) -> tuple[str, ...]:
    """How the secret will be released; where nothing meets the target, what is possible, and then the refusal."""
    folder, written = work.folder, []

    def keep(name: str, artefact: msgspec.Struct) -> None:
        folder.write(name, artefact)
        written.append(name)

    if work.asked.accounted is not None:
        # The histogram is bought before the channel is known: a full disk must not lose what was paid for.
        require_room(folder.place / "channel.json", ROOM)
    keep_possibilities(work.asked, work.sources, keep)
    chosen = choose(work.asked, work.sources, work.tell, keep)
    if chosen.channel is not None:
        keep("channel.json", ChannelFile.of(chosen.channel))
    write_whole(folder.place / PLAN, chosen.plan_text(work.asked))
    folder.plan = chosen.plan_of(work.asked)
    return (*written, PLAN)


def release_stage(work: Work) -> tuple[str, ...]:
    """The release with its record; one that an interrupted run finished is kept, never drawn again."""
    asked, folder, table = work.asked, work.folder, work.sources.original
    plan = work.plan
    if _is_drawn(work, plan):
        return work.released, RECORD, PUBLIC_RECORD
    rows = table.rows

    def tell(stage: ReleaseStage, done: int, /) -> None:
        work.tell(done, rows)

    made = release(
        plan,
        table,
        folder.place / work.released,
        record=folder.place / RECORD,
        public_record=folder.place / PUBLIC_RECORD,
        ledger=work.sources.ledger,
        dataset=work.sources.dataset,
        overwrite=True,
        chosen_from_table=_is_chosen_by_counts(asked),
        randomness=OperatingSystem() if asked.simulate is None else Simulated(asked.simulate),
        progress=tell,
    )
    assert made.public_record is not None
    folder.held |= {RECORD: made.record, PUBLIC_RECORD: made.public_record}
    return work.released, RECORD, PUBLIC_RECORD


def _is_chosen_by_counts(asked: Request) -> bool:
    """Whether which mechanism is taken depends on the table, so that naming it would tell of the counts."""
    if asked.target is not None or len(asked.mechanism) > 1:
        return True
    # For an ε alone a channel is designed, or randomized response is taken where that channel would be constant.
    aims = (asked.max_distortion, asked.max_leakage, asked.accounted)
    return not asked.mechanism and all(aim is None for aim in aims)


def _is_drawn(work: Work, plan: ReleasePlan) -> bool:
    """Whether a whole release by this plan lies in the folder: a run was cut short after it had drawn it."""
    place = work.folder.place
    if not all((place / name).exists() for name in (RECORD, PUBLIC_RECORD, work.released)):
        return False
    try:
        found = verify(place / RECORD)
    except (InputError, VerificationError):
        return False
    if found.record is None or not found.holds:
        return False
    return found.record.plan == recorded_plan(preview(plan, work.sources.original)[0])


def audit_stage(work: Work) -> tuple[str, ...]:
    """What the release leaks and is worth by its law, and attacks by somebody who sees all that is released."""
    work.folder.write(AUDIT, audited(work, work.asked.confidence))
    return (AUDIT, *_by_its_law(work))


def audited(work: Work, confidence: float) -> Audit:
    """The release held to its record at a confidence."""
    asked = work.asked
    return audit_release(
        work.release,
        work.sources.original,
        background=asked.background,
        bins={name: how for name, how in work.sources.bins.items() if name not in asked.released},
        confidence=confidence,
        simulation_seed=asked.simulate or 0,
        progress=work.tell,
    )


def _by_its_law(work: Work) -> tuple[str, ...]:
    asked, sources = work.asked, work.sources
    try:
        channel = bound_channel(work.plan, sources.original, asked.secret)
    except OptionError:
        # Numbers with noise have no finite channel; their guarantee is in the record, their worth in the grade.
        return ()
    artefacts = {
        "leakage.json": work.measured(NamedChannel(channel, (asked.secret,), (asked.secret,))),
        "levels.json": levels_of(sources, asked, channel),
        "utility.json": utility(sources, asked, channel),
    }
    for name, artefact in artefacts.items():
        work.folder.write(name, artefact)
    return tuple(artefacts)


def assess_stage(work: Work) -> tuple[str, ...]:
    """The grade, and that of the table released as it is."""
    asked = work.asked
    audit = work.folder.read(Audit, AUDIT)
    graded = grade_release(
        work.release,
        audit,
        work.sources.original,
        work.sources.diagram,
        questionnaire=work.sources.questionnaire,
        releases_per_period=asked.releases_per_period,
        policy=work.policy,
        confidence=asked.confidence,
        # At the confidence of the intervals a right release is accused now and then. The report shows that in any
        # case; a veto, which holds the release back, is made of it only beyond doubt.
        accusing=audited(work, SURE) if audit.violated else None,
    )
    work.folder.write(ASSESSMENT, graded)
    try:
        as_it_is = before(work.sources, asked)
    except InputError:
        # A column without a finite alphabet has no law of being released as it is.
        return (ASSESSMENT,)
    work.folder.write(BEFORE, as_it_is)
    return ASSESSMENT, BEFORE


STAGES: dict[str, Stage] = {
    "measure": measure_stage,
    "design": design_stage,
    "release": release_stage,
    "audit": audit_stage,
    "assess": assess_stage,
}
"""In order; the report follows them."""

READS: dict[str, tuple[str, ...]] = {
    "measure": ("secret", "background", "bins", "missing", "confidence"),
    "design": (
        *("secret", "background", "bins", "missing", "public", "max_distortion", "max_leakage", "local_dp", "target"),
        *("mechanism", "distortion", "lower", "upper", "accounted", "ledger", "dataset"),
    ),
    "release": ("missing", "ledger", "dataset", "simulate"),
    "audit": ("secret", "background", "public", "bins", "missing", "confidence", "simulate"),
    "assess": ("missing", "confidence", "releases_per_period", "policy", "diagram", "questionnaire"),
    "report": ("purpose", "recipient", "review", "report_language"),
}
"""What a stage reads of what was asked."""
FILES: dict[str, tuple[str, ...]] = {
    "measure": (),
    "design": (),
    "release": (PLAN, "channel.json"),
    "audit": (PLAN, "channel.json", RECORD),
    "assess": (RECORD, AUDIT),
    "report": (
        "measurement.json",
        *POSSIBLE,
        "design.json",
        "channel.json",
        RECORD,
        PUBLIC_RECORD,
        AUDIT,
        *BY_LAW,
        ASSESSMENT,
        BEFORE,
    ),
}
"""What a stage reads of what earlier ones wrote."""

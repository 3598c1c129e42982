"""The stages of the main job: each reads the table and what earlier stages wrote, and writes its own files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from leakgauge.artefacts import Audit, CoarseningFound, Measurement, Recipients, Request, dossier
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.dossier import (
    AUDIT,
    CHANNEL,
    COARSENING,
    COMPARISON,
    DESIGN,
    FRONTIER,
    IMPROVEMENT,
    LEAKAGE,
    LEVELS,
    MEASUREMENT,
    PROMISE,
    PUBLIC_RECORD,
    RECIPIENTS,
    RECORD,
    SURVEY,
    TELLING,
    UTILITY,
    VERDICT,
    ResultFile,
    public_file,
)
from leakgauge.artefacts.request import Aim
from leakgauge.artefacts.request.roles import file_about
from leakgauge.artefacts.request.surveying import Surveying
from leakgauge.case.columns import released_columns
from leakgauge.drafts import require_room, write_whole
from leakgauge.errors import OptionError, RefusalError
from leakgauge.jobs.assess import Explaining, explained
from leakgauge.jobs.audit import audit_release
from leakgauge.jobs.measure import Roles, measure
from leakgauge.jobs.protect.actions import with_actions
from leakgauge.jobs.protect.choice import (
    Chosen,
    choose,
    choose_all,
    keep_possibilities,
    plan_of,
    require_affordable,
)
from leakgauge.jobs.protect.companions import levels_of, noisy_utility, utility
from leakgauge.jobs.protect.earlier import Earlier
from leakgauge.jobs.protect.folder import Folder
from leakgauge.jobs.protect.judged import Judging
from leakgauge.jobs.protect.recipients import recipients
from leakgauge.jobs.protect.sources import Sources
from leakgauge.jobs.protect.telling import least_telling, telling
from leakgauge.jobs.survey import MOST_COLUMNS, require_few_alone, require_large_groups, require_publishable, surveyed
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import OperatingSystem, Simulated
from leakgauge.release import Release, ReleasePlan, preview, read_plan, release
from leakgauge.release.bound import BoundColumn, bind
from leakgauge.release.execution import Stage as ReleaseStage
from leakgauge.release.interrupted import drawn_record, note_in_ledger
from leakgauge.release.order import order_place
from leakgauge.release.priors import bound_channel
from leakgauge.release.recorded_plan import recorded_plan
from leakgauge.rounding import from_above, from_below
from leakgauge.tables import Levels, Table, open_table
from leakgauge.tables.levels import named_levels
from leakgauge.tables.replaced import ReplacedTable
from leakgauge.tables.statistics_files import READERS
from leakgauge.tables.workbooks import WORKBOOKS

PLAN = "plan.toml"
POSSIBLE = (FRONTIER, COMPARISON, IMPROVEMENT)
"""What the design leaves if nothing meets the target."""
ORDER = order_place(Path(RECORD.name)).name
"""The key of the order of the rows, which is never handed out."""
ROOM = 1 << 24
"""The most bytes that a design from a noisy histogram takes; it has up to 64 values."""
KNOWN_ANYWAY = 1e-9
"""The share of a secret's information below which a background leaves nothing to protect."""
RELEASED_AS_CSV = (".csv", ".tsv", ".csv.gz", *WORKBOOKS, *READERS)
"""Endings of tables that are released as CSV rather than as Parquet."""
COUNTED = 1e-3
"""Bits, and the share of a limit in bits, within which a counted and a designed number count as equal."""
SURE = 1 - 1e-6
"""The confidence at which a finding of an audit becomes a veto."""


@dataclass(frozen=True)
class Work:
    """A running job.

    ``tell`` is called with the amounts done and in all of the current stage, ``earlier`` is the job repeated.
    ``judging`` gives the verdict and ``explaining`` explains it. If levels were chosen, ``asked`` has only the chosen
    ones, and ``coarsening`` how they were chosen.
    """

    asked: Request
    folder: Folder
    sources: Sources
    judging: Judging
    explaining: Explaining
    tell: Callable[[int, int], None]
    earlier: Earlier | None = None
    coarsening: CoarseningFound | None = None

    @property
    def released(self) -> str:
        """The name of the release: CSV where text, a workbook or a statistics file came in, else Parquet."""
        address = self.asked.table.lower()
        is_sheet = address.rpartition("#")[0].endswith(WORKBOOKS)
        return "release.csv" if is_sheet or address.endswith(RELEASED_AS_CSV) else "release.parquet"

    @property
    def is_promised(self) -> bool:
        """Whether the verdict by law is made before anything is drawn, because limits were given.

        A design from a noisy histogram must not depend on the table itself, so the table cannot refuse it.
        """
        return bool(self.judging.policy.given) and self.asked.budget.accounted is None

    @property
    def plan(self) -> ReleasePlan:
        """The release plan, once it is chosen."""
        if self.folder.plan is None:
            # Levels are those read when the job began, whatever their files contain now.
            bins = self.sources.released_bins(self.asked)
            levels = {name: how for name, how in bins.items() if isinstance(how, Levels)}
            self.folder.plan = read_plan(self.folder.place / PLAN, levels)
        return self.folder.plan

    @property
    def release(self) -> Release:
        """The release, once it is made."""
        place = self.folder.place
        record = self.folder.result(RECORD)
        return Release(place / self.released, record, place / RECORD.name, place / PUBLIC_RECORD.name)

    def measured(
        self, secret: tuple[str, ...], known: tuple[str, ...], channel: NamedChannel | None = None
    ) -> Measurement:
        """What a secret leaks to someone who knows other columns: released unchanged, or through a channel."""
        return measure(
            self.sources.table,
            Roles(secret, background=known, unit=self.asked.roles.unit),
            called=Path(self.folder.job.asked.table).name,
            channels=() if channel is None else (channel,),
            confidence=self.asked.declared.confidence,
        )

    def files(self, *files: str | ResultFile[Any]) -> tuple[str, ...]:
        """Files by their names in the folder, those of a result for each secret or column they are about."""
        return tuple(name for file in files for name in ((file,) if isinstance(file, str) else self._names(file)))

    def _names(self, file: ResultFile[Any]) -> Iterator[str]:
        roles = self.asked.roles
        yield from file.names(roles)
        if file in (DESIGN, CHANNEL):
            yield from (public_file(file, one, roles.public_through) for one in roles.public_through)


Stage = Callable[[Work], tuple[str, ...]]
"""A stage of the job, which returns the names of the files it wrote."""


def survey_stage(work: Work) -> tuple[str, ...]:
    """Finds the columns that identify people or single them out, and refuses to publish them before anything is drawn.

    Raises:
        RefusalError: a public column identifies people, more rows are unique than the policy allows, or groups are too
        small.
    """
    asked, table = work.asked, work.sources.table
    # For a very wide table, only the columns of the job.
    columns = asked.roles.columns if len(table.columns()) > MOST_COLUMNS else ()
    found = surveyed(
        table,
        asked.roles.secrets,
        Surveying(columns, asked.roles.unit, confidence=asked.declared.confidence),
        # Columns that are known to identify people are left out of the groups.
        published=tuple(name for name in asked.roles.public if name not in asked.roles.accept_unique),
        called=Path(work.folder.job.asked.table).name,
        progress=work.tell,
    )
    require_publishable(found, asked.roles.public, asked.roles.accept_unique)
    require_few_alone(found, work.judging.policy)
    require_large_groups(found, work.judging.policy)
    written = (work.folder.keep(SURVEY, found),)
    return written if work.coarsening is None else (*written, work.folder.keep(COARSENING, work.coarsening))


def measure_stage(work: Work) -> tuple[str, ...]:
    """What each secret would leak if released unchanged, and through the background alone."""
    written = []
    for at, secret in enumerate(work.asked.roles.sources):
        measured = work.measured(secret, work.asked.roles.background)
        _require_hidden(measured)
        written.append(work.folder.keep(MEASUREMENT, measured, secret))
        work.tell(at + 1, len(work.asked.roles.sources))
    return tuple(written)


def _require_hidden(measured: Measurement) -> None:
    """Refuse a background that already determines everybody's secret."""
    known, all_of_it = measured.background_floor, measured.entropy.value
    # With one row per value of the background everything is determined, which shows nothing.
    repeated = 2 * measured.letters.get("background", 0) <= measured.rows
    if known is not None and repeated and known.value >= all_of_it * (1 - KNOWN_ANYWAY):
        raise OptionError(
            "Whoever knows {background!s} already knows {secret!s}: in this table one determines the other, so "
            "nothing is left to protect; leave one of them out.",
            background=", ".join(measured.background),
            secret=", ".join(measured.secret),
        )


def design_stage(work: Work) -> tuple[str, ...]:
    """Chooses how each secret will be released; if nothing meets the target, stores what is possible and refuses."""
    asked, folder, written = work.asked, work.folder, list[str]()
    if work.earlier is not None:
        return _taken_over(work, work.earlier)
    if asked.budget.accounted is not None:
        # Histograms are bought before channels are known, so a full disk must be noticed first.
        require_room(folder.place / CHANNEL.name, ROOM * len(asked.aims))
        require_affordable(asked, work.sources)
    chosen, sources = _telling_less(work, written), work.sources
    # The attacker sees only the output of the channels of these columns.
    through = {group[0]: one.channel.channel for group, one in chosen.items() if one.channel is not None}
    sources = replace(sources, through=through)
    written += _tells(replace(work, sources=sources))

    def keep(of: tuple[str, ...], name: str, artefact: msgspec.Struct) -> None:
        file = file_about(name, of, asked.roles.sources)
        folder.write(file, artefact)
        if file not in written:
            written.append(file)

    def choose_one(aim: Aim, beside: Mapping[tuple[str, ...], Chosen]) -> Chosen:
        return choose(asked, aim, sources, work.tell, partial(keep, aim.columns), beside)

    for done, aim in enumerate(asked.aims):
        keep_possibilities(asked, aim, sources, partial(keep, aim.columns))
        work.tell(done + 1, 2 * len(asked.aims))
    choose_all(asked, sources, chosen, choose_one)
    folder.plan = plan_of(asked, chosen, work.sources)
    if work.is_promised:
        promise = with_actions(work.judging.of_plan(asked, sources, folder.plan), folder.job.request, work.judging)
        written.append(folder.keep(PROMISE, promise))
        promise.require()
    return tuple(dict.fromkeys((*written, *_write_plan(work, chosen), PLAN)))


def _write_plan(work: Work, chosen: Mapping[tuple[str, ...], Chosen]) -> tuple[str, ...]:
    """Writes the plan, and each of its channels in a file of its own; levels stay in the files that were named."""
    roles, files = work.asked.roles, dict[str, str]()
    for group, how in chosen.items():
        if how.channel is not None:
            if group[0] in roles.public_through:
                file = public_file(CHANNEL, group[0], roles.public_through)
            else:
                file = CHANNEL.about(group, roles.sources)
            work.folder.write(file, ChannelFile.of(how.channel))
            files |= dict.fromkeys(group, file)
    levels = named_levels(work.asked.coarsening.levels, roles.columns)
    text = work.plan.to_toml(files, {name: file.resolve() for name, (file, _) in levels.items()})
    write_whole(work.folder.place / PLAN, text)
    return tuple(files.values())


def _tells(work: Work) -> Iterator[str]:
    """Writes what public columns reveal."""
    told = telling(work.asked, work.sources)
    if told is not None:
        yield work.folder.keep(TELLING, told)


def _telling_less(work: Work, written: list[str]) -> dict[tuple[str, ...], Chosen]:
    """Designs the channels of public columns that are to reveal less about the secrets, each in its file."""
    asked, chosen = work.asked, dict[tuple[str, ...], Chosen]()
    for column in asked.roles.public_through:
        channel, design = least_telling(asked, work.sources, column)
        chosen[column,] = Chosen(CHANNEL.name, channel)
        files = {
            public_file(CHANNEL, column, asked.roles.public_through): ChannelFile.of(channel),
            public_file(DESIGN, column, asked.roles.public_through): design,
        }
        for name, artefact in files.items():
            written.append(name)
            work.folder.write(name, artefact)
    return chosen


def _taken_over(work: Work, earlier: Earlier) -> tuple[str, ...]:
    """The unchanged mechanisms of the repeated job; a limit that they break here is reported first."""
    asked, folder, chosen, learnt = work.asked, work.folder, earlier.chosen(), earlier.learnt(work.asked)
    folder.plan = plan_of(asked, chosen, work.sources, learnt=learnt)
    for aim in asked.aims:
        _require_limit(work, folder.plan, aim, earlier)
    through = {
        name: one.channel.channel for (name, *_), one in chosen.items() if one.channel and name in asked.roles.public
    }
    told = _tells(replace(work, sources=replace(work.sources, through=through)))
    channels, promised = _write_plan(work, chosen), list[str]()
    if work.is_promised:
        promise = work.judging.of_plan(asked, work.sources, folder.plan)
        promised.append(folder.keep(PROMISE, promise))
        promise.require()
    return (*channels, *told, *promised, PLAN)


def _require_limit(work: Work, plan: ReleasePlan, aim: Aim, earlier: Earlier) -> None:
    """Refuse, before anything is drawn, more bits than allowed, which a design would not have chosen."""
    if aim.max_leakage is None:
        return
    try:
        channel = bound_channel(plan, work.sources.original, aim.columns)
    except OptionError:
        return
    # Public columns that go through a channel count as unchanged: nothing is drawn yet, and the bound is on the safe
    # side.
    measured = work.measured(aim.columns, work.sources.known(work.asked, aim.columns), channel)
    told = measured.leakage_with_background or measured.mutual_information
    if told is not None and told.value > aim.max_leakage * (1 + COUNTED) + COUNTED:
        raise RefusalError(
            "The mechanism of {path!s} reveals {bits:.4g} bits of {secret!s} in the new table, but {limit:g} are "
            "allowed; design another without --repeat, or allow more with --max-leakage.",
            path=str(earlier.folder),
            bits=from_above(told.value, 4),
            secret=", ".join(aim.columns),
            limit=from_below(aim.max_leakage, 6),
        )


def release_stage(work: Work) -> tuple[str, ...]:
    """Writes the release with its record; one finished by an interrupted run is kept, never drawn again."""
    asked, folder, table = work.asked, work.folder, work.sources.original
    plan = work.plan
    written = (work.released, RECORD.name, PUBLIC_RECORD.name, *(() if plan.keep_order else (ORDER,)))
    drawn = drawn_record(*(folder.place / name for name in (RECORD.name, *written)))
    if drawn is not None and drawn.plan == recorded_plan(preview(plan, table)[0]):
        if work.sources.ledger is not None:
            note_in_ledger(work.sources.ledger, drawn)
        return written
    rows = table.rows

    def tell(stage: ReleaseStage, done: int, /) -> None:
        work.tell(done, rows)

    made = release(
        plan,
        table,
        folder.place / work.released,
        record=folder.place / RECORD.name,
        public_record=folder.place / PUBLIC_RECORD.name,
        ledger=work.sources.ledger,
        dataset=work.sources.dataset,
        overwrite=True,
        chosen_from_table=is_chosen_by_counts(asked),
        randomness=OperatingSystem() if asked.budget.simulate is None else Simulated(asked.budget.simulate),
        progress=tell,
    )
    assert made.public_record is not None
    folder.held |= {RECORD.name: made.record, PUBLIC_RECORD.name: made.public_record}
    return written


def is_chosen_by_counts(asked: Request) -> bool:
    """Whether the choice of mechanism depends on the table, so that naming it would reveal something about the
    counts."""
    # A search that reads only a noisy histogram was paid for.
    searched = asked.is_searched and asked.budget.accounted is None
    if searched or any(len(aim.mechanism) > 1 for aim in asked.aims):
        return True
    # For an ε alone a channel is designed, or randomized response is taken where that channel would be constant, as one
    # that keeps the shares never is.
    return (
        asked.budget.accounted is None
        and asked.limits.kept == "nothing"
        and any(not aim.mechanism and aim.target is None for aim in asked.aims)
    )


def audit_stage(work: Work) -> tuple[str, ...]:
    """What the release leaks and is worth by its law, and attacks by someone who sees everything released."""
    audit = work.folder.keep(AUDIT, audited(work, work.asked.declared.confidence))
    return (audit, work.folder.keep(RECIPIENTS, _recipients(work)), *_by_its_law(work))


def _recipients(work: Work) -> Recipients:
    # The original request, before levels were chosen, because commands repeat it.
    asked, folder = work.folder.job.request, work.folder.place
    plan, chosen = bind(work.plan, work.sources.original), is_chosen_by_counts(asked)
    return recipients(asked, work.sources, work.release, plan, chosen_from_table=chosen, folder=folder)


def audited(work: Work, confidence: float) -> Audit:
    """The audit of the release against its record at a confidence."""
    asked = work.asked
    return audit_release(
        work.release,
        work.sources.original,
        background=asked.roles.background,
        # A public column is not attacked itself: its channel protects the secrets.
        secret=asked.roles.released_secrets,
        withheld=asked.roles.withhold,
        unit=asked.roles.unit,
        bins={name: how for name, how in work.sources.bins.items() if name not in asked.roles.released},
        confidence=confidence,
        simulation_seed=asked.budget.simulate or 0,
        progress=work.tell,
    )


def _by_its_law(work: Work) -> tuple[str, ...]:
    asked, written, release = work.asked, list[str](), work.release
    columns = bind(work.plan, work.sources.original).columns
    public = [one for one in columns if one.writes[0] in asked.roles.public_through]
    through = {one.name: one.channel.channel for one in public if one.channel is not None}
    sources, seen = replace(work.sources, through=through), work
    if public:
        changed = replace(sources.case, table=_as_released(sources.table, public, release))
        seen = replace(work, sources=replace(sources, case=changed))
    for aim in asked.aims:
        secret = aim.columns
        bound = next((one for one in columns if secret in (one.reads, one.writes)), None)
        if bound is None or bound.channel is None:
            # Noisy numbers have no finite channel; their guarantee is in the record.
            worth = None if bound is None else noisy_utility(sources, asked, aim, bound.mechanism, release)
            if worth is not None:
                written.append(work.folder.keep(UTILITY, worth, secret))
            continue
        leakage = seen.measured(secret, sources.known(asked, secret), bound.channel)
        written += (
            work.folder.keep(LEAKAGE, leakage, secret),
            work.folder.keep(LEVELS, levels_of(sources, bound.channel), secret),
            work.folder.keep(UTILITY, utility(sources, asked, aim, bound.channel, release), secret),
        )
    return tuple(written)


def _as_released(table: Table, columns: Sequence[BoundColumn], release: Release) -> Table:
    """The table with some columns replaced by the output of their channels: one sample of their noise."""
    with open_table(release.source) as opened:
        found = released_columns(opened, [one.name for one in columns], release.order)
    return ReplacedTable(table, {one.name: one.form.written(one.form.outputs([found[one.name]]))[0] for one in columns})


def assess_stage(work: Work) -> tuple[str, ...]:
    """The verdict on the release, what explains it, and what would change it."""
    audit, judging = work.folder.result(AUDIT), work.judging
    # At the confidence of the intervals a correct release is sometimes accused. The report always shows that; only
    # findings beyond doubt become a veto, which stops the release.
    accusing = audited(work, SURE) if audit.violated else None
    found = judging.of_release(work.asked, work.sources, work.release, audit, accusing)
    work.tell(1, 3)
    found = explained(found, work.release, audit, work.sources.original, work.explaining)
    work.tell(2, 3)
    # The original request: actions are options to type.
    verdict = work.folder.keep(VERDICT, with_actions(found, work.folder.job.request, judging))
    work.tell(3, 3)
    return (verdict,)


STAGES: dict[str, Stage] = {
    "survey": survey_stage,
    "measure": measure_stage,
    "design": design_stage,
    "release": release_stage,
    "audit": audit_stage,
    "assess": assess_stage,
}
"""In order; the report follows them."""

READS: dict[str, Callable[[Request], tuple[object, ...]]] = {
    "survey": lambda asked: (asked.roles, asked.aims, asked.coarsening, asked.reading, asked.limits),
    "measure": lambda asked: (asked.roles, asked.aims, asked.coarsening, asked.reading, asked.declared.confidence),
    "design": lambda asked: (
        *(asked.roles, asked.aims, asked.coarsening, asked.reading, asked.limits, asked.budget, asked.repeat),
    ),
    # The plan says all else that is drawn by, but for what is in the files of levels.
    "release": lambda asked: (asked.coarsening, asked.reading, asked.budget),
    "audit": lambda asked: (
        *(asked.roles, asked.aims, asked.coarsening, asked.reading, asked.limits, asked.budget),
        *(asked.declared.confidence, asked.declared.publish_shares),
    ),
    "assess": lambda asked: (asked.reading, asked.limits, asked.declared),
    "report": lambda asked: (asked.declared,),
}
"""The parts of the request that each stage reads."""
FILES: dict[str, tuple[str | ResultFile[Any], ...]] = {
    "survey": (),
    "measure": (),
    "design": (),
    "release": (PLAN, CHANNEL),
    "audit": (PLAN, CHANNEL, RECORD, ORDER),
    "assess": (RECORD, AUDIT),
    "report": tuple(file for file in dossier.FILES if file.stage),
}
"""The files of earlier stages that each stage reads."""

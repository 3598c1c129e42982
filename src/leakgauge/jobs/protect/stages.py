"""The stages of the main job: each reads the table and what earlier stages wrote, and writes its own files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from msgspec import structs

from leakgauge.artefacts import Audit, CoarseningFound, Design, Judgement, Measurement, Request, dossier
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.dossier import (
    CHANNEL,
    DESIGN,
    PUBLIC_RECORD,
    RECORD,
    Dossier,
    ResultFile,
    SecretResults,
    public_file,
)
from leakgauge.artefacts.job import EarlierRelease, ReleasedBefore
from leakgauge.artefacts.request import Aim
from leakgauge.artefacts.request.verbs import Surveying
from leakgauge.assessment.outgoing import Secret
from leakgauge.case.columns import released_columns
from leakgauge.drafts import require_room
from leakgauge.errors import OptionError, RefusalError
from leakgauge.jobs.assess import Explaining, explained
from leakgauge.jobs.audit import audit_release
from leakgauge.jobs.design import as_design, price_of_keeping
from leakgauge.jobs.measure import Roles, measure
from leakgauge.jobs.protect.actions import with_actions
from leakgauge.jobs.protect.alternatives import with_alternatives
from leakgauge.jobs.protect.choice import Chosen, choose_all, plan_of, possibilities, require_affordable, seen_through
from leakgauge.jobs.protect.companions import levels_of, utility
from leakgauge.jobs.protect.earlier import Earlier
from leakgauge.jobs.protect.folder import Folder, Found
from leakgauge.jobs.protect.judged import Judging
from leakgauge.jobs.protect.recipients import recipients
from leakgauge.jobs.protect.sources import Sources
from leakgauge.jobs.protect.telling import least_telling, telling
from leakgauge.jobs.survey import MOST_COLUMNS, require_large_groups, require_publishable, surveyed
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import OperatingSystem, Simulated
from leakgauge.release import Release, ReleasePlan, preview, read_plan, release
from leakgauge.release.bound import BoundColumn, bind
from leakgauge.release.drawing import order_place
from leakgauge.release.estimates.handed_out import is_chosen_by_counts
from leakgauge.release.interrupted import drawn_record, note_in_ledger
from leakgauge.release.priors import bound_channel
from leakgauge.release.recorded_plan import recorded_plan
from leakgauge.rounding import from_above, from_below
from leakgauge.tables import Levels, Table, open_table
from leakgauge.tables.levels import named_levels
from leakgauge.tables.statistics_files import READERS
from leakgauge.tables.streamed import ReplacedTable
from leakgauge.tables.workbooks import WORKBOOKS

PLAN = "plan.toml"
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

    ``tell`` is called with the amounts done and in all of the current stage, ``earlier`` is the job repeated, the last
    of a ``chain`` of releases. The verdict counts those ``before``; so many entries of the ledger are ``unnamed``.
    ``judging`` gives the verdict and ``explaining`` explains it. If levels were chosen, ``coarsening`` says how.
    """

    folder: Folder
    sources: Sources
    judging: Judging
    explaining: Explaining
    tell: Callable[[int, int], None]
    earlier: Earlier | None = None
    coarsening: CoarseningFound | None = None
    chain: tuple[EarlierRelease, ...] = ()
    before: tuple[ReleasedBefore, ...] = ()
    unnamed: int = 0

    @property
    def asked(self) -> Request:
        """The request; if levels were chosen, with only the chosen ones."""
        return self.sources.asked

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
            levels = {name: how for name, how in self.sources.released_bins.items() if isinstance(how, Levels)}
            self.folder.plan = read_plan(self.folder.place / PLAN, levels)
        return self.folder.plan

    @property
    def release(self) -> Release:
        """The release, once it is made."""
        if self.folder.release is None:
            place, record = self.folder.place, self.folder.result(RECORD)
            self.folder.release = Release(
                place / self.released, record, place / RECORD.name, place / PUBLIC_RECORD.name
            )
        return self.folder.release

    def of_each(self, found: Mapping[Secret, SecretResults]) -> tuple[SecretResults, ...]:
        """The results of every secret, empty of those about which nothing was found."""
        return tuple(found.get(one, SecretResults(one)) for one in self.asked.roles.sources)

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


Stage = Callable[[Work], Found]


def survey_stage(work: Work) -> Found:
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
    require_large_groups(found, work.judging.policy)
    return Found((Dossier(survey=found), Dossier(coarsening=work.coarsening)))


def measure_stage(work: Work) -> Found:
    """What each secret would leak if released unchanged, and through the background alone."""
    secrets = []
    for secret in work.asked.roles.sources:
        measured = work.measured(secret, work.asked.roles.background)
        _require_hidden(measured)
        secrets.append(SecretResults(secret, measurement=measured))
        work.tell(len(secrets), len(work.asked.roles.sources))
    return Found((Dossier(secrets=tuple(secrets)),))


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


def design_stage(work: Work) -> Found:
    """How each secret will be released; if nothing meets the target, what is possible and the refusal."""
    asked, secrets = work.asked, dict[Secret, SecretResults]()
    if work.earlier is not None:
        return _taken_over(work, work.earlier)
    if asked.budget.accounted is not None:
        # Histograms are bought before channels are known, so a full disk must be noticed first.
        require_room(work.folder.place / CHANNEL.name, ROOM * len(asked.aims))
        require_affordable(work.sources)
    public, designs = dict[Secret, Chosen](), dict[str, Design]()
    for column in asked.roles.public_through:
        question, best = least_telling(work.sources, column)
        public[column,] = Chosen(question.named(best))
        designs[column] = as_design(best, price=price_of_keeping(best, question.gap))
    sources = seen_through(work.sources, public)
    told = telling(sources)
    for aim in asked.aims:
        secrets[aim.columns] = SecretResults(aim.columns, frontier=possibilities(sources, aim))
        work.tell(len(secrets), 2 * len(asked.aims))
    choices = choose_all(sources, public, work.tell)
    evidence = {secret: structs.replace(one.evidence(), secret=secret) for secret, one in choices.items()}
    parts: tuple[Dossier | dict[str, ChannelFile | str], ...] = (
        _channel_files(work, public)[0],
        Dossier(public=designs),
        Dossier(telling=told),
        Dossier(secrets=work.of_each(secrets)),
        Dossier(secrets=work.of_each(evidence)),
    )
    refused = next((one.how for one in choices.values() if isinstance(one.how, RefusalError)), None)
    if refused is not None:
        return Found(parts, refused=refused)
    chosen = public | {secret: one.require() for secret, one in choices.items()}
    plan = plan_of(work.sources, chosen)
    if work.is_promised:
        promise = with_actions(work.judging.of_plan(sources, plan), work.folder.job.request, work.judging)
        promise = with_alternatives(promise, work.folder.job.request, sources, plan, work.judging)
        parts += (Dossier(promise=promise),)
        if (refused := refusal_of(promise)) is not None:
            return Found(parts, refused=refused)
    return Found((*parts, _files_of_plan(work, chosen, plan)), plan=plan)


def refusal_of(verdict: Judgement, *, strict: bool = False) -> RefusalError | None:
    """The reason against a release: a veto, or a limit given by the user that it breaks; if strict, its advice."""
    try:
        verdict.require(strict=strict)
    except RefusalError as error:
        return error
    return None


def _channel_files(work: Work, chosen: Mapping[Secret, Chosen]) -> tuple[dict[str, ChannelFile | str], dict[str, str]]:
    """The channels, each in a file of its own, and the file of each column."""
    roles, names, files = work.asked.roles, dict[str, str](), dict[str, ChannelFile | str]()
    for group, how in chosen.items():
        if how.channel is not None:
            if group[0] in roles.public_through:
                file = public_file(CHANNEL, group[0], roles.public_through)
            else:
                file = CHANNEL.about(group, roles.sources)
            files[file] = ChannelFile.of(how.channel)
            names |= dict.fromkeys(group, file)
    return files, names


def _files_of_plan(work: Work, chosen: Mapping[Secret, Chosen], plan: ReleasePlan) -> dict[str, ChannelFile | str]:
    """The plan and its channels; levels stay in the files that were named."""
    files, names = _channel_files(work, chosen)
    levels = named_levels(work.asked.coarsening.levels, work.asked.roles.columns)
    text = plan.to_toml(names, {name: file.resolve() for name, (file, _) in levels.items()})
    return {**files, PLAN: text}


def _taken_over(work: Work, earlier: Earlier) -> Found:
    """The unchanged mechanisms of the repeated job; a limit that they break here is reported first."""
    asked, chosen = work.asked, earlier.chosen()
    plan = plan_of(work.sources, chosen, learnt=earlier.learnt(asked))
    for aim in asked.aims:
        _require_limit(work, plan, aim, earlier)
    promise = work.judging.of_plan(work.sources, plan) if work.is_promised else None
    told = Dossier(telling=telling(seen_through(work.sources, chosen)))
    refused = None if promise is None else refusal_of(promise)
    parts = (_files_of_plan(work, chosen, plan), told, Dossier(promise=promise))
    return Found(parts, plan=plan, refused=refused)


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
    measured = work.measured(aim.columns, work.sources.known(aim.columns), channel)
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


def release_stage(work: Work) -> Found:
    """Writes the release with its record; one finished by an interrupted run is kept, never drawn again."""
    asked, folder, table = work.asked, work.folder, work.sources.original
    plan = work.plan
    written = (work.released, RECORD.name, PUBLIC_RECORD.name, *(() if plan.keep_order else (ORDER,)))
    drawn = drawn_record(*(folder.place / name for name in (RECORD.name, *written)))
    if drawn is not None and drawn.plan == recorded_plan(preview(plan, table)[0]):
        if work.sources.ledger is not None:
            note_in_ledger(work.sources.ledger, drawn)
        return Found(written=written)
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
        progress=lambda stage, done, /: work.tell(done, table.rows),
    )
    records = Dossier(record=made.record, public_record=made.public_record)
    return Found((records,), written=written, release=made)


def audit_stage(work: Work) -> Found:
    """What the release leaks and is worth by its law, and attacks by someone who sees everything released."""
    audit = audited(work, work.asked.declared.confidence)
    # The original request, before levels were chosen, because commands repeat it.
    asked, plan = work.folder.job.request, bind(work.plan, work.sources.original)
    told = recipients(asked, work.sources, work.release, plan, folder=work.folder.place)
    return Found((Dossier(audit=audit, recipients=told), Dossier(secrets=work.of_each(_by_its_law(work)))))


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


def _by_its_law(work: Work) -> dict[Secret, SecretResults]:
    asked, found, release = work.asked, dict[Secret, SecretResults](), work.release
    columns = bind(work.plan, work.sources.original).columns
    public = [one for one in columns if one.writes[0] in asked.roles.public_through]
    through = {one.name: one.channel.channel for one in public if one.channel is not None}
    sources, seen = replace(work.sources, through=through), work
    if public:
        changed = replace(sources.case, table=_as_released(sources.table, public, release))
        seen = replace(work, sources=replace(sources, case=changed))
    for aim in asked.aims:
        secret = aim.columns
        own = next((one for one in columns if secret in (one.reads, one.writes)), None)
        # Noisy numbers have no finite channel; their guarantee is in the record.
        channel = None if own is None else own.channel
        found[secret] = SecretResults(
            secret,
            leakage=None if channel is None else seen.measured(secret, sources.known(secret), channel),
            levels=None if channel is None else levels_of(sources, channel),
            utility=None if own is None else utility(sources, aim, own, release),
        )
    return found


def _as_released(table: Table, columns: Sequence[BoundColumn], release: Release) -> Table:
    """The table with some columns replaced by the output of their channels: one sample of their noise."""
    with open_table(release.source) as opened:
        found = released_columns(opened, [one.name for one in columns], release.order)
    return ReplacedTable(table, {one.name: one.form.written(one.form.outputs([found[one.name]]))[0] for one in columns})


def assess_stage(work: Work) -> Found:
    """The verdict on the release, what explains it, and what would change it."""
    audit, judging = work.folder.result(dossier.AUDIT), work.judging
    # At the confidence of the intervals a correct release is sometimes accused. The report always shows that; only
    # findings beyond doubt become a veto, which stops the release.
    accusing = audited(work, SURE) if audit.violated else None
    found = judging.of_release(work.sources, work.release, audit, accusing)
    work.tell(1, 3)
    found = explained(found, work.release, audit, work.sources.original, work.explaining)
    work.tell(2, 3)
    # The original request: actions are options to type.
    verdict = with_actions(found, work.folder.job.request, judging)
    verdict = with_alternatives(verdict, work.folder.job.request, work.sources, work.plan, judging)
    work.tell(3, 3)
    return Found((Dossier(verdict=verdict),))


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
        *(asked.declared.sensitivity, asked.declared.attacker, asked.declared.blank_is_secret),
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
    "assess": (RECORD, dossier.AUDIT),
    "report": tuple(file for file in dossier.FILES if file.stage),
}
"""The files of earlier stages that each stage reads."""

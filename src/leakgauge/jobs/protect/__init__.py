"""The main job: table in, leakage measured, channel designed, release written, attacked, judged, reported.

Finished stages are kept, and nothing is drawn or bought twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Self, Unpack

from msgspec import structs

from leakgauge import notebook
from leakgauge.arguments import checked_but_options
from leakgauge.artefacts import CoarseningFound, Job, JobEvent, Judgement, Outcome, Request, SecretOutcome, codec
from leakgauge.artefacts.clauses import Clauses
from leakgauge.artefacts.codec import Stored, digest_of
from leakgauge.artefacts.dossier import AUDIT, CLAUSES, JOB, PROMISE, PUBLIC_RECORD, RECIPIENTS, RECORD, REPORT, VERDICT
from leakgauge.artefacts.job import TableColumn, TableRead
from leakgauge.artefacts.request import FRAME, Declared, Limits, RequestOptions
from leakgauge.artefacts.verdict import Action
from leakgauge.assessment import Diagram, default_diagram
from leakgauge.assessment.criteria.files import PAPER
from leakgauge.assessment.terms import policy_of
from leakgauge.drafts import write_whole
from leakgauge.errors import (
    BudgetError,
    ColumnError,
    FileError,
    InputError,
    OptionError,
    RefusalError,
    TableError,
    did_you_mean,
)
from leakgauge.jobs.assess import Explaining
from leakgauge.jobs.coarsen import choose_levels
from leakgauge.jobs.protect.choice import plan_of, require_designable
from leakgauge.jobs.protect.companions import headline, outcomes, spent
from leakgauge.jobs.protect.earlier import Earlier, earlier_job
from leakgauge.jobs.protect.folder import KIT, Folder, Found, open_folder
from leakgauge.jobs.protect.instead import instead
from leakgauge.jobs.protect.judged import Judging
from leakgauge.jobs.protect.kept import require_same_people
from leakgauge.jobs.protect.recipients import require_private_shares, write_recipients_kit
from leakgauge.jobs.protect.repeated import compared, earlier_channels, released_before, repeated
from leakgauge.jobs.protect.sources import Sources, Watch, open_sources, watched
from leakgauge.jobs.protect.stages import (
    COUNTED,
    FILES,
    PLAN,
    READS,
    STAGES,
    Stage,
    Work,
    refusal_of,
)
from leakgauge.jobs.protect.telling import require_channels
from leakgauge.release import ReleasePlan
from leakgauge.release.bound import bind
from leakgauge.release.estimates.kit import drop_kit
from leakgauge.release.record import file_digest
from leakgauge.release.recorded_plan import plan_of as recorded_plan_of
from leakgauge.release.unit import UnitOfProtection
from leakgauge.report import Edition, Report
from leakgauge.report.report import codes_of
from leakgauge.rounding import from_above, from_below
from leakgauge.tables import Levels, Table, as_arrow, open_table
from leakgauge.tables.postgresql.address import without_user
from leakgauge.tables.remembered import remembered
from leakgauge.telling.clauses.files import ENDING, read_walk
from leakgauge.telling.clauses.walk import answered
from leakgauge.waiting import told_while_waiting

__all__ = ["NAMES", "Done", "Progress", "protect"]

NAMES = (*STAGES, "report")
"""The stages in order."""
COARSEN = "coarsen"
"""The stage reported before the others where levels are chosen."""
Progress = Callable[[JobEvent], None]
"""Called with the progress of the job."""
REPORTS = {Edition.INTERNAL: "report.html", Edition.EXTERNAL: "report-external.html"}
FEWEST_ROWS = 16
"""The least number of rows an attack needs."""


@dataclass(frozen=True)
class Done:
    """A finished job; ``refused`` is why nothing was released or the release must not be handed out."""

    kept: Folder
    refused: RefusalError | None

    @property
    def folder(self) -> Path:
        """The folder of the results."""
        return self.kept.place

    @property
    def job(self) -> Job:
        """The job as stored in ``job.json``."""
        return self.kept.job

    def read(self, kind: type[Stored], name: str) -> Stored:
        """An artefact of the folder, such as ``read(Audit, "audit.json")``."""
        return self.kept.read(kind, name)

    @property
    def verdict(self) -> Judgement:
        """The verdict on the release, or on the release that it prevented.

        Raises:
            RefusalError: there is none; it says why nothing was released.
        """
        if not self.released and not self.kept.has(PROMISE.name):
            self.require()
        return self.kept.result(VERDICT if self.released else PROMISE)

    @property
    def released(self) -> bool:
        """Whether something was released; ``refused`` says whether it may be handed out."""
        return self.job.outcome is not None and self.job.outcome.released

    def _repr_html_(self) -> str:
        verdict = self.kept.found(VERDICT if self.released else PROMISE)
        if verdict is not None:
            return notebook.shown(verdict)
        from leakgauge.report.notebook import html_of
        from leakgauge.telling.voice import Voice

        refused = () if self.refused is None else (str(self.refused),)
        return html_of([Voice().alarm("Nothing was released."), refused, (str(self.folder),)])

    def require(self, *, strict: bool = False) -> Self:
        """This job, unless nothing was released, the release is vetoed, or it breaks a limit that was asked for.

        Args:
            strict: whether every recommendation against the release counts, that of the default policy too.

        Raises:
            RefusalError: says why.
        """
        if self.refused is not None:
            raise self.refused
        if strict:
            self.verdict.require(strict=True)
        return self


@checked_but_options
def protect(
    table: object,
    folder: Path | str,
    *,
    overwrite: bool = False,
    strict: bool = False,
    progress: Progress | None = None,
    **asked: Unpack[RequestOptions],
) -> Done:
    """A protected table, its audit, its verdict and its report, all in one folder.

    A finished stage is not run again if its inputs are unchanged: a killed job resumes, and a release is never drawn
    twice. If nothing meets the target, nothing is released, and the report says what is possible.

    Args:
        table: a path or a frame, as ``open_table`` takes it, or a whole ``Request``.
        folder: the folder for the results; a new one, or that of the same job.
        overwrite: whether the folder of another release may be used.
        strict: whether a release that is not recommended is refused, by the limits of the default policy too.
        progress: called at every stage.
        asked: fields of the ``Request``, such as ``secret``, ``public`` and ``max_distortion``; with ``repeat``, those
            of the earlier job unless given. ``public=["occupation=0.1", "sex"]`` or ``{"occupation": 0.1, "sex":
            None}`` releases a public column through a channel that reveals less about the secrets.

    Raises:
        InputError: an input that cannot be used; a new folder is removed again.
        TableError: the table changed meanwhile.
        EngineError: disk, engine or solver failed.
    """
    request, place = _request_of(table, **asked), Path(folder)
    if not _is_declared_before(request, place):
        request.declared.require_review_to_come()
    content = request.table if isinstance(table, str | Path | Request) else as_arrow(table)
    earlier = None if request.repeat is None else _repeated_job(request, request.repeat, place)
    with ExitStack() as opened:
        source: Table = opened.enter_context(open_table(content, **request.reading.keywords()))
        names = tuple(column.name for column in source.columns())
        if earlier is not None:
            earlier.require_columns(request, source.columns())
        order_by = request.limits.order_by
        for name in (*request.roles.columns, *(() if order_by is None else (order_by,))):
            if name not in names:
                raise ColumnError("There is no column {name!r}; {hint}", name=name, hint=did_you_mean(name, names))
        require_private_shares(request, earlier)
        if source.rows < FEWEST_ROWS:
            raise TableError(
                "The table has {rows} rows, too few for an attack; at least {least} are needed.",
                rows=source.rows,
                least=FEWEST_ROWS,
            )
        if request.roles.rows_per_unit is not None:
            UnitOfProtection(request.roles.unit, request.roles.rows_per_unit).require_kept_by(source)
        if order_by is not None:
            UnitOfProtection(request.roles.unit).require_ordered_by(order_by, source)
        watch = watched(content, source)
        # Stages ask for the same counts, each a pass over all rows; a table that changed meanwhile is refused anyway.
        source = remembered(source)
        settled, coarsening = _settled(request, source, progress or (lambda event: None))
        policy, explaining = policy_of(request.limits, request.declared), Explaining.by(request.declared)
        read_walk(request.declared.assessment, request.declared.clauses, request.declared)
        judging = Judging(source, policy)
        levels = None if earlier is None else earlier.levels(settled)
        sources = open_sources(settled, source, opened, levels, judging.learnt)
        chain = () if earlier is None else compared(sources, earlier)
        if earlier is not None:
            require_same_people(sources, chain)
            plan = _repeated_plan(sources, earlier)
            earlier.require_known_values(plan, source)
        else:
            require_designable(sources)
            require_channels(sources)
        shown = _to_keep(request)
        columns = tuple(TableColumn(one.name, one.kind.words) for one in source.columns())
        about = TableRead(Path(shown.table).name, source.rows, watch.bytes, watch.digest(), columns)
        kept = opened.enter_context(open_folder(place, shown, about, overwrite))
        work = Work(kept, sources, judging, explaining, lambda done, total: None, earlier, coarsening, chain)
        work = _with_earlier_releases(work)
        _require_same_draws(work, overwrite)
        kept.note(
            withheld=tuple(name for name in names if name not in request.roles.released),
            command="" if shown.table == FRAME else shown.command(place),
            script=shown.script(place),
            before=work.before,
            unnamed=work.unnamed,
        )
        if isinstance(explaining.diagram, Diagram) and request.declared.diagram not in (None, PAPER):
            write_whole(place / "diagram.toml", Path(str(request.declared.diagram)).read_text(encoding="utf-8"))
        try:
            refused = _run(work, watch, progress or (lambda event: None), overwrite=overwrite, strict=strict)
        except (InputError, RefusalError):
            if not any(_spends(work, stage) for stage in kept.job.stages):
                # A refused input leaves nothing behind.
                kept.drop(*work.files(*FILES["report"]), PLAN)
            raise
    return Done(kept, refused)


def _request_of(table: object, **asked: Any) -> Request:
    """The request for a path or a frame; a given request with these changes."""
    if isinstance(table, Request):
        return table.having(**asked)
    again = asked.get("repeat")
    if isinstance(again, str | Path):
        asked = {**earlier_job(again).options(asked)}
    return Request.of(str(table) if isinstance(table, str | Path) else FRAME, **asked)


def _to_keep(asked: Request) -> Request:
    """The request as the job's folder has it: who asked a server is nobody else's business."""
    ledger = None if asked.budget.ledger is None else without_user(asked.budget.ledger)
    budget = structs.replace(asked.budget, ledger=ledger)
    return structs.replace(asked, table=without_user(asked.table), budget=budget)


def _is_declared_before(asked: Request, place: Path) -> bool:
    """Whether the job in the folder has the same review date, which may have passed since."""
    with suppress(InputError):
        return codec.read(Job, place / JOB.name).request.declared.review == asked.declared.review
    return False


def _repeated_job(asked: Request, folder: str, place: Path) -> Earlier:
    """The job to repeat, if its mechanisms fit the request."""
    if Path(folder).resolve() == place.resolve():
        raise OptionError(
            "{path!s} holds the job to repeat and is also named for the new one; name a new folder.", path=str(place)
        )
    earlier = earlier_job(folder)
    earlier.require_same_mechanism(asked)
    earlier.require_public(asked)
    return earlier


def _settled(asked: Request, table: Table, tell: Progress) -> tuple[Request, CoarseningFound | None]:
    """The request with its levels chosen, if it asks for that; the same table gives the same levels in every run."""
    if asked.coarsening.min_k is None:
        return asked, None
    tell(JobEvent(COARSEN, "started"))
    found = choose_levels(asked, table, lambda done, total: tell(JobEvent(COARSEN, "working", done, total)))
    tell(JobEvent(COARSEN, "finished"))
    return found


def _repeated_plan(sources: Sources, earlier: Earlier) -> ReleasePlan:
    """The plan by which an earlier job is repeated."""
    return plan_of(sources, earlier.chosen(), learnt=earlier.learnt(sources.asked))


def _with_earlier_releases(work: Work) -> Work:
    """The job with the earlier releases that its verdict counts; once it has released, those it counted then."""
    kept, sources, earlier = work.folder, work.sources, work.earlier
    before, unnamed = kept.job.before, kept.job.unnamed
    if not kept.is_done("release", _inputs(work, "release")):
        # An interrupted run may have written the release already.
        drawn = kept.has(RECORD.name) and "release" not in kept.job.stages
        repeats = None if earlier is None else bind(_repeated_plan(sources, earlier), sources.original)
        own = kept.result(RECORD).reference if drawn else None
        before, unnamed = released_before(sources, work.chain, repeats, own)
    work = replace(work, before=before, unnamed=unnamed)
    if not before:
        return work
    # Without a job to repeat, no release went through the same mechanism.
    plan = None if earlier is None else recorded_plan_of(earlier.record, earlier.folder / RECORD.name)
    channels = earlier_channels(before, plan, work.asked.roles.sources)
    judging = replace(work.judging, earlier=channels)
    return replace(work, sources=sources.having_earlier(channels), judging=judging)


def _run(work: Work, watch: Watch, tell: Progress, *, overwrite: bool, strict: bool) -> RefusalError | None:
    """Run all stages and write the report; returns why nothing was released, or which limit the release breaks."""
    folder, refused = work.folder, None
    for name, stage in STAGES.items():
        if refused is not None:
            tell(JobEvent(name, "skipped"))
        else:
            refused = _do(work, name, partial(_watched, work, name, stage, watch, tell), overwrite, tell)
    released = "release" in folder.job.stages
    secrets = outcomes(folder, work.asked) if released else ()
    if released:
        verdict = folder.result(VERDICT)
        refused = refusal_of(verdict) or _tells_too_much(work, secrets) or refusal_of(verdict, strict=strict)
    approved = released and refused is None
    kit = _kit(work, to_hand_out=approved)
    folder.note(
        outcome=Outcome(released, None if refused is None else refused.sentence, None if released else _instead(work)),
        headline=headline(folder, secrets) if released else None,
        secrets=secrets,
        total=folder.result(AUDIT).total if released else None,
        # What is refused, or a rehearsal, is written like a release, but nothing of it is for others.
        shareable=(
            (work.released, PUBLIC_RECORD.name, REPORTS[Edition.EXTERNAL], *kit)
            if approved and work.asked.budget.simulate is None
            else ()
        ),
        spent=spent(folder, work.asked),
        repeated=repeated(work) if released and work.earlier is not None else None,
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    # What people said when they had the report written again is kept.
    _do(work, "report", partial(_report, work, folder.found(CLAUSES)), overwrite, tell)
    return refused


def _instead(work: Work) -> Action | None:
    """What can be released instead; what a verdict by law proposes is with it."""
    promise = work.folder.found(PROMISE)
    if promise is not None and promise.actions:
        return None
    # The original request: actions are options to type.
    return instead(work.folder.job.request, work.folder.dossier(), work.judging)


def _kit(work: Work, *, to_hand_out: bool) -> tuple[str, ...]:
    """Write the recipient's kit, unless the release must not be handed out."""
    place = work.folder.place / KIT
    if not to_hand_out:
        drop_kit(place)
        return ()
    release = replace(work.release, public_record=work.folder.result(PUBLIC_RECORD))
    write_recipients_kit(work.asked, release, work.folder.result(RECIPIENTS), place)
    return (KIT,)


def _spends(work: Work, stage: str) -> bool:
    """Whether a stage draws noise, which cannot be undone: it is never silently repeated."""
    return stage == "release" or (stage == "design" and work.asked.budget.accounted is not None)


def _do(work: Work, name: str, run: Callable[[], Found], overwrite: bool, tell: Progress) -> RefusalError | None:
    """Run one stage unless it is done; returns the refusal if nothing meets the target or the ledger refuses."""
    folder, inputs = work.folder, _inputs(work, name)
    if folder.is_done(name, inputs):
        tell(JobEvent(name, "kept"))
        reason = folder.job.stages[name].refused
        return None if reason is None else RefusalError(reason.template, **reason.fields)
    _require_unspent(work, name, overwrite)
    tell(JobEvent(name, "started"))
    start = time.monotonic()
    folder.forget(name)
    refused: RefusalError | None
    try:
        found = run()
    except BudgetError as error:
        refused = error
    else:
        folder.finish(name, inputs, found, time.monotonic() - start)
        refused = found.refused
    tell(JobEvent(name, "finished"))
    return refused


def _watched(work: Work, name: str, stage: Stage, watch: Watch, tell: Progress) -> Found:
    """What a stage finds in a table that stays as it is."""

    def working(done: int, total: int) -> None:
        tell(JobEvent(name, "working", done, total))

    try:
        with told_while_waiting(working):
            return stage(replace(work, tell=working))
    except RefusalError as error:
        if name != "design" or isinstance(error, BudgetError):
            raise
        return Found(refused=error)
    finally:
        watch.require_unchanged()


def _require_same_draws(work: Work, overwrite: bool) -> None:
    """Refuse to redraw the release of a finished job, before anything is written to its folder."""
    for name in STAGES:
        if name in work.folder.job.stages and not work.folder.is_done(name, _inputs(work, name)):
            _require_unspent(work, name, overwrite)


def _require_unspent(work: Work, stage: str, overwrite: bool) -> None:
    if stage in work.folder.job.stages and _spends(work, stage) and not overwrite:
        raise FileError(
            "The release in {path} was changed, or the job would now generate another one, which would leak "
            "more; name a new folder, or add --overwrite.",
            path=work.folder.place,
        )


def _report(work: Work, earlier: Clauses | None) -> Found:
    place, declared = work.folder.place, work.asked.declared
    language, drawn = declared.report_language, work.explaining.diagram
    walk = read_walk(declared.assessment, declared.clauses, declared, earlier)
    found = work.folder.dossier()
    clauses = answered(found, walk, codes_of(language))
    report = Report.made_of(
        structs.replace(found, clauses=clauses), drawn if isinstance(drawn, Diagram) else default_diagram()
    )
    for edition, name in REPORTS.items():
        report.to_html(place / name, language, edition)
    report.to_json(place / REPORT, language)
    return Found(parts=({CLAUSES.name: clauses},), written=(*REPORTS.values(), REPORT))


def _inputs(work: Work, stage: str) -> str:
    """A digest of everything a stage reads: the table, what was asked, files named there, what earlier stages wrote."""
    folder, asked = work.folder, work.asked
    read = READS[stage](asked)
    if stage == "design" and work.is_promised:
        read += (asked.declared,)
    files = [part.places() for part in read if isinstance(part, Limits | Declared)]
    named = {
        name: file_digest(Path(one))
        for part in files
        for name, texts in part.items()
        for one in texts
        if one != PAPER and (name != "clauses" or one.endswith(ENDING))
    }
    if stage == "design" and work.earlier is not None:
        named["repeat"] = file_digest(work.earlier.folder / RECORD.name)
    earlier = {name: file_digest(folder.place / name) for name in work.files(*FILES[stage]) if folder.has(name)}
    bins = work.sources.bins
    levels = {name: asdict(how) for name, how in bins.items() if isinstance(how, Levels) and asked.coarsening in read}
    return digest_of(
        {
            # A new version of Leakgauge must not draw the release again.
            "version": None if _spends(work, stage) else folder.job.versions["leakgauge"],
            "table": folder.job.table.sha256,
            "asked": [_of_every_version(part) for part in read],
            "named": named,
            "earlier": earlier,
            # What else a design searches among, or a verdict counts. A channel that was paid for is not bought again.
            **({"before": codec.encode(work.before)} if _counts_earlier(work, stage) else {}),
            "outcome": codec.encode((folder.job.outcome, folder.job.repeated)) if stage == "report" else None,
            # The named file may change; only the content that was read counts.
            **({"levels": levels} if levels else {}),
        }
    )


def _of_every_version(part: object) -> object:
    """A part of a request; a field that earlier versions do not know counts where it says something, so that what they
    finished stays finished."""
    fields = codec.encode(part)
    return (
        {name: fields[name] for name in fields if name != "noise" or fields[name] is not None}
        if isinstance(fields, dict)
        else fields
    )


def _counts_earlier(work: Work, stage: str) -> bool:
    counted = stage == "assess" or (stage == "design" and not _spends(work, stage))
    return counted and bool(work.before)


def _tells_too_much(work: Work, secrets: Sequence[SecretOutcome]) -> RefusalError | None:
    """The refusal if everything released or known breaks a limit in bits: other secrets also reveal a secret."""
    limits = {aim.columns: aim.max_leakage for aim in work.asked.aims if aim.max_leakage is not None}
    for one in secrets:
        limit, told = limits.get(one.secret), one.leakage_after
        if limit is None or told is None:
            continue
        # A counted number is exact for the table; of a bounded one, only the lower end is certain.
        bits = told.value if one.exact else told.ends[0]
        if bits > limit * (1 + COUNTED) + COUNTED:
            return RefusalError(
                "Everything released or known reveals {bits:.4g} bits of {secret!s}, but {limit:g} are allowed, "
                "because other released columns reveal it too; do not hand out the release, and allow less or publish "
                "less.",
                bits=from_above(bits, 4),
                secret=", ".join(one.secret),
                limit=from_below(limit, 6),
            )
    return None

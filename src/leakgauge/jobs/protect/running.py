"""The stages one after the other: what is finished is kept, and nothing that was drawn or bought is so twice."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from leakgauge.artefacts import Event, Outcome, StageDone, StoredAssessment, codec
from leakgauge.artefacts.codec import digest_of
from leakgauge.assessment import parse_target
from leakgauge.errors import BudgetError, FileError, RefusalError
from leakgauge.jobs.assess import refused_by_veto
from leakgauge.jobs.protect.headline import headline, spent
from leakgauge.jobs.protect.stages import ASSESSMENT, FILES, POSSIBLE, PUBLIC_RECORD, READS, STAGES, Stage, Work
from leakgauge.jobs.protect.watching import InMemory, Watched
from leakgauge.release.record import file_digest
from leakgauge.report import Edition, Report
from leakgauge.sentences import Sentence, in_turn

NAMES = (*STAGES, "report")
"""The stages in order."""
Progress = Callable[[Event], None]
"""Told where the job stands."""
REPORTS = {Edition.INTERNAL: "report.html", Edition.EXTERNAL: "report-external.html"}


def run(work: Work, watch: Watched | InMemory, overwrite: bool, tell: Progress) -> RefusalError | None:
    """All stages and the report; why nothing was released, or what the release does not keep, where that is so."""
    folder, refused = work.folder, None
    for name, stage in STAGES.items():
        if refused is not None:
            tell(Event(name, "skipped"))
            continue
        inputs = _inputs(work, name)
        if folder.is_done(name, inputs):
            refused = _refused_before(folder.job.stages[name])
            tell(Event(name, "kept"))
            continue
        _require_unspent(work, name, overwrite)
        tell(Event(name, "started"))
        refused = _do(work, name, stage, inputs, watch, tell)
        tell(Event(name, "finished"))
    released = "release" in folder.job.stages
    if refused is None:
        refused = _not_kept(work)
    folder.note(
        outcome=Outcome(released, None if refused is None else refused.sentence),
        headline=headline(folder, work.asked) if released else None,
        shareable=(work.released, PUBLIC_RECORD, REPORTS[Edition.EXTERNAL]) if released else (),
        spent=spent(folder, work.asked),
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    _report(work, tell)
    return refused


def spends(work: Work, stage: str) -> bool:
    """Whether a stage draws noise that cannot be taken back: it is never done again silently."""
    return stage == "release" or (stage == "design" and work.asked.accounted is not None)


def _do(
    work: Work, name: str, stage: Stage, inputs: str, watch: Watched | InMemory, tell: Progress
) -> RefusalError | None:
    """One stage; the refusal where nothing meets the target or the ledger says no."""
    folder, start = work.folder, time.monotonic()
    folder.forget(name)
    try:
        outputs = stage(replace(work, tell=lambda done, total: tell(Event(name, "working", done, total))))
    except BudgetError as error:
        return error
    except RefusalError as error:
        if name != "design":
            raise
        folder.finish(name, inputs, POSSIBLE, time.monotonic() - start, refused=error.sentence)
        return error
    finally:
        watch.require_unchanged()
    folder.finish(name, inputs, outputs, time.monotonic() - start)
    return None


def _refused_before(stage: StageDone) -> RefusalError | None:
    reason = stage.refused
    return None if reason is None else RefusalError(reason.template, **reason.fields)


def _require_unspent(work: Work, stage: str, overwrite: bool) -> None:
    if stage in work.folder.job.stages and spends(work, stage) and not overwrite:
        raise FileError(
            "What was drawn in {path} is no longer what the job would draw, or was changed; doing it again would give "
            "more away: name a new folder, or say --overwrite.",
            path=work.folder.place,
        )


def _report(work: Work, tell: Progress) -> None:
    folder, inputs = work.folder, _inputs(work, "report")
    if folder.is_done("report", inputs):
        tell(Event("report", "kept"))
        return
    tell(Event("report", "started"))
    start = time.monotonic()
    folder.forget("report")
    report, language = Report.made_of(folder.artefacts(), work.diagram), work.asked.report_language
    for edition, name in REPORTS.items():
        report.to_html(folder.place / name, language, edition)
    report.to_json(folder.place / "report.json", language)
    folder.finish("report", inputs, (*REPORTS.values(), "report.json"), time.monotonic() - start)
    tell(Event("report", "finished"))


def _inputs(work: Work, stage: str) -> str:
    """A digest of everything a stage reads: the table, what was asked, files named there, what earlier stages wrote."""
    folder, asked = work.folder, work.asked
    names = READS[stage] + (("diagram", "questionnaire") if stage == "design" and asked.target is not None else ())
    read = {name: getattr(asked, name) for name in names}
    named = {name: file_digest(Path(read[name])) for name in ("policy", "diagram", "questionnaire") if read.get(name)}
    earlier = {name: file_digest(folder.place / name) for name in FILES[stage] if folder.has(name)}
    return digest_of(
        {
            # Another version must not draw again what is drawn.
            "version": None if spends(work, stage) else folder.job.versions["leakgauge"],
            "table": folder.job.table.sha256,
            "asked": read,
            "named": named,
            "earlier": earlier,
            "outcome": codec.encode(folder.job.outcome) if stage == "report" else None,
        }
    )


def _not_kept(work: Work) -> RefusalError | None:
    """What speaks against the release: the policy, a veto, or a grade below the one it was chosen for."""
    graded = work.folder.read(StoredAssessment, ASSESSMENT)
    if graded.failed:
        return RefusalError(
            "The policy is not kept: {failed}; do not give the release away, ask for less.",
            failed=in_turn(graded.failed),
        )
    return refused_by_veto(graded) or _below_target(work.asked.target, graded)


def _below_target(asked: str | None, graded: StoredAssessment) -> RefusalError | None:
    target = None if asked is None else parse_target(asked)
    if target is None:
        return None
    if not (graded.score < target if isinstance(target, float) else graded.grade < target):
        return None
    by_score = isinstance(target, float)
    return RefusalError(
        "The release is graded {found} where {target} was asked: measured on the release the setting falls "
        "short of what its law promised; do not give it away, or lower the target.",
        found=Sentence("{score:.1f}", score=graded.score) if by_score else Sentence(graded.grade.value),
        target=Sentence(str(asked)),
    )

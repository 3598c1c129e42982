"""The stages one after the other: what is finished is kept, and nothing that was drawn or bought is so twice."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from leakgauge.artefacts.codec import digest_of
from leakgauge.assessment import Grade, parse_target
from leakgauge.errors import BudgetError, FileError, RefusalError
from leakgauge.jobs.assess import refused_by_veto, said_of_line
from leakgauge.jobs.protect.headline import headline, spent
from leakgauge.jobs.protect.stages import ASSESSMENT, FILES, POSSIBLE, PUBLIC_RECORD, READS, STAGES, Stage, Work
from leakgauge.jobs.protect.watching import Watched
from leakgauge.release.record import file_digest
from leakgauge.report import Edition, Report

NAMES = (*STAGES, "report")
"""The stages in order."""
REPORTS = {Edition.INTERNAL: "report.html", Edition.EXTERNAL: "report-external.html"}


class Progress(Protocol):
    """Told where the job stands: ``started``, ``working``, ``finished``, ``kept`` or ``skipped``."""

    def __call__(self, stage: str, state: str, done: int = 0, total: int = 0, /) -> None:
        """The stage, its state, and while it works how much is done of how much."""


def run(work: Work, watch: Watched, overwrite: bool, tell: Progress) -> RefusalError | None:
    """All stages and the report; why nothing was released, or what the release does not keep, where that is so."""
    job, refused = work.folder, None
    for name, stage in STAGES.items():
        if refused is not None:
            tell(name, "skipped")
            continue
        inputs = _inputs(work, name)
        if job.is_done(name, inputs):
            refused = _refused_before(job.fields["stages"][name])
            tell(name, "kept")
            continue
        _require_unspent(work, name, overwrite)
        tell(name, "started")
        refused = _do(work, name, stage, inputs, watch, tell)
        tell(name, "finished")
    released = "release" in job.fields["stages"]
    if refused is None:
        refused = _not_kept(work)
    job.fields |= {
        "outcome": {"released": released, "reason": None if refused is None else str(refused)},
        "headline": headline(job, work.asked) if released else None,
        "shareable": [work.released, PUBLIC_RECORD, REPORTS[Edition.EXTERNAL]] if released else [],
        "spent": spent(job, work.asked),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    job.save()
    _report(work, tell)
    return refused


def spends(work: Work, stage: str) -> bool:
    """Whether a stage draws noise that cannot be taken back: it is never done again silently."""
    return stage == "release" or (stage == "design" and work.asked.accounted is not None)


def _do(work: Work, name: str, stage: Stage, inputs: str, watch: Watched, tell: Progress) -> RefusalError | None:
    """One stage; the refusal where nothing meets the target or the ledger says no."""
    job, start = work.folder, time.monotonic()
    job.forget(name)
    try:
        outputs = stage(replace(work, tell=_counting(tell, name)))
    except BudgetError as error:
        return error
    except RefusalError as error:
        if name != "design":
            raise
        job.finish(name, inputs, POSSIBLE, time.monotonic() - start, refused=str(error))
        return error
    finally:
        watch.require_unchanged()
    job.finish(name, inputs, outputs, time.monotonic() - start)
    return None


def _refused_before(stage: dict[str, Any]) -> RefusalError | None:
    reason = stage.get("refused")
    return None if reason is None else RefusalError("{reason}", reason=reason)


def _require_unspent(work: Work, stage: str, overwrite: bool) -> None:
    if stage in work.folder.fields["stages"] and spends(work, stage) and not overwrite:
        raise FileError(
            "What was drawn in {path} is no longer what the job would draw, or was changed; doing it again would give "
            "more away: name a new folder, or say --overwrite.",
            path=work.folder.place,
        )


def _report(work: Work, tell: Progress) -> None:
    job, inputs = work.folder, _inputs(work, "report")
    if job.is_done("report", inputs):
        tell("report", "kept")
        return
    tell("report", "started")
    start = time.monotonic()
    job.forget("report")
    report, language = Report.of(job.place), work.asked.report_language
    for edition, name in REPORTS.items():
        report.to_html(job.place / name, language, edition)
    report.to_json(job.place / "report.json", language)
    job.finish("report", inputs, (*REPORTS.values(), "report.json"), time.monotonic() - start)
    tell("report", "finished")


def _counting(tell: Progress, stage: str) -> Callable[[int, int], None]:
    return lambda done, total: tell(stage, "working", done, total)


def _inputs(work: Work, stage: str) -> str:
    """A digest of everything a stage reads: the table, what was asked, files named there, what earlier stages wrote."""
    job, asked = work.folder, work.asked
    names = READS[stage] + (("diagram", "questionnaire") if stage == "design" and asked.target is not None else ())
    read = {name: getattr(asked, name) for name in names}
    named = {name: file_digest(Path(read[name])) for name in ("policy", "diagram", "questionnaire") if read.get(name)}
    earlier = {name: file_digest(job.place / name) for name in FILES[stage] if job.has(name)}
    return digest_of(
        {
            # Another version must not draw again what is drawn.
            "version": None if spends(work, stage) else job.fields["versions"]["leakgauge"],
            "table": job.fields["table"]["sha256"],
            "asked": read,
            "named": named,
            "earlier": earlier,
            "outcome": job.fields["outcome"] if stage == "report" else None,
        }
    )


def _not_kept(work: Work) -> RefusalError | None:
    """What speaks against the release: the policy, a veto, or a grade below the one it was chosen for."""
    graded = work.folder.read(ASSESSMENT)
    failed = [
        said_of_line(one["name"], one["found"], one["limit"], one["of"]) for one in graded["policy"] if not one["holds"]
    ]
    if failed:
        return RefusalError(
            "The policy is not kept: {failed}; do not give the release away, ask for less.", failed="; ".join(failed)
        )
    return refused_by_veto([veto["reason"] for veto in graded["vetoes"]]) or _below_target(work.asked.target, graded)


def _below_target(asked: str | None, graded: dict[str, Any]) -> RefusalError | None:
    target = None if asked is None else parse_target(asked)
    if target is None:
        return None
    found = graded["score"] if isinstance(target, float) else graded["grade"]
    if not (found < target if isinstance(target, float) else Grade(found) < target):
        return None
    return RefusalError(
        "The release is graded {found} where {target} was asked: measured on the release the setting falls "
        "short of what its law promised; do not give it away, or lower the target.",
        found=f"{found:.1f}" if isinstance(target, float) else found,
        target=asked,
    )

"""The main job: a table in, a protected table and a report out, stage by stage, each kept when it is finished."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from leakgauge.assessment import (
    Grade,
    asked_leaves,
    default_diagram,
    parse_target,
    read_diagram,
    read_policy,
    read_questionnaire,
)
from leakgauge.distances import distortion_named
from leakgauge.drafts import write_whole
from leakgauge.errors import RefusalError, TableError
from leakgauge.jobs.protect.asked import Asked, require_columns
from leakgauge.jobs.protect.choosing import Sources
from leakgauge.jobs.protect.folder import open_folder
from leakgauge.jobs.protect.headline import headline
from leakgauge.jobs.protect.script import script
from leakgauge.jobs.protect.stages import READS, STAGES, Work
from leakgauge.release.ledger import default_dataset, open_ledger
from leakgauge.release.record import digest_of, file_digest
from leakgauge.report import Edition, Report
from leakgauge.tables import Table, open_table, parse_binnings, source_files

NAMES = (*STAGES, "report")
"""The stages in order."""
REPORTS = {Edition.INTERNAL: "report.html", Edition.EXTERNAL: "report-external.html"}
POSSIBLE = ("frontier.json", "comparison.json", "improvement.json")
"""What the design leaves where nothing meets the target."""


class Progress(Protocol):
    """Told where the job stands: ``started``, ``working``, ``finished``, ``kept`` or ``skipped``."""

    def __call__(self, stage: str, state: str, done: int = 0, total: int = 0, /) -> None:
        """The stage, its state, and while it works how much is done of how much."""


@dataclass(frozen=True)
class Done:
    """A job that came to its end.

    Attributes:
        folder: where everything is.
        fields: of ``job.json``.
        refused: why nothing was released, or which limits of the policy the release does not keep; None otherwise.
    """

    folder: Path
    fields: Mapping[str, Any]
    refused: RefusalError | None

    def require(self) -> None:
        """Refuse where nothing was released, or the policy is not kept.

        Raises:
            RefusalError: says why.
        """
        if self.refused is not None:
            raise self.refused


def protect(asked: Asked, folder: Path | str, *, overwrite: bool = False, progress: Progress | None = None) -> Done:
    """A protected table, its audit, its grade and its report, all in one folder.

    A stage that was finished before is not done again where it would read the same; so a job that was killed goes on
    where it was. Where nothing meets the target, nothing is released, and the report says what is possible.

    Args:
        asked: what to do.
        folder: where everything goes; a new one, or that of the same job.
        overwrite: whether another job's folder may be used.
        progress: told of every stage.

    Raises:
        InputError: something that cannot be used.
        BudgetError: the ledger's limit would be exceeded.
        TableError: the table changed meanwhile.
        EngineError: disk, engine or solver failed.
    """
    tell = progress or (lambda *told: None)
    place = Path(folder)
    with ExitStack() as opened:
        table = opened.enter_context(open_table(asked.table, missing=asked.missing))
        names = tuple(column.name for column in table.columns())
        require_columns(asked, names)
        sources = _sources(asked, table, opened)
        policy = None if asked.policy is None else read_policy(asked.policy)
        watch = _Watched.of(asked.table)
        about = _about(asked, table, watch)
        job = opened.enter_context(open_folder(place, asked.as_json(), about, overwrite))
        job.fields |= {
            "withheld": [name for name in names if name not in asked.released],
            "command": asked.command(place),
            "script": script(asked, place),
        }
        job.save()
        if asked.diagram is not None:
            write_whole(place / "diagram.toml", Path(asked.diagram).read_text(encoding="utf-8"))
        refused = _run(Work(asked, job, sources, policy, lambda done, total: None), watch, tell)
    return Done(place, job.fields, refused)


def _run(work: Work, watch: _Watched, tell: Progress) -> RefusalError | None:
    job, refused = work.folder, None
    for name, stage in STAGES.items():
        inputs = _inputs(work, name)
        if job.is_done(name, inputs):
            tell(name, "kept")
            continue
        job.forget_from(name, NAMES)
        tell(name, "started")
        start = time.monotonic()
        told = Work(work.asked, job, work.sources, work.policy, _counting(tell, name))
        try:
            outputs = stage(told)
        except RefusalError as error:
            if name != "design":
                raise
            refused = error
            # What is possible is kept and listed; from no inputs, so that the same job asks again.
            job.finish(name, "", POSSIBLE, time.monotonic() - start)
            break
        finally:
            watch.require_unchanged()
        job.finish(name, inputs, outputs, time.monotonic() - start)
        tell(name, "finished")
    if refused is None:
        refused = _not_kept(work)
    else:
        tell("design", "finished")
        for name in list(STAGES)[list(STAGES).index("design") + 1 :]:
            tell(name, "skipped")
    released = job.has("release.json")
    job.fields["outcome"] = {"released": released, "reason": None if refused is None else str(refused)}
    job.fields["headline"] = headline(job, work.asked) if released else None
    job.fields["finished"] = datetime.now(UTC).isoformat(timespec="seconds")
    job.save()
    _report(work, tell)
    return refused


def _report(work: Work, tell: Progress) -> None:
    job, inputs = work.folder, _inputs(work, "report")
    if job.is_done("report", inputs):
        tell("report", "kept")
        return
    tell("report", "started")
    start = time.monotonic()
    report, language = Report.of(job.place), work.asked.report_language
    for edition, name in REPORTS.items():
        report.to_html(job.place / name, language, edition)
    report.to_json(job.place / "report.json", language)
    job.finish("report", inputs, (*REPORTS.values(), "report.json"), time.monotonic() - start)
    tell("report", "finished")


def _counting(tell: Progress, stage: str) -> Any:
    return lambda done, total: tell(stage, "working", done, total)


def _inputs(work: Work, stage: str) -> str:
    """A digest of everything a stage reads: the table, what was asked of it, files named there, what came before."""
    job, asked = work.folder, work.asked.as_json()
    before = NAMES[: NAMES.index(stage) + 1]
    read = {name: asked[name] for one in before for name in READS[one]}
    files = {name: file_digest(Path(read[name])) for name in ("policy", "diagram", "questionnaire") if read.get(name)}
    earlier = {name: one["outputs"] for name, one in job.fields["stages"].items() if name in before[:-1]}
    outcome = job.fields["outcome"] if stage == "report" else None
    return digest_of(
        {
            "version": job.fields["versions"]["leakgauge"],
            "table": job.fields["table"]["sha256"],
            "asked": read,
            "files": files,
            "earlier": earlier,
            "outcome": outcome,
        }
    )


def _not_kept(work: Work) -> RefusalError | None:
    """What the release was to keep and does not: its claims, the grade it was chosen for, or the policy."""
    wrong = work.folder.read("audit.json")["violations"]
    if wrong:
        return RefusalError("The release does not keep what it claims: {wrong}.", wrong="; ".join(wrong))
    graded = work.folder.read("assessment.json")
    if work.asked.target is not None:
        target = parse_target(work.asked.target)
        found = graded["score"] if isinstance(target, float) else graded["grade"]
        if found < target if isinstance(target, float) else Grade(found) < target:
            return RefusalError(
                "The release is graded {found} where {target} was asked: measured on the release the setting falls "
                "short of what its law promised; do not give it away, or lower the target.",
                found=f"{found:.1f}" if isinstance(target, float) else found,
                target=work.asked.target,
            )
    failed = [one["name"] for one in graded["policy"] if not one["holds"]]
    if not failed:
        return None
    return RefusalError("The release does not keep the policy: {failed}.", failed=", ".join(failed))


def _sources(asked: Asked, table: Table, opened: ExitStack) -> Sources:
    diagram = default_diagram() if asked.diagram is None else read_diagram(asked.diagram)
    answers = asked.questionnaire
    return Sources(
        table=table,
        distortion=distortion_named(asked.distortion[0]),
        bins=parse_binnings(asked.bins, (asked.secret, *asked.background)),
        diagram=diagram,
        questionnaire=None if answers is None else read_questionnaire(answers, asked_leaves(diagram)),
        ledger=None if asked.ledger is None else opened.enter_context(open_ledger(asked.ledger)),
        dataset=None if asked.ledger is None else asked.dataset or default_dataset(asked.table),
    )


def _about(asked: Asked, table: Table, watch: _Watched) -> dict[str, Any]:
    return {
        "name": Path(asked.table).name,
        "rows": table.rows,
        "bytes": watch.bytes,
        "sha256": watch.digest(),
        "columns": [{"name": one.name, "kind": one.kind.value} for one in table.columns()],
    }


@dataclass(frozen=True)
class _Watched:
    """The files of the table, and how they looked when the job began."""

    files: tuple[Path, ...]
    looks: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, address: str) -> _Watched:
        files = tuple(sorted(source_files(address)))
        return cls(files, cls._look(files))

    @staticmethod
    def _look(files: tuple[Path, ...]) -> tuple[tuple[int, int, int], ...]:
        found = [file.stat() for file in files]
        return tuple((one.st_size, one.st_mtime_ns, one.st_ino) for one in found)

    @property
    def bytes(self) -> int:
        """The size of all of them."""
        return sum(size for size, _, _ in self.looks)

    def digest(self) -> str:
        """SHA-256 of the file, or over those of several."""
        each = [file_digest(file) for file in self.files]
        return each[0] if len(each) == 1 else hashlib.sha256("".join(each).encode()).hexdigest()

    def require_unchanged(self) -> None:
        """Refuse to go on with another table than the job began with.

        Raises:
            TableError: a file was changed or is gone.
        """
        try:
            same = self._look(self.files) == self.looks
        except OSError:
            same = False
        if not same:
            raise TableError(
                "The table was changed while the job was at work, so its parts would not fit together; run it again in "
                "a new folder."
            )

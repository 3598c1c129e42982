"""The main job: a table in, a protected table and a report out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leakgauge.assessment import asked_leaves, default_diagram, read_diagram, read_policy, read_questionnaire
from leakgauge.distances import distortion_named
from leakgauge.drafts import write_whole
from leakgauge.errors import InputError, RefusalError, TableError
from leakgauge.jobs.protect.asked import Asked, require_columns
from leakgauge.jobs.protect.choosing import Sources
from leakgauge.jobs.protect.folder import open_folder
from leakgauge.jobs.protect.running import Progress, run, spends
from leakgauge.jobs.protect.script import script
from leakgauge.jobs.protect.stages import FILES, PLAN, Work
from leakgauge.jobs.protect.watching import Watched
from leakgauge.release.ledger import default_dataset, open_ledger
from leakgauge.tables import Table, in_bins, open_table, parse_binnings

FEWEST_ROWS = 16
"""Attacks need so many."""


@dataclass(frozen=True)
class Done:
    """A job that came to its end.

    Attributes:
        folder: where everything is.
        fields: of ``job.json``.
        refused: why nothing was released, or why the release must not be given away; None otherwise.
    """

    folder: Path
    fields: Mapping[str, Any]
    refused: RefusalError | None

    def require(self) -> None:
        """Refuse where nothing was released, a veto stands against the release, or its target or policy is not kept.

        Raises:
            RefusalError: says why.
        """
        if self.refused is not None:
            raise self.refused


def protect(asked: Asked, folder: Path | str, *, overwrite: bool = False, progress: Progress | None = None) -> Done:
    """A protected table, its audit, its grade and its report, all in one folder.

    A stage that was finished before is not done again where it would read the same; so a job that was killed goes on
    where it was, and a release that was drawn is never drawn again. Where nothing meets the target, nothing is
    released, and the report says what is possible.

    Args:
        asked: what to do.
        folder: where everything goes; a new one, or that of the same job.
        overwrite: whether the folder of another release may be used.
        progress: told of every stage.

    Raises:
        InputError: something that cannot be used; a folder that was new is gone again.
        TableError: the table changed meanwhile.
        EngineError: disk, engine or solver failed.
    """
    place = Path(folder)
    with ExitStack() as opened:
        table = opened.enter_context(open_table(asked.table, missing=asked.missing))
        names = tuple(column.name for column in table.columns())
        require_columns(asked, names)
        if table.rows < FEWEST_ROWS:
            raise TableError(
                "The table has {rows} rows, too few to try an attack on; it needs {least}.",
                rows=table.rows,
                least=FEWEST_ROWS,
            )
        sources = _sources(asked, table, opened)
        policy = None if asked.policy is None else read_policy(asked.policy)
        watch = Watched.of(asked.table)
        job = opened.enter_context(open_folder(place, asked.as_json(), _about(asked, table, watch), overwrite))
        job.fields |= {
            "withheld": [name for name in names if name not in asked.released],
            "command": asked.command(place),
            "script": script(asked, place),
        }
        job.save()
        if asked.diagram is not None:
            write_whole(place / "diagram.toml", Path(asked.diagram).read_text(encoding="utf-8"))
        work = Work(asked, job, sources, policy, lambda done, total: None)
        try:
            refused = run(work, watch, overwrite, progress or (lambda *told: None))
        except InputError:
            if not any(spends(work, stage) for stage in job.fields["stages"]):
                # What cannot be used leaves nothing behind.
                job.drop(*FILES["report"], PLAN)
            raise
    return Done(place, job.fields, refused)


def _sources(asked: Asked, table: Table, opened: ExitStack) -> Sources:
    diagram = default_diagram() if asked.diagram is None else read_diagram(asked.diagram)
    answers = asked.questionnaire
    ledger = None if asked.ledger is None else opened.enter_context(open_ledger(asked.ledger))
    dataset = asked.dataset or default_dataset(asked.table)
    if ledger is not None:
        # An account that is missing is told before anything is done.
        ledger.account(dataset)
    bins = parse_binnings(asked.bins, (asked.secret, *asked.seen))
    return Sources(
        original=table,
        table=in_bins(table, bins),
        distortion=distortion_named(asked.distortion[0]),
        bins=bins,
        diagram=diagram,
        questionnaire=None if answers is None else read_questionnaire(answers, asked_leaves(diagram)),
        ledger=ledger,
        dataset=None if ledger is None else dataset,
    )


def _about(asked: Asked, table: Table, watch: Watched) -> dict[str, Any]:
    return {
        "name": Path(asked.table).name,
        "rows": table.rows,
        "bytes": watch.bytes,
        "sha256": watch.digest(),
        "columns": [{"name": one.name, "kind": one.kind.value} for one in table.columns()],
    }

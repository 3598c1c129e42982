"""The main job: a table in, a protected table and a report out."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import structs

from leakgauge.artefacts import Job, Request, codec
from leakgauge.artefacts.codec import Stored
from leakgauge.artefacts.job import TableColumn, TableRead
from leakgauge.artefacts.request import FRAME
from leakgauge.assessment import asked_leaves, default_diagram, read_diagram, read_policy, read_questionnaire
from leakgauge.distances import distortion_named
from leakgauge.drafts import write_whole
from leakgauge.errors import ColumnError, FileError, InputError, OptionError, RefusalError, TableError, did_you_mean
from leakgauge.jobs.protect.choosing import Sources
from leakgauge.jobs.protect.folder import Folder, open_folder
from leakgauge.jobs.protect.running import Progress, run, spends
from leakgauge.jobs.protect.stages import FILES, PLAN, Work
from leakgauge.jobs.protect.watching import InMemory, Watched, watched
from leakgauge.release.ledger import default_dataset, open_ledger
from leakgauge.tables import Table, as_arrow, in_bins, open_table, parse_binnings

FEWEST_ROWS = 16
"""Attacks need so many."""


@dataclass(frozen=True)
class Done:
    """A job that came to its end.

    Attributes:
        kept: its folder with what was written there, as objects.
        refused: why nothing was released, or why the release must not be given away; None otherwise.
    """

    kept: Folder
    refused: RefusalError | None

    @property
    def folder(self) -> Path:
        """Where everything is."""
        return self.kept.place

    @property
    def job(self) -> Job:
        """The job as it stands in ``job.json``."""
        return self.kept.job

    def read(self, kind: type[Stored], name: str) -> Stored:
        """An artefact of the folder, such as ``read(Audit, "audit.json")``."""
        return self.kept.read(kind, name)

    @property
    def released(self) -> bool:
        """Whether something was released; ``refused`` says whether it may be given away."""
        return self.job.outcome is not None and self.job.outcome.released

    def require(self) -> None:
        """Refuse where nothing was released, a veto stands against the release, or its target or policy is not kept.

        Raises:
            RefusalError: says why.
        """
        if self.refused is not None:
            raise self.refused


def protect(
    table: object, folder: Path | str, *, overwrite: bool = False, progress: Progress | None = None, **asked: Any
) -> Done:
    """A protected table, its audit, its grade and its report, all in one folder.

    A stage that was finished before is not done again where it would read the same; so a job that was killed goes on
    where it was, and a release that was drawn is never drawn again. Where nothing meets the target, nothing is
    released, and the report says what is possible.

    Args:
        table: a path or a frame, as ``open_table`` takes it, or a whole ``Request``.
        folder: where everything goes; a new one, or that of the same job.
        overwrite: whether the folder of another release may be used.
        progress: told of every stage.
        asked: fields of the ``Request``, such as ``secret``, ``public`` and ``max_distortion``.

    Raises:
        InputError: something that cannot be used; a folder that was new is gone again.
        TableError: the table changed meanwhile.
        EngineError: disk, engine or solver failed.
    """
    request, place = request_of(table, **asked), Path(folder)
    content = request.table if isinstance(table, str | Path | Request) else as_arrow(table)
    with ExitStack() as opened:
        source = opened.enter_context(open_table(content, missing=request.missing))
        names = tuple(column.name for column in source.columns())
        _require_columns(request, names)
        if source.rows < FEWEST_ROWS:
            raise TableError(
                "The table has {rows} rows, too few to try an attack on; it needs {least}.",
                rows=source.rows,
                least=FEWEST_ROWS,
            )
        sources = _sources(request, source, opened)
        policy = None if request.policy is None else read_policy(request.policy)
        watch = watched(content)
        kept = opened.enter_context(open_folder(place, request, _about(request, source, watch), overwrite))
        kept.note(
            withheld=tuple(name for name in names if name not in request.released),
            command="" if request.table == FRAME else request.command(place),
            script=request.script(place),
        )
        if request.diagram is not None:
            write_whole(place / "diagram.toml", Path(request.diagram).read_text(encoding="utf-8"))
        work = Work(request, kept, sources, policy, lambda done, total: None)
        try:
            refused = run(work, watch, overwrite, progress or (lambda event: None))
        except InputError:
            if not any(spends(work, stage) for stage in kept.job.stages):
                # What cannot be used leaves nothing behind.
                kept.drop(*FILES["report"], PLAN)
            raise
    return Done(kept, refused)


def request_of(table: object, **asked: Any) -> Request:
    """What is asked of a path or a frame; of a request, the same with these changes.

    Raises:
        OptionError: a field that no request has, one outside its range, missing or of another type.
    """
    known = {one.name: one.default for one in structs.fields(Request)[1:]}
    for name in asked:
        if name not in known:
            raise OptionError("There is no option {name!r}; {hint}", name=name, hint=did_you_mean(name, known))
    start = {"table": str(table) if isinstance(table, str | Path) else FRAME}
    if isinstance(table, Request):
        start = codec.encode(table)
    given = {name: _plain(value, several=isinstance(known[name], tuple)) for name, value in asked.items()}
    if isinstance(given.get("target"), int | float):
        given["target"] = str(given["target"])
    try:
        return codec.decode(Request, {**start, **given}, "What is asked")
    except FileError as error:
        wrong = error.fields.get("name")
        raise OptionError(
            "{name!r} is missing or of another type; lg.Request says which it takes.", name=wrong
        ) from None


def _plain(value: object, several: bool) -> object:
    """A field as JSON has it; of those that take several texts, one may stand alone."""
    if isinstance(value, Path):
        value = str(value)
    return [value] if several and isinstance(value, str) else codec.encode(value)


def _sources(asked: Request, table: Table, opened: ExitStack) -> Sources:
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


def _about(asked: Request, table: Table, watch: Watched | InMemory) -> TableRead:
    columns = tuple(TableColumn(one.name, one.kind.value) for one in table.columns())
    return TableRead(Path(asked.table).name, table.rows, watch.bytes, watch.digest(), columns)


def _require_columns(asked: Request, known: tuple[str, ...]) -> None:
    for name in (asked.secret, *asked.seen):
        if name not in known:
            raise ColumnError("There is no column {name!r}; {hint}", name=name, hint=did_you_mean(name, known))

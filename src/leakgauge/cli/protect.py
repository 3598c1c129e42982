"""``leakgauge protect``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from rich.progress import Progress as Bar
from rich.progress import TaskID
from rich.text import Text

from leakgauge.artefacts.request import Aiming, Budget, Coarsening, Declared, Limits, Reading, Roles
from leakgauge.artefacts.request.part import RequestPart
from leakgauge.cli import options
from leakgauge.cli.help import Grouped
from leakgauge.cli.language import current, listed, retell, say
from leakgauge.cli.options import FILE
from leakgauge.cli.output import (
    Output,
    Parts,
    Screen,
    deliver,
    engine_line,
)
from leakgauge.cli.terminal import terminal, voice_of
from leakgauge.languages import message
from leakgauge.waiting import told_while_waiting

if TYPE_CHECKING:
    from leakgauge.artefacts import JobEvent, Record, Request
    from leakgauge.jobs.protect import Done, Progress
    from leakgauge.telling.blocks import Content
    from leakgauge.telling.voice import Voice

STAGES = {
    "coarsen": message("choosing the levels"),
    "survey": message("looking through the columns"),
    "measure": message("measuring the leakage"),
    "design": message("designing the channel"),
    "release": message("releasing"),
    "audit": message("attacking"),
    "assess": message("assessing"),
    "report": message("writing the report"),
}


_HEADS: dict[type[RequestPart], str] = {
    Roles: message("Columns"),
    Aiming: message("How much noise"),
    Limits: message("Limits"),
    Coarsening: message("Coarser columns"),
    Reading: message("Reading the table"),
    Budget: message("Budget"),
    Declared: message("Declared, for verdict and report"),
}


@click.command(
    cls=Grouped,
    groups={
        **{head: options.names_of(part) for part, head in _HEADS.items()},
        message("Other options"): "repeat output overwrite strict as_json",
    },
)
@click.argument("table", type=options.ADDRESS)
@options.options_of(*_HEADS)
@click.option(
    "--repeat", type=options.ADDRESS, metavar="DIR", help="Repeat that job, with its mechanism, on a new TABLE."
)
@click.option("-o", "--output", type=FILE, required=True, metavar="DIR", help="The folder for all results.")
@click.option("--overwrite", is_flag=True, help="Replace the job in the folder.")
@options.strict
@options.gone("--target", "--min-privacy", "--min-utility")
@options.as_json
def command(table: str, output: Path, overwrite: bool, strict: bool, as_json: bool, **given: Any) -> None:
    """The main job: a protected table and a report to sign, from one table.

    The leakage is measured, a channel designed, the table released, attacked and judged; all results are in DIR.

    \b
    leakgauge protect people.parquet --secret illness --background city \\
        --public city --max-distortion 0.2 -o out
    leakgauge protect people.parquet --secret illness --secret income \\
        --unit person --max-distortion 0.2 -o out
    leakgauge protect people.parquet --secret illness --min-protection 60 -o out
    leakgauge protect february.parquet --repeat out/january -o out/february

    --repeat takes the options of an earlier job, except those typed beside it, and its mechanism unchanged. It also
    says what both releases reveal together.

    Columns that identify people are refused, and nothing is written, unless --accept-unique names them.

    If the job is stopped or killed, the same command resumes it. If nothing meets the target, or its promise breaks a
    limit that you gave, nothing is released, the report says what is possible, and the exit code is 1. It is also 1 if
    the release is vetoed or breaks such a limit: do not hand it out then. The default policy only affects the
    recommendation, unless --strict makes it count.
    """
    from leakgauge.jobs.protect import protect

    # Options not typed have the defaults of a request, or those of the job that is repeated.
    source = click.get_current_context().get_parameter_source
    asked = {name: value for name, value in given.items() if source(name) is not ParameterSource.DEFAULT}
    if given["repeat"] is None:
        asked.setdefault("report_language", current().code)
    with progress_lines() as tell:
        done = protect(table, output, overwrite=overwrite, progress=tell, **asked)
    deliver(done.job, Output(as_json), lambda: render(done))
    done.require(strict=strict)


@contextmanager
def progress_lines() -> Iterator[Progress]:
    """On a screen, a bar for the running stage and a line for each finished one; in a pipe, only the lines."""
    console = Screen(stderr=True)
    with Bar(console=console, transient=True, disable=not sys.stderr.isatty()) as bar:
        tasks: dict[str, TaskID] = {}

        def tell(event: JobEvent) -> None:
            name = retell(STAGES[event.stage])
            if event.state == "started":
                tasks[event.stage] = bar.add_task(name, total=None)
            elif event.state == "working":
                bar.update(tasks[event.stage], completed=event.done, total=event.total or None)
            else:
                if event.stage in tasks:
                    bar.remove_task(tasks.pop(event.stage))
                words = {"finished": say("done"), "kept": say("kept from before"), "skipped": say("left out")}
                console.print(say("{stage!s}: {state!s}", stage=name, state=words[event.state]), style="dim")

        with told_while_waiting(engine_line(bar)):
            yield tell


def render(done: Done) -> Parts:
    """The numbers that matter, what they rest on, and the verdict at the end."""
    from leakgauge.artefacts.dossier import MEASUREMENT, RECORD
    from leakgauge.release.guarantees import said_of_bins, said_of_formulas, said_of_order, said_of_suppression
    from leakgauge.telling.measurement import too_small
    from leakgauge.telling.public_columns import telling
    from leakgauge.telling.releasing import simulation, suppressed_rows

    job, voice = done.job, voice_of(done.kept.dossier())
    roles, parts = job.request.roles, Parts()
    if job.headline is None:
        parts += terminal([voice.alarm("Nothing was released."), *telling(voice, short=True)])
    else:
        parts += terminal(_found(voice))
        if not all(done.kept.result(MEASUREMENT, one).reliable for one in roles.sources):
            parts += terminal([too_small(voice)])
        record = done.kept.result(RECORD)
        plan = record.plan
        parts += [
            f"· {retell(said)}" for said in (*said_of_bins(plan), *said_of_suppression(plan), *said_of_order(plan))
        ]
        parts += [*_sets(record, done.folder), *terminal(suppressed_rows(voice_of(), record))]
        parts += [Text(retell(said), "yellow") for said in said_of_formulas(record.output)]
        parts += terminal(_left(voice))
        kept = [name for name in job.withheld if name not in (*roles.withhold, roles.unit)]
        if kept:
            columns = listed(kept)
            parts.append(say("Not released: {columns!s}; --public NAME releases one unchanged.", columns=columns))
    if job.request.budget.simulate is not None:
        parts += terminal([simulation(voice)])
    parts.append(say("Report: {path!s}", path=done.folder / "report.html"))
    return [*parts, *terminal(_judged(voice, done))]


def _found(voice: Voice) -> Iterator[Content]:
    """The numbers that matter, and how coarse the public columns are."""
    from leakgauge.telling.coarsening import coarsening
    from leakgauge.telling.headline import every_secret, numbers
    from leakgauge.telling.promises import unprotected
    from leakgauge.telling.survey import published

    if voice.dossier.survey is not None:
        yield from published(voice, voice.dossier.survey)
    yield from (*numbers(voice, short=True), *every_secret(voice), *unprotected(voice), *coarsening(voice))


def _left(voice: Voice) -> Iterator[Content]:
    """What readers have of the release, what it adds to earlier ones, and what the public columns reveal."""
    from leakgauge.telling.earlier import earlier
    from leakgauge.telling.guarantee import designed
    from leakgauge.telling.public_columns import telling
    from leakgauge.telling.recipients import recipients
    from leakgauge.telling.usefulness import usefulness

    yield from earlier(voice)
    for one in voice.each:
        yield from (*designed(one), *usefulness(one, short=True))
    yield from (*recipients(voice, short=True), *telling(voice, short=True))


def _judged(voice: Voice, done: Done) -> Iterator[Content]:
    """The scores, the recommendation and the next step, at the end, where a screen still shows them."""
    from leakgauge.artefacts.report import Code
    from leakgauge.artefacts.verdict import Recommendation
    from leakgauge.telling.actions import given_out, to_do
    from leakgauge.telling.dials import dials, judged_by, recommended

    found, asked = judged_by(voice), done.job.request
    if found is None:
        return
    yield from (*dials(voice, found, short=True), *recommended(voice, found))
    yield from to_do(voice, found, voice.dossier.job, _free_beside(done.folder))
    if found.recommendation is Recommendation.RELEASE:
        yield voice.say("The report to sign:")
        yield Code(report_command(done.folder, asked))
    elif done.refused is None and asked.budget.simulate is None:
        yield from given_out(voice, found, done.job)


def report_command(folder: Path, asked: Request) -> str:
    """The command that writes the report to sign."""
    language = asked.declared.report_language
    words = ["leakgauge", "report", str(folder), "--format", "pdf"]
    return shlex.join([*words, *(() if language == "en" else ("--report-language", language))])


def _free_beside(folder: Path) -> Path:
    """A folder that does not exist yet, named after this one."""
    return next(place for n in count(2) if not (place := folder.with_name(f"{folder.name}-{n}")).exists())


def _sets(record: Record, folder: Path) -> Iterator[str]:
    """How cells are read that are not single values."""
    from leakgauge.artefacts.dossier import RECORD
    from leakgauge.release.recorded_plan import plan_of

    for column in plan_of(record, folder / RECORD.name).columns:
        sets = column.mechanism.sets
        if sets is None or max(sets.law.sizes) == 1:
            continue
        if 0 in sets.law.sizes:
            yield say(
                "· Each cell of {column!s} is a set of values, joined by |; an empty cell is the set of none. The true "
                "value is in its set more often than each of the others.",
                column=column.name,
            )
        else:
            yield say(
                "· Each cell of {column!s} is a set of values, joined by |. The true value is in its set more often "
                "than each of the others.",
                column=column.name,
            )

"""``leakgauge protect``."""

from __future__ import annotations

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

from leakgauge.artefacts.request import Aiming, Budget, Coarsening, Declared, Limits, Reading, Roles
from leakgauge.artefacts.request.part import RequestPart
from leakgauge.cli import options
from leakgauge.cli.help import Grouped
from leakgauge.cli.language import current, retell, say
from leakgauge.cli.options import FILE
from leakgauge.cli.output import Output, Screen, deliver, engine_line
from leakgauge.languages import message
from leakgauge.waiting import told_while_waiting

if TYPE_CHECKING:
    from leakgauge.artefacts import JobEvent
    from leakgauge.jobs.protect import Done, Progress

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
        done = protect(table, output, overwrite=overwrite, strict=strict, progress=tell, **asked)
    show(done, as_json)
    done.require()


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
                words = {"finished": say("done"), "kept": say("kept from before"), "skipped": say("skipped")}
                console.print(say("{stage!s}: {state!s}", stage=name, state=words[event.state]), style="dim")

        with told_while_waiting(engine_line(bar)):
            yield tell


def show(done: Done, as_json: bool) -> None:
    """The job as JSON, or the numbers that matter, what they rest on, and the verdict at the end."""
    from leakgauge.telling.outcome import protected

    beside = next(one for n in count(2) if not (one := done.folder.with_name(f"{done.folder.name}-{n}")).exists())
    deliver(
        done.job,
        Output(as_json),
        lambda voice: protected(voice, done.folder, beside, refused=done.refused is not None),
        None if as_json else done.kept.dossier(),
    )

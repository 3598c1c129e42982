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
from rich.table import Table
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
    alert,
    deliver,
    engine_line,
    grid,
    simulation_warning,
    told_level,
)
from leakgauge.cli.terminal import terminal, voice_of
from leakgauge.languages import message
from leakgauge.rounding import is_all, outwards, percent
from leakgauge.waiting import told_while_waiting

if TYPE_CHECKING:
    from leakgauge.artefacts import Headline, Job, JobEvent, Record, Request, SecretOutcome, Survey
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

    If the job is stopped or killed, the same command resumes it. If nothing meets the target, or its scores calculated
    in advance break a limit that you gave, nothing is released, the report says what is possible, and the exit code is
    1. It is also 1 if the release is vetoed or breaks such a limit: do not hand it out then. The default policy decides
    the recommendation without failing, unless --strict makes it count.
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
    """The numbers that matter, and where the rest is."""

    from leakgauge.artefacts import Design
    from leakgauge.artefacts.dossier import (
        COARSENING,
        DESIGN,
        MEASUREMENT,
        RECORD,
        SURVEY,
        TELLING,
        public_file,
    )
    from leakgauge.cli.coarsening import chosen_levels
    from leakgauge.cli.measure import too_small
    from leakgauge.cli.recipients import said_of_recipients
    from leakgauge.cli.release import suppressed_rows
    from leakgauge.cli.repeated import said_of_earlier_releases
    from leakgauge.cli.telling import told_less, what_public_columns_tell
    from leakgauge.cli.usefulness import said_of_use
    from leakgauge.release.guarantees import said_of_bins, said_of_formulas, said_of_order, said_of_suppression

    job, headline = done.job, done.job.headline
    parts: Parts = []
    if headline is None:
        parts.append(alert(say("Nothing was released.")))
    else:
        parts += _warnings(done.kept.result(SURVEY))
        numbers = grid(title=listed(headline.secret))
        for row in _rows(headline, _epsilon_of(job.request)):
            numbers.add_row(*row)
        parts.append(numbers)
        if len(job.secrets) > 1:
            parts.append(_secrets(job))
        if job.request.roles.public:
            columns = listed(job.request.roles.public)
            parts.append(
                say("ε covers the protected columns only; released without protection: {columns!s}.", columns=columns)
            )
        for column in job.request.roles.public_through:
            designed = done.kept.get(Design, public_file(DESIGN, column, job.request.roles.public_through))
            parts += [] if designed is None else [told_less(column, designed)]
        measured = [done.kept.result(MEASUREMENT, one) for one in job.request.roles.sources]
        if not all(one.reliable for one in measured):
            parts.append(Text(too_small(), "yellow"))
        coarsened = done.kept.found(COARSENING)
        if coarsened is not None:
            parts.append(chosen_levels(coarsened))
        record = done.kept.result(RECORD)
        plan = record.plan
        parts += [
            f"· {retell(said)}" for said in (*said_of_bins(plan), *said_of_suppression(plan), *said_of_order(plan))
        ]
        parts += _sets(record, done.folder)
        parts += suppressed_rows(record)
        parts += [Text(retell(said), "yellow") for said in said_of_formulas(record.output)]
        if job.repeated is not None:
            per_person = job.request.roles.rows_per_unit is not None
            parts += said_of_earlier_releases(job.repeated, per_person=per_person)
        parts += said_of_use(done)
        parts += said_of_recipients(done)
    told = done.kept.found(TELLING)
    parts += [] if told is None else what_public_columns_tell(told)
    kept = [name for name in job.withheld if name not in (*job.request.roles.withhold, job.request.roles.unit)]
    if kept and headline is not None:
        columns = listed(kept)
        parts.append(say("Not released: {columns!s}; --public NAME releases one unchanged.", columns=columns))
    if job.request.budget.simulate is not None:
        parts.append(simulation_warning())
    parts.append(say("Report: {path!s}", path=done.folder / "report.html"))
    return [*parts, *terminal(_judged(voice_of(done.kept.dossier()), done))]


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


def learnt(found: Headline | SecretOutcome) -> str:
    """Bits of a secret that the attacker learns, and of how many; bounded where they could not be counted."""
    if found.leakage_after is None or found.leakage_before is None:
        return "–"
    before, (low, high) = f"{found.leakage_before.value:.3g}", outwards(*found.leakage_after.ends)
    if found.exact:
        return say("{after:.3g} of {before} bits", after=found.leakage_after.value, before=before)
    if is_all(found.leakage_after.ends[1], found.leakage_before.value):
        return say("at least {low:.3g} of {before} bits, at most all of it", low=low, before=before)
    return say("at least {low:.3g}, at most {high:.3g} of {before} bits", low=low, high=high, before=before)


def _secrets(job: Job) -> Table:
    """Each secret with its numbers, and all of them at once."""
    from leakgauge.cli.verdict import points

    found = grid(say("secret|protection|exposed|usefulness|the attacker learns|guessed correctly"), say("Every secret"))
    for one in job.secrets:
        name = listed(one.secret)
        shares = "–" if one.success is None else percent(one.success.value)
        dials = points(one.dials, "protection", "exposed", "usefulness")
        found.add_row(say("{name!s} (withheld)", name=name) if one.withheld else name, *dials, learnt(one), shares)
    if job.total is not None:
        bits = say("{bits:.3g} bits", bits=job.total.information.value)
        if not job.total.exact:
            whole = job.total.entropy
            all_of_it = whole is not None and is_all(job.total.information.ends[1], whole.value)
            template = (
                message("at least {low:.3g} bits, at most all of it")
                if all_of_it
                else message("at least {low:.3g}, at most {high:.3g} bits")
            )
            low, high = outwards(*job.total.information.ends)
            bits = say(template, low=low, high=high)
        found.add_row(say("all at once"), "", "", "", bits, "")
    return found


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


def _warnings(survey: Survey) -> Parts:
    """Findings of the survey that a steward must know before the release goes out."""
    together, parts = survey.published, Parts()
    if together is not None and together.alone:
        parts.append(
            Text(
                say(
                    "{alone} of {rows} rows are unique in the public columns {columns!s}.",
                    alone=together.alone,
                    rows=survey.rows,
                    columns=listed(together.columns),
                ),
                "yellow",
            )
        )
    return parts


def _epsilon_of(asked: Request) -> str:
    """Whom ε protects, and what it covers."""
    if asked.roles.rows_per_unit is not None:
        return say("ε of one person")
    return "ε" if len(asked.roles.groups) == 1 else say("ε of all protected columns")


def _rows(headline: Headline, epsilon_of: str) -> Iterator[tuple[str, str]]:
    if headline.leakage_after is not None and headline.leakage_before is not None:
        told = learnt(headline)
        if headline.floor is not None:
            low, high = outwards(*headline.floor.ends)
            floor = f"{headline.floor.value:.3g}" if headline.floor_exact else f"{low:.3g} – {high:.3g}"
            told = say("{told}; {floor} from the background alone", told=told, floor=floor)
        yield say("the attacker learns"), told
    if headline.epsilon is not None:
        yield epsilon_of, told_level(headline.epsilon.value)
    if headline.success is not None and headline.baseline is not None:
        shares = {"right": headline.success.value, "before": headline.baseline.value}
        yield say("strongest attack"), say("{right:.1%} correct, {before:.1%} without the release", **shares)
    if headline.unchanged is not None:
        yield say("values unchanged"), percent(headline.unchanged.value)

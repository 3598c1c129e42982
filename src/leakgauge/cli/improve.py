"""``leakgauge improve``."""

from __future__ import annotations

import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import structs
from rich.box import SIMPLE_HEAD
from rich.table import Column, Table
from rich.text import Text

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.improving import Improving
from leakgauge.cli import options
from leakgauge.cli.language import retell, say
from leakgauge.cli.output import Output, Parts, counting, deliver, require_not_read
from leakgauge.drafts import require_room
from leakgauge.languages import message

if TYPE_CHECKING:
    from leakgauge.artefacts import Judgement, Request
    from leakgauge.assessment.search import Search, Trial

SHOWN = 8
"""Families on the screen; the file has every setting."""


@click.command()
@click.argument("table", type=options.ADDRESS)
@options.taking(asked=Improving, reading=Reading)
@options.gone("--target", "--min-privacy", "--min-utility")
@options.output
def command(table: str, asked: Improving, reading: Reading, to: Output) -> None:
    """The most useful setting that protects enough; with --min-usefulness alone, the most protective one.

    \b
    leakgauge improve people.parquet --secret illness --min-protection 60
    leakgauge improve people.parquet --secret illness --public city \\
        --min-protection 60 --min-usefulness 30

    Parameters are changed first, then the mechanism, then the form of the data. Every setting is judged by its exact
    law on the table's counts; nothing is released and no budget is used; the choice itself is not private.
    With --accounted the search reads only a noisy histogram. Exit 1 if no setting keeps the limits.
    """
    from leakgauge.jobs.improve import improve, stored

    require_not_read(to.file, table, None if asked.start is None else Path(asked.start))
    if asked.accounted is not None and to.file is not None:
        # The disk is checked first, so that a full one does not waste the histogram's price.
        require_room(to.file, 1 << 24)
    with counting(say("Trying")) as tell:
        found = improve(table, **asked.given(), **reading.given(), progress=tell)
    search = found.search
    job, promise = _promise(search, table, asked, reading)
    told = structs.replace(stored(found), promised=None if promise is None else promise.dials[search.secret])
    deliver(told, to, lambda: [*_render(search, table, job, promise), retell(found.learned_from)])
    search.require()
    if promise is not None:
        promise.require()


def _promise(search: Search, table: str, asked: Improving, reading: Reading) -> tuple[Request | None, Judgement | None]:
    """The job that releases the chosen setting, and its promise: it judges everything that leaves, a search one column.

    If the setting protects less than asked for beside everything else, the job searches for itself, which allows for
    that.
    """
    from leakgauge.assessment.judging import policy_of
    from leakgauge.errors import RefusalError
    from leakgauge.jobs.protect.judged import Judging
    from leakgauge.tables import open_table

    chosen = search.chosen
    if chosen is None or chosen.family.counts_rows:
        return None, None
    job = released_by(chosen, table, asked, reading)
    if asked.accounted is not None:
        # What another noisy histogram would give is not known before it is bought.
        return job, None
    with open_table(job.table, **job.reading.keywords()) as source:
        judging = Judging(source, policy_of(job.limits))
        promise = judging.promise(job)
        if promise.failed and job.aims[0].mechanism:
            with suppress(RefusalError):
                other = job.having(mechanism=())
                found = judging.promise(other)
                job, promise = (job, promise) if found.failed else (other, found)
    return job, promise


def _render(search: Search, table: str, job: Request | None, promise: Judgement | None) -> Parts:
    from leakgauge.cli.verdict import dials_in_words

    chosen, parts = search.chosen, Parts()
    if chosen is not None:
        dials = chosen.dials if promise is None else promise.dials[search.secret]
        setting = {"setting": chosen.said, "form": chosen.family.form, "dials": dials_in_words(dials)}
        if job is not None and not job.aims[0].mechanism and chosen.channel is None:
            template = message(
                "{setting} ({form}) protects too little along with everything else that is released; let the "
                "job search: {dials!s}."
            )
        else:
            template = message("Take {setting} ({form}): {dials!s}.")
        parts.append(Text(say(template, **setting), "bold"))
        parts += _command(search, chosen, table, job)
    else:
        closest = {"setting": search.closest.said, "form": search.closest.family.form}
        parts.append(say("No setting meets the limits; the closest is {setting} ({form}).", **closest))
        parts += [say("· {reason}.", reason=reason) for reason in search.blocking]
    return [*parts, _families(search), *(f"· {retell(note)}" for note in search.notes)]


def _command(search: Search, chosen: Trial, table: str, job: Request | None) -> Parts:
    """The command that releases the chosen setting."""
    if job is None:
        words = ["leakgauge", "query", table, "histogram", "--column", search.secret, "--labels", "A|B|…"]
        command = shlex.join([*words, "--epsilon", f"{chosen.parameter:.4g}", "--ledger", "LEDGER"])
        said = say("This command answers it, with the values of {column!s} as labels:", column=search.secret)
    else:
        command, said = job.command("out"), say("This command releases it:")
    return [said, Text(f"  {command}", no_wrap=True)]


def released_by(chosen: Trial, table: str, asked: Improving, reading: Reading) -> Request:
    """The job that releases a setting; mechanisms fitted to the counts are found again from the same limits."""
    from leakgauge.artefacts import Request
    from leakgauge.assessment.search import Stage
    from leakgauge.probability import Interval
    from leakgauge.probability.labels import interval_of
    from leakgauge.tables.binnings import Edges, spelled_binning

    how = {**reading.given(), "min_protection": asked.min_protection, "min_usefulness": asked.min_usefulness}
    how |= {"use": asked.use, "background": asked.background, "public": dict.fromkeys(asked.public)}
    secret = asked.secret
    bins = [one for one in chosen.values if isinstance(one, Interval)]
    if bins:
        cuts: Any = sorted({end for one in bins for end in (one.low, one.high) if end is not None})
        how["bins"] = (f"{secret}={spelled_binning(Edges(tuple(cuts)))}",)
    elif chosen.family.stage is Stage.FORM and any(isinstance(one, str) and interval_of(one) for one in chosen.values):
        # Dates, and numbers beside missing values, were binned by the table itself.
        how["bins"] = (f"{secret}=auto",)
    if chosen.channel is None:
        how["mechanism"] = (str(chosen.said),)
        return Request.of(table, secret=(secret,), **how)
    how |= {"accounted": asked.accounted, "ledger": asked.ledger, "dataset": asked.dataset}
    how |= {} if asked.keep == "shares" else {"keep": asked.keep}
    return Request.of(table, secret=(secret,), **how)


def _families(search: Search) -> Table:
    """The best setting of each family, best first."""
    from leakgauge.cli.verdict import points

    best: dict[tuple[str, str], Trial] = {}
    for trial in search.trials:
        key = retell(trial.family.name), retell(trial.family.form)
        if key not in best or _rank(search, trial) > _rank(search, best[key]):
            best[key] = trial
    every = sorted(best.values(), key=lambda trial: _rank(search, trial), reverse=True)
    table = Table(
        Column(say("setting"), overflow="fold"),
        *(Column(retell(head), justify="right") for head in ("protection", "exposed", "guarantee", "usefulness")),
        "",
        box=SIMPLE_HEAD,
    )
    for trial in every[:SHOWN]:
        mark = say("CHOSEN") if trial is search.chosen else "" if trial.short else say("met")
        setting = say("{setting} ({form})", setting=trial.said, form=trial.family.form)
        table.add_row(setting, *points(trial.dials, "protection", "exposed", "guarantee", "usefulness"), mark)
    return table


def _rank(search: Search, trial: Trial) -> tuple[bool, bool, float, float]:
    """The chosen setting first, then those that keep the limits, the most useful first, then those that miss them by
    least."""
    return trial is search.chosen, not trial.short, -sum(trial.short.values()), trial.usefulness

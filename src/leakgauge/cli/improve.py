"""``leakgauge improve``."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import structs

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.verbs import Improving
from leakgauge.cli import options
from leakgauge.cli.language import say
from leakgauge.cli.output import Output, counting, deliver, require_not_read
from leakgauge.drafts import require_room

if TYPE_CHECKING:
    from leakgauge.artefacts import Judgement, Request
    from leakgauge.assessment.search import Search, Trial


@click.command()
@click.argument("table", type=options.ADDRESS)
@options.taking(asked=Improving, reading=Reading)
@options.gone("--target", "--min-privacy", "--min-utility", "--min-guarantee")
@options.output
def command(table: str, asked: Improving, reading: Reading, to: Output) -> None:
    """The most useful setting that protects enough; with --min-usefulness alone, the most protective one.

    \b
    leakgauge improve people.parquet --secret illness --min-protection 60
    leakgauge improve people.parquet --secret illness --public city \\
        --min-protection 60 --min-usefulness 30

    Parameters are changed first, then the mechanism, then the form of the data. Every setting is judged by its exact
    law on the table's counts; nothing is drawn or spent, and the choice itself is not private. With --accounted the
    search reads only a noisy histogram. Exit 1 if no setting keeps the limits.
    """
    from leakgauge.jobs.improve import improve, stored
    from leakgauge.telling.search import improved

    require_not_read(to.file, table, None if asked.start is None else Path(asked.start))
    if asked.accounted is not None and to.file is not None:
        # The disk is checked first, so that a full one does not waste the histogram's price.
        require_room(to.file, 1 << 24)
    with counting(say("Trying")) as tell:
        found = improve(table, **asked.given(), **reading.given(), progress=tell)
    search = found.search
    job, promise = _promise(search, table, asked, reading)
    told = structs.replace(stored(found), promised=None if promise is None else promise.scores[search.secret])
    deliver(told, to, lambda voice: improved(voice, told, search, table, job))
    search.require()
    if promise is not None:
        promise.require()


def _promise(search: Search, table: str, asked: Improving, reading: Reading) -> tuple[Request | None, Judgement | None]:
    """The job that releases the chosen setting, and its promise: it judges everything that leaves, a search one column.

    If the setting protects less than asked for beside everything else, the job searches for itself, which allows for
    that.
    """
    from leakgauge.assessment.terms import policy_of
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
        judging = Judging(source, policy_of(job.limits, job.declared))
        promise = judging.before(job)
        if promise.failed and job.aims[0].mechanism:
            with suppress(RefusalError):
                other = job.having(mechanism=())
                found = judging.before(other)
                job, promise = (job, promise) if found.failed else (other, found)
    return job, promise


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

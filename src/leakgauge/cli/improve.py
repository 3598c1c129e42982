"""``leakgauge improve``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.box import SIMPLE_HEAD

from leakgauge.cli import options
from leakgauge.cli.language import retell, say
from leakgauge.cli.options import FILE
from leakgauge.cli.output import Parts, counting, deliver, grid, require_not_read
from leakgauge.drafts import require_room

if TYPE_CHECKING:
    from leakgauge.jobs.improve import Search


@click.command()
@click.argument("table")
@click.option("--secret", required=True, metavar="COLUMN", help="The column to protect.")
@click.option("--target", required=True, metavar="SCORE|GRADE", help="0 to 100, or very-poor … very-good.")
@click.option("--min-privacy", type=float, default=0.0, show_default=True, metavar="SCORE")
@click.option("--min-utility", type=float, default=0.0, show_default=True, metavar="SCORE")
@click.option("--trials", type=click.IntRange(1), default=60, show_default=True, metavar="N", help="Settings, at most.")
@click.option("--lower", type=float, metavar="NUMBER", help="The least value of numbers, as everybody knows it.")
@click.option("--upper", type=float, metavar="NUMBER", help="The greatest one.")
@click.option("--diagram", type=FILE, metavar="FILE", help="A diagram of your own in TOML.")
@click.option("--questionnaire", type=FILE, metavar="FILE", help="As for assess.")
@click.option(
    "--keep",
    type=click.Choice(["nothing", "shares"]),
    default="shares",
    show_default=True,
    help="shares: designed channels release every value as often as it occurs.",
)
@click.option("--accounted", type=float, metavar="EPSILON", help="Search a noisy histogram bought from the ledger.")
@click.option("--ledger", metavar="PATH|ADDRESS", help="Which pays for it.")
@options.dataset
@options.reading
@options.output
def command(table: str, reading: Mapping[str, Any], as_json: bool, output: Path | None, **given: Any) -> None:
    """Look for the cheapest setting that meets a target: parameters first, then the mechanism, then the data's form.

    \b
    leakgauge improve people.parquet --secret illness --target good --min-utility 40

    Every setting is graded from its law over the table's counts; nothing is drawn or spent, and the choice itself is
    not protected. With --accounted the search reads a noisy histogram only. Exit 1 where no setting meets the target.
    """
    from leakgauge.jobs.improve import improve, stored

    require_not_read(output, table, given["diagram"], given["questionnaire"])
    if given["accounted"] is not None and output is not None:
        # A full disk must not lose what the histogram is bought for.
        require_room(output, 1 << 24)
    with counting(say("Trying")) as tell:
        search = improve(table, **given, **reading, progress=tell)
    deliver(stored(search, given["secret"]), as_json, output, lambda: _render(search))
    search.improvement.require()


def _render(search: Search) -> Parts:
    improvement = search.improvement
    trials = grid(say("changes|releases|mechanism|score|grade|privacy|utility|"), box=SIMPLE_HEAD)
    for trial in improvement.trials:
        scores = trial.assessment
        mark = say("CHOSEN") if trial is improvement.chosen else say("meets") if trial.meets else ""
        trials.add_row(
            retell(trial.candidate.stage.value),
            retell(trial.candidate.form),
            retell(trial.candidate.name),
            f"{scores.score:.1f}",
            retell(scores.grade.value),
            "" if scores.privacy is None else f"{scores.privacy:.1f}",
            "" if scores.utility is None else f"{scores.utility:.1f}",
            mark,
        )
    return [trials, retell(search.learned_from)]

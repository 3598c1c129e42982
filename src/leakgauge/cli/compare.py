"""``leakgauge compare``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Column, Table
from rich.text import Text

from leakgauge.cli import options
from leakgauge.cli.language import retell, say
from leakgauge.cli.options import loss_of
from leakgauge.cli.output import Parts, deliver, number, require_not_read, working

if TYPE_CHECKING:
    from leakgauge.artefacts import Comparison


@click.command()
@click.argument("table")
@click.argument("mechanisms", nargs=-1, metavar="[MECHANISM]...")
@options.secrets
@options.together
@options.background
@click.option("--max-distortion", type=float, metavar="D", help="A mean distortion of at most this is asked for.")
@click.option("--max-leakage", type=float, metavar="BITS", help="A leakage of at most these bits is asked for.")
@options.distortion
@options.weights
@options.bins
@options.levels
@options.missing
@click.option("--gap", type=float, metavar="NATS", help="How close to the best; 1e-9, with weights 1e-6.")
@options.output
def command(
    table: str,
    mechanisms: tuple[str, ...],
    secret: tuple[str, ...],
    distortion: tuple[str, ...],
    weights: Path | None,
    as_json: bool,
    output: Path | None,
    **given: Any,
) -> None:
    """Mechanisms for one secret on one scale, with what each wastes beside the channel that leaks least.

    MECHANISM is name:key=value,… or a channel file. The symmetric channel, the exponential mechanism and the least
    leaking channel at the target are always shown.

    \b
    leakgauge compare people.csv --secret illness randomized-response:epsilon=1 --max-distortion 0.3
    leakgauge compare people.csv --secret illness --background city channel.json --max-leakage 0.5
    leakgauge compare people.csv --secret age geometric:epsilon=1,lower=0,upper=99
      --distortion absolute --max-distortion 20

    A number with noise is clamped to its bounds after the noise; exponential has the utility −distortion.
    """
    from leakgauge.jobs.compare import compare
    from leakgauge.tables.levels import level_files

    options.require_one_source(secret, given.pop("together"))
    loss = loss_of(distortion, secret)
    files = (Path(name) for name in mechanisms if ":" not in name)
    require_not_read(output, table, *files, *loss.files, weights, *level_files(given["levels"]))
    with working(say("Comparing for {table!s} …", table=Path(table).name)):
        comparison = compare(table, mechanisms, secret=secret, distortion=loss.distortion(), weights=weights, **given)
    deliver(comparison, as_json, output, lambda: _render(comparison, secret))


def _render(comparison: Comparison, secret: Sequence[str]) -> Parts:

    from leakgauge.artefacts.design import Role

    floor = comparison.background_floor
    columns = [say("target"), say("I(X;Y) bits"), say("mean distortion"), say("ε nats"), say("wasted bits")]
    if floor is not None:
        columns.insert(2, say("I(X;Y,Z) bits"))
    if comparison.ranking[0].weighted_leakage is not None:
        columns.insert(2, say("weighted bits"))
    title = say("Mechanisms for {secret!s}, the best first", secret=", ".join(secret))
    # Two mechanisms may differ at the end of their names only.
    ranking = Table(Column(say("mechanism"), overflow="fold"), *columns, title=title, title_justify="left")
    for one in comparison.ranking:
        # What is wasted within the gap may be nothing at all.
        wasted = number(one.waste.value) if one.waste.value > one.gap.value else "0"
        leakages = [one.leakage, one.weighted_leakage, one.leakage_with_background]
        met = say("met") if one.meets_target else say("missed")
        # What the user named is spelt as it was; what stands beside it for comparison has a name of ours.
        name = one.mechanism if one.role is Role.GIVEN else retell(one.mechanism)
        bits = (number(leakage.value) for leakage in leakages if leakage is not None)
        cells = (name, met, *bits, number(one.distortion.value), number(one.epsilon.value), wasted)
        # A mechanism's name may hold brackets, which would be read as markup.
        ranking.add_row(*map(Text, cells))
    parts: Parts = [ranking]
    if floor is not None:
        least = say("The background alone tells I(X;Z) = {bits} bits; no channel leaks less.", bits=number(floor.value))
        parts.append(least)
    gap = max(one.gap.value for one in comparison.ranking)
    parts.append(
        say(
            "Wasted is what a channel as useful need not leak, proven to {gap:.1e} bits, with this table's counts.",
            gap=gap,
        )
    )
    return parts

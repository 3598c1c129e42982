"""``leakgauge compare``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leakgauge.cli.language import retell, say
from leakgauge.cli.options import distortion_option, loss_of
from leakgauge.cli.output import deliver, output_options, shown, working
from leakgauge.drafts import require_writable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leakgauge.artefacts import Comparison


@click.command()
@click.argument("table")
@click.argument("mechanisms", nargs=-1, metavar="[MECHANISM]...")
@click.option("--secret", multiple=True, required=True, metavar="COLUMN", help="Secret; repeated: one joint source.")
@click.option("--background", multiple=True, metavar="COLUMN", help="What the attacker knows; may be repeated.")
@click.option("--max-distortion", type=float, metavar="D", help="A mean distortion of at most this is asked for.")
@click.option("--max-leakage", type=float, metavar="BITS", help="A leakage of at most these bits is asked for.")
@distortion_option
@click.option("--weights", type=click.Path(path_type=Path), metavar="FILE", help="CSV label,value: how sensitive.")
@click.option("--bins", multiple=True, metavar="COLUMN=HOW", help="width:10, quantiles:5, edges:0,18,65, year, …")
@click.option("--missing", multiple=True, metavar="TEXT", help="Text that counts as missing, such as '?'.")
@click.option("--gap", type=float, metavar="NATS", help="How close to the best; 1e-9, with weights 1e-6.")
@output_options
def command(
    table: str,
    mechanisms: tuple[str, ...],
    secret: tuple[str, ...],
    background: tuple[str, ...],
    max_distortion: float | None,
    max_leakage: float | None,
    distortion: tuple[str, ...],
    weights: Path | None,
    bins: tuple[str, ...],
    missing: tuple[str, ...],
    gap: float | None,
    as_json: bool,
    output: Path | None,
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
    from leakgauge.tables import source_files

    loss = loss_of(distortion, secret)
    files = [*(Path(name) for name in mechanisms if ":" not in name), *loss.files]
    require_writable(output, *source_files(table), Path(table), *files, *([] if weights is None else [weights]))
    with working(say("Comparing for {table!s} …", table=Path(table).name)):
        found = compare(
            table,
            mechanisms,
            secret=secret,
            background=background,
            max_distortion=max_distortion,
            max_leakage=max_leakage,
            distortion=loss.distortion(),
            weights=weights,
            bins=bins,
            missing=missing,
            gap=gap,
        )
    deliver(found, as_json, output, lambda: render(found, secret))


def render(found: Comparison, secret: Sequence[str]) -> list[RenderableType]:
    """The comparison as a table for a person."""
    from rich.table import Table
    from rich.text import Text

    from leakgauge.artefacts.design import Role

    floor = found.background_floor
    columns = [say("target"), say("I(X;Y) bits"), say("mean distortion"), say("ε nats"), say("wasted bits")]
    if floor is not None:
        columns.insert(2, say("I(X;Y,Z) bits"))
    if found.ranking[0].weighted_leakage is not None:
        columns.insert(2, say("weighted bits"))
    title = say("Mechanisms for {secret!s}, the best first", secret=", ".join(secret))
    grid = Table(title=title, title_justify="left")
    # Two mechanisms may differ at the end of their names only.
    grid.add_column(say("mechanism"), overflow="fold")
    for name in columns:
        grid.add_column(name)
    for one in found.ranking:
        # What is wasted within the gap may be nothing at all.
        wasted = shown(one.waste.value) if one.waste.value > one.gap.value else "0"
        told = [one.leakage, one.weighted_leakage, one.leakage_with_background]
        met = say("met") if one.meets_target else say("missed")
        # What the user named is spelt as it was; what stands beside it for comparison has a name of ours.
        name = one.mechanism if one.role is Role.GIVEN else retell(one.mechanism)
        cells = [name, met, *(shown(bits.value) for bits in told if bits is not None)]
        # A mechanism's name may hold brackets, which would be read as markup.
        grid.add_row(*(Text(cell) for cell in (*cells, shown(one.distortion.value), shown(one.epsilon.value), wasted)))
    parts: list[RenderableType] = [grid]
    if floor is not None:
        least = say("The background alone tells I(X;Z) = {bits} bits; no channel leaks less.", bits=shown(floor.value))
        parts.append(Text(least))
    gap = max(one.gap.value for one in found.ranking)
    parts.append(
        Text(
            say(
                "Wasted is what a channel as useful need not leak, proven to {gap:.1e} bits, with this table's counts.",
                gap=gap,
            )
        )
    )
    return parts

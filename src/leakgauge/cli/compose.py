"""``leakgauge compose``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leakgauge.cli import options
from leakgauge.cli.language import current, say
from leakgauge.cli.options import FILE
from leakgauge.cli.output import Output, deliver, require_picture, working
from leakgauge.drafts import require_writable, write_whole
from leakgauge.errors import OptionError

if TYPE_CHECKING:
    from leakgauge.notions.composition.plan import SequencePlan


@click.command()
@click.argument("sequence", nargs=-1, required=True, type=options.ADDRESS, metavar="PLAN|STEP...")
@click.option("--delta", type=float, multiple=True, metavar="D", help="The δ at which ε is asked for; may be repeated.")
@click.option(
    "--target",
    metavar="NOTION",
    help="What the sequence must satisfy, such as dp:1,delta=1e-6, zcdp:0.1 or mutual-information:0.2bits: chooses the "
    'number written "?".',
)
@click.option("--times", type=int, metavar="N", help="Each STEP runs N times.")
@click.option(
    "--sampled", type=float, metavar="P", help="Each STEP sees a record with probability P (Poisson sampling)."
)
@click.option(
    "--neighbours",
    type=click.Choice(["replace-one", "add-or-remove"]),
    show_default="replace-one",
    help="Which data sets the guarantee compares.",
)
@click.option("--curve", type=FILE, metavar="FILE", help="Draw δ over ε, and the power of tests, to this .svg file.")
@options.output
def command(sequence: tuple[str, ...], curve: Path | None, to: Output, **given: Any) -> None:
    """What a sequence of mechanisms spends as a whole, by the best proof; or the least noise that meets a target.

    PLAN is a TOML file with a table [[step]] for each kind of step. STEP is a mechanism, written name:key=value,… or
    for noise name:noise-multiplier=…, a claim such as dp:0.05 or zcdp:0.01, or a channel file.

    \b
    leakgauge compose plan.toml --delta 1e-6
    leakgauge compose gaussian:noise-multiplier=1.1 --times 1000 --sampled 0.01 \\
        --neighbours add-or-remove --delta 1e-6
    leakgauge compose laplace:epsilon=0.1 dp:0.05
    leakgauge compose "gaussian:noise-multiplier=?" --times 100 \\
        --target dp:1,delta=1e-6
    leakgauge compose plan.toml --delta 1e-6 --curve curve.svg

    Which kinds of steps run how often is fixed in advance; each may depend on what earlier ones showed.
    """
    from leakgauge.artefacts.codec import encode
    from leakgauge.jobs.compose import compose_plan
    from leakgauge.telling.composition import composition

    plan = _plan(sequence, **given)
    files = (*plan.files, *(Path(one) for one in sequence if _is_plan(one)))
    require_writable(to.file, *files)
    require_picture(curve, to.file, *files)
    with working(say("Composing {count} kinds of steps …", count=len(plan.steps))):
        found = compose_plan(plan, curves=curve is not None)
    if curve is not None:
        from leakgauge.telling.figures.privacy_curves import privacy_curves_figure

        write_whole(curve, privacy_curves_figure(encode(found), current()).to_svg() + "\n", shareable=False)
    deliver(found, to, lambda voice: composition(voice, found, plan, curve))


def _is_plan(text: str) -> bool:
    return text.lower().endswith(".toml")


def _plan(
    sequence: Sequence[str],
    delta: Sequence[float],
    target: str | None,
    times: int | None,
    sampled: float | None,
    neighbours: str | None,
) -> SequencePlan:
    """The plan of a file, with what the options say in its place, or that of steps typed."""
    from leakgauge.claims import parse_statement
    from leakgauge.notions.composition import Neighbours
    from leakgauge.notions.composition.plan import PlannedStep, SequencePlan, read_sequence

    aim = None if target is None else parse_statement(target)
    compared = None if neighbours is None else Neighbours(neighbours)
    plans = list(filter(_is_plan, sequence))
    if not plans:
        count, probability = 1 if times is None else times, 1.0 if sampled is None else sampled
        steps = tuple(PlannedStep(text, count, probability) for text in sequence)
        return SequencePlan(steps, tuple(delta), compared or Neighbours.REPLACE_ONE, aim)
    if len(sequence) > 1:
        raise OptionError(
            "{plan!s} is a plan, and other arguments stand beside it; give one plan, or steps, not both.", plan=plans[0]
        )
    if times is not None or sampled is not None:
        raise OptionError(
            "{option!s} is for steps that are typed; in a plan each step has its own {key!s}.",
            option="--times" if times is not None else "--sampled",
            key="count" if times is not None else "sampling-probability",
        )
    return read_sequence(plans[0], deltas=delta, neighbours=compared, target=aim)

"""``leakgauge compose``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leakgauge.cli import options
from leakgauge.cli.language import current, retell, say
from leakgauge.cli.options import FILE
from leakgauge.cli.output import Output, Parts, deliver, grid, number, require_picture, working
from leakgauge.drafts import require_writable, write_whole
from leakgauge.errors import OptionError
from leakgauge.languages import message
from leakgauge.rounding import DIGITS, at_least, at_most, percent

if TYPE_CHECKING:
    from rich.table import Table

    from leakgauge.artefacts import Composed
    from leakgauge.artefacts.composition import Calibrated, ComposedStep, PowerOfTest
    from leakgauge.notions.composition.plan import SequencePlan

_SHOWN = 0.05
"""The false positives of the test that is shown; all are in the JSON."""
_TYPED = 6
"""Digits of a number that was found and may be typed: with fewer, the levels beside it would not be those it gives."""


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

    plan = _plan(sequence, **given)
    files = (*plan.files, *(Path(one) for one in sequence if _is_plan(one)))
    require_writable(to.file, *files)
    require_picture(curve, to.file, *files)
    with working(say("Composing {count} kinds of steps …", count=len(plan.steps))):
        found = compose_plan(plan, curves=curve is not None)
    if curve is not None:
        from leakgauge.telling.figures.privacy_curves import privacy_curves_figure

        write_whole(curve, privacy_curves_figure(encode(found), current()).to_svg() + "\n", shareable=False)
    deliver(found, to, lambda: _render(found, plan, curve))


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
            "{plan!s} is a plan, and other arguments stand beside it; give one plan, or steps, not both.",
            plan=plans[0],
        )
    if times is not None or sampled is not None:
        raise OptionError(
            "{option!s} is for steps that are typed; in a plan each step has its own {key!s}.",
            option="--times" if times is not None else "--sampled",
            key="count" if times is not None else "sampling-probability",
        )
    return read_sequence(plans[0], deltas=delta, neighbours=compared, target=aim)


def _render(found: Composed, plan: SequencePlan, curve: Path | None) -> Parts:
    parts: Parts = [] if found.calibrated is None else _chosen(found.calibrated, plan)
    for one in found.spent:
        fields: dict[str, object] = {"epsilon": _level(one.epsilon.value), "method": one.method}
        if one.delta:
            said = say("Together ε {epsilon} at δ {delta} ({method}).", delta=_delta(one.delta), **fields)
        else:
            said = say("Together ε {epsilon} ({method}).", **fields)
        parts.append(said)
    if any(one.epsilon.value == math.inf for one in found.spent):
        parts.append(say("Where ε is infinite nothing is proved; claims with a δ of their own need a larger one."))
    if found.spent:
        parts += [_bounds(found), *([_steps(found, plan)] if len(found.steps) > 1 else [])]
    parts += [_test(one) for one in found.tests if one.false_positive_rate == _SHOWN]
    parts.append(say("Neighbours: {neighbours}.", neighbours=plan.neighbours.words))
    if _sampling_is_lost(found, plan):
        parts.append(
            say(
                "Where a record is replaced, sampling makes a loss rarer, not smaller; with --neighbours add-or-remove "
                "it makes it smaller too."
            )
        )
    if curve is not None:
        parts.append(say("The curves are drawn in {file!s}.", file=str(curve)))
    return parts


def _level(value: float, unit: str = "") -> str:
    """A level for a person who plans with it: rounded up, and a number however large it is."""
    return f"{number(value if value == math.inf else at_most(value))} {unit}".rstrip()


def _delta(value: float) -> str:
    """A δ with all its digits: the ε beside it is not proved for a smaller one."""
    return f"{value:.15g}"


def _test(test: PowerOfTest) -> str:
    return say(
        "An attacker who tests for one record, with {rate} false alarms, finds it with a chance of at most {power}.",
        rate=percent(test.false_positive_rate),
        power=percent(at_most(test.power.value), DIGITS),
    )


def _sampling_is_lost(found: Composed, plan: SequencePlan) -> bool:
    from leakgauge.notions.composition import Neighbours

    return plan.neighbours is Neighbours.REPLACE_ONE and any(one.sampling_probability < 1 for one in found.steps)


_CHOSEN = {
    "noise-multiplier": message("The least noise that is proved to meet {target!s}: {name!s} {value!s} in step {at}."),
    "sampling-probability": message(
        "The largest sample that is proved to meet {target!s}: {name!s} {value!s} in step {at}."
    ),
    "count": message("The most runs that are proved to meet {target!s}: {value!s} of step {at}."),
}
_LARGEST = message("The largest level that is proved to meet {target!s}: {name!s} {value!s} in step {at}.")


def _rounded(chosen: Calibrated) -> float:
    """The number for a person, who may type it: rounded to the private side."""
    from leakgauge.notions.composition.open_numbers import COUNT, OPENABLE

    if chosen.parameter == COUNT:
        return chosen.value.value
    private = at_most if OPENABLE[chosen.parameter].larger_is_private else at_least
    return private(chosen.value.value, _TYPED)


def _chosen(chosen: Calibrated, plan: SequencePlan) -> Parts:
    """The number found, what it gives where that is not an ε, and the noise in plain words."""
    from leakgauge.claims import ApproximateDP, CentralDP
    from leakgauge.mechanisms.step_spelling import typical_error

    value, template, planned = _rounded(chosen), _CHOSEN.get(chosen.parameter, _LARGEST), plan.steps[chosen.step - 1]
    shown = f"{value:,.0f}" if value.is_integer() else f"{value:.{_TYPED}g}"
    parts: Parts = [say(template, target=chosen.target, name=chosen.parameter, value=shown, at=chosen.step)]
    if chosen.at_limit:
        parts.append(say("The search ended at this number; the target may allow more."))
    error = typical_error(planned.spelled(value)) if planned.spelled(value) != planned.text else None
    if error is not None:
        parts.append(
            say(
                "Where one record moves an answer by at most 1, about 95 of 100 answers are off by less than "
                "{error!s}.",
                error=number(at_most(error)),
            )
        )
    if plan.target is not None and not isinstance(plan.target, ApproximateDP | CentralDP):
        level = _level(chosen.reached.value, retell(chosen.reached.unit))
        parts.append(say("With it the whole sequence has {notion!s} {level!s}.", notion=plan.target.name, level=level))
    return parts


def _bounds(found: Composed) -> Table:
    """The ε of every method, a column for each δ."""
    methods = dict.fromkeys(method for one in found.spent for method in one.bounds)
    heads = (say("ε at δ {delta}", delta=_delta(one.delta)) for one in found.spent)
    table = grid("|".join((say("proved by"), *heads)))
    for method in methods:
        bounds = (one.bounds.get(method) for one in found.spent)
        table.add_row(retell(method), *("" if bound is None else _level(bound.value) for bound in bounds))
    return table


def _seen(step: ComposedStep, probability: float) -> str:
    """Which records each run sees."""
    if step.batch_size is not None:
        return say("{size:,} of {population:,}", size=step.batch_size, population=step.population)
    return f"{probability:.15g}" if probability < 1 else say("all")


def _steps(found: Composed, plan: SequencePlan) -> Table:
    """What each kind of step adds, at the first δ."""
    sampled = any(one.sampling_probability < 1 or one.batch_size for one in found.steps)
    heads = (say("step"), say("runs"), *([say("sampled")] if sampled else []), say("ε alone"), say("ε of the others"))
    table = grid("|".join(heads))
    for planned, one in zip(plan.steps, found.steps, strict=True):
        # The number found has many digits.
        value = _rounded(found.calibrated) if planned.open_numbers and found.calibrated is not None else None
        probability = one.sampling_probability
        if value is not None and planned.sampling_probability is None:
            probability = value
        seen = [_seen(one, probability)] if sampled else []
        levels = ("" if level is None else _level(level.value) for level in (one.epsilon, one.epsilon_of_others))
        table.add_row(planned.spelled(value), f"{one.count:,}", *seen, *levels)
    return table

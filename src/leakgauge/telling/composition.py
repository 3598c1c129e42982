"""What a sequence of mechanisms spends as a whole, by every proof, and the least noise that meets a target."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import ROUND_CEILING
from pathlib import Path
from typing import Final

from leakgauge.artefacts.composition import Calibrated, Composed, ComposedStep
from leakgauge.artefacts.quantity import Quantity
from leakgauge.claims import ApproximateDP, CentralDP
from leakgauge.languages import message
from leakgauge.mechanisms.step_spelling import typical_error
from leakgauge.notions.composition import Neighbours
from leakgauge.notions.composition.open_numbers import COUNT, OPENABLE
from leakgauge.notions.composition.plan import SequencePlan
from leakgauge.rounding import at_least, at_most
from leakgauge.telling.blocks import Content, Inline, Number
from leakgauge.telling.voice import Cell, Plain, Voice, own

_SHOWN: Final = 0.05
"""The false positives of the test that is shown; all are in the JSON."""
_TYPED: Final = 6
"""Digits of a number that was found and may be typed: with fewer, the levels beside it would not be those it gives."""
_ALL_DIGITS: Final = 15
"""Of a δ: the ε beside it is not proved for a smaller one."""
_CHOSEN: Final = {
    "noise-multiplier": message("The least noise that is proved to meet {target}: {name} {value} in step {at}."),
    "sampling-probability": message("The largest sample that is proved to meet {target}: {name} {value} in step {at}."),
    "count": message("The most runs that are proved to meet {target}: {value} of step {at}."),
}
_LARGEST: Final = message("The largest level that is proved to meet {target}: {name} {value} in step {at}.")


def composition(voice: Voice, composed: Composed, plan: SequencePlan, curve: Path | None = None) -> Iterator[Content]:
    """The number that meets the target, the level of the sequence at each δ, and what each step adds."""
    if composed.calibrated is not None:
        yield from _chosen(voice, composed.calibrated, plan)
    for one in composed.spent:
        template = message("Together ε {epsilon} ({method}).")
        if one.delta:
            template = message("Together ε {epsilon} at δ {delta} ({method}).")
        delta = voice.number(one, "delta", digits=_ALL_DIGITS)
        yield voice.say(template, epsilon=_level(voice, one.epsilon), delta=delta, method=one.method)
    if any(one.epsilon.value == math.inf for one in composed.spent):
        yield voice.say("Where ε is infinite nothing is proved; claims with a δ of their own need a larger one.")
    if composed.spent:
        yield from _bounds(voice, composed)
        if len(composed.steps) > 1:
            yield from _steps(voice, composed, plan)
    for test in composed.tests:
        if test.false_positive_rate == _SHOWN:
            yield voice.say(
                "An attacker who tests for one record, with {rate} false alarms, finds it with a chance of at most "
                "{power}.",
                rate=voice.number(test, "false_positive_rate", percent=True),
                power=voice.number(test, "power", percent=True, rounding=ROUND_CEILING),
            )
    yield voice.say("Neighbours: {neighbours}.", neighbours=plan.neighbours.words)
    sampled = any(one.sampling_probability < 1 for one in composed.steps)
    if sampled and plan.neighbours is Neighbours.REPLACE_ONE:
        yield voice.note(
            "Where a record is replaced, sampling makes a loss rarer, not smaller; with --neighbours add-or-remove it "
            "makes it smaller too."
        )
    if curve is not None:
        yield voice.say("The curves are drawn in {file!s}.", file=str(curve))


def _level(voice: Voice, level: Quantity) -> Number:
    """A level for a person who plans with it: a number however large it is."""
    return voice.number(level, "value", rounding=ROUND_CEILING)


def _rounded(chosen: Calibrated) -> float:
    """The number for a person, who may type it: rounded to the private side."""
    if chosen.parameter == COUNT:
        return chosen.value.value
    private = at_most if OPENABLE[chosen.parameter].larger_is_private else at_least
    return private(chosen.value.value, _TYPED)


def _chosen(voice: Voice, chosen: Calibrated, plan: SequencePlan) -> Iterator[Content]:
    """The number found, what it gives where that is not an ε, and the noise in plain words."""
    value, planned = _rounded(chosen), plan.steps[chosen.step - 1]
    yield voice.say(
        _CHOSEN.get(chosen.parameter, _LARGEST),
        target=own(chosen.target),
        name=own(chosen.parameter),
        value=voice.number(int(value) if value.is_integer() else value, digits=_TYPED),
        at=chosen.step,
    )
    if chosen.at_limit:
        yield voice.say("The search ended at this number; the target may allow more.")
    error = typical_error(planned.spelled(value)) if planned.spelled(value) != planned.text else None
    if error is not None:
        yield voice.say(
            "Where one record moves an answer by at most 1, about 95 of 100 answers are off by less than {error}.",
            error=voice.number(error, rounding=ROUND_CEILING),
        )
    if plan.target is not None and not isinstance(plan.target, ApproximateDP | CentralDP):
        yield voice.say(
            "With it the whole sequence has {notion} {level}.",
            notion=own(plan.target.name),
            level=voice.number(chosen, "reached", rounding=ROUND_CEILING),
        )


def _bounds(voice: Voice, composed: Composed) -> Iterator[Content]:
    """The ε of every method, a column for each δ."""
    methods = dict.fromkeys(method for one in composed.spent for method in one.bounds)
    heads = [
        Plain(voice.language.say("ε at δ {delta}", delta=Plain(f"{one.delta:.{_ALL_DIGITS}g}")))
        for one in composed.spent
    ]
    rows = (
        (
            voice.told(method),
            *(_level(voice, one.bounds[method]) if method in one.bounds else "" for one in composed.spent),
        )
        for method in methods
    )
    yield from voice.grid("Every proof that applies", (message("Proved by"), *heads), rows)


def _steps(voice: Voice, composed: Composed, plan: SequencePlan) -> Iterator[Content]:
    """What each kind of step adds, at the first δ."""
    sampled = any(one.sampling_probability < 1 or one.batch_size for one in composed.steps)
    rows = []
    for planned, one in zip(plan.steps, composed.steps, strict=True):
        # The number found has many digits.
        value = _rounded(composed.calibrated) if planned.open_numbers and composed.calibrated is not None else None
        probability = one.sampling_probability
        if value is not None and planned.sampling_probability is None:
            probability = value
        seen = [_seen(voice, one, probability)] if sampled else []
        levels = ("" if level is None else _level(voice, level) for level in (one.epsilon, one.epsilon_of_others))
        rows.append((own(planned.spelled(value)), voice.number(one, "count"), *seen, *levels))
    heads = (
        *(message("Step"), message("Runs")),
        *([message("Sampled")] if sampled else []),
        *(message("ε alone"), message("ε of the others")),
    )
    yield from voice.grid("What each kind of step adds", heads, rows)


def _seen(voice: Voice, step: ComposedStep, probability: float) -> Cell:
    """Which records each run sees."""
    if step.batch_size is not None:
        size, population = voice.number(step, "batch_size"), voice.number(step, "population")
        return voice.say("{size} of {population}", size=size, population=population)
    shown: Inline = (voice.number(float(probability), digits=_ALL_DIGITS),)
    return shown if probability < 1 else voice.language.say("all")

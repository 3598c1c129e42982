"""The one number of a sequence that is left open, and the search for the one that a target needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from leakgauge.claims import Statement
from leakgauge.errors import InputError, RefusalError
from leakgauge.mechanisms.step_spelling import MULTIPLIER
from leakgauge.mechanisms.steps import Step
from leakgauge.notions.composition.calibration import calibrate, level_of
from leakgauge.notions.composition.groups import Neighbours

COUNT: Final = "count"
SAMPLING: Final = "sampling-probability"
LEVEL: Final = "level"
"""What the number of a claim is called."""
TRIAL: Final = 1.0
"""Every number that may be open may be this one; a search starts here."""
_STRIDE: Final = 10.0
_ASIDE: Final = 1e-9


@dataclass(frozen=True)
class OpenNumber:
    """A number that a search may choose: where it may lie, and which side of it is the private one."""

    least: float
    most: float
    larger_is_private: bool = False


OPENABLE: Final[Mapping[str, OpenNumber]] = {
    MULTIPLIER: OpenNumber(1e-3, 1e6, larger_is_private=True),
    "epsilon": OpenNumber(1e-9, 100.0),
    "rho": OpenNumber(1e-9, 100.0),
    LEVEL: OpenNumber(1e-9, 100.0),
    SAMPLING: OpenNumber(1e-9, 1.0),
    COUNT: OpenNumber(1.0, 1e6),
}
"""The numbers that may be left open, by their names."""


@dataclass(frozen=True)
class Chosen:
    """The number on the useful side of all that are proved to meet a target, and what the sequence has with it.

    ``at_limit`` says that the search ended there: the target may allow more.
    """

    value: float
    reached: Statement
    at_limit: bool = False


def chosen(sequence: Callable[[float], Iterable[Step]], name: str, target: Statement, neighbours: Neighbours) -> Chosen:
    """The number that meets the target with the least noise, within the precision of ``calibrate``.

    Raises:
        OptionError: a target that noise is not found for, or a pure one where the steps have no pure ε.
        RefusalError: no number meets the target.
    """
    number = OPENABLE[name]
    known: dict[float, float] = {}

    def holds(value: float) -> bool:
        known[value] = level_of(sequence(value), target, neighbours=neighbours)
        return known[value] <= target.level

    def choice(value: float, *, at_limit: bool = False) -> Chosen:
        return Chosen(value, replace(target, **{next(iter(vars(target))): known[value]}), at_limit)

    start = min(max(TRIAL, number.least), number.most)
    meets = holds(start)
    last, beyond = start, _next(start, number, private=not meets)
    # By strides, because far away there may be no such mechanism, or a law that takes long to compose.
    while beyond is not None and _exists(sequence, beyond) and holds(beyond) == meets:
        last, beyond = beyond, _next(beyond, number, private=not meets)
    if beyond is None or beyond not in known:
        if meets:
            # Nobody can be sampled with more than certainty.
            return choice(last, at_limit=name != SAMPLING)
        raise _refused(name, target, last, known[last])
    met, missed = (last, beyond) if meets else (beyond, last)
    if name == COUNT:
        # Whole numbers: the largest that holds, by halves.
        while missed - met > 1:
            middle = float((met + missed) // 2)
            met, missed = (middle, missed) if holds(middle) else (met, middle)
        return choice(met)
    # A little further, so that rounding cannot make a number that just holds one that does not.
    further = met * (1 + _ASIDE if number.larger_is_private else 1 - _ASIDE)
    ends = (min(further, missed), max(further, missed))
    found = calibrate(sequence, target, between=ends, neighbours=neighbours)
    if abs(found.parameter - missed) > abs(met - missed):
        return choice(met)
    return Chosen(found.parameter, found.reached)


def _next(value: float, number: OpenNumber, *, private: bool) -> float | None:
    """The next number to try on one side; None at the end of that side."""
    if private == number.larger_is_private:
        return min(value * _STRIDE, number.most) if value < number.most else None
    return max(value / _STRIDE, number.least) if value > number.least else None


def _exists(sequence: Callable[[float], Iterable[Step]], value: float) -> bool:
    try:
        sequence(value)
    except InputError:
        return False
    return True


def _refused(name: str, target: Statement, value: float, level: float) -> RefusalError:
    if level == math.inf:
        return RefusalError(
            "No {name!s} meets {target!s}: whatever it is, the steps have no finite level of that kind; give a target "
            "with a δ, or a larger one.",
            name=name,
            target=str(target),
        )
    return RefusalError(
        "No {name!s} meets {target!s}: even at {value:g} the sequence has {level:.4g}; ask for less, or change the "
        "other steps.",
        name=name,
        target=str(target),
        value=value,
        level=level,
    )

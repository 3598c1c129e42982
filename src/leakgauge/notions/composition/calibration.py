"""How much noise a target needs: the parameter of a sequence at which the target just holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from leakgauge.arguments import checked
from leakgauge.claims import (
    ApproximateDP,
    CentralDP,
    MutualInformation,
    MutualInformationDP,
    RenyiDP,
    Statement,
    ZeroConcentratedDP,
)
from leakgauge.errors import OptionError
from leakgauge.mechanisms.steps.step import Step
from leakgauge.notions.composition.bounds import Bounds
from leakgauge.notions.composition.groups import Neighbours
from leakgauge.notions.composition.sequence import Composition, as_steps, bounds_of, composition
from leakgauge.probability import Channel

PRECISION = 1e-4
"""How much, relatively, the parameter may lie on the safe side of the best one."""
TARGETS = (ApproximateDP, CentralDP, ZeroConcentratedDP, RenyiDP, MutualInformation, MutualInformationDP)

Sequences = Callable[[float], Iterable[Step | Statement | Channel]]


@dataclass(frozen=True)
class Calibration:
    """The parameter that meets a target with the least noise, and what the sequence reaches there.

    ``reached`` is the target's notion at its level at the parameter, never above the target. ``composition`` is the
    whole sequence at the δ of a pure or approximate target, with the method that proves it; None for other targets.
    """

    parameter: float
    target: Statement
    reached: Statement
    composition: Composition | None
    steps: tuple[Step, ...]
    evaluations: int


@checked
def calibrate(
    sequence: Sequences,
    target: Statement,
    *,
    between: tuple[float, float],
    neighbours: Neighbours = Neighbours.REPLACE_ONE,
) -> Calibration:
    """The parameter within 10^-4 of the best, always on the safe side: the target holds there.

    The level must rise or fall throughout with the parameter; which of the two is found out at the ends.

    Args:
        sequence: the steps at a parameter, such as a noise multiplier or an ε.
        target: pure, approximate, zero-concentrated or Rényi DP in nats, or the mutual information of one record
            with all outputs in bits, under any prior; information adds up over steps.
        between: two positive parameters, one at which the target holds and one at which it does not.
        neighbours: which data sets all claims compare, as in ``compose``.

    Raises:
        OptionError: a target of another notion, ends that are not a bracket, a target that no parameter between them
            meets, a δ of 0 where the sequence has no pure ε, or steps that ``compose`` refuses.

    Example:
        >>> from leakgauge.mechanisms.steps import GaussianNoise
        >>> target = ApproximateDP(1.0, 1e-6)
        >>> noise = calibrate(lambda sigma: [GaussianNoise(sigma, count=100)], target, between=(1.0, 1000.0))
        >>> round(noise.parameter, 2), noise.reached.level <= 1
        (42.25, True)
    """
    _require_target(target)
    low, high = between
    if not 0 < low < high < math.inf:
        raise OptionError(
            "Parameters from {low} to {high} are not a range; give two positive ones, the smaller first.",
            low=low,
            high=high,
        )
    levels = _Levels(sequence, target, neighbours, (float(low), float(high)))
    ends = {end: levels.at(end) for end in (math.log(low), math.log(high))}
    _require_bracket(target, {levels.parameter(end): level for end, level in ends.items()})
    safe = next(end for end, level in ends.items() if level <= target.level)
    unsafe = next(end for end in ends if end != safe)
    best = _narrowed(levels, safe, unsafe)
    bounds = levels.bounds[best]
    steps, level = levels.steps[best], levels.known[best]
    whole = None
    if isinstance(target, CentralDP | ApproximateDP):
        whole = composition(bounds, steps, dict(target.parameters).get("delta", 0.0), every_bound=False)
        level = min(level, whole.epsilon)
    reached = replace(target, **{next(iter(vars(target))): level})
    return Calibration(levels.parameter(best), target, reached, whole, steps, len(levels.known))


def level_of(steps: Iterable[Step | Statement | Channel], target: Statement, *, neighbours: Neighbours) -> float:
    """The level of a sequence in the notion of a target, as ``calibrate`` sees it; infinite where nothing is proved."""
    _require_target(target)
    return _level(bounds_of(as_steps(steps), neighbours), target)


@dataclass
class _Levels:
    """The level of a sequence in the target's notion by the logarithm of its parameter, each computed once."""

    sequence: Sequences
    target: Statement
    neighbours: Neighbours
    between: tuple[float, float]
    known: dict[float, float] = field(default_factory=dict)
    bounds: dict[float, Bounds] = field(default_factory=dict)
    steps: dict[float, tuple[Step, ...]] = field(default_factory=dict)

    def parameter(self, place: float) -> float:
        low, high = self.between
        # Rounding must not ask for a parameter outside the range, nor for another than its ends.
        return low if place <= math.log(low) else high if place >= math.log(high) else math.exp(place)

    def at(self, place: float) -> float:
        if place not in self.known:
            given = self.sequence(self.parameter(place))
            if not isinstance(given, Iterable):
                raise OptionError(
                    "The sequence at {parameter} is of type {found!r}; it must be a list of steps.",
                    parameter=self.parameter(place),
                    found=type(given).__name__,
                )
            self.steps[place] = as_steps(given)
            self.bounds[place] = bounds_of(self.steps[place], self.neighbours)
            self.known[place] = _level(self.bounds[place], self.target)
        return self.known[place]

    def excess(self, place: float) -> float:
        """ln(level/target), nearly linear in the place and always finite; above 0 where the target does not hold."""
        level = self.at(place)
        if level <= self.target.level:
            return -50.0 if level == 0 else max(math.log(level / self.target.level), -50.0)
        return 50.0 if level == math.inf or self.target.level == 0 else max(math.log(level / self.target.level), 1e-300)


def _level(bounds: Bounds, target: Statement) -> float:
    match target:
        case ApproximateDP(_, delta):
            return bounds.epsilon_at(delta)
        case CentralDP():
            return bounds.epsilon_at(0.0)
        case ZeroConcentratedDP():
            return bounds.rho
        case RenyiDP(_, order):
            return bounds.renyi_at(order)
        case _:
            # Rounding up, towards promising less.
            return bounds.information() / math.log(2) * (1 + 1e-12)


def _narrowed(levels: _Levels, safe: float, unsafe: float) -> float:
    """A place where the target holds and within the precision of one where it does not."""
    from scipy.optimize import brentq

    tolerance = 0.9 * PRECISION
    root = float(brentq(levels.excess, safe, unsafe, xtol=tolerance / 4, rtol=1e-15))
    towards = math.copysign(1.0, unsafe - safe)

    def nearest(holds: bool) -> float:
        places = [x for x, level in levels.known.items() if (level <= levels.target.level) is holds]
        return max(places, key=lambda x: towards * x) if holds else min(places, key=lambda x: towards * x)

    # On either side of the root, a little away from it; then halves, should the level not be quite smooth.
    for place in (root - towards * tolerance / 3, root + towards * tolerance / 3):
        if (nearest(True) - place) * towards < 0 < (nearest(False) - place) * towards:
            levels.at(place)
    while (nearest(False) - nearest(True)) * towards > tolerance:
        levels.at((nearest(True) + nearest(False)) / 2)
    return nearest(True)


def _require_target(target: Statement) -> None:
    if not isinstance(target, TARGETS):
        raise OptionError(
            "{found!r} is not a target that noise is found for; give one of {known!s}.",
            found=str(target),
            known=tuple(notion.name for notion in TARGETS),
        )
    if target.level == math.inf:
        raise OptionError("{target!s} is met without any noise; give a finite level.", target=str(target))
    if isinstance(target, ApproximateDP) and target.delta >= 1:
        raise OptionError("A δ of {delta} is not in [0, 1); give one that is.", delta=target.delta)
    if isinstance(target, RenyiDP) and not 1 < target.order < math.inf:
        raise OptionError("An order of {order} cannot be composed; give a finite one above 1.", order=target.order)


def _require_bracket(target: Statement, ends: dict[float, float]) -> None:
    (low, at_low), (high, at_high) = ends.items()
    told: dict[str, object] = {"target": str(target), "low": low, "high": high}
    if min(at_low, at_high) == math.inf and not dict(target.parameters).get("delta", 0.0):
        raise OptionError(
            "The sequence has no finite level of {notion!s}, whatever its noise; give an approximate target, with a δ "
            "above 0.",
            notion=target.name,
        )
    if min(at_low, at_high) > target.level:
        raise OptionError(
            "No parameter from {low} to {high} reaches {target!s}: at {noisiest}, with the most noise, the level is "
            "{level}; widen the range there.",
            **told,
            noisiest=low if at_low <= at_high else high,
            level=min(at_low, at_high),
        )
    if max(at_low, at_high) <= target.level:
        raise OptionError(
            "Every parameter from {low} to {high} reaches {target!s}: at {quietest}, with the least noise, the level "
            "is {level}; widen the range there.",
            **told,
            quietest=low if at_low >= at_high else high,
            level=max(at_low, at_high),
        )

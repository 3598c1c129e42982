"""A sequence of mixed mechanisms: every bound that applies to it, the best of them, and its privacy profile.

The profile is δ at every ε, ε at every δ, and the power of the best test that it allows.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from leakgauge.arguments import checked
from leakgauge.claims import ApproximateDP, CentralDP, Statement
from leakgauge.errors import OptionError
from leakgauge.mechanisms.steps.known import KnownChannel
from leakgauge.mechanisms.steps.step import Claimed, Step, require_level, require_some, require_whole
from leakgauge.notions.composition.bounds import Bounds, Method
from leakgauge.notions.composition.groups import Neighbours, Spent, require_same_inputs
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats

_ITS_OWN = object()
"""Part of the name of a channel that has none: no caller can give the same."""

SAME = 1e-9
"""Bounds that differ by less, relatively, agree."""


@dataclass(frozen=True)
class Composition:
    """The cost of a sequence as a whole: at most ``epsilon`` nats at ``delta``, proved by ``method``.

    ``bounds`` holds the ε of every method that applies; each of them is sound, the smallest is ``epsilon``.
    """

    epsilon: float
    delta: float
    method: Method
    bounds: Mapping[Method, float]
    steps: tuple[Step, ...]
    neighbours: Neighbours

    @property
    def statement(self) -> CentralDP | ApproximateDP:
        """The guarantee as a statement."""
        return ApproximateDP(self.epsilon, self.delta) if self.delta else CentralDP(self.epsilon)


@checked
def compose(
    steps: Iterable[Step | Statement | Channel], delta: float, *, neighbours: Neighbours = Neighbours.REPLACE_ONE
) -> Composition:
    """The smallest proved ε in nats of the whole sequence at δ, with the method that proves it.

    Mechanisms may be chosen adaptively, each seeing earlier outputs, but which kinds occur how often is fixed
    beforehand. ``basic`` adds ε, at δ = 1 − Π(1 − δᵢ) (steps known by a curve only share what is left of δ); ``zCDP``
    and ``Rényi DP`` add levels and convert; ``privacy loss distribution`` adds losses on a grid, rounded up; ``exact``
    is the worst case itself: of the channels given, or of the claims made (Kairouz, Oh and Viswanath 2015).

    Args:
        steps: kinds of steps, statements or channels; their order does not matter.
        delta: the target, in [0, 1); at 0 only pure bounds apply.
        neighbours: which data sets all claims compare. Poisson sampling lowers ε only for added or removed
            records; for replaced ones it lowers δ alone.

    Raises:
        OptionError: no steps, a δ outside [0, 1), a statement that does not compose.
        ModelError: channels of one secret with different inputs, or sampling of a channel when records are added
            or removed.

    Example:
        >>> from leakgauge.mechanisms.steps import RandomizedResponse
        >>> whole = compose([RandomizedResponse(1.0, count=10)], delta=0)
        >>> whole.epsilon, str(whole.method)
        (10.0, 'basic')
    """
    return _composed(steps, delta, neighbours, every_bound=True)


def smallest(
    steps: Iterable[Step | Statement | Channel], delta: float, *, neighbours: Neighbours = Neighbours.REPLACE_ONE
) -> Composition:
    """As ``compose``, without loss distributions where the worst case is known: they take long, and show no less."""
    return _composed(steps, delta, neighbours, every_bound=False)


def _composed(
    steps: Iterable[Step | Statement | Channel], delta: float, neighbours: Neighbours, *, every_bound: bool
) -> Composition:
    sequence = as_steps(steps)
    require_delta(delta)
    return composition(bounds_of(sequence, neighbours), sequence, delta, every_bound=every_bound)


def composition(bounds: Bounds, sequence: tuple[Step, ...], delta: float, *, every_bound: bool) -> Composition:
    """The composition at δ of a sequence whose bounds are at hand."""
    epsilons = bounds.epsilons_at(delta, every=every_bound)
    nearly = min(epsilons.values()) * (1 + SAME)
    method = next(name for name in Method if epsilons.get(name, math.nan) <= nearly)
    neighbours = bounds.groups[0].neighbours
    return Composition(epsilons[method], float(delta), method, MappingProxyType(epsilons), sequence, neighbours)


@dataclass(frozen=True, eq=False)
class ProfileCurve:
    """Points for drawing: (ε in nats, δ) and (rate of false positives, power), each pair of arrays of one length."""

    epsilons: Floats
    deltas: Floats
    false_positive_rates: Floats
    powers: Floats


@dataclass(frozen=True)
class Profile:
    """The cost of a sequence as a whole, as ε, δ or power; every answer is a sound bound.

    The law of the whole loss is computed once, when it is first needed, and then only read off.
    """

    steps: tuple[Step, ...]
    neighbours: Neighbours
    _bounds: Bounds = field(repr=False, compare=False)

    def epsilon_at(self, delta: float) -> float:
        """The smallest proved ε in nats at δ, as ``compose`` gives it."""
        return self.at(delta).epsilon

    def at(self, delta: float) -> Composition:
        """The composition at δ: the ε, and which method proves it."""
        require_delta(delta)
        return composition(self._bounds, self.steps, delta, every_bound=False)

    def delta_at(self, epsilon: float) -> float:
        """The smallest proved δ at an ε of at least 0, in nats."""
        require_level(epsilon, "An ε")
        return float(self._bounds.deltas_at(np.array([float(epsilon)]))[0])

    def power_at(self, false_positive_rate: float) -> float:
        """An upper bound on the power of any test of whether one person's record was used.

        Power is the chance to be right where the record was used, the rate of false positives the chance to be wrong
        where it was not. The curve of the two is the trade-off function of f-DP (Dong, Roth and Su 2022); it is the
        tangent of all (ε, δ): power ≤ e^ε · rate + δ.
        """
        rate = false_positive_rate
        if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate <= 1:
            raise OptionError("A rate of false positives of {rate!r} is not from 0 to 1; give one that is.", rate=rate)
        return float(self._bounds.powers_at(np.array([float(rate)]))[0])

    def curve(self, points: int = 200) -> ProfileCurve:
        """Points of both curves: ε evenly from 0 to where δ is negligible, rates evenly on a logarithmic scale."""
        require_whole(points, 3, "A number of points")
        epsilons = np.linspace(0.0, min(self._bounds.reach, 700.0), points)
        # Small rates matter most, and so do large ones for the other branch of the curve.
        tail = np.geomspace(1e-6, 0.5, (points - 1) // 2)
        rates = np.unique(np.concatenate([[0.0], tail, 1 - tail, [1.0]]))
        return ProfileCurve(epsilons, self._bounds.deltas_at(epsilons), rates, self._bounds.powers_at(rates))


@checked
def profile(steps: Iterable[Step | Statement | Channel], *, neighbours: Neighbours = Neighbours.REPLACE_ONE) -> Profile:
    """The privacy profile of the whole sequence; see ``compose`` for its arguments.

    Raises:
        OptionError: no steps, or a statement that does not compose.
        ModelError: channels of one secret with different inputs, or sampling of a channel when records are added
            or removed.

    Example:
        >>> from leakgauge.mechanisms.steps import RandomizedResponse
        >>> whole = profile([RandomizedResponse(1.0, count=10)])
        >>> round(whole.delta_at(5.0), 4), round(whole.power_at(0.05), 2)
        (0.3636, 0.92)
    """
    sequence = as_steps(steps)
    return Profile(sequence, neighbours, bounds_of(sequence, neighbours))


def require_delta(delta: float) -> None:
    """Refuse what is not in [0, 1)."""
    if isinstance(delta, bool) or not isinstance(delta, int | float) or not 0 <= delta < 1:
        raise OptionError("A δ of {delta!r} is not in [0, 1); give one that is.", delta=delta)


def as_steps(steps: Iterable[Step | Statement | Channel]) -> tuple[Step, ...]:
    """The steps of a sequence that may also hold statements and channels."""
    sequence = tuple(_as_step(step) for step in steps)
    require_some(sequence, "steps")
    return sequence


def bounds_of(sequence: Sequence[Step], neighbours: Neighbours) -> Bounds:
    """The bounds of a sequence of steps, equal ones grouped."""
    groups = _grouped(sequence, neighbours)
    require_same_inputs(groups)
    return Bounds(tuple(groups))


def _as_step(step: Step | Statement | Channel) -> Step:
    if isinstance(step, Channel):
        return KnownChannel(step)
    if isinstance(step, Step):
        return step
    return Claimed(step)


def _grouped(sequence: Sequence[Step], neighbours: Neighbours) -> list[Spent]:
    counts: dict[Hashable, tuple[Step, int]] = {}
    for step in sequence:
        one = replace(step, count=1)
        same, count = counts.get(_key(one), (one, 0))
        counts[_key(one)] = same, count + step.count
    # In a fixed order, so that rounding does not depend on the order the steps were given in.
    ordered = sorted(counts.values(), key=lambda item: (repr(item[0]), item[1]))
    return [
        Spent(_alone(step, at) if count == 1 else step, count, neighbours) for at, (step, count) in enumerate(ordered)
    ]


def _key(step: Step) -> Hashable:
    """What equal steps share; channels of the same labels all have one hash, and are told apart by their numbers."""
    if not isinstance(step, KnownChannel):
        return step
    channel = step.channel
    numbers = channel.matrix.tobytes()
    return KnownChannel, numbers, channel.inputs, channel.outputs, step.secret, step.sampling_probability


def _alone(step: Step, at: int) -> Step:
    """A channel that runs once meets one pair, whatever the others meet: as if its secret had a name."""
    if isinstance(step, KnownChannel) and step.secret is None:
        return replace(step, secret=(_ITS_OWN, at))
    return step

"""A sequence of mixed mechanisms, every bound that applies to it, and the best of them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from leakgauge.arguments import checked
from leakgauge.claims import ApproximateDP, CentralDP, Statement
from leakgauge.errors import OptionError
from leakgauge.mechanisms.steps.known import KnownChannel
from leakgauge.mechanisms.steps.step import Claimed, Step, require_some
from leakgauge.notions.composition.bounds import Bounds, Method
from leakgauge.notions.composition.groups import Neighbours, Spent, require_same_inputs
from leakgauge.probability import Channel

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

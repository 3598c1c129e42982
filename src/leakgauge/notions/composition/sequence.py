"""A sequence of mixed mechanisms, every bound that applies to it, and the best of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

import numpy as np

from leakgauge.arguments import checked
from leakgauge.claims import ApproximateDP, CentralDP, Statement
from leakgauge.errors import OptionError
from leakgauge.mechanisms.steps import losses, renyi_curves
from leakgauge.mechanisms.steps.known import KnownChannel
from leakgauge.mechanisms.steps.step import Claimed, Step, require_some
from leakgauge.notions.composition import exact
from leakgauge.notions.composition.groups import Met, Neighbours, Spent, assignments, require_same_inputs, rows_met
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats

FINEST, COARSEST = 3e-6, 1e-4
"""The grid of the accountant, as a share of what the whole sequence spends."""
WITHOUT_SCALE = 1e-3
"""The grid in nats where nothing finite is proved yet."""


_ITS_OWN = object()
"""Part of the name of a channel that has none: no caller can give the same."""

SAME = 1e-9
"""Bounds that differ by less, relatively, agree."""


class Method(StrEnum):
    """How an ε was found; where two agree the earlier is named."""

    EXACT = "exact"
    ZCDP = "zCDP"
    RENYI = "Rényi DP"
    BASIC = "basic"
    LOSS_DISTRIBUTION = "privacy loss distribution"


@dataclass(frozen=True)
class Composition:
    """What a sequence spends as a whole: at most ``epsilon`` nats at ``delta``, proved by ``method``.

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
    and ``Rényi DP`` add levels and convert; ``privacy loss distribution`` needs the extra ``accounting``; ``exact`` is
    the worst case itself: of the channels given, or of the claims made (Kairouz, Oh and Viswanath 2015).

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
    sequence = tuple(_as_step(step) for step in steps)
    require_some(sequence, "steps")
    if isinstance(delta, bool) or not isinstance(delta, int | float) or not 0 <= delta < 1:
        raise OptionError("A δ of {delta!r} is not in [0, 1); give one that is.", delta=delta)
    groups = _grouped(sequence, neighbours)
    require_same_inputs(groups)
    bounds: dict[Method, float] = {}
    whole = exact.epsilon_at(groups, delta)
    if whole is not None:
        bounds[Method.EXACT] = whole
    bounds[Method.BASIC] = _basic(groups, delta)
    if delta > 0:
        rho = sum(spent.count * spent.rho() for spent in groups)
        if rho < math.inf:
            bounds[Method.ZCDP] = renyi_curves.epsilon_at(lambda orders: orders * rho, delta)
        renyi = _by_curves(groups, delta)
        if renyi < math.inf:
            bounds[Method.RENYI] = renyi
        # One step alone composes with nothing: its worst case is known, and loss distributions take long to load.
        alone = whole is not None and sum(spent.count for spent in groups) == 1
        needed = not alone and (every_bound or whole is None)
        by_losses = _by_losses(groups, delta, min(bounds.values())) if needed else None
        if by_losses is not None:
            bounds[Method.LOSS_DISTRIBUTION] = by_losses
    nearly = min(bounds.values()) * (1 + SAME)
    method = next(name for name in Method if bounds.get(name, math.nan) <= nearly)
    return Composition(bounds[method], float(delta), method, MappingProxyType(bounds), sequence, neighbours)


def _as_step(step: Step | Statement | Channel) -> Step:
    if isinstance(step, Channel):
        return KnownChannel(step)
    if isinstance(step, Step):
        return step
    return Claimed(step)


def _grouped(sequence: Sequence[Step], neighbours: Neighbours) -> list[Spent]:
    counts: dict[Step, int] = {}
    for step in sequence:
        one = replace(step, count=1)
        counts[one] = counts.get(one, 0) + step.count
    # In a fixed order, so that rounding does not depend on the order the steps were given in.
    ordered = sorted(counts.items(), key=lambda item: (repr(item[0]), item[1]))
    return [
        Spent(_alone(step, at) if count == 1 else step, count, neighbours) for at, (step, count) in enumerate(ordered)
    ]


def _alone(step: Step, at: int) -> Step:
    """A channel that runs once meets one pair, whatever the others meet: as if its secret had a name."""
    if isinstance(step, KnownChannel) and step.secret is None:
        return replace(step, secret=(_ITS_OWN, at))
    return step


def _basic(groups: Sequence[Spent], delta: float) -> float:
    linear = [(spent, *spent.approximate()) for spent in groups]
    left = exact.left_of(delta, exact.at_least_one((d, spent.count) for spent, e, d in linear if e < math.inf))
    curved = [spent for spent, e, _ in linear if e == math.inf]
    total = math.fsum(spent.count * e for spent, e, _ in linear if e < math.inf)
    if left is None or (curved and left == 0):
        return math.inf
    return total + _by_curves(curved, left) if curved else total


def _by_curves(groups: Sequence[Spent], delta: float) -> float:
    def curve(orders: Floats) -> Floats:
        return sum((spent.count * spent.renyi(orders) for spent in groups), np.zeros(orders.shape))

    return renyi_curves.epsilon_at(curve, delta, [order for spent in groups for order in spent.step.corners()])


def _by_losses(groups: Sequence[Spent], delta: float, proved: float) -> float | None:
    losing = [spent for spent in groups if spent.rho() > 0]
    if not losses.available():
        return None
    interval = _interval(groups, proved)
    worst, choices = 0.0, assignments(losing)
    # With too many choices of pairs every channel is taken at its worst, by its largest curve.
    for met in [None] if choices is None else choices:
        parts = [_part(spent, met) for spent in losing]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        if known:
            worst = max(worst, losses.epsilon_at(_gaussians_as_one(known), delta, interval))
    return worst


def _part(spent: Spent, met: Met | None) -> losses.Part | None:
    rows = None if met is None else rows_met(spent, met)
    if rows is None:
        return spent.part()
    return losses.Part(losses.curve_of_pair(*rows), spent.count, seen=spent.probability)


def _gaussians_as_one(parts: Sequence[losses.Part]) -> list[losses.Part]:
    mu_squared, others = 0.0, []
    for part in parts:
        if part.loss.mu is not None and part.amplified == part.seen == 1:
            mu_squared += part.count * part.loss.mu**2
        else:
            others.append(part)
    return [losses.Part(losses.gaussian_loss(math.sqrt(mu_squared)), 1), *others] if mu_squared else others


def _interval(groups: Sequence[Spent], proved: float) -> float:
    """The grid in nats: a fiftieth of a typical step's spread, within bounds set by the whole."""
    variance = sum(spent.count * spent.spread() for spent in groups)
    count = sum(spent.count for spent in groups)
    if not 0 < variance < math.inf:
        return WITHOUT_SCALE
    scale = math.sqrt(variance) if proved == math.inf else max(proved, math.sqrt(variance))
    # A grid h adds at most h²/4 to the variance of one step.
    return min(max(math.sqrt(variance / count) / 50, FINEST * scale), COARSEST * scale)

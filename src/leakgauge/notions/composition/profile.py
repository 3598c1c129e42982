"""The privacy profile of a sequence: δ at every ε, ε at every δ, and the power of the best test that it allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from leakgauge.arguments import checked
from leakgauge.claims import Statement
from leakgauge.errors import OptionError
from leakgauge.mechanisms.steps.step import Step, require_level, require_whole
from leakgauge.notions.composition.bounds import Bounds
from leakgauge.notions.composition.groups import Neighbours
from leakgauge.notions.composition.sequence import Composition, as_steps, bounds_of, composition, require_delta
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats


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

"""What every kind of step in a sequence says of itself, by default from a pure ε alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from leakgauge.errors import OptionError
from leakgauge.mechanisms.steps import renyi_curves
from leakgauge.mechanisms.steps.losses import Loss, curve_of_rows
from leakgauge.probability.cells import Floats

Pair: TypeAlias = tuple[Floats, Floats]
LARGEST_EXACT_LOSS = 300.0
"""Beyond this ε probabilities of a pair fall out of the range of floats; only closed forms are used."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A mechanism that runs ``count`` times, each time seeing a record with ``sampling_probability``.

    Raises:
        OptionError: a count below 1, or a probability outside (0, 1].
    """

    count: int = 1
    sampling_probability: float = 1.0
    names_a_missing_record: ClassVar[bool] = True
    """Whether the mechanism has an output law without the record, so that adding or removing it means something."""

    def __post_init__(self) -> None:
        require_whole(self.count, 1, "A count")
        if not _is_number(self.sampling_probability) or not 0 < self.sampling_probability <= 1:
            raise OptionError(
                "A sampling probability of {probability!r} lies outside (0, 1]; leave it out when nothing is sampled.",
                probability=self.sampling_probability,
            )

    def pure_epsilon(self) -> float:
        """ε in nats of one run at δ = 0; infinite where there is none."""
        return math.inf

    def approximate(self) -> tuple[float, float]:
        """(ε in nats, δ) of one run as claimed."""
        return self.pure_epsilon(), 0.0

    def rho(self) -> float:
        """zCDP level of one run, in nats: ε·tanh(ε/2) is sharp for ε-DP."""
        epsilon = self.pure_epsilon()
        return epsilon * math.tanh(epsilon / 2)

    def renyi(self, orders: Floats) -> Floats:
        """Rényi-DP curve of one run, in nats; infinite where nothing is known."""
        return renyi_curves.pure(self.pure_epsilon(), orders)

    def corners(self) -> tuple[float, ...]:
        """Orders at which the curve is given, where it is not given at all of them."""
        return ()

    def pair(self) -> Pair | None:
        """Two finite laws that are the worst case of one run, in either order; None where there are none."""
        epsilon, delta = self.approximate()
        return worst_pair(epsilon, delta) if epsilon <= LARGEST_EXACT_LOSS else None

    def loss(self) -> Loss | None:
        """The privacy loss of one run; None where only bounds on its moments are known."""
        pair = self.pair()
        return None if pair is None else curve_of_rows(np.array(pair))


def worst_pair(epsilon: float, delta: float = 0.0) -> Pair:
    """The pair every (ε, δ)-DP mechanism is a post-processing of (Kairouz, Oh and Viswanath 2015)."""
    high, low = (1 - delta) / (1 + math.exp(-epsilon)), (1 - delta) / (1 + math.exp(epsilon))
    return np.array([delta, high, low, 0.0]), np.array([0.0, low, high, delta])


def require_level(value: object, what: str) -> None:
    """Refuse a level that is not a number of at least 0; infinite is one."""
    if not _is_number(value) or not value >= 0:  # type: ignore[operator]  # the first half says it is a number
        raise OptionError("{what} of {found!r} is not a number of at least 0.", what=what, found=value)


def require_whole(value: object, least: int, what: str) -> None:
    """Refuse what is not a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise OptionError(
            "{what} of {found!r} is not a whole number of at least {least}.", what=what, found=value, least=least
        )


def require_some(items: Sequence[object], what: str) -> None:
    """Refuse an empty sequence."""
    if not items:
        raise OptionError("There are no {what}; give at least one.", what=what)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.floating) and not isinstance(value, bool)

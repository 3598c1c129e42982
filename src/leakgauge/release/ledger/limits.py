"""What an account allows: (ε, δ), a zCDP level, or anything."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TypeAlias

import msgspec

from leakgauge.errors import OptionError
from leakgauge.notions.formulas import approximate_of_concentration
from leakgauge.sentences import Sentence


class ApproximateLimit(msgspec.Struct, frozen=True, tag_field="kind", tag="approximate"):
    """At most ε nats at δ, over all releases together; δ = 0 is pure differential privacy.

    Raises:
        OptionError: ε is not finite and above 0, or δ lies outside [0, 1).
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        _require_finite(self.epsilon, Sentence("an ε"))
        if not _is_number(self.delta) or not 0 <= self.delta < 1:
            raise OptionError("A limit with a δ of {found!r} is none; give one in [0, 1).", found=self.delta)
        # A whole number is spelled as the same limit.
        msgspec.structs.force_setattr(self, "epsilon", float(self.epsilon))
        msgspec.structs.force_setattr(self, "delta", float(self.delta))

    @property
    def sentence(self) -> Sentence:
        """The limit in words."""
        if not self.delta:
            return Sentence("ε = {epsilon:g}", epsilon=self.epsilon)
        return Sentence("ε = {epsilon:g} at δ = {delta:g}", epsilon=self.epsilon, delta=self.delta)

    def __str__(self) -> str:
        return str(self.sentence)


class ConcentratedLimit(msgspec.Struct, frozen=True, tag_field="kind", tag="concentrated"):
    """At most ρ nats of zero-concentrated differential privacy, over all releases together.

    Raises:
        OptionError: ρ is not finite and above 0.
    """

    rho: float

    def __post_init__(self) -> None:
        _require_finite(self.rho, Sentence("a ρ"))
        msgspec.structs.force_setattr(self, "rho", float(self.rho))

    @property
    def sentence(self) -> Sentence:
        """The limit in words."""
        return Sentence("ρ = {rho:g}", rho=self.rho)

    def __str__(self) -> str:
        return str(self.sentence)


class Unlimited(msgspec.Struct, frozen=True, tag_field="kind", tag="unlimited"):
    """No limit: everything is admitted and added up, an infinite ε too."""

    @property
    def sentence(self) -> Sentence:
        """The limit in words."""
        return Sentence("unlimited")

    def __str__(self) -> str:
        return str(self.sentence)


Limit: TypeAlias = ApproximateLimit | ConcentratedLimit | Unlimited


@lru_cache(maxsize=256)
def largest_rho(epsilon: float, delta: float) -> float:
    """The largest zCDP level in nats that is proved to give (ε, δ); 0 where none is."""
    if delta == 0:
        return 0.0
    low, high = 0.0, 1.0
    while approximate_of_concentration(high, delta) <= epsilon:
        low, high = high, 2 * high
    for _ in range(200):
        middle = (low + high) / 2
        if high - low <= 1e-12 * high or not low < middle < high:
            break
        low, high = (middle, high) if approximate_of_concentration(middle, delta) <= epsilon else (low, middle)
    return low  # the lower end, so that what it converts to stays within ε


def _require_finite(value: object, what: Sentence) -> None:
    if not _is_number(value) or not 0 < value < math.inf:  # type: ignore[operator]  # the first half says it is a number
        raise OptionError(
            "A limit with {what} of {found!r} is none; give a finite number above 0, or open the account unlimited.",
            what=what,
            found=value,
        )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

"""A number that a person may act on: its unit, its interval, and where it comes from."""

from __future__ import annotations

from abc import ABCMeta
from enum import Enum
from typing import TYPE_CHECKING, Final, TypeAlias

from leakgauge.artefacts.kinds import Part
from leakgauge.probability import Estimate
from leakgauge.sentences import Sentence

if TYPE_CHECKING:
    Real = float
    Side: TypeAlias = float | Sentence
else:

    class Real(float):
        """A number that may be infinite; JSON has no such numbers, so that the codec writes ``"infinity"``."""

    class Side(metaclass=ABCMeta):  # noqa: B024 – numbers and sentences are registered below
        """What a limit asks for, or what was found: a number that may be infinite, or words of ours."""

    Side.register(float)
    Side.register(Sentence)


class Origin(Enum):
    """Where a number comes from, which decides who may see it; of those that do not say, it is the table."""

    PUBLIC = "public"
    DECLARED = "declared"
    ACCOUNTED = "accounted"
    TABLE = "table"
    COUNT = "count"

    @property
    def is_shareable(self) -> bool:
        """Whether everybody may know the number; a count only from the limit of masking on."""
        return self in (Origin.PUBLIC, Origin.DECLARED, Origin.ACCOUNTED)


PROMISE: Final = "promise"
"""Marks a field that everybody may know where what the mechanisms promise follows from no private count."""


class Quantity(Part, frozen=True):
    """A number with its unit, exact or with an interval.

    Attributes:
        value: the number.
        unit: such as ``bits``.
        low: the lower end of its interval; None where it is exact.
        high: the upper end.
        confidence: how often such intervals hold the truth.
        origin: where it comes from.
    """

    value: Real
    unit: str
    low: Real | None = None
    high: Real | None = None
    confidence: Real | None = None
    origin: Origin = Origin.TABLE

    @classmethod
    def estimated(cls, estimate: Estimate, unit: str, origin: Origin = Origin.TABLE) -> Quantity:
        """An estimate with its unit."""
        return cls(estimate.value, unit, estimate.low, estimate.high, estimate.confidence, origin)

    @property
    def ends(self) -> tuple[float, float]:
        """Of its interval; an exact number is both."""
        return self.value if self.low is None else self.low, self.value if self.high is None else self.high

    def __contains__(self, truth: float) -> bool:
        low, high = self.ends
        return low <= truth <= high

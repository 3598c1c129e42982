"""What stored things are made of: numbers with unit, interval and origin, and levels of notions."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from leakgauge.claims import Statement
from leakgauge.probability import Estimate
from leakgauge.sentences import Sentence


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a stored thing."""


class Artefact(Part, frozen=True, tag_field="schema"):
    """A whole one, whose file says its kind and major, such as ``leakgauge/measure/1``."""


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


SHARE: Final = "share"
"""The unit of a part of people or rows, from 0 to 1."""


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
        low: the lower end of its interval; None where it is exact.
        confidence: how often such intervals hold the truth.
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


class Witness(Part, frozen=True):
    """Two inputs and, where one output decides, the output at which a level is reached."""

    inputs: tuple[str, ...]
    output: str | None = None


class Level(Quantity, frozen=True):
    """The level of a notion.

    Attributes:
        order: of a Rényi divergence or leakage.
        witness: where the level is reached; None of averages over a prior, and where it is a bound.
    """

    delta: Real | None = None
    order: Real | None = None
    witness: Witness | None = None

    @classmethod
    def stated(
        cls,
        statement: Statement,
        origin: Origin = Origin.TABLE,
        witness: Witness | None = None,
        low: float | None = None,
    ) -> Level:
        """What a statement says; with ``low``, what is certainly reached of a level that is proven from above."""
        proven = {} if low is None else {"low": low, "high": statement.level, "confidence": 1.0}
        return cls(
            statement.level, statement.unit, origin=origin, witness=witness, **proven, **dict(statement.parameters)
        )


class Levels(Artefact, frozen=True, tag="leakgauge/levels/2"):
    """The exact levels of a channel in every notion, by name, and the origin of the prior of those that need one."""

    prior: str
    levels: dict[str, Level]


def with_hyphens(levels: Any) -> Any:
    """Levels by the names of their notions, which earlier majors spelled with underscores."""
    return {name.replace("_", "-"): level for name, level in levels.items()} if isinstance(levels, Mapping) else levels


def from_first_levels(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fields of ``leakgauge/levels/1`` as those of today."""
    return {**fields, "schema": "leakgauge/levels/2", "levels": with_hyphens(fields.get("levels"))}

"""Measures of a secret that the roles of columns define, and the worth of a release."""

from __future__ import annotations

from typing import Annotated

import msgspec

from leakgauge.artefacts.quantity import Artefact, Origin, Part, Quantity

SHANNON = (
    "entropy",
    "conditional_entropy",
    "mutual_information",
    "background_floor",
    "conditional_mutual_information",
    "leakage_with_background",
    "conditional_entropy_with_background",
)
"""Names of Shannon's measures in the order in which they are told."""


class ZeroLeakage(Part, frozen=True):
    """A test of the hypothesis that nothing is revealed; without degrees of freedom its p was simulated."""

    p_value: float
    statistic: float
    method: str
    degrees_of_freedom: int | None = None


class Measurement(Artefact, frozen=True, tag="leakgauge/measure/1"):
    """The measures of one secret of a table; those that the roles do not define are None.

    Attributes:
        letters: how many values each role's columns take.
        reliable: whether the sample is large enough for the alphabets.
        bias_corrected: Shannon's measures with the first-order bias taken off (Miller–Madow).
        weighted: the same under the subjective weights; None without weights.
        through_channel: whether the release is a known channel rather than a column.
    """

    table: str
    rows: int
    secret: Annotated[tuple[str, ...], Origin.DECLARED]
    release: tuple[str, ...]
    background: Annotated[tuple[str, ...], Origin.DECLARED]
    letters: dict[str, int]
    estimator: str
    reliable: bool
    entropy: Quantity
    conditional_entropy: Quantity | None = None
    mutual_information: Quantity | None = None
    background_floor: Quantity | None = None
    conditional_mutual_information: Quantity | None = None
    leakage_with_background: Quantity | None = None
    conditional_entropy_with_background: Quantity | None = None
    bias_corrected: dict[str, Quantity] = msgspec.field(default_factory=dict)
    weighted: dict[str, Quantity] | None = None
    best_guess: Quantity | None = None
    guesses: Quantity | None = None
    effective_set: Quantity | None = None
    min_entropy: Quantity | None = None
    best_guess_after: Quantity | None = None
    guesses_after: Quantity | None = None
    effective_set_after: Quantity | None = None
    min_entropy_leakage: Quantity | None = None
    zero_leakage: ZeroLeakage | None = None
    through_channel: bool = False

    def shannon(self) -> dict[str, Quantity]:
        """Shannon's measures that the roles define, by name."""
        found = {name: getattr(self, name) for name in SHANNON}
        return {name: quantity for name, quantity in found.items() if quantity is not None}

    @property
    def is_released(self) -> bool:
        """Whether something is released, and not the background alone seen."""
        return bool(self.release) or self.through_channel


class EachMeasurement(Artefact, frozen=True, tag="leakgauge/measure-each/1"):
    """Several secrets of a table, each measured by itself."""

    table: str
    each: tuple[Measurement, ...]


class ValueShares(Part, frozen=True):
    """How often a value occurs: in the table, and in a release by its law.

    Attributes:
        value: its text in each column of the secret; None where it is missing.
    """

    value: tuple[str | None, ...]
    table: Quantity
    released: Quantity


class ColumnUtility(Part, frozen=True):
    """What one released column is worth.

    Attributes:
        total_variation: between the shares of the values before and after; of a coarser column, of its coarser values.
        lost: of a column that is coarser or suppressed in part, the bits of its values that are lost.
        covered: how many values of the table a released value of such a column stands for, on average over the rows.
        dropped: of a column that went through a channel, the share of rows whose value is never, or hardly ever,
            released.
        shares: of the values of a protected column that has few, before and after.
    """

    protected: bool
    distortion: Quantity
    unchanged: Quantity
    total_variation: Quantity
    lost: Quantity | None = None
    covered: Quantity | None = None
    dropped: Quantity | None = None
    shares: tuple[ValueShares, ...] = ()


class NumberUtility(Part, frozen=True):
    """How far released numbers are from the true ones, in their own unit or in days, and how many leave their bounds.

    Attributes:
        allowed: the mean absolute error that was asked for.
        promised: its upper bound by the law of the release; None for noise, which promises no error.
        beyond: the share of the table's values beyond the declared bounds, which count as the nearest one.
        released_beyond: the share of numbers that noise carries beyond them, by its law.
    """

    measured: Quantity
    allowed: Quantity | None = None
    promised: Quantity | None = None
    lower: Quantity | None = None
    upper: Quantity | None = None
    beyond: Quantity | None = None
    released_beyond: Quantity | None = None
    clamped: Annotated[bool, Origin.DECLARED] = False


class Utility(Artefact, frozen=True, tag="leakgauge/utility/1"):
    """What every released column is worth, by the law of the release; of numbers also what was drawn."""

    columns: dict[str, ColumnUtility]
    numbers: dict[str, NumberUtility] = msgspec.field(default_factory=dict)

"""What is known of an indicator: a number, how it was put on the scale from 0 to 1, and where it comes from."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum

import msgspec
import numpy as np

from leakgauge.artefacts.quantity import Artefact, Part, Real
from leakgauge.errors import ModelError, VerificationError
from leakgauge.probability.cells import Floats
from leakgauge.sentences import Sentence


class Standing(Enum):
    """How something is known."""

    MEASURED = "measured"
    DECLARED = "declared"
    ASKED = "asked"
    MISSING = "missing"


class Scale(Part, frozen=True):
    """A documented monotone map from a raw value to [0, 1]: straight between two anchors, flat beyond them.

    It may be straight in the logarithm; the reason says why these anchors.
    """

    low: float
    high: float
    logarithmic: bool = False
    reason: Sentence = msgspec.field(default_factory=lambda: Sentence(""))

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ModelError(
                "The anchors {low} and {high} of a scale are not ascending; give the lower one first.",
                low=self.low,
                high=self.high,
            )
        if self.logarithmic and self.low <= 0:
            raise ModelError("The anchor {low} of a logarithmic scale is not above 0; give one that is.", low=self.low)

    def position(self, raw: float | Floats) -> Floats:
        """Where raw values lie between the anchors, from 0 to 1."""
        bounded = np.clip(np.asarray(raw, dtype=np.float64), self.low, self.high)
        if self.logarithmic:
            return np.asarray(np.log(bounded / self.low) / math.log(self.high / self.low))
        return np.asarray((bounded - self.low) / (self.high - self.low))


class Evidence(Part, frozen=True):
    """What is known of one leaf.

    Attributes:
        value: the raw value; infinite ones are allowed, None where it is missing or asked.
        low: of its interval; the value itself where it is exact.
        answers: of a questionnaire, how many people gave each of the five answers; empty otherwise.
        null: the raw value that a release independent of the data would have; None where that says nothing.
        raw: the raw value that the data released as they are would have.
    """

    leaf: str
    standing: Standing
    source: Sentence
    value: Real | None = None
    unit: str = ""
    scale: Scale | None = None
    low: Real | None = None
    high: Real | None = None
    answers: tuple[int, ...] = ()
    null: Real | None = None
    raw: Real | None = None
    details: dict[str, Real] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.standing in (Standing.MEASURED, Standing.DECLARED):
            if self.value is None or self.scale is None or math.isnan(self.value):
                raise ModelError("The evidence of leaf {leaf} has no value or no scale; give both.", leaf=self.leaf)
            low, high = self.interval
            if not low <= self.value <= high:
                raise ModelError("The interval of leaf {leaf} does not contain its value; correct it.", leaf=self.leaf)
        counted = len(self.answers) == 5 and min(self.answers) >= 0 and sum(self.answers) > 0
        if self.standing is Standing.ASKED and not counted:
            raise ModelError(
                "The answers of leaf {leaf} are not five counts; give one for each answer.", leaf=self.leaf
            )

    @property
    def interval(self) -> tuple[float, float]:
        """The raw interval."""
        assert self.value is not None
        return (self.value if self.low is None else self.low), (self.value if self.high is None else self.high)

    def states(self, count: int) -> Floats | None:
        """The distribution over so many states from very low to very high; None where it is missing."""
        if self.standing is Standing.MISSING:
            return None
        if self.standing is Standing.ASKED:
            shares = np.array(self.answers, dtype=np.float64) / sum(self.answers)
            return np.asarray(shares @ spread(np.linspace(0, 1, 5), count))
        assert self.scale is not None and self.value is not None
        return np.asarray(spread(self.scale.position(np.array([self.value])), count)[0])


class StoredEvidence(Artefact, frozen=True, tag="leakgauge/evidence/1"):
    """Evidence of some leaves, so that a second assessment reads what a first one measured; the record is a digest."""

    leaves: tuple[Evidence, ...]
    column: str | None = None
    record: str | None = None

    def __post_init__(self) -> None:
        by_leaf(self.leaves)

    def require_of(self, column: str, record: str | None, file: object) -> None:
        """Refuse evidence of another column or release, or of none; any record will do where none is given."""
        for name, wanted, found in (("column", column, self.column), ("record", record, self.record)):
            if wanted is not None and found != wanted:
                raise VerificationError(
                    "{file} is not the evidence of the {name} {wanted!r}; measure it again.",
                    file=file,
                    name=name,
                    wanted=wanted,
                )


def by_leaf(evidence: Iterable[Evidence]) -> dict[str, Evidence]:
    """Evidence by its leaves, one of each."""
    found: dict[str, Evidence] = {}
    for one in evidence:
        if one.leaf in found:
            raise ModelError("There are two pieces of evidence of leaf {leaf!r}; give one.", leaf=one.leaf)
        found[one.leaf] = one
    return found


def missing(leaf: str, why: Sentence) -> Evidence:
    """Evidence that there is none, and why."""
    return Evidence(leaf, Standing.MISSING, why)


def spread(positions: Floats, count: int) -> Floats:
    """Each position from 0 to 1 shared between its two nearest of so many states; a row each."""
    places = np.clip(positions, 0.0, 1.0) * (count - 1)
    below = np.minimum(np.floor(places).astype(np.int64), count - 2)
    found = np.zeros((len(places), count))
    rows = np.arange(len(places))
    found[rows, below] = 1 - (places - below)
    found[rows, below + 1] = places - below
    return found

"""What an indicator is: its unit, and the monotone map that puts it between 0 and 1.

A scale always rises with the raw value; which way is good is the diagram's business. ``docs/reference/indicators.md``
shows all of them. Those that are found together are a family.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from leakgauge.artefacts.evidence import Evidence, Scale, Standing, missing
from leakgauge.errors import InternalError, OptionError
from leakgauge.measures.binomial import require_confidence
from leakgauge.sentences import Sentence

if TYPE_CHECKING:
    from leakgauge.assessment.indicators.attacks import Audited
    from leakgauge.assessment.indicators.protected import ProtectedColumn


class Form(Enum):
    """What is released."""

    LETTERS = "letters"
    NUMBERS = "numbers"


@dataclass(frozen=True)
class UpTo:
    """A straight scale from 0 to something that is known of the data, and why that stands for 1."""

    top: str
    reason: Sentence


@dataclass(frozen=True)
class Indicator:
    """Something that is measured, declared or asked of a release.

    Attributes:
        number: of its leaf in the paper's diagram; diagrams, questionnaires and stored evidence know it by that.
        scales: the map to [0, 1], or one for each form of release; none where people are asked.
    """

    id: str
    number: int
    name: str
    unit: str
    scales: Scale | UpTo | Mapping[Form, Scale | UpTo] = field(default_factory=dict)

    @property
    def leaf(self) -> str:
        """Its key in diagrams and files."""
        return str(self.number)

    @property
    def by_form(self) -> Mapping[Form, Scale | UpTo]:
        """The map to [0, 1] of each form of release."""
        return self.scales if isinstance(self.scales, Mapping) else dict.fromkeys(Form, self.scales)

    def scale(self, form: Form, top: float | None = None) -> Scale:
        """The scale of a form of release, ``top`` standing for 1 where it comes from the data."""
        scale = self.by_form[form]
        if isinstance(scale, Scale):
            return scale
        if top is None:
            raise InternalError("The scale of leaf {leaf} needs to know {top}.", leaf=self.leaf, top=scale.top)
        return Scale(0.0, top, reason=scale.reason)

    def missing(self, why: Sentence) -> Evidence:
        """Evidence that there is none, and why."""
        return missing(self.leaf, why)

    def evidence(
        self,
        form: Form,
        value: float,
        source: Sentence,
        *,
        standing: Standing = Standing.MEASURED,
        between: tuple[float, float] | None = None,
        top: float | None = None,
        null: float | None = None,
        raw: float | None = None,
        details: Mapping[str, float] | None = None,
    ) -> Evidence:
        """Evidence with this indicator's unit and scale; an interval is widened where it misses the value.

        It is missing where the value is not a number: one infinite variance over another, of numbers near 1e308.
        """
        if math.isnan(value):
            return self.missing(Sentence("The column's numbers are too large for a computer's arithmetic."))
        low, high = (value, value) if between is None else (min(between[0], value), max(between[1], value))
        return Evidence(
            self.leaf,
            standing,
            source,
            value,
            self.unit,
            self.scale(form, top),
            low,
            high,
            null=null,
            raw=raw,
            details=dict(details or {}),
        )


@dataclass(frozen=True)
class Context:
    """What is known beside the release itself.

    Attributes:
        answers: for each leaf that people were asked about how many gave each of the five answers.
        stored: evidence of an earlier verdict by its leaves, of which space and time are taken.
        simulation_seed: for intervals and samples; it protects nobody.
        confidence: of the intervals that are made here; those of an audit have its own.
    """

    audit: Audited | None = None
    answers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    releases_per_period: float = 1.0
    stored: Mapping[str, Evidence] = field(default_factory=dict)
    simulation_seed: int = 0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not 0 < self.releases_per_period < float("inf"):
            raise OptionError(
                "--releases-per-period {found} is not a finite number above 0; try 1.", found=self.releases_per_period
            )
        require_confidence(self.confidence)


@dataclass(frozen=True)
class Family:
    """Indicators that are found together, and how, from what went in and came out."""

    indicators: tuple[Indicator, ...]
    measured: Callable[[ProtectedColumn, Context], tuple[Evidence, ...]]


SHARE = Scale(0.0, 1.0, reason=Sentence("none of it, and all of it"))
SPREAD = Scale(1e-6, 1e4, True, Sentence("a thousandth, and a hundred, standard deviations of the data"))

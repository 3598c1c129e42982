"""Indicators that are found together, and what is known beside the release itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from leakgauge.artefacts.evidence import Evidence
from leakgauge.assessment.indicators.audits import Audited
from leakgauge.assessment.indicators.indicator import Indicator
from leakgauge.assessment.indicators.protected import Protected
from leakgauge.assessment.indicators.setting import Setting
from leakgauge.errors import OptionError


@dataclass(frozen=True)
class Context:
    """What is known beside the release itself.

    Attributes:
        answers: for each leaf that people were asked about how many gave each of the five answers.
        stored: evidence of an earlier assessment by its leaves, of which space and time are taken.
        simulation_seed: for intervals and samples; it protects nobody.
        confidence: of the intervals that are made here; those of an audit have its own.

    Raises:
        OptionError: a number of releases that is not above 0, or a confidence that is not between 0 and 1.
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
                "{found} releases per period are not a finite number above 0.", found=self.releases_per_period
            )
        if not 0 < self.confidence < 1:
            raise OptionError("A confidence of {found} is not between 0 and 1; try 0.95.", found=self.confidence)


@dataclass(frozen=True)
class Family:
    """Indicators that are found together.

    Attributes:
        indicators: in the order of their vetoes.
        expected: their evidence from the law.
        measure: their evidence from what went in and came out; None where that is the same.
    """

    indicators: tuple[Indicator, ...]
    expected: Callable[[Setting, Context], tuple[Evidence, ...]]
    measure: Callable[[Protected, Context], tuple[Evidence, ...]] | None = None

    def measured(self, protected: Protected, context: Context) -> tuple[Evidence, ...]:
        """Evidence of what went in and came out."""
        if self.measure is None:
            return self.expected(protected.setting, context)
        return self.measure(protected, context)

"""What is known beside the release itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from leakgauge.artefacts.evidence import Evidence
from leakgauge.assessment.indicators.audits import Audited
from leakgauge.errors import OptionError


@dataclass(frozen=True)
class Context:
    """What is known beside the release itself.

    Attributes:
        audit: of the column; None where there is none.
        answers: for each leaf that people were asked about how many gave each of the five answers.
        releases_per_period: how often such a release is made.
        stored: evidence of an earlier assessment, of which space and time are taken.
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

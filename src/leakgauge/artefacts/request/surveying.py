"""What a survey looks at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from leakgauge.artefacts.request.part import Option, RequestPart
from leakgauge.artefacts.request.reading import ReadingOptions
from leakgauge.artefacts.request.shared_options import Bins, Confidence, Levels


class Surveying(RequestPart, frozen=True):
    """What a survey looks at besides the secrets, by the names and with the meanings of ``lg.survey``."""

    columns: Annotated[
        tuple[str, ...], Option("Only look at these columns; by default all.", "COLUMN", called="column")
    ] = ()
    unit: Annotated[
        str | None, Option("The column that says whose row it is; intervals are then per person.", "COLUMN")
    ] = None
    bins: Bins = ()
    levels: Levels = ()
    confidence: Confidence = 0.95

    def require_possible(self) -> None:
        """Refuse a confidence that is none."""
        self._require_confidence(self.confidence)


class SurveyOptions(ReadingOptions, total=False):
    """Keyword arguments of ``lg.survey``: the same, and how the table is read."""

    columns: Sequence[str]
    unit: str | None
    bins: Sequence[str]
    levels: Sequence[str]
    confidence: float

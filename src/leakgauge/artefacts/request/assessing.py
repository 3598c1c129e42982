"""What a verdict on a release asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from leakgauge.artefacts.request.part import Names, Option, RequestPart
from leakgauge.artefacts.request.reading import ReadingOptions
from leakgauge.artefacts.request.shared_options import (
    USES,
    Background,
    Confidence,
    MinProtection,
    MinUsefulness,
    Purpose,
    Recipient,
    Review,
)


class JudgedColumns(RequestPart, frozen=True):
    """The columns that are judged, and what the attacker knows; a job, or an audit without a record, has its own."""

    secret: Annotated[tuple[str, ...], Option("A column to judge; default: every protected column.", "COLUMN")] = ()
    withhold: Annotated[
        tuple[str, ...], Option("A secret that is not released, though other columns may reveal it.", "COLUMN")
    ] = ()
    background: Background = ()


class JudgedBy(RequestPart, frozen=True):
    """What a release is judged by; of a job in place of what it was asked for."""

    use: Annotated[str | None, Option("What readers do with the release; default: statistics.", choices=USES)] = None
    policy: Annotated[Path | str | None, Option("Limits to keep, in TOML; exit 1 if one is broken.", "FILE")] = None
    min_protection: MinProtection = None
    min_usefulness: MinUsefulness = None
    accept_unique: Annotated[tuple[str, ...], Option("This column may name people.", "COLUMN")] = ()
    purpose: Purpose = None
    recipient: Recipient = None
    review: Review = None
    releases_per_period: Annotated[float | None, Option("Releases per period; default: 1.", "N")] = None
    diagram: Annotated[
        Path | str | None,
        Names.PLACE,
        Option("Which indicator feeds which criterion, in TOML; or the paper's.", "paper|FILE"),
    ] = None
    questionnaire: Annotated[Path | str | None, Option("CSV respondent,leaf,answer with answers 1 to 5.", "FILE")] = (
        None
    )


class ExplainedBy(RequestPart, frozen=True):
    """What else explains a verdict."""

    fuzzy: Annotated[str | Path | None, Option("Add a fuzzy comprehensive evaluation.", "paper-a|paper-b|FILE")] = None
    stored: Annotated[Path | str | None, Option("An earlier verdict, whose space and time are used.", "FILE")] = None
    confidence: Confidence = 0.95

    def require_possible(self) -> None:
        """Refuse a confidence that is none."""
        self._require_confidence(self.confidence)


class AssessOptions(ReadingOptions, total=False):
    """Keyword arguments of ``lg.assess``: the fields of these parts, and how the original is read."""

    secret: Sequence[str]
    withhold: Sequence[str]
    background: Sequence[str]
    use: str | None
    policy: Path | str | None
    min_protection: float | None
    min_usefulness: float | None
    accept_unique: Sequence[str]
    purpose: str | None
    recipient: str | None
    review: str | None
    releases_per_period: float | None
    diagram: Path | str | None
    questionnaire: Path | str | None
    fuzzy: Path | str | None
    stored: Path | str | None
    confidence: float

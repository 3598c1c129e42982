"""What people declare about the release, which changes how it is judged and told, and never what is drawn."""

from __future__ import annotations

import math
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Final, TypedDict

import msgspec

from leakgauge.artefacts.quantity import Origin
from leakgauge.artefacts.request.part import IN_WORDS, ON_PAGE, Names, Option, RequestPart, fields_marked
from leakgauge.artefacts.request.shared_options import Purpose, Recipient, Review
from leakgauge.errors import OptionError

OF_THE_REPORT: Final = Option(
    "Language of the report; by default that of the messages; both: side by side.",
    choices=("en", "zh", "both"),
    default="",
)
"""How the language of a report is asked for."""


class Declared(RequestPart, frozen=True):
    """What people declare about the release.

    Attributes:
        publish_shares: whether the table's shares, and whatever follows from channels designed from its counts, may be
            known: the recipient's kit then contains these channels.
        releases_per_period: how often such a release is made.
        confidence: of intervals.
        diagram: the arcs between indicators, in TOML, or ``paper``; ``questionnaire`` the answers of respondents.
        purpose: what the release is for, in the user's words, and ``recipient`` who gets it.
        review: when to review the release, such as 2027-11-16.
        prepared_by: who wrote the report, for the first page of its internal edition.
        report_language: en, zh or both, side by side.
    """

    publish_shares: Annotated[
        bool, Origin.DECLARED, Option("Say that the table's shares may be known: puts its channels into the kit.")
    ] = False
    releases_per_period: Annotated[float, Origin.DECLARED, ON_PAGE, Option("How often.", "N")] = 1.0
    confidence: Annotated[float, Option("Of intervals.", "C")] = 0.95
    diagram: Annotated[
        str | None, Names.PLACE, Option("Which indicator feeds which criterion, in TOML; or 'paper'.", "paper|FILE")
    ] = None
    questionnaire: Annotated[
        str | None, Names.PLACE, Option("CSV respondent,leaf,answer with answers 1 to 5.", "FILE")
    ] = None
    purpose: Purpose = None
    recipient: Recipient = None
    review: Review = None
    prepared_by: Annotated[str | None, ON_PAGE, IN_WORDS, Option("Declared: who prepared the report.", "NAME")] = None
    report_language: Annotated[str, OF_THE_REPORT] = "en"

    def require_possible(self) -> None:
        """Refuse what is no date, no share and no frequency."""
        if self.review is not None and not _is_date(self.review):
            raise OptionError("--review {found!r} is not a date; write it as 2027-11-16.", found=self.review)
        if not 0 < self.releases_per_period < math.inf:
            raise OptionError(
                "--releases-per-period {found} is not a finite number above 0; try 1.", found=self.releases_per_period
            )
        self._require_confidence(self.confidence)

    def require_review_to_come(self) -> None:
        """Refuse a date before today; a stored request may have one, so that this is asked of new ones alone.

        Raises:
            OptionError: the date is past.
        """
        if self.review is not None and date.fromisoformat(self.review) < datetime.now().astimezone().date():
            raise OptionError("--review {found!r} is in the past; give today's date or a later one.", found=self.review)

    def unworded(self) -> Declared:
        """The same without the words of people, which may be filled in after the release."""
        return msgspec.structs.replace(self, **dict.fromkeys(fields_marked(Declared, IN_WORDS)))


class DeclaredOptions(TypedDict, total=False):
    """The same as keyword arguments of Python."""

    publish_shares: bool
    releases_per_period: float
    confidence: float
    diagram: str | Path | None
    questionnaire: str | Path | None
    purpose: str | None
    recipient: str | None
    review: str | None
    prepared_by: str | None
    report_language: str


def _is_date(text: str) -> bool:
    """Whether a text is a date such as 2027-11-16."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True

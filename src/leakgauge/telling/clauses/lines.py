"""What people must say in an assessment, because no table and no job contains it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from leakgauge.artefacts.clauses import DEGREES
from leakgauge.artefacts.request import Declared, StoredRequest
from leakgauge.artefacts.verdict import Declaration
from leakgauge.languages import message

LINES: Final[Mapping[str, str]] = {
    "purpose": message("purpose"),
    "recipient": message("recipient"),
    "review": message("review date"),
    "legal-basis": message("legal basis"),
    "legitimate-interest": message("legitimate interest, where that is the basis"),
    "controller": message("controller"),
    "subject-groups": message("groups of people concerned"),
    "special-categories": message("special categories of data"),
    "why-not-less": message("why releasing less would not do"),
    "retention": message("how long the data are kept"),
    "transfers": message("transfers to other countries"),
    "severity": message("severity for the people concerned (low, medium or high)"),
    "organisational-measures": message("organisational measures (contract, access, deletion, incidents)"),
    "recipient-environment": message("the recipient's environment (access, contract, other data held there)"),
    "governance": message("who is responsible, and the review board"),
    "sharing-model": message("model of sharing (open, by agreement, or inside a protected environment)"),
    "data-collection": message("how the data were collected, stored and secured"),
    "expert": message("the expert's name and judgement"),
    "advice": message("advice of the data-protection officer"),
    "consultation": message("whether the authority was consulted, and its answer"),
    "assessment-due": message("which of these apply"),
    "entrusted-processing": message("whether somebody else processes the data, and under which agreement"),
    "public-disclosure": message("whether the data are published, and what allows it"),
    "effect-level": message("level, as the officer confirms it (1 to 4)"),
}
"""What is to be said, by its key: that of a line in the file of ``--assessment``."""
CHOICES: Final[Mapping[str, tuple[str, ...]]] = {"severity": DEGREES, "effect-level": ("1", "2", "3", "4")}
"""Lines that take one of a few words."""
LONGEST: Final = 1000
"""Letters of one line."""


def declared_to(asked: Declared | StoredRequest | None) -> Mapping[str, str]:
    """The lines that a job has options for, and that it was given."""
    said = {one.value: getattr(asked, one.value, None) for one in Declaration}
    return {key: words for key, words in said.items() if words}

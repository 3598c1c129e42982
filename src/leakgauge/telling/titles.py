"""The titles of the sections of a report, and of the questions that they answer."""

from __future__ import annotations

from typing import Final

from leakgauge.languages import Language, message
from leakgauge.telling.voice import Voice

TITLES: Final = {
    "statement": message("Decision"),
    "context": message("Declared context and unit of protection"),
    "data": message("Data and roles"),
    "survey": message("Which columns identify people"),
    "coarsening": message("Coarser public columns"),
    "telling": message("Public columns that reveal a secret"),
    "headline": message("The numbers that matter"),
    "verdict": message("Verdict"),
    "guarantee": message("Mechanism and guarantee"),
    "leakage": message("Leakage before and after"),
    "recipients": message("What recipients can compute"),
    "places": message("Places before and after"),
    "places-survey": message("Where the points are"),
    "places-comparison": message("Mechanisms for places"),
    "places-track": message("What a tracker infers"),
    "places-maps": message("Tables behind the maps"),
    "attacks": message("Attacks"),
    "assumptions": message("Assumptions"),
    "limitations": message("Limitations"),
    "left-out": message("What this edition leaves out"),
    "criteria": message("Criteria that explain the scores"),
    "earlier": message("Earlier releases"),
    "usefulness": message("Usefulness of each column"),
    "frontier": message("What usefulness costs in leakage"),
    "tuning": message("How the settings were found"),
    "residual": message("Residual risk and review"),
    "reproduction": message("How to reproduce these results"),
    "clauses": message("Clauses of an assessment, item by item"),
}
"""Of the sections, by their keys, in the order of the report."""
QUESTIONS: Final = {
    "who": message("Who: whose data these are, and who may attack"),
    "what": message("What: what is guaranteed, and what is revealed"),
    "how-sure": message("How sure: what was checked, and what was not"),
    "what-if": message("What if: other settings, later releases, and review"),
    "rules": message("Clauses: what laws and guidelines ask"),
}
"""Of the questions that the annex answers, by their keys, in the order of the report."""
_EXTERNAL_TITLES: Final = {"attacks": message("Groups of rows, and checks of the record")}
"""What attacks found follows from the table; without it the groups of rows and the checks are left."""


def question(language: Language, key: str) -> str:
    """The title of a question; empty of sections that answer none."""
    return language.say(QUESTIONS[key]) if key else ""


def title(voice: Voice, key: str) -> str:
    """The title of a section, with the secret that it speaks of where there are several."""
    found = voice.language.say((TITLES | _EXTERNAL_TITLES if voice.external else TITLES)[key])
    if not voice.group:
        return found
    return voice.language.say("{title!s}: {secret}", title=found, secret=voice.listed(voice.group))

"""The titles of the sections of a report."""

from __future__ import annotations

from typing import Final

from leakgauge.languages import message
from leakgauge.telling.voice import Voice

TITLES: Final = {
    "statement": message("Decision"),
    "headline": message("The numbers that matter"),
    "verdict": message("Verdict"),
    "left-out": message("What this edition leaves out"),
    "limitations": message("Limitations"),
    "assumptions": message("Assumptions"),
    "context": message("Declared context and unit of protection"),
    "data": message("Data and roles"),
    "survey": message("Which columns identify people"),
    "coarsening": message("Coarser public columns"),
    "telling": message("Public columns that reveal a secret"),
    "guarantee": message("Mechanism and guarantee"),
    "places": message("Places before and after"),
    "places-survey": message("Where the points are"),
    "places-comparison": message("Mechanisms for places"),
    "places-track": message("What a tracker infers"),
    "places-maps": message("Tables behind the maps"),
    "earlier": message("Earlier releases"),
    "leakage": message("Leakage before and after"),
    "attacks": message("Attacks"),
    "recipients": message("What recipients can compute"),
    "usefulness": message("Usefulness of each column"),
    "frontier": message("What usefulness costs in leakage"),
    "criteria": message("Criteria, which explain the scores"),
    "tuning": message("How the settings were found"),
    "residual": message("Residual risk and review"),
    "reproduction": message("How to reproduce"),
    "clauses": message("Clauses of an assessment, item by item"),
}
"""Of the sections, by their keys, in the order of the report."""
_EXTERNAL_TITLES: Final = {"attacks": message("Groups of rows, and checks of the record")}
"""What attacks found follows from the table; without it the groups of rows and the checks are left."""


def title(voice: Voice, key: str) -> str:
    """The title of a section, with the secret that it speaks of where there are several."""
    found = voice.language.say((TITLES | _EXTERNAL_TITLES if voice.external else TITLES)[key])
    if not voice.group:
        return found
    return voice.language.say("{title!s}: {secret}", title=found, secret=voice.listed(voice.group))

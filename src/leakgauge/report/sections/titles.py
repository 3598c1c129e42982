"""The titles of the sections; their keys are the same in every language."""

from __future__ import annotations

from typing import Final

from leakgauge.languages import Language, message

TITLES: Final = {
    "statement": message("Statement"),
    "left-out": message("What this edition leaves out"),
    "limitations": message("Limitations"),
    "assumptions": message("Assumptions"),
    "context": message("Declared context and unit of protection"),
    "data": message("Data and roles"),
    "guarantee": message("Mechanism and guarantee"),
    "leakage": message("Leakage before and after"),
    "attacks": message("Attacks"),
    "usefulness": message("Usefulness of each column"),
    "frontier": message("What usefulness costs in leakage"),
    "grade": message("Grade"),
    "indicators": message("Indicators"),
    "tuning": message("What the tuning cost"),
    "residual": message("Residual risk and review"),
    "reproduction": message("How to reproduce"),
    "crosswalk": message("Crosswalk to assessment guidelines"),
}
"""In the order of the report."""


def title_of(key: str, language: Language) -> str:
    """The title of a section."""
    return language.say(TITLES[key])

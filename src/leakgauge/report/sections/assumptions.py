"""What must hold for the guarantee to hold."""

from __future__ import annotations

from leakgauge.languages import Language
from leakgauge.report.document import Edition, Paragraph, Points, Section
from leakgauge.report.facts import Facts
from leakgauge.report.sections.telling import Teller
from leakgauge.report.sections.titles import title_of

KEY = "assumptions"


def section(facts: Facts, language: Language, edition: Edition) -> Section | None:
    """The assumptions of the record, numbered; None without a release."""
    tell = Teller(facts, language, edition)
    said = facts.names("release.json", "assumptions")
    if not said:
        return None
    start = Paragraph(tell.say("The guarantee holds where all of these do."))
    return Section(KEY, title_of(KEY, language), (start, Points(tuple(map(tell.stored, said)), numbered=True)))

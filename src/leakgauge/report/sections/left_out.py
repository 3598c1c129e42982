"""What the external edition leaves out, and why."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import Language
from leakgauge.report.document import Edition, Inline, Paragraph, Points, Section
from leakgauge.report.facts import Facts
from leakgauge.report.sections.telling import Teller
from leakgauge.report.sections.titles import title_of

KEY = "left-out"


def section(facts: Facts, language: Language, edition: Edition) -> Section | None:
    """What is missing here; None in the internal edition."""
    tell = Teller(facts, language, edition)
    if not tell.external:
        return None
    start = Paragraph(
        tell.say(
            "This edition may be shown to everybody. It prints what is public, what was declared and what a budget "
            "accounts for, and no number that follows from the counts of the table: a few such numbers, however "
            "coarse, can be solved together for the count of a rare value."
        )
    )
    judged = Paragraph(
        tell.say(
            "How the release was judged is not said here: the silence of this edition does not mean that nothing "
            "speaks against the release."
        ),
        "note",
    )
    blocks = (start, Points(tuple(_points(tell))))
    return Section(KEY, title_of(KEY, language), (*blocks, judged) if tell.released else blocks)


def _points(tell: Teller) -> Iterator[Inline]:
    yield tell.say("Counts of rows below a limit are masked, because few rows may be few people.")
    yield tell.say(
        "What was measured: the leakage in bits, what attacks found, how useful each column still is, the scores and "
        "the grade, what a policy says of them, the curve of least leakage, and every picture."
    )
    if tell.keeps_guarantee_inside:
        yield tell.say(
            "The mechanism, its assumptions and its exact levels: they follow from private counts, or may. Declared "
            "settings, a bound on ε that was asked for, and a design from a noisy histogram can be printed here."
        )
    yield tell.say("Which values a column has, and which of them reach a guarantee.")
    yield tell.say(
        "The table's digest, size and place, and commands and scripts that name it: a digest confirms a guess of the "
        "whole table."
    )
    yield tell.say(
        "The record of the release with its digest, and the reason where nothing was released: both name numbers of "
        "the table."
    )

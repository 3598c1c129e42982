"""What the external edition leaves out, and why."""

from __future__ import annotations

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
    points: list[Inline] = [
        tell.say("Counts of rows below a limit are masked, because few rows may be few people."),
        tell.say(
            "Numbers computed from the table are coarse: bits to a tenth, shares to a whole percent or more, scores to "
            "a whole point. Exact ones would tell of single rows. Risks are rounded up and what is kept down; shares "
            "of too few rows are not told, nor sentences with them."
        ),
        tell.say(
            "The table's digest, size and place, and commands and scripts that name it: a digest confirms a guess of "
            "the whole table."
        ),
        tell.say(
            "Values of columns, and which of them reach a guarantee: they would say whom to attack. For the same "
            "reason how the attacks work is not told."
        ),
        tell.say(
            "The curve of least leakage, the pictures and the settings that were tried: they follow from exact counts."
        ),
    ]
    points.append(tell.say("The record of the release, and why nothing was released where that names numbers."))
    if tell.from_this_table:
        points.append(
            tell.say(
                "The channel and the prior it was designed from: it was made from this table and tells of its counts."
            )
        )
    start = Paragraph(tell.say("This edition may be shown to everybody. It says nothing that would help an attacker."))
    return Section(KEY, title_of(KEY, language), (start, Points(tuple(points))))

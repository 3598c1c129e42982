"""What is left of each released column."""

from __future__ import annotations

from leakgauge.languages import Language
from leakgauge.report.document import Edition, Grid, Inline, Paragraph, Section
from leakgauge.report.facts import Facts
from leakgauge.report.sections.telling import Teller
from leakgauge.report.sections.titles import title_of

KEY = "usefulness"


def section(facts: Facts, language: Language, edition: Edition) -> Section | None:
    """The utility of each column; None where it was not measured."""
    tell = Teller(facts, language, edition)
    columns = facts.names("utility.json", "columns")
    if not columns:
        return None
    say = language.say
    head = (say("Column"), say("Protected"), say("Values unchanged"), say("Mean distortion"), say("Shift of shares"))
    rows = tuple(_row(tell, column) for column in columns)
    words = tell.say(
        "The shift of shares is the total variation between the original and the released shares of the values: the "
        "largest error in the share of any group of values."
    )
    return Section(KEY, title_of(KEY, language), (Grid(say("Utility per column"), head, rows), Paragraph(words)))


def _row(tell: Teller, column: str) -> tuple[Inline, ...]:
    place = ("utility.json", "columns", column)
    protected = tell.facts.get(*place, "protected")
    return (
        (column,),
        (tell.language.say("yes") if protected else tell.language.say("no"),),
        tell.cell(*place, "unchanged", from_table=True, percent=True),
        tell.cell(*place, "distortion", "value", from_table=True, interval=(*place[1:], "distortion")),
        tell.cell(*place, "total_variation", from_table=True, percent=True),
    )

"""What is left of each released column."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import Language
from leakgauge.report.document import Edition, Grid, Inline, Paragraph, Section
from leakgauge.report.facts import Facts
from leakgauge.report.sections.telling import Own, Teller, warning
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
    if tell.bins:
        words = (*words, *tell.say(" A column in bins is compared with its bins, not with its exact values."))
    never = tuple(warning(said) for said in never_released(tell))
    grid = Grid(say("Utility per column"), head, rows)
    return Section(KEY, title_of(KEY, language), (*never, grid, Paragraph(words)))


def never_released(tell: Teller) -> Iterator[Inline]:
    """Of each protected column how many of its values the release never has; anybody sees as much in the release."""
    for column in tell.facts.names("release.json", "plan", "columns"):
        places: list[tuple[str, ...]] = [("release.json", "plan", "columns", column, "channel")]
        if len(tell.secret) == 1:
            places.append(("channel.json",))
        found = next((one for one in (tell.facts.never_released(*place) for place in places) if one), None)
        if found is not None:
            yield tell.say(
                "{never} of {known} values of {column} never appear in the release, however often they occur.",
                never=found[0],
                known=found[1],
                column=tell.written(column),
            )


def _row(tell: Teller, column: str) -> tuple[Inline, ...]:
    place = ("utility.json", "columns", column)
    protected = tell.facts.get(*place, "protected")
    return (
        (str(Own(column)),),
        (tell.language.say("yes") if protected else tell.language.say("no"),),
        tell.cell(*place, "unchanged", percent=True),
        tell.cell(*place, "distortion", "value", interval=(*place[1:], "distortion")),
        tell.cell(*place, "total_variation", percent=True),
    )

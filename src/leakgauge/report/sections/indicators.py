"""Every indicator: what was found, where it lies, and what it is worth."""

from __future__ import annotations

from leakgauge.languages import Language
from leakgauge.report.document import Edition, Grid, Inline, Paragraph, Section
from leakgauge.report.facts import Facts
from leakgauge.report.sections.telling import NOTHING, Teller
from leakgauge.report.sections.titles import title_of

KEY = "indicators"
_FILE = "assessment.json"


def section(facts: Facts, language: Language, edition: Edition) -> Section | None:
    """The leaves of the diagram; None where nothing was graded."""
    leaves = facts.items(_FILE, "leaves")
    if not leaves:
        return None
    tell = Teller(facts, language, edition)
    say = language.say
    head = [
        say("No."),
        say("Indicator"),
        say("Found"),
        say("Position, 0–100 %"),
        say("Points of score"),
        say("of privacy"),
        say("of utility"),
        say("Standing"),
        say("From"),
    ]
    rows = tuple(_row(tell, at, leaf) for at, leaf in enumerate(leaves))
    words = tell.say(
        "The points say what the score, privacy or utility would gain if the indicator moved over its whole scale; "
        "those of a missing one are shared by the others."
    )
    grid = Grid(say("Indicators that lead to the criteria"), tuple(head), rows)
    return Section(KEY, title_of(KEY, language), (Paragraph(words), grid))


def _row(tell: Teller, at: int, leaf: dict[str, object]) -> tuple[Inline, ...]:
    place = (_FILE, "leaves", at)
    source = leaf.get("source")
    return (
        (str(leaf["leaf"]),),
        (tell.named(leaf),),
        tell.cell(*place, "value", unit=str(leaf.get("unit") or "")),
        tell.cell(*place, "position", percent=True, digits=3),
        *(tell.cell(*place, name, digits=3) for name in ("sensitivity", "privacy_sensitivity", "utility_sensitivity")),
        tell.stored(leaf["standing"]),
        tell.stored(source) if source else NOTHING,
    )

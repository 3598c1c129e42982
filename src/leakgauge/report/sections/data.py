"""The table, its columns and their roles: names and counts, never a value."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import Language
from leakgauge.report.document import Block, Edition, Grid, Inline, Paragraph, Section
from leakgauge.report.facts import Facts
from leakgauge.report.sections.telling import Own, Teller
from leakgauge.report.sections.titles import title_of

KEY = "data"


def section(facts: Facts, language: Language, edition: Edition) -> Section | None:
    """The data and the roles of its columns; None where neither is known."""
    tell = Teller(facts, language, edition)
    blocks = tuple(_blocks(tell))
    return Section(KEY, title_of(KEY, language), blocks) if blocks else None


def _blocks(tell: Teller) -> Iterator[Block]:
    facts, say = tell.facts, tell.language.say
    rows = [*_table(tell)]
    if rows:
        yield Grid(say("The table"), (say("What"), say("Value")), tuple(rows))
    kinds = facts.items("job.json", "table", "columns")
    if kinds:
        head = (say("Column"), say("Kind of values"), say("Role"))
        roles = tuple(
            ((str(Own(str(one["name"]))),), tell.stored(one["kind"]), (_role(tell, str(one["name"])),)) for one in kinds
        )
        yield Grid(say("Columns"), head, roles)
    elif facts.has("release.json"):
        yield Paragraph(tell.say("Protected: {columns}.", columns=tell.listed(tell.secret)))
        plain, binned = tell.public
        yield Paragraph(tell.say("Released as they are: {columns}.", columns=tell.listed(plain)))
        if binned:
            yield Paragraph(tell.say("Released in bins: {columns}.", columns=tell.listed(binned)))
    if rows or kinds:
        yield Paragraph(_values(tell), "note")


def _values(tell: Teller) -> Inline:
    if tell.external:
        return tell.say("No value of any row is in this report.")
    return tell.say(
        "No row is in this report, but values of the secret are: those that reach a guarantee, and those of pictures."
    )


def _table(tell: Teller) -> Iterator[tuple[Inline, Inline]]:
    facts, say = tell.facts, tell.language.say
    if facts.has("job.json", "table", "name"):
        yield (say("name"),), (str(facts.get("job.json", "table", "name")),)
    if facts.has("job.json", "table", "rows"):
        yield (say("number of rows"),), (facts.number("job.json", "table", "rows", count=True),)
    letters = {"secret": say("different values of the secret"), "background": say("combinations of the background")}
    for role, said in letters.items():
        if facts.has("measurement.json", "letters", role):
            yield (said,), (facts.number("measurement.json", "letters", role),)
    if tell.bins:
        yield (say("bins, which count as values here"),), (str(tell.listed(tell.bins)),)
    if facts.has("job.json", "table", "bytes"):
        yield (say("bytes"),), (facts.number("job.json", "table", "bytes"),)
    if facts.has("job.json", "table", "sha256"):
        yield (say("digest (SHA-256)"),), (str(facts.get("job.json", "table", "sha256")),)


def _role(tell: Teller, column: str) -> str:
    facts, say = tell.facts, tell.language.say
    if column in tell.secret:
        return say("secret, protected") if tell.released else say("secret")
    known = column in facts.names("measurement.json", "background")
    plain, binned = tell.public
    if column in plain:
        return say("background, released as it is") if known else say("public, released as it is")
    if column in binned:
        return say("background, released in bins") if known else say("public, released in bins")
    if known:
        return say("background, not released") if tell.released else say("background")
    return say("public") if column in facts.names("job.json", "asked", "public") else say("withheld")

"""Which columns name people, which single them out together, and what each tells of a secret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leakgauge.artefacts.survey import Survey, SurveyedColumn, Told
from leakgauge.report.document import Content, Inline
from leakgauge.report.sections.bits import bits
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import NOTHING, ROWS, Cell, Teller, own


def survey(tell: Teller) -> Iterator[Content]:
    """What a survey of the table found, where there is one; everybody may know the groups of public columns alone."""
    found = tell.dossier.survey
    if found is None:
        return
    yield from _published(tell, found)
    if not tell.external:
        yield from (
            *_columns(tell, found),
            *(one for each in tell.each for one in pictures(each, "telling")),
            *_combinations(tell, found),
        )


def _published(tell: Teller, found: Survey) -> Iterator[Content]:
    together = found.published
    if together is not None:
        yield tell.say(
            "By the public columns together ({columns}) the rows fall into groups: {groups}. Rows, or persons, in the "
            "smallest: {smallest}; unique rows: {alone}.",
            columns=tell.listed(together.columns),
            groups=tell.number(together, "groups"),
            smallest=tell.number(together, "smallest", count=True),
            alone=tell.number(together, "alone", count=True),
        )


def _columns(tell: Teller, found: Survey) -> Iterator[Content]:
    yield from tell.grid(
        "Every column, the most revealing first",
        "Column|Kind of values|Different values|Missing|Unique rows|Identifies people|Reveals about the "
        "secrets|Suggested role",
        (_column(tell, one) for one in found.columns),
    )
    sampled = tell.number(found, "sampled", unit=ROWS, count=True)
    if found.sampled != found.rows:
        yield tell.note("What the columns reveal was counted on {sampled} drawn at random.", sampled=sampled)


def _column(tell: Teller, column: SurveyedColumn) -> Iterator[Cell]:
    say = tell.language.say
    yield from (own(column.name), tell.told(column.kind))
    for name in ("distinct", "missing", "alone"):
        yield tell.number(column, name, count=True)
    if column.identifier is not None:
        yield tell.told(column.identifier)
    elif column.free_text:
        yield say("free text")
    else:
        yield say("together with others") if column.singles_out else say("no")
    yield _tells(tell, column.tells)
    yield say("{role!s}: {reason!s}", role=tell.told(column.suggested.value), reason=tell.told(column.reason))


def _tells(tell: Teller, found: Sequence[Told]) -> Inline:
    """What a column tells of each secret of which it tells more than chance does."""
    said = [
        tell.say(
            "{secret}: {bits}, guessed right {success}",
            secret=own(one.secret),
            bits=bits(tell, one.information, exact=one.information.low is None),
            success=tell.number(one.success, "value", percent=True),
        )
        for one in found
        if one.significant
    ]
    between = tell.language.say("; ")
    nothing = tell.say("nothing beyond chance") if found else (NOTHING,)
    return tuple(part for one in said for part in (*one, between))[:-1] or nothing


def _combinations(tell: Teller, found: Survey) -> Iterator[Content]:
    if not found.combinations:
        yield tell.say("No combination of up to three columns has many unique rows.")
    yield from tell.grid(
        "The smallest sets of columns in which many rows are unique",
        "Columns|Groups|Unique rows|Rows, or persons, in the smallest group",
        (
            (
                tell.listed(one.columns),
                tell.number(one, "groups"),
                tell.number(one, "alone", count=True),
                tell.number(one, "smallest", count=True),
            )
            for one in found.combinations
        ),
    )

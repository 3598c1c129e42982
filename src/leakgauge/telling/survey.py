"""Which columns name people, which single them out together, and what each tells of a secret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leakgauge.artefacts.survey import Survey, SurveyedColumn, Told
from leakgauge.telling.bits import bits
from leakgauge.telling.blocks import Content, Inline
from leakgauge.telling.pictures import pictures
from leakgauge.telling.voice import NOTHING, ROWS, Cell, Voice, own


def survey(voice: Voice) -> Iterator[Content]:
    """What a survey of the table found, where there is one; everybody may know the groups of public columns alone."""
    found = voice.dossier.survey
    if found is None:
        return
    yield from _published(voice, found)
    if not voice.external:
        yield from (
            *_columns(voice, found),
            *(one for each in voice.each for one in pictures(each, "telling")),
            *_combinations(voice, found),
        )


def _published(voice: Voice, found: Survey) -> Iterator[Content]:
    together = found.published
    if together is not None:
        yield voice.say(
            "All public columns together ({columns}) form {groups} groups. The smallest has {smallest} rows "
            "or people; {alone} rows are unique.",
            columns=voice.listed(together.columns),
            groups=voice.number(together, "groups"),
            smallest=voice.number(together, "smallest", count=True),
            alone=voice.number(together, "alone", count=True),
        )


def _columns(voice: Voice, found: Survey) -> Iterator[Content]:
    yield from voice.grid(
        "Every column, the most revealing first",
        "Column|Kind of values|Different values|Missing|Unique rows|Identifies people|Reveals about the "
        "secrets|Suggested role",
        (_column(voice, one) for one in found.columns),
    )
    sampled = voice.number(found, "sampled", unit=ROWS, count=True)
    if found.sampled != found.rows:
        yield voice.note("What the columns reveal was measured on {sampled} chosen at random.", sampled=sampled)


def _column(voice: Voice, column: SurveyedColumn) -> Iterator[Cell]:
    say = voice.language.say
    yield from (own(column.name), voice.told(column.kind))
    for name in ("distinct", "missing", "alone"):
        yield voice.number(column, name, count=True)
    if column.identifier is not None:
        yield voice.told(column.identifier)
    elif column.free_text:
        yield say("free text")
    else:
        yield say("only in combination with other columns") if column.singles_out else say("no")
    yield _tells(voice, column.tells)
    yield say("{role!s}: {reason!s}", role=voice.told(column.suggested.value), reason=voice.told(column.reason))


def _tells(voice: Voice, found: Sequence[Told]) -> Inline:
    """What a column tells of each secret of which it tells more than chance does."""
    said = [
        voice.say(
            "{secret}: {bits}, guessed correctly {success}",
            secret=own(one.secret),
            bits=bits(voice, one.information, exact=one.information.low is None),
            success=voice.number(one.success, "value", percent=True),
        )
        for one in found
        if one.significant
    ]
    between = voice.language.say("; ")
    nothing = voice.say("no more than chance") if found else (NOTHING,)
    return tuple(part for one in said for part in (*one, between))[:-1] or nothing


def _combinations(voice: Voice, found: Survey) -> Iterator[Content]:
    if not found.combinations:
        yield voice.say("No combination of up to three columns has many unique rows.")
    yield from voice.grid(
        "Combinations of columns that single people out",
        "Columns|Groups|Unique rows|Rows, or persons, in the smallest group",
        (
            (
                voice.listed(one.columns),
                voice.number(one, "groups"),
                voice.number(one, "alone", count=True),
                voice.number(one, "smallest", count=True),
            )
            for one in found.combinations
        ),
    )

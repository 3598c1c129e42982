"""Which columns name people, which single them out together, and what each tells of a secret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from leakgauge.artefacts.quantity import SHARE, Quantity
from leakgauge.artefacts.survey import Combination, Suggested, Survey, SurveyedColumn, Told
from leakgauge.telling.bits import bits
from leakgauge.telling.blocks import Content, Inline, text_of, unprinted
from leakgauge.telling.data import role
from leakgauge.telling.voice import NOTHING, ROWS, Cell, Plain, Voice, own

_LISTED: Final = 20
_SHOWN: Final = 12
"""Combinations of a survey that stands by itself; the file has them all."""
_PRINTED: Final = 6
"""Combinations that a report prints."""


def survey(voice: Voice) -> Iterator[Content]:
    """What a survey of the table found, where there is one; everybody may know the groups of public columns alone."""
    found = voice.dossier.survey
    if found is None:
        return
    yield from published(voice, found)
    if not voice.external:
        yield from _with_roles(voice, found)
        yield from unprinted(columns(voice, found))
        yield from combinations(voice, found.combinations[:_PRINTED])
        yield from unprinted(more_combinations(voice, found.combinations[_PRINTED:]))


def surveyed(voice: Voice, found: Survey) -> Iterator[Content]:
    """A survey that stands by itself, before any job."""
    table, rows = own(found.table or voice.language.say("the table")), voice.number(found, "rows", unit=ROWS)
    yield voice.say("{rows} of {table}", rows=rows, table=table)
    yield from columns(voice, found, short=True)
    named = [one.name for one in found.columns if one.identifier is not None]
    if named:
        yield voice.alarm("These columns identify people; do not publish them: {columns}.", columns=voice.listed(named))
    yield from (*combinations(voice, found.combinations[:_SHOWN]), *published(voice, found))


def published(voice: Voice, found: Survey) -> Iterator[Content]:
    """How the public columns together single rows out."""
    together = found.published
    if together is not None:
        yield voice.say(
            "All public columns together ({columns}) form {groups} groups. The smallest has {smallest} rows "
            "or people; {alone} rows are unique.",
            columns=voice.listed(together.columns),
            groups=voice.number(together, "groups"),
            **voice.fields(together, "smallest", "alone", count=True),
        )


def columns(voice: Voice, found: Survey, *, short: bool = False) -> Iterator[Content]:
    """A line for every column; without its kind, and how it identifies people, where it is to be short."""
    rows = [tuple(_column(voice, one, bool(found.secrets))) for one in found.columns]
    if short:
        yield from voice.grid(
            "Every column, the most revealing first",
            "Column|Different values|Missing|Unique rows|Reveals about the secrets|Suggested role",
            ((name, *counts, tells, role) for name, _, *counts, _, tells, role in rows),
        )
    else:
        yield from voice.grid(
            "Every column, the most revealing first",
            "Column|Kind of values|Different values|Missing|Unique rows|Identifies people|Reveals about the "
            "secrets|Suggested role",
            rows,
        )
    sampled = voice.number(found, "sampled", unit=ROWS, count=True)
    if found.sampled != found.rows:
        yield voice.note("What the columns reveal was measured on {sampled} chosen at random.", sampled=sampled)


def _with_roles(voice: Voice, found: Survey) -> Iterator[Content]:
    """A line for every column: what it is in this job, how many people it singles out, and what it reveals."""
    say, secrets = voice.language.say, {told.secret for one in found.columns for told in one.tells}
    head = ["Column", "Role", "Different values", "Missing", "Unique rows", "Identifies people"]
    reveals = [say("Reveals about the secrets")]
    if len(secrets) == 1:
        secret = own(*secrets)
        reveals = [say("Bits of {secret}", secret=secret), say("{secret} guessed correctly", secret=secret)]
    named = [*map(say, head), *reveals]
    rows = (
        (
            own(one.name),
            role(voice, one.name),
            *_counts(voice, one),
            _identifies(voice, one),
            *(_tells_of_one(voice, one.tells) if len(reveals) == 2 else (_tells(voice, one.tells),)),
        )
        for one in found.columns
    )
    yield from voice.grid("Columns and their roles, the most revealing first", [*map(Plain, named)], rows)


def _tells_of_one(voice: Voice, found: Sequence[Told]) -> tuple[Cell, Cell]:
    """What a column tells of the only secret: bits, and how often it is guessed."""
    said = next((one for one in found if one.significant), None)
    if said is None:
        return (voice.language.say("no more than chance") if found else NOTHING, NOTHING)
    return _bits_told(voice, said), voice.number(said.success, "value", percent=True)


def _bits_told(voice: Voice, found: Told) -> Inline:
    return bits(voice, found.information, exact=found.information.low is None)


def _column(voice: Voice, column: SurveyedColumn, secrets: bool) -> Iterator[Cell]:
    say = voice.language.say
    yield from (own(column.name), voice.told(column.kind))
    yield from _counts(voice, column)
    singles_out = column.singles_out and column.identifier is None and not column.free_text
    yield say("only in combination with other columns") if singles_out else _identifies(voice, column)
    yield _tells(voice, column.tells)
    reason = voice.told(column.reason)
    # What reveals little is not known before there is a secret.
    known = secrets or column.suggested is not Suggested.PUBLIC
    yield say("{role!s}: {reason!s}", role=voice.told(column.suggested.value), reason=reason) if known else reason


def _counts(voice: Voice, column: SurveyedColumn) -> Iterator[Cell]:
    return (voice.number(column, name, count=True) for name in ("distinct", "missing", "alone"))


def _identifies(voice: Voice, column: SurveyedColumn) -> str:
    """How a column identifies people, in the fewest words."""
    say = voice.language.say
    if column.identifier is not None:
        return voice.told(column.identifier)
    if column.free_text:
        return say("free text")
    return say("with other columns") if column.singles_out else say("no")


def _tells(voice: Voice, found: Sequence[Told]) -> Inline:
    """What a column tells of each secret of which it tells more than chance does."""
    said = [
        voice.say(
            "{secret}: {bits}, guessed correctly {success}",
            secret=own(one.secret),
            bits=_bits_told(voice, one),
            success=voice.number(one.success, "value", percent=True),
        )
        for one in found
        if one.significant
    ]
    between = voice.language.say("; ")
    nothing = voice.say("no more than chance") if found else (NOTHING,)
    return tuple(part for one in said for part in (*one, between))[:-1] or nothing


def shape_of(voice: Voice, ranges: bool, bars: Sequence[float], missing: int) -> dict[str, str]:
    """What a small histogram of a column shows, of ranges or of values, and how many values are missing."""
    say, shape = voice.language.say, ""
    if ranges:
        shape = say("Shape: {number:,} ranges of equal width", number=len(bars))
    elif bars:
        commonest = voice.number(Quantity(bars[0], SHARE))
        shape = text_of(voice.say("The most frequent value is in {share} of the rows", share=commonest), voice.language)
    return {"shape": shape, "lacking": say("{number:,} missing", number=missing) if missing else ""}


def identifying(voice: Voice, found: Sequence[SurveyedColumn]) -> Iterator[Content]:
    """The warning of columns that identify people, or may."""
    if found:
        yield voice.alarm(
            "These columns identify people, or may: {columns}. Better not publish them.",
            columns=voice.listed(one.name for one in found[:_LISTED]),
        )


def combinations(voice: Voice, found: Sequence[Combination]) -> Iterator[Content]:
    """The smallest sets of columns that single people out."""
    if not found:
        yield voice.say("No combination of up to three columns has many unique rows.")
    yield from more_combinations(voice, found)


def more_combinations(voice: Voice, found: Sequence[Combination]) -> Iterator[Content]:
    """A table of such sets; none where there are none."""
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
            for one in found
        ),
    )

"""All instruments item by item: answered for a file, and as the annex that an officer walks through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

import msgspec

from leakgauge.artefacts.clauses import (
    DEGREES,
    AnsweredInstrument,
    AnsweredItem,
    Clauses,
    Degree,
    Instrument,
    Item,
    Line,
    Status,
)
from leakgauge.artefacts.dossier import Dossier
from leakgauge.languages import message
from leakgauge.telling.blocks import Content, Inline, Number
from leakgauge.telling.clauses.answers import ANSWERS
from leakgauge.telling.clauses.catalogue import INSTRUMENTS, by_default
from leakgauge.telling.clauses.level import effect_level, likelihood, matrix, risk
from leakgauge.telling.clauses.lines import LINES, declared_to
from leakgauge.telling.clauses.recording import Recorder, sentence_of
from leakgauge.telling.columns import asked_of
from leakgauge.telling.shown import Shown
from leakgauge.telling.voice import NOTHING, Plain, Voice, own

_ROOM: Final = 12
"""Letters of a line to write on in a narrow column."""


@dataclass(frozen=True)
class Walk:
    """What people chose and said of an assessment.

    Attributes:
        declared: what they said; lines that nobody filled in are absent.
        own: instruments of their own.
        printed: the keys of the instruments that the report has; empty where its language decides.
    """

    declared: tuple[Line, ...] = ()
    own: tuple[Instrument, ...] = ()
    printed: tuple[str, ...] = ()


def answered(dossier: Dossier, walk: Walk, languages: Iterable[str]) -> Clauses:
    """Every instrument with what a dossier answers, for a report in these languages."""
    asked = None if dossier.job is None else dossier.job.asked
    # What was declared to the job since is what holds.
    declared = tuple(one for one in walk.declared if one.key not in declared_to(asked))
    unanswered = Clauses((), declared, walk.own, walk.printed or by_default(languages))
    voice = Voice(Shown(msgspec.structs.replace(dossier, clauses=unanswered)))
    recorder = Recorder.on(voice)
    printed = [one.key for one in _printed(voice)]
    instruments = tuple(
        AnsweredInstrument(
            one.key,
            one.name,
            one.chinese,
            one.jurisdiction,
            one.status,
            one.key in printed,
            tuple(_answered(voice, recorder, item) for item in one.items),
        )
        for one in (*INSTRUMENTS, *walk.own)
    )
    severity, likely = _severity(voice), likelihood(voice)
    return msgspec.structs.replace(
        unanswered,
        printed=walk.printed,
        instruments=instruments,
        open=len(_open(voice)),
        likelihood=likely,
        severity=severity,
        risk=None if severity is None or likely is None else risk(severity, likely),
        effect_level=effect_level(voice).level,
    )


def _answered(voice: Voice, recorder: Recorder, item: Item) -> AnsweredItem:
    numbers = [part for said in _answers(voice, item) for part in said if isinstance(part, Number)]
    lines = tuple(Line(key, _declared(voice).get(key)) for key in item.lines)
    return AnsweredItem(
        item.key,
        item.name,
        item.chinese,
        tuple(map(sentence_of, _answers(recorder, item))),
        tuple(dict.fromkeys(number.source for number in numbers)),
        lines,
        any(line.declared is None for line in lines),
    )


def clauses(voice: Voice) -> Iterator[Content]:
    """The annex: of each instrument its items, what the job answers, and what is to be filled in."""
    if voice.external:
        return
    printed = _printed(voice)
    yield voice.say(
        "Item by item: what this job answers, and what people must add. The items are in our own words, and nothing "
        "here claims conformity."
    )
    for status, template in (
        (Status.READ, message("Based on the full text: {names}.")),
        (
            Status.SUMMARY,
            message("Based on tables of contents and summaries only, so check the items against the text: {names}."),
        ),
        (Status.OWN, message("From files of your own: {names}.")),
    ):
        names = [_name(voice, one) for one in printed if one.status is status]
        if names:
            yield voice.say(template, names=Plain(voice.language.listed(names)))
    for one in printed:
        rows = ((_name(voice, item), _cell(voice, _answers(voice, item)), _lines(voice, item)) for item in one.items)
        yield from voice.grid(_name(voice, one), "Item|What the job answers|Declared, or to be filled in", rows)
    yield from matrix(voice, _severity(voice))
    left = _open(voice)
    if left:
        yield voice.say(
            "Answers left for you to fill in: {count}. leakgauge report … --assessment-form FILE writes a form for "
            "them, and --assessment FILE reads it.",
            count=_count(voice, len(left)),
        )
    others = [one.key for one in INSTRUMENTS if one not in printed]
    if others:
        yield voice.note("--clauses prints others: {names}.", names=voice.listed(others))


def _count(voice: Voice, open_answers: int) -> Number | Plain:
    """How many answers are left; from the file, where there is one."""
    found = voice.dossier.clauses
    return own(str(open_answers)) if found is None or not found.instruments else voice.number(found, "open")


def _printed(voice: Voice) -> tuple[Instrument, ...]:
    """The instruments that the report has."""
    found = voice.dossier.clauses
    every = (*INSTRUMENTS, *(() if found is None else found.own))
    keys = () if found is None else found.printed
    if not keys:
        answered = () if found is None else found.instruments
        keys = tuple(one.key for one in answered if one.printed) or by_default((voice.language.code,))
    return tuple(one for key in keys for one in every if one.key == key)


def _name(voice: Voice, named: Instrument | Item) -> str:
    """What it is called; a user's own may have a Chinese name of its own."""
    if named.chinese is not None and voice.language.code == "zh":
        return named.chinese
    return voice.language.say(named.name)


def _answers(voice: Voice, item: Item) -> list[Inline]:
    """What the job answers to an item, sentence by sentence; that it does not, where it should."""
    said = [one for name in item.answers if name in ANSWERS for one in ANSWERS[name](voice)]
    return said or ([voice.say("Nothing in this job answers it.")] if item.answers and not item.lines else [])


def _cell(voice: Voice, said: Sequence[Inline]) -> Inline:
    # Chinese sentences stand together without spaces.
    return reduce(lambda told, more: voice.say("{said} {more}", said=told, more=more), said) if said else (NOTHING,)


def _lines(voice: Voice, item: Item) -> Inline:
    """The lines of an item, each with what was declared or room to write."""
    filled = []
    for key in item.lines:
        said = _declared(voice).get(key)
        line = own("_" * _ROOM if said is None else said)
        # An item of the user's own names what is to be said by itself.
        what = voice.language.say(LINES[key]) if key in LINES else voice.language.say("answer")
        filled.append(voice.say("{what}: {line}", what=what, line=line))
    parts = [part for one in filled for part in (*one, voice.language.say("; "))][:-1]
    return tuple(parts) or (NOTHING,)


def _declared(voice: Voice) -> Mapping[str, str]:
    """What people declared, by the line: to the job, or in a file of their own."""
    found = voice.dossier.clauses
    said = {line.key: line.declared for line in (() if found is None else found.declared) if line.declared is not None}
    return {**said, **declared_to(asked_of(voice))}


def _open(voice: Voice) -> set[str]:
    """The lines of the printed items that nobody filled in."""
    return {key for one in _printed(voice) for item in one.items for key in item.lines} - _declared(voice).keys()


def _severity(voice: Voice) -> Degree | None:
    said = _declared(voice).get("severity")
    # A file may come from another version.
    return Degree(said) if said in DEGREES else None

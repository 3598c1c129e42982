"""What the risks of a release propose: a likelihood, with a severity a risk, and a level of GB/T 42460."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from leakgauge.artefacts.clauses import Degree
from leakgauge.artefacts.verdict import Judgement, PolicyLine
from leakgauge.languages import message
from leakgauge.telling.blocks import Content, Inline
from leakgauge.telling.columns import asked_of, published_columns
from leakgauge.telling.scores import judged_by
from leakgauge.telling.voice import Cell, Voice

DEGREE_NAMES: Final = {
    Degree.LOW: message("low"),
    Degree.MEDIUM: message("medium"),
    Degree.HIGH: message("high"),
}
_LIMITS: Final = ("max_alone", "max_linked", "max_surest")
"""The limits of singling out, linking and inferring."""
_WELL_BELOW: Final = 0.5
"""The part of its limit below which a risk makes harm unlikely."""


def likelihood(voice: Voice) -> Degree | None:
    """High where a risk misses its limit, is not limited or the release is vetoed; low where every one is at most half
    its limit; else medium. None where nothing was released or judged."""
    found = judged_by(voice)
    if found is None or not voice.released:
        return None
    if not _within_limits(found):
        return Degree.HIGH
    low = all(one.found is not None and one.found <= _WELL_BELOW * one.limit for one in _lines(found))
    return Degree.LOW if low else Degree.MEDIUM


def _within_limits(found: Judgement) -> bool:
    """Whether every risk has a limit and keeps it, that of every secret too."""
    kept = bool(found.risks) and all(one.met for one in found.risks)
    return kept and not found.vetoes and all(one.holds for one in _lines(found))


def _lines(found: Judgement) -> list[PolicyLine]:
    """The limits of the three risks that apply: where nothing is published, nobody is alone or found by it."""
    return [one for one in found.policy if one.name in _LIMITS]


def risk(severity: Degree, likely: Degree) -> Degree:
    """What a severity and a likelihood come to: low if both are at most one step above low in sum, high from three."""
    order = list(Degree)
    steps = order.index(severity) + order.index(likely)
    return order[max(0, min(steps - 1, 2))]


def matrix(voice: Voice, severity: Degree | None) -> Iterator[Content]:
    """Severity and likelihood in a table of nine, with the place of this release."""
    likely, say = likelihood(voice), voice.language.say
    if likely is None:
        return

    def cell(hard: Degree, often: Degree) -> Cell:
        name = say(DEGREE_NAMES[risk(hard, often)])
        if often is not likely or severity not in (None, hard):
            return name
        return voice.say(message("○ {risk}") if severity is None else message("● {risk}"), risk=name)

    rows = ((say(DEGREE_NAMES[hard]), *(cell(hard, often) for often in Degree)) for hard in Degree)
    yield from voice.grid(
        "Risk by severity and likelihood", "Severity|Likelihood: low|Likelihood: medium|Likelihood: high", rows
    )
    yield voice.note(
        "Likelihood is high where a limit of singling out, linking or inferring is missed or not set,"
        " low where each risk is at most half its limit, and medium otherwise. Severity is for you to"
        " say. ● marks this release; while no severity is stated, ○ marks where it would stand with "
        "each."
    )


@dataclass(frozen=True)
class EffectLevel:
    """A level of GB/T 42460 with its reason; None where none can be proposed."""

    level: int | None
    reason: Inline


def effect_level(voice: Voice) -> EffectLevel:
    """The level that the release proposes; level 4 is for counts, which no job releases yet."""
    found = judged_by(voice)
    if not voice.released:
        return EffectLevel(None, voice.say("No level is proposed: nothing was released."))
    if voice.foreign is not None or voice.dossier.survey is None:
        # Err towards privacy: a name may be among columns that nobody looked at.
        said = voice.say("No level is proposed: nobody looked for columns that identify people by themselves.")
        return EffectLevel(None, said)
    identify = [one for one in _identifiers(voice) if one in published_columns(voice)]
    if identify:
        columns = voice.listed(identify)
        return EffectLevel(
            1, voice.say("Level 1 is proposed: {columns} identify people and are published.", columns=columns)
        )
    if found is None or not _within_limits(found):
        said = voice.say(
            "Level 2 is proposed: no column that identifies people by itself is published, but not every risk is known "
            "to be within its limit."
        )
        return EffectLevel(2, said)
    said = voice.say(
        "Level 3 is proposed: no column that identifies people by itself is published, and singling out, linking and "
        "inferring are within their limits."
    )
    return EffectLevel(3, said)


def _identifiers(voice: Voice) -> Iterator[str]:
    asked, survey = asked_of(voice), voice.dossier.survey
    yield from () if asked is None else asked.accept_unique
    yield from (one.name for one in (() if survey is None else survey.columns) if one.identifier is not None)

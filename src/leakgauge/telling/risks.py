"""The three risks of a release in people, the attackers that they are of, and what was not checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from leakgauge.artefacts.report import Paragraph, Points
from leakgauge.artefacts.risks import Risk, RiskKind
from leakgauge.artefacts.scores import Attacker, AttackerName
from leakgauge.artefacts.verdict import Judgement
from leakgauge.languages import message
from leakgauge.telling.blocks import Content, Inline
from leakgauge.telling.voice import NOTHING, Cell, Plain, Voice, own

_WHAT: Final = {
    RiskKind.SINGLING_OUT: message("Singling out: people who are alone in the published columns"),
    RiskKind.LINKING: message("Linking: people whose row is found by the published columns"),
    RiskKind.INFERRING: message("Inferring: people whose value is guessed correctly"),
}
_LIMITS: Final = {
    RiskKind.SINGLING_OUT: message("at most {limit} alone"),
    RiskKind.LINKING: message("at most {limit} beyond doubt"),
    RiskKind.INFERRING: message("surest at most {limit}"),
}
_ATTACKERS: Final = {
    AttackerName.KNOWS_THE_ROW: message("knows which row is whose"),
    AttackerName.KNOWS_ALL_ROWS: message("knows which rows are a person's"),
    AttackerName.KNOWS_EVERYBODY_ELSE: message("knows everybody else"),
    AttackerName.KNOWS_COLUMNS: message("finds rows by the published columns"),
    AttackerName.KNOWS_THE_ORDER: message("uses the order of the rows"),
    AttackerName.HAS_EARLIER_RELEASES: message("has the earlier releases too"),
}


def risks(voice: Voice, found: Judgement) -> Iterator[Content]:
    """Each risk before the release and with it, its limit, and whose it is."""
    rows = (
        (voice.say(_WHAT[one.kind]), *_people(voice, one), _limit(voice, one), _whose(voice, one))
        for one in found.risks
    )
    yield from voice.grid("Risks to people", "Risk|Before|With the release|Limit|Attacker", rows)


def _people(voice: Voice, one: Risk) -> tuple[Cell, Cell]:
    before: Cell = NOTHING if one.before is None else voice.number(one.before, "value", count=True, digits=_HEADS)
    if one.after is None:
        return before, voice.say("not known")
    after = voice.number(one.after, "value", count=True, digits=_HEADS)
    return before, voice.say(
        "{after} of {people}", after=after, people=voice.number(one.of, "value", count=True, digits=_HEADS)
    )


_HEADS: Final = 12
"""Digits of a head count: all of them."""


def _limit(voice: Voice, one: Risk) -> Cell:
    if one.limit is None or one.met is None:
        return NOTHING
    is_share = one.kind is not RiskKind.INFERRING
    limit = voice.number(one, "limit", percent=is_share) if is_share else own(f"{100 * one.limit:g}")
    said = voice.say(_LIMITS[one.kind], limit=limit)
    met = voice.say("met") if one.met else voice.say("NOT MET")
    by = one.surest_of
    if by is not None and (by.name, by.knows) != (one.attacker, one.knows):
        return voice.say("{limit}: {met} ({who})", limit=said, met=met, who=attacker(voice, by))
    return voice.say("{limit}: {met}", limit=said, met=met)


def _whose(voice: Voice, one: Risk) -> Cell:
    return attacker(voice, Attacker(one.knows, name=one.attacker))


def attacker(voice: Voice, one: Attacker) -> Inline:
    """An attacker in words: what she finds, and what she knows."""
    who = voice.say(_ATTACKERS[one.name])
    if not one.knows:
        return who
    return voice.say("{who}; knows {columns}", who=who, columns=voice.listed(one.knows))


def by_attacker(voice: Voice, found: Judgement, secret: str) -> Iterator[Content]:
    """What each attacker gains, where there are several kinds of them."""
    tried = found.evidence[secret].attackers if secret in found.evidence else ()
    if len({one.name for one in tried}) < 2:
        return
    rows = (
        (
            attacker(voice, one),
            voice.listed(one.links) if one.links else NOTHING,
            *(voice.cell(one, name, "value", percent=True, digits=3) for name in ("gained", "told", "surest")),
        )
        for one in tried
    )
    yield from voice.grid(
        "What each attacker gains",
        "Attacker|Finds rows by|Share of wrong guesses made right|Share of the uncertainty removed|How much surer",
        rows,
    )


def unchecked(voice: Voice, found: Judgement) -> Iterator[Content]:
    """What nobody checked, so that whoever signs knows."""
    said = list[Inline]()
    tried = [each for one in found.evidence.values() for each in one.attackers]
    if all(one.name is not AttackerName.HAS_EARLIER_RELEASES for one in tried):
        said.append(voice.say("Other releases of the same people: none was named, so none was counted."))
    else:
        said.append(voice.say("Releases other than those listed under earlier releases."))
    known = {name for one in tried for name in one.knows}
    if known:
        said.append(voice.say("Attackers who know more than {columns}.", columns=voice.listed(sorted(known))))
    else:
        said.append(voice.say("Attackers who know something of a person beforehand: no background was declared."))
    if found.facts.sensitivity is None:
        said.append(voice.say("How sensitive the data are, which nobody stated."))
    said.append(voice.say("Whether there is a legal basis for the release."))
    if found.left_out:
        names = voice.listed(found.left_out)
        said.append(voice.say("Limits of the default policy that yours does not set: {names}.", names=names))
    yield Paragraph("note", voice.say("What was not checked:"))
    yield Points(numbered=False, items=tuple(said))
    for one in found.assumes:
        yield voice.note("Condition of this verdict: {assumed}.", assumed=Plain(voice.told(one)))

"""The three risks of a release in people, the attackers that they are of, and what was not checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from leakgauge.artefacts.report import Paragraph, Points, Tile, Tiles
from leakgauge.artefacts.risks import Risk, RiskKind
from leakgauge.artefacts.scores import Attacker, AttackerName
from leakgauge.artefacts.verdict import Judgement
from leakgauge.languages import message
from leakgauge.rounding import at_most
from leakgauge.telling.blocks import Content, Inline, Number
from leakgauge.telling.voice import NOTHING, Plain, Voice, own

_NAMES: Final = {
    RiskKind.SINGLING_OUT: message("Singling out"),
    RiskKind.LINKING: message("Linking"),
    RiskKind.INFERRING: message("Inferring"),
}
_WHAT: Final = {
    RiskKind.SINGLING_OUT: message("are alone in the published columns; before: {before}."),
    RiskKind.LINKING: message("have their row found by the published columns; before: {before}."),
    RiskKind.INFERRING: message("have their {secret} guessed correctly; before: {before}."),
}
_WHAT_OF_ONE: Final = {
    RiskKind.SINGLING_OUT: message("is alone in the published columns; before: {before}."),
    RiskKind.LINKING: message("has their row found by the published columns; before: {before}."),
    RiskKind.INFERRING: message("has their {secret} guessed correctly; before: {before}."),
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
    """Each risk in people, with the release and before it, whose it is, and whether its limit is met."""
    tiles = tuple(
        Tile(
            voice.language.say(_NAMES[one.kind]),
            _people(voice, one),
            (*_what(voice, one), *voice.say(" Attacker: {who}.", who=attacker(voice, _attacker_of(one)))),
            _limit(voice, one),
            one.met if one.limit is not None else None,
        )
        for one in found.risks
    )
    if tiles:
        yield Tiles(voice.language.say("Risks to people"), tiles)


def risk_in_people(voice: Voice, found: Judgement) -> Iterator[Content]:
    """The weightiest risk in a sentence: whoever becomes all but certain first, then what misses its limit."""
    one = max(found.risks, key=_weight, default=None)
    if one is None:
        return
    if one.kind is not RiskKind.INFERRING:
        yield _found_by_columns(voice, one)
    elif _becomes_certain(one):
        yield _certain(voice, one)
    elif one.before is not None and one.after is not None:
        template = message(
            "An attacker guesses the {secret} of {after} of {of} people correctly with this release, and of {before} "
            "without it."
        )
        if one.certain is not None:
            template = message(
                "An attacker guesses the {secret} of {after} of {of} people correctly with this release, and of "
                "{before} without it; nobody's can be guessed with 90% certainty or more because of it."
            )
        yield voice.say(template, secret=voice.listed(one.secret), **_heads(voice, one, "after", "of", "before"))


def _weight(one: Risk) -> tuple[bool, int]:
    """What is learnt of people weighs more than that they are found, and that more than that they could be."""
    order = (RiskKind.SINGLING_OUT, RiskKind.LINKING, RiskKind.INFERRING)
    return one.met is False or _becomes_certain(one), order.index(one.kind)


def _becomes_certain(one: Risk) -> bool:
    """Whether there is somebody whose value becomes all but certain by the release."""
    certain = one.certain
    return certain is not None and round(certain.people.value) > round(certain.before.value)


def _certain(voice: Voice, one: Risk) -> Inline:
    certain = one.certain
    assert certain is not None
    nobody, alone = not round(certain.before.value), round(certain.people.value) == 1
    template = {
        (False, False): message(
            "The {secret} of {people} people, {share} of those with “{value}”, can be guessed with at least 90% "
            "certainty; before the release: {before}."
        ),
        (False, True): message(
            "The {secret} of {people} people, {share} of those with “{value}”, can be guessed with at least 90% "
            "certainty; before the release: nobody's."
        ),
        # Where it is one person, she was not certain before.
        (True, True): message(
            "The {secret} of {people} person, {share} of those with “{value}”, can be guessed with at least 90% "
            "certainty; before the release: nobody's."
        ),
    }[alone, nobody]
    return voice.say(
        template,
        # It may be of another secret than the one that decides.
        secret=voice.listed(certain.secret or one.secret),
        share=own(f"{at_most(100 * certain.people.value / certain.holders.value, 2):.2g}%"),
        value=own(certain.value),
        **_heads(voice, certain, "people", "before"),
    )


def _found_by_columns(voice: Voice, one: Risk) -> Inline:
    if one.kind is RiskKind.LINKING:
        template = message(
            "Whoever knows {columns} of a person finds the row of {after} of {of} people; before the release: {before}."
        )
    elif _is_one(one):
        template = message("{after} of {of} people is alone in {columns}: nobody else has the same values.")
    else:
        template = message("{after} of {of} people are alone in {columns}: nobody else has the same values.")
    return voice.say(template, columns=voice.listed(one.links), **_heads(voice, one, "after", "of", "before"))


def _heads(voice: Voice, part: object, *names: str) -> dict[str, Number]:
    """Numbers of people, none of whom is rounded away."""
    known = [name for name in names if getattr(part, name) is not None]
    return {name: voice.number(part, name, "value", count=True, digits=_HEADS) for name in known}


def _is_one(one: Risk) -> bool:
    return one.after is not None and round(one.after.value) == 1


def _people(voice: Voice, one: Risk) -> Inline:
    of = voice.number(one.of, "value", count=True, digits=_HEADS)
    if one.after is None:
        return voice.say("not known, of {people} people", people=of)
    after = voice.number(one.after, "value", count=True, digits=_HEADS)
    return voice.say("{after} of {people} people", after=after, people=of)


def _what(voice: Voice, one: Risk) -> Inline:
    before = voice.say("not known")
    if one.before is not None:
        before = tuple(_heads(voice, one, "before").values()) if round(one.before.value) else voice.say("nobody")
    template = (_WHAT_OF_ONE if _is_one(one) else _WHAT)[one.kind]
    return voice.say(template, before=before, secret=voice.listed(one.secret))


_HEADS: Final = 12
"""Digits of a head count: all of them."""


def _limit(voice: Voice, one: Risk) -> Inline:
    """Whether the limit is met, in a sign and in words: colour alone tells nobody who does not see it."""
    if one.limit is None or one.met is None:
        return ()
    is_share = one.kind is not RiskKind.INFERRING
    limit = voice.number(one, "limit", percent=is_share) if is_share else own(f"{100 * one.limit:g}")
    said = voice.say(_LIMITS[one.kind], limit=limit)
    by = one.surest_of
    if by is not None and (by.name, by.knows) != (one.attacker, one.knows):
        said = voice.say("{limit} ({who})", limit=said, who=attacker(voice, by))
    return met_or_not(voice, said, one.met)


def met_or_not(voice: Voice, limit: Inline, met: bool) -> Inline:
    """A limit with whether it is met."""
    return voice.say(message("✓ {limit}: met") if met else message("✗ {limit}: NOT MET"), limit=limit)


def _attacker_of(one: Risk) -> Attacker:
    return Attacker(one.knows, name=one.attacker)


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


def none_earlier(voice: Voice) -> Inline:
    """That no earlier release was counted, and whether the account of a ledger was looked through."""
    record, job = voice.dossier.record, voice.dossier.job
    ledger = None if record is None else record.budget.ledger
    # What some entries of an account are about may not be known.
    if ledger is None or job is None or job.unnamed:
        return voice.say("Other releases of the same people: none was named, so none was counted.")
    return voice.say(
        "Other releases of the same people: the ledger's account of {dataset} has no earlier one of these secrets, and "
        "none was named beside it.",
        dataset=own(ledger.dataset),
    )


def unchecked(voice: Voice, found: Judgement) -> Iterator[Content]:
    """What nobody checked, so that whoever signs knows."""
    said = list[Inline]()
    tried = [each for one in found.evidence.values() for each in one.attackers]
    counted = voice.dossier.job is not None and voice.dossier.job.before
    if not counted and all(one.name is not AttackerName.HAS_EARLIER_RELEASES for one in tried):
        said.append(none_earlier(voice))
    else:
        said.append(voice.say("Releases other than those listed under earlier releases."))
    known = {name for one in tried for name in one.knows}
    if known:
        said.append(voice.say("Attackers who know more than {columns}.", columns=voice.listed(sorted(known))))
    else:
        said.append(voice.say("Attackers who know something of a person beforehand: no background was declared."))
    if found.facts.sensitivity is None:
        said.append(voice.say("How sensitive the data are: nobody declared it."))
    said.append(voice.say("Whether there is a legal basis for the release."))
    if found.left_out:
        names = voice.listed(found.left_out)
        said.append(voice.say("Limits of the default policy that yours does not set: {names}.", names=names))
    yield Paragraph("note", voice.say("What was not checked:"))
    yield Points(numbered=False, items=tuple(said))
    for one in found.assumes:
        yield voice.note("Condition of this verdict: {assumed}.", assumed=Plain(voice.told(one)))

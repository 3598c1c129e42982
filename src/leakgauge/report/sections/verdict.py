"""The verdict: the dials, the policy line by line, what would change it, and what the guarantee means."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Final

from leakgauge.artefacts.report import Paragraph
from leakgauge.artefacts.verdict import Judgement, PolicyLine, Recommendation
from leakgauge.languages import message
from leakgauge.report.document import Content, Inline
from leakgauge.report.figures.dials import NAMES
from leakgauge.report.sections.actions import action_of
from leakgauge.report.sections.dials import dial, in_turn, judged_by, told_all
from leakgauge.report.sections.teller import AS_DECLARED, NOTHING, Cell, Plain, Teller, own

LIMITS: Final = {
    "min_protection": message("protection, at least"),
    "max_exposed": message("exposed, at most"),
    "min_guarantee": message("guarantee, at least"),
    "min_usefulness": message("usefulness, at least"),
    "min_effect": message("effect, at least"),
    "min_efficiency": message("efficiency, at least"),
    "max_lost": message("rows with values that are never released, at most"),
    "max_alone": message("unique rows by the public columns, at most"),
    "min_k": message("rows in every group of the public columns, at least"),
    "max_epsilon": message("ε, at most"),
    "max_delta": message("δ, at most"),
    "max_leakage_bits": message("leakage, at most"),
    "max_attack_advantage": message("share of the raw data's advantage that an attack keeps, at most"),
}
"""What each limit of a policy is called."""
SHARES: Final = ("max_lost", "max_alone", "max_attack_advantage")
"""Limits that are shares."""
UNITS: Final = {"max_exposed": "%", "max_epsilon": "nats", "max_leakage_bits": "bits"}
"""Of other limits that have one."""
_THEN: Final = {
    Recommendation.RELEASE: message("may be released"),
    Recommendation.RELEASE_IF: message("release if the conditions are met"),
    Recommendation.DO_NOT_RELEASE: message("do not release"),
}


def verdict(tell: Teller) -> Iterator[Content]:
    """What the recommendation rests on; it is not for everybody, because dials follow from private counts."""
    found = judged_by(tell)
    if found is None:
        return
    if not tell.released:
        yield tell.note("Nothing was drawn: these are the dials that the release would have had by its law.")
    yield from (*_every_secret(tell, found), *_policy(tell, found), *_actions(tell, found))
    yield from (*_guarantee(tell, found), *_notes(tell, found))


def _every_secret(tell: Teller, found: Judgement) -> Iterator[Content]:
    """Of several secrets a line for each; the lowest protection decides."""
    if len(found.dials) < 2:
        return
    rows = ((own(secret), *(dial(tell, dials, name) for name in NAMES)) for secret, dials in found.dials.items())
    yield from tell.grid("The dials of every secret, from 0 to 100", "|".join(["Secret", *NAMES.values()]), rows)
    yield tell.say("{secret} has the lowest protection, which decides.", secret=own(found.deciding))


def _policy(tell: Teller, found: Judgement) -> Iterator[Content]:
    words = {True: tell.say("kept"), False: tell.say("NOT KEPT")}
    by = {True: tell.say("given"), False: tell.say("default policy")}
    rows = (
        (
            _called(tell, line.name),
            _side(tell, line, "limit"),
            _found(tell, line),
            words[line.holds],
            by[line.given],
        )
        for line in found.policy
    )
    yield from tell.grid("The policy", "Limit|Asked|Found|Verdict|Set by", rows)
    conditions = told_all(tell, found.conditions)
    if conditions:
        yield tell.say("Still to be done before a release: {conditions}.", conditions=in_turn(tell, conditions))
    if not all(line.given for line in found.policy):
        yield tell.note(
            "Limits of the default policy only colour the recommendation; a release that breaks a limit you gave is "
            "refused."
        )


def _called(tell: Teller, name: str) -> Inline:
    return tell.say(LIMITS[name]) if name in LIMITS else (name,)


def _found(tell: Teller, line: PolicyLine) -> Cell:
    """What was found at the unfavourable end, and of which secret where there are several."""
    if line.found is None:
        return tell.say("not known")
    found, of = _side(tell, line, "found"), tell.told(line.of)
    return tell.say("{found} ({secret})", found=found, secret=Plain(of)) if of else found


def _side(tell: Teller, line: PolicyLine, field: str) -> Inline:
    unit, share = UNITS.get(line.name, ""), line.name in SHARES
    if field == "limit":
        return (tell.number(line, field, unit=unit, percent=share, digits=AS_DECLARED),)
    # What is found is never rounded to what keeps the limit.
    rounding = ROUND_FLOOR if line.name.startswith("min_") else ROUND_CEILING
    return (tell.number(line, field, unit=unit, percent=share, rounding=rounding),)


def _actions(tell: Teller, found: Judgement) -> Iterator[Content]:
    rows = (
        (
            own(tell.told(one.said)),
            action_of(tell, found, one),
            tell.say(_THEN[one.recommendation]),
            Plain("  ".join(one.options) or NOTHING),
            Plain("  ".join(one.left_out) or NOTHING),
        )
        for one in found.actions
    )
    yield from tell.grid(
        "What would change it", "What to do|What it does|Then|Options to add|Options to leave out", rows
    )
    if found.actions:
        yield tell.note(
            "Each of these is another setting of the same job, computed by its law before anything was drawn or spent."
        )


def _guarantee(tell: Teller, found: Judgement) -> Iterator[Content]:
    evidence = found.evidence.get(found.deciding)
    advantage = tell.maybe(evidence, "advantage", percent=True, rounding=ROUND_CEILING)
    if advantage is None:
        yield tell.say("No claim bounds the worst case, so the guarantee is 0.")
        return
    yield tell.say(
        "The guarantee is 100 less the advantage that the claim allows, {advantage}: how much better than a coin an "
        "attacker who knows everything else can distinguish two neighbours.",
        advantage=advantage,
    )


def _notes(tell: Teller, found: Judgement) -> Iterator[Content]:
    for note in dict.fromkeys(told_all(tell, found.dials[found.deciding].notes)):
        yield Paragraph("note", (note,))

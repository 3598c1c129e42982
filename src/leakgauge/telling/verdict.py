"""The verdict: the scores, the policy line by line, what would change it, and what the guarantee means."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Final

from leakgauge.artefacts.job import Job
from leakgauge.artefacts.report import Paragraph
from leakgauge.artefacts.verdict import Judgement, PolicyLine, Recommendation
from leakgauge.languages import message
from leakgauge.telling.actions import action_of, to_do
from leakgauge.telling.blocks import Content, Inline
from leakgauge.telling.criteria import explained
from leakgauge.telling.figures.scores import NAMES
from leakgauge.telling.risks import by_attacker, risk_in_people, risks, unchecked
from leakgauge.telling.scores import (
    in_turn,
    is_of_release,
    judged_by,
    precision,
    recommended,
    score,
    scores,
    secret_in,
    told_all,
    worth,
)
from leakgauge.telling.voice import AS_DECLARED, NOTHING, Cell, Plain, Voice, own

LIMITS: Final = {
    "min_protection": message("protection, at least"),
    "max_surest": message("surest, at most"),
    "min_usefulness": message("usefulness, at least"),
    "max_lost": message("rows whose value can never appear in the release, at most"),
    "max_alone": message("people who are unique in the published columns, at most"),
    "max_linked": message("people whose row can be found without doubt, at most"),
    "min_k": message("rows in every group of the public columns, at least"),
    "max_epsilon": message("ε, at most"),
    "max_delta": message("δ, at most"),
    "max_leakage_bits": message("leakage, at most"),
    "max_attack_advantage": message("share of its gain from the original data that an attack keeps, at most"),
}
"""What each limit of a policy is called."""
SHARES: Final = ("max_lost", "max_alone", "max_linked", "max_attack_advantage")
"""Limits that are shares."""
UNITS: Final = {"max_epsilon": "nats", "max_leakage_bits": "bits"}
"""Of other limits that have one."""
THEN: Final = {
    Recommendation.RELEASE: message("may be released"),
    Recommendation.RELEASE_IF: message("release if the conditions are met"),
    Recommendation.DO_NOT_RELEASE: message("do not release"),
}
"""Recommendations in a word or two."""


def verdict(voice: Voice) -> Iterator[Content]:
    """What the recommendation rests on; it is not for everybody, because scores follow from private counts."""
    found = judged_by(voice)
    if found is not None:
        yield from (*every_judged(voice, found), *policy(voice, found), *changes(voice, found))
        secret = secret_in(voice, found)
        yield from (*by_attacker(voice, found, secret), *precision(voice, found, secret))
        yield from (*meant(voice, found), *notes(voice, found))


def assessed(voice: Voice, found: Judgement, job: Job | None) -> Iterator[Content]:
    """A verdict that stands by itself, on a release that a job made or another one."""
    yield from (*recommended(voice, found), *risk_in_people(voice, found), *to_do(voice, found, job))
    yield from (*risks(voice, found), *scores(voice, found), *worth(voice, found, found.deciding))
    yield from (*unchecked(voice, found), *every_judged(voice, found), *notes(voice, found), *changes(voice, found))
    yield from (*policy(voice, found), *by_attacker(voice, found, found.deciding))
    yield from precision(voice, found, found.deciding)
    for secret in found.beside:
        yield from explained(voice, found, secret, short=True)


def every_judged(voice: Voice, found: Judgement) -> Iterator[Content]:
    """Of several secrets a line for each; the lowest protection decides."""
    if len(found.scores) < 2:
        return
    rows = ((own(secret), *(score(voice, one, name) for name in NAMES)) for secret, one in found.scores.items())
    yield from voice.grid("Scores of every secret, 0 to 100", "|".join(["Secret", *NAMES.values()]), rows)
    yield voice.say("{secret} has the lowest protection, which decides.", secret=own(found.deciding))


def policy(voice: Voice, found: Judgement) -> Iterator[Content]:
    """Every limit with what was found, and what is still to be declared."""
    words = {True: voice.say("met"), False: voice.say("NOT MET")}
    by = {True: voice.say("you"), False: voice.say("default policy")}
    rows = (
        (
            voice.say(LIMITS[line.name]) if line.name in LIMITS else (line.name,),
            _side(voice, line, "limit"),
            _found(voice, line),
            words[line.holds],
            by[line.given],
        )
        for line in found.policy
    )
    yield from voice.grid("The policy", "Limit|Required|Found|Result|Required by", rows)
    conditions = told_all(voice, found.conditions)
    if conditions:
        yield voice.say("Required before a release: {conditions}.", conditions=in_turn(voice, conditions))
    if not all(line.given for line in found.policy):
        yield voice.note(
            "Default limits decide the recommendation but do not stop the command. Limits that you set stop it."
        )


def _found(voice: Voice, line: PolicyLine) -> Cell:
    """What was found at the unfavourable end, and of which secret where there are several."""
    if line.found is None:
        return voice.say("not known")
    found, of = _side(voice, line, "found"), voice.told(line.of)
    return voice.say("{found} ({secret})", found=found, secret=Plain(of)) if of else found


def _side(voice: Voice, line: PolicyLine, field: str) -> Inline:
    unit, share = UNITS.get(line.name, ""), line.name in SHARES
    if field == "limit":
        return (voice.number(line, field, unit=unit, percent=share, digits=AS_DECLARED),)
    # What is found is never rounded to what keeps the limit.
    rounding = ROUND_FLOOR if line.name.startswith("min_") else ROUND_CEILING
    return (voice.number(line, field, unit=unit, percent=share, rounding=rounding),)


def limit_in_words(voice: Voice, line: PolicyLine) -> Inline:
    """Who asks for how much of a score."""
    most = message("You allow at most {limit}."), message("The default policy allows at most {limit}.")
    least = message("You ask for at least {limit}."), message("The default policy asks for at least {limit}.")
    given, default = most if line.name.startswith("max_") else least
    return voice.say(given if line.given else default, limit=_side(voice, line, "limit"))


def changes(voice: Voice, found: Judgement) -> Iterator[Content]:
    """Other settings that would change the verdict, with what each does."""
    rows = (
        (
            own(voice.told(one.said)),
            action_of(voice, found, one) or NOTHING,
            voice.say(THEN[one.recommendation]),
            Plain("  ".join(one.options) or NOTHING),
            Plain("  ".join(one.left_out) or NOTHING),
        )
        for one in found.actions
    )
    yield from voice.grid(
        "What would change it", "What to do|What it does|Recommendation then|Options to add|Options to leave out", rows
    )
    if found.actions:
        yield voice.note(
            "Each option is this job with these settings changed. Its scores were calculated without making a release."
        )


def meant(voice: Voice, found: Judgement) -> Iterator[Content]:
    """What the guarantee means."""
    claim = found.scores[found.deciding].guarantee
    if claim is not None:
        yield voice.say(
            "The guarantee allows an advantage of {advantage}: how much better than by tossing a coin an attacker who "
            "knows everything else can tell {neighbours} apart.",
            advantage=voice.number(claim, "advantage", percent=True, rounding=ROUND_CEILING),
            neighbours=Plain(voice.told(claim.neighbours.said)),
        )


def notes(voice: Voice, found: Judgement, secret: str = "") -> Iterator[Content]:
    """Remarks on the scores of a secret, by default of the one that decides, and how they were found."""
    if not is_of_release(voice, found):
        yield voice.note("No release was made. These scores were calculated in advance.")
    for note in dict.fromkeys(told_all(voice, found.scores[secret or found.deciding].notes)):
        yield Paragraph("note", (note,))

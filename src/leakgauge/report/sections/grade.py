"""The grade: scores before and after, vetoes, the policy, what would lift it, and every indicator it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.assessment.indicators import INDICATORS
from leakgauge.languages import message
from leakgauge.report.document import Content, Grid, Inline, Paragraph, Points
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import NOTHING, OF_A_HUNDRED, Own, Plain, Teller, warning

_FILE, _BEFORE = "assessment.json", "before.json"
_NAMES = {
    "max_leakage_bits": message("leakage, at most"),
    "max_epsilon": message("ε, at most"),
    "max_delta": message("δ, at most"),
    "max_attack_advantage": message("share of the raw advantage that attacks keep, at most"),
    "min_privacy": message("privacy score, at least"),
    "min_utility": message("utility score, at least"),
    "min_score": message("score, at least"),
    "target_grade": message("grade, at least"),
    "vetoes": message("vetoes"),
}
_UNITS = {
    "max_leakage_bits": "bits",
    "max_epsilon": "nats",
    "min_privacy": OF_A_HUNDRED,
    "min_utility": OF_A_HUNDRED,
    "min_score": OF_A_HUNDRED,
}
_SCORES = {
    "min_privacy": ("privacy", "privacy_interval"),
    "min_utility": ("utility", "utility_interval"),
    "min_score": ("score", "interval"),
}
"""What is held against a least score, and where its interval is."""
_LEAVES = {one.limit: one.leaf for one in INDICATORS.values() if one.limit and one.limit != "max_epsilon"}
"""Leaves whose upper ends are held against a limit; the largest of several levels is held against that of ε."""


def grade(tell: Teller) -> Iterator[Content]:
    """The grade and what it rests on, where a release was graded."""
    if not tell.facts.has(_FILE):
        return
    yield from (*_graded(tell), *_scores(tell), *_criteria(tell), *pictures(tell, "criteria", "influence"))
    yield from vetoes(tell)
    if not tell.facts.items(_FILE, "vetoes"):
        yield tell.say("No veto caps the grade.")
    yield from (*_policy(tell), *_lifts(tell), *_published(tell))


def _graded(tell: Teller) -> Iterator[Content]:
    grade, uncapped = (str(tell.facts.get(_FILE, name)) for name in ("grade", "grade_uncapped"))
    if grade == uncapped:
        yield tell.say("The grade is {grade}.", grade=grade)
    else:
        yield warning(
            tell.say("The grade is {grade}; without vetoes it would be {other}.", grade=grade, other=uncapped)
        )
    yield tell.say(
        "Scores run from 0 to 100; grades are very poor below 20, poor below 40, medium below 60, good below 80, "
        "and very good from there. The grade is the lowest of those of the effect, of privacy and of utility."
    )


def _scores(tell: Teller) -> Iterator[Content]:
    say = tell.language.say
    names = (
        ("score", say("protection effect"), "interval"),
        ("privacy", say("privacy"), "privacy_interval"),
        ("utility", say("utility"), "utility_interval"),
    )
    rows = tuple(
        ((said,), tell.score(_BEFORE, name), tell.score(_FILE, name, interval=(interval,)))
        for name, said, interval in names
    )
    graded = ((say("grade"),), _capped(tell, _BEFORE), _capped(tell, _FILE))
    rows = (*rows, graded) if tell.facts.has(_BEFORE, "grade") else rows
    head = (say("Score"), say("Released as it is"), say("This release"))
    yield Grid(say("Scores before and after"), head, rows)


def _capped(tell: Teller, file: str) -> Inline:
    """A grade, and what vetoes made of it."""
    grade, uncapped = (str(tell.facts.get(file, name)) for name in ("grade", "grade_uncapped"))
    reasons = [tell.told(one["reason"]) for one in tell.facts.items(file, "vetoes")]
    if grade == uncapped or not tell.facts.has(file, "grade_uncapped"):
        return tell.stored(grade)
    if not reasons:
        return tell.say("{grade}, by a veto; without it {other}", grade=grade, other=uncapped)
    return tell.say(
        "{grade}, by a veto ({reasons}); without it {other}",
        grade=grade,
        reasons=Plain(tell.language.say("; ").join(reasons)),
        other=uncapped,
    )


def _criteria(tell: Teller) -> Iterator[Content]:
    facts, say = tell.facts, tell.language.say
    rows = []
    for key in dict.fromkeys(arc.source for arc in facts.diagram.into(facts.diagram.value)):
        if not facts.has(_FILE, "nodes", key):
            continue
        before = (facts.position(_BEFORE, key),) if facts.has(_BEFORE, "nodes", key) else NOTHING
        name = tell.named(facts.get(_FILE, "nodes", key))
        rows.append(((name,), before, (facts.position(_FILE, key),)))
    if rows:
        head = (say("Criterion"), say("Released as it is"), say("This release"))
        yield Grid(say("Criteria, from 0, lowest, to 100, highest"), head, tuple(rows))


def vetoes(tell: Teller) -> Iterator[Content]:
    """A loud sentence for each veto."""
    for veto in tell.facts.items(_FILE, "vetoes"):
        reason, cap = Own(tell.told(veto["reason"])), str(veto["cap"])
        yield warning(tell.say("Veto: {reason}; the grade is at most {cap}.", reason=reason, cap=cap))


def failed_lines(tell: Teller) -> Iterator[Content]:
    """A loud sentence for each line of the policy that is not kept."""
    for at, line in enumerate(tell.facts.items(_FILE, "policy")):
        # Vetoes are loud by themselves.
        if not line["holds"] and line["name"] != "vetoes":
            yield warning(
                tell.say(
                    "The policy is not kept: {name} {limit}; found: {found}.",
                    name=Plain(_limit_name(tell, str(line["name"]))),
                    limit=_side(tell, at, "limit"),
                    found=_found(tell, at),
                )
            )


def _policy(tell: Teller) -> Iterator[Content]:
    lines, say = tell.facts.items(_FILE, "policy"), tell.language.say
    if lines:
        rows = tuple(
            (
                (_limit_name(tell, str(line["name"])),),
                _side(tell, at, "limit"),
                _found(tell, at),
                (say("kept") if line["holds"] else say("NOT KEPT"),),
            )
            for at, line in enumerate(lines)
        )
        yield Grid(say("The policy"), (say("Limit"), say("Asked"), say("Found"), say("Verdict")), rows)


def _limit_name(tell: Teller, name: str) -> str:
    return tell.language.say(_NAMES[name]) if name in _NAMES else name


def _found(tell: Teller, at: int) -> Inline:
    """What was found, and which end of an interval it is: in doubt a release is not allowed."""
    name = str(tell.facts.get(_FILE, "policy", at, "name"))
    found = _side(tell, at, "found")
    if found == NOTHING:
        return found
    if name in _SCORES:
        score, interval = _SCORES[name]
        whole = tell.maybe(_FILE, score, unit=OF_A_HUNDRED, digits=3, interval=(interval,))
        if whole is not None and whole.low is not None:
            return tell.say("{found}, the lower end of {whole}", found=found, whole=whole)
    elif name in _LEAVES:
        leaves = tell.facts.items(_FILE, "leaves")
        known = next((leaf.get("value") for leaf in leaves if str(leaf["leaf"]) == _LEAVES[name]), None)
        if known is not None and known != tell.facts.get(_FILE, "policy", at, "found"):
            return tell.say("{found}, the upper end of its interval", found=found)
    return found


def _side(tell: Teller, at: int, field: str) -> Inline:
    """The limit of a line, or what was found."""
    stored = tell.facts.get(_FILE, "policy", at, field)
    if stored is None:
        return NOTHING
    if isinstance(stored, str | dict) and stored not in ("infinity", "-infinity"):
        return tell.stored(stored)
    unit = _UNITS.get(str(tell.facts.get(_FILE, "policy", at, "name")), "")
    return (tell.facts.number(_FILE, "policy", at, field, unit=unit),)


def _lifts(tell: Teller) -> Iterator[Content]:
    facts = tell.facts
    lifts = facts.items(_FILE, "lifts")
    blocked = facts.get(_FILE, "blocked")
    if lifts and not tell.external:
        yield tell.say(
            "How sensitive the grade is: were the indicators of a line to move as far as it says, the rest "
            "unmoved, the grade would be better. This is no advice: indicators hang together, and no release may "
            "have all of these at once."
        )
        yield Points(tuple(_lift(tell, at, one["moves"]) for at, one in enumerate(lifts)))
    elif blocked:
        yield Paragraph(tell.stored(blocked), "note")


def _lift(tell: Teller, at: int, moves: list[dict[str, object]]) -> Inline:
    said: list[Inline] = []
    for place, move in enumerate(moves):
        node = tell.facts.get(_FILE, "nodes", str(move["leaf"])) or {"name": move["name"]}
        start = ("lifts", at, "moves", place)
        if tell.facts.has(_FILE, *start, "value"):
            said.append((tell.named(node), " → ", tell.facts.number(_FILE, *start, "value")))
        else:
            said.append((tell.named(node),))
    joined = [part for one in said for part in (*one, tell.language.say("; "))][:-1]
    score = tell.facts.number(_FILE, "lifts", at, "score", unit=OF_A_HUNDRED, digits=3)
    return (*joined, *tell.say("; then the score is {score}", score=score))


def _published(tell: Teller) -> Iterator[Content]:
    facts = tell.facts
    if not facts.has(_FILE, "published", "score"):
        return
    yield Paragraph(
        tell.say(
            "By the published algebra the score is {score} and the grade {grade}. {why}",
            score=facts.number(_FILE, "published", "score", digits=3),
            grade=Own(str(facts.get(_FILE, "published", "grade"))),
            why=Plain(tell.told(facts.get(_FILE, "published", "why_not") or "")),
        ),
        "note",
    )


def indicators(tell: Teller) -> Iterator[Content]:
    """Every indicator: what was found, where it lies, and what it is worth."""
    leaves, say = tell.facts.items(_FILE, "leaves"), tell.language.say
    if not leaves:
        return
    yield tell.say(
        "The points say what the score, privacy or utility would gain if the indicator moved over its whole scale; "
        "those of a missing one are shared by the others."
    )
    head = (
        say("No."),
        say("Indicator"),
        say("Found"),
        say("Position, 0–100 %"),
        say("Points of score"),
        say("of privacy"),
        say("of utility"),
        say("Standing"),
        say("From"),
    )
    rows = tuple(_indicator(tell, at, leaf) for at, leaf in enumerate(leaves))
    yield Grid(say("Indicators that lead to the criteria"), head, rows)


def _indicator(tell: Teller, at: int, leaf: dict[str, object]) -> tuple[Inline, ...]:
    place = (_FILE, "leaves", at)
    source = leaf.get("source")
    return (
        (str(leaf["leaf"]),),
        (tell.named(leaf),),
        tell.cell(*place, "value", unit=str(leaf.get("unit") or "")),
        tell.cell(*place, "position", percent=True, digits=3),
        *(tell.cell(*place, name, digits=3) for name in ("sensitivity", "privacy_sensitivity", "utility_sensitivity")),
        tell.stored(leaf["standing"]),
        tell.stored(source) if source else NOTHING,
    )

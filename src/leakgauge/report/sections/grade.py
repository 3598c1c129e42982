"""From criteria to the grade: scores before and after, vetoes, the policy, and what would lift the grade."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import Language
from leakgauge.report.document import Block, Edition, Grid, Inline, Paragraph, Points, Section
from leakgauge.report.facts import Facts
from leakgauge.report.sections import policy
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.telling import NOTHING, OF_A_HUNDRED, Own, Plain, Teller, warning
from leakgauge.report.sections.titles import title_of

KEY = "grade"
_FILE, _BEFORE = "assessment.json", "before.json"


def section(facts: Facts, language: Language, edition: Edition) -> Section | None:
    """The grade and what it rests on; None where nothing was graded."""
    if not facts.has(_FILE):
        return None
    tell = Teller(facts, language, edition)
    blocks = (
        *_graded(tell),
        *_scores(tell),
        *_criteria(tell),
        *pictures(tell, "criteria", "influence"),
        *_vetoes(tell),
        *_policy(tell),
        *_lifts(tell),
        *_published(tell),
    )
    return Section(KEY, title_of(KEY, language), blocks)


def criteria(facts: Facts) -> tuple[str, ...]:
    """The nodes that lead to the graded value, where they are known."""
    known = facts.names(_FILE, "nodes")
    return tuple(dict.fromkeys(arc.source for arc in facts.diagram.into(facts.diagram.value) if arc.source in known))


def _graded(tell: Teller) -> Iterator[Block]:
    grade, uncapped = (str(tell.facts.get(_FILE, name)) for name in ("grade", "grade_uncapped"))
    if grade == uncapped:
        yield Paragraph(tell.say("The grade is {grade}.", grade=grade))
    else:
        yield warning(
            tell.say("The grade is {grade}; without vetoes it would be {other}.", grade=grade, other=uncapped)
        )
    yield Paragraph(
        tell.say(
            "Scores run from 0 to 100; grades are very poor below 20, poor below 40, medium below 60, good below 80, "
            "and very good from there. The grade is the lowest of those of the effect, of privacy and of utility."
        )
    )


def _scores(tell: Teller) -> Iterator[Block]:
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


def _criteria(tell: Teller) -> Iterator[Block]:
    facts, say = tell.facts, tell.language.say
    rows = []
    for key in criteria(facts):
        before = (facts.position(_BEFORE, key),) if facts.has(_BEFORE, "nodes", key) else NOTHING
        name = tell.named(facts.get(_FILE, "nodes", key))
        rows.append(((name,), before, (facts.position(_FILE, key),)))
    if rows:
        head = (say("Criterion"), say("Released as it is"), say("This release"))
        yield Grid(say("Criteria, from 0, lowest, to 100, highest"), head, tuple(rows))


def _vetoes(tell: Teller) -> Iterator[Block]:
    vetoes = tell.facts.items(_FILE, "vetoes")
    for one in vetoes:
        reason, cap = Own(tell.told(one["reason"])), str(one["cap"])
        yield warning(tell.say("Veto: {reason}; the grade is at most {cap}.", reason=reason, cap=cap))
    if not vetoes:
        yield Paragraph(tell.say("No veto caps the grade."))


def _policy(tell: Teller) -> Iterator[Block]:
    lines = tell.facts.items(_FILE, "policy")
    if not lines:
        return
    say = tell.language.say
    rows = []
    for at, line in enumerate(lines):
        kept = say("kept") if line["holds"] else say("NOT KEPT")
        name = policy.name_of(tell, str(line["name"]))
        rows.append(((name,), policy.value(tell, at, "limit"), policy.found(tell, at), (kept,)))
    yield Grid(say("The policy"), (say("Limit"), say("Asked"), say("Found"), say("Verdict")), tuple(rows))


def _lifts(tell: Teller) -> Iterator[Block]:
    facts = tell.facts
    lifts = facts.items(_FILE, "lifts")
    blocked = facts.get(_FILE, "blocked")
    if lifts and not tell.external:
        yield Paragraph(
            tell.say(
                "How sensitive the grade is: were the indicators of a line to move as far as it says, the rest "
                "unmoved, the grade would be better. This is no advice: indicators hang together, and no release may "
                "have all of these at once."
            )
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


def _published(tell: Teller) -> Iterator[Block]:
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

"""The grade: scores before and after, vetoes, the policy, what would lift it, and every indicator it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.report import Paragraph, Points
from leakgauge.assessment.indicators import INDICATORS
from leakgauge.languages import message
from leakgauge.report.document import Content, Inline
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import NOTHING, OF_A_HUNDRED, SCORES, Cell, Plain, Teller, own

_FILE, _BEFORE = "assessment.json", "before.json"
_NAMES = {
    "max_leakage_bits": message("leakage, at most"),
    "max_epsilon": message("ε, at most"),
    "max_delta": message("δ, at most"),
    "max_attack_advantage": message("share of the raw advantage that attacks keep, at most"),
    "max_alone": message("share of rows that stand alone by the public columns, at most"),
    "min_k": message("rows in every group of the public columns, at least"),
    "min_privacy": message("privacy score, at least"),
    "min_utility": message("utility score, at least"),
    "min_score": message("score, at least"),
    "target_grade": message("grade, at least"),
    "vetoes": message("vetoes"),
}
_SCORES = {f"min_{score}": score for score in SCORES}
"""What is held against a least score."""
_UNITS = {"max_leakage_bits": "bits", "max_epsilon": "nats", **dict.fromkeys(_SCORES, OF_A_HUNDRED)}
_LEAVES = {one.limit: one.leaf for one in INDICATORS.values() if one.limit and one.limit != "max_epsilon"}
"""Leaves whose upper ends are held against a limit; the largest of several levels is held against that of ε."""


def grade(tell: Teller) -> Iterator[Content]:
    """The grade and what it rests on, where a release was graded."""
    if not tell.has(_FILE):
        return
    yield from (*_graded(tell), *_scores(tell), *_criteria(tell), *pictures(tell, "criteria", "influence"))
    yield from vetoes(tell)
    if not tell.items(_FILE, "vetoes"):
        yield tell.say("No veto caps the grade.")
    yield from (*_policy(tell), *_lifts(tell), *_published(tell))


def _graded(tell: Teller) -> Iterator[Content]:
    grade, uncapped = (str(tell.get(_FILE, name)) for name in ("grade", "grade_uncapped"))
    if grade == uncapped:
        yield tell.say("The grade is {grade}.", grade=grade)
    else:
        yield tell.alarm("The grade is {grade}; without vetoes it would be {other}.", grade=grade, other=uncapped)
    yield tell.say(
        "Scores run from 0 to 100; grades are very poor below 20, poor below 40, medium below 60, good below 80, "
        "and very good from there. The grade is the lowest of those of the effect, of privacy and of utility."
    )


def _scores(tell: Teller) -> Iterator[Content]:
    say = tell.language.say
    names = {"score": say("protection effect"), "privacy": say("privacy"), "utility": say("utility")}
    rows: list[tuple[Cell, ...]] = [
        (said, tell.cell(_BEFORE, name, digits=3), tell.cell(_FILE, name, digits=3, interval=(SCORES[name],)))
        for name, said in names.items()
    ]
    if tell.has(_BEFORE, "grade"):
        rows.append((say("grade"), _capped(tell, _BEFORE), _capped(tell, _FILE)))
    yield from tell.grid("Scores before and after", "Score|Released as it is|This release", rows)


def _capped(tell: Teller, file: str) -> Cell:
    """A grade, and what vetoes made of it."""
    grade, uncapped = (str(tell.get(file, name)) for name in ("grade", "grade_uncapped"))
    reasons = [tell.told(one["reason"]) for one in tell.items(file, "vetoes")]
    if grade == uncapped or not tell.has(file, "grade_uncapped"):
        return tell.told(grade)
    if not reasons:
        return tell.say("{grade}, by a veto; without it {other}", grade=grade, other=uncapped)
    return tell.say(
        "{grade}, by a veto ({reasons}); without it {other}",
        grade=grade,
        reasons=Plain(tell.language.say("; ").join(reasons)),
        other=uncapped,
    )


def _criteria(tell: Teller) -> Iterator[Content]:
    keys = dict.fromkeys(arc.source for arc in tell.diagram.into(tell.diagram.value))
    rows = [
        (
            tell.named(tell.get(_FILE, "nodes", key)),
            tell.position(_BEFORE, key) if tell.has(_BEFORE, "nodes", key) else NOTHING,
            tell.position(_FILE, key),
        )
        for key in keys
        if tell.has(_FILE, "nodes", key)
    ]
    yield from tell.grid("Criteria, from 0, lowest, to 100, highest", "Criterion|Released as it is|This release", rows)


def vetoes(tell: Teller) -> Iterator[Content]:
    """A loud sentence for each veto."""
    for veto in tell.items(_FILE, "vetoes"):
        reason, cap = own(tell.told(veto["reason"])), str(veto["cap"])
        said = tell.say("Veto: {reason}; the grade is at most {cap}.", reason=reason, cap=cap)
        yield Paragraph("warning", tell.of_secret(said))


def failed_lines(tell: Teller) -> Iterator[Content]:
    """A loud sentence for each line of the policy that is not kept."""
    for at, line in enumerate(tell.items(_FILE, "policy")):
        # Vetoes are loud by themselves.
        if not line["holds"] and line["name"] != "vetoes":
            name, limit, found = _line(tell, at)
            said = tell.say(
                "The policy is not kept: {name} {limit}; found: {found}.", name=Plain(name), limit=limit, found=found
            )
            yield Paragraph("warning", tell.of_secret(said))


def _policy(tell: Teller) -> Iterator[Content]:
    words = {True: tell.language.say("kept"), False: tell.language.say("NOT KEPT")}
    rows = ((*_line(tell, at), words[line["holds"]]) for at, line in enumerate(tell.items(_FILE, "policy")))
    yield from tell.grid("The policy", "Limit|Asked|Found|Verdict", rows)


def _line(tell: Teller, at: int) -> tuple[str, Inline, Inline]:
    """What a limit of the policy is called, what it asks for and what was found."""
    name = str(tell.get(_FILE, "policy", at, "name"))
    called = tell.language.say(_NAMES[name]) if name in _NAMES else name
    return called, _side(tell, at, "limit"), _found(tell, at)


def _found(tell: Teller, at: int) -> Inline:
    """What was found, and which end of an interval it is: in doubt a release is not allowed."""
    name = str(tell.get(_FILE, "policy", at, "name"))
    found = _side(tell, at, "found")
    if found == (NOTHING,):
        return found
    if name in _SCORES:
        score = _SCORES[name]
        whole = tell.maybe(_FILE, score, unit=OF_A_HUNDRED, digits=3, interval=(SCORES[score],))
        if whole is not None and whole.low is not None:
            return tell.say("{found}, the lower end of {whole}", found=found, whole=whole)
    elif name in _LEAVES:
        leaves = tell.items(_FILE, "leaves")
        known = next((leaf.get("value") for leaf in leaves if str(leaf["leaf"]) == _LEAVES[name]), None)
        if known is not None and known != tell.get(_FILE, "policy", at, "found"):
            return tell.say("{found}, the upper end of its interval", found=found)
    return found


def _side(tell: Teller, at: int, field: str) -> Inline:
    """The limit of a line, or what was found."""
    stored = tell.get(_FILE, "policy", at, field)
    if stored is None:
        return (NOTHING,)
    if isinstance(stored, str | dict) and stored not in ("infinity", "-infinity"):
        return (tell.told(stored),)
    unit = _UNITS.get(str(tell.get(_FILE, "policy", at, "name")), "")
    return (tell.number(_FILE, "policy", at, field, unit=unit),)


def _lifts(tell: Teller) -> Iterator[Content]:
    lifts, blocked = tell.items(_FILE, "lifts"), tell.get(_FILE, "blocked")
    if lifts and not tell.external:
        yield tell.say(
            "How sensitive the grade is: were the indicators of a line to move as far as it says, the rest "
            "unmoved, the grade would be better. This is no advice: indicators hang together, and no release may "
            "have all of these at once."
        )
        yield Points(numbered=False, items=tuple(_lift(tell, at, one["moves"]) for at, one in enumerate(lifts)))
    elif blocked:
        yield Paragraph("note", (tell.told(blocked),))


def _lift(tell: Teller, at: int, moves: list[dict[str, object]]) -> Inline:
    said: list[Inline] = []
    for place, move in enumerate(moves):
        node = tell.get(_FILE, "nodes", str(move["leaf"])) or {"name": move["name"]}
        moved = tell.maybe(_FILE, "lifts", at, "moves", place, "value")
        said.append((tell.named(node),) if moved is None else (tell.named(node), " → ", moved))
    joined = [part for one in said for part in (*one, tell.language.say("; "))][:-1]
    score = tell.number(_FILE, "lifts", at, "score", unit=OF_A_HUNDRED, digits=3)
    return (*joined, *tell.say("; then the score is {score}", score=score))


def _published(tell: Teller) -> Iterator[Content]:
    if tell.has(_FILE, "published", "score"):
        yield tell.note(
            "By the published algebra the score is {score} and the grade {grade}. {why}",
            score=tell.number(_FILE, "published", "score", digits=3),
            grade=own(str(tell.get(_FILE, "published", "grade"))),
            why=Plain(tell.told(tell.get(_FILE, "published", "why_not") or "")),
        )


def indicators(tell: Teller) -> Iterator[Content]:
    """Every indicator: what was found, where it lies, and what it is worth."""
    leaves = tell.items(_FILE, "leaves")
    if leaves:
        yield tell.say(
            "The points say what the score, privacy or utility would gain if the indicator moved over its whole scale; "
            "those of a missing one are shared by the others."
        )
    yield from tell.grid(
        "Indicators that lead to the criteria",
        "No.|Indicator|Found|Position, 0–100 %|Points of score|of privacy|of utility|Standing|From",
        (_indicator(tell, at, leaf) for at, leaf in enumerate(leaves)),
    )


def _indicator(tell: Teller, at: int, leaf: dict[str, object]) -> Iterator[Cell]:
    place = (_FILE, "leaves", at)
    yield from (str(leaf["leaf"]), tell.named(leaf))
    yield tell.cell(*place, "value", unit=str(leaf.get("unit") or ""))
    yield tell.cell(*place, "position", percent=True, digits=3)
    for name in ("sensitivity", "privacy_sensitivity", "utility_sensitivity"):
        yield tell.cell(*place, name, digits=3)
    yield from (tell.told(leaf["standing"]), tell.told(leaf.get("source") or NOTHING))

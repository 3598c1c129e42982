"""The first screen: what was done, the grade, the numbers that matter, what is wrong, and who signs."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.assessment import grade_of
from leakgauge.report.document import Content, Grid, Inline, Paragraph
from leakgauge.report.sections.grade import failed_lines, vetoes
from leakgauge.report.sections.headline import headline
from leakgauge.report.sections.teller import OF_A_HUNDRED, ROWS, Teller, warning

_MANY_ALONE = 0.05
"""The share of rows that stand alone above which it is loud."""
_TONES = {"good": "good", "very-good": "good", "poor": "warning", "very-poor": "warning"}


def statement(tell: Teller) -> Iterator[Content]:
    """What was done and what speaks against it; it is never left out."""
    yield from (*_done(tell), *_alarms(tell), *headline(tell), *_explained(tell))
    say = tell.language.say
    # Two lines: who made the release and who lets it go are rarely the same.
    empty: tuple[Inline, ...] = ((), (), (), ())
    yield Grid(say("Approved by"), (say("Name"), say("Role"), say("Date"), say("Signature")), (empty, empty))


def _done(tell: Teller) -> Iterator[Content]:
    facts = tell.facts
    if not tell.released:
        yield warning(tell.say("Nothing was released of {table}.", table=tell.table))
        reason = facts.get("job.json", "outcome", "reason")
        if reason:
            yield warning(tell.stored(reason))
        spent = tell.maybe("job.json", "spent", "histogram", unit="nats")
        if spent is not None:
            yield warning(tell.say("ε = {spent} was spent on the noisy histogram of the design.", spent=spent))
        if not tell.external:
            yield Paragraph(_possible(tell), "note")
        return
    grade = facts.get("assessment.json", "grade")
    if grade:
        wrong = (
            facts.items("assessment.json", "vetoes")
            or facts.items("audit.json", "violations")
            or not all(line["holds"] for line in facts.items("assessment.json", "policy"))
        )
        yield Paragraph(_graded(tell, str(grade)), "warning" if wrong else _TONES.get(grade, "note"))
    yield Paragraph(_released(tell), "warning" if tell.promises_nothing else "plain")


def _graded(tell: Teller, grade: str) -> Inline:
    """The grade and the scores it is the lowest of; what a veto made of it comes first."""
    facts = tell.facts
    scores: dict[str, object] = {}
    for name in ("score", "privacy", "utility"):
        number = tell.maybe("assessment.json", name, digits=3)
        if number is None:
            score = facts.number("assessment.json", "score", unit=OF_A_HUNDRED, digits=3)
            return tell.say("The release is graded {grade}; its score is {score}.", grade=grade, score=score)
        scores |= {name: number, f"{name}_grade": grade_of(float(number.value)).value}
    uncapped = str(facts.get("assessment.json", "grade_uncapped") or grade)
    if uncapped == grade and facts.items("assessment.json", "vetoes"):
        return tell.say(
            "The release is graded {grade}, and a veto stands against it; score {score} ({score_grade}), privacy "
            "{privacy} ({privacy_grade}), utility {utility} ({utility_grade}).",
            grade=grade,
            **scores,
        )
    if uncapped == grade:
        return tell.say(
            "The release is graded {grade}: the lowest of score {score} ({score_grade}), privacy {privacy} "
            "({privacy_grade}) and utility {utility} ({utility_grade}).",
            grade=grade,
            **scores,
        )
    return tell.say(
        "The release is graded {grade}, by a veto. Without it the grade would be {other}: score {score} "
        "({score_grade}), privacy {privacy} ({privacy_grade}), utility {utility} ({utility_grade}).",
        grade=grade,
        other=uncapped,
        **scores,
    )


def _released(tell: Teller) -> Inline:
    facts = tell.facts
    rows = facts.number("release.json", "rows", unit=ROWS, count=True)
    plain, binned = tell.public
    fields = {"table": tell.table, "rows": rows, "secret": tell.listed(tell.secret)}
    if tell.keeps_guarantee_inside:
        first = tell.say(
            "Of {table}, {rows}, the column {secret} was released through a random mechanism. Its settings may follow "
            "from private counts, so that its exact levels are not in this edition.",
            **fields,
        )
        if tell.asked_epsilon is None:
            first = (*first, *tell.say(" This edition promises no bound on what a row tells."))
    elif tell.promises_nothing:
        first = tell.say(
            "Of {table}, {rows}, the column {secret} was released without any guarantee: nothing bounds what a row "
            "tells.",
            **fields,
        )
    else:
        first = tell.say("Of {table}, {rows}, the column {secret} was released with noise that protects it.", **fields)
    as_they_are = tell.say(" Released as they are, and not protected: {public}.", public=tell.listed(plain))
    in_bins = tell.say(" Released in bins, and not protected: {public}.", public=tell.listed(binned))
    others = (*(as_they_are if plain else ()), *(in_bins if binned else ()))
    return (*first, *others, *tell.say(" No other column was released."))


def _possible(tell: Teller) -> Inline:
    """Where a report without a release says what could be done instead."""
    if tell.facts.has("improvement.json", "best"):
        best = tell.facts.number("improvement.json", "best", "score", unit=OF_A_HUNDRED, digits=3)
        fields = {
            "mechanism": tell.mechanism(tell.facts.get("improvement.json", "best", "mechanism")),
            "score": best,
            "grade": str(tell.facts.get("improvement.json", "best", "grade")),
        }
        return tell.say(
            "What is possible: the best setting that was tried, {mechanism}, has {score} and is graded {grade}; all "
            "trials are below.",
            **fields,
        )
    if tell.facts.has("frontier.json"):
        return tell.say("What is possible: every point of the curve of least leakage below can be had.")
    return tell.say("What the table tells as it is stands below; ask for less usefulness or allow more leakage.")


def _alarms(tell: Teller) -> Iterator[Content]:
    """Everything that speaks against the release, each as a loud sentence."""
    facts = tell.facts
    if facts.get("release.json", "private") is False:
        yield warning(
            tell.say("This is a simulation: its noise follows from a seed, so it protects nobody and is no release.")
        )
    if tell.external and facts.get("audit.json", "violated"):
        yield warning(tell.say("An audit of the release contradicts its guarantee; do not rely on it."))
    for violation in facts.items("audit.json", "violations"):
        yield warning(tell.accusation(violation))
    yield from (*vetoes(tell), *failed_lines(tell), *_standing_alone(tell))


def _standing_alone(tell: Teller) -> Iterator[Content]:
    facts = tell.facts
    rows, unique = (facts.get("audit.json", "anonymity", name) or 0 for name in ("rows", "unique"))
    if tell.released and unique > _MANY_ALONE * rows:
        yield warning(
            tell.say(
                "{unique} of {rows} stand alone by the public columns ({columns}): who knows these of "
                "somebody finds the row.",
                unique=facts.number("audit.json", "anonymity", "unique", count=True),
                rows=facts.number("audit.json", "anonymity", "rows", unit=ROWS, count=True),
                columns=tell.listed(facts.names("audit.json", "anonymity", "quasi_identifiers")),
            )
        )


def _explained(tell: Teller) -> Iterator[Content]:
    if not tell.external:
        yield Paragraph(
            tell.say(
                "A bit is the answer to one yes-or-no question whose answers are equally likely: a leakage of one bit "
                "halves what an attacker has to choose from."
            ),
            "note",
        )
    if tell.epsilon is None and tell.asked_epsilon is None:
        return
    yield Paragraph(
        tell.say(
            "ε bounds how much one released row can betray of its true value: 0 betrays nothing, at 1 the odds move by "
            "at most a factor of 2.72, at 3 of 20.1, and each further step multiplies it by 2.72 again."
        ),
        "note",
    )

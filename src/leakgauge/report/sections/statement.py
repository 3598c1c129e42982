"""The first screen: what was done, the grade, the numbers that matter, what is wrong, and who signs."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.assessment import grade_of
from leakgauge.artefacts.report import Paragraph
from leakgauge.report.document import Content, Inline
from leakgauge.report.sections.grade import failed_lines, vetoes
from leakgauge.report.sections.headline import headline
from leakgauge.report.sections.teller import OF_A_HUNDRED, ROWS, SCORES, Teller

_MANY_ALONE = 0.05
"""The share of rows that stand alone above which it is loud."""
_TONES = {"good": "good", "very-good": "good", "poor": "warning", "very-poor": "warning"}


def statement(tell: Teller) -> Iterator[Content]:
    """What was done and what speaks against it; it is never left out."""
    yield from (*_done(tell), *_alarms(tell), *headline(tell), *_explained(tell))
    # Two lines: who made the release and who lets it go are rarely the same.
    yield from tell.grid("Approved by", [[(), (), (), ()]] * 2, "Name", "Role", "Date", "Signature")


def _done(tell: Teller) -> Iterator[Content]:
    if not tell.released:
        yield tell.alarm("Nothing was released of {table}.", table=tell.table)
        reason = tell.get("job.json", "outcome", "reason")
        if reason:
            yield Paragraph("warning", (tell.told(reason),))
        spent = tell.maybe("job.json", "spent", "histogram", unit="nats")
        if spent is not None:
            yield tell.alarm("ε = {spent} was spent on the noisy histogram of the design.", spent=spent)
        if not tell.external:
            yield _possible(tell)
        return
    grade = tell.get("assessment.json", "grade")
    if grade:
        wrong = (
            tell.items("assessment.json", "vetoes")
            or tell.items("audit.json", "violations")
            or not all(line["holds"] for line in tell.items("assessment.json", "policy"))
        )
        yield Paragraph("warning" if wrong else _TONES.get(grade, "note"), _graded(tell, str(grade)))
    yield Paragraph("warning" if tell.promises_nothing else "plain", _released(tell))


def _graded(tell: Teller, grade: str) -> Inline:
    """The grade and the scores it is the lowest of; what a veto made of it comes first."""
    fields: dict[str, object] = {"grade": grade}
    for name in SCORES:
        number = tell.maybe("assessment.json", name, digits=3)
        if number is None:
            score = tell.number("assessment.json", "score", unit=OF_A_HUNDRED, digits=3)
            return tell.say("The release is graded {grade}; its score is {score}.", grade=grade, score=score)
        fields |= {name: number, f"{name}_grade": grade_of(float(number.value)).value}
    uncapped = str(tell.get("assessment.json", "grade_uncapped") or grade)
    if uncapped != grade:
        return tell.say(
            "The release is graded {grade}, by a veto. Without it the grade would be {other}: score {score} "
            "({score_grade}), privacy {privacy} ({privacy_grade}), utility {utility} ({utility_grade}).",
            other=uncapped,
            **fields,
        )
    if tell.items("assessment.json", "vetoes"):
        return tell.say(
            "The release is graded {grade}, and a veto stands against it; score {score} ({score_grade}), privacy "
            "{privacy} ({privacy_grade}), utility {utility} ({utility_grade}).",
            **fields,
        )
    return tell.say(
        "The release is graded {grade}: the lowest of score {score} ({score_grade}), privacy {privacy} "
        "({privacy_grade}) and utility {utility} ({utility_grade}).",
        **fields,
    )


def _released(tell: Teller) -> Inline:
    rows = tell.number("release.json", "rows", unit=ROWS, count=True)
    plain, binned = tell.public
    fields = {"table": tell.table, "rows": rows, "secret": tell.listed(tell.secret)}
    if tell.keeps_guarantee_inside:
        first = tell.say(
            "Of {table}, {rows}, the column {secret} was released through a random mechanism. Its settings may follow "
            "from private counts, so that its exact levels are not in this edition.",
            **fields,
        )
        if tell.asked_epsilon is None:
            first += tell.say(" This edition promises no bound on what a row tells.")
    elif tell.promises_nothing:
        first = tell.say(
            "Of {table}, {rows}, the column {secret} was released without any guarantee: nothing bounds what a row "
            "tells.",
            **fields,
        )
    else:
        first = tell.say("Of {table}, {rows}, the column {secret} was released with noise that protects it.", **fields)
    if plain:
        first += tell.say(" Released as they are, and not protected: {public}.", public=tell.listed(plain))
    if binned:
        first += tell.say(" Released in bins, and not protected: {public}.", public=tell.listed(binned))
    return first + tell.say(" No other column was released.")


def _possible(tell: Teller) -> Content:
    """What could be done instead of a release."""
    if tell.has("improvement.json", "best"):
        return tell.note(
            "What is possible: the best setting that was tried, {mechanism}, has {score} and is graded {grade}; all "
            "trials are below.",
            mechanism=tell.mechanism(tell.get("improvement.json", "best", "mechanism")),
            score=tell.number("improvement.json", "best", "score", unit=OF_A_HUNDRED, digits=3),
            grade=str(tell.get("improvement.json", "best", "grade")),
        )
    if tell.has("frontier.json"):
        return tell.note("What is possible: every point of the curve of least leakage below can be had.")
    return tell.note("What the table tells as it is stands below; ask for less usefulness or allow more leakage.")


def _alarms(tell: Teller) -> Iterator[Content]:
    """Everything that speaks against the release, each as a loud sentence."""
    if tell.get("release.json", "private") is False:
        yield tell.alarm(
            "This is a simulation: its noise follows from a seed, so it protects nobody and is no release."
        )
    if tell.external and tell.get("audit.json", "violated"):
        yield tell.alarm("An audit of the release contradicts its guarantee; do not rely on it.")
    yield from (*tell.accusations(), *vetoes(tell), *failed_lines(tell))
    rows, unique = (tell.get("audit.json", "anonymity", name) or 0 for name in ("rows", "unique"))
    if tell.released and unique > _MANY_ALONE * rows:
        yield tell.alarm(
            "{unique} of {rows} stand alone by the public columns ({columns}): who knows these of "
            "somebody finds the row.",
            unique=tell.number("audit.json", "anonymity", "unique", count=True),
            rows=tell.number("audit.json", "anonymity", "rows", unit=ROWS, count=True),
            columns=tell.listed(tell.names("audit.json", "anonymity", "quasi_identifiers")),
        )


def _explained(tell: Teller) -> Iterator[Content]:
    if not tell.external:
        yield tell.note(
            "A bit is the answer to one yes-or-no question whose answers are equally likely: a leakage of one bit "
            "halves what an attacker has to choose from."
        )
    if tell.epsilon is not None or tell.asked_epsilon is not None:
        yield tell.note(
            "ε bounds how much one released row can betray of its true value: 0 betrays nothing, at 1 the odds move by "
            "at most a factor of 2.72, at 3 of 20.1, and each further step multiplies it by 2.72 again."
        )

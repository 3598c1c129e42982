"""The first screen: what was done, the grade, the numbers that matter, what is wrong, and who signs."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import Language
from leakgauge.report.document import Block, Edition, Grid, Inline, Paragraph, Section
from leakgauge.report.facts import Facts
from leakgauge.report.sections.policy import failed_lines
from leakgauge.report.sections.telling import OF_A_HUNDRED, ROWS, Own, Teller, listed, spelled, warning
from leakgauge.report.sections.titles import title_of

KEY = "statement"
_TONES = {"good": "good", "very-good": "good", "poor": "warning", "very-poor": "warning"}


def section(facts: Facts, language: Language, edition: Edition) -> Section:
    """The statement; it is never left out."""
    tell = Teller(facts, language, edition)
    blocks = [*_done(tell), *alarms(tell), *_numbers(tell), *_explained(tell), _signature(tell)]
    return Section(KEY, title_of(KEY, language), tuple(blocks))


def strongest_attack(facts: Facts) -> int | None:
    """Which of the audit's attacks gained most; only those tried on the release itself, where there are any."""
    attacks = facts.items("audit.json", "attacks")
    places = [at for at, one in enumerate(attacks) if one.get("judged", True)] or list(range(len(attacks)))
    return max(places, key=lambda at: float(attacks[at]["advantage"]["value"]), default=None)


def _done(tell: Teller) -> Iterator[Block]:
    facts = tell.facts
    if not tell.released:
        yield warning(tell.say("Nothing was released of {table}.", table=tell.table))
        reason = facts.get("job.json", "outcome", "reason")
        if reason:
            yield warning(tell.stored(reason))
        yield Paragraph(_possible(tell), "note")
        return
    grade = facts.get("assessment.json", "grade")
    if grade:
        yield Paragraph(_grade(tell, str(grade)), _TONES.get(grade, "note") if not _vetoed(facts) else "warning")
    yield Paragraph(_released(tell))


def _grade(tell: Teller, grade: str) -> Inline:
    score = tell.facts.number(
        "assessment.json", "score", unit=OF_A_HUNDRED, from_table=True, digits=3, interval=("interval",)
    )
    return tell.say("The release is graded {grade}; its protection effect scores {score}.", grade=grade, score=score)


def _released(tell: Teller) -> Inline:
    facts = tell.facts
    rows = facts.number("release.json", "rows", unit=ROWS, count=True)
    public = facts.names("release.json", "plan", "public")
    if public:
        return tell.say(
            "Of {table}, {rows}, the column {secret} was released with noise that protects it. Released as they are, "
            "and not protected: {public}. No other column left the house.",
            table=tell.table,
            rows=rows,
            secret=listed(tell.secret),
            public=listed(public),
        )
    return tell.say(
        "Of {table}, {rows}, the column {secret} was released with noise that protects it. No other column left the "
        "house.",
        table=tell.table,
        rows=rows,
        secret=listed(tell.secret),
    )


def _possible(tell: Teller) -> Inline:
    """Where a report without a release says what could be done instead."""
    if tell.facts.has("improvement.json", "best"):
        best = tell.facts.number("improvement.json", "best", "score", unit=OF_A_HUNDRED, from_table=True, digits=3)
        return tell.say(
            "What is possible: the best setting that was tried, {mechanism}, has {score} and is graded {grade}; all "
            "trials are below.",
            mechanism=spelled(tell.facts.get("improvement.json", "best", "mechanism")),
            score=best,
            grade=str(tell.facts.get("improvement.json", "best", "grade")),
        )
    if tell.facts.has("frontier.json") and not tell.external:
        return tell.say("What is possible: every point of the curve of least leakage below can be had.")
    return tell.say("What the table tells as it is stands below; ask for less usefulness or allow more leakage.")


def alarms(tell: Teller) -> Iterator[Block]:
    """Everything that speaks against the release, each as a loud sentence."""
    facts = tell.facts
    if facts.get("release.json", "private") is False:
        yield warning(
            tell.say("This is a simulation: its noise follows from a seed, so it protects nobody and is no release.")
        )
    for violation in facts.names("audit.json", "violations"):
        said = tell.language.retell(violation)
        yield warning(tell.say("The release does not keep what it claims: {violation}.", violation=Own(said)))
    for veto in facts.items("assessment.json", "vetoes"):
        reason, cap = tell.language.retell(str(veto["reason"])), str(veto["cap"])
        yield warning(tell.say("Veto: {reason}; the grade is at most {cap}.", reason=Own(reason), cap=cap))
    for line in failed_lines(tell):
        yield warning(line)


def _vetoed(facts: Facts) -> bool:
    return bool(facts.items("assessment.json", "vetoes") or facts.items("audit.json", "violations"))


def _numbers(tell: Teller) -> Iterator[Block]:
    rows = [row for row in (_leakage(tell), _guarantee(tell), _attack(tell), _unchanged(tell), _graded(tell)) if row]
    if rows:
        say = tell.language.say
        head = (say("What"), say("How much"), say("In plain words"))
        yield Grid(say("The numbers that matter"), head, tuple(rows))


def _leakage(tell: Teller) -> tuple[Inline, Inline, Inline] | None:
    before = tell.maybe("measurement.json", "entropy", from_table=True)
    if before is None:
        return None
    what = (tell.language.say("Leakage of the secret"),)
    words = tell.say(
        "Released as it is, the column would tell all there is to know of it. The last number is what the declared "
        "background tells anyway: no protection of this column can go below it."
    )
    after = tell.maybe("leakage.json", "leakage_with_background", from_table=True) or tell.maybe(
        "leakage.json", "mutual_information", from_table=True
    )
    floor = tell.maybe("measurement.json", "background_floor", from_table=True)
    if after is None and floor is None:
        return what, tell.say("{before} before", before=before), words
    if after is None:
        return what, tell.say("{before} before; known anyway: {floor}", before=before, floor=floor), words
    if floor is None:
        return what, tell.say("{before} before → {after} after", before=before, after=after), words
    said = tell.say("{before} before → {after} after; known anyway: {floor}", before=before, after=after, floor=floor)
    return what, said, words


def _guarantee(tell: Teller) -> tuple[Inline, Inline, Inline] | None:
    claimed = tell.facts.names("release.json", "claims")
    places: list[tuple[str, ...]]
    if len(claimed) > 1:
        places = [("together", "dp"), ("together", "approximate_dp")]
        what = tell.language.say("Guarantee of one row, all columns together")
    else:
        places = [("claims", *claimed, "levels", notion) for notion in ("local_dp", "dp", "approximate_dp")]
        what = tell.language.say("Guarantee of one row")
    for place in places:
        if tell.facts.has("release.json", *place):
            return (what,), _epsilon(tell, place), _odds(tell, place)
    return None


def _epsilon(tell: Teller, place: tuple[str, ...]) -> Inline:
    level = tell.facts.number("release.json", *place, from_table=tell.from_this_table)
    if tell.facts.has("release.json", *place, "delta"):
        return "ε = ", level, ", δ = ", tell.facts.number("release.json", *place, "delta")
    return "ε = ", level


def _odds(tell: Teller, place: tuple[str, ...]) -> Inline:
    if tell.facts.has("release.json", *place, "delta"):
        return tell.say(
            "Seeing the release changes the odds between any two true values of one row at most by the factor e to the "
            "power ε, but for a chance of δ."
        )
    return tell.say(
        "Seeing the release changes the odds between any two true values of one row at most by the factor e to the "
        "power ε."
    )


def _attack(tell: Teller) -> tuple[Inline, Inline, Inline] | None:
    at = strongest_attack(tell.facts)
    if at is None:
        return None
    advantage = tell.facts.number("audit.json", "attacks", at, "advantage", from_table=True, percent=True)
    success = tell.facts.number("audit.json", "attacks", at, "success", from_table=True, percent=True)
    baseline = tell.facts.number("audit.json", "attacks", at, "baseline", from_table=True, percent=True)
    return (
        (tell.language.say("Strongest attack, beyond what is known anyway"),),
        (advantage,),
        tell.say(
            "The attack “{attack}” is right about {success} of its targets; the same attacker without the release "
            "about {baseline}.",
            attack=str(tell.facts.get("audit.json", "attacks", at, "attack")),
            success=success,
            baseline=baseline,
        ),
    )


def _unchanged(tell: Teller) -> tuple[Inline, Inline, Inline] | None:
    for column in tell.secret:
        number = tell.maybe("utility.json", "columns", column, "unchanged", from_table=True, percent=True)
        if number is not None:
            return (
                tell.say("Values of {column} left unchanged", column=Own(column)),
                (number,),
                tell.say("So many rows of the release still show the true value; which, it does not say."),
            )
    return None


def _graded(tell: Teller) -> tuple[Inline, Inline, Inline] | None:
    if not tell.facts.has("assessment.json", "score"):
        return None
    return (
        (tell.language.say("Grade"),),
        _grade_in_short(tell),
        tell.say("The lowest of the grades for effect, privacy and utility, and no better than any veto allows."),
    )


def _grade_in_short(tell: Teller) -> Inline:
    privacy = tell.maybe("assessment.json", "privacy", from_table=True, digits=3)
    utility = tell.maybe("assessment.json", "utility", from_table=True, digits=3)
    grade = str(tell.facts.get("assessment.json", "grade"))
    if privacy is None or utility is None:
        return tell.stored(grade)
    return tell.say(
        "{grade}; privacy {privacy}, utility {utility} (of 100)", grade=grade, privacy=privacy, utility=utility
    )


def _explained(tell: Teller) -> Iterator[Block]:
    yield Paragraph(
        tell.say(
            "A bit is the answer to one yes-or-no question whose answers are equally likely: a leakage of one bit "
            "halves what an attacker has to choose from."
        ),
        "note",
    )
    yield Paragraph(
        tell.say(
            "ε bounds how much one released row can betray of its true value: 0 betrays nothing, at 1 the odds move by "
            "at most a factor of 2.72, at 3 of 20.1, and each further step multiplies it by 2.72 again."
        ),
        "note",
    )


def _signature(tell: Teller) -> Block:
    say = tell.language.say
    head = (say("Name"), say("Role"), say("Date"), say("Signature"))
    # Two lines: who made the release and who lets it go are rarely the same.
    empty: tuple[Inline, ...] = ((), (), (), ())
    return Grid(say("Approved by"), head, (empty, empty))

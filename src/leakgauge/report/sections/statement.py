"""The first screen: what was done, the grade, the numbers that matter, what is wrong, and who signs."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.assessment import grade_of
from leakgauge.artefacts.report import Paragraph
from leakgauge.languages import message
from leakgauge.report.document import Content, Inline
from leakgauge.report.sections.grade import failed_lines, vetoes
from leakgauge.report.sections.teller import OF_A_HUNDRED, ROWS, SCORES, Cell, Plain, Teller, own

_FAR_ABOVE = 0.1
"""So much more of the targets is far above."""
_MANY_ALONE = 0.05
"""The share of rows that stand alone above which it is loud."""
_TONES = {"good": "good", "very-good": "good", "poor": "warning", "very-poor": "warning"}


Row = tuple[Cell, Cell, Cell]


def statement(tell: Teller) -> Iterator[Content]:
    """What was done and what speaks against it; it is never left out."""
    yield from (*_done(tell), *_alarms(tell), *_headline(tell), *_explained(tell))
    # Two lines: who made the release and who lets it go are rarely the same.
    yield from tell.grid("Approved by", "Name|Role|Date|Signature", [[(), (), (), ()]] * 2)


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
    template = message(
        "The release is graded {grade}: the lowest of score {score} ({score_grade}), privacy {privacy} "
        "({privacy_grade}) and utility {utility} ({utility_grade})."
    )
    if uncapped != grade:
        template = message(
            "The release is graded {grade}, by a veto. Without it the grade would be {other}: score {score} "
            "({score_grade}), privacy {privacy} ({privacy_grade}), utility {utility} ({utility_grade})."
        )
    elif tell.items("assessment.json", "vetoes"):
        template = message(
            "The release is graded {grade}, and a veto stands against it; score {score} ({score_grade}), privacy "
            "{privacy} ({privacy_grade}), utility {utility} ({utility_grade})."
        )
    return tell.say(template, other=uncapped, **fields)


def _released(tell: Teller) -> Inline:
    template = message("Of {table}, {rows}, the column {secret} was released with noise that protects it.")
    if tell.keeps_guarantee_inside:
        template = message(
            "Of {table}, {rows}, the column {secret} was released through a random mechanism. Its settings may follow "
            "from private counts, so that its exact levels are not in this edition."
        )
    elif tell.promises_nothing:
        template = message(
            "Of {table}, {rows}, the column {secret} was released without any guarantee: nothing bounds what a row "
            "tells."
        )
    rows = tell.number("release.json", "rows", unit=ROWS, count=True)
    said = tell.say(template, table=tell.table, rows=rows, secret=tell.listed(tell.secret))
    if tell.keeps_guarantee_inside and tell.asked_epsilon is None:
        said += tell.say(" This edition promises no bound on what a row tells.")
    plain, binned = tell.public
    if plain:
        said += tell.say(" Released as they are, and not protected: {public}.", public=tell.listed(plain))
    if binned:
        said += tell.say(" Released in bins, and not protected: {public}.", public=tell.listed(binned))
    return said + tell.say(" No other column was released.")


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


def _headline(tell: Teller) -> Iterator[Content]:
    """Leakage, guarantee, attacks, usefulness and grade, each with its number and in plain words."""
    rows = (row for made in (_leakage, _guarantee, _attacks, _unchanged, _lowest) for row in made(tell))
    yield from tell.grid("The numbers that matter", "What|How much|In plain words", rows)


def _leakage(tell: Teller) -> Iterator[Row]:
    before = tell.maybe("measurement.json", "entropy")
    if before is None:
        return
    what = tell.say("Leakage of the secret")
    words = tell.say("Released as it is, the column would tell all there is to know of it.")
    if tell.secret_bins:
        what = tell.say("Leakage of the secret, of its bins ({bins})", bins=tell.listed(tell.secret_bins))
        words = tell.say(
            "Released in these bins and without noise, the column would tell the first number; its exact values would "
            "tell more."
        )
    after = tell.maybe("leakage.json", "leakage_with_background") or tell.maybe("leakage.json", "mutual_information")
    floor = tell.maybe("measurement.json", "background_floor")
    if floor is not None:
        words += tell.say(
            " The last number is what the declared background tells anyway: no protection of this column can go below "
            "it."
        )
    said = {
        (False, False): message("{before} before"),
        (False, True): message("{before} before; known anyway: {floor}"),
        (True, False): message("{before} before → {after} after"),
        (True, True): message("{before} before → {after} after; known anyway: {floor}"),
    }[after is not None, floor is not None]
    yield what, tell.say(said, before=before, after=after, floor=floor), words


def _guarantee(tell: Teller) -> Iterator[Row]:
    say, place = tell.language.say, tell.epsilon
    if place is not None:
        together = say("Guarantee of one row, all columns together")
        yield together if place[0] == "together" else say("Guarantee of one row"), _epsilon(tell, place), _odds(tell)
    elif tell.keeps_guarantee_inside and tell.asked_epsilon is not None:
        yield say("Guarantee of one row"), tell.say("ε at most {asked}", asked=tell.asked_epsilon), _odds(tell)


def _epsilon(tell: Teller, place: tuple[str, ...]) -> Inline:
    level = tell.number("release.json", *place)
    if tell.has("release.json", *place, "delta"):
        return tell.say("ε = {level}, δ = {delta}", level=level, delta=tell.number("release.json", *place, "delta"))
    if tell.has("job.json", "spent", "histogram"):
        return tell.say(
            "ε = {level} of the release and {histogram} of the histogram of its design, {together} together",
            level=level,
            histogram=tell.number("job.json", "spent", "histogram", unit="nats"),
            together=tell.number("job.json", "spent", "together", unit="nats"),
        )
    return "ε = ", level


def _odds(tell: Teller) -> Inline:
    if tell.promises_nothing:
        return tell.say(
            "Nothing is guaranteed: some released values can only come from some true values, and then tell them for "
            "sure."
        )
    if tell.has("job.json", "spent", "histogram"):
        return tell.say(
            "Seeing the release and which channel was designed changes the odds between any two true values of one row "
            "at most by the factor e to the power of both ε together."
        )
    if tell.epsilon is not None and tell.has("release.json", *tell.epsilon, "delta"):
        return tell.say(
            "Seeing the release changes the odds between any two true values of one row at most by the factor e to the "
            "power ε, but for a chance of δ."
        )
    return tell.say(
        "Seeing the release changes the odds between any two true values of one row at most by the factor e to the "
        "power ε."
    )


def _attacks(tell: Teller) -> Iterator[Row]:
    """The strongest attack, and one that was not tried on this release alone where it does far better."""
    judged, attacks = tell.strongest_attack, tell.items("audit.json", "attacks")
    if judged is None:
        return

    def gained(at: int) -> float:
        return float(attacks[at]["advantage"]["value"])

    def instead(at: int) -> Inline:
        shares = {
            name: tell.number("audit.json", "attacks", at, name, percent=True) for name in ("success", "baseline")
        }
        return tell.say("right about {success} instead of {baseline}", **shares)

    words = tell.say(
        "The share of its targets that the attack “{attack}” is right about, instead of the share that the same "
        "attacker is right about without the release.",
        attack=Plain(tell.told(attacks[judged]["attack"])),
    )
    yield tell.say("Strongest attack"), instead(judged), words
    others = [at for at, one in enumerate(attacks) if not one.get("judged", True) and at != judged]
    most = max(others, key=gained, default=judged)
    if gained(most) >= gained(judged) + _FAR_ABOVE:
        words = tell.say(
            "The attack “{attack}” needs further releases, or was tried on releases drawn afresh: it says what may "
            "happen, not what this release did.",
            attack=Plain(tell.told(attacks[most]["attack"])),
        )
        yield tell.say("Strongest attack with more than this release"), instead(most), words


def _unchanged(tell: Teller) -> Iterator[Row]:
    for column in tell.secret:
        number = tell.maybe("utility.json", "columns", column, "unchanged", percent=True)
        if number is not None:
            words = tell.say("The share of rows that still show the true value.")
            if not tell.promises_nothing:
                words = tell.say(
                    "The share of rows that still show the true value; which these are, the release does not say."
                )
            yield tell.say("Values of {column} left unchanged", column=own(column)), number, words
            return


def _lowest(tell: Teller) -> Iterator[Row]:
    if not tell.has("assessment.json", "score"):
        return
    words = (
        tell.say("A veto stands against the release; what it is about is said above.")
        if tell.items("assessment.json", "vetoes")
        else tell.say("The lowest of the grades for effect, privacy and utility.")
    )
    said = tell.say(
        "{grade}; score {score}, privacy {privacy}, utility {utility} (of 100)",
        grade=str(tell.get("assessment.json", "grade")),
        **{name: tell.cell("assessment.json", name, digits=3, interval=(at,)) for name, at in SCORES.items()},
    )
    yield tell.say("Grade"), said, words

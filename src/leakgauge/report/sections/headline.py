"""The numbers that matter, in a table of the first screen."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts import Finding, strongest
from leakgauge.artefacts.codec import decode
from leakgauge.report.document import Content, Grid, Inline
from leakgauge.report.facts import Facts
from leakgauge.report.sections.teller import Own, Plain, Teller

_FAR_ABOVE = 0.1
"""So much more of the targets is far above."""


def strongest_attack(facts: Facts) -> int | None:
    """Which of the audit's attacks gained most."""
    return strongest([decode(Finding, one, "audit.json") for one in facts.items("audit.json", "attacks")])


def headline(tell: Teller) -> Iterator[Content]:
    """Leakage, guarantee, attacks, usefulness and grade, each with its number and in plain words."""
    made = (_leakage(tell), _guarantee(tell), _attack(tell), _beyond(tell), _unchanged(tell), _graded(tell))
    rows = [row for row in made if row]
    if rows:
        say = tell.language.say
        head = (say("What"), say("How much"), say("In plain words"))
        yield Grid(say("The numbers that matter"), head, tuple(rows))


def _leakage(tell: Teller) -> tuple[Inline, Inline, Inline] | None:
    before = tell.maybe("measurement.json", "entropy")
    if before is None:
        return None
    what: Inline = (tell.language.say("Leakage of the secret"),)
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
        anyway = tell.say(
            " The last number is what the declared background tells anyway: no protection of this column can go below "
            "it."
        )
        words = (*words, *anyway)
    if after is None and floor is None:
        return what, tell.say("{before} before", before=before), words
    if after is None:
        return what, tell.say("{before} before; known anyway: {floor}", before=before, floor=floor), words
    if floor is None:
        return what, tell.say("{before} before → {after} after", before=before, after=after), words
    said = tell.say("{before} before → {after} after; known anyway: {floor}", before=before, after=after, floor=floor)
    return what, said, words


def _guarantee(tell: Teller) -> tuple[Inline, Inline, Inline] | None:
    place = tell.epsilon
    if place is None and tell.keeps_guarantee_inside and tell.asked_epsilon is not None:
        what = tell.language.say("Guarantee of one row")
        return (what,), tell.say("ε at most {asked}", asked=tell.asked_epsilon), _odds(tell)
    if place is None:
        return None
    what = (
        tell.language.say("Guarantee of one row, all columns together")
        if place[0] == "together"
        else tell.language.say("Guarantee of one row")
    )
    return (what,), _epsilon(tell, place), _odds(tell)


def _epsilon(tell: Teller, place: tuple[str, ...]) -> Inline:
    level = tell.facts.number("release.json", *place)
    if tell.facts.has("release.json", *place, "delta"):
        delta = tell.facts.number("release.json", *place, "delta")
        return tell.say("ε = {level}, δ = {delta}", level=level, delta=delta)
    if tell.facts.has("job.json", "spent", "histogram"):
        return tell.say(
            "ε = {level} of the release and {histogram} of the histogram of its design, {together} together",
            level=level,
            histogram=tell.facts.number("job.json", "spent", "histogram", unit="nats"),
            together=tell.facts.number("job.json", "spent", "together", unit="nats"),
        )
    return "ε = ", level


def _odds(tell: Teller) -> Inline:
    if tell.promises_nothing:
        return tell.say(
            "Nothing is guaranteed: some released values can only come from some true values, and then tell them for "
            "sure."
        )
    if tell.facts.has("job.json", "spent", "histogram"):
        return tell.say(
            "Seeing the release and which channel was designed changes the odds between any two true values of one row "
            "at most by the factor e to the power of both ε together."
        )
    if tell.epsilon is not None and tell.facts.has("release.json", *tell.epsilon, "delta"):
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
    return (
        (tell.language.say("Strongest attack"),),
        _instead(tell, at),
        tell.say(
            "The share of its targets that the attack “{attack}” is right about, instead of the share that the same "
            "attacker is right about without the release.",
            attack=Plain(tell.told(tell.facts.get("audit.json", "attacks", at, "attack"))),
        ),
    )


def _instead(tell: Teller, at: int) -> Inline:
    success, baseline = (
        tell.facts.number("audit.json", "attacks", at, name, percent=True) for name in ("success", "baseline")
    )
    return tell.say("right about {success} instead of {baseline}", success=success, baseline=baseline)


def _beyond(tell: Teller) -> tuple[Inline, Inline, Inline] | None:
    """The strongest attack that was not tried on this release alone, where it does far better than those that were."""
    judged = strongest_attack(tell.facts)
    attacks = tell.facts.items("audit.json", "attacks")
    others = [at for at, one in enumerate(attacks) if not one.get("judged", True) and at != judged]
    if judged is None or not others:
        return None

    def gained(at: int) -> float:
        return float(attacks[at]["advantage"]["value"])

    most = max(others, key=gained)
    if gained(most) < gained(judged) + _FAR_ABOVE:
        return None
    return (
        (tell.language.say("Strongest attack with more than this release"),),
        _instead(tell, most),
        tell.say(
            "The attack “{attack}” needs further releases, or was tried on releases drawn afresh: it says what may "
            "happen, not what this release did.",
            attack=Plain(tell.told(attacks[most]["attack"])),
        ),
    )


def _unchanged(tell: Teller) -> tuple[Inline, Inline, Inline] | None:
    for column in tell.secret:
        number = tell.maybe("utility.json", "columns", column, "unchanged", percent=True)
        if number is not None:
            return (
                tell.say("Values of {column} left unchanged", column=Own(column)),
                (number,),
                tell.say("The share of rows that still show the true value.")
                if tell.promises_nothing
                else tell.say(
                    "The share of rows that still show the true value; which these are, the release does not say."
                ),
            )
    return None


def _graded(tell: Teller) -> tuple[Inline, Inline, Inline] | None:
    if not tell.facts.has("assessment.json", "score"):
        return None
    words = (
        tell.say("A veto stands against the release; what it is about is said above.")
        if tell.facts.items("assessment.json", "vetoes")
        else tell.say("The lowest of the grades for effect, privacy and utility.")
    )
    return (tell.language.say("Grade"),), _grade_in_short(tell), words


def _grade_in_short(tell: Teller) -> Inline:
    names = {"score": "interval", "privacy": "privacy_interval", "utility": "utility_interval"}
    scores = {name: tell.score("assessment.json", name, interval=(interval,)) for name, interval in names.items()}
    grade = str(tell.facts.get("assessment.json", "grade"))
    return tell.say("{grade}; score {score}, privacy {privacy}, utility {utility} (of 100)", grade=grade, **scores)

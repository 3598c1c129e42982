"""The numbers that matter, in a table of the first screen."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts import Finding, strongest
from leakgauge.artefacts.codec import decode
from leakgauge.report.document import Content, Inline
from leakgauge.report.sections.teller import SCORES, Cell, Own, Plain, Teller

_FAR_ABOVE = 0.1
"""So much more of the targets is far above."""
Row = tuple[Cell, Cell, Cell]


def strongest_attack(tell: Teller) -> int | None:
    """Which of the audit's attacks gained most."""
    return strongest([decode(Finding, one, "audit.json") for one in tell.items("audit.json", "attacks")])


def headline(tell: Teller) -> Iterator[Content]:
    """Leakage, guarantee, attacks, usefulness and grade, each with its number and in plain words."""
    rows = (row for made in (_leakage, _guarantee, _attacks, _unchanged, _graded) for row in made(tell))
    yield from tell.grid("The numbers that matter", rows, "What", "How much", "In plain words")


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
    fields = {"before": before, "after": after, "floor": floor}
    if after is None and floor is None:
        said = tell.say("{before} before", **fields)
    elif after is None:
        said = tell.say("{before} before; known anyway: {floor}", **fields)
    elif floor is None:
        said = tell.say("{before} before → {after} after", **fields)
    else:
        said = tell.say("{before} before → {after} after; known anyway: {floor}", **fields)
    yield what, said, words


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
    judged, attacks = strongest_attack(tell), tell.items("audit.json", "attacks")
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
            words = (
                tell.say("The share of rows that still show the true value.")
                if tell.promises_nothing
                else tell.say(
                    "The share of rows that still show the true value; which these are, the release does not say."
                )
            )
            yield tell.say("Values of {column} left unchanged", column=Own(column)), number, words
            return


def _graded(tell: Teller) -> Iterator[Row]:
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

"""The numbers that matter, each in plain words: of every secret, and of the one that decides."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import message
from leakgauge.report.document import Content, Inline
from leakgauge.report.numbers import Number
from leakgauge.report.sections.bits import better_attacker, bits, bits_of, exposure, is_exact
from leakgauge.report.sections.dials import dial
from leakgauge.report.sections.teller import NOTHING, Cell, Plain, Teller, own

_FAR_ABOVE = 0.1
"""So much more of the targets is far above."""

Row = tuple[Cell, Cell, Cell]


def headline(tell: Teller) -> Iterator[Content]:
    """Leakage, guarantee, attacks and values left unchanged, and what their units mean."""
    yield from (*_numbers(tell), *_explained(tell))
    inside = tell.own and tell.released and not tell.external
    if inside and not all(one["exact"] for one in tell.items("job.json", "secrets")):
        yield better_attacker(tell)


def _explained(tell: Teller) -> Iterator[Content]:
    if not tell.external:
        yield tell.note(
            "A bit is the answer to one yes-or-no question whose answers are equally likely: a leakage of one bit "
            "halves what an attacker has to choose from."
        )
    if tell.epsilon is not None or any(one.asked_epsilon is not None for one in tell.each):
        template = message(
            "ε bounds how much one released row can reveal about its true value: 0 reveals nothing, at 1 the odds "
            "move by at most a factor of 2.72, at 3 of 20.1, and each further 1 multiplies it by 2.72 again."
        )
        if tell.protects_persons and tell.epsilon is not None:
            template = message(
                "ε bounds how much the released rows of one person can reveal about their true values: 0 reveals "
                "nothing, at 1 the odds move by at most a factor of 2.72, at 3 of 20.1, and each further 1 multiplies "
                "it by 2.72 again."
            )
        yield tell.note(template)
        yield from tell.unprotected()


def every_secret(tell: Teller) -> Iterator[Content]:
    """Of several secrets a line for each, and what is told of all at once; none of it may be told to everybody."""
    if not tell.own or tell.external or not tell.released:
        return
    say, total = tell.language.say, ("total", "information")
    rows: list[tuple[Cell, ...]] = []
    for at, one in enumerate(tell.items("job.json", "secrets")):
        place = ("secrets", at)
        name = tell.listed(one["secret"])
        if one["withheld"]:
            name = Plain(say("{secret} (withheld)", secret=name))
        dials = (dial(tell, "job.json", *place, "dials", kind) for kind in ("protection", "exposed", "usefulness"))
        shares = (tell.cell("job.json", *place, name, percent=True) for name in ("success", "baseline"))
        rows.append((name, *dials, _learnt(tell, *place, exact=one["exact"]), *shares))
    if tell.has("job.json", *total):
        learnt = bits(tell, "job.json", *total, exact=tell.get("job.json", "total", "exact"))
        rows.append((say("all of them at once"), *[NOTHING] * 3, learnt, *[NOTHING] * 2))
    yield from tell.grid(
        "Every secret",
        "Secret|Protection|Exposed|Usefulness|The attacker learns|Guessed right with the release|"
        "Guessed right without it",
        rows,
    )


def _learnt(tell: Teller, *place: str | int, exact: bool) -> Inline:
    """Bits of a secret that are learnt, of how many."""
    before = tell.maybe("job.json", *place, "leakage_before", "value", unit="bits")
    if before is None or not tell.has("job.json", *place, "leakage_after"):
        return (NOTHING,)
    return bits(tell, "job.json", *place, "leakage_after", exact=exact, all_of_it=before, of=True)


def _numbers(tell: Teller) -> Iterator[Content]:
    """Leakage, guarantee, attacks and values left unchanged, each with its number and in plain words."""
    lead, caption = tell.deciding, message("The numbers that matter")
    if lead.group:
        caption = message("The numbers that matter, of {secret}")
    rows = (row for made in (_leakage, _guarantee, _attacks, _unchanged) for row in made(lead))
    yield from tell.grid(caption, "What|How much|In plain words", rows, secret=tell.listed(lead.group))


def _leakage(tell: Teller) -> Iterator[Row]:
    place = exposure(tell)
    before = tell.maybe("measurement.json", "entropy")
    if tell.foreign and place is not None:
        before = tell.number("audit.json", *place, "entropy")
    if before is None:
        return
    what = tell.say("Leakage of the secret")
    words = tell.say("Released unchanged, the column would reveal everything.")
    if tell.secret_bins:
        what = tell.say("Leakage of the secret, of its bins ({bins})", bins=tell.listed(tell.secret_bins))
        words = tell.say(
            "Released in these bins and without noise, the column would reveal the first number; its exact values "
            "would reveal more."
        )
    after, floor = _told(tell)
    if floor is not None:
        words += tell.say(
            " The last number is what the declared background reveals anyway: no protection of this column can go "
            "below it."
        )
    said = {
        (False, False): message("{before} before"),
        (False, True): message("{before} before; known anyway: {floor}"),
        (True, False): message("{before} before → {after} after"),
        (True, True): message("{before} before → {after} after; known anyway: {floor}"),
    }[after is not None, floor is not None]
    if place is not None:
        words += tell.say(" The number after counts everything released or known.")
        if not is_exact(tell, *place, "everything"):
            words += tell.say(" A better attacker may learn more than the lower bound.")
            said = {
                False: message("{before} before; after: {after}"),
                True: message("{before} before; after: {after}; known anyway: {floor}"),
            }[floor is not None]
    yield what, tell.say(said, before=before, after=after, floor=floor), words


def _told(tell: Teller) -> tuple[Number | Inline | None, Number | Inline | None]:
    """The bits that are told with the release, and by the background alone; None where they are not known."""
    place = exposure(tell)
    if place is None:
        after = tell.maybe("leakage.json", "leakage_with_background") or tell.maybe(
            "leakage.json", "mutual_information"
        )
        return after, tell.maybe("measurement.json", "background_floor")
    floor = bits_of(tell, *place, "known") if tell.background else None
    return bits_of(tell, *place, "everything"), floor


def _guarantee(tell: Teller) -> Iterator[Row]:
    place = tell.epsilon
    if tell.epsilon_per_km is not None:
        yield (
            tell.say("Guarantee of {unit}, by distance", unit=tell.unit_of_protection),
            tell.say("ε = {level}", level=tell.number(*tell.epsilon_per_km)),
            tell.say(
                "Seeing the released places changes the odds between two true ones a kilometre apart at most by the "
                "factor e to the power ε, and less the nearer they are; below, between the two furthest on the map."
            ),
        )
    if place is not None:
        what = message("Guarantee of {unit}")
        if len(tell.names("release.json", "claims")) > 1:
            what = message("Guarantee of {unit}, all protected columns together")
        yield tell.say(what, unit=tell.unit_of_protection), _epsilon(tell, place), _odds(tell)
    elif tell.keeps_guarantee_inside:
        for one in tell.each:
            if one.asked_epsilon is not None:
                # What is asked for is of a row, whomever the record protects.
                what = message("Guarantee of one row, {secret} alone") if one.group else message("Guarantee of one row")
                said = tell.say("ε at most {asked}", asked=one.asked_epsilon)
                yield tell.say(what, secret=tell.listed(one.group)), said, _odds(one)


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
    """How far the odds move; columns that are released unprotected may move them further."""
    seen = tell.language.say("the protected columns") if any(tell.public) else tell.language.say("the release")
    if tell.epsilon is None and tell.group:
        seen = tell.language.say("the released {secret}", secret=tell.listed(tell.group))
    unit = tell.language.say("one row")
    if tell.epsilon is not None and tell.protects_persons:
        unit = tell.language.say("one person")
    fields = {"seen": Plain(seen), "unit": Plain(unit)}
    if tell.promises_nothing:
        return tell.say(
            "Nothing is guaranteed: some released values can only come from certain true values, and then reveal them."
        )
    if tell.has("job.json", "spent", "histogram"):
        return tell.say(
            "Seeing {seen} and which channel was designed changes the odds between any two true values of {unit} "
            "at most by the factor e to the power of both ε together.",
            **fields,
        )
    if tell.epsilon is not None and tell.has("release.json", *tell.epsilon, "delta"):
        return tell.say(
            "Seeing {seen} changes the odds between any two true values of {unit} at most by the factor e to the "
            "power ε, but for a chance of δ.",
            **fields,
        )
    return tell.say(
        "Seeing {seen} changes the odds between any two true values of {unit} at most by the factor e to the power ε.",
        **fields,
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
        return tell.say("right for {success} instead of {baseline}", **shares)

    words = tell.say(
        "The share of its targets that the attack “{attack}” is right about, instead of the share that the same "
        "attacker is right about without the release.",
        attack=Plain(tell.told(attacks[judged]["attack"])),
    )
    yield tell.say("Strongest attack"), instead(judged), words
    others = [at for at in tell.attacks if not attacks[at].get("judged", True) and at != judged]
    most = max(others, key=gained, default=judged)
    if gained(most) >= gained(judged) + _FAR_ABOVE:
        words = tell.say(
            "The attack “{attack}” needs further releases, or was tried on simulated releases: it shows what may "
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
                words = tell.say("The share of rows that still show the true value; the release does not say which.")
            yield tell.say("Values of {column} left unchanged", column=own(column)), number, words
            return

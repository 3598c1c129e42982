"""The numbers that matter, each in plain words: of every secret, and of the one that decides."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.audit import Finding
from leakgauge.artefacts.job import JobCost, SecretOutcome
from leakgauge.artefacts.quantity import Level
from leakgauge.languages import message
from leakgauge.report.document import Content, Inline
from leakgauge.report.numbers import Number
from leakgauge.report.sections.attacks import attacks_on, strongest_attack
from leakgauge.report.sections.bits import better_attacker, bits, bits_of, exposure
from leakgauge.report.sections.columns import bins_of_secret, by_coarseness, known_columns, protected_columns
from leakgauge.report.sections.dials import deciding, dial
from leakgauge.report.sections.promises import (
    asked_epsilon,
    epsilon_of,
    epsilon_per_km,
    keeps_guarantee_inside,
    promises_nothing,
    protects_persons,
    unit_of_protection,
    unprotected,
)
from leakgauge.report.sections.teller import NOTHING, Cell, Plain, Teller, own

_FAR_ABOVE = 0.1
"""So much more of the targets is far above."""

Row = tuple[Cell, Cell, Cell]


def headline(tell: Teller) -> Iterator[Content]:
    """Leakage, guarantee, attacks and values left unchanged, and what their units mean."""
    yield from (*_numbers(tell), *_explained(tell))
    if not all(one.exact for one in _outcomes(tell)):
        yield better_attacker(tell)


def _outcomes(tell: Teller) -> tuple[SecretOutcome, ...]:
    """The outcome for each of several secrets, where something was released; none of it may be told to everybody."""
    job = tell.dossier.job
    return () if job is None or len(tell.each) < 2 or tell.external or not tell.released else job.secrets


def _explained(tell: Teller) -> Iterator[Content]:
    if not tell.external:
        yield tell.note(
            "A bit is the answer to one yes-or-no question whose answers are equally likely: a leakage of one bit "
            "halves what an attacker has to choose from."
        )
    epsilon = epsilon_of(tell)
    if epsilon is not None or any(asked_epsilon(one) is not None for one in tell.each):
        template = message(
            "ε bounds how much one released row can reveal about its true value: 0 reveals nothing, at 1 the odds "
            "move by at most a factor of 2.72, at 3 of 20.1, and each further 1 multiplies it by 2.72 again."
        )
        if protects_persons(tell) and epsilon is not None:
            template = message(
                "ε bounds how much the released rows of one person can reveal about their true values: 0 reveals "
                "nothing, at 1 the odds move by at most a factor of 2.72, at 3 of 20.1, and each further 1 multiplies "
                "it by 2.72 again."
            )
        yield tell.note(template)
        yield from unprotected(tell)


def every_secret(tell: Teller) -> Iterator[Content]:
    """Of several secrets a line for each, and what is told of all at once."""
    say, outcomes = tell.language.say, _outcomes(tell)
    rows: list[tuple[Cell, ...]] = []
    for one in outcomes:
        name = tell.listed(one.secret)
        if one.withheld:
            name = Plain(say("{secret} (withheld)", secret=name))
        dials = (dial(tell, one.dials, kind) for kind in ("protection", "exposed", "usefulness"))
        shares = (tell.cell(one, name, percent=True) for name in ("success", "baseline"))
        rows.append((name, *dials, _learnt(tell, one), *shares))
    total = tell.dossier.job.total if outcomes and tell.dossier.job is not None else None
    if total is not None:
        learnt = bits(tell, total.information, exact=total.exact)
        rows.append((say("all of them at once"), *[NOTHING] * 3, learnt, *[NOTHING] * 2))
    yield from tell.grid(
        "Every secret",
        "Secret|Protection|Exposed|Usefulness|The attacker learns|Guessed right with the release|"
        "Guessed right without it",
        rows,
    )


def _learnt(tell: Teller, one: SecretOutcome) -> Inline:
    """Bits of a secret that are learnt, of how many."""
    if one.leakage_before is None or one.leakage_after is None:
        return (NOTHING,)
    before = tell.number(one.leakage_before, "value", unit="bits")
    return bits(tell, one.leakage_after, exact=one.exact, all_of_it=before, of=True)


def _numbers(tell: Teller) -> Iterator[Content]:
    """Leakage, guarantee, attacks and values left unchanged, each with its number and in plain words."""
    lead, caption = deciding(tell), message("The numbers that matter")
    if lead.group:
        caption = message("The numbers that matter, of {secret}")
    rows = (row for made in (_leakage, _guarantee, _attacks, _unchanged) for row in made(lead))
    yield from tell.grid(caption, "What|How much|In plain words", rows, secret=tell.listed(lead.group))


def _leakage(tell: Teller) -> Iterator[Row]:
    seen, bins = exposure(tell), bins_of_secret(tell)
    before = tell.maybe(tell.results.measurement, "entropy")
    if tell.foreign is not None and seen is not None:
        before = tell.number(seen, "entropy")
    if before is None:
        return
    what = tell.say("Leakage of the secret")
    words = tell.say("Released unchanged, the column would reveal everything.")
    if bins:
        what = tell.say("Leakage of the secret, of its bins ({bins})", bins=tell.listed(bins))
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
    if seen is not None:
        words += tell.say(" The number after counts everything released or known.")
        if not seen.everything.exact:
            words += tell.say(" A better attacker may learn more than the lower bound.")
            said = {
                False: message("{before} before; after: {after}"),
                True: message("{before} before; after: {after}; known anyway: {floor}"),
            }[floor is not None]
    yield what, tell.say(said, before=before, after=after, floor=floor), words


def _told(tell: Teller) -> tuple[Number | Inline | None, Number | Inline | None]:
    """The bits that are told with the release, and by the background alone; None where they are not known."""
    seen, leakage = exposure(tell), tell.results.leakage
    if seen is None:
        after = tell.maybe(leakage, "leakage_with_background") or tell.maybe(leakage, "mutual_information")
        return after, tell.maybe(tell.results.measurement, "background_floor")
    floor = bits_of(tell, seen, seen.known) if known_columns(tell) else None
    return bits_of(tell, seen, seen.everything), floor


def _guarantee(tell: Teller) -> Iterator[Row]:
    epsilon, per_km, record = epsilon_of(tell), epsilon_per_km(tell), tell.dossier.record
    if per_km is not None:
        yield (
            tell.say("Guarantee of {unit}, by distance", unit=unit_of_protection(tell)),
            tell.say("ε = {level}", level=tell.number(per_km)),
            tell.say(
                "Seeing the released places changes the odds between two true ones a kilometre apart at most by the "
                "factor e to the power ε, and less the nearer they are; below, between the two furthest on the map."
            ),
        )
    if epsilon is not None:
        what = message("Guarantee of {unit}")
        if record is not None and len(record.claims) > 1:
            what = message("Guarantee of {unit}, all protected columns together")
        yield tell.say(what, unit=unit_of_protection(tell)), _epsilon(tell, epsilon), _odds(tell)
    elif keeps_guarantee_inside(tell):
        for one in tell.each:
            asked = asked_epsilon(one)
            if asked is not None:
                # What is asked for is of a row, whomever the record protects.
                what = message("Guarantee of one row, {secret} alone") if one.group else message("Guarantee of one row")
                said = tell.say("ε at most {asked}", asked=asked)
                yield tell.say(what, secret=tell.listed(one.group)), said, _odds(one)


def _with_histogram(tell: Teller) -> JobCost | None:
    """What the job cost, where its design had to be paid too."""
    spent = None if tell.dossier.job is None else tell.dossier.job.spent
    return None if spent is None or spent.histogram is None else spent


def _epsilon(tell: Teller, epsilon: Level) -> Inline:
    level, spent = tell.number(epsilon), _with_histogram(tell)
    if epsilon.delta is not None:
        return tell.say("ε = {level}, δ = {delta}", level=level, delta=tell.number(epsilon, "delta"))
    if spent is not None:
        return tell.say(
            "ε = {level} of the release and {histogram} of the histogram of its design, {together} together",
            level=level,
            histogram=tell.number(spent, "histogram", unit="nats"),
            together=tell.number(spent, "together", unit="nats"),
        )
    return "ε = ", level


def _odds(tell: Teller) -> Inline:
    """How far the odds move; columns that are released unprotected may move them further."""
    say, epsilon = tell.language.say, epsilon_of(tell)
    seen = say("the protected columns") if any(by_coarseness(tell)) else say("the release")
    if epsilon is None and tell.group:
        seen = tell.language.say("the released {secret}", secret=tell.listed(tell.group))
    unit = tell.language.say("one row")
    if epsilon is not None and protects_persons(tell):
        unit = tell.language.say("one person")
    fields = {"seen": Plain(seen), "unit": Plain(unit)}
    if promises_nothing(tell):
        return tell.say(
            "Nothing is guaranteed: some released values can only come from certain true values, and then reveal them."
        )
    if _with_histogram(tell) is not None:
        return tell.say(
            "Seeing {seen} and which channel was designed changes the odds between any two true values of {unit} "
            "at most by the factor e to the power of both ε together.",
            **fields,
        )
    if epsilon is not None and epsilon.delta is not None:
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
    judged = strongest_attack(tell)
    if judged is None:
        return

    def gained(one: Finding) -> float:
        return one.advantage.value

    def instead(one: Finding) -> Inline:
        shares = {name: tell.number(one, name, percent=True) for name in ("success", "baseline")}
        return tell.say("right for {success} instead of {baseline}", **shares)

    words = tell.say(
        "The share of its targets that the attack “{attack}” is right about, instead of the share that the same "
        "attacker is right about without the release.",
        attack=Plain(tell.told(judged.attack)),
    )
    yield tell.say("Strongest attack"), instead(judged), words
    others = [one for one in attacks_on(tell) if not one.judged and one is not judged]
    most = max(others, key=gained, default=judged)
    if gained(most) >= gained(judged) + _FAR_ABOVE:
        words = tell.say(
            "The attack “{attack}” needs further releases, or was tried on simulated releases: it shows what may "
            "happen, not what this release did.",
            attack=Plain(tell.told(most.attack)),
        )
        yield tell.say("Strongest attack with more than this release"), instead(most), words


def _unchanged(tell: Teller) -> Iterator[Row]:
    for column in protected_columns(tell):
        number = tell.maybe(tell.results.utility, "columns", column, "unchanged", percent=True)
        if number is not None:
            words = tell.say("The share of rows that still show the true value.")
            if not promises_nothing(tell):
                words = tell.say("The share of rows that still show the true value; the release does not say which.")
            yield tell.say("Values of {column} left unchanged", column=own(column)), number, words
            return

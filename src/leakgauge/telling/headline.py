"""The numbers that matter, each in plain words: of every secret, and of the one that decides."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.audit import Finding
from leakgauge.artefacts.job import JobCost, SecretOutcome
from leakgauge.artefacts.quantity import Level
from leakgauge.artefacts.scores import SCORES
from leakgauge.languages import message
from leakgauge.telling.attacks import attacks_on, strongest_attack
from leakgauge.telling.bits import better_attacker, bits, bits_of, exposure
from leakgauge.telling.blocks import Content, Inline, Number, unprinted
from leakgauge.telling.columns import bins_of_secret, by_coarseness, known_columns, protected_columns
from leakgauge.telling.promises import (
    asked_epsilon,
    epsilon_of,
    epsilon_per_km,
    keeps_guarantee_inside,
    promises_nothing,
    protects_persons,
    unit_of_protection,
    unprotected,
)
from leakgauge.telling.scores import deciding, score
from leakgauge.telling.voice import NOTHING, Cell, Plain, Voice, own

_FAR_ABOVE = 0.1
"""So much more of the targets is far above."""

Row = tuple[Cell, Cell, Cell]


def headline(voice: Voice) -> Iterator[Content]:
    """Leakage, guarantee, attacks and values left unchanged, and what their units mean."""
    yield from (*numbers(voice), *_explained(voice))
    if not all(one.exact for one in _outcomes(voice)):
        yield better_attacker(voice)


def _outcomes(voice: Voice) -> tuple[SecretOutcome, ...]:
    """The outcome for each of several secrets, where something was released; none of it may be told to everybody."""
    job = voice.dossier.job
    return () if job is None or len(voice.each) < 2 or voice.external or not voice.released else job.secrets


def _explained(voice: Voice) -> Iterator[Content]:
    if not voice.external:
        yield voice.note("One bit answers one yes-or-no question: leaking one bit halves the number of possibilities.")
    epsilon = epsilon_of(voice)
    if epsilon is not None or any(asked_epsilon(one) is not None for one in voice.each):
        template = message(
            "ε limits how much one released row can reveal about its true value. 0: nothing. 1: the odds "
            "change at most 2.72-fold. 3: at most 20.1-fold. Each further 1 multiplies this by 2.72."
        )
        if protects_persons(voice) and epsilon is not None:
            template = message(
                "ε limits how much the released rows of one person can reveal about their true values. 0: "
                "nothing. 1: the odds change at most 2.72-fold. 3: at most 20.1-fold. Each further 1 "
                "multiplies this by 2.72."
            )
        yield voice.note(template)
        # Beside the levels it is said in print.
        yield from unprinted(unprotected(voice))


def every_secret(voice: Voice) -> Iterator[Content]:
    """Of several secrets a line for each, and what is told of all at once."""
    say, outcomes = voice.language.say, _outcomes(voice)
    rows: list[tuple[Cell, ...]] = []
    for one in outcomes:
        name = voice.listed(one.secret)
        if one.withheld:
            name = Plain(say("{secret} (withheld)", secret=name))
        scores = (score(voice, one.scores, kind) for kind in SCORES)
        shares = (voice.cell(one, name, percent=True) for name in ("success", "baseline"))
        rows.append((name, *scores, _learnt(voice, one), *shares))
    total = voice.dossier.job.total if outcomes and voice.dossier.job is not None else None
    if total is not None:
        learnt = bits(voice, total.information, exact=total.exact)
        rows.append((say("all of them at once"), *[NOTHING] * 3, learnt, *[NOTHING] * 2))
    yield from voice.grid(
        "Every secret",
        "Secret|Protection|Surest|Usefulness|The attacker learns|Guessed correctly with the release|Guessed "
        "correctly without it",
        rows,
    )


def _learnt(voice: Voice, one: SecretOutcome) -> Inline:
    """Bits of a secret that are learnt, of how many."""
    if one.leakage_before is None or one.leakage_after is None:
        return (NOTHING,)
    before = voice.number(one.leakage_before, "value", unit="bits")
    return bits(voice, one.leakage_after, exact=one.exact, all_of_it=before, of=True)


def numbers(voice: Voice, *, short: bool = False) -> Iterator[Content]:
    """Leakage, guarantee, attacks and values left unchanged, each with its number, and in plain words unless short."""
    lead, caption = deciding(voice), message("The numbers that matter")
    if lead.group:
        caption = message("The numbers that matter, of {secret}")
    rows = (row[:2] if short else row for made in (_leakage, _guarantee, _attacks, _unchanged) for row in made(lead))
    yield from voice.grid(caption, "What|How much|In plain words", rows, secret=voice.listed(lead.group))


def _leakage(voice: Voice) -> Iterator[Row]:
    seen, bins = exposure(voice), bins_of_secret(voice)
    before = voice.maybe(voice.results.measurement, "entropy")
    if voice.foreign is not None and seen is not None:
        before = voice.number(seen, "entropy")
    if before is None:
        return
    what = voice.say("Leakage of the secret")
    words = voice.say("Released unchanged, the column would reveal everything.")
    if bins:
        what = voice.say("Leakage of the secret, of its bins ({bins})", bins=voice.listed(bins))
        words = voice.say(
            "Released in these bins without noise, the column would reveal the first figure; its exact "
            "values would reveal more."
        )
    after, floor = _told(voice)
    if floor is not None:
        words += voice.say(
            " The last figure is known from the declared background even without a release; protecting this "
            "column cannot reduce it."
        )
    said = {
        (False, False): message("{before} before"),
        (False, True): message("{before} before; already known: {floor}"),
        (True, False): message("{before} before → {after} after"),
        (True, True): message("{before} before → {after} after; already known: {floor}"),
    }[after is not None, floor is not None]
    if seen is not None:
        words += voice.say(" The figure after includes everything that is released or known.")
        if not seen.everything.exact:
            words += voice.say(" A better attacker may learn more than the lower bound.")
            said = {
                False: message("{before} before; after: {after}"),
                True: message("{before} before; after: {after}; already known: {floor}"),
            }[floor is not None]
    yield what, voice.say(said, before=before, after=after, floor=floor), words


def _told(voice: Voice) -> tuple[Number | Inline | None, Number | Inline | None]:
    """The bits that are told with the release, and by the background alone; None where they are not known."""
    seen, leakage = exposure(voice), voice.results.leakage
    if seen is None:
        after = voice.maybe(leakage, "leakage_with_background") or voice.maybe(leakage, "mutual_information")
        return after, voice.maybe(voice.results.measurement, "background_floor")
    floor = bits_of(voice, seen, seen.known) if known_columns(voice) else None
    return bits_of(voice, seen, seen.everything), floor


def _guarantee(voice: Voice) -> Iterator[Row]:
    epsilon, per_km, record = epsilon_of(voice), epsilon_per_km(voice), voice.dossier.record
    if per_km is not None:
        yield (
            voice.say("Guarantee for {unit}, by distance", unit=unit_of_protection(voice)),
            voice.say("ε = {level}", level=voice.number(per_km)),
            voice.say(
                "Seeing the released places changes the odds between two true ones a kilometre apart by at "
                "most a factor of e^ε, and less the nearer they are; below, for the two furthest apart on the "
                "map."
            ),
        )
    if epsilon is not None:
        what = message("Guarantee for {unit}")
        if record is not None and len(record.claims) > 1:
            what = message("Guarantee for {unit}, all protected columns together")
        yield voice.say(what, unit=unit_of_protection(voice)), _epsilon(voice, epsilon), _odds(voice)
    elif keeps_guarantee_inside(voice):
        for one in voice.each:
            asked = asked_epsilon(one)
            if asked is not None:
                # What is asked for is of a row, whomever the record protects.
                what = (
                    message("Guarantee for one row, {secret} alone") if one.group else message("Guarantee for one row")
                )
                said = voice.say("ε at most {asked}", asked=asked)
                yield voice.say(what, secret=voice.listed(one.group)), said, _odds(one)


def _with_histogram(voice: Voice) -> JobCost | None:
    """What the job cost, where its design had to be paid too."""
    spent = None if voice.dossier.job is None else voice.dossier.job.spent
    return None if spent is None or spent.histogram is None else spent


def _epsilon(voice: Voice, epsilon: Level) -> Inline:
    level, spent = voice.number(epsilon), _with_histogram(voice)
    if epsilon.delta is not None:
        return voice.say("ε = {level}, δ = {delta}", level=level, delta=voice.number(epsilon, "delta"))
    if spent is not None:
        return voice.say(
            "ε = {level} of the release and {histogram} of the histogram of its design, {together} together",
            level=level,
            **voice.fields(spent, "histogram", "together", unit="nats"),
        )
    return "ε = ", level


def _odds(voice: Voice) -> Inline:
    """How far the odds move; columns that are released unprotected may move them further."""
    say, epsilon = voice.language.say, epsilon_of(voice)
    seen = say("the protected columns") if any(by_coarseness(voice)) else say("the release")
    if epsilon is None and voice.group:
        seen = voice.language.say("the released {secret}", secret=voice.listed(voice.group))
    unit = voice.language.say("one row")
    if epsilon is not None and protects_persons(voice):
        unit = voice.language.say("one person")
    fields = {"seen": Plain(seen), "unit": Plain(unit)}
    if promises_nothing(voice):
        return voice.say(
            "Nothing is guaranteed: some released values are only possible for certain true values, and then "
            "reveal them."
        )
    if _with_histogram(voice) is not None:
        return voice.say(
            "Whatever an attacker believed before, seeing {seen} and the designed channel changes the odds "
            "between two possible values of {unit} by at most a factor of e to the power of both ε together.",
            **fields,
        )
    if epsilon is not None and epsilon.delta is not None:
        return voice.say(
            "Whatever an attacker believed before, seeing {seen} changes the odds between two possible "
            "values of {unit} by at most a factor of e^ε, except with a probability of at most δ.",
            **fields,
        )
    return voice.say(
        "Whatever an attacker believed before, seeing {seen} changes the odds between two possible values of "
        "{unit} by at most a factor of e^ε.",
        **fields,
    )


def _attacks(voice: Voice) -> Iterator[Row]:
    """The strongest attack, and one that was not tried on this release alone where it does far better."""
    judged = strongest_attack(voice)
    if judged is None:
        return

    def gained(one: Finding) -> float:
        return one.advantage.value

    def instead(one: Finding) -> Inline:
        shares = {name: voice.number(one, name, percent=True) for name in ("success", "baseline")}
        return voice.say("{success} correct, {baseline} without it", **shares)

    words = voice.say(
        "How often the attack “{attack}” is correct: with the release, and without it.",
        attack=Plain(voice.told(judged.attack)),
    )
    yield voice.say("Strongest attack"), instead(judged), words
    others = [one for one in attacks_on(voice) if not one.judged and one is not judged]
    most = max(others, key=gained, default=judged)
    if gained(most) >= gained(judged) + _FAR_ABOVE:
        words = voice.say(
            "What could happen: the attack “{attack}” needs further releases, or was tried on simulated "
            "ones. Not a finding about this release.",
            attack=Plain(voice.told(most.attack)),
        )
        yield voice.say("Strongest attack if the data are released repeatedly"), instead(most), words


def _unchanged(voice: Voice) -> Iterator[Row]:
    for column in protected_columns(voice):
        number = voice.maybe(voice.results.utility, "columns", column, "unchanged", percent=True)
        if number is not None:
            words = voice.say("The share of rows that still show the true value.")
            if not promises_nothing(voice):
                words = voice.say("The share of rows that still show the true value; the release does not say which.")
            yield voice.say("Values of {column} left unchanged", column=own(column)), number, words
            return

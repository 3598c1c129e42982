"""What a channel satisfies exactly and reveals at most, and what a statement implies in every other notion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN
from typing import Final

from leakgauge.artefacts.quantity import Level, Quantity
from leakgauge.artefacts.relation import Capacities, Implied, Order, Relation, Telling
from leakgauge.languages import message
from leakgauge.notions.relation import NO_NEIGHBOURS
from leakgauge.sentences import Sentence
from leakgauge.telling.blocks import Content, Inline
from leakgauge.telling.voice import NOTHING, Cell, Plain, Voice, own

SHOWN: Final = 8
"""Values and actions up to which gains are printed; all are in the JSON."""
_CLOSE: Final = 1e-8
"""How far apart bounds are that are shown as one number; both are in the JSON."""


def relation(
    voice: Voice, related: Relation, counterexamples: Mapping[str, Sentence] | None = None
) -> Iterator[Content]:
    """Exact levels with their witnesses, the most that can be learnt, and what follows or does not.

    Args:
        counterexamples: by their names, what shows that nothing follows.
    """
    yield from _compared(voice, related)
    if related.order is not None:
        yield from _ordered(voice, related.subject, related.order)
    yield from exact_levels(voice, related.levels, message("Exact levels of {subject}"), subject=own(related.subject))
    if related.levels and "zcdp" not in related.levels and NO_NEIGHBOURS not in related.warnings:
        yield voice.note("The channel is large: levels that compare every pair of rows were left out.")
    if related.capacities is not None:
        yield from _most(voice, related.capacities, related.records)
    elif related.levels:
        yield voice.note(
            "The channel is large: the most that can be learnt over all priors was left out; in bits it is at most "
            "maximal-leakage."
        )
    if related.prior_skew is not None:
        skew = message("Prior skew Δ = {skew}: no channel has less identifiability.")
        if related.records > 1:
            skew = message("Prior skew Δ = {skew} over neighbours: no channel has less identifiability.")
        yield voice.say(skew, skew=voice.number(related.prior_skew, "value"))
    yield from _guesses(voice, related)
    if related.moment_skewness is not None:
        yield voice.say(
            "Moment coefficient of skewness of the prior: {skewness}.",
            skewness=voice.number(related.moment_skewness, "value"),
        )
    follows = [one for one in related.implied if one.value is not None and one.unit is not None]
    yield from voice.grid(
        "What {subject} implies",
        "Notion|Implied, at most|How|Sharp",
        (_implied(voice, one) for one in follows),
        subject=own(related.subject),
    )
    yield from _nothing_follows(voice, [one for one in related.implied if one not in follows], counterexamples or {})


def exact_levels(voice: Voice, levels: Mapping[str, Level], caption: str, **fields: object) -> Iterator[Content]:
    """The tightest level of each notion, by its name, and what reaches it."""
    rows = []
    for name, level in levels.items():
        # The level itself is asked for, and not what it promises: it is rounded to the nearest.
        plain = voice.number(level, rounding=ROUND_HALF_EVEN) if level.low is None else None
        rows.append((_named(voice, name, level), plain or _bracket(voice, level, level.unit), _witness(voice, level)))
    yield from voice.grid(caption, "Notion|Level|Worst case between", rows, **fields)


def _compared(voice: Voice, related: Relation) -> Iterator[Content]:
    """Which data sets are neighbours, which values were left out, and the limits of the answer."""
    if related.given:
        yield voice.say(
            "Levels are conditional on {columns}: they compare values of the secret in rows that agree in these "
            "columns, which everybody is assumed to know, and do not cover what the release reveals about these "
            "columns.",
            columns=voice.listed(related.given),
        )
    if related.records > 1:
        ordered = message("Data sets are ordered: neighbours differ in the record at one position.")
        unordered = message("Data sets are unordered: neighbours differ in one record, wherever it stands.")
        yield voice.say(ordered if related.ordered else unordered)
    if related.restricted:
        yield voice.say("Restricted to the values that occur under the prior.")
    for text in related.warnings:
        yield voice.alarm("Warning: {text}", text=Sentence(text))


def _ordered(voice: Voice, subject: str, order: Order) -> Iterator[Content]:
    """Which of two channels is safer, and the aims that show where one is not."""
    template = {
        (True, True): message("{subject} and {other} reveal the same to everybody, whatever they are after."),
        (True, False): message("{subject} reveals no more than {other} to anybody, whatever they are after."),
        (False, True): message("{other} reveals no more than {subject} to anybody, whatever they are after."),
        (False, False): message("Neither of {subject} and {other} is the safer one for everybody."),
    }[order.subject_safe, order.other_safe]
    yield voice.say(template, subject=own(subject), other=own(order.against))
    if order.subject_tells is not None:
        yield from _reveals_more(voice, order.subject_tells, subject, order.against)
    if order.other_tells is not None:
        yield from _reveals_more(voice, order.other_tells, order.against, subject)


def _reveals_more(voice: Voice, aim: Telling, more: str, less: str) -> Iterator[Content]:
    yield voice.say(
        "{more} reveals more to an attacker who takes all values for equally likely and is after this: the best action "
        "gains {from_it} on average after seeing its output, {from_other} after that of {less}.",
        more=own(more),
        less=own(less),
        **voice.fields(aim, "from_it", "from_other"),
    )
    if max(len(aim.secrets), len(aim.gains)) <= SHOWN:
        rows: Iterator[tuple[Cell, ...]] = (
            (voice.say("action {at}", at=at), *(voice.number(gain) for gain in row))
            for at, row in enumerate(aim.gains, 1)
        )
        heads: tuple[str | Plain, ...] = (message("Gain"), *map(own, aim.secrets))
        yield from voice.grid("The gain of each action, by the true value", heads, rows)


def _most(voice: Voice, most: Capacities, records: int) -> Iterator[Content]:
    """The capacities of a channel, each in words and by its name."""
    say = voice.language.say
    title = message("The most that anybody can learn, whatever they believed before (over all priors)")
    if records > 1:
        title = message(
            "The most that anybody can learn about a data set, whatever they believed before (over all priors)"
        )
    factor = voice.say(
        "{factor} ({bits})", factor=voice.number(most.multiplicative, "value"), bits=voice.number(most, "min_capacity")
    )
    secure = voice.say("Bayes-risk capacity; Bayes security {share}", share=voice.number(most.bayes_security, "value"))
    rows: tuple[tuple[Cell, ...], ...] = (
        (say("reveals about the value"), _bracket(voice, most.shannon, "bits"), say("Shannon capacity")),
        (say("multiplies the chance of a correct guess by"), factor, say("multiplicative capacity, min-capacity")),
        (say("adds to the chance of a correct guess"), _bracket(voice, most.additive), say("additive capacity")),
        (
            say("adds to any expected gain between 0 and 1"),
            voice.number(most.additive_over_vulnerabilities, "value"),
            say("additive capacity over all gains"),
        ),
        (say("divides the chance of a wrong guess by"), voice.number(most.risk, "value"), secure),
    )
    yield from voice.grid(title, "Seeing the output|The most|Known as", rows)


def _guesses(voice: Voice, related: Relation) -> Iterator[Content]:
    """What one guess reaches after the output is seen, exactly for a channel, else bounded."""
    exact = bool(related.levels)
    if related.guess is not None:
        template = message("Under the prior one guess is correct with probability at most {chance}.")
        if exact:
            template = message("Under the prior one guess is correct with probability {chance}.")
        rounding = ROUND_HALF_EVEN if exact else ROUND_CEILING
        yield voice.say(template, chance=voice.number(related.guess, "value", rounding=rounding))
    if related.distance is not None:
        template = message("Under the prior no guess is nearer to the value than {distance} on average ({distortion}).")
        if exact:
            template = message("Under the prior the best guess is {distance} from the value on average ({distortion}).")
        rounding = ROUND_HALF_EVEN if exact else ROUND_FLOOR
        distance = voice.number(related.distance, "value", rounding=rounding)
        yield voice.say(template, distance=distance, distortion=own(related.distortion))


def _implied(voice: Voice, one: Implied) -> tuple[Cell, ...]:
    way = " → ".join([edge.to for edge in one.path[:-1]] + [voice.told(one.path[-1].formula)])
    how: Inline = (way,)
    if one.cut:
        how = voice.say("{way}; capped at the entropy of the secret", way=how)
    level = voice.number(one, "value", unit=one.unit or "")
    return _named(voice, one.notion, one), level, how, voice.language.say("sharp") if one.sharp else ""


def _nothing_follows(
    voice: Voice, nothing: list[Implied], counterexamples: Mapping[str, Sentence]
) -> Iterator[Content]:
    """Why nothing follows: a counterexample shows it, or no conversion is known."""
    for example in sorted({one.counterexample for one in nothing if one.counterexample}):
        names = voice.listed(one.notion for one in nothing if one.counterexample == example)
        yield voice.say("Nothing follows for {names}: {why}.", names=names, why=counterexamples.get(example, example))
    unknown = [one.notion for one in nothing if not one.counterexample]
    if unknown:
        yield voice.say(
            "No conversion without more knowledge (a prior, the number of values, distances, neighbours) for {names}.",
            names=voice.listed(unknown),
        )


def _bracket(voice: Voice, bounded: Quantity, unit: str = "") -> Cell:
    """A number; where its proof leaves it open, what is reached and what is not exceeded."""
    low, high = bounded.ends
    if high - low <= _CLOSE:
        return voice.number(low, unit=unit, rounding=ROUND_HALF_EVEN)
    return voice.say(
        "{low} to {high}",
        low=voice.number(low, rounding=ROUND_FLOOR),
        high=voice.number(high, unit=unit, rounding=ROUND_CEILING),
    )


def _named(voice: Voice, notion: str, level: Level | Implied) -> Inline:
    """A notion with its δ or its order."""
    name = own(notion)
    if level.delta is not None:
        return voice.say("{notion} (δ = {delta})", notion=name, delta=voice.number(level, "delta"))
    if level.order is not None:
        return voice.say("{notion} (order {order})", notion=name, order=voice.number(level, "order"))
    return (str(name),)


def _witness(voice: Voice, level: Level) -> Cell:
    if level.witness is None:
        return NOTHING
    one, other = map(own, level.witness.inputs)
    if level.witness.output is None:
        return voice.say("{one} against {other}", one=one, other=other)
    return voice.say("{one} against {other} at {seen}", one=one, other=other, seen=own(level.witness.output))

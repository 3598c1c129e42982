"""Designed channels: their numbers, what is proved of them, and what readers of the release should know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING
from typing import Final

from leakgauge.artefacts.design import GuessedDesign, RoundsTold
from leakgauge.artefacts.report import Paragraph
from leakgauge.design import Keep, Knowledge, RateDistortion, Solution
from leakgauge.distances import Hamming
from leakgauge.languages import message
from leakgauge.probability import Joint
from leakgauge.probability.labels import text_of
from leakgauge.telling.blocks import Content, Number
from leakgauge.telling.comparison import background_alone, symbol, with_background
from leakgauge.telling.voice import Cell, Plain, Voice, own

_OTHERS: Final = {
    (True, True): message("No equally useful channel that reads the secret alone and keeps the bound"),
    (True, False): message("No equally useful channel that reads the secret alone"),
    (False, True): message("No equally useful channel that keeps the bound"),
    (False, False): message("No equally useful channel"),
}
"""Channels that leak no less, by whether they read the secret alone and whether they keep a bound."""
_LEAST_GAP: Final = 1e-9
"""In bits: a proof is never closer, because below it is mostly rounding, which differs between processors."""


def design(
    voice: Voice,
    solutions: Sequence[Solution],
    secret: Sequence[str] = (),
    through: str | None = None,
    price: float | None = None,
    rounds: RoundsTold | None = None,
) -> Iterator[Content]:
    """One designed channel or the points of a curve, and what their proof is worth.

    Args:
        secret: its columns; none where only the numbers of the channel are known.
        through: the column that is released instead of the secret.
        price: what keeping shares or associations costs, in bits.
        rounds: what earlier releases of the secret reveal.
    """
    first, leakage = solutions[0], symbol(through)
    heads = [message("Mean distortion"), leakage]
    if first.weighted_leakage is not None:
        heads.append(message("weighted bits"))
    if first.leakage_with_background is not None:
        heads.append(message("bits of all rounds") if rounds else with_background(leakage))
    heads += ["ε", message("Values"), message("Gap"), message("Slope")]
    title = message("Least leaking channels for {secret}") if secret else message("The channel that leaks least")
    if through is not None:
        title = message("Channels of {column} that reveal least about {secret}")
    fields = {"secret": voice.listed(secret)} | ({} if through is None else {"column": own(through)})
    yield from voice.grid(title, heads, (_point(voice, one) for one in solutions), **fields)
    if rounds is not None:
        yield from _rounds(voice, rounds, len(solutions) == 1)
    elif first.background_floor is not None:
        yield background_alone(voice, first.background_floor, leakage)
    if first.weighted_leakage is not None:
        yield voice.say("The weighted bits are minimised: I(X;Y) under the weights given.")
    if len(solutions) == 1:
        yield from (*_witness(voice, first), *_use(voice, first, price))
    yield from _proof(voice, first.problem, rounds is not None)


def _point(voice: Voice, one: Solution) -> Iterator[Cell]:
    yield voice.number(one, "distortion")
    for name in ("leakage", "weighted_leakage", "leakage_with_background"):
        if getattr(one, name) is not None:
            yield voice.number(one, name, unit="bits")
    yield voice.number(one, "epsilon", unit="nats")
    yield voice.number(one, "letters")
    yield _gap(voice, one.gap)
    yield voice.number(one, "slope")


def _gap(voice: Voice, gap: float) -> Number:
    # It is a bound, which rounding to nothing would break.
    return voice.number(max(gap, _LEAST_GAP), unit="bits", digits=2, rounding=ROUND_CEILING)


def _rounds(voice: Voice, rounds: RoundsTold, single: bool) -> Iterator[Content]:
    """What was revealed before, and after the round being designed."""
    count, before = voice.number(rounds, "earlier"), voice.number(rounds, "before")
    yield voice.say("Earlier rounds: {count}, which reveal {bits}.", count=count, bits=before)
    if single:
        yield voice.say("This round adds {added}: {after} in all.", **voice.fields(rounds, "added", "after"))
    if not rounds.exact:
        yield voice.say("There are too many rounds to count together exactly: these numbers are upper bounds.")


def _proof(voice: Voice, problem: RateDistortion, rounds: bool) -> Iterator[Content]:
    """What the gap proves, of which quantity and among which channels, and what it does not."""
    leakage = "I(X;Y)" if problem.secret is None else "I(S;Y)"
    what = Plain(leakage) if problem.weights is None else Plain(voice.language.say("weighted I(X;Y)"))
    if problem.knowledge is Knowledge.PUBLISHED:
        yield voice.say(
            "The published algorithm minimises {what}, not I(X;Y,Z), so it does not take the background into account; "
            "--knowledge attacker does.",
            what=what,
        )
    elif problem.knowledge is not Knowledge.NOBODY:
        what = Plain(with_background(leakage))
    elif isinstance(problem.source, Joint) and problem.secret is None:
        yield voice.say(
            "I(X;Y,Z) is shown, but {what} is minimised; --knowledge attacker minimises I(X;Y,Z).", what=what
        )
    if problem.knowledge is Knowledge.BOTH:
        yield voice.say(
            "ε is conditional on the background: it compares secrets with the same background, not different "
            "backgrounds."
        )
    if problem.keep is not Keep.NOTHING:
        kept = {Keep.SHARES: message("the shares"), Keep.ASSOCIATIONS: message("the associations with the background")}
        yield voice.say("All channels compared keep {what}.", what=kept[problem.keep])
    bounded = (problem.local_dp, problem.identifiability) != (None, None)
    others = _OTHERS[problem.knowledge is Knowledge.ATTACKER, bounded]
    if problem.secret is not None:
        others = message("No equally useful channel that reads the column alone")
    template = message("{others} has less {what} than these, except within the gap. Designed from this table's counts.")
    if rounds:
        template = message(
            "{others} adds less to the earlier rounds than these, except within the gap. Designed from this table's "
            "counts."
        )
    yield voice.say(template, others=others, what=what)


def _use(voice: Voice, solution: Solution, price: float | None) -> Iterator[Content]:
    """What the unchanged column reveals, what keeping costs, and what is lost."""
    if solution.told_unprotected is not None:
        yield voice.say(
            "Released unchanged, the column reveals {bits} about the secret.",
            bits=voice.number(solution, "told_unprotected", unit="bits"),
        )
    if price is not None:
        yield voice.say(
            "Keeping costs {bits} more than the least leaking channel.", bits=voice.number(price, unit="bits")
        )
    if solution.lost > 0:
        yield voice.say(
            "Values of {share} of the rows are never released; --keep shares releases every value as often as it "
            "occurs.",
            share=voice.number(solution, "lost", percent=True, rounding=ROUND_CEILING),
        )


def _witness(voice: Voice, solution: Solution) -> Iterator[Content]:
    """Where the worst case is reached, and which inputs never occur in the table."""
    witness = solution.local_dp.witness
    if witness is not None:
        labels = (*witness.inputs, witness.output)
        first, second, released = (own(text_of(label) or voice.language.say("missing")) for label in labels)
        yield voice.say(
            "ε is reached where {released} is released: by {first} against {second}.",
            released=released,
            first=first,
            second=second,
        )
    if solution.identifiability is not None:
        yield voice.say(
            "Identifiability under these frequencies: {level}.",
            level=voice.number(solution.identifiability, "value", unit="nats"),
        )
    if solution.never_occurring:
        yield voice.say(
            "{unmet} of {total} inputs never occur in this table; each is treated like the input that fits it best.",
            unmet=voice.number(len(solution.never_occurring)),
            total=voice.number(len(solution.channel.inputs)),
        )


def least_guessed(
    voice: Voice, designed: GuessedDesign, secret: Sequence[str], distortion: object
) -> Iterator[Content]:
    """The channel that is guessed least often, and what its gap proves."""
    known = designed.knowledge == "attacker"
    heads = [message("Mean distortion"), message("Correct guesses"), message("Before the release"), "I(X;Y)"]
    cells: list[Cell] = [
        voice.number(designed.distortion, "value"),
        voice.number(designed, "best_guess_after", percent=True),
        voice.number(designed, "best_guess", percent=True),
        voice.number(designed, "leakage"),
    ]
    if designed.leakage_with_background is not None:
        heads.append("I(X;Y,Z)")
        cells.append(voice.number(designed, "leakage_with_background"))
    heads += ["ε", message("Values"), message("Gap")]
    gap = voice.number(max(designed.gap.value, _LEAST_GAP), digits=2, rounding=ROUND_CEILING)
    cells += [voice.number(designed, "epsilon"), voice.number(designed, "letters"), gap]
    title = message("Least guessed channel for {secret}")
    yield from voice.grid(title, heads, [cells], secret=voice.listed(secret))
    if known:
        yield voice.say("Guesses are made with the background, before the release as well.")
    elif isinstance(distortion, Hamming):
        # 1 − D is both the least chance of a right guess and that of the least leaking channel.
        yield voice.say(
            "With Hamming distortion the release itself is the best guess: the channel of --least bits is guessed "
            "correctly just as often and reveals no more."
        )
    yield voice.say(
        "{others} is guessed correctly less often, except within the gap. Designed from this table's counts.",
        others=_OTHERS[known, False],
    )


def keep_private(voice: Voice, file: str) -> Paragraph[Number]:
    """The warning beside a channel file that was designed from a table."""
    return voice.alarm("Keep {file} private: the exact counts of the table can be computed from it.", file=own(file))

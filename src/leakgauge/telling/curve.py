"""The curve of least leakage as it is explored: a point in numbers and in a sentence, its channel, and round marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, Decimal
from typing import Final

from leakgauge import rounding
from leakgauge.artefacts.design import DesignPoint
from leakgauge.artefacts.quantity import SHARE, Quantity
from leakgauge.telling.blocks import Content, Inline
from leakgauge.telling.voice import Cell, Voice

_MARKS: Final = 5
"""Marks of an axis, or a few more."""
_NEVER: Final = 1e-9
_SEEN: Final = 0.005
"""A share that is written as a whole percent from here on."""


def point_of_curve(voice: Voice, point: DesignPoint, entropy: Quantity, unchanged: Quantity) -> Iterator[Content]:
    """The numbers of a point, each in plain words."""
    rows: list[tuple[Cell, Cell, Cell]] = [
        (
            voice.say("Leakage"),
            voice.number(point.leakage),
            voice.say("of {entropy} that there are", entropy=voice.number(entropy)),
        )
    ]
    if point.leakage_with_background is not None and point.background_floor is not None:
        rows.append(
            (
                voice.say("Leakage with background"),
                voice.number(point.leakage_with_background),
                voice.say("of which {floor} are already known", floor=voice.number(point.background_floor)),
            )
        )
    rows += [
        (
            voice.say("Local ε"),
            voice.number(point.epsilon),
            voice.say("a published value is at most e^ε times as likely under one true value as under another"),
        ),
        (voice.say("Unchanged"), voice.number(unchanged), voice.say("values published unchanged")),
        (voice.say("Mean distortion"), voice.number(point.distortion, "value", digits=4), ()),
    ]
    yield from voice.grid("This point of the curve", "What|How much|In plain words", rows)


def point_in_words(voice: Voice, point: DesignPoint, unchanged: Quantity) -> Inline:
    """A point in one sentence."""
    leakage = point.leakage if point.leakage_with_background is None else point.leakage_with_background
    return voice.say(
        "distortion {distortion}: leaks {leakage}, ε {epsilon}, {unchanged} unchanged",
        distortion=voice.number(point.distortion, "value", digits=4),
        leakage=voice.number(leakage),
        epsilon=voice.number(point.epsilon),
        unchanged=voice.number(unchanged),
    )


def another_attacker(
    voice: Voice, floor: float, guess: float, leaked: float | None, guessed: float | None
) -> Iterator[Content]:
    """What an attacker learns who knows certain columns: before a release, and by the channel of a point.

    Args:
        floor: bits that the columns reveal by themselves.
        guess: the share of rows guessed correctly from them.
        leaked: bits revealed together with the release; None of no release.
        guessed: the share guessed correctly with the release; None of no release.
    """
    known, before = _bits(voice, floor), voice.number(Quantity(guess, SHARE))
    rows: list[tuple[Cell, Cell, Cell]]
    if leaked is None or guessed is None:
        rows = [
            (voice.say("Already known to this attacker"), known, ()),
            (voice.say("Guessed correctly by this attacker"), before, voice.say("before anything is released")),
        ]
    else:
        rows = [
            (
                voice.say("Leakage to this attacker"),
                _bits(voice, leaked),
                voice.say("of which {floor} are already known", floor=known),
            ),
            (
                voice.say("Guessed correctly by this attacker"),
                voice.number(Quantity(guessed, SHARE)),
                voice.say("without the release: {share}", share=before),
            ),
        ]
    yield from voice.grid("What this attacker learns", "What|How much|In plain words", rows)


def _bits(voice: Voice, value: float) -> Inline:
    return (voice.number(Quantity(value, "bits")),)


def between(voice: Voice, entropy: Quantity, floor: Quantity | None) -> dict[str, Inline]:
    """What a limit of leakage must keep to, and the name of the line of what is known anyway."""
    words = {"entropy": voice.say("There are only {entropy} to leak; give less.", entropy=voice.number(entropy))}
    if floor is not None:
        # Rounded up, so that the number shown can be given.
        least = voice.number(floor, rounding=ROUND_CEILING)
        words["floor"] = voice.say("The background alone reveals {floor}; no protection leaks less.", floor=least)
        words["line"] = voice.say("background alone: {bits}", bits=voice.number(floor))
    return words


def in_cells(matrix: Sequence[Sequence[float]]) -> list[list[str]]:
    """Probabilities as whole percents in small cells; empty of what never happens."""

    def short(share: float) -> str:
        return "" if share < _NEVER else "<1" if share < _SEEN else str(round(100 * share))

    return [list(map(short, row)) for row in matrix]


def in_full(matrix: Sequence[Sequence[float]]) -> list[list[str]]:
    """Probabilities as percentages."""
    return [list(map(rounding.percent, row)) for row in matrix]


def as_a_limit(distortion: float) -> float:
    """A limit that can be asked for as it is written: a little above, where a channel leaks a little less."""
    return float(Decimal(repr(distortion)).quantize(Decimal("0.0001"), ROUND_CEILING))


def marks(most: float) -> Iterator[tuple[float, str]]:
    """Round numbers from 0 to the end of an axis, as they are written."""
    end = Decimal(repr(most))
    power = Decimal(10) ** (end / _MARKS).adjusted()
    gap = next(one * power for one in (1, 2, 5, 10) if one * power >= end / _MARKS)
    for at in range(int(end / gap) + 1):
        yield float(at * gap), rounding.written(rounding.rounded(at * gap))

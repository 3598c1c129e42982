"""The scores from evidence: the unknown counts at its unfavourable end, so it never improves a score."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.scores import (
    POINTS,
    UNKNOWN_GAIN,
    UNKNOWN_WORTH,
    Attacker,
    ScoreEvidence,
    Scores,
    confidence_of,
)
from leakgauge.sentences import Sentence


def scores_of(evidence: ScoreEvidence) -> Scores:
    """Three scores from 0 to 100, each with its interval.

    Example:
        >>> from leakgauge.artefacts.scores import share
        >>> half = Attacker(gained=share(0.5), told=share(0.4), surest=share(0.7))
        >>> scores = scores_of(ScoreEvidence(attackers=(half,)))
        >>> scores.protection.value, scores.surest.value, scores.usefulness.ends
        (50.0, 70.0, (0.0, 100.0))
    """
    surest_of = max(evidence.attackers, key=lambda one: _ends(one.surest), default=Attacker())
    surest = surest_of.surest or UNKNOWN_GAIN
    low, high = surest.ends
    return Scores(
        protection=_protection(evidence),
        surest=_score(100 * surest.value, 100 * low, 100 * high, surest.confidence),
        usefulness=_usefulness(evidence),
        attacker=max(evidence.attackers, key=_most, default=Attacker()),
        surest_of=surest_of,
        guarantee=evidence.guarantee,
        notes=tuple(_notes(evidence)),
    )


def _gains(attacker: Attacker) -> tuple[Quantity, Quantity]:
    return attacker.gained or UNKNOWN_GAIN, attacker.told or UNKNOWN_GAIN


def _ends(gain: Quantity | None) -> tuple[float, float]:
    """The unfavourable end, and the value."""
    gain = gain or UNKNOWN_GAIN
    return gain.ends[1], gain.value


def _most(attacker: Attacker) -> tuple[float, float]:
    return max(map(_ends, _gains(attacker)))


def _protection(evidence: ScoreEvidence) -> Quantity:
    """By the attacker who gains most, in guesses or in information."""
    gains = [gain for one in evidence.attackers for gain in _gains(one)] or [UNKNOWN_GAIN]
    lows, highs = zip(*(gain.ends for gain in gains), strict=True)
    value = 100 * (1 - max(gain.value for gain in gains))
    return _score(value, 100 * (1 - max(highs)), 100 * (1 - max(lows)), confidence_of(gains))


def _usefulness(evidence: ScoreEvidence) -> Quantity:
    """The mean over statistics; one that is not known counts from nothing to everything."""
    worths = [one.worth or UNKNOWN_WORTH for one in evidence.statistics] or [UNKNOWN_WORTH]
    lows, highs = zip(*(worth.ends for worth in worths), strict=True)
    value, low, high = (100 * sum(parts) / len(worths) for parts in ([one.value for one in worths], lows, highs))
    return _score(value, low, high, confidence_of(worths))


def _notes(evidence: ScoreEvidence) -> Iterator[Sentence]:
    if evidence.withheld:
        yield Sentence("It is withheld, so its usefulness is that of the released columns.")
    if evidence.blank:
        yield Sentence("Which cells are blank is not protected; the scores are of the rows that have a number.")
    for knows in evidence.certain_to:
        if knows:
            yield Sentence("For an attacker who knows {columns}, nothing is left to protect.", columns=knows)
        else:
            yield Sentence("The secret has the same value in every row, so no protection can be shown.")
    if evidence.guarantee is not None:
        yield Sentence("The guarantee is about {neighbours}.", neighbours=evidence.guarantee.neighbours.said)
        if evidence.guarantee.given_counts:
            yield Sentence("The guarantee takes the counts that the noise was tuned on as known.")
    if any(low < high for one in evidence.attackers for low, high in [(one.told or UNKNOWN_GAIN).ends]):
        yield Sentence("A better attacker may learn more than this one did.")


def _score(value: float, low: float, high: float, confidence: float | None = None) -> Quantity:
    inside, least, most = (min(max(number, 0.0), 100.0) for number in (value, low, high))
    return Quantity(inside, POINTS) if least == most else Quantity(inside, POINTS, least, most, confidence)

"""The dials from evidence: the unknown counts at its unfavourable end, so it never improves a dial."""

from __future__ import annotations

import math
from collections.abc import Iterator

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.dials import (
    PERCENT,
    POINTS,
    UNKNOWN_GAIN,
    UNKNOWN_WORTH,
    Attacker,
    DialEvidence,
    Dials,
    confidence_of,
)
from leakgauge.sentences import Sentence

NOTHING_TOLD = 1e-9
"""Bits below which a release reveals nothing, so that no other can reveal less."""


def dials_of(evidence: DialEvidence) -> Dials:
    """Six scores from 0 to 100, each with its interval.

    Example:
        >>> from leakgauge.artefacts.dials import share
        >>> half = Attacker(gained=share(0.5), told=share(0.4))
        >>> dials = dials_of(DialEvidence(attackers=(half,), advantage=0.0))
        >>> dials.protection.value, dials.guarantee.value, dials.usefulness.ends
        (50.0, 100.0, (0.0, 100.0))
    """
    protection, usefulness = _protection(evidence), _usefulness(evidence)
    exposed = evidence.exposed or UNKNOWN_GAIN
    low, high = exposed.ends
    return Dials(
        protection=protection,
        exposed=_dial(100 * exposed.value, 100 * low, 100 * high, exposed.confidence, PERCENT),
        guarantee=_exact(100 * (1 - (1.0 if evidence.advantage is None else evidence.advantage))),
        usefulness=usefulness,
        effect=_effect(protection, usefulness),
        efficiency=_efficiency(evidence),
        attacker=max(evidence.attackers, key=_most, default=Attacker()).knows,
        given_counts=evidence.given_counts,
        notes=tuple(_notes(evidence)),
    )


def _gains(attacker: Attacker) -> tuple[Quantity, Quantity]:
    return attacker.gained or UNKNOWN_GAIN, attacker.told or UNKNOWN_GAIN


def _most(attacker: Attacker) -> float:
    return max(gain.ends[1] for gain in _gains(attacker))


def _protection(evidence: DialEvidence) -> Quantity:
    """By the attacker who gains most, in guesses or in information."""
    gains = [gain for one in evidence.attackers for gain in _gains(one)] or [UNKNOWN_GAIN]
    lows, highs = zip(*(gain.ends for gain in gains), strict=True)
    value = 100 * (1 - max(gain.value for gain in gains))
    return _dial(value, 100 * (1 - max(highs)), 100 * (1 - max(lows)), confidence_of(gains))


def _usefulness(evidence: DialEvidence) -> Quantity:
    """The mean over statistics; one that is not known counts from nothing to everything."""
    worths = [one.worth or UNKNOWN_WORTH for one in evidence.statistics] or [UNKNOWN_WORTH]
    lows, highs = zip(*(worth.ends for worth in worths), strict=True)
    value, low, high = (100 * sum(parts) / len(worths) for parts in ([one.value for one in worths], lows, highs))
    return _dial(value, low, high, confidence_of(worths))


def _effect(protection: Quantity, usefulness: Quantity) -> Quantity:
    """2 √(protection · usefulness), at most 100; both ends rise with both dials.

    What is useful in a row is paid for in leakage, so that the two together rarely exceed 110.
    """
    (safe_low, safe_high), (low, high) = protection.ends, usefulness.ends
    parts = ((protection.value, usefulness.value), (safe_low, low), (safe_high, high))
    value, least, most = (2 * math.sqrt(safe * useful) for safe, useful in parts)
    return _dial(value, least, most, confidence_of((protection, usefulness)))


def _efficiency(evidence: DialEvidence) -> Quantity:
    least, own = evidence.least_told, evidence.own_told
    if own is not None and own <= NOTHING_TOLD:
        return _exact(100.0)
    return _dial(0.0, 0.0, 100.0) if own is None or least is None else _exact(100 * least / own)


def _notes(evidence: DialEvidence) -> Iterator[Sentence]:
    if evidence.withheld:
        yield Sentence("It is withheld, so its usefulness is that of the released columns.")
    if evidence.blank:
        yield Sentence("Which cells are blank is not protected; the scores are of the rows that have a number.")
    for knows in evidence.certain_to:
        if knows:
            yield Sentence("For an attacker who knows {columns}, nothing is left to protect.", columns=knows)
        else:
            yield Sentence("The secret has the same value in every row, so no protection can be shown.")
    if evidence.advantage is not None and evidence.advantage < 1:
        if evidence.neighbours is not None:
            yield Sentence("The guarantee is about {neighbours}.", neighbours=evidence.neighbours.said)
        if evidence.given_counts:
            yield Sentence("The guarantee takes the counts that the noise was tuned on as known.")
    if any(low < high for one in evidence.attackers for low, high in [(one.told or UNKNOWN_GAIN).ends]):
        yield Sentence("A better attacker may learn more than this one did.")


def _exact(value: float) -> Quantity:
    return _dial(value, value, value)


def _dial(value: float, low: float, high: float, confidence: float | None = None, unit: str = POINTS) -> Quantity:
    inside, least, most = (min(max(number, 0.0), 100.0) for number in (value, low, high))
    return Quantity(inside, unit) if least == most else Quantity(inside, unit, least, most, confidence)

"""Inputs to compare: those a mechanism promises to keep apart least."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from leakgauge.errors import OptionError
from leakgauge.mechanisms import Choice, FiniteMechanism, LetterSets, NoisyNumber

Pair: TypeAlias = tuple[Any, Any]

MOST_PAIRS = 32
"""Pairs of a mechanism of the catalogue that are tried; the most telling one of them is audited."""
MOST_GIVEN = 1024
"""Pairs that may be given; each of them is tried."""


def neighbours_of(mechanism: object) -> list[Pair]:
    """Pairs of inputs of a mechanism of the catalogue, the most telling first.

    Numbers: the ends, ends and middle, and far outside the bounds, where a missing clamp would show. Letters: the two
    that the channel tells apart best, then others. Choices: one candidate's utility moved by the sensitivity.

    Raises:
        OptionError: its inputs are not known.
    """
    if isinstance(mechanism, NoisyNumber):
        return _number_pairs(mechanism)
    if isinstance(mechanism, FiniteMechanism):
        return _letter_pairs(mechanism)
    if isinstance(mechanism, LetterSets):
        return list(itertools.islice(itertools.combinations(mechanism.letters, 2), MOST_PAIRS))
    if isinstance(mechanism, Choice):
        reach = mechanism.sensitivity
        # A candidate that is seldom chosen, made better while all others get worse, moves by nearly the whole ε.
        bad = -6 * reach / mechanism.epsilon
        return [([low, 0.0, 0.0, 0.0], [low + reach, -reach, -reach, -reach]) for low in (bad, bad / 2, 0.0)]
    raise OptionError("The inputs of the mechanism are not known; give pairs of neighbouring ones.")


def known_pairs(pairs: Iterable[Pair]) -> list[Pair]:
    """All of the pairs.

    Raises:
        OptionError: there is none, one is not a pair, or there are too many to try each.
    """
    found = list(itertools.islice(pairs, MOST_GIVEN + 1))
    if len(found) > MOST_GIVEN:
        raise OptionError(
            "More than {most} pairs of inputs are given, too many to try each; give those that may differ most.",
            most=MOST_GIVEN,
        )
    if not found:
        raise OptionError("No pair of neighbouring inputs is given; give at least one.")
    for pair in found:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise OptionError("A pair of inputs has 2 of them; give tuples (first, second).")
    return found


def require_neighbours(mechanism: object, pair: Pair) -> None:
    """Refuse inputs further apart than the sensitivity a mechanism of the catalogue is made for.

    Raises:
        OptionError: says how far they are and may be.
    """
    if isinstance(mechanism, NoisyNumber) and mechanism.span.lowest is None:
        reach = mechanism.span.steps * mechanism.span.grid
    elif isinstance(mechanism, Choice):
        reach = mechanism.sensitivity
    else:
        return
    try:
        first, second = (np.asarray(one, dtype=np.float64) for one in pair)
        if first.shape != second.shape:
            raise ValueError
        apart = float(np.abs(first - second).max(initial=0.0))
    except (ValueError, TypeError):
        raise OptionError(
            "The inputs are not numbers of the same shape; give two that {name!s} takes.", name=mechanism.name
        ) from None
    if not apart <= reach:
        raise OptionError(
            "The inputs are {apart:g} apart and {name!s} is made for neighbours within {reach:g}; give such.",
            apart=apart,
            name=mechanism.name,
            reach=reach,
        )


def _number_pairs(mechanism: NoisyNumber) -> list[Pair]:
    span = mechanism.span
    if span.lowest is None or span.highest is None:
        reach = span.steps * span.grid
        return [(0.0, reach), (1e3 * reach, 1e3 * reach + reach), (-reach, 0.0)]
    low, high = span.lowest * span.grid, span.highest * span.grid
    width = high - low
    return [(low, high), (low - 10 * width, high + 10 * width), (low, low + width / 2), (low + width / 2, high)]


def _letter_pairs(mechanism: FiniteMechanism) -> list[Pair]:
    from leakgauge.notions.ratios import local_dp

    channel = mechanism.exact
    witness = local_dp(channel).witness
    pairs = list(itertools.islice(itertools.combinations(channel.inputs, 2), MOST_PAIRS - 1))
    if witness is None:
        return pairs
    best = (witness.inputs[0], witness.inputs[1])
    return [best, *(pair for pair in pairs if set(pair) != set(best))]

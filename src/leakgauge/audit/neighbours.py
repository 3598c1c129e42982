"""Inputs to compare: those a mechanism promises to keep apart least."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from leakgauge.errors import OptionError
from leakgauge.mechanisms import Mechanism

Pair: TypeAlias = tuple[Any, Any]

MOST_GIVEN = 1024
"""Pairs that may be given; each of them is tried."""


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
    if not isinstance(mechanism, Mechanism) or (reach := mechanism.reach) is None:
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

"""From a number between 0 and 1 to the labels of Table 1 (section 3.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from leakgauge.assessment.published.fuzzy_sets import DEGREES, STATE_SETS, Frequency, State, rounded
from leakgauge.errors import OptionError

CUTS = (0.2, 0.4, 0.6, 0.8)
"""Where one frequency label ends and the next begins; ours, for the paper prints only that 0.5 is M."""


def memberships(position: float) -> dict[State, float]:
    """How far a normalised value belongs to each state, from 0 to 1: straight between the printed memberships.

    Raises:
        OptionError: the position is not between 0 and 1.
    """
    if not 0 <= position <= 1:
        raise OptionError("The position {position} is not from 0 to 1; normalise the value.", position=position)
    found = {state: np.interp(100 * position, DEGREES, members) for state, members in STATE_SETS.items()}
    return {state: float(rounded(np.asarray(value))) for state, value in found.items()}


def fuzzify(position: float, cuts: Sequence[float] = CUTS) -> dict[State, Frequency]:
    """The states of a normalised value, each with the frequency label of its membership.

    The paper says that the larger the membership the higher the frequency, and that 0.5 is M; the cuts are ours: equal
    fifths, VL below 0.2, L below 0.4, M below 0.6, H below 0.8, VH from there on, and nothing at 0.

    Args:
        position: the value on the scale from 0 to 1.
        cuts: four other ends of the labels, ascending.

    Raises:
        OptionError: the position is not between 0 and 1, or the cuts are not four ascending numbers in between.

    Example:
        >>> {state.value: often.value for state, often in fuzzify(0.32).items()}
        {'VLL': 'VL', 'LL': 'VH', 'ML': 'L'}
    """
    return label_shares(memberships(position), cuts)


def label_shares(shares: Mapping[State, float], cuts: Sequence[float] = CUTS) -> dict[State, Frequency]:
    """The states with a share above 0, each with the label of its share; of a questionnaire the share of its answer.

    Raises:
        OptionError: a share is not between 0 and 1, or the cuts are not four ascending numbers in between.
    """
    if len(cuts) != 4 or any(low >= high for low, high in zip((0, *cuts), (*cuts, 1), strict=True)):
        raise OptionError("The cuts {cuts} are not four ascending numbers between 0 and 1.", cuts=tuple(cuts))
    for share in shares.values():
        if not 0 <= share <= 1:
            raise OptionError("The share {share} is not from 0 to 1; divide by the sum.", share=share)
    labels = list(Frequency)
    return {
        state: labels[int(np.searchsorted(cuts, shares[state], side="right"))]
        for state in State
        if shares.get(state, 0.0) > 0
    }

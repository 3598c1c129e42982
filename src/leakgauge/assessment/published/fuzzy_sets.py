"""The paper's fuzzy sets (section 4.1), five states over 0 to 100 and five frequencies over 0 to 1, and its labels."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

import numpy as np

from leakgauge.errors import OptionError
from leakgauge.probability.cells import Floats

DEGREES = tuple(range(0, 101, 10))
"""What the states are sets of."""
FREQUENCIES = tuple(step / 10 for step in range(11))
"""What the frequencies are sets of."""
CUTS = (0.2, 0.4, 0.6, 0.8)
"""Where one frequency label ends and the next begins: equal fifths; ours, for the paper prints only that 0.5 is M."""


class State(Enum):
    """How much of an indicator there is, from very low to very high; the values are the paper's labels."""

    VERY_LOW = "VLL"
    LOW = "LL"
    MEDIUM = "ML"
    HIGH = "HL"
    VERY_HIGH = "VHL"

    @property
    def mirrored(self) -> State:
        """The state as far from the other end."""
        states = list(State)
        return states[-1 - states.index(self)]


class Frequency(Enum):
    """How often an indicator is in a state, from very rarely to very often; the values are the paper's labels."""

    VERY_LOW = "VL"
    LOW = "L"
    MEDIUM = "M"
    HIGH = "H"
    VERY_HIGH = "VH"


def rounded(memberships: Floats) -> Floats:
    """The memberships without the noise of binary fractions.

    Every product of two printed memberships has at most four digits, so that six lose nothing; equal memberships are
    then equal numbers, and ties are ties.
    """
    return np.round(memberships, 6)


def _set(members: Mapping[int, float]) -> Floats:
    memberships = np.zeros(11)
    memberships[list(members)] = list(members.values())
    return memberships


_VERY_HIGH = _set({7: 0.1, 8: 0.3, 9: 0.7, 10: 1.0})
_HIGH = _set({5: 0.2, 6: 0.6, 7: 1.0, 8: 0.8})
_OFTEN = _set({7: 0.5, 8: 0.7, 9: 0.9, 10: 1.0})

STATE_SETS: Mapping[State, Floats] = {
    State.VERY_LOW: _VERY_HIGH[::-1],
    State.LOW: _HIGH[::-1],
    State.MEDIUM: _set({3: 0.2, 4: 0.7, 5: 1.0, 6: 0.7, 7: 0.2}),
    State.HIGH: _HIGH,
    State.VERY_HIGH: _VERY_HIGH,
}
"""The membership of each degree."""
FREQUENCY_SETS: Mapping[Frequency, Floats] = {
    Frequency.VERY_LOW: rounded(_OFTEN[::-1] ** 2),
    Frequency.LOW: _OFTEN[::-1],
    Frequency.MEDIUM: _set({3: 0.2, 4: 0.8, 5: 1.0, 6: 0.8, 7: 0.2}),
    Frequency.HIGH: _OFTEN,
    Frequency.VERY_HIGH: rounded(_OFTEN**2),
}
"""The membership of each frequency."""
SUPPORTS: Mapping[State, slice] = {
    state: slice(int(np.flatnonzero(members)[0]), int(np.flatnonzero(members)[-1]) + 1)
    for state, members in STATE_SETS.items()
}
"""The degrees in a state's set, which its probability is summed over: 0–30, 20–50, 30–70, 50–80, 70–100."""


def memberships(position: float) -> dict[State, float]:
    """How far a normalised value belongs to each state, from 0 to 1: straight between the printed memberships.

    Raises:
        OptionError: the position is not between 0 and 1.
    """
    if not 0 <= position <= 1:
        raise OptionError("The position {position} is not from 0 to 1; normalise the value.", position=position)
    belongs = {state: np.interp(100 * position, DEGREES, members) for state, members in STATE_SETS.items()}
    return {state: float(rounded(np.asarray(value))) for state, value in belongs.items()}


def fuzzify(position: float) -> dict[State, Frequency]:
    """The states of a value on the scale from 0 to 1, each with the frequency label of its membership.

    Raises:
        OptionError: the position is not between 0 and 1.

    Example:
        >>> {state.value: often.value for state, often in fuzzify(0.32).items()}
        {'VLL': 'VL', 'LL': 'VH', 'ML': 'L'}
    """
    return label_shares(memberships(position))


def label_shares(shares: Mapping[State, float]) -> dict[State, Frequency]:
    """The states with a share above 0, each with the label of its share; of a questionnaire the share of its answer.

    Raises:
        OptionError: a share is not between 0 and 1.
    """
    for share in shares.values():
        if not 0 <= share <= 1:
            raise OptionError("The share {share} is not from 0 to 1; divide by the sum.", share=share)
    labels = list(Frequency)
    return {
        state: labels[int(np.searchsorted(CUTS, shares[state], side="right"))]
        for state in State
        if shares.get(state, 0.0) > 0
    }

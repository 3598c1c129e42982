"""From a number between 0 and 1 to labels."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.assessment import published
from leakgauge.assessment.published import Frequency, State
from leakgauge.errors import OptionError

PRINTED_STATES = {
    State.VERY_HIGH: {70: 0.1, 80: 0.3, 90: 0.7, 100: 1.0},
    State.HIGH: {50: 0.2, 60: 0.6, 70: 1.0, 80: 0.8},
    State.MEDIUM: {30: 0.2, 40: 0.7, 50: 1.0, 60: 0.7, 70: 0.2},
    State.LOW: {20: 0.8, 30: 1.0, 40: 0.6, 50: 0.2},
    State.VERY_LOW: {0: 1.0, 10: 0.7, 20: 0.3, 30: 0.1},
}


@pytest.mark.parametrize("degree", published.DEGREES)
def test_printed_memberships(degree: int) -> None:
    found = published.memberships(degree / 100)
    assert found == {state: pytest.approx(own.get(degree, 0)) for state, own in PRINTED_STATES.items()}


def test_between_them_it_is_straight() -> None:
    found = published.memberships(0.85)
    assert found[State.VERY_HIGH] == pytest.approx(0.5)
    assert found[State.HIGH] == pytest.approx(0.4)
    assert found[State.MEDIUM] == 0


def test_a_half_is_medium_as_the_paper_says() -> None:
    assert published.fuzzify(0.85)[State.VERY_HIGH] is Frequency.MEDIUM
    assert published.label_shares({State.HIGH: 0.5}) == {State.HIGH: Frequency.MEDIUM}


@pytest.mark.parametrize(
    ("share", "label"),
    [(0.01, "VL"), (0.19, "VL"), (0.2, "L"), (0.39, "L"), (0.4, "M"), (0.6, "H"), (0.79, "H"), (0.8, "VH"), (1, "VH")],
)
def test_our_cuts(share: float, label: str) -> None:
    assert published.label_shares({State.LOW: share}) == {State.LOW: Frequency(label)}


@given(st.integers(0, 1000))
def test_mirrored_positions_have_mirrored_labels(place: int) -> None:
    one, other = published.fuzzify(place / 1000), published.fuzzify((1000 - place) / 1000)
    assert one and one == {state.mirrored: often for state, often in other.items()}


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_never_has_a_lower_label(one: float, other: float) -> None:
    order = [None, *Frequency]
    low, high = sorted((one, other))
    found = [order.index(published.label_shares({State.LOW: share}).get(State.LOW)) for share in (low, high)]
    assert found[0] <= found[1]


@pytest.mark.parametrize("position", [-0.01, 1.01, math.nan, math.inf])
def test_a_position_off_the_scale_is_refused(position: float) -> None:
    with pytest.raises(OptionError, match=r"is not from 0 to 1; normalise the value\."):
        published.fuzzify(position)


def test_a_share_off_the_scale_is_refused() -> None:
    with pytest.raises(OptionError, match=r"The share 1\.5 is not from 0 to 1"):
        published.label_shares({State.LOW: 1.5})

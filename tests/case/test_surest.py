"""How much surer one becomes about the most exposed tenth of a value, and who becomes all but certain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.case.certainty import surest, worst_certain
from leakgauge.case.law import ReleaseLaw, Sight
from leakgauge.case.numbers import tenths
from leakgauge.mechanisms import randomized_response
from leakgauge.papers import rate_distortion
from leakgauge.probability import Channel, Distribution
from leakgauge.randomness import simulation
from tests.laws.strategies import channels, joints

ADULT = {
    "response 1": (24.2, 24.4),
    "response 2": (45.6, 46.1),
    "response 3": (62.6, 63.4),
    "keeping 0.8": (80.0, 89.1),
    "keeping 0.6": (60.0, 75.2),
    "keeping 0.4": (40.0, 57.1),
    "keeping 0.25": (25.0, 39.1),
    "keeping 1": (100.0, 100.0),
}
"""Marital status, 30,718 rows with an occupation: nothing known, and occupation known (the specification's numbers)."""


def one_by_one(sight: Sight) -> float:
    """The definition, cell by cell."""
    before, most, left = sight.before, 0.0, 0.0
    given = {(x, z): t for x, z, t in zip(before.x, before.seen, before.posterior, strict=True)}
    for v in range(sight.letters):
        cells = [
            (float(t - given[v, sight.known[w]]), float(p))
            for x, w, p, t in zip(sight.x, sight.seen, sight.p, sight.posterior, strict=True)
            if x == v
        ]
        share = sum(p for _, p in cells)
        if share == 0:
            continue
        left, room, total = max(left, 1 - share), 0.1 * share, 0.0
        for gain, p in sorted(cells, reverse=True):
            total, room = total + gain * min(p, room), room - min(p, room)
        most = max(most, total / (0.1 * share))
    return min(most / left, 1.0) if left > 1e-9 else 0.0


@given(joints(), st.data())
def test_it_is_the_mean_over_the_tenth_of_the_holders_about_whom_one_becomes_surest(joint, data) -> None:  # type: ignore[no-untyped-def]
    channel = data.draw(channels(len(joint.rows)))
    law = ReleaseLaw(joint, Channel(joint.rows, channel.outputs, channel.matrix), ("z",))
    for knows in ((), ("z",)):
        sight = law.sight(knows)
        if min(np.bincount(sight.x, sight.p, sight.letters)[np.unique(sight.x)]) > 1e-9:
            assert surest(sight)[0] == pytest.approx(one_by_one(sight), abs=1e-6)


@pytest.mark.parametrize("case", ADULT)
def test_marital_status_of_adult(case: str) -> None:
    people = rate_distortion.adult()
    kind, amount = case.split()
    if kind == "response":
        channel = randomized_response(float(amount), letters=people.rows).channel()
    else:
        kept, shares = float(amount), people.row_marginal().probabilities
        channel = Channel(people.rows, people.rows, kept * np.eye(7) + (1 - kept) * np.tile(shares, (7, 1)))
    law = ReleaseLaw(people, channel, ("occupation",))
    found = [100 * surest(law.sight(knows))[0] for knows in ((), ("occupation",))]
    assert found == pytest.approx(ADULT[case], abs=0.051)


@given(joints(), st.data())
def test_processing_adds_nothing_to_it(joint, data) -> None:  # type: ignore[no-untyped-def]
    first = data.draw(channels(len(joint.rows)))
    then = data.draw(channels(len(first.outputs)))
    both = [np.asarray(first.matrix), np.asarray(first.matrix) @ np.asarray(then.matrix)]
    for knows in ((), ("z",)):
        found = [
            surest(
                ReleaseLaw(
                    joint, Channel(joint.rows, range(m.shape[1]), m / m.sum(axis=1, keepdims=True)), ("z",)
                ).sight(knows)
            )[0]
            for m in both
        ]
        assert found[1] <= found[0] + 1e-6


def test_a_value_that_everybody_has_leaves_nothing_to_become_sure_of() -> None:
    sight = ReleaseLaw(Distribution(["ill", "well"], [0.0, 1.0]), Channel.identity(["ill", "well"])).sight()
    assert surest(sight)[0] == 0


def test_a_fair_coin_that_half_the_people_are_told_is_not_safe() -> None:
    """Certain labels of 92 % for half the people: no threshold hides them."""
    told = Channel([0, 1], [0, 1, None], [[0.46, 0.04, 0.5], [0.04, 0.46, 0.5]])
    assert surest(ReleaseLaw(Distribution([0, 1], [0.5, 0.5]), told).sight())[0] == pytest.approx(0.84)


def test_of_numbers_the_tenths_count() -> None:
    even = np.full(200, 1 / 200)
    numbers = simulation(3).permutation(200).astype(np.float64)
    law = ReleaseLaw(Distribution(range(200), even), Channel.identity(range(200)))
    sure, tenth = surest(law.sight(), tenths(numbers, even))
    assert sure == pytest.approx(1) and 0 <= tenth < 10


def test_people_of_the_worst_off_value_who_become_certain() -> None:
    """Of ten ill people three are told in the clear; of well ones nobody was in doubt by much."""
    source = Distribution(["ill", "well"], [0.1, 0.9])
    sight = ReleaseLaw(source, Channel(source.outcomes, ["ill", "-"], [[0.3, 0.7], [0.0, 1.0]])).sight()
    found = worst_certain(sight, 100, ["ill", "well"])
    assert found.value == "ill"
    assert [found.people.value, found.holders.value, found.before.value] == pytest.approx([3, 10, 0])
    # 90 of 100 are well, which was nine in ten before.
    copy = worst_certain(ReleaseLaw(source, Channel.identity(source.outcomes)).sight(), 100, ["ill", "well"])
    assert copy.value == "ill" and copy.people.value == pytest.approx(10) and copy.before.value == 0

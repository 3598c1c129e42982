"""Why the published score must not decide: what was measured of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

import numpy as np
import pytest

from leakgauge.assessment import published
from leakgauge.assessment.published import Frequency, LeafStates, PublishedGrade, State
from leakgauge.papers import influence_diagram as paper
from leakgauge.papers.influence_diagram import Directions
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation

LAPLACE = paper.table_1()
ARCS = paper.table_2(Directions.CORRECTED)
OFTEN = (Frequency.HIGH, Frequency.VERY_HIGH)
SETS = [chosen for size in range(1, 6) for chosen in itertools.combinations(State, size)]


def paths(key: str) -> set[tuple[bool, int]]:
    """Of each path from a node to the value whether it mirrors, and its arcs."""
    if key == "45":
        return {(False, 0)}
    own = [arc for arc in ARCS if arc.source == key]
    return {(arc.mirrored != mirrors, length + 1) for arc in own for mirrors, length in paths(arc.target)}


PATHS = {leaf: paths(leaf) for leaf in LAPLACE}
SIGNS = {leaf: {mirrors for mirrors, _ in found} for leaf, found in PATHS.items()}
BOTH_WAYS = {leaf for leaf, found in SIGNS.items() if len(found) == 2}


def held(leaf: str, states: Iterable[State], often: Frequency = Frequency.HIGH) -> dict[State, Frequency]:
    """States of a leaf as they count at the value."""
    return {state.mirrored if SIGNS[leaf] == {True} else state: often for state in states}


def unanimous(states: Iterable[State], both_ways: Iterable[State] = ()) -> PublishedGrade:
    """Every leaf holds the states; those with paths of both signs others, or are left out."""
    own, other = tuple(states), tuple(both_ways)
    leaves = {leaf: held(leaf, other if leaf in BOTH_WAYS else own) for leaf in LAPLACE}
    return published.grade({leaf: found for leaf, found in leaves.items() if found}, ARCS)


def furthest(leaves: LeafStates) -> tuple[int, ...]:
    """For each state the most arcs over which some leaf that is often in it brings it to the value; 0 for none."""
    found = dict.fromkeys(State, 0)
    for leaf, own in leaves.items():
        for state in (state for state, often in own.items() if often in OFTEN):
            for mirrors, length in PATHS[leaf]:
                at = state.mirrored if mirrors else state
                found[at] = max(found[at], length)
    return tuple(found.values())


def test_25_scores_where_leaves_agree_and_never_high_or_low() -> None:
    found = [unanimous(states) for states in SETS]
    assert len(found) == 31
    assert len({round(one.score, 9) for one in found}) == 25
    assert {one.grade for one in found} == {State.VERY_LOW, State.MEDIUM, State.VERY_HIGH}


def every_row() -> dict[tuple[int, ...], PublishedGrade]:
    """What is read for each way to bring states from 2, 3 or 4 arcs away, 0 for not at all."""
    found = {}
    for distances in itertools.product((0, 2, 3, 4), repeat=5):
        rows = [brought(state, distance) for state, distance in zip(State, distances, strict=True) if distance]
        if rows:
            matrix = np.zeros((11, 11))
            matrix[-1] = np.max(rows, axis=0)
            found[distances] = published.grade_matrix(matrix)
    return found


def brought(state: State, distance: int) -> Floats:
    """The row of frequency 1 that a leaf often in one state brings to the value over so many arcs."""
    row = published.leaf_matrix({state: Frequency.HIGH})[-1:]
    for _ in range(distance):
        row = published.compose(row, published.relation(False))
    return np.asarray(row[0])


def test_at_most_53_scores_where_some_leaf_is_often_in_a_state() -> None:
    found = every_row().values()
    assert len(found) == 4**5 - 1
    assert len({round(one.score, 9) for one in found}) == 53
    assert {one.grade for one in found} == {State.VERY_LOW, State.MEDIUM, State.VERY_HIGH}
    assert min(one.score for one in found) == pytest.approx(27.3889, abs=5e-5)
    assert max(one.score for one in found) == pytest.approx(72.6111, abs=5e-5)


def test_the_range_when_every_leaf_is_often_in_some_state() -> None:
    """Leaf 6 then brings some state from 4 arcs away and its mirror image from 3, or the other way round."""
    assert {distance for _, distance in PATHS["6"]} == {3, 4}
    assert len(PATHS["6"]) == 2
    scores = [
        one.score
        for far, one in every_row().items()
        if any(max(far[at], far[4 - at]) == 4 and min(far[at], far[4 - at]) >= 3 for at in range(5))
    ]
    assert min(scores) == pytest.approx(41.5584, abs=5e-5)
    assert max(scores) == pytest.approx(58.4416, abs=5e-5)
    reached = unanimous([State.VERY_HIGH, State.HIGH, State.MEDIUM], [State.MEDIUM])
    assert reached.score == pytest.approx(max(scores))


@pytest.mark.parametrize(
    ("leaf", "lowest", "highest"), [("21", 37.33, 62.67), ("12", 34.56, 65.44), ("14", 27.39, 72.61)]
)
def test_otherwise_one_leaf_decides_all_and_the_nearer_the_more(leaf: str, lowest: float, highest: float) -> None:
    """One leaf often in a state, 27 seldom: the fewer arcs from it to the value, the wider the range."""
    for state, expected in ((State.VERY_LOW, lowest), (State.VERY_HIGH, highest)):
        leaves: dict[str, dict[State, Frequency]] = {key: {State.MEDIUM: Frequency.LOW} for key in LAPLACE}
        leaves[leaf] = held(leaf, [state])
        assert published.grade(leaves, ARCS).score == pytest.approx(expected, abs=5e-3)


def test_the_row_depends_only_on_which_states_come_and_from_how_far() -> None:
    """Who is in a state, how many are, and what leaves are seldom in does not matter."""
    random = simulation(1)
    seen = set()
    expected = every_row()
    for _ in range(500):
        share = (0.01, 0.05, 0.4)[random.integers(3)]
        leaves: dict[str, dict[State, Frequency]] = {}
        for leaf in LAPLACE:
            rare = {state: Frequency.LOW for state in State if random.uniform() < 0.3}
            often = {state: OFTEN[random.integers(2)] for state in State if random.uniform() < share}
            leaves[leaf] = rare | often or {State.MEDIUM: Frequency.VERY_LOW}
        if any(far := furthest(leaves)):
            found = published.grade(leaves, ARCS)
            assert found.row == expected[far].row
            seen.add(far)
    assert len(seen) >= 30


def draws(count: int, draw: Callable[[np.random.Generator], dict[State, Frequency]]) -> list[float]:
    random = simulation(2)
    return [published.grade({leaf: draw(random) for leaf in LAPLACE}, ARCS).score for _ in range(count)]


def label(random: np.random.Generator) -> Frequency:
    return list(Frequency)[random.integers(5)]


def test_random_leaves_give_50() -> None:
    assert set(draws(100, lambda random: {state: label(random) for state in State})) == {50.0}


def test_one_random_state_a_leaf_gives_50_in_most_draws() -> None:
    scores = draws(300, lambda random: {list(State)[random.integers(5)]: label(random)})
    assert 0.75 < np.mean([score == 50.0 for score in scores]) < 0.92


@pytest.mark.parametrize("directions", [Directions.CORRECTED, Directions.BY_MEANING])
def test_a_very_low_and_a_very_high_budget_have_the_same_matrix(directions: Directions) -> None:
    arcs = paper.table_2(directions)
    known = paper.printed_matrix("F45")
    for state in (State.VERY_LOW, State.MEDIUM, State.VERY_HIGH):
        found = published.propagate({**LAPLACE, "3": {state: Frequency.VERY_HIGH}}, arcs)
        assert np.array_equal(found.nodes["45"].frequency, known)
    low, high = (
        published.grade({**LAPLACE, "3": {state: Frequency.VERY_HIGH}}, arcs) for state in (State.LOW, State.HIGH)
    )
    assert low.score == high.score == 50.0


def test_a_leaf_that_gets_better_can_lower_the_score() -> None:
    """One leaf is high, some are very high, the others very low: lifting the one from high to very high costs 2.5."""
    others = {
        leaf: held(leaf, [State.VERY_HIGH if place % 2 else State.VERY_LOW]) for place, leaf in enumerate(LAPLACE)
    }
    before, after = (
        published.grade({**others, "14": {state: Frequency.HIGH}}, ARCS) for state in (State.HIGH, State.VERY_HIGH)
    )
    assert SIGNS["14"] == {False}
    assert before.score == pytest.approx(52.48, abs=5e-3)
    assert after.score == 50.0


def test_credibility_is_larger_for_half_best_half_worst_than_for_all_best() -> None:
    """Among the leaves that have a better way at all."""
    leaves = [leaf for leaf in LAPLACE if leaf not in BOTH_WAYS]
    best = published.grade({leaf: held(leaf, [State.VERY_HIGH]) for leaf in leaves}, ARCS)
    half = published.grade(
        {leaf: held(leaf, [State.VERY_HIGH if at % 2 else State.VERY_LOW]) for at, leaf in enumerate(leaves)}, ARCS
    )
    assert half.score == 50.0
    assert best.grade is State.VERY_HIGH
    assert half.credibility > 1.5 * best.credibility

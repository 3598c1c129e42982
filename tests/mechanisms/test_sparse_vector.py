"""Sparse vector and above threshold: law, exact privacy on all neighbours of small cases, known mistakes, draws."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from leakgauge.audit import lower_bound
from leakgauge.claims import CentralDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms import above_threshold, sparse_vector
from leakgauge.mechanisms.noise import DiscreteLaplace
from leakgauge.mechanisms.sparse_vector import AboveThreshold, SparseVector, Thresholded
from leakgauge.mechanisms.steps import Claimed
from leakgauge.randomness import OperatingSystem, Randomness, Simulated
from tests.mechanisms.enumeration import Law, exact_epsilon, neighbouring, noise_chances
from tests.randomness.goodness import FALSE_ALARM, p_value

ANSWERS = [3.0, 5.0, 4.5, 5.0, 0.0]


def law_of(mechanism: AboveThreshold | SparseVector) -> Law:
    def law(answers: list[float]) -> npt.NDArray[np.float64]:
        found = mechanism.probabilities(answers)
        assert found is not None
        chances = np.array(list(found.values())) if isinstance(found, dict) else found
        assert abs(chances.sum() - 1) < 1e-12
        return chances

    return law


def coarse(count: int = 1, epsilon: float = 1.0, **given: Any) -> SparseVector:
    """On whole numbers, with a threshold of 0."""
    return sparse_vector(epsilon, threshold=0, count=count, grid=1.0, **given)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_law_is_that_of_its_definition(count: int) -> None:
    mechanism = coarse(count, 6.0)
    (at, chances), (steps, chances_of_answers) = (
        noise_chances(noise, reach) for noise, reach in ((mechanism.threshold_noise, 25), (mechanism.answer_noise, 60))
    )
    answers = [0, 1, -1]
    reached = [(answer + steps >= at[:, None]) @ chances_of_answers for answer in answers]
    expected: dict[tuple[bool, ...], float] = {}
    for row in product((True, False), repeat=3):
        weight = chances * math.prod(one if found else 1 - one for one, found in zip(reached, row, strict=True))
        ends = [end for end in range(4) if sum(row[:end]) == count]
        outcome = row[: ends[0]] if ends else row
        expected[outcome] = expected.get(outcome, 0.0) + float(weight.sum())
    found = mechanism.probabilities(answers)
    assert found is not None and set(found) == set(expected)
    for row, chance in expected.items():
        assert found[row] == pytest.approx(chance, abs=1e-9)


def test_above_threshold_is_the_sparse_vector_of_one() -> None:
    first, sparse = above_threshold(1.0, threshold=4), sparse_vector(1.0, threshold=4, count=1)
    assert (first.threshold_noise, first.answer_noise) == (sparse.threshold_noise, sparse.answer_noise)
    found, chances = sparse.probabilities(ANSWERS), first.probabilities(ANSWERS)
    assert found is not None and chances is not None
    for at in range(5):
        assert found[(False,) * at + (True,)] == chances[at]
    assert found[(False,) * 5] == chances[5]
    for seed in range(50):
        position, truths = (one.run(ANSWERS, Simulated(simulation_seed=seed)) for one in (first, sparse))
        assert truths == ([False] * 5 if position is None else [False] * position + [True])  # type: ignore[operator]


def test_the_budget_is_split_as_it_should_be() -> None:
    for count, monotonic, epsilon in product((1, 4), (False, True), (0.5, 3.0)):
        made = sparse_vector(epsilon, threshold=0, count=count, sensitivity=2, monotonic=monotonic, grid=0.5)
        moved = count if monotonic else 2 * count
        first, second = 4 / made.threshold_noise.scale, moved * 4 / made.answer_noise.scale
        assert second / first == pytest.approx(moved ** (2 / 3))
        assert epsilon * (1 - 1e-12) <= first + second <= epsilon
        assert made.claims == (CentralDP(epsilon),)
        assert made.step() == Claimed(CentralDP(epsilon))


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("count", [1, 2])
def test_no_neighbour_is_told_apart_by_more_than_epsilon(count: int, monotonic: bool) -> None:
    for epsilon, grid in ((0.5, 1.0), (2.0, 0.5)):
        made = sparse_vector(epsilon, threshold=1, count=count, monotonic=monotonic, grid=grid)
        pairs = neighbouring((-1.0, 1.0, 4.0), 3, (0, 1) if monotonic else (-1, 0, 1))
        assert 0.4 * epsilon < exact_epsilon(law_of(made), pairs) <= epsilon * (1 + 1e-9)
        # Answers between the points of the grid, and neighbours that rounding moves apart.
        pairs = neighbouring((0.49, 1.75), 3, (0, 0.3, 1.0) if monotonic else (-1.0, 0.02, 1.0))
        assert exact_epsilon(law_of(made), pairs) <= epsilon * (1 + 1e-9)


def test_the_named_neighbours_tell_nearly_all() -> None:
    for monotonic, epsilon in product((False, True), (0.3, 1.0, 4.0)):
        first = above_threshold(epsilon, threshold=2.3, monotonic=monotonic)
        shown = [exact_epsilon(law_of(first), [pair]) for pair in first.neighbours()]
        assert 0.9 * epsilon < max(shown) <= epsilon * (1 + 1e-9)
        two = sparse_vector(epsilon, threshold=2.3, count=2, monotonic=monotonic, grid=0.25)
        shown = [exact_epsilon(law_of(two), [pair]) for pair in two.neighbours()]
        assert 0.9 * epsilon < max(shown) <= epsilon * (1 + 1e-9)


def test_many_answers_come_as_near_epsilon_as_one_likes() -> None:
    first = above_threshold(1.0, threshold=0, grid=1.0)
    pair = ([0.0] * 40 + [-9.0], [1.0] * 40 + [-10.0])
    assert 0.999 < exact_epsilon(law_of(first), [pair]) <= 1 + 1e-9


def test_known_mistakes_are_found_out() -> None:
    """Each has an exact ε beyond its claim on a list that enumeration reaches."""
    honest = coarse(3)
    long = ([0.0] * 6 + [-6.0] * 3, [1.0] * 6 + [-7.0] * 3)
    assert exact_epsilon(law_of(honest), [long]) <= 1.0
    # The noise of the answers does not grow with the count (algorithms 3 and 4 of Lyu, Su and Li).
    second = 1 - 1 / (1 + 6 ** (2 / 3))
    unscaled = replace(honest, answer_noise=DiscreteLaplace(2 / second))
    assert exact_epsilon(law_of(unscaled), [long]) > 1.3
    # No noise in the threshold (their algorithm 5), or none in the answers.
    bare = replace(coarse(1), threshold_noise=DiscreteLaplace(0.01))
    assert exact_epsilon(law_of(bare), [([0.0] * 6, [1.0] * 6)]) > 1.3
    steep = replace(coarse(1), answer_noise=DiscreteLaplace(0.05))
    assert exact_epsilon(law_of(steep), [([0.0] * 2 + [0.0], [1.0] * 2 + [-1.0])]) > 5
    # Answers taken for monotonic that are not.
    assert exact_epsilon(law_of(coarse(1, monotonic=True)), [([0.0] * 9 + [-6.0], [1.0] * 9 + [-7.0])]) > 1.3


@pytest.mark.parametrize(("randomness", "runs"), [(Simulated(simulation_seed=20), 3_000), (OperatingSystem(), 600)])
def test_outcomes_are_drawn_by_their_law(randomness: Randomness, runs: int) -> None:
    first, two = above_threshold(2.0, threshold=4), sparse_vector(2.0, threshold=4, count=2)
    positions = Counter(first.run(ANSWERS, randomness) for _ in range(runs))
    seen = np.array([positions[at] for at in (*range(5), None)])
    assert p_value(seen, law_of(first)(ANSWERS)) >= FALSE_ALARM
    rows = Counter(tuple(two.run(ANSWERS, randomness)) for _ in range(runs))
    law = two.probabilities(ANSWERS)
    assert law is not None
    assert p_value(np.array([rows[row] for row in law]), np.array(list(law.values()))) >= FALSE_ALARM


def test_many_draws_at_once_have_the_same_law() -> None:
    first, two = above_threshold(2.0, threshold=4), sparse_vector(2.0, threshold=4, count=2)
    positions = first.repeated(ANSWERS, 250_000, Simulated(simulation_seed=4))
    seen = np.array([np.sum(positions == at) for at in (*range(5), -1)])
    assert p_value(seen, law_of(first)(ANSWERS)) >= FALSE_ALARM
    rows = Counter(map(tuple, two.repeated(ANSWERS, 50_000, Simulated(simulation_seed=5)).tolist()))
    law = two.probabilities(ANSWERS)
    assert law is not None
    seen = np.array([rows[tuple(map(int, row)) + (-1,) * (5 - len(row))] for row in law])
    assert seen.sum() == 50_000
    assert p_value(seen, np.array(list(law.values()))) >= FALSE_ALARM


def test_it_ends_with_the_last_that_is_found() -> None:
    made = sparse_vector(50.0, threshold=10, count=2)
    assert made.run([0, 20, 0, 20, 20, 0], Simulated(simulation_seed=1)) == [False, True, False, True]
    assert made.run([0, 20, 0], Simulated(simulation_seed=1)) == [False, True, False]
    assert above_threshold(50.0, threshold=10).run([0, 0], Simulated(simulation_seed=1)) is None


def test_what_is_too_much_work_has_no_law() -> None:
    assert above_threshold(1e-6, threshold=0).probabilities([1.0]) is None
    assert coarse(10).probabilities([0.0] * 40) is None


@pytest.mark.parametrize("count", [0, -1, 1.5, True, 10**400])
def test_a_count_that_is_none_is_refused(count: Any) -> None:
    with pytest.raises(OptionError, match=r"not a whole number from 1 to 1048576|must be of type 'int'"):
        sparse_vector(1.0, threshold=0, count=count)


def test_what_cannot_be_used_is_refused() -> None:
    for threshold in (math.nan, math.inf, -math.inf, 10**400):
        with pytest.raises(OptionError, match="not a finite number within 2\\^52 steps"):
            above_threshold(1.0, threshold=threshold)
    for wrong in ({"epsilon": 0}, {"epsilon": math.inf}, {"epsilon": 1, "sensitivity": 0}):
        with pytest.raises(OptionError, match="above 0"):
            above_threshold(threshold=0, **wrong)
    with pytest.raises(OptionError, match="not a power of two"):
        above_threshold(1.0, threshold=0, grid=0.3)
    made: list[Thresholded] = [above_threshold(1.0, threshold=0), sparse_vector(1.0, threshold=0, count=2)]
    for one in made:
        for answers, message in [([], "no answers"), ([1, math.nan], "not a finite number"), ([None], "not a finite")]:
            with pytest.raises(OptionError, match=message):
                one.run(answers, Simulated(simulation_seed=0))


def test_wrong_types_are_refused_in_one_sentence() -> None:
    wrong: list[tuple[str, Any]] = [("epsilon", "1"), ("sensitivity", "1"), ("grid", "x")]
    wrong += [("monotonic", one) for one in ("no", 1, None)]
    wrong += [("threshold", one) for one in ("a", None, np.array([1, 2]))]
    for name, value in wrong:
        given: dict[str, Any] = {"epsilon": 1.0, "threshold": 0, name: value}
        with pytest.raises(OptionError, match=f"'{name}' of above_threshold"):
            above_threshold(**given)
        with pytest.raises(OptionError, match=f"'{name}' of sparse_vector"):
            sparse_vector(**given, count=1)
    answers: Any
    both: list[Any] = [above_threshold(1.0, threshold=0), sparse_vector(1.0, threshold=0, count=1)]
    for made in both:
        for answers in (None, 5, "123", ["1"]):
            with pytest.raises(OptionError, match="answer is not a finite number"):
                made.run(answers, Simulated(simulation_seed=0))
        with pytest.raises(OptionError, match="randomness is of type 'NoneType'"):
            made.run([1, 2], None)


def test_an_audit_shows_a_good_share_of_what_is_claimed() -> None:
    for mechanism, share in (
        (above_threshold(1.0, threshold=3), 0.8),
        (sparse_vector(4.0, threshold=3, count=2), 0.7),
        (above_threshold(1.0, threshold=3, monotonic=True), 0.8),
    ):
        shown = lower_bound(mechanism, randomness=Simulated(2), stop_early=False)
        assert share * mechanism.claims[0].level < shown.at_least <= mechanism.claims[0].level
        assert not shown.violated

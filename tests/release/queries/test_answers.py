"""Answers follow the laws they claim, hold the truth as often as they say, and fail in one sentence."""

from __future__ import annotations

import math
from collections import Counter
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from leakgauge.claims import ApproximateDP, CentralDP, ZeroConcentratedDP
from leakgauge.errors import ColumnError, LeakgaugeError, OptionError
from leakgauge.mechanisms import MaxNoise, report_noisy_max
from leakgauge.notions.composition import Neighbours
from leakgauge.probability import Estimate
from leakgauge.randomness import OperatingSystem, Simulated
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.queries import (
    SIMULATION,
    Condition,
    Count,
    Histogram,
    Mean,
    Protection,
    Quantile,
    Query,
    Sum,
    TopLabels,
)
from leakgauge.release.queries.query import NoisyQuery
from leakgauge.tables import open_table
from tests.grids import diagonal
from tests.release.queries.small_tables import Row, SmallTable

ROW = Protection()
ADDED = Protection(neighbours=Neighbours.ADD_OR_REMOVE_ONE)
PERSON = Protection("person", 2)
RUNS, CONFIDENCE = 400, 0.8
FEWEST = RUNS * CONFIDENCE - 4.5 * math.sqrt(RUNS * CONFIDENCE * (1 - CONFIDENCE))
"""Fewer hits than this happen by chance less than 4 times in a million."""
IN_A = Condition("city", "A")
SECRET = 918273


@pytest.fixture(scope="module")
def people() -> pa.Table:
    wage = [1.25 * (at % 17) for at in range(300)]
    return pa.table(
        {
            "person": [at // 3 for at in range(300)],
            "city": [["A", "B", "A", None][at % 4] for at in range(300)],
            "age": [20 + at % 50 for at in range(300)],
            "wage": wage,
            "gap": [None, float(SECRET), *wage[2:]],
            "owner": [None, *range(299)],
            "whole": [at % 2 == 0 for at in range(300)],
        }
    )


def truth(query: Query[Any], rows: pa.Table, protection: Protection) -> list[float]:
    """What the query is about, computed row by row."""
    used, seen = [], Counter[int]()
    for row in rows.to_pylist():
        if all(row[one.column] == one.value for one in query.conditions):
            seen[row["person"]] += 1
            if protection.unit is None or seen[row["person"]] <= protection.rows:
                used.append(row)
    match query:
        case Count():
            return [float(len(used))]
        case Sum():
            return [sum(min(max(row[query.column], query.lower), query.upper) for row in used)]
        case Mean():
            return [sum(min(max(row[query.column], query.lower), query.upper) for row in used) / len(used)]
        case Histogram(edges=None):
            named = [sum(row[query.column] == label for row in used) for label in query.labels or ()]
            return [*map(float, named), float(len(used) - sum(named))]
    raise AssertionError(query)


NOISY: list[NoisyQuery[Any]] = [
    query
    for delta in (None, 1e-5)
    for query in (
        Count(epsilon=0.7, delta=delta, where=IN_A, confidence=CONFIDENCE),
        Sum("age", 25, 60, 30, epsilon=0.7, delta=delta, confidence=CONFIDENCE),
        Sum("wage", 0, 15.3, epsilon=0.7, delta=delta, where=IN_A, confidence=CONFIDENCE),
        Mean("age", 25, 60, 30, epsilon=2.0, delta=delta, confidence=CONFIDENCE),
        Mean("wage", 0, 15.3, epsilon=2.0, delta=delta, where=IN_A, confidence=CONFIDENCE),
        Histogram("city", ["A", None], epsilon=0.7, delta=delta, confidence=CONFIDENCE),
    )
]


@pytest.mark.parametrize("protection", [ROW, ADDED, PERSON], ids=["row", "added", "person"])
@pytest.mark.parametrize("query", NOISY, ids=lambda query: f"{query}-{query.delta}")
def test_intervals_hold_the_truth_as_often_as_they_say(
    query: Query[Any], protection: Protection, people: pa.Table
) -> None:
    randomness = Simulated(simulation_seed=11)
    with open_table(people) as table:
        exact = query.exact(table, protection)
    expected = truth(query, people, protection)
    hits = np.zeros(len(expected))
    for _ in range(RUNS):
        answer = query.answer(exact, protection, randomness)
        assert answer.simulated and SIMULATION in str(answer)
        for at, (_, found) in enumerate(answer.values):
            assert isinstance(found, Estimate) and found.confidence == CONFIDENCE
            hits[at] += expected[at] in found
    assert hits.min() >= FEWEST
    # Made of two, the interval of a quotient is wide; the others are not wider than they must be by much.
    assert isinstance(query, Mean) or hits.max() <= RUNS * 0.93


@pytest.mark.parametrize("query", NOISY, ids=lambda query: f"{query}-{query.delta}")
def test_noise_of_the_operating_system(query: NoisyQuery[Any], people: pa.Table) -> None:
    with open_table(people) as table:
        answer = query.ask(table, ROW, OperatingSystem())
        exact = query.exact(table, ROW)
    assert not answer.simulated
    assert SIMULATION not in str(answer)
    headline = answer.claims[0]
    assert headline == (CentralDP(query.epsilon) if query.delta is None else ApproximateDP(query.epsilon, 1e-5))
    # No noise here has one value more often than every third time: 40 alike happen once in 10^18 times.
    assert len({query.answer(exact, ROW, OperatingSystem()).values for _ in range(40)}) > 1


def chi_squared(found: npt.NDArray[np.float64], law: npt.NDArray[np.float64]) -> float:
    from scipy.stats import chisquare

    keep = law * found.sum() >= 5
    rest_found, rest_law = found[~keep].sum(), law[~keep].sum()
    seen = np.append(found[keep], rest_found) if rest_law > 0 else found[keep]
    expected = np.append(law[keep], rest_law) if rest_law > 0 else law[keep]
    return float(chisquare(seen, expected / expected.sum() * seen.sum()).pvalue)


@pytest.mark.parametrize(("share", "protection"), diagonal([(1, 2), (9, 10), (1, 3)], [ROW, ADDED]))
def test_a_quantile_follows_the_exponential_mechanism(share: tuple[int, int], protection: Protection) -> None:
    query = Quantile("age", share[0] / share[1], 0, 10, grid=1, epsilon=1.5)
    ages = [1, 1, 4, 4, 4, 9]
    with open_table(pa.table({"age": ages})) as table:
        exact = query.exact(table, protection)
    target = len(ages) * share[0] / share[1]
    off = [
        max(sum(age < point for age in ages) - target, target - sum(age <= point for age in ages), 0)
        for point in range(11)
    ]
    sensitivity = 1 if protection is ROW else max(share[0], share[1] - share[0]) / share[1]
    law = np.exp(-1.5 * np.array(off) / (2 * sensitivity))
    randomness, found = Simulated(simulation_seed=5), np.zeros(11)
    for _ in range(4000):
        value = query.answer(exact, protection, randomness).value
        assert isinstance(value, float)
        found[round(value)] += 1
    assert chi_squared(found, law / law.sum()) >= 1e-6


def test_the_rank_of_a_quantile_is_off_by_no_more_than_it_says(people: pa.Table) -> None:
    query = Quantile("wage", 0.75, 0, 20, epsilon=0.5, confidence=CONFIDENCE)
    wages, randomness, hits = people.column("wage").to_pylist(), Simulated(simulation_seed=2), 0
    with open_table(people) as table:
        exact = query.exact(table, ROW)
    assert len(exact[0]) > 2**16
    for _ in range(RUNS):
        answer = query.answer(exact, ROW, randomness)
        value, error = answer.value, answer.rank_error
        assert isinstance(value, float) and error is not None and 0 <= value <= 20
        below, up_to = sum(wage < value for wage in wages), sum(wage <= value for wage in wages)
        hits += below - 225 <= error and 225 - up_to <= error
    assert hits >= FEWEST
    assert answer.claims == (CentralDP(0.5), ZeroConcentratedDP(0.5**2 / 8))


def test_utilities_of_a_quantile_are_best_at_the_quantile() -> None:
    query = Quantile("age", 0.5, 0, 4, grid=1, epsilon=1)
    assert query.utilities(np.array([0, 3, 0, 3, 0])).tolist() == [-6, 0, 0, 0, -6]


@pytest.mark.parametrize("grid", [None, 1, 0.1])
def test_the_answers_of_a_quantile_do_not_follow_the_kind_of_the_column(grid: float | None) -> None:
    query = Quantile("age", 0.5, 0, 10, grid=grid, epsilon=1e-3)
    found = []
    for ages in ([1, 4, 9], [1.0, 4.5, 9.0]):
        with open_table(pa.table({"age": ages})) as table:
            exact = query.exact(table, ROW)
        randomness = Simulated(simulation_seed=8)
        values = [query.answer(exact, ROW, randomness).value for _ in range(50)]
        found.append({isinstance(value, float) and value.is_integer() for value in values})
    assert found[0] == found[1] == ({True} if grid == 1 else {True, False} if grid == 0.1 else {False})


def test_the_most_frequent_labels_follow_the_exponential_mechanism() -> None:
    labels, counts = ["a", "b", "c"], np.array([3, 2, 0])
    query = TopLabels("city", 2, labels, epsilon=1.6)
    law = {}
    for first, second in permutations(range(3), 2):
        weights = np.exp(0.8 * counts / 2)
        rest = weights.sum() - weights[first]
        law[labels[first], labels[second]] = weights[first] / weights.sum() * weights[second] / rest
    randomness, found = Simulated(simulation_seed=3), Counter[tuple[Any, ...]]()
    for _ in range(4000):
        found[tuple(label for _, label in query.answer(counts, ROW, randomness).values)] += 1
    assert set(found) <= set(law)
    assert chi_squared(np.array([float(found[pair]) for pair in law]), np.array(list(law.values()))) >= 1e-6


@pytest.mark.parametrize("noise", list(MaxNoise))
def test_the_most_frequent_label_follows_its_noise(noise: MaxNoise) -> None:
    labels, counts = ["a", "b", "c"], np.array([3, 2, 0])
    query = TopLabels("city", 1, labels, noise, epsilon=0.8)
    law = report_noisy_max(0.8, noise=noise).probabilities([3, 2, 0])
    assert law is not None
    randomness, found = Simulated(simulation_seed=3), Counter[Any]()
    for _ in range(2000):
        answer = query.answer(counts, ROW, randomness)
        found[answer.values[0][1]] += 1
    assert chi_squared(np.array([float(found[label]) for label in labels]), law) >= 1e-6
    assert [claim.name for claim in answer.claims] == (["dp", "zcdp"] if noise == MaxNoise.GUMBEL else ["dp"])
    rho, least = float(Cost(query.steps(ROW)).rho), 0.8**2 / 8
    assert rho == pytest.approx(least) if noise == MaxNoise.GUMBEL else least < rho <= 0.8 * math.tanh(0.4) * (1 + 1e-9)


def test_labels_are_found_by_their_text(people: pa.Table) -> None:
    with open_table(people) as table:
        assert Histogram("whole", ["true"], epsilon=1).exact(table, ROW).tolist() == [150, 150]
        assert Histogram("age", ["20", "21.0"], epsilon=1).exact(table, ROW).tolist() == [6, 0, 294]
        assert Histogram("wage", ["0", "1.25"], epsilon=1).exact(table, ROW).tolist() == [18, 18, 264]
        assert Histogram("gap", edges=[0.5, 10], epsilon=1).exact(table, ROW).tolist() == [17, 125, 157, 1]
        assert TopLabels("city", 1, [None, "A"], epsilon=1).exact(table, ROW).tolist() == [75, 150]
        assert Count(where=Condition("city", None), epsilon=1).exact(table, ROW) == (75,)
        assert Count(epsilon=1).exact(table, ADDED) == (300,)
    assert Histogram("gap", edges=[0.5, 10], epsilon=1).bins == ("(-∞, 0.5)", "[0.5, 10)", "[10, ∞)", "(missing)")


def test_labels_mean_the_same_whatever_the_kind_of_the_column() -> None:
    query = Histogram("code", ["10000000000000000", "0"], epsilon=1)
    for codes in ([10**16, 0, 7], [1e16, 0.0, 7.5]):
        with open_table(pa.table({"code": codes})) as table:
            assert query.exact(table, ROW).tolist() == [1, 1, 1]


NOT_A_NUMBER: list[Row] = [("u", "A", math.nan), ("v", "B", 1e308), ("w", None, -math.inf)]


@pytest.mark.parametrize(("lower", "upper"), [(0.0, 10.0), (-1e-9, 1e-9), (-1e300, 1e300), (1e18, 1e18 + 1e6)])
def test_no_number_leaves_its_bounds_nor_makes_numpy_speak(lower: float, upper: float) -> None:
    values = pa.array([math.nan, None, 1e308, -1e308, math.inf, -math.inf, 5e-324, 0.0, lower, upper], pa.float64())
    for limits in (
        Sum("number", lower, upper, epsilon=1).bounds,
        Sum("number", lower, upper, missing=1e308, epsilon=1).bounds,
        Quantile("number", 0.5, lower, upper, epsilon=1).bounds,
    ):
        steps = limits.steps(values)  # warnings are errors here
        assert limits.lowest <= steps.min() and steps.max() <= limits.highest
        assert (steps[2], steps[3]) == (limits.highest, limits.lowest)


@pytest.mark.parametrize("kind", [Sum, Mean, partial(Quantile, at=0.5)])
def test_what_is_not_a_number_is_missing(kind: Any) -> None:
    table = SmallTable(NOT_A_NUMBER)
    left_out = kind("number", lower=0, upper=10, epsilon=1).exact(table, ROW)
    complete = kind("number", lower=0, upper=10, epsilon=1).exact(SmallTable(NOT_A_NUMBER[1:]), ROW)
    assert np.array_equal(left_out, complete), "without a number for it, a missing value is not used"
    exact = kind("number", lower=0, upper=10, missing=10, epsilon=1).exact(table, ROW)
    counted = kind("number", lower=0, upper=10, epsilon=1).exact(
        SmallTable([("u", "A", 10.0), ("v", "B", 10.0), ("w", None, 0.0)]), ROW
    )
    assert np.array_equal(exact, counted)
    assert Count(where=Condition("number", None), epsilon=1).exact(table, ROW) == (1,)
    assert Histogram("number", [None], epsilon=1).exact(table, ROW).tolist() == [1, 2]
    with pytest.raises(ColumnError, match="'number' is missing in some rows"):
        Count(epsilon=1).exact(table, Protection("number"))


def test_sums_are_exact_whatever_their_size() -> None:
    numbers = [2**40 + 1, -(2**40), 3, None]
    query = Sum("number", -(2**41), 2**41, missing=0, epsilon=1)
    with open_table(pa.table({"number": numbers})) as table:
        (found,) = query.exact(table, ROW)
    assert query.bounds.grid > 1
    assert abs(found.steps * query.bounds.grid - 4) <= 4 * query.bounds.grid / 2
    precise = Sum("number", 0, 100, missing=50, epsilon=1)
    with open_table(pa.table({"number": [0.5, math.inf, -math.inf, None]})) as table:
        (found,) = precise.exact(table, ROW)
    assert (found.steps * precise.bounds.grid, found.count) == (150.5, 4)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Count(epsilon=0),
        lambda: Count(epsilon=-1),
        lambda: Count(epsilon=math.inf),
        lambda: Count(epsilon=math.nan),
        lambda: Count(epsilon=1, delta=0),
        lambda: Count(epsilon=1, delta=1),
        lambda: Count(epsilon=1, confidence=1),
        lambda: Condition("city", 3),  # type: ignore[arg-type]
        lambda: Sum("age", epsilon=1),
        lambda: Sum("age", 3, epsilon=1),
        lambda: Sum("age", 3, 3, epsilon=1),
        lambda: Sum("age", 4, 3, epsilon=1),
        lambda: Sum("age", 0, math.inf, epsilon=1),
        lambda: Sum("age", -1e308, 1.7e308, epsilon=1),
        lambda: Sum("age", 1e300, 1e300 * (1 + 2**-52), epsilon=1),
        lambda: Sum("age", 0, 1e-300, epsilon=1),
        lambda: Mean("age", 0, 1, missing=math.nan, epsilon=1),
        lambda: Quantile("age", 0, 0, 1, epsilon=1),
        lambda: Quantile("age", 1, 0, 1, epsilon=1),
        lambda: Quantile("age", 1e-9, 0, 1, epsilon=1),
        lambda: Quantile("age", 0.5, epsilon=1),
        lambda: Quantile("age", 0.5, 0, 10, grid=0, epsilon=1),
        lambda: Quantile("age", 0.5, 0, 10, grid=-1, epsilon=1),
        lambda: Quantile("age", 0.5, 0, 10, grid=math.nan, epsilon=1),
        lambda: Quantile("age", 0.5, 0, 10, grid=6, epsilon=1),
        lambda: Quantile("age", 0.5, 0, 10, grid=1e-6, epsilon=1),
        lambda: Quantile("age", 0.5, 1e18, 1e18 + 1e6, grid=100, epsilon=1),
        lambda: Histogram("city", epsilon=1),
        lambda: Histogram("city", ["A"], [1.0], epsilon=1),
        lambda: Histogram("city", [], epsilon=1),
        lambda: Histogram("city", "AB", epsilon=1),
        lambda: Histogram("city", ["A", "A"], epsilon=1),
        lambda: Histogram("city", ["(other)"], epsilon=1),
        lambda: Histogram("city", [3], epsilon=1),  # type: ignore[list-item]
        lambda: Histogram("age", edges=[2.0, 1.0], epsilon=1),
        lambda: Histogram("age", edges=[], epsilon=1),
        lambda: TopLabels("city", 0, ["A"], epsilon=1),
        lambda: TopLabels("city", 2, ["A"], epsilon=1),
        lambda: TopLabels("city", 1, ["A"], "uniform", epsilon=1),  # type: ignore[arg-type]
        lambda: Protection(rows=2),
        lambda: Protection("person", 0),
        lambda: Protection("person", neighbours="one"),  # type: ignore[arg-type]
        lambda: Count(epsilon=1).steps(ROW),
        lambda: Count(epsilon=1e-12, where=IN_A).steps(ROW),
        lambda: Histogram("city", ["A"], epsilon=1e-4, delta=1e-9).steps(Protection("person", 1000)),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(make: Any) -> None:
    with pytest.raises(OptionError) as refused:
        make()
    one_sentence(refused.value)


@pytest.mark.parametrize(
    ("query", "protection", "told"),
    [
        (Sum("age", 0, 1, epsilon=1), Protection("owner"), "'owner' is missing in some rows"),
        (Count(epsilon=1, where=Condition("city", "nowhere")), Protection("owner"), "'owner' is missing in some rows"),
        (Sum("city", 0, 1, epsilon=1), ROW, "'city' holds text"),
        (Histogram("city", edges=[1.0], epsilon=1), ROW, "'city' holds text"),
        (Quantile("whole", 0.5, 0, 1, epsilon=1), ROW, "'whole' holds true or false"),
        (Sum("wages", 0, 1, epsilon=1), ROW, "did you mean 'wage'"),
        (TopLabels("town", 1, ["A"], epsilon=1), ROW, "no column 'town'"),
        (Count(epsilon=1, where=Condition("town", "A")), ROW, "no column 'town'"),
        (Sum("age", 0, 1, epsilon=1), Protection("who"), "no column 'who'"),
    ],
)
def test_tables_that_cannot_be_asked(query: Query[Any], protection: Protection, told: str, people: pa.Table) -> None:
    with open_table(people) as table, pytest.raises(ColumnError) as refused:
        query.ask(table, protection, Simulated(simulation_seed=1))
    assert told in str(refused.value)
    assert str(SECRET) not in str(refused.value)
    one_sentence(refused.value)


def one_sentence(error: LeakgaugeError) -> None:
    text = str(error)
    assert (
        (text[0].isupper() or text[0] in "'\"0123456789") and text[-1] in ".?" and "\n" not in text and ". " not in text
    )

"""Groups of rows for one budget: no neighbour is told apart by more, and intervals hold the truth."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.claims import ZeroConcentratedDP
from leakgauge.errors import ColumnError, OptionError
from leakgauge.mechanisms.steps import DiscreteLaplaceNoise
from leakgauge.notions.composition import Neighbours
from leakgauge.probability import Estimate
from leakgauge.randomness import Simulated
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.queries import (
    Condition,
    Count,
    Groups,
    Histogram,
    Mean,
    Operator,
    Protection,
    Quantile,
    Query,
    Sum,
)
from leakgauge.release.queries.noise import TotalNoise, spread_noise
from leakgauge.release.queries.totals import NoisyTotals
from leakgauge.tables import open_table
from tests.grids import examples
from tests.release.queries.small_tables import Row, SmallTable, neighbours

NUMBERS = [-3.0, 0.7, 5.0, None]
DOMAIN = [(city, number) for city in ("A", "B", None) for number in NUMBERS]
PROTECTIONS = [Protection(unit, rows, kind) for unit, rows in ((None, 1), ("who", 3)) for kind in reversed(Neighbours)]
WHERE = (Condition("city", "B", Operator.UNEQUAL), Condition("number", "0.7", Operator.AT_LEAST))
BY = (Groups("city", ["A"]), Groups("number", edges=[0.0, 1.0]))
ROW, ADDED = Protection(), Protection(neighbours=Neighbours.ADD_OR_REMOVE_ONE)

rows = st.lists(
    st.tuples(st.sampled_from("uv"), st.sampled_from(["A", "B", None]), st.sampled_from(NUMBERS)),
    min_size=1,
    max_size=5,
)
some_query = st.builds(
    lambda kind, by, where, missing: kind(by, where, missing),
    st.sampled_from(
        [
            lambda by, where, _: Count(epsilon=1.0, by=by, where=where),
            *(
                lambda by, where, missing, kind=kind, ends=ends: kind(
                    "number", *ends, missing, epsilon=1.0, by=by, where=where
                )
                for kind in (Sum, Mean)
                for ends in ((2.0, 9.0), (-4.0, 3.0), (-9.0, -5.0))
            ),
        ]
    ),
    st.sampled_from(BY),
    st.sampled_from([None, WHERE]),
    st.sampled_from([None, 1.0]),
)


def of_table(query: Query[Any], table: list[Row], protection: Protection) -> Any:
    return query.exact(SmallTable(table), protection)


def moves(query: NoisyTotals[Any], one: Any, other: Any, protection: Protection) -> list[npt.NDArray[np.int64]]:
    """By how many steps of its noise each total of each group moves."""
    totals: list[list[list[int]]] = []
    for found in (one, other):
        if isinstance(query, Mean):
            middle = query.middle
            totals.append([[part.steps - part.count * middle for part in found], [part.count for part in found]])
        else:
            totals.append([[part if isinstance(query, Count) else part.steps for part in found]])
    return [
        np.array([noise.on_grid(theirs) - noise.on_grid(mine) for mine, theirs in zip(*pair, strict=True)])
        for noise, pair in zip(query.noises(protection), zip(*totals, strict=True), strict=True)
    ]


@pytest.mark.parametrize("protection", PROTECTIONS, ids=lambda one: f"{one}-{one.neighbours.name}")
@given(table=rows, query=some_query)
@examples(12)
def test_no_neighbour_is_told_apart_by_more_than_all_groups_cost(
    protection: Protection, table: list[Row], query: NoisyTotals[Any]
) -> None:
    """By the noise that is drawn: Laplace noise by ε and its parts, Gaussian noise by ρ."""
    normal = type(query)(**{**{name: getattr(query, name) for name in query.__dataclass_fields__}, "delta": 1e-6})
    laplace, gauss = query.noises(protection), normal.noises(protection)
    assert Cost(query.steps(protection)).epsilon <= 1
    rho = next(one.rho for one in answered(normal, table, protection).claims if isinstance(one, ZeroConcentratedDP))
    assert Cost(normal.steps(protection)).rho == pytest.approx(rho)
    mine = of_table(query, table, protection)
    for other in neighbours(table, protection, DOMAIN):
        theirs = of_table(query, other, protection)
        found = moves(query, mine, theirs, protection)
        assert (
            sum(np.abs(one).sum() / noise.mechanism.added.scale for one, noise in zip(found, laplace, strict=True)) <= 1
        )
        for one, noise in zip(found, laplace, strict=True):
            require_parts(one, noise)
        squares = [(one**2).sum() for one in moves(normal, mine, theirs, protection)]
        levels = [square / 2 / noise.mechanism.added.scale**2 for square, noise in zip(squares, gauss, strict=True)]
        assert sum(levels) <= rho * (1 + 1e-12)


def require_parts(moved: npt.NDArray[np.int64], noise: TotalNoise) -> None:
    """What a ledger counts as two steps is what falls and what rises."""
    (step,) = noise.steps()
    assert isinstance(step, DiscreteLaplaceNoise)
    up, down = np.maximum(moved, 0).sum(), np.maximum(-moved, 0).sum()
    most = max(up, down) if step.count == 2 else up + down
    assert most / noise.mechanism.added.scale <= step.epsilon * (1 + 1e-12)


def answered(query: Query[Any], table: list[Row], protection: Protection) -> Any:
    return query.answer(of_table(query, table, protection), protection, Simulated(simulation_seed=1))


@pytest.mark.parametrize("protection", PROTECTIONS, ids=lambda one: f"{one}-{one.neighbours.name}")
@given(table=rows, at=st.sampled_from([0.5, 0.9]), by=st.sampled_from(BY), where=st.sampled_from([None, WHERE]))
@examples(6)
def test_the_choices_of_all_groups_span_no_more_than_epsilon(
    protection: Protection, table: list[Row], at: float, by: Groups, where: Any
) -> None:
    query = Quantile("number", at, 0.0, 5.0, grid=0.5, epsilon=1.0, by=by, where=where)
    choice = query._choice(protection)
    mine = [query.utilities(counts) for counts in of_table(query, table, protection)]
    for other in neighbours(table, protection, DOMAIN):
        theirs = [query.utilities(counts) for counts in of_table(query, other, protection)]
        spans = [np.ptp(np.subtract(*pair)) for pair in zip(mine, theirs, strict=True)]
        assert sum(spans) * choice.epsilon / (2 * choice.sensitivity) <= 1
    (step,) = query.steps(protection)
    assert step.pure_epsilon() == 1 and step.rho() == 1 / 8


@pytest.mark.parametrize("epsilon", [0.1, 3.3])
@pytest.mark.parametrize("protection", PROTECTIONS, ids=lambda one: f"{one}-{one.neighbours.name}")
def test_all_groups_cost_epsilon_and_not_more(protection: Protection, epsilon: float) -> None:
    for query in (
        Count(epsilon=epsilon, by=BY[0]),
        *(kind("number", *ends, epsilon=epsilon, by=BY[0]) for kind in (Sum, Mean) for ends in ((2, 9), (-4, 3))),
        Quantile("number", 0.5, 0, 5, grid=1, epsilon=epsilon, by=BY[0]),
    ):
        assert epsilon * (1 - 1e-12) <= Cost(query.steps(protection)).epsilon <= epsilon


@pytest.mark.parametrize(
    ("query", "table", "other"),
    [
        (Count(epsilon=1.0, by=BY[0]), [("u", "A", 1.0)], [("u", "B", 1.0)]),
        (Sum("number", -3, 3, 0, epsilon=1.0, by=BY[0]), [("u", "A", -3.0)], [("u", "A", 3.0)]),
        (Sum("number", 0, 3, 0, epsilon=1.0, by=BY[0]), [("u", "A", 3.0)], [("u", "B", 3.0)]),
    ],
    ids=str,
)
def test_some_neighbour_is_told_apart_by_all_of_it(query: NoisyTotals[Any], table: list[Row], other: list[Row]) -> None:
    (noise,) = query.noises(ROW)
    (found,) = moves(query, of_table(query, table, ROW), of_table(query, other, ROW), ROW)
    assert np.abs(found).sum() / noise.mechanism.added.scale >= 0.98


row_parts = st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1)), max_size=4)


@given(
    totals=st.lists(st.integers(-(10**12), 10**12), min_size=4, max_size=4),
    ends=st.sampled_from([(0, 7_000_001), (-5_000_003, 900_001), (-1234, 0), (0, 1)]),
    removed=row_parts,
    added=row_parts,
    epsilon=st.floats(0.05, 20),
    delta=st.sampled_from([None, 0.01]),
)
def test_rounding_every_total_by_itself_is_paid_for(
    totals: list[int], ends: tuple[int, int], removed: Any, added: Any, epsilon: float, delta: float | None
) -> None:
    noise = spread_noise(epsilon, delta, ends, 4, 2, 2.0**-20)
    others = list(totals)
    for sign, part in ((-1, removed), (1, added)):
        for at, where in part:
            others[at] += sign * round(ends[0] + where * (ends[1] - ends[0]))
    found = np.array([noise.on_grid(other) - noise.on_grid(total) for total, other in zip(totals, others, strict=True)])
    if delta is None:
        assert np.abs(found).sum() / noise.mechanism.added.scale <= epsilon * (1 + 1e-12)
    else:
        assert (found**2).sum() / 2 / noise.mechanism.added.scale**2 <= noise.rho * (1 + 1e-12) <= delta * (1 + 1e-9)


@pytest.fixture(scope="module")
def people() -> pa.Table:
    count = 1200
    return pa.table(
        {
            "person": [at // 3 for at in range(count)],
            "city": [["A", "B", "C", None][at % 7 % 4] for at in range(count)],
            "job": [["nurse", "clerk"][at % 3 % 2] for at in range(count)],
            "age": [None if at % 11 == 0 else 15 + at % 60 for at in range(count)],
        }
    )


RANGE = (
    Condition("age", "18", Operator.AT_LEAST),
    Condition("age", "65", Operator.BELOW),
    Condition("job", "clerk", Operator.UNEQUAL),
)
CITIES = Groups("city", ["A", "B", None])
RUNS, CONFIDENCE = 300, 0.8
FEWEST = RUNS * CONFIDENCE - 4.5 * math.sqrt(RUNS * CONFIDENCE * (1 - CONFIDENCE))


@pytest.mark.parametrize("protection", [ROW, Protection("person", 2)], ids=["row", "person"])
@pytest.mark.parametrize("delta", [None, 1e-5])
def test_intervals_of_groups_hold_the_truth(protection: Protection, delta: float | None, people: pa.Table) -> None:
    """Under three conditions, two of them a range, where values are missing."""
    ages: dict[str, list[int]] = {name: [] for name in CITIES.names}
    seen: dict[int, int] = {}
    for row in people.to_pylist():
        if row["age"] is not None and 18 <= row["age"] < 65 and row["job"] != "clerk":
            seen[row["person"]] = seen.get(row["person"], 0) + 1
            if protection.unit is None or seen[row["person"]] <= protection.rows:
                city = {"A": "A", "B": "B", None: "(missing)"}.get(row["city"], "(other)")
                ages[city].append(min(max(row["age"], 20), 60))
    asked: dict[Any, Any] = {"epsilon": 0.7, "where": RANGE, "by": CITIES, "confidence": CONFIDENCE, "delta": delta}
    expected: dict[NoisyTotals[Any], Callable[[list[int]], float]] = {
        Count(**asked): len,
        Sum("age", 20, 60, **asked): math.fsum,
        Mean("age", 20, 60, **asked): statistics.fmean,
    }
    for query, truth in expected.items():
        with open_table(people) as table:
            exact = query.exact(table, protection)
        randomness, hits = Simulated(simulation_seed=3), Counter[str]()
        for _ in range(RUNS):
            for name, value in query.answer(exact, protection, randomness).values:
                assert isinstance(value, Estimate) and name is not None
                hits[name] += truth(ages[name]) in value
        assert min(hits[name] for name in CITIES.names) >= FEWEST
        assert isinstance(query, Mean) or max(hits.values()) <= RUNS * 0.95


def test_quantiles_of_groups(people: pa.Table) -> None:
    query = Quantile("age", 0.5, 0, 100, grid=1, epsilon=40, by=Groups("job", ["nurse", "clerk"]))
    with open_table(people) as table:
        answer = query.ask(table, ROW, Simulated(simulation_seed=2))
    found = dict(answer.values)
    for job in ("nurse", "clerk"):
        ages = [row["age"] for row in people.to_pylist() if row["job"] == job and row["age"] is not None]
        assert found[job] == pytest.approx(np.median(ages), abs=2)
    assert list(found) == ["nurse", "clerk", "(other)"]


def test_counts_of_groups_are_a_histogram(people: pa.Table) -> None:
    for delta in (None, 1e-6):
        count = Count(epsilon=1.0, delta=delta, by=CITIES, where=RANGE)
        bars = Histogram("city", ["A", "B", None], epsilon=1.0, delta=delta, where=RANGE)
        with open_table(people) as table:
            assert count.exact(table, ADDED) == tuple(bars.exact(table, ADDED).tolist())
        for protection in PROTECTIONS:
            assert count.steps(protection) == bars.steps(protection)


def test_the_label_says_every_condition_and_the_groups() -> None:
    query = Mean("age", 20, 60, epsilon=1.0, by=CITIES, where=RANGE)
    assert str(query) == (
        "mean of age (over non-missing values) by 'city' over rows where 'age' is at least 18 and 'age' is below 65 "
        "and 'job' is not 'clerk'"
    )
    assert query.purpose == "mean of age (over non-missing values) by city under a condition on age, job"
    assert query.names == ("A", "B", "(missing)", "(other)")
    assert str(Mean("age", 20, 60, 30, epsilon=1.0)) == "mean of age"


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Groups("city"), "labels or edges"),
        (lambda: Groups("city", ["A"], [1.0]), "labels or edges"),
        (lambda: Groups("city", ["A", "B", "A"]), "1 of the 3 labels repeat"),
        (lambda: Groups("city", ["(other)"]), "is reserved"),
        (lambda: Groups("age", edges=[2, 1]), "increase"),
        (lambda: Quantile("age", 0.5, 0, 1, epsilon=1, by=Groups("c", [*map(str, range(999))])), "1000 groups with"),
        (
            lambda: Sum("age", 0, 1, epsilon=1e-4, delta=1e-9, by=CITIES).steps(Protection("p", 10**5)),
            "cannot be drawn",
        ),
    ],
)
def test_groups_that_cannot_be(make: Any, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        make()


def test_columns_of_groups_that_cannot_be_used(people: pa.Table) -> None:
    with open_table(people) as table:
        with pytest.raises(ColumnError, match="no column 'town'"):
            Count(epsilon=1, by=Groups("town", ["A"])).require_columns(table, ROW)
        with pytest.raises(ColumnError, match="'city' holds text, but this query needs numbers"):
            Count(epsilon=1, by=Groups("city", edges=[1])).require_columns(table, ROW)

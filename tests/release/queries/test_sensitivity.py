"""No neighbour moves the exact numbers of a query further than the sensitivity its noise was made for."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.mechanisms import MaxNoise
from leakgauge.mechanisms.noise import DiscreteLaplace
from leakgauge.notions.composition import Neighbours, compose
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.queries import (
    Condition,
    Count,
    Histogram,
    Mean,
    Operator,
    Protection,
    Quantile,
    Query,
    Sum,
    TopLabels,
)
from leakgauge.release.queries.noise import bin_noise, concentrated_noise, share, total_noise
from tests.grids import diagonal, examples, nightly
from tests.release.queries.small_tables import Row, SmallTable, neighbours

NUMBERS = [-3.0, 0.7, math.inf, None]
DOMAIN = list(product(["A", "B", None], NUMBERS))
PROTECTIONS = [
    Protection(unit, rows, kind)
    for unit, rows in ((None, 1), ("who", 1), ("who", 3))
    for kind in (Neighbours.REPLACE_ONE, Neighbours.ADD_OR_REMOVE_ONE)
]
CONDITION = Condition("city", "A")
CONDITIONS = (Condition("city", "B", Operator.UNEQUAL), Condition("number", "0.7", Operator.AT_LEAST))
BOUNDS = [(2.0, 9.0), (-4.0, 3.0), (-9.0, -5.0)]

rows = st.lists(
    st.tuples(st.sampled_from("uvw"), st.sampled_from(["A", "B", None]), st.sampled_from(NUMBERS)),
    min_size=1,
    max_size=6,
)


def moved(query: Query[Any], table: list[Row], protection: Protection) -> list[float]:
    """How far each neighbour moves the exact numbers, as a share of the sensitivity."""
    mine = exact(query, table, protection)
    return [
        distance(query, mine, exact(query, other, protection), protection) / query.sensitivity(protection)
        for other in neighbours(table, protection, DOMAIN)
    ]


def exact(query: Query[Any], table: list[Row], protection: Protection) -> Any:
    """What is found of all rows together."""
    found = query.exact(SmallTable(table), protection)
    return found[0] if isinstance(found, tuple) else found


def distance(query: Query[Any], one: Any, other: Any, protection: Protection) -> float:
    """In the steps the sensitivity is given in."""
    match query:
        case Count():
            return float(abs(one - other))
        case Sum():
            return float(abs(one.steps - other.steps))
        case Mean():
            assert abs(one.count - other.count) <= protection.rows
            if len(query.steps(protection)) == 1:
                assert one.count == other.count, "a count without noise must be public"
            return float(abs(one.steps - other.steps - (one.count - other.count) * query.middle))
        case Histogram():
            up, down = np.maximum(other - one, 0).sum(), np.maximum(one - other, 0).sum()
            # One part where rows are added or removed: all counts move in one direction.
            assert protection.replaces or min(up, down) == 0
            return float(max(up, down))
        case Quantile():
            return float(np.abs(query.utilities(one) - query.utilities(other)).max())
        case TopLabels():
            return float(np.abs(one - other).max())
    raise AssertionError(query)


def queries(where: Condition | tuple[Condition, ...] | None) -> list[Query[Any]]:
    bounded = [
        kind("number", *ends, missing, epsilon=1.0, where=where)
        for kind in (Sum, Mean)
        for ends, missing in zip(BOUNDS, (None, 1.0, None), strict=True)
    ]
    return [
        Count(epsilon=1.0, where=where),
        *bounded,
        Histogram("city", ["A", None], epsilon=1.0, where=where),
        Histogram("number", edges=[0.0, 1.0], epsilon=1.0, where=where),
        *(Quantile("number", at, 0.0, 5.0, epsilon=1.0, where=where) for at in (0.5, 0.9)),
        TopLabels("city", 1, ["A", "B"], epsilon=1.0, where=where),
    ]


@pytest.mark.parametrize("protection", PROTECTIONS, ids=lambda one: f"{one}-{one.rows}-{one.neighbours.name}")
@given(table=rows, where=st.sampled_from([None, CONDITION, CONDITIONS]), data=st.data())
@examples(6)
def test_no_neighbour_moves_further(protection: Protection, table: list[Row], where: Any, data: st.DataObject) -> None:
    query = data.draw(st.sampled_from(queries(where)))
    assert max(moved(query, table, protection)) <= 1


def loss(query: Query[Any], one: Any, other: Any, protection: Protection) -> float:
    """The largest log-ratio, in nats, of the laws of what is shown of two tables, by the noise that is drawn."""
    match query:
        case Count():
            pairs = [(query.noises(protection)[0], one, other)]
        case Sum():
            pairs = [(query.noises(protection)[0], one.steps, other.steps)]
        case Mean():
            noises = query.noises(protection)
            sums = [found.steps - found.count * query.middle for found in (one, other)]
            pairs = [(noises[0], *sums)] + [(noise, one.count, other.count) for noise in noises[1:]]
        case Histogram():
            pairs = [(query._noise(protection), *counts) for counts in zip(one.tolist(), other.tolist(), strict=True)]
        case _:
            raise AssertionError(query)
    laws = [noise.mechanism.law for noise, _, _ in pairs]
    assert all(isinstance(law, DiscreteLaplace) for law in laws)
    moves = [abs(noise.on_grid(mine) - noise.on_grid(theirs)) for noise, mine, theirs in pairs]
    return sum(move / law.scale for move, law in zip(moves, laws, strict=True) if isinstance(law, DiscreteLaplace))


@pytest.mark.parametrize(
    ("protection", "where"), diagonal([PROTECTIONS[at] for at in (0, 2, 1, 3, 4, 5)], [None, CONDITION])
)
def test_no_neighbour_is_told_apart_by_more_than_epsilon(protection: Protection, where: Condition | None) -> None:
    table: list[Row] = [("u", "A", 5.0), ("u", "B", -3.0), ("v", "A", None), ("v", None, 0.7), ("w", "A", 5.0)]
    for query in queries(where):
        if isinstance(query, Quantile | TopLabels):
            continue  # their laws are compared elsewhere
        mine = exact(query, table, protection)
        others = [exact(query, other, protection) for other in neighbours(table, protection, DOMAIN)]
        assert max(loss(query, mine, other, protection) for other in others) <= 1 + 1e-12


@pytest.mark.parametrize("noise", list(MaxNoise))
@pytest.mark.parametrize("protection", [PROTECTIONS[at] for at in (0, 1, 5)], ids=lambda one: f"{one}-{one.neighbours}")
def test_no_neighbour_is_told_apart_by_the_label_chosen(protection: Protection, noise: MaxNoise) -> None:
    """A rare label among common ones has the likeliest losses; with half the noise they would exceed ε."""
    labels = [str(at) for at in range(5)]
    query = TopLabels("city", 1, labels, noise=noise, epsilon=1.0)
    table: list[Row] = [(f"{label} {at}", label, 0.7) for label in labels for at in range(1 if label == "0" else 8)]
    choice = query._choice(protection)
    domain = [("0", 0.7), ("1", 0.7)]
    counts = {tuple(exact(query, other, protection)) for other in neighbours(table, protection, domain)}
    laws = [choice.probabilities(some) for some in ((1, 8, 8, 8, 8), *counts)]
    mine, *others = (np.log(law) for law in laws if law is not None)
    assert len(others) == len(counts)
    assert 0.6 < max(np.abs(other - mine).max() for other in others) <= 1 + 1e-9


SHARP: list[tuple[Query[Any], Protection]] = [
    (query, protection)
    for protection in (PROTECTIONS[0], PROTECTIONS[1], PROTECTIONS[4], PROTECTIONS[5])
    for query in (
        Count(epsilon=1.0, where=CONDITION),
        Sum("number", -3.0, 1.0, epsilon=1.0),
        Sum("number", 2.0, 5.0, epsilon=1.0, where=CONDITION),
        Mean("number", -3.0, 5.0, epsilon=1.0),
        Histogram("city", ["A", None], epsilon=1.0),
        Quantile("number", 0.9, -3.0, 5.0, epsilon=1.0),
        TopLabels("city", 1, ["A", "B"], epsilon=1.0),
    )
]


@pytest.mark.parametrize(("query", "protection"), [*SHARP[::2], *(nightly(*one) for one in SHARP[1::2])], ids=str)
def test_some_neighbour_moves_as_far(query: Query[Any], protection: Protection) -> None:
    """The noise is not larger than it must be; and the test above compares with what can be reached."""
    ends = (-3.0, 5.0)
    mine: list[list[Row]] = [[("u", city, number)] * 2 for city in ("A", "B") for number in ends]
    tables = [[*rows, *[("v", "B", other)] * 4] for rows in mine for other in ends]
    most = max(max(moved(query, table, protection)) for table in tables)
    # A step's share is lost where the bounds do not lie on the grid, or the middle between two steps.
    assert most == pytest.approx(1, abs=1e-3)


def test_rows_of_a_unit_that_may_be_fewer_need_more_than_the_width() -> None:
    """From one row of 2 to three rows of 9: the width of the bounds, three times, would be too little."""
    query, protection = Sum("number", 2.0, 9.0, epsilon=1.0), Protection("who", 3)
    totals = [exact(query, [("u", "A", end)] * count, protection).steps for end, count in ((2.0, 1), (9.0, 3))]
    assert totals[1] - totals[0] > 3 * (query.bounds.highest - query.bounds.lowest)
    assert totals[1] - totals[0] <= query.sensitivity(protection)


@given(
    table=st.lists(st.tuples(st.sampled_from("uvwx"), st.sampled_from(["A", "B"]), st.just(1.0)), max_size=25),
    most=st.integers(1, 4),
    where=st.sampled_from([None, CONDITION]),
)
def test_only_the_first_rows_of_a_unit_are_used(table: list[Row], most: int, where: Condition | None) -> None:
    seen: dict[str, int] = {}
    for who, city, _ in table:
        if where is None or city == "A":
            seen[who] = seen.get(who, 0) + 1
    expected = sum(min(count, most) for count in seen.values())
    numbered: list[Row] = [(who, city, float(at)) for at, (who, city, _) in enumerate(table)]
    assert Count(epsilon=1.0, where=where).exact(SmallTable(numbered), Protection("who", most)) == (expected,)
    kept: dict[str, list[float]] = {}
    for who, city, number in numbered:
        if (where is None or city == "A") and len(kept.setdefault(who, [])) < most and number is not None:
            kept[who].append(number)
    query = Sum("number", 0.0, 32.0, epsilon=1.0, where=where)
    found = exact(query, numbered, Protection("who", most)).steps * query.bounds.grid
    assert found == sum(map(sum, kept.values()))


@given(
    total=st.integers(-(10**15), 10**15),
    sensitivity=st.integers(1, 10**9),
    share_moved=st.floats(0, 1),
    epsilon=st.floats(0.01, 20),
    delta=st.sampled_from([None, 1e-6]),
)
@examples(8)
def test_rounding_to_the_grid_of_the_noise_keeps_within_its_steps(
    total: int, sensitivity: int, share_moved: float, epsilon: float, delta: float | None
) -> None:
    other = total + math.floor(sensitivity * share_moved)
    for noise in (
        total_noise(epsilon, delta, sensitivity, 2.0**-20),
        concentrated_noise(epsilon, epsilon / 10, sensitivity, 2.0**-20),
    ):
        assert noise.on_grid(other) - noise.on_grid(total) <= noise.mechanism.span.steps
        assert abs(noise.on_grid(total) * noise.mechanism.span.grid - total * 2.0**-20) <= noise.mechanism.span.grid / 2


@given(epsilon=st.floats(1e-3, 30), parts=st.integers(1, 50))
def test_parts_of_a_budget_never_exceed_it(epsilon: float, parts: int) -> None:
    part = share(epsilon, parts)
    cost = Cost(TopLabels("c", parts, [str(at) for at in range(parts)], epsilon=epsilon).steps(Protection()))
    assert cost.epsilon <= epsilon
    assert part >= epsilon / parts * (1 - 1e-14)


@pytest.mark.parametrize("protection", PROTECTIONS, ids=lambda one: f"{one}-{one.rows}-{one.neighbours.name}")
@pytest.mark.parametrize("epsilon", [0.1, 3.3])
def test_a_query_costs_its_epsilon_and_not_more(protection: Protection, epsilon: float) -> None:
    for query in queries(CONDITION):
        again = type(query)(**{**vars_of(query), "epsilon": epsilon})
        assert epsilon * (1 - 1e-12) <= Cost(again.steps(protection)).epsilon <= epsilon


@pytest.mark.parametrize("protection", [PROTECTIONS[0], PROTECTIONS[5]], ids=str)
@pytest.mark.parametrize("where", [None, CONDITION])
def test_gaussian_noise_composes_to_what_is_claimed(protection: Protection, where: Condition | None) -> None:
    for query in (
        Count(epsilon=1.0, delta=1e-6, where=CONDITION),
        Sum("number", 2.0, 9.0, epsilon=1.0, delta=1e-6, where=where),
        Mean("number", 2.0, 9.0, epsilon=1.0, delta=1e-6, where=where),
        Histogram("city", ["A"], epsilon=1.0, delta=1e-6, where=where),
    ):
        found = compose(query.steps(protection), 1e-6, neighbours=protection.neighbours).epsilon
        # Two numbers by their ρ lose some of what the exact composition proves.
        assert 0.85 <= found <= 1


def vars_of(query: Query[Any]) -> dict[str, Any]:
    return {name: getattr(query, name) for name in query.__dataclass_fields__}


@pytest.mark.parametrize("moved_counts", [1, 2])
def test_bins_have_the_noise_of_their_share(moved_counts: int) -> None:
    noise = bin_noise(1.0, None, 3, moved_counts)
    assert noise.mechanism.added.standard_deviation == pytest.approx(math.sqrt(2) * 3 * moved_counts, rel=0.02)
    assert bin_noise(1.0, 1e-6, 3, moved_counts).mechanism.span.grid == 1

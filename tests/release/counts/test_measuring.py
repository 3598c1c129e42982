"""Unbiased tables and their intervals; counting, workloads and what is refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.claims import ApproximateDP, GaussianDP, ZeroConcentratedDP
from leakgauge.errors import ColumnError, LabelError, OptionError, RefusalError, TableError
from leakgauge.notions.composition import Neighbours
from leakgauge.randomness import Simulated
from leakgauge.release.counts import Attribute, Within, Workload, count_tables, measure, plan_counts
from leakgauge.release.counts.counting import ExactTables
from leakgauge.tables import open_table
from tests.grids import examples
from tests.release.counts.tables import ATTRIBUTES, PAIRS, counted, people

BUDGET = ApproximateDP(1.0, 1e-6)


@examples(10)
@given(st.integers(1, 3), st.sampled_from(Neighbours), st.integers(0, 99))
def test_without_noise_the_tables_would_be_the_counts(ways: int, neighbours: Neighbours, seed: int) -> None:
    """Noise of next to nothing: every table follows from its interactions, and every total from its table."""
    work = Workload.of_ways(ATTRIBUTES, ways)
    tables = counted(50, work, seed)
    measured = measure(plan_counts(work, ZeroConcentratedDP(1e5), neighbours=neighbours), tables, Simulated(seed))
    for places in work.closure[1:]:
        assert np.allclose(measured.table(*work.names_of(places)).counts, tables.array(places))
    assert measured.rows == 50


@pytest.mark.parametrize(
    ("rows", "work", "neighbours"),
    [
        (40, PAIRS, Neighbours.ADD_OR_REMOVE_ONE),
        (5000, PAIRS, Neighbours.REPLACE_ONE),
        (500, Workload.of_ways(ATTRIBUTES, 3), Neighbours.ADD_OR_REMOVE_ONE),
        (500, Workload(ATTRIBUTES, ["age", ("sex", "job"), ("age", "sex", "rare")]), Neighbours.REPLACE_ONE),
    ],
)
def test_intervals_hold_the_truth_as_often_as_they_say(rows: int, work: Workload, neighbours: Neighbours) -> None:
    """Over 200 repetitions: all cells, and random linear questions."""
    plan, tables, rng = plan_counts(work, BUDGET, neighbours=neighbours), counted(rows, work), np.random.default_rng(3)
    source, within, questions = Simulated(17), [], []
    for _ in range(200):
        measured = measure(plan, tables, source)
        for places, names in zip(work.places, work.tables, strict=True):
            table, exact = measured.table(*names), tables.array(places)
            within.append(np.abs(table.counts - exact).ravel() <= 1.959964 * table.standard_error)
            weights = rng.normal(size=exact.shape)
            questions.append(float((weights * exact).sum()) in table.total(weights))
    assert np.concatenate(within).mean() == pytest.approx(0.95, abs=0.01)
    assert np.mean(questions) == pytest.approx(0.95, abs=0.015)


def test_errors_of_cells_and_sums_agree_with_the_plan() -> None:
    plan = plan_counts(PAIRS, BUDGET)
    table = measure(plan, counted(100), Simulated(1)).table("job", "age")
    assert table.names == ("age", "job") and table.labels == (tuple(range(4)), tuple(range(6)))
    cell = np.zeros((4, 6))
    cell[1, 2] = 1
    one = table.total(cell)
    assert one.high - one.value == pytest.approx(1.959964 * table.standard_error, rel=1e-6)
    # A row of the table is a cell of the margin, in value and in error.
    row = np.zeros((4, 6))
    row[1] = 1
    margin = table.measurement.table("age")
    total = table.total(row)
    assert total.value == pytest.approx(margin.counts[1])
    assert total.high - total.value == pytest.approx(1.959964 * margin.standard_error, rel=1e-6)
    with pytest.raises(OptionError, match=r"The weights have shape \(2,\), but the table has \(4, 6\)"):
        table.total([1, 2])


def test_sums_are_right_on_average_unless_cells_are_clipped() -> None:
    """So the unbiased tables stay available."""
    plan, tables, source = plan_counts(PAIRS, BUDGET), counted(40), Simulated(6)
    drawn = [measure(plan, tables, source).table("job", "rare").counts for _ in range(300)]
    error = float(np.std([one.sum() for one in drawn])) / 300**0.5
    assert np.mean([one.sum() for one in drawn]) == pytest.approx(40, abs=4 * error)
    assert np.mean([np.maximum(one, 0).sum() for one in drawn]) > 60


def test_noise_is_never_larger_than_can_be_drawn() -> None:
    plan = plan_counts(PAIRS, within=Within(99.0, 10**12))
    assert 2**19 < max(plan.sigmas) <= 2**20
    assert measure(plan, counted(40), Simulated(1)).rows != 40


def test_more_noise_for_persons_with_several_rows() -> None:
    one, three = plan_counts(PAIRS, BUDGET), plan_counts(PAIRS, BUDGET, rows_per_person=3)
    assert three.standard_error("age", "job") == pytest.approx(3 * one.standard_error("age", "job"), rel=0.01)
    assert three.guarantee.epsilon(1e-6) <= 1
    with pytest.raises(OptionError, match="0 rows per person cannot be protected"):
        plan_counts(PAIRS, BUDGET, rows_per_person=0)


def test_an_error_that_is_wanted_gives_the_least_budget() -> None:
    plan = plan_counts(PAIRS, within=Within(2.0, 1000))
    worst = max(plan.standard_error(*names) for names in PAIRS.tables)
    assert 1.959964 * worst == pytest.approx(20, rel=1e-3) and 1.959964 * worst <= 20 * (1 + 1e-6)
    least = plan.guarantee.epsilon(1e-6)
    found = plan_counts(PAIRS, ApproximateDP(1.01 * least, 1e-6), within=Within(2.0, 1000))
    assert 1.959964 * max(found.standard_error(*names) for names in PAIRS.tables) <= 20
    with pytest.raises(
        RefusalError, match=rf"needs at least approximate-dp:{least:.3f}.*, more than approximate-dp:0.1"
    ):
        plan_counts(PAIRS, ApproximateDP(0.1, 1e-6), within=Within(2.0, 1000))
    with pytest.raises(OptionError, match="neither a budget nor an error"):
        plan_counts(PAIRS)
    with pytest.raises(OptionError, match=r"Within 0.0 points of 1000 rows"):
        Within(0.0, 1000)


@pytest.mark.parametrize("budget", [ApproximateDP(0.3, 1e-8), ZeroConcentratedDP(0.02), GaussianDP(0.2)])
def test_a_budget_is_kept_and_used_in_its_own_notion(budget: ApproximateDP | ZeroConcentratedDP | GaussianDP) -> None:
    found = plan_counts(PAIRS, budget).guarantee
    level = {
        ApproximateDP: found.epsilon(1e-8),
        ZeroConcentratedDP: found.rho,
        GaussianDP: found.gaussian_mu,
    }[type(budget)]
    assert (1 - 1e-6) * budget.level <= level <= budget.level


def test_a_workload_that_needs_little_noise_is_charged_whole() -> None:
    plan = plan_counts(PAIRS, ApproximateDP(30.0, 1e-6))
    assert plan.guarantee.kappa < 1e-9 and plan.gap > 0.1
    assert plan.guarantee.epsilon(1e-6) <= 30


@pytest.mark.parametrize("budget", [ZeroConcentratedDP(0.0), ZeroConcentratedDP(1e-30)])
def test_budgets_too_small_for_any_count_are_refused(budget: ZeroConcentratedDP) -> None:
    with pytest.raises(OptionError):
        plan_counts(PAIRS, budget)


def test_values_that_are_not_declared_are_refused_without_naming_them() -> None:
    work = Workload([Attribute("age", range(3)), Attribute("sex", range(2))], [("age", "sex")])
    with pytest.raises(TableError, match=r"^1 of the 4 values of 'age' are not declared, and \d+ of 100 rows") as error:
        count_tables(open_table(people(100)), work)
    assert error.value.fields.keys() == {"lost", "count", "name", "rows", "all"}
    missing = open_table(pa.table({"sex": ["f", None, "m"]}))
    with pytest.raises(TableError, match="1 of the 3 values of 'sex' are not declared, and 1 of 3 rows"):
        count_tables(missing, Workload([Attribute("sex", "fm")], ["sex"]))
    exact = count_tables(missing, Workload([Attribute("sex", ["f", "m", None])], ["sex"]))
    assert exact.array((0,)).tolist() == [1, 1, 1] and exact.rows == 3


def test_counts_are_those_of_the_rows() -> None:
    rows, exact = people(300), counted(300)
    codes = [rows[name].to_numpy() for name in rows.column_names]
    for places in PAIRS.closure[1:]:
        brute = np.zeros(PAIRS.shape(places), dtype=int)
        np.add.at(brute, tuple(codes[at] for at in places), 1)
        assert (exact.array(places) == brute).all()
    assert int(exact.array(())) == 300


def test_workloads_are_checked() -> None:
    with pytest.raises(OptionError, match=r"has 100000000 cells, more than 10000000; declare coarser"):
        Workload([Attribute("a", range(10**4)), Attribute("b", range(10**4))], [("a", "b")])
    with pytest.raises(OptionError, match="only one declared value; declare at least 2"):
        Attribute("a", ["x"])
    with pytest.raises(LabelError):
        Attribute("a", ["x", "x"])
    two = [Attribute("a", "xy"), Attribute("b", "xy")]
    with pytest.raises(ColumnError, match="no attribute 'c'"):
        Workload(two, ["c"])
    with pytest.raises(ColumnError, match="each one once"):
        Workload(two, [("a", "a")])
    with pytest.raises(OptionError, match="given twice"):
        Workload(two, [("a", "b"), ("b", "a")])
    assert Workload(two, "a").tables == (("a",),)
    with pytest.raises(OptionError, match="no tables"):
        Workload(two, [])
    with pytest.raises(OptionError, match=r"The weights \(1\)"):
        Workload(two, ["a", "b"], [1.0])
    only = Workload(two, ["a", "b"])
    with pytest.raises(ColumnError, match="holds 'a' × 'b' together"):
        measure(plan_counts(only, BUDGET), _exact(only), Simulated(1)).table("a", "b")


def test_tables_of_another_workload_are_refused() -> None:
    with pytest.raises(OptionError, match="counted for another workload"):
        measure(plan_counts(Workload.of_ways(ATTRIBUTES, 1), BUDGET), counted(50), Simulated(1))
    two = Workload([Attribute("a", "xy"), Attribute("b", "xy")], ["a", "b"])
    with pytest.raises(OptionError, match="different numbers of rows"):
        ExactTables(two, {(0,): np.array([1, 2]), (1,): np.array([1, 1])})
    with pytest.raises(OptionError, match=r"The counts \(1 tables\) are not those"):
        ExactTables(two, {(0,): np.array([1, 2])})


def _exact(work: Workload) -> ExactTables:
    return count_tables(open_table(pa.table({"a": ["x", "y"], "b": ["y", "y"]})), work)

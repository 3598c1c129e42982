"""Consistent tables: laws, traps, and a brute-force minimum."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from leakgauge.claims import ApproximateDP, ZeroConcentratedDP
from leakgauge.errors import OptionError
from leakgauge.notions.composition import Neighbours
from leakgauge.randomness import Simulated
from leakgauge.release.counts import Attribute, ConsistentTables, Workload, consistent, measure, plan_counts
from leakgauge.release.counts.counting import ExactTables
from tests.grids import nightly
from tests.release.counts.tables import ATTRIBUTES, PAIRS, counted


def fitted(rows: int, epsilon: float, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE_ONE) -> ConsistentTables:
    plan = plan_counts(PAIRS, ApproximateDP(epsilon, 1e-6), neighbours=neighbours)
    return consistent(measure(plan, counted(rows), Simulated(4)))


@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize(("rows", "epsilon"), [(40, 0.5), (40, 5.0), (5000, 1.0), nightly(100_000, 1.0)])
def test_margins_agree_and_nothing_is_negative(rows: int, epsilon: float, neighbours: Neighbours) -> None:
    found = fitted(rows, epsilon, neighbours)
    assert found.shares.min() >= 0 and found.shares.sum() == pytest.approx(1)
    # Of few rows, noise below 0 cannot be fitted, and the truth itself has a misfit of about 1.
    assert found.misfit <= (1.0 if rows == 40 else 0.5)
    for names in combinations(found.names, 2):
        table = found.table(*names)
        for axis, name in enumerate(names):
            assert np.allclose(table.sum(axis=1 - axis), found.table(name), rtol=1e-12)
        assert np.allclose(table.T, found.table(*reversed(names)), rtol=1e-12)
    if neighbours is Neighbours.REPLACE_ONE:
        assert found.rows == rows and found.table("age").sum() == pytest.approx(rows)


def test_next_to_no_noise_is_fitted() -> None:
    counts = np.array([[300, 20, 50], [10, 200, 90]])
    work = Workload.of_ways([Attribute("a", range(2)), Attribute("b", range(3))])
    found = consistent(
        measure(plan_counts(work, ZeroConcentratedDP(50.0)), ExactTables(work, {(0, 1): counts}), Simulated(1))
    )
    assert np.abs(found.table("a", "b") - counts).max() < 3


def test_no_value_is_ruled_out() -> None:
    """Neither values that never occur, nor one that occurs once, have a share of 0."""
    found = fitted(5000, 1.0)
    assert found.table("rare").min() > 0 and found.table("job").min() > 0


def test_much_data_are_fitted_and_what_was_not_measured_is_near() -> None:
    exact = counted(100_000, Workload.of_ways(ATTRIBUTES, 3))
    found = fitted(100_000, 1.0)
    places = exact.workload.places_of(("age", "sex", "job"))
    away = np.abs(found.table("age", "sex", "job") - exact.array(places)).sum() / 2e5
    independent = np.ones(())
    for name in ("age", "sex", "job"):
        independent = np.multiply.outer(independent, found.table(name) / found.rows)
    assert away < 0.7 * np.abs(independent - exact.array(places) / 1e5).sum() / 2
    pair = np.abs(found.table("age", "job") - exact.array(exact.workload.places_of(("age", "job")))).sum() / 2e5
    assert pair < 1e-3


def test_what_is_independent_stays_so() -> None:
    work = Workload.of_ways([Attribute("a", range(5)), Attribute("b", range(4))])
    counts = np.multiply.outer([100, 200, 50, 50, 100], [2, 3, 4, 1])
    plan = plan_counts(work, ApproximateDP(0.5, 1e-6))
    found = consistent(measure(plan, ExactTables(work, {(0, 1): counts}), Simulated(2)))
    product = np.multiply.outer(found.table("a"), found.table("b")) / found.rows
    unbiased = measure(plan, ExactTables(work, {(0, 1): counts}), Simulated(2)).table("a", "b").counts
    assert np.abs(found.table("a", "b") - product).sum() < 0.3 * np.abs(unbiased - product).sum()


def test_it_is_the_minimum_of_its_objective() -> None:
    """λ KL + half the misfit, against moves of mass between cells: none makes it smaller."""
    work = Workload.of_ways([Attribute("a", range(2)), Attribute("b", range(3))])
    plan = plan_counts(work, ZeroConcentratedDP(0.5))
    counts = np.array([[30, 2, 5], [1, 20, 9]])
    measured = measure(plan, ExactTables(work, {(0, 1): counts}), Simulated(8))
    found = consistent(measured)
    base = np.ones(())
    for name in ("a", "b"):
        table = measured.table(name)
        kept = np.maximum(table.counts, table.standard_error / 2)
        base = np.multiply.outer(base, kept / kept.sum())

    def misfit(w: np.ndarray) -> float:
        total = 0.0
        for places, sigma in zip(work.closure[1:], plan.sigmas[1:], strict=True):
            margin = w.sum(axis=tuple(at for at in range(2) if at not in places))
            for axis in range(margin.ndim):
                margin = margin - margin.mean(axis=axis, keepdims=True)
            total += float(((found.rows * margin - measured.part(places)) ** 2).sum()) / sigma**2
        return total

    freedom = 5
    assert misfit(found.shares) / freedom == pytest.approx(found.misfit, rel=1e-6)
    # λ follows from one pair of cells; at the minimum it is the same from every pair.
    slopes = []
    step = 1e-6
    for first, second in combinations(np.ndindex(2, 3), 2):
        w = found.shares.copy()
        w[first] += step
        w[second] -= step
        fit = (misfit(w) - misfit(found.shares)) / 2 / step
        entropy = np.log(found.shares[first] / base[first]) - np.log(found.shares[second] / base[second])
        slopes.append((entropy, -fit))
    entropies, fits = np.array(slopes).T
    rate = float(entropies @ fits / (entropies @ entropies))
    assert rate > 0 and np.allclose(fits, rate * entropies, atol=0.05 * np.abs(fits).max())


def test_too_many_cells_are_refused_with_the_way_out() -> None:
    work = Workload.of_ways([Attribute(f"c{at}", range(10)) for at in range(7)], 1)
    plan = plan_counts(work, ZeroConcentratedDP(0.1))
    exact = ExactTables(work, {(at,): np.full(10, 3) for at in range(7)})
    with pytest.raises(OptionError, match=r"The 7 attributes have 10000000 cells together, more than 4000000; ask"):
        consistent(measure(plan, exact, Simulated(1)))


def test_only_attributes_of_the_tables_are_there() -> None:
    with pytest.raises(OptionError, match="cannot be taken from"):
        fitted(40, 1.0).table("age", "city")

"""The least error for a sensitivity: laws of the bound, and a conic solver beside."""

from __future__ import annotations

import itertools
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from leakgauge.errors import OptionError
from leakgauge.notions.composition import Neighbours
from leakgauge.probability.cells import Floats
from leakgauge.release.counts import Attribute, Workload
from leakgauge.release.counts.precision import LARGEST_GAP, error_rows, least_error, moved, worst_patterns
from tests.grids import nightly

KINDS = list(itertools.product(Neighbours, [False, True]))


def random_workload(seed: int) -> Workload:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 5))
    attributes = [Attribute(f"c{at}", range(size)) for at, size in enumerate(rng.integers(2, 12, count).tolist())]
    sets = [some for ways in range(1, count + 1) for some in combinations([one.name for one in attributes], ways)]
    chosen = rng.permutation(len(sets))[: int(rng.integers(1, len(sets) + 1))]
    return Workload(attributes, [sets[at] for at in chosen], rng.uniform(0.2, 5, len(chosen)).tolist())


def all_moves(work: Workload, neighbours: Neighbours) -> Floats:
    if neighbours is Neighbours.ADD_OR_REMOVE_ONE:
        return moved(work, None)[None, :]
    count = len(work.sizes)
    patterns = [frozenset(some) for ways in range(count) for some in combinations(range(count), ways)]
    return np.stack([moved(work, one) for one in patterns])


def entries(work: Workload, largest: bool, wanted: Floats) -> Floats:
    rows = error_rows(work, work.places)
    if largest:
        return np.asarray(rows / wanted[:, None])
    return np.asarray((np.array(work.weights) * [work.cells(one) for one in work.places]) @ rows)[None, :]


@pytest.mark.parametrize("seed", [*range(4), *map(nightly, range(4, 200))])
@pytest.mark.parametrize(("neighbours", "largest"), KINDS)
def test_no_plan_of_a_conic_solver_is_better(seed: int, neighbours: Neighbours, largest: bool) -> None:
    cp: Any = import_module("cvxpy")
    work = random_workload(seed)
    wanted = np.random.default_rng(seed + 1000).uniform(0.5, 2, len(work.tables))
    found = least_error(work, neighbours, wanted if largest else None)
    rows, moves = entries(work, largest, wanted), all_moves(work, neighbours)
    if neighbours is Neighbours.REPLACE_ONE:
        assert np.isinf(found.t[0])
        rows, moves = rows[:, 1:], moves[:, 1:]
    t = cp.Variable(rows.shape[1], pos=True)
    # Scaled to numbers near 1, which such solvers like.
    size = rows.max() * rows.shape[1]
    problem = cp.Problem(cp.Minimize(cp.max(rows / size @ cp.inv_pos(t))), [moves @ t <= 1])
    problem.solve(solver=cp.CLARABEL)
    assert problem.value is not None
    assert found.bound <= problem.value * size * (1 + 1e-5)
    assert found.error == pytest.approx(problem.value * size, rel=LARGEST_GAP)
    own = found.t[-rows.shape[1] :]
    assert (rows @ (1 / own)).max() == pytest.approx(found.error, rel=1e-9)
    assert (moves @ own).max() == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_the_worst_pattern_is_that_of_brute_force(seed: int) -> None:
    work = random_workload(seed)
    t = np.random.default_rng(seed).exponential(size=len(work.closure))
    count = len(work.sizes)
    patterns = [frozenset(some) for ways in range(count + 1) for some in combinations(range(count), ways)]
    brute = max(float(moved(work, one) @ t) for one in patterns)
    (worst,), square = worst_patterns(work, t)
    assert square == pytest.approx(brute) == pytest.approx(float(moved(work, worst) @ t))


@pytest.mark.parametrize(("neighbours", "largest"), KINDS)
def test_plans_of_twenty_columns_are_proven(neighbours: Neighbours, largest: bool) -> None:
    sizes = np.random.default_rng(0).integers(2, 30, 20).tolist()
    work = Workload.of_ways([Attribute(f"c{at}", range(size)) for at, size in enumerate(sizes)])
    assert len(work.tables) == 210
    found = least_error(work, neighbours, np.ones(210) if largest else None)
    assert -1e-12 <= found.gap <= LARGEST_GAP


def test_more_attributes_are_protected_as_added_or_removed() -> None:
    work = Workload.of_ways([Attribute(f"c{at}", range(2)) for at in range(21)], 1)
    with pytest.raises(OptionError, match=r"There are 21 attributes, .* at most 20"):
        least_error(work, Neighbours.REPLACE_ONE, None)

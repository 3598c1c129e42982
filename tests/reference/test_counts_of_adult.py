"""Errors of counts of Adult: 30,718 rows with a known occupation, eight columns of 7, 14, 2, 5, 16, 8, 2 and 9 values.

All one- and two-way tables, weights of 1, rows added or removed, δ = 10^-6. Reference: mean absolute errors of a cell,
in percentage points, of the unbiased one- and two-way tables and of the consistent two-way tables, and the total
variation of consistent two-way tables, and of three-way tables that were not measured.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leakgauge.claims import ApproximateDP
from leakgauge.probability.cells import Codes
from leakgauge.randomness import Simulated
from leakgauge.release.counts import Attribute, Measurement, Workload, consistent, count_tables, measure, plan_counts
from leakgauge.release.counts.counting import ExactTables
from leakgauge.tables import open_table
from tests.grids import nightly

COLUMNS = ("marital_status", "occupation", "sex", "race", "education", "age", "income", "workclass")
SIZES = (7, 14, 2, 5, 16, 8, 2, 9)
AGES = (25, 30, 35, 40, 45, 50, 60)
# ε: μ, one-way, two-way, consistent two-way, its total variation, that of three-way tables
REFERENCE = {
    0.5: (0.1241, 0.113, 0.081, 0.053, 0.0154, 0.041),
    1.0: (0.2367, 0.059, 0.042, 0.031, 0.0090, 0.031),
    2.0: (0.4483, 0.031, 0.022, 0.018, 0.0053, 0.025),
}


@cache
def adult(data: Path) -> tuple[ExactTables, tuple[Codes, ...]]:
    """The exact tables, and the codes of the rows."""
    every = pq.read_table(data / "adult_train.parquet").to_pydict()
    known = [at for at, job in enumerate(every["occupation"]) if job not in ("?", None)]
    assert len(known) == 30_718
    columns = {name: [every[name][at] for at in known] for name in COLUMNS}
    columns["age"] = np.digitize(columns["age"], AGES).tolist()
    attributes = [Attribute(name, sorted(set(every[name]))) for name in COLUMNS if name not in ("age", "occupation")]
    attributes[4:4] = [Attribute("age", range(len(AGES) + 1))]
    attributes[1:1] = [Attribute("occupation", sorted(set(columns["occupation"])))]
    work = Workload.of_ways(sorted(attributes, key=lambda one: COLUMNS.index(one.name)))
    assert work.sizes == SIZES
    codes = tuple(
        np.array([{value: at for at, value in enumerate(one.values)}[value] for value in columns[one.name]])
        for one in work.attributes
    )
    return count_tables(open_table(pa.table(columns)), work), codes


def measured(data: Path, epsilon: float, seed: int) -> Measurement:
    exact, _ = adult(data)
    plan = plan_counts(exact.workload, ApproximateDP(epsilon, 1e-6))
    assert plan.gap < 1e-3
    assert plan.guarantee.gaussian_mu == pytest.approx(REFERENCE[epsilon][0], abs=5e-5)
    return measure(plan, exact, Simulated(seed))


@pytest.mark.parametrize("epsilon", REFERENCE)
def test_unbiased_tables_err_by_the_reference(data: Path, epsilon: float) -> None:
    exact, _ = adult(data)
    _, one_way, two_way, *_ = REFERENCE[epsilon]
    away: dict[int, list[float]] = {1: [], 2: []}
    for seed in range(10):
        release = measured(data, epsilon, seed)
        for places, names in zip(exact.workload.places, exact.workload.tables, strict=True):
            away[len(names)] += np.abs(release.table(*names).counts - exact.array(places)).ravel().tolist()
    # One draw, as the reference is, has a standard error of a tenth for one-way tables, 63 cells in all.
    assert np.mean(away[1]) / 307.18 == pytest.approx(one_way, rel=0.1)
    assert np.mean(away[2]) / 307.18 == pytest.approx(two_way, rel=0.03)


@pytest.mark.parametrize("epsilon", [*map(nightly, REFERENCE)])
def test_consistent_tables_err_by_the_reference(data: Path, epsilon: float) -> None:
    exact, codes = adult(data)
    *_, two_way, variation, three_way = REFERENCE[epsilon]
    found = consistent(measured(data, epsilon, 3))
    assert found.shares.min() > 0 and 0.4 < found.misfit <= 0.5
    pairs = [
        np.abs(found.table(*names) - exact.array(places)) / 30_718
        for places, names in zip(exact.workload.places, exact.workload.tables, strict=True)
        if len(names) == 2
    ]
    assert 100 * np.concatenate([one.ravel() for one in pairs]).mean() == pytest.approx(two_way, rel=0.12)
    assert np.mean([one.sum() / 2 for one in pairs]) == pytest.approx(variation, rel=0.12)
    away = []
    for places in combinations(range(8), 3):
        shape = exact.workload.shape(places)
        flat = np.ravel_multi_index(tuple(codes[at] for at in places), shape)
        share = np.bincount(flat, minlength=exact.workload.cells(places)).reshape(shape) / 30_718
        away.append(np.abs(found.table(*exact.workload.names_of(places)) / found.rows - share).sum() / 2)
    assert np.mean(away) == pytest.approx(three_way, rel=0.12)

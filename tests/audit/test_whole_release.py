"""A release that keeps what it claims is accused at most as often as is stated, by all columns and attacks together."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from leakgauge.artefacts import Audit
from leakgauge.jobs.audit import audit_release
from leakgauge.randomness import Simulated, simulation
from leakgauge.release import ReleasePlan
from leakgauge.tables import open_table
from tests.grids import nightly

ROWS = 400
MECHANISMS = [
    *["randomized-response:epsilon=1,letters=y|n"] * 8,
    "unary-encoding:epsilon=1,letters=y|n",
    "subset-selection:epsilon=1,letters=y|n",
]


def audits(folder: Path, count: int) -> list[Audit]:
    """Of releases of ten columns of two letters, each as common as the other: the hardest case for every ceiling."""
    draws = simulation(1)
    values = ["y", "n"] * (ROWS // 2)
    data = pa.table({f"c{at}": draws.permutation(values).tolist() for at in range(len(MECHANISMS))})
    people = open_table(data)
    plan = ReleasePlan({f"c{at}": mechanism for at, mechanism in enumerate(MECHANISMS)})
    found = []
    for seed in range(count):
        made = plan.apply(people, folder / f"{seed}.parquet", randomness=Simulated(1000 + seed))
        found.append(audit_release(made.record_file, people, targets=100, simulation_seed=seed))
    return found


@pytest.mark.parametrize(("count", "accused"), [(5, 2), nightly(20, 5)])
def test_ten_right_columns_are_accused_as_rarely_as_one(tmp_path: Path, count: int, accused: int) -> None:
    found = audits(tmp_path, count)
    # The 99.9 % quantile at 5%.
    assert sum(bool(one.violations) for one in found) <= accused
    simulated = [one for one in found[0].attacks if str(one.attack).startswith(("averaging", "membership"))]
    assert simulated
    assert not any(one.judged for one in simulated)

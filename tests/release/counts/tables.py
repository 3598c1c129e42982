"""Tables to count, and workloads over them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from leakgauge.release.counts import Attribute, Workload, count_tables
from leakgauge.release.counts.counting import ExactTables
from leakgauge.tables import open_table


def people(rows: int, seed: int = 1) -> pa.Table:
    """Rows whose columns depend on each other; ``rare`` has a value that occurs once."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 4, rows)
    sex = rng.integers(0, 2, rows)
    job = (age + rng.integers(0, 3, rows) + sex) % 5
    rare = np.zeros(rows, dtype=int)
    rare[-1] = 1
    return pa.table({"age": age, "sex": sex, "job": job, "rare": rare})


ATTRIBUTES = [
    Attribute("age", range(4)), Attribute("sex", range(2)), Attribute("job", range(6)), Attribute("rare", range(3)),
]  # fmt: skip
"""More values are declared than occur."""

PAIRS = Workload.of_ways(ATTRIBUTES)


def counted(rows: int, work: Workload = PAIRS, seed: int = 1) -> ExactTables:
    """The exact tables of such people."""
    return count_tables(open_table(people(rows, seed)), work)

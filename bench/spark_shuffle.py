"""What Spark itself sends between tasks for our query over sets of columns, beside the formula."""

from __future__ import annotations

import os
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.shuffle import SEED, Keys, adult, together
from leakgauge.tables.sql.groups import group_query

CORES = 2


@dataclass(frozen=True)
class Sent:
    """What one pass sent; seconds are those of the clock, on all cores.

    Attributes:
        expected: records by the formula.
    """

    records: int
    bytes: int
    expected: float
    seconds: float


def is_here() -> bool:
    """Whether Spark can be started."""
    return find_spec("pyspark") is not None


def sent(rows: int, tasks: int, sets: Sequence[tuple[str, ...]]) -> Sent:
    """A pass over people drawn from Adult with replacement, so many to a task, counted by these sets of columns."""
    _, columns = adult()
    draws = np.random.default_rng(SEED)
    names = list(dict.fromkeys(name for one in sets for name in one))
    with tempfile.TemporaryDirectory() as folder:
        for task in range(tasks):
            taken = draws.integers(len(next(iter(columns.values()))), size=rows)
            drawn = pa.table({name: columns[name][taken] for name in names})
            pq.write_table(drawn, Path(folder) / f"{task}.parquet")
        session = _session(folder)
        try:
            session.read.parquet(folder).createOrReplaceTempView("people")
            query = group_query(sets, {name: f"`{name}`" for name in names}, None, "people")
            session.sql(query).toArrow()  # the first run also compiles
            session.sparkContext.setJobGroup("counted", "")
            start = time.perf_counter()
            answer = session.sql(query).toArrow()
            seconds = time.perf_counter() - start
            assert answer.num_rows == len(sets)
            first = _first_stage(session.sparkContext)
        finally:
            session.stop()
    expected = sum(Keys.of(together([columns[name] for name in one])).expected(rows) for one in sets)
    return Sent(first.shuffleWriteRecords(), first.shuffleWriteBytes(), tasks * expected, seconds)


def _session(folder: str) -> Any:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        from pyspark.sql import SparkSession
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # All rows of a partition are in it at once when they are streamed: 400 MB of those in ``bench.scale``.
        "spark.driver.memory": "3g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": folder,
        "spark.sql.shuffle.partitions": "4",
        # A file to a task, however small: otherwise several would share one.
        "spark.sql.files.openCostInBytes": str(1 << 30),
    }
    making = SparkSession.builder.master(f"local[{CORES}]").appName("shuffle")
    for name, value in options.items():
        making = making.config(name, value)
    session = making.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def _first_stage(context: Any) -> Any:
    """What Spark noted of the stage that reads the rows and counts them before sending."""
    store, tracker = context._jsc.sc().statusStore(), context.statusTracker()
    stages = {stage for job in tracker.getJobIdsForGroup("counted") for stage in tracker.getJobInfo(job).stageIds}
    noted = [store.lastStageAttempt(stage) for stage in sorted(stages)]
    return max(noted, key=lambda one: one.inputRecords())


def run(rows: int = 50_000, tasks: int = 4) -> None:
    if not is_here():
        print("Spark is not here; install the extra spark.")
        return
    _, columns = adult()
    for size in (1, 2, 3):
        sets = list(combinations(list(columns)[:6], size))
        found = sent(rows, tasks, sets)
        print(
            f"Spark, {len(sets)} sets of {size} in one pass, {tasks} tasks × {rows} rows: {found.expected:,.0f} "
            f"records by the formula, {found.records:,} sent ({found.records / found.expected:.4f} ×), "
            f"{found.bytes / found.records:.1f} bytes each; "
            f"{rows * tasks * len(sets) / found.seconds / CORES / 1e6:.2f} M rows × sets per second and core",
            flush=True,
        )

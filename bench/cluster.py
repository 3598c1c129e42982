"""Counts and a release on a cluster of two workers on this machine: ``python -m bench.cluster 1e8``.

Counts are held to plain Spark SQL in the same session, by the clock; a release drawn by the workers to that of a local
file, by seconds of a core: those of all of Spark's processes.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.clock import cpu_seconds, in_child
from bench.counting import pairs
from leakgauge.release import ReleasePlan, release
from leakgauge.tables import open_table
from tests.sparks import Cluster

RUNS = 3
LETTERS = "|".join(f"status {number}" for number in range(7))
PLAN = ReleasePlan({"x": f"randomized-response:epsilon=1,letters={LETTERS}"}, public=["y"])
HERE = """
import sys, tempfile, time
from bench.cluster import PLAN
from leakgauge.release import release
from leakgauge.tables import open_table
with tempfile.TemporaryDirectory() as folder, open_table(sys.argv[1]) as table:
    start = time.process_time()
    release(PLAN, table, folder + "/drawn.parquet")
    seconds = time.process_time() - start
"""


def run(rows: int = 10**7) -> None:
    # A process of its own: its memory is what is measured, and one process has one application.
    subprocess.run([sys.executable, "-m", "bench.cluster", str(rows)], check=True)


def measure(rows: int) -> None:
    file = pairs(rows)
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(Path(folder), memory="1200m")
        os.environ["PYSPARK_SUBMIT_ARGS"] = "--executor-memory 1g --conf spark.driver.host=127.0.0.1 pyspark-shell"
        try:
            with open_table(f"spark://{cluster.address}#{file}") as table:
                _counts(table, file, rows)
                # Taken in turns, since a core that others use too is slower for everybody.
                both = [_released(table, file, Path(folder) / f"{turn}.parquet") for turn in range(RUNS)]
                memory = _peak(os.getpid()) + _peak(table._held.context._gateway.proc.pid)  # type: ignore[attr-defined]
        finally:
            cluster.stop()
    workers, here = (statistics.median(one) for one in zip(*both, strict=True))
    ratio = statistics.median(theirs / ours for theirs, ours in both)
    print(
        f"release of 1 column beside 1 public one, {rows:.0e} rows: {rows / workers / 1e6:.2f} M rows per second of a "
        f"core on workers, {ratio:.2f} × the seconds of DuckDB's path ({rows / here / 1e6:.2f} M; target 2 ×)"
    )
    print(f"driver, Python and Java, at its peak: {memory:.0f} MiB (target 1536)", flush=True)


def _released(table: Any, file: Path, to: Path) -> tuple[float, float]:
    """Seconds of a core that a release takes on workers, and from a local file."""
    start = cpu_seconds()
    release(PLAN, table, to, on_workers=True)
    return cpu_seconds() - start, in_child(HERE, str(file))["seconds"]


def _counts(table: Any, file: Path, rows: int) -> None:
    session = table._held.counting
    for names in (("x",), ("x", "y")):

        def plain(names: tuple[str, ...] = names) -> Any:
            return session.read.parquet(str(file)).groupBy(*names).count().toArrow()

        def ours(names: tuple[str, ...] = names) -> Any:
            return table.counts(*names)

        assert sorted(plain().column("count").to_pylist()) == sorted(ours().array().ravel().tolist())
        theirs, own = _medians(plain, ours)
        print(
            f"counts of {len(names)} column{'s'[: len(names) - 1]} on two workers, {rows:.0e} rows: {own:.2f} s, "
            f"{own / theirs:.2f} × plain Spark SQL ({theirs:.2f} s; target 1.3 ×)",
            flush=True,
        )


def _medians(*works: Callable[[], object]) -> list[float]:
    """Seconds of each, taken in turns."""
    seconds: list[list[float]] = [[] for _ in works]
    for _ in range(RUNS):
        for kept, work in zip(seconds, works, strict=True):
            start = time.perf_counter()
            work()
            kept.append(time.perf_counter() - start)
    return [statistics.median(one) for one in seconds]


def _peak(pid: int) -> float:
    """The most memory that a process had, in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


if __name__ == "__main__":
    measure(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**7)

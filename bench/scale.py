"""What tables beyond one machine would take: stages measured here, the shuffle, and both put on a named cluster."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench import shuffle, spark_shuffle
from bench.clock import in_child
from bench.passes import Asked, all_jobs, column_bytes, people, show
from bench.shuffle import Keys, adult, sets_of
from leakgauge.release import ReleasePlan, release
from leakgauge.tables import open_table

ROWS = 10**6
GROUP = 128e6
"""Bytes of a file that a task reads."""
RECORD = 32.0
"""Bytes of a record between machines: a key and a count. Packed, Spark takes 10 to 25 of them here."""
SENDING_ALL = 16
"""Sets of two and three columns that a survey of a large table counts at most: in the worst case no key comes twice."""

LABELS = """
import sys, time
import duckdb, pyarrow as pa
import pyarrow.compute
from leakgauge.tables import open_table
start = time.process_time()
texts = pa.array([f"label {number:012d}" for number in range(int(sys.argv[1]))])
with open_table(pa.table({"x": texts})) as table:
    counts = table.counts("x")
seconds = time.process_time() - start
"""


@dataclass(frozen=True)
class Cluster:
    """Machines that are alike, beside a store of objects; bytes, and bytes per second.

    Attributes:
        network: of one machine, in each direction.
        store: what a core reads from the store.
        disk: of one machine, for what is sent and spilled.
    """

    machines: int = 20
    cores: int = 16
    memory: float = 64 * 2**30
    network: float = 1.25e9
    store: float = 200e6
    disk: float = 1e12

    @property
    def reads(self) -> float:
        """All machines together: the network binds before the cores do, where they are many."""
        return self.machines * min(self.cores * self.store, self.network)


@dataclass(frozen=True)
class Rates:
    """Measured on one machine; seconds are those of a core.

    Attributes:
        count: for a row in a joint count of two columns.
        group: for a row in a set of columns.
        stream: bytes of rows per second that one process takes in.
        release: for a row that is drawn and written.
        label: bytes of memory for a value of a counted column.
    """

    count: float
    group: float
    stream: float
    release: float
    label: float


@dataclass(frozen=True)
class Cost:
    """Seconds that a stage takes on a cluster, and the bytes behind them.

    Attributes:
        driver: of one process, through which rows go one after the other.
    """

    scan: float
    count: float
    shuffle: float
    driver: float
    sent: float
    through_driver: float

    @property
    def seconds(self) -> float:
        """Rows are counted, sent and taken in while columns are read: the slowest part is waited for."""
        return max(self.scan, self.count, self.shuffle, self.driver)


def projected(stage: str, asked: Asked, measured: int, rows: float, cluster: Cluster, rates: Rates) -> Cost:
    """What a stage asks of so many rows, from what it asked of those measured."""
    per_row = rows / measured
    work = rows * (asked.counts * rates.count + asked.sets * rates.group) / (cluster.machines * cluster.cores)
    # A number for each person is a key of its own in every row, and the survey groups by it once.
    sent, through = rows * RECORD if stage == "survey" else 0.0, asked.streamed * per_row
    drawn = rows * rates.release if stage == "release" else 0.0
    return Cost(
        asked.scanned * per_row / cluster.reads,
        work,
        sent / (cluster.machines * cluster.network),
        max(through / min(cluster.network, rates.stream), drawn),
        sent,
        through,
    )


def run() -> None:
    shuffle.run()
    spark_shuffle.run()
    _sent_per_row()
    with tempfile.TemporaryDirectory() as folder:
        file = people(ROWS, Path(folder) / "people.parquet")
        size = sum(column_bytes(file).values()) / ROWS
        print(f"{ROWS:,} rows of {len(column_bytes(file))} columns, {size:.1f} bytes per row in Parquet", flush=True)
        rates = rates_of(file)
        print(
            f"DuckDB here, for a row and a core: count of two columns {rates.count * 1e9:.0f} ns, a set of columns "
            f"{rates.group * 1e9:.0f} ns, release {rates.release * 1e9:.0f} ns; rows to this process "
            f"{rates.stream / 1e6:.0f} MB/s; {rates.label:.0f} bytes of memory for a value of a counted column",
            flush=True,
        )
        jobs = all_jobs(file)
    for called, stages in jobs.items():
        show(called, stages, ROWS)
    cluster = Cluster()
    print(f"on {cluster}:")
    for called, stages in jobs.items():
        for rows in (1e8, 1e10, 1e12):
            costs = {stage: projected(stage, one, ROWS, rows, cluster, rates) for stage, one in stages.items()}
            total = sum(one.seconds for one in costs.values())
            print(f"  {called}, {rows:.0e} rows: {total:,.0f} s in all", flush=True)
            for stage, one in costs.items():
                print(
                    f"    {stage}: {one.seconds:,.0f} s (scan {one.scan:,.0f}, counting {one.count:,.0f}, shuffle "
                    f"{one.shuffle:,.0f} for {one.sent / 1e9:,.0f} GB, one process {one.driver:,.0f} for "
                    f"{one.through_driver / 1e9:,.0f} GB)"
                )
    sent = SENDING_ALL * RECORD
    print(
        f"  a survey in which no key comes twice in {SENDING_ALL} sets sends {sent:.0f} bytes more for each row: "
        f"disks are full from {cluster.machines * cluster.disk / sent:.1e} rows on"
    )


def rates_of(file: Path) -> Rates:
    """What a row costs in DuckDB on this machine."""
    with open_table(str(file)) as table:
        count = _cpu(lambda: table.counts("marital_status", "occupation"), 5)
        group = _cpu(lambda: table.group_sizes([("age", "occupation"), ("sex", "race", "education")]), 3) / 2
        names = [column.name for column in table.columns()]
        start = time.perf_counter()
        taken = sum(batch.nbytes for batch in table.batches(*names))
        stream = taken / (time.perf_counter() - start)
        plan = ReleasePlan(columns={"marital_status": "randomized-response:epsilon=1,letters=this-table"})
        output = file.parent / "drawn.parquet"
        drawn = _cpu(lambda: release(plan, table, output, overwrite=True), 2)
    few, many = (in_child(LABELS, str(number))["mib"] for number in (10**5, 9 * 10**5))
    return Rates(count / ROWS, group / ROWS, stream, drawn / ROWS, (many - few) * 2**20 / (8 * 10**5))


def _cpu(work: Callable[[], object], runs: int) -> float:
    """Seconds of a core in the quickest of some runs, over all threads."""
    seconds = []
    for _ in range(runs):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def _sent_per_row() -> None:
    """Records that a task of 128 MB sends for each of its rows."""
    name, columns = adult()
    rows = GROUP / 10
    sets = [Keys.of(codes) for _, codes in sets_of(columns, (2, 3))]
    kinds = {
        f"{name}: the set of two or three columns with most keys": max(sets, key=lambda one: one.number),
        "Zipf 1.0 of 1e+07 keys": Keys.zipf(1e7, 1.0),
        "Zipf 1.0 of 1e+09 keys": Keys.zipf(1e9, 1.0),
        "Zipf 0.5 of 1e+09 keys": Keys.zipf(1e9, 0.5),
    }
    for called, keys in kinds.items():
        print(
            f"{called} ({keys.number:,.0f}), tasks of {rows:.1e} rows: {keys.expected(rows) / rows:.4f} records sent "
            "for each row",
            flush=True,
        )

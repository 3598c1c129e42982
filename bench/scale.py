"""What tables beyond one machine would take: stages measured here, the shuffle, and both put on a named cluster.

``LEAKGAUGE_POSTGRESQL`` may name a database, such as ``postgresql://127.0.0.1/scratch``, in which a table of a million
rows is made and dropped; Spark is started where it is installed.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from bench import shuffle, spark_shuffle
from bench.clock import cpu_seconds, in_child
from bench.passes import PUBLIC, SECRET, Asked, all_jobs, column_bytes, people, show
from bench.projection import RECORD, SENDING_ALL, Cluster, Rates, projected
from bench.shuffle import Keys, adult, sets_of
from leakgauge.release import ReleasePlan, release
from leakgauge.tables import open_table

ROWS, MANY = 10**6, 3 * 10**6
"""Stages are watched on the former; what a row costs is the difference, since a query also takes a time of its own."""
CORES = os.cpu_count() or 1
DUCKDB, SPARK = "DuckDB", "Spark"
SERVER = "LEAKGAUGE_POSTGRESQL"
TASK = 1e7
"""Rows that a task reads: about 100 MB of a table of a dozen columns."""

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
SUPPRESSED = """
import sys, time
import numpy as np
from leakgauge.tables.suppression import small_groups
groups = np.random.default_rng(1).integers(1 << 62, size=int(sys.argv[1]), dtype=np.uint64) % 10**5
start = time.process_time()
hidden = small_groups(groups, 5)
seconds = time.process_time() - start
"""


def run() -> None:
    shuffle.run()
    spark_shuffle.run()
    _sent_per_row()
    with tempfile.TemporaryDirectory() as folder:
        file = people(ROWS, Path(folder) / "people.parquet")
        size = sum(column_bytes(file).values()) / ROWS
        print(f"{ROWS:,} rows of {len(column_bytes(file))} columns, {size:.1f} bytes per row in Parquet", flush=True)
        many = people(MANY, Path(folder) / "many.parquet")
        draw = _release(DUCKDB, str(many), on_workers=False)
        measured = {DUCKDB: _shown(DUCKDB, str(file), str(many), draw)}
        if spark_shuffle.is_here():
            first, second = (f"spark://local[{CORES}]#{one}" for one in (file, many))
            measured[SPARK] = _shown(SPARK, first, second, draw)
            _release(SPARK, second, on_workers=True)
        if SERVER in os.environ:
            with _in_postgresql(file) as first, _in_postgresql(many) as second:
                _shown("PostgreSQL", first, second)
        _memory()
        jobs = all_jobs(file)
    for called, stages in jobs.items():
        show(called, stages, ROWS)
    _projections(jobs, list(measured.items())[-1])


def _projections(jobs: dict[str, dict[str, Asked]], engine: tuple[str, Rates]) -> None:
    cluster, (name, rates) = Cluster(), engine
    print(f"with a core as fast as one here with {name}, on {cluster}:")
    for called, stages in jobs.items():
        for rows in (1e10, 1e12):
            costs = {stage: projected(stage, one, ROWS, rows, cluster, rates) for stage, one in stages.items()}
            total, inside = (sum(getattr(one, part) for one in costs.values()) for part in ("seconds", "in_the_engine"))
            print(f"  {called}, {rows:.0e} rows: {total:,.0f} s in all, {inside:,.0f} s without rows to the driver")
            for stage, one in costs.items():
                print(
                    f"    {stage}: scan {one.scan:,.0f} s, counting {one.count:,.0f} s, shuffle {one.shuffle:,.0f} s "
                    f"for {one.sent / 1e9:,.0f} GB, rows to the driver {one.driver:,.0f} s for "
                    f"{one.through_driver / 1e9:,.0f} GB"
                )
    sent, disks = SENDING_ALL * RECORD, cluster.machines * cluster.disk
    full = disks / (sent + RECORD)
    print(
        f"  a survey sends {RECORD:.0f} bytes of each row, which fill the disks at {disks / RECORD:.1e} rows; where no "
        f"key comes twice in {SENDING_ALL} sets, {sent:.0f} bytes more, and they are full at {full:.1e}"
    )


def rates_of(few: str, many: str, draw: float = 0.0) -> Rates:
    """What a row costs in an engine on this machine, where one process draws it in so many seconds."""
    # The larger one first: what an engine still compiles then makes a row dearer, not cheaper.
    second, first = _seconds(many), _seconds(few)
    count, group, stream, taken = (after - before for before, after in zip(first, second, strict=True))
    # A count is one set; of a quick one the difference is lost in what the query itself takes.
    return Rates(max(count, group) / (MANY - ROWS), group / (MANY - ROWS), taken / stream, draw)


def _seconds(address: str) -> tuple[float, float, float, float]:
    """Of a core, for a count of two columns, a set of columns and streaming all rows; and the bytes that streamed."""
    clock = _clock_of(address)
    with open_table(address) as table:
        count = _best(lambda: table.counts("marital_status", "occupation"), clock)
        sets = [("age", "occupation"), ("sex", "race", "education"), ("workclass",), ("education", "age", "sex")]
        group = _best(lambda: table.group_sizes(sets), clock) / len(sets)
        names, sizes = [column.name for column in table.columns()], list[int]()
        stream = _best(lambda: sizes.append(sum(batch.nbytes for batch in table.batches(*names))), clock)
        return count, group, stream, sizes[0]


def _clock_of(address: str) -> Callable[[], float]:
    """Seconds of cores, whatever else runs here; of a server, which is not ours to look into, those of the wall."""
    return time.perf_counter if address.startswith("postgresql:") else cpu_seconds


def _shown(name: str, few: str, many: str, draw: float = 0.0) -> Rates:
    rates = rates_of(few, many, draw)
    print(
        f"{name} here, for a row and a core: count of two columns {rates.count * 1e9:.0f} ns, a set of columns "
        f"{rates.group * 1e9:.0f} ns; rows to this process {rates.stream / 1e6:.0f} MB/s of a core",
        flush=True,
    )
    return rates


def _best(work: Callable[[], object], clock: Callable[[], float]) -> float:
    """Seconds of the quickest of some runs."""
    seconds = []
    for _ in range(3):
        start = clock()
        work()
        seconds.append(clock() - start)
    return min(seconds)


@contextmanager
def _in_postgresql(file: Path) -> Iterator[str]:
    """The address of a table with these rows in the database that is named."""
    server, name = os.environ[SERVER], f"leakgauge_{file.stem}_{os.getpid()}"
    dbapi = import_module("adbc_driver_postgresql.dbapi")
    with dbapi.connect(server) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest(name, pq.read_table(file))
        connection.commit()
        try:
            yield f"{server}#{name}"
        finally:
            cursor.execute(f'DROP TABLE "{name}"')
            connection.commit()


def _release(name: str, address: str, *, on_workers: bool) -> float:
    """Seconds of a core for each row that is drawn and written, by this process or by workers."""
    plan = ReleasePlan({SECRET: "randomized-response:epsilon=1,letters=this-table"}, public=PUBLIC)
    seconds = []
    for _ in range(2):
        # Spark writes a folder, which takes nothing's place.
        with tempfile.TemporaryDirectory() as folder, open_table(address) as table:
            start = cpu_seconds()
            release(plan, table, Path(folder) / "drawn.parquet", on_workers=on_workers)
            seconds.append(cpu_seconds() - start)
    print(
        f"release from {name} of a column beside {len(PUBLIC)} public ones, {'on workers' if on_workers else 'here'}: "
        f"{MANY / min(seconds) / 1e6:.2f} M rows per second of a core",
        flush=True,
    )
    return min(seconds) / MANY


def _memory() -> None:
    """Bytes for a value of a counted column, and for a row where small groups are suppressed."""
    for what, code, few, many in (
        ("a value of a counted column", LABELS, 10**5, 9 * 10**5),
        ("a row of a table in which groups are suppressed", SUPPRESSED, 10**6, 4 * 10**6),
    ):
        sizes: list[Any] = [in_child(code, str(number))["mib"] for number in (few, many)]
        print(
            f"memory of this process for {what}: {(sizes[1] - sizes[0]) * 2**20 / (many - few):.0f} bytes", flush=True
        )


def _sent_per_row() -> None:
    """Records that a task sends for each of its rows."""
    name, columns = adult()
    most = max((Keys.of(codes) for _, codes in sets_of(columns, (2, 3))), key=lambda one: one.number)
    kinds = {
        f"{name}: the set of two or three columns with most keys": most,
        "Zipf 1.0": Keys.zipf(1e7, 1.0),
        "Zipf 1.0 with a longer tail": Keys.zipf(1e9, 1.0),
        "Zipf 0.5": Keys.zipf(1e9, 0.5),
    }
    for called, keys in kinds.items():
        print(
            f"{called}, {keys.number:,.0f} keys, tasks of {TASK:.0e} rows: {keys.expected(TASK) / TASK:.4f} records "
            "sent for each row",
            flush=True,
        )

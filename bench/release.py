"""Release of one categorical column, Parquet to Parquet, in CPU seconds; and what a column of numbers adds."""

from __future__ import annotations

from bench.clock import in_child
from bench.counting import pairs

LETTERS = """
import os, sys, tempfile, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import pyarrow as pa
from leakgauge.mechanisms import laplace, randomized_response
from leakgauge.release import ReleasePlan, release
from leakgauge.tables import open_table
letters = [f"status {i}" for i in range(7)]
columns = {"x": randomized_response(1.0, letters=letters)}
if len(sys.argv) > 3:
    columns["z"] = laplace(1.0, lower=0, upper=96, grid=1)
folder = tempfile.TemporaryDirectory()
release(ReleasePlan(columns), open_table(pa.table({"x": letters, "z": range(7)})), folder.name + "/first.parquet")
with open_table(sys.argv[1]) as table:
    start = time.process_time()
    made = release(ReleasePlan(columns), table, folder.name + "/out.parquet")
    seconds = time.process_time() - start
assert made.rows == int(sys.argv[2])
folder.cleanup()
"""


def run() -> None:
    for rows in (10**7, 10**8):
        path = pairs(rows)
        found = min(
            (in_child(LETTERS, str(path), str(rows)) for _ in range(3 if rows <= 10**7 else 1)),
            key=lambda one: one["seconds"],
        )
        print(
            f"release of 1 categorical column, {rows:.0e} rows, record included: {found['seconds']:.2f} s of CPU, "
            f"{rows / found['seconds'] / 1e6:.1f} M rows/s on one core (target 10); peak {found['mib']:.0f} MiB "
            "(target 1536)",
            flush=True,
        )
    both = in_child(LETTERS, str(pairs(10**7)), str(10**7), "numbers")
    print(f"with a column of Laplace noise beside it, 1e7 rows: {1e7 / both['seconds'] / 1e6:.1f} M rows/s")

"""Joint counts of two Parquet columns beside the plain DuckDB query and pandas.crosstab."""

from __future__ import annotations

from pathlib import Path

from bench.clock import in_child

PLACE = Path(__file__).parent / "data"

OURS = """
import sys, time
from leakgauge.tables import open_table
import duckdb, pyarrow
start = time.perf_counter()
with open_table(sys.argv[1]) as table:
    counts = table.counts("x", "y")
seconds = time.perf_counter() - start
assert counts.n == int(sys.argv[2]), counts
"""
PLAIN = """
import sys, time, duckdb, pyarrow
start = time.perf_counter()
con = duckdb.connect()
found = con.sql("SELECT x, y, count(*) AS n FROM read_parquet($file) GROUP BY x, y", params={"file": sys.argv[1]})
found = found.to_arrow_table()
seconds = time.perf_counter() - start
assert found.num_rows > 0
"""
PANDAS = """
import sys, time, pandas
start = time.perf_counter()
frame = pandas.read_parquet(sys.argv[1], columns=["x", "y"])
found = pandas.crosstab(frame["x"], frame["y"])
seconds = time.perf_counter() - start
"""


def run() -> None:
    import duckdb

    PLACE.mkdir(exist_ok=True)
    for rows in (10**7, 10**8):
        path = PLACE / f"pairs_{rows}.parquet"
        if not path.exists():
            print(f"making {path.name} …", flush=True)
            duckdb.sql(
                "COPY (SELECT 'status ' || (hash(i) % 7) AS x, 'job ' || (hash(i + 1) % 15) AS y, i % 97 AS z "
                f"FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet)"
            )
        ours, plain = _best(OURS, path, rows), _best(PLAIN, path, rows)
        ratio = ours["seconds"] / plain["seconds"]
        print(
            f"counts of 2 columns, {rows:.0e} rows: {ours['seconds']:.3f} s, {ratio:.2f} × plain DuckDB "
            f"({plain['seconds']:.3f} s; target 1.3 ×); "
            f"peak {ours['mib']:.0f} MiB (plain {plain['mib']:.0f}; target 512)",
            flush=True,
        )
        if rows <= 10**7:
            pandas = in_child(PANDAS, str(path), str(rows))
            print(f"pandas.crosstab, {rows:.0e} rows: {pandas['seconds']:.3f} s, peak {pandas['mib']:.0f} MiB")


def _best(code: str, path: Path, rows: int) -> dict[str, float]:
    return min((in_child(code, str(path), str(rows)) for _ in range(5)), key=lambda found: found["seconds"])

"""Joint counts of two Parquet columns beside the plain DuckDB query and pandas.crosstab."""

from __future__ import annotations

from pathlib import Path

from bench.clock import in_child

PLACE = Path(__file__).parent / "data"

OURS = """
import sys, time
import duckdb, pyarrow.compute
from leakgauge.tables import open_table
def once():
    start = time.perf_counter()
    with open_table(sys.argv[1]) as table:
        counts = table.counts("x", "y")
    assert counts.n == int(sys.argv[2]), counts
    return time.perf_counter() - start
seconds = min(once() for _ in range(5))
"""
PLAIN = """
import sys, time
import duckdb, pyarrow.compute
def once():
    start = time.perf_counter()
    con = duckdb.connect()
    query = "SELECT x, y, count(*) AS n FROM read_parquet($file) GROUP BY x, y"
    found = con.sql(query, params={"file": sys.argv[1]}).to_arrow_table()
    con.close()
    assert found.num_rows > 0
    return time.perf_counter() - start
seconds = min(once() for _ in range(5))
"""
PANDAS = """
import sys, time, pandas
start = time.perf_counter()
frame = pandas.read_parquet(sys.argv[1], columns=["x", "y"])
found = pandas.crosstab(frame["x"], frame["y"])
seconds = time.perf_counter() - start
"""


def pairs(rows: int) -> Path:
    """A Parquet file of so many rows, made once."""
    import duckdb

    PLACE.mkdir(exist_ok=True)
    path = PLACE / f"pairs_{rows}.parquet"
    if not path.exists():
        print(f"making {path.name} …", flush=True)
        duckdb.sql(
            "COPY (SELECT 'status ' || (hash(i) % 7) AS x, 'job ' || (hash(i + 1) % 15) AS y, i % 97 AS z "
            f"FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet)"
        )
    return path


def run() -> None:
    for rows in (10**7, 10**8):
        path = pairs(rows)
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
    return min((in_child(code, str(path), str(rows)) for _ in range(3)), key=lambda found: found["seconds"])

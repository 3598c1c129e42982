"""Surveys of a million rows of fifty columns, and of ten million of twenty, beside pandas and plain DuckDB.

The peers count different and unique values of single columns alone; a survey also looks for sets of up to three columns
in which people stand alone, and measures what every column tells of a secret.
"""

from __future__ import annotations

from pathlib import Path

from bench.clock import in_child

PLACE = Path(__file__).parent / "data"

OURS = """
import sys, time
from leakgauge.jobs.survey import survey
start = time.process_time()
found = survey(sys.argv[1], ["secret"])
seconds = time.process_time() - start
assert found.rows == int(sys.argv[2]) and found.combinations and found.column("person").identifier is not None
"""
PANDAS = """
import sys, time
import pandas
start = time.process_time()
frame = pandas.read_parquet(sys.argv[1])
distinct = frame.nunique(dropna=False)
alone = {name: int((~frame[name].duplicated(keep=False)).sum()) for name in frame.columns}
seconds = time.process_time() - start
assert distinct["person"] == alone["person"] == int(sys.argv[2])
"""
DUCKDB = """
import sys, time
import duckdb
start = time.process_time()
names = duckdb.read_parquet(sys.argv[1]).columns
counted = duckdb.sql(
    "SELECT " + ", ".join(f'count(DISTINCT "{name}")' for name in names) + " FROM read_parquet($file)",
    params={"file": sys.argv[1]},
).fetchall()[0]
seconds = time.process_time() - start
assert counted[0] == int(sys.argv[2])
"""
PEERS = {"pandas, nunique and duplicated": PANDAS, "DuckDB, exact count(DISTINCT)": DUCKDB}
SIZES = (2, 3, 5, 7, 12, 16, 42, 72, 94, 365, 2000)
"""Values of the columns, in turn: a sex, an age, a day, a place."""


def people(rows: int, columns: int) -> Path:
    """A Parquet file of so many rows: a number per person, a secret, and columns of few and of many values."""
    import duckdb

    PLACE.mkdir(exist_ok=True)
    path = PLACE / f"people_{rows}_{columns}.parquet"
    if not path.exists():
        print(f"making {path.name} …", flush=True)
        others = (
            # Products of two shares make some values common and others rare, as in tables of people.
            f"'v' || (({size} * (hash(i + {at}) % 1000) * (hash(i - {at}) % 1000)) // 1000000) AS c{at}"
            if at % 2
            else f"({size} * (hash(i + {at}) % 1000) * (hash(i - {at}) % 1000)) // 1000000 AS c{at}"
            for at, size in ((at, SIZES[at % len(SIZES)]) for at in range(1, columns - 1))
        )
        duckdb.sql(
            f"COPY (SELECT i AS person, 'status ' || (hash(i + 1) % 7) AS secret, {', '.join(others)} "
            f"FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet)"
        )
    return path


def run() -> None:
    for rows, columns, target in ((10**6, 50, "60 s"), (10**7, 20, "120 s")):
        path = people(rows, columns)
        ours = in_child(OURS, str(path), str(rows))
        print(
            f"survey, {rows:.0e} rows × {columns} columns: {ours['seconds']:.1f} s of CPU, peak {ours['mib']:.0f} MiB "
            f"(target {target})",
            flush=True,
        )
        for name, code in PEERS.items():
            peer = in_child(code, str(path), str(rows))
            print(
                f"  single columns alone, {name}: {peer['seconds']:.1f} s of CPU, peak {peer['mib']:.0f} MiB; "
                f"the survey takes {ours['seconds'] / peer['seconds']:.1f} ×",
                flush=True,
            )

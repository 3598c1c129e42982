"""The least coarsening of a million rows: five columns with four levels each, 1,024 nodes, beside pyCANON.

pyCANON counts k of one table and searches nothing. It pins old numpy and pandas, so that it runs in an environment of
its own, made for this run; where that cannot be had, ours runs alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.clock import in_child
from bench.survey import PLACE

ROWS = 10**6
SIZES = {"age": 100, "trade": 40, "town": 1000, "school": 16, "status": 8}
"""The columns and how many values they have."""
CASES = ((5, 0.05), (5, 0.0), (2, 0.2), (50, 0.01))

OURS = """
import sys, time
from leakgauge.artefacts import Request
from leakgauge.jobs.coarsen import choose_levels
from leakgauge.tables import open_table
path, folder, k, share, *columns = sys.argv[1:]
levels = tuple(f"{name}={folder}/{name}.csv" for name in columns)
asked = Request(path, ("secret",), public=tuple(columns), levels=levels, min_k=int(k), max_suppressed=float(share),
    max_distortion=0.1)
start = time.process_time()
with open_table(path) as table:
    _, found = choose_levels(asked, table)
seconds = time.process_time() - start
assert found.nodes == 4 ** len(columns), found.nodes
"""
PYCANON = """
import json, sys, time
import pandas
from pycanon import anonymity
rows = pandas.read_csv(sys.argv[1])
start = time.process_time()
anonymity.k_anonymity(rows, list(rows.columns))
print(json.dumps(time.process_time() - start))
"""


def people() -> Path:
    """A Parquet file of a million people with a secret and five columns, some values of which are rare."""
    import duckdb

    PLACE.mkdir(exist_ok=True)
    path = PLACE / f"coarsening_{ROWS}.parquet"
    if not path.exists():
        print(f"making {path.name} …", flush=True)
        columns = ", ".join(
            f"'v' || (({size} * (hash(i + {at}) % 1000) * (hash(i - {at}) % 1000)) // 1000000) AS {name}"
            for at, (name, size) in enumerate(SIZES.items(), 1)
        )
        duckdb.sql(
            f"COPY (SELECT 'status ' || (hash(i) % 7) AS secret, {columns} FROM range({ROWS}) t(i)) "
            f"TO '{path}' (FORMAT parquet)"
        )
    return path


def write_levels(folder: Path) -> None:
    """A level file for each column: the values, two levels between, and all of them alike."""
    for name, size in SIZES.items():
        wide = max(round(size ** (1 / 3)), 2)
        lines = (f"v{at};a{at // wide};b{at // wide**2};*\n" for at in range(size))
        (folder / f"{name}.csv").write_text("".join(lines))


def pycanon(folder: Path, path: Path) -> float | None:
    """Seconds of CPU in which pyCANON counts k of the same people, as they are; None where it is not to be had."""
    import duckdb

    python = folder / "pycanon" / "bin" / "python"
    rows = folder / "rows.csv"
    duckdb.sql(f"COPY (SELECT {', '.join(SIZES)} FROM read_parquet('{path}')) TO '{rows}' (HEADER)")
    commands = (
        [sys.executable, "-m", "venv", str(folder / "pycanon")],
        [str(python), "-m", "pip", "install", "--quiet", "pycanon"],
        [str(python), "-c", PYCANON, str(rows)],
    )
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return None
    seconds: float = json.loads(done.stdout.strip().splitlines()[-1])
    return seconds


def run() -> None:
    path = people()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_levels(folder)
        for k, share in CASES:
            ours = in_child(OURS, str(path), str(folder), str(k), str(share), *SIZES)
            print(
                f"least coarsening, {ROWS:.0e} rows, {4 ** len(SIZES)} nodes, k = {k}, at most {share:.0%} suppressed: "
                f"{ours['seconds']:.1f} s of CPU, peak {ours['mib']:.0f} MiB (target 30 s)",
                flush=True,
            )
        peer = pycanon(folder, path)
        if peer is None:
            print("  pyCANON cannot be installed here; compared with nothing")
        else:
            print(f"  k of the people as they are, one node, pyCANON: {peer:.1f} s of CPU")

"""The main job from end to end: the bundled sample, and a million rows of fifteen columns, stage by stage."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from leakgauge.artefacts import Request
from leakgauge.jobs.protect import protect
from leakgauge.jobs.samples import adult_rows

ROWS = 10**6


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        sample = adult_rows()
        pq.write_table(sample, place / "sample.parquet")
        _job(place, "sample.parquet", "60 s of CPU")
        many = pa.concat_tables([sample] * (ROWS // sample.num_rows + 1)).slice(0, ROWS)
        for at in range(13):
            many = many.append_column(f"other {at}", many.column("occupation"))
        pq.write_table(many, place / "many.parquet")
        _job(place, "many.parquet", "3 minutes")


def _job(place: Path, name: str, target: str) -> None:
    asked = Request(str(place / name), ("marital_status",), ("occupation",), max_distortion=0.2)
    cpu, wall = time.process_time(), time.perf_counter()
    done = protect(asked, place / f"{name}-job")
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    stages = ", ".join(f"{stage} {one.seconds:.1f}" for stage, one in done.job.stages.items())
    rows = done.job.table.rows
    print(f"protect, {rows} rows: {cpu:.1f} s of CPU, {wall:.1f} s ({stages}; target {target})")

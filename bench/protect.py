"""The main job from end to end, stage by stage: the bundled sample, and a million rows with five public columns."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from leakgauge.jobs.protect import protect
from leakgauge.jobs.samples import adult_rows

ROWS = 10**6
PUBLIC = ("sex", "race", "workclass", "education", "occupation")


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        sample = adult_rows()
        pq.write_table(sample, place / "sample.parquet")
        pq.write_table(_repeated(sample), place / "many.parquet")
        known = {"background": ("occupation",)}
        _job(place, "sample.parquet", "60 s of CPU", **known)
        _job(place, "sample.parquet", "60 s of CPU", public=PUBLIC)
        _job(place, "many.parquet", "3 minutes", **known)
        _job(place, "many.parquet", "5 minutes", public=PUBLIC)


def _repeated(sample: pa.Table) -> pa.Table:
    """So many rows, each with a number of its own, and four more columns."""
    many = pa.concat_tables([sample] * (ROWS // sample.num_rows + 1)).slice(0, ROWS)
    many = many.set_column(many.column_names.index("id"), "id", pa.array(np.arange(ROWS)))
    for at in range(4):
        many = many.append_column(f"other {at}", many.column("occupation"))
    return many


def _job(place: Path, name: str, target: str, **roles: Any) -> None:
    cpu, wall = time.process_time(), time.perf_counter()
    job = place / f"{name}-{'-'.join(roles)}"
    done = protect(place / name, job, secret="marital_status", max_distortion=0.2, **roles)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    stages = ", ".join(f"{stage} {one.seconds:.1f}" for stage, one in done.job.stages.items())
    columns = ", ".join(f"{len(names)} {role}" for role, names in roles.items())
    rows = done.job.table.rows
    print(f"protect, {rows} rows, {columns}: {cpu:.1f} s of CPU, {wall:.1f} s ({stages}; target {target})", flush=True)

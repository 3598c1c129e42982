"""What each stage of a job asks of the engine that holds the rows: scans, answers and rows that leave it."""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.shuffle import SEED
from leakgauge.jobs.measure import Roles, measure
from leakgauge.jobs.protect import protect
from leakgauge.jobs.samples import adult_rows
from leakgauge.jobs.survey import survey
from leakgauge.tables import open_table
from leakgauge.tables.duckdb_table import DuckDBTable
from leakgauge.tables.sql.table import SqlTable

SECRET, PUBLIC = "marital_status", ("sex", "race", "workclass", "education", "occupation")


@dataclass
class Asked:
    """What a stage asked of the table, added up.

    Attributes:
        counts: queries that came back as an aggregate.
        group_passes: passes in which rows were grouped by sets of columns. Of sets with many groups DuckDB hands
            digests of the rows to this process; other engines group the rows where they are.
        sets: of columns, over all these passes.
        streams: queries whose rows came to this process, those that were left after the first batch not included.
        scanned: bytes of the columns that all of them read, as they are in the file.
        returned: bytes of the aggregates.
        streamed: bytes of the rows.
        digests: bytes of the digests.
        read_back: bytes of rows of the release.
        seconds: of the stage.
    """

    counts: int = 0
    group_passes: int = 0
    sets: int = 0
    streams: int = 0
    scanned: float = 0
    returned: int = 0
    streamed: int = 0
    digests: int = 0
    read_back: int = 0
    seconds: float = 0


@dataclass
class Tally:
    """What was asked of one file, stage by stage."""

    file: Path
    stage: str = ""
    found: dict[str, Asked] = field(default_factory=lambda: defaultdict(Asked))

    def __post_init__(self) -> None:
        self._sizes = column_bytes(self.file)

    @property
    def now(self) -> Asked:
        """Of the stage that runs."""
        return self.found[self.stage]

    def at(self, event: Any) -> None:
        """Told of progress."""
        self.stage = event.stage

    def read(self, table: SqlTable, query: str) -> None:
        """A scan: the columns that a query names outside of the list of all of them."""
        named = {int(at) for at in re.findall(r"\bc(\d+)\b", query.replace(table._source, ""))}
        self.now.scanned += sum(self._sizes[table.columns()[at].name] for at in named)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """While it lasts, every query to DuckDB is noted."""
        answer, stream, tally = DuckDBTable._read, DuckDBTable._stream, self

        def is_release(table: DuckDBTable) -> bool:
            return tally.file.name not in table._place

        def noted_answer(table: DuckDBTable, query: str, binned: Any) -> pa.Table:
            found = answer(table, query, binned)
            if not is_release(table):
                tally.read(table, query)
                tally.now.returned += found.nbytes
                if "GROUPING SETS" in query:
                    tally.now.group_passes += 1
                    tally.now.sets += found.num_rows
                else:
                    tally.now.counts += 1
            return found

        def noted_stream(table: DuckDBTable, query: str, names: list[str], *how: Any) -> Iterator[pa.RecordBatch]:
            size, rows = 0, 0
            for batch in stream(table, query, names, *how):
                size, rows = size + batch.nbytes, rows + batch.num_rows
                yield batch
            if is_release(table):
                tally.now.read_back += size
                return
            tally.read(table, query)
            if names == [str(at) for at in range(len(names))]:
                tally.now.group_passes += 1
                tally.now.sets += len(names)
                tally.now.digests += size
            else:
                tally.now.streams += 1
                tally.now.streamed += size

        with patch.object(DuckDBTable, "_read", noted_answer), patch.object(DuckDBTable, "_stream", noted_stream):
            yield


def column_bytes(file: Path) -> dict[str, int]:
    """The bytes that each column takes in a Parquet file."""
    about, sizes = pq.read_metadata(file), dict[str, int]()
    for group in range(about.num_row_groups):
        for at in range(about.num_columns):
            one = about.row_group(group).column(at)
            sizes[one.path_in_schema] = sizes.get(one.path_in_schema, 0) + one.total_compressed_size
    return sizes


def people(rows: int, file: Path) -> Path:
    """So many people drawn from the bundled sample with replacement, each with a number of their own."""
    sample, draws = adult_rows(), np.random.default_rng(SEED)
    drawn = sample.take(pa.array(draws.integers(sample.num_rows, size=rows)))
    pq.write_table(drawn.set_column(0, "id", pa.array(np.arange(rows))), file)
    return file


def asked_by(file: Path, what: str, **settings: Any) -> dict[str, Asked]:
    """What each stage of a job asks: a survey, a measurement, or the main job."""
    tally = Tally(file, "open" if what == "protect" else what)
    with tempfile.TemporaryDirectory() as folder, tally.watching():
        if what == "survey":
            survey(str(file), [SECRET])
        elif what == "measure":
            with open_table(str(file)) as table:
                measure(table, Roles((SECRET,), background=("occupation",)))
        else:
            done = protect(file, Path(folder) / "job", secret=SECRET, max_distortion=0.2, progress=tally.at, **settings)
            for stage, one in done.job.stages.items():
                tally.found[stage].seconds = one.seconds
    return dict(tally.found)


JOBS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("survey", "survey", {}),
    ("measure", "measure, 1 background column", {}),
    ("protect", "protect, 1 background column", {"background": ("occupation",)}),
    ("protect", "protect, 5 public columns", {"public": PUBLIC}),
)


def all_jobs(file: Path) -> dict[str, dict[str, Asked]]:
    """What the stages of each job ask."""
    return {called: asked_by(file, what, **settings) for what, called, settings in JOBS}


def show(called: str, found: Mapping[str, Asked], rows: int) -> None:
    for stage, one in found.items():
        print(
            f"{called}: {stage}: {one.counts} counts, {one.sets} sets of columns in {one.group_passes} passes, "
            f"{one.streams} streams of rows; bytes per row: {one.scanned / rows:.1f} scanned, "
            f"{one.streamed / rows:.1f} of rows and {one.digests / rows:.1f} of digests to this process, "
            f"{one.read_back / rows:.1f} read back; {one.returned:,} bytes of aggregates; {one.seconds:.1f} s",
            flush=True,
        )

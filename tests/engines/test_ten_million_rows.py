"""Ten million rows in DuckDB, PostgreSQL and Spark: the same counts, group sizes, survey, measures and channel."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import asdict
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from leakgauge.probability import Counts
from leakgauge.tables import open_table
from leakgauge.tables.binnings import Binning, Calendar, CalendarUnit, Quantiles, Width
from tests import sparks
from tests.engines.test_same_answers import LABELS, OF_A_RUN
from tests.postgres import in_postgresql

pytestmark = pytest.mark.nightly
ROWS, PIECE = 10**7, 10**6
ILLNESSES = pa.array(["none", "cold", "grippe", "食物过敏", "ångest", "מיגרנה", "😷", ""])
TOWNS = pa.array([f"town {at}" for at in range(40)])
PAY = pa.array([Decimal(at * 1250 + 999) / 100 for at in range(500)], pa.decimal128(9, 2))


def _rows(seed: int) -> pa.Table:
    """A million of them: who is ill depends on the town and the age; some of everything is missing."""
    draw = np.random.default_rng(seed)
    town = np.minimum(draw.geometric(0.1, PIECE) - 1, 39)
    age = np.clip(draw.normal(45, 18, PIECE), 0, 99).astype(np.int64)
    ill = np.minimum(draw.geometric(0.2 + town / 80 + age / 400) - 1, 7)
    number = draw.normal(size=PIECE)
    number[draw.random(PIECE) < 0.01] = np.nan

    def some(values: Any, share: float = 0.02) -> pa.Array:
        return pc.if_else(pa.array(draw.random(PIECE) < share), None, values)

    return pa.table(
        {
            "illness": some(ILLNESSES.take(pa.array(ill))),
            "town": some(TOWNS.take(pa.array(town))),
            "age": some(pa.array(age)),
            "pay": some(PAY.take(pa.array(draw.integers(500, size=PIECE)))),
            "number": some(pa.array(number)),
            "label": pa.array(np.char.add("label ", draw.integers(LABELS, size=PIECE).astype(str))),
            "born": some(pa.array(draw.integers(-20_000, 15_000, PIECE).astype(np.int32)).cast(pa.date32())),
            "insured": some(pa.array(town % 3 == 0)),
        }
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("rows") / "people.parquet"
    with pq.ParquetWriter(place, _rows(0).schema) as writer:
        for seed in range(ROWS // PIECE):
            writer.write_table(_rows(seed), row_group_size=PIECE // 10)
    return place


@pytest.fixture(scope="module", params=["PostgreSQL", "Spark"])
def address(request: pytest.FixtureRequest, file: Path) -> str:
    """The same rows in an engine."""
    if request.param == "Spark":
        sparks.require_spark()
        return f"spark://{sparks.MASTER}#{file}"
    server: str = request.getfixturevalue("server")
    with pq.ParquetFile(file) as rows:
        reader = pa.RecordBatchReader.from_batches(rows.schema_arrow, rows.iter_batches())
        return in_postgresql(server, reader)


BINS: list[tuple[str, Binning]] = [
    ("age", Quantiles(7)),
    ("number", Quantiles(100)),
    ("number", Width(0.25)),
    ("pay", Width(500)),
    ("born", Calendar(CalendarUnit.QUARTER)),
]
COUNTED = [
    *((name,) for name in ("illness", "town", "age", "pay", "label", "born", "insured")),
    ("illness", "town"),
    ("illness", "town", "age", "insured"),
    ("label", "insured"),
]


def answers(address: str) -> dict[str, Any]:
    """What an engine says of the table; of counts a digest."""
    found: dict[str, Any] = {}
    with open_table(address) as table:
        names = [column.name for column in table.columns()]
        found["columns"] = [(column.name, column.kind.value) for column in table.columns()]
        for columns in COUNTED:
            found[" × ".join(columns)] = _digest(table.counts(*columns))
        for name, how in BINS:
            found[f"{name} in {how}"] = _digest(table.counts(name, "town", bins={name: how}))
        sets = [(name,) for name in names] + list(pairwise(names)) + [tuple(names)]
        found["groups"] = [asdict(one) for one in table.group_sizes(sets)]
        found["moments"] = {name: asdict(one) for name, one in table.moments().items()}
    return found


def _digest(counts: Counts) -> str:
    labels = repr([counts.labels(name) for name in counts.names]).encode()
    return hashlib.sha256(labels + counts.codes.tobytes() + counts.counts.tobytes()).hexdigest()


def _process(*words: str) -> Any:
    """What a process of its own prints: the application of Spark that other tests share has little memory."""
    memory = {"PYSPARK_SUBMIT_ARGS": "--driver-memory 4g --conf spark.sql.shuffle.partitions=8 pyspark-shell"}
    done = subprocess.run(
        [sys.executable, "-m", *words], env=os.environ | memory, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
    return json.loads(done.stdout)


def test_counts_bins_moments_and_groups(file: Path, address: str) -> None:
    here, there = (_process(__name__, place) for place in (str(file), address))
    for name, own in here.pop("moments").items():
        assert own == pytest.approx(there["moments"][name], rel=1e-9)
    del there["moments"]
    assert here == there


VERBS = {
    "survey": ["--secret", "illness", "--bins", "age=quantiles:7", "--bins", "number=width:0.5"],
    "measure": ["--secret", "illness", "--background", "town", "--background", "age", "--bins", "age=width:10"],
    "design": ["--secret", "illness", "--background", "town", "--knowledge", "both", "--max-distortion", "0.3"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_verbs_say_the_same(file: Path, address: str, verb: str, tmp_path: Path) -> None:
    said = []
    for at, source in enumerate((str(file), address)):
        output = ["-o", str(tmp_path / f"{at}.json")] if verb == "design" else []
        answer = _process("leakgauge", verb, source, *VERBS[verb], "--json", *output)
        said.append({name: value for name, value in answer.items() if name not in OF_A_RUN})
    assert said[0] == said[1]
    if verb == "design":
        assert (tmp_path / "0.json").read_bytes() == (tmp_path / "1.json").read_bytes()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(answers(sys.argv[1])))

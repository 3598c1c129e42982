"""Ten million rows in DuckDB, PostgreSQL and Spark: the same counts, group sizes, survey, measures and channel."""

from __future__ import annotations

import json
from dataclasses import astuple
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from leakgauge.cli import main
from leakgauge.tables import Table, open_table
from leakgauge.tables.binnings import Binning, Calendar, CalendarUnit, Quantiles, Width
from tests import sparks
from tests.engines.test_same_answers import LABELS, require_same
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


def test_counts_bins_moments_and_groups(file: Path, address: str) -> None:
    with open_table(file) as here, open_table(address) as there:
        assert here.columns() == there.columns() and here.rows == there.rows == ROWS
        _require_counts(here, there)
        names = [column.name for column in here.columns()]
        sets = [(name,) for name in names] + list(pairwise(names)) + [tuple(names)]
        assert here.group_sizes(sets) == there.group_sizes(sets)
        first, second = here.moments(), there.moments()
        for name in first:
            assert astuple(first[name]) == pytest.approx(astuple(second[name]), rel=1e-9)


def _require_counts(here: Table, there: Table) -> None:
    for name in ("illness", "town", "age", "pay", "label", "born", "insured"):
        require_same(here.counts(name), there.counts(name))
    for names in (("illness", "town"), ("illness", "town", "age", "insured"), ("label", "insured")):
        require_same(here.counts(*names), there.counts(*names))
    for name, how in BINS:
        require_same(here.counts(name, "town", bins={name: how}), there.counts(name, "town", bins={name: how}))


VERBS = {
    "survey": ["--secret", "illness", "--bins", "age=quantiles:7", "--bins", "number=width:0.5"],
    "measure": ["--secret", "illness", "--background", "town", "--background", "age", "--bins", "age=width:10"],
    "design": ["--secret", "illness", "--background", "town", "--knowledge", "both", "--max-distortion", "0.3"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_verbs_say_the_same(
    file: Path, address: str, verb: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = []
    for at, source in enumerate((str(file), address)):
        output = ["-o", str(tmp_path / f"{at}.json")] if verb == "design" else []
        assert main([verb, source, *VERBS[verb], "--json", *output]) == 0
        answer = json.loads(capsys.readouterr().out)
        for name in ("table", "seconds", "file", "written", "output"):
            answer.pop(name, None)
        said.append(answer)
    assert said[0] == said[1]
    if verb == "design":
        assert (tmp_path / "0.json").read_bytes() == (tmp_path / "1.json").read_bytes()

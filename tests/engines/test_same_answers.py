"""The same rows in DuckDB, PostgreSQL and Spark: the same counts, edges, group sizes, survey, measures and channels."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import leakgauge
from leakgauge.cli import main
from leakgauge.probability import Counts
from leakgauge.tables import Kind, Table, in_bins, open_table
from leakgauge.tables.binnings import Auto, Binning, Calendar, CalendarUnit, Edges, Quantiles, Width
from tests import sparks
from tests.postgres import in_postgresql

SAMPLES = Path(leakgauge.__file__).parent / "jobs" / "samples"
ROWS = 4000
LABELS = 100_000


def odd_rows() -> pa.Table:
    """Missing values, NaN, both zeros, letters of many scripts, decimals, and dates that lie far apart."""
    draw = random.Random(5)

    def some(values: list[Any]) -> list[Any]:
        return [draw.choice([*values, None]) for _ in range(ROWS)]

    moments = [datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(2024, 2, 29, 12), datetime(1, 1, 1)]  # noqa: DTZ001
    return pa.table(
        {
            "whole": pa.array([draw.randrange(-50, 50) for _ in range(ROWS)], pa.int32()),
            "long": pa.array(some([2**63 - 1, -(2**63), 0, 1]), pa.int64()),
            "number": pa.array([draw.gauss(0, 10) for _ in range(ROWS)]),
            "few": pa.array(some([0.0, -0.0, float("nan"), 1e-300, 0.1, -2.5, 1e15]), pa.float64()),
            "text": pa.array(some(["", " ", "a", "A", "é", "e\u0301", "北京", "😀", "Ω", "\u200b", "'", '"', "%s"])),
            "flag": pa.array(some([True, False])),
            "money": pa.array(some([Decimal("0.10"), Decimal("-1.25"), Decimal("99999.99")]), pa.decimal128(9, 2)),
            "day": pa.array(some([date(1, 1, 1), date(1969, 12, 31), date(2024, 2, 29), date(9999, 12, 31)])),
            "moment": pa.array(some(moments), pa.timestamp("us")),
            "zoned": pa.array(
                [datetime(2020, 1, 1, tzinfo=UTC) + timedelta(minutes=draw.randrange(10**6)) for _ in range(ROWS)],
                pa.timestamp("us", "UTC"),
            ),
        }
    )


def _many() -> pa.Table:
    """As many labels as an alphabet may well have."""
    draw = np.random.default_rng(3)
    codes = draw.integers(0, LABELS, 2 * LABELS)
    codes[:LABELS] = np.arange(LABELS)
    return pa.table({"label": [f"label {code}" for code in codes], "k": codes % 3})


Pair = tuple[Table, Table]
Elsewhere = Callable[[pa.Table], str]


@pytest.fixture(scope="module", params=["PostgreSQL", "Spark"])
def elsewhere(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Elsewhere:
    """The address of the same rows in an engine."""
    if request.param == "Spark":
        return lambda rows: sparks.parquet(rows, tmp_path_factory.mktemp("rows"))
    server: str = request.getfixturevalue("server")
    return lambda rows: in_postgresql(server, rows)


def _opened(elsewhere: Elsewhere, rows: pa.Table) -> Iterator[Pair]:
    with open_table(rows) as here, open_table(elsewhere(rows)) as there:
        yield here, there


@pytest.fixture(scope="module")
def odd(elsewhere: Elsewhere) -> Iterator[Pair]:
    yield from _opened(elsewhere, odd_rows())


def require_same(first: Counts, second: Counts) -> None:
    """Refuse counts that differ in any label or number."""
    assert first.names == second.names
    for name in first.names:
        assert list(map(repr, first.labels(name))) == list(map(repr, second.labels(name)))
    assert np.array_equal(first.codes, second.codes)
    assert np.array_equal(first.counts, second.counts)


def test_columns_and_counts(odd: Pair) -> None:
    here, there = odd
    assert here.columns() == there.columns()
    for column in here.columns():
        require_same(here.counts(column.name), there.counts(column.name))
    require_same(here.counts("text", "few", "day"), there.counts("text", "few", "day"))


BINS: list[tuple[str, Binning]] = [
    ("whole", Width(7)),
    ("number", Width(0.1)),
    ("few", Width(0.3)),
    ("number", Edges((-3.5, 0.1, 2.0))),
    ("money", Edges((0.1, 50))),
    *((name, Quantiles(number)) for name in ("whole", "long", "number", "money") for number in (2, 7, 100)),
    *((name, Calendar(unit)) for name in ("moment", "zoned") for unit in CalendarUnit),
    *(("day", Calendar(unit)) for unit in CalendarUnit if unit is not CalendarUnit.HOUR),
    ("day", Edges((date(1970, 1, 1),))),
    ("zoned", Quantiles(5)),
    ("day", Quantiles(3)),
    ("number", Auto()),
    ("number", Auto(within=2.0)),
    ("zoned", Auto()),
]


@pytest.mark.parametrize(("name", "how"), BINS, ids=str)
def test_bins_and_edges(odd: Pair, name: str, how: Binning) -> None:
    here, there = odd
    require_same(here.counts(name, "flag", bins={name: how}), there.counts(name, "flag", bins={name: how}))
    first, second = (pa.Table.from_batches(in_bins(one, {name: how}).batches(name)) for one in odd)
    assert first.column(0).to_pylist() == second.column(0).to_pylist()


def test_moments_groups_and_rows(odd: Pair) -> None:
    here, there = odd
    first, second = here.moments("whole", "number", "few", "money"), there.moments("whole", "number", "few", "money")
    for name, own in first.items():
        other = second[name]
        assert (own.n, own.missing, own.minimum, own.maximum) == (other.n, other.missing, other.minimum, other.maximum)
        assert (own.mean, own.variance) == pytest.approx((other.mean, other.variance), rel=1e-12)
    names = [column.name for column in here.columns() if column.kind is not Kind.OTHER]
    sets = [(name,) for name in names] + list(pairwise(names)) + [tuple(names)]
    assert here.group_sizes(sets) == there.group_sizes(sets)
    assert here.group_sizes(sets[:-1], unit="whole") == there.group_sizes(sets[:-1], unit="whole")
    rows = [pa.Table.from_batches(one.batches()).to_pydict() for one in odd]
    assert list(map(repr, rows[0].items())) == list(map(repr, rows[1].items()))
    assert [digests.shape for digests in there.digests([("text",), tuple(names)])] == [(ROWS,)] * 2


def test_many_labels(elsewhere: Elsewhere) -> None:
    for here, there in _opened(elsewhere, _many()):
        require_same(here.counts("label", "k"), there.counts("label", "k"))
        assert here.group_sizes([("label",)]) == there.group_sizes([("label",)])


OF_A_RUN = ("table", "seconds", "file", "written", "output")
"""Fields of an answer that tell runs apart."""
ADULT = ["age", "workclass", "education", "marital_status", "occupation", "sex", "hours_per_week"]
VERBS = {
    "survey": ["--secret", "occupation", "--bins", "age=quantiles:7"],
    "measure": ["--secret", "occupation", "--background", "sex", "--background", "age", "--bins", "age=width:10"],
    "design": ["--secret", "occupation", "--background", "sex", "--knowledge", "both", "--max-distortion", "0.3"],
}


@pytest.fixture(scope="module")
def adult(elsewhere: Elsewhere, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    with open_table(str(SAMPLES / "adult.csv.gz")) as table:
        rows = pa.Table.from_batches(table.batches(*ADULT))
    place = tmp_path_factory.mktemp("adult") / "adult.parquet"
    pq.write_table(rows, place)
    return str(place), elsewhere(rows)


@pytest.mark.parametrize("verb", VERBS)
def test_verbs_say_the_same_of_adult(
    adult: tuple[str, str], verb: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = []
    for at, address in enumerate(adult):
        output = ["-o", str(tmp_path / f"{at}.json")] if verb == "design" else []
        assert main([verb, address, *VERBS[verb], "--json", *output]) == 0
        answer = json.loads(capsys.readouterr().out)
        for name in OF_A_RUN:
            answer.pop(name, None)
        said.append(answer)
        assert "tester" not in json.dumps(answer)
    assert said[0] == said[1]
    if verb == "design":
        assert (tmp_path / "0.json").read_bytes() == (tmp_path / "1.json").read_bytes()

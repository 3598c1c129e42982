"""One suite for every kind of source: the same table in each gives the same answers."""
# ruff: noqa: DTZ001  (columns without a time zone are what is tested)

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given

from leakgauge.errors import TableError
from leakgauge.probability import Counts, Interval
from leakgauge.tables import Binning, Kind, Table, in_bins, open_table
from leakgauge.tables.aggregates import counts_from_groups
from leakgauge.tables.binnings import Calendar, CalendarUnit, Edges, Quantiles, Width
from leakgauge.tables.levels import Levels
from leakgauge.tables.sampling import RowSample
from leakgauge.tables.sql.table import SqlTable
from leakgauge.tables.table import GroupSizes
from tests import ibises, sparks
from tests.grids import examples
from tests.postgres import in_postgresql

ODD = 'a "quoted" name'
CHINESE = "城市 😀"
SINGLE = "it's"
PEOPLE = pa.table(
    {
        "age": pa.array([31, 38, 45, None, 45, 62], pa.int64()),
        "income": pa.array([1.5, -0.5, 2.25, 1.5, None, 100.0], pa.float64()),
        ODD: pa.array(["x", "y", 'q"r', None, "x", "it's"], pa.string()),
        CHINESE: pa.array(["北京", "上海", "北京", "北京", "line\nbreak", "a,b"], pa.string()),
        SINGLE: pa.array([True, False, None, True, True, False], pa.bool_()),
        "born": pa.array(
            [date(1990, 1, 2), date(1985, 12, 31), date(1990, 5, 1), None, date(1990, 1, 2), date(2000, 2, 29)]
        ),
        "seen": pa.array(
            [datetime(2020, 1, 1, 10, 30), None, *[datetime(2020, 1, 31, 23, 59, 59)] * 3, datetime(2021, 3, 1)],
            pa.timestamp("us"),
        ),
        "code": pa.array(["007", "7", "007", None, "7", "1"], pa.string()),
        "empty": pa.array([None] * 6, pa.string()),
        "same": pa.array(["k"] * 6, pa.string()),
    }
)

Write = Callable[[pa.Table, Path], object]


def _csv(table: pa.Table, path: Path, delimiter: str = ",") -> Path:
    pacsv.write_csv(table, path, pacsv.WriteOptions(delimiter=delimiter))
    return path


def _gzipped(table: pa.Table, folder: Path) -> Path:
    plain = _csv(table, folder / "t.plain.csv")
    path = folder / "t.csv.gz"
    path.write_bytes(gzip.compress(plain.read_bytes()))
    return path


def _parquet(table: pa.Table, folder: Path) -> Path:
    pq.write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


def _parts(table: pa.Table, folder: Path) -> Path:
    (folder / "parts").mkdir(exist_ok=True)
    half = table.num_rows // 2
    pq.write_table(table.slice(0, half), folder / "parts" / "a.parquet")
    pq.write_table(table.slice(half), folder / "parts" / "b.parquet")
    return folder / "parts"


def _jsonl(table: pa.Table, folder: Path) -> Path:
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps(row, default=str) + "\n" for row in table.to_pylist()), encoding="utf-8")
    return path


def _database(table: pa.Table, folder: Path) -> Path:
    path = folder / "t.duckdb"
    path.unlink(missing_ok=True)
    with duckdb.connect(path) as connection:
        connection.from_arrow(table).create("people")
    return path


SOURCES: dict[str, Write] = {
    "csv": lambda table, folder: _csv(table, folder / "t.csv"),
    "tsv": lambda table, folder: _csv(table, folder / "t.tsv", "\t"),
    "csv.gz": _gzipped,
    "parquet": _parquet,
    "parquet folder": _parts,
    "jsonl": _jsonl,
    "duckdb": _database,
    "pandas": lambda table, folder: table.to_pandas(),
    "polars": lambda table, folder: pl.from_arrow(table),
    "polars lazy": lambda table, folder: pl.DataFrame(pl.from_arrow(table)).lazy(),
    "arrow": lambda table, folder: table,
    "arrow reader": lambda table, folder: table.to_reader(),
    "spark parquet": sparks.parquet,
    "spark frame": sparks.frame,
}


NO_ROWS = {
    "ibis sqlite": "never: what Ibis gives has no order that lasts from one query to the next",
    "ibis polars": "never: what Ibis gives has no order that lasts from one query to the next",
}
"""Sources that are counted only, and why."""
STREAMED = [*SOURCES, "postgresql"]
KINDS = [*STREAMED, *NO_ROWS]

Make = Callable[[str, pa.Table], Any]


@pytest.fixture
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """``make(kind, table)``: a source of a kind with the rows of a table; what needs a server starts it."""

    def source(kind: str, table: pa.Table) -> object:
        if kind == "postgresql":
            return in_postgresql(request.getfixturevalue("server"), table)
        if kind in NO_ROWS:
            return {"ibis sqlite": ibises.in_sqlite, "ibis polars": ibises.in_polars}[kind](table, tmp_path)
        return SOURCES[kind](table, tmp_path)

    return source


@pytest.fixture(params=KINDS)
def people(request: pytest.FixtureRequest, make: Make) -> Any:
    with open_table(make(request.param, PEOPLE)) as table:
        yield table


@pytest.fixture(params=STREAMED)
def streamed(request: pytest.FixtureRequest, make: Make) -> Any:
    with open_table(make(request.param, PEOPLE)) as table:
        yield table


def _as_counter(counts: Counts) -> Counter[tuple[object, ...]]:
    found: Counter[tuple[object, ...]] = Counter()
    axes = [counts.labels(name) for name in counts.names]
    for where, n in zip(counts.codes.T, counts.counts, strict=True):
        found[tuple(labels[at] for labels, at in zip(axes, where, strict=True))] = int(n)
    return found


def _expected(*names: str) -> Counter[tuple[object, ...]]:
    return Counter(zip(*(PEOPLE.column(name).to_pylist() for name in names), strict=True))


def test_columns_and_rows(people: Table) -> None:
    kinds = {column.name: column.kind for column in people.columns()}
    assert list(kinds) == PEOPLE.column_names
    assert kinds["age"] in (Kind.INT, Kind.FLOAT)  # pandas holds whole numbers with gaps as floats
    assert [kinds[name] for name in ("income", ODD, CHINESE)] == [Kind.FLOAT, Kind.STRING, Kind.STRING]
    assert [kinds[name] for name in (SINGLE, "born", "seen")] == [Kind.BOOL, Kind.DATE, Kind.TIMESTAMP]
    assert [kinds[name] for name in ("code", "empty", "same")] == [Kind.STRING] * 3
    assert people.rows == 6


@pytest.mark.parametrize("name", PEOPLE.column_names)
def test_counts_of_one_column(people: Table, name: str) -> None:
    counts = people.counts(name)
    assert _as_counter(counts) == _expected(name)
    labels = list(counts.labels(name))
    known = [label for label in labels if label is not None]
    assert known == sorted(known)  # type: ignore[type-var]
    assert None not in labels[:-1]


def test_counts_of_several_columns(people: Table) -> None:
    assert _as_counter(people.counts(ODD, SINGLE, "born")) == _expected(ODD, SINGLE, "born")
    assert _as_counter(people.counts(CHINESE, "age")) == _expected(CHINESE, "age")


def test_all_missing_and_constant_columns_have_one_letter(people: Table) -> None:
    assert people.counts("empty").labels("empty") == (None,)
    assert people.counts("same").labels("same") == ("k",)


def test_bins(people: Table) -> None:
    assert _as_counter(people.counts("age", bins={"age": Width(10)})) == {
        (Interval(30.0, 40.0),): 2,
        (Interval(40.0, 50.0),): 2,
        (Interval(60.0, 70.0),): 1,
        (None,): 1,
    }
    assert _as_counter(people.counts("income", bins={"income": Edges((0, 2))})) == {
        (Interval(None, 0.0),): 1,
        (Interval(0.0, 2.0),): 2,
        (Interval(2.0, None),): 2,
        (None,): 1,
    }
    assert _as_counter(people.counts("age", bins={"age": Quantiles(2)})) == {
        (Interval(None, 45.0),): 2,
        (Interval(45.0, None),): 3,
        (None,): 1,
    }
    assert _as_counter(people.counts("born", bins={"born": Calendar(CalendarUnit.YEAR)})) == {
        (Interval(date(1985, 1, 1), date(1986, 1, 1)),): 1,
        (Interval(date(1990, 1, 1), date(1991, 1, 1)),): 3,
        (Interval(date(2000, 1, 1), date(2001, 1, 1)),): 1,
        (None,): 1,
    }
    assert _as_counter(people.counts("seen", bins={"seen": Calendar(CalendarUnit.MONTH)})) == {
        (Interval(datetime(2020, 1, 1), datetime(2020, 2, 1)),): 4,
        (Interval(datetime(2021, 3, 1), datetime(2021, 4, 1)),): 1,
        (None,): 1,
    }
    assert _as_counter(people.counts("seen", SINGLE, bins={"seen": Edges((date(2021, 1, 1),))})) == {
        (Interval(None, datetime(2021, 1, 1)), True): 3,
        (Interval(None, datetime(2021, 1, 1)), None): 1,
        (Interval(datetime(2021, 1, 1), None), False): 1,
        (None, False): 1,
    }
    assert people.counts("born", bins={"born": Quantiles(2)}).labels("born")[0] == Interval(None, date(1990, 1, 1))


def test_bins_are_streamed_as_the_texts_of_the_intervals_that_are_counted(streamed: Table) -> None:
    bins: dict[str, Binning] = {
        "age": Width(10),
        "income": Edges((0, 2)),
        "born": Calendar(CalendarUnit.YEAR),
        "seen": Quantiles(2),
    }
    binned = in_bins(streamed, bins)
    whole = pa.Table.from_batches(binned.batches(*bins, ODD, size=4))
    for name in bins:
        counts = streamed.counts(name, bins={name: bins[name]})
        expected = {None if label is None else str(label): n for (label,), n in _as_counter(counts).items()}
        assert Counter(whole.column(name).to_pylist()) == expected, name
        assert _as_counter(binned.counts(name)) == {(label,): n for label, n in expected.items()}
    assert whole.column(ODD).to_pylist() == PEOPLE.column(ODD).to_pylist()
    assert {one.name for one in binned.columns() if one.kind is Kind.STRING} >= set(bins)


def test_moments(people: Table) -> None:
    found = people.moments("income", "age")
    assert list(found) == ["income", "age"]
    income = found["income"]
    assert (income.n, income.missing, income.minimum, income.maximum) == (5, 1, -0.5, 100.0)
    assert income.mean == pytest.approx(20.95)
    assert income.variance == pytest.approx(pd.Series([1.5, -0.5, 2.25, 1.5, 100.0]).var())
    assert found["age"].mean == pytest.approx(44.2)
    assert set(people.moments()) == {"age", "income"}


def test_batches(streamed: Table) -> None:
    batches = list(streamed.batches(ODD, "age", size=4))
    assert all(batch.num_rows <= 4 for batch in batches)
    table = pa.Table.from_batches(batches)
    assert table.column_names == [ODD, "age"]
    assert table.to_pydict() == PEOPLE.select([ODD, "age"]).to_pydict()
    whole = pa.Table.from_batches(streamed.batches())
    assert whole.to_pydict() == PEOPLE.to_pydict()


@pytest.mark.parametrize("kind", ["parquet", "spark parquet", "spark frame", "postgresql"])
def test_a_sample_has_the_same_rows_in_every_engine(kind: str, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = RowSample.of(3000, 300, simulation_seed=2)
    assert sample is not None
    places = np.flatnonzero(sample.among(np.arange(3000))).tolist()
    assert 240 < len(places) < 360
    with open_table(make(kind, pa.table({"n": range(3000), "town": ["A", "B", None] * 1000}))) as table:
        binned = in_bins(table, {"town": Levels(("A", "B"), ("a", "b"), 1, "towns.csv"), "n": Width(10)})
        first = binned.few("town", "n", most=5)
        if kind != "parquet":
            # Drawn by the engine: the other rows do not come to this process.
            monkeypatch.delattr(SqlTable, "batches")
        drawn = pa.Table.from_batches(table.drawn("n", "town", sample=sample))
        assert drawn.column("n").to_pylist() == places
        assert drawn.column("town").to_pylist() == [["A", "B", None][place % 3] for place in places]
        texts = [f"[{place - place % 10}, {place - place % 10 + 10})" for place in places]
        assert pa.Table.from_batches(binned.drawn("n", sample=sample)).column("n").to_pylist() == texts
    assert first is not None
    assert first.to_pydict() == {"town": ["a", "b", None, "a", "b"], "n": ["[0, 10)"] * 5}


def test_counting_goes_on_while_rows_stream(streamed: Table) -> None:
    stream = streamed.batches("age", size=2)
    next(stream)
    assert streamed.counts("age").n == 6
    assert sum(batch.num_rows for batch in stream) == 4


@pytest.mark.parametrize("kind", NO_ROWS)
def test_rows_are_refused_where_they_have_no_order(kind: str, make: Make) -> None:
    with open_table(make(kind, PEOPLE)) as people:
        for asked in (people.batches("age"), people.batches(), iter(lambda: people.digests([("age",)]), None)):
            with pytest.raises(TableError, match="can be counted through Ibis but not read row by row, since"):
                next(asked)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_texts(kind: str, make: Make) -> None:
    table = pa.table({"t": ["?", "a", "-9", None], "n": [1, -9, 2, None], "f": [0.5, -9.0, float("nan"), 1.5]})
    with open_table(make(kind, table), missing=["?", "-9", "-9.0", "nan"]) as opened:
        assert _as_counter(opened.counts("t")) == {("a",): 1, (None,): 3}
        assert _as_counter(opened.counts("n")) == {(1,): 1, (2,): 1, (None,): 2}
        assert _as_counter(opened.counts("f", bins={"f": Width(1)})) == {
            (Interval(0.0, 1.0),): 1,
            (Interval(1.0, 2.0),): 1,
            (None,): 2,
        }
        assert opened.moments("f")["f"].n == 2
        if kind in NO_ROWS:
            return
        values = pa.Table.from_batches(opened.batches("t", "f")).to_pydict()
        assert values == {"t": [None, "a", None, None], "f": [0.5, None, None, 1.5]}


@pytest.mark.parametrize("kind", ["arrow", "postgresql", "spark parquet", "spark frame", *NO_ROWS])
def test_nan_is_missing(kind: str, make: Make) -> None:
    with open_table(make(kind, pa.table({"f": pa.array([1.0, float("nan"), None, -0.0, 0.0])}))) as opened:
        assert _as_counter(opened.counts("f")) == {(1.0,): 1, (0.0,): 2, (None,): 2}
        assert opened.moments("f")["f"].missing == 2


def test_nan_is_missing_in_files_whose_statistics_leave_it_out(tmp_path: Path) -> None:
    place = tmp_path / "nan.parquet"
    pq.write_table(pa.table({"f": [1.0, float("nan"), 2.0, None], "g": pa.array([1, 2, 3, 4], pa.float32())}), place)
    with open_table(place) as opened:
        assert [batch.column(0).to_pylist() for batch in opened.batches("f")] == [[1.0, None, 2.0, None]]
        assert _as_counter(opened.counts("f")) == {(1.0,): 1, (2.0,): 1, (None,): 2}
        assert opened.moments("f")["f"].missing == 2


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=4) | st.sampled_from(
    ["'", '"', '""', "\n", "\r\n", "a,b", "\t", "#", "NULL", "nan", "😀", "007", "1e5", " 7", "true", "2020-01-01"]
)
# A CSV file writes the empty text and a missing value alike.
TELLS_EMPTY_FROM_MISSING = ["parquet", "jsonl", "duckdb", "pandas", "polars", "arrow", "postgresql", "spark parquet"]
TELLS_EMPTY_FROM_MISSING += NO_ROWS


@pytest.mark.parametrize("kind", ["csv", "tsv", *TELLS_EMPTY_FROM_MISSING])
@examples(12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(TEXTS | st.none(), st.integers(-3, 3) | st.none()), min_size=1, max_size=30))
def test_counts_equal_a_counter(kind: str, make: Make, rows: list[tuple[str | None, int | None]]) -> None:
    # One sure text keeps the column text in formats that hold text only.
    rows = [("sure text", 1), *rows]
    table = pa.table({"t": pa.array([row[0] for row in rows], pa.string()), "n": pa.array([row[1] for row in rows])})
    expected = Counter(rows)
    if kind not in TELLS_EMPTY_FROM_MISSING:
        expected = Counter((text or None, number) for text, number in rows)
    with open_table(make(kind, table)) as opened:
        assert _as_counter(opened.counts("t", "n")) == expected


@pytest.mark.parametrize("kind", ["csv", "parquet", "duckdb", "pandas", "arrow", "postgresql", "spark frame", *NO_ROWS])
def test_both_zeros_are_one_number(kind: str, make: Make, tmp_path: Path) -> None:
    source = pa.table({"a": [0.0, -0.0, 1.5, 0.0], "b": ["x", "y", "x", "y"]})
    path = make(kind, source)
    if kind == "csv":
        (tmp_path / "t.csv").write_text("a,b\n0.0,x\n-0.0,y\n1.5,x\n0.0,y\n")
    with open_table(path) as table:
        counts = table.counts("a", "b")
        assert (counts.labels("a"), counts.array().tolist()) == ((0.0, 1.5), [[1, 2], [1, 0]])
        assert [str(value) for value in counts.labels("a")] == ["0.0", "1.5"]
        for binning in (Width(1), Edges((0.0, 1.0)), Quantiles(2)):
            assert table.counts("a", "b", bins={"a": binning}).array().sum(axis=1).max() >= 3
        if kind in NO_ROWS:
            return
        streamed = [value for batch in table.batches("a") for value in batch.column(0).to_pylist()]
    assert [str(value) for value in streamed] == ["0.0", "0.0", "1.5", "0.0"]


def test_groups_in_several_chunks_with_missing_values() -> None:
    groups = pa.table(
        {"a": pa.chunked_array([[2.5, None], [1.5], [None, 2.5]]), "n": pa.chunked_array([[1, 2, 3, 4, 5]])}
    )
    counts = counts_from_groups(groups, ["a"], [None])
    assert (counts.labels("a"), counts.array().tolist()) == ((1.5, 2.5, None), [3, 6, 6])


def test_group_sizes(people: Table) -> None:
    sets = [("age",), ("age", CHINESE), (ODD, SINGLE, "born"), ("empty",), ("income", "seen")]
    for names, found in zip(sets, people.group_sizes(sets), strict=True):
        assert found == GroupSizes.of(names, np.array([*_expected(*names).values()]))


def test_group_sizes_of_bins(people: Table) -> None:
    found = in_bins(people, {"age": Width(20)}).group_sizes([("age",), ("age", "same")])
    # 31 and 38, 45 twice, 62, and one that is missing.
    assert [(one.groups, one.alone, one.smallest) for one in found] == [(4, 2, 1)] * 2

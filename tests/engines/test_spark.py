"""Spark: what its addresses and frames may be, rows in one order, releases on its workers, and what is refused."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import chisquare

from leakgauge.errors import ColumnError, EngineError, LeakgaugeError, OptionError, TableError
from leakgauge.mechanisms import parse_mechanism
from leakgauge.randomness import Simulated
from leakgauge.release import Release, ReleasePlan, release, verify
from leakgauge.release.execution import Stage
from leakgauge.release.ledger import Entry, Ledger, Unlimited, open_ledger
from leakgauge.release.ledger.entry import Kind as EntryKind
from leakgauge.tables import Kind, Table, in_bins, open_table
from leakgauge.tables.binnings import Width
from leakgauge.tables.levels import Levels
from leakgauge.tables.opening import source_files
from leakgauge.tables.sampling import RowSample
from leakgauge.tables.spark import jobs, sessions
from leakgauge.tables.spark.cluster import require_reachable
from leakgauge.tables.sql.table import SqlTable
from leakgauge.waiting import told_while_waiting
from tests import sparks
from tests.release.people import places

_ROWS = 20_000


def _mixed() -> pa.Table:
    """Columns of every kind, with what engines disagree on: NaN, both zeros, odd texts, decimals, moments."""
    draws = np.random.default_rng(7)

    def some(values: list[Any], kind: pa.DataType) -> pa.Array:
        return pa.array([values[at] for at in draws.integers(len(values), size=_ROWS)], kind)

    numbers = draws.normal(50, 30, _ROWS).round(1)
    start = datetime(1969, 12, 31, 23, 59, tzinfo=UTC)
    moments = [start + timedelta(seconds=int(at)) for at in draws.integers(-(10**9), 10**9, 50)]
    return pa.table(
        {
            "text": some(
                ["a", "A", "ä", "a\u0308", "", " ", "'", "\\", "\\'", "${x}", "北京", "😀", "\n", None], pa.string()
            ),
            "label": pa.array([f"label {at}" for at in draws.integers(10**5, size=_ROWS)]),
            "whole": some([0, 1, -7, 2**53 + 1, 2**62, None], pa.int64()),
            "small": some([1, 2, 3, None], pa.int8()),
            "number": pa.array([None if at % 97 == 0 else numbers[at] for at in range(_ROWS)], pa.float64()),
            "odd": some([0.0, -0.0, float("nan"), 1e300, 1e-7, 12345678.9, None], pa.float64()),
            "single": some([0.1, 2.5, None], pa.float32()),
            "money": some([Decimal("1.10"), Decimal("-0.01"), Decimal("99999999.99"), None], pa.decimal128(12, 2)),
            "count": some([Decimal(3), Decimal(10**20), None], pa.decimal128(30, 0)),
            "flag": some([True, False, None], pa.bool_()),
            "day": some([date(1, 1, 1), date(1582, 10, 10), date(1969, 12, 31), date(2024, 2, 29), None], pa.date32()),
            "moment": some([*moments, None], pa.timestamp("us", "UTC")),
            "clock": some([*(one.replace(tzinfo=None) for one in moments), None], pa.timestamp("us")),
            "person": pa.array(draws.integers(5000, size=_ROWS)),
        }
    )


MIXED = _mixed()


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Table, Table]]:
    """The same file in DuckDB and in Spark, in two row groups and more than one partition."""
    place = tmp_path_factory.mktemp("both") / "mixed.parquet"
    sparks.session()
    pq.write_table(MIXED, place, row_group_size=_ROWS // 2)
    with open_table(place) as ours, open_table(f"spark://{sparks.MASTER}#{place}") as theirs:
        yield ours, theirs


def _same_counts(ours: Table, theirs: Table, *names: str, **more: Any) -> None:
    one, other = ours.counts(*names, **more), theirs.counts(*names, **more)
    for name in names:
        assert one.labels(name) == other.labels(name)
    assert np.array_equal(one.array(), other.array())


def test_counts_of_kinds_that_are_sparks_own_are_those_of_duckdb(both: tuple[Table, Table]) -> None:
    ours, theirs = both
    assert theirs.columns() == ours.columns()
    assert theirs.rows == ours.rows
    for name in ("text", "whole", "count"):
        _same_counts(ours, theirs, name)
    _same_counts(ours, theirs, "flag", "small", "single")
    # From an exact sum, though each of them is beyond what a floating-point number can tell apart.
    assert ours.moments("count")["count"].mean == theirs.moments("count")["count"].mean
    assert isinstance(theirs, SqlTable)
    assert theirs.fingerprint() == theirs.fingerprint()


def test_rows_and_their_digests_come_in_the_order_of_the_file(both: tuple[Table, Table]) -> None:
    ours, theirs = both
    rows = pa.Table.from_batches(theirs.batches())
    assert rows.equals(pa.Table.from_batches(ours.batches()).cast(rows.schema))
    for one, other in zip(
        *(table.digests([("text", "odd"), ("odd", "text"), ("flag",)]) for table in both), strict=True
    ):
        # Other numbers, and the same rows agree.
        assert np.array_equal(_ranked(one), _ranked(other))
    swapped = pa.table({"a": [1, None], "b": [None, 1]})
    with open_table(sparks.session().createDataFrame(swapped)) as table:
        first, second = table.digests([("a", "b")])[0]
    assert first != second


def _ranked(digests: Any) -> Any:
    """Each digest as the place where it is met first."""
    _, first, inverse = np.unique(digests, return_index=True, return_inverse=True)
    return first[inverse]


def test_levels_are_looked_up_in_spark(both: tuple[Table, Table], tmp_path: Path) -> None:
    ours, theirs = both
    for name in ("text", "odd", "clock", "label"):
        labels = [label for label in ours.counts(name).labels(name) if label is not None and label != ""]
        texts = [str(label) for label in labels]
        how = Levels(("", *texts), ("none", *(f"group {at % 7}" for at in range(len(texts)))), 1, "levels.csv")
        found = in_bins(theirs, {name: how}).counts(name)
        expected = in_bins(ours, {name: how}).counts(name)
        assert found.labels(name) == expected.labels(name), name
        assert np.array_equal(found.array(), expected.array()), name


def test_rows_of_many_files_keep_their_order(tmp_path: Path) -> None:
    sparks.session()
    (tmp_path / "parts").mkdir()
    for at in range(5):
        rows = pa.table({"n": np.arange(1000 * at, 1000 * at + 10 ** (at % 3 + 1))})  # the third is the largest
        pq.write_table(rows, tmp_path / "parts" / f"part-{at}.parquet")
    address = f"spark://{sparks.MASTER}#{tmp_path / 'parts'}"
    assert len(source_files(address)) == 5
    with open_table(address) as table, open_table(address) as again:
        first, second, third = (
            [value for batch in one.batches("n", size=7) for value in batch.column(0).to_pylist()]
            for one in (table, table, again)
        )
        sample = RowSample.of(len(first), 20)
        assert sample is not None
        drawn = [value for batch in table.drawn("n", sample=sample) for value in batch.column(0).to_pylist()]
        assert drawn == np.array(first)[sample.among(np.arange(len(first)))].tolist()
        # A file that comes later is not part of the table.
        pq.write_table(pa.table({"n": [-1]}), tmp_path / "parts" / "part-9.parquet")
        assert table.counts("n").n == len(first)
    # As every other reader of the folder has them, however large the files are.
    expected = [n for at in range(5) for n in range(1000 * at, 1000 * at + 10 ** (at % 3 + 1))]
    assert first == second == third == expected


@pytest.mark.parametrize("how", ["shuffled", "sorted", "random", "cached and shuffled", "joined"])
def test_rows_without_a_fixed_order_are_counted_and_not_streamed(how: str) -> None:
    from pyspark.sql import functions

    plain = sparks.session().createDataFrame(pa.table({"n": [1, 2, 2, 3]}))
    frame = {
        "shuffled": lambda: plain.repartition(2),
        "sorted": lambda: plain.orderBy("n"),
        "random": lambda: plain.where(functions.rand() >= 0),
        "cached and shuffled": lambda: plain.repartition(2).cache(),
        "joined": lambda: plain.join(plain.distinct(), "n"),
    }[how]()
    with open_table(frame) as table:
        assert table.counts("n").array().tolist() == [1, 2, 1]
        assert table.group_sizes([("n",)])[0].groups == 3
        with pytest.raises(TableError, match="write it to Parquet first"):
            next(table.batches("n"))
    frame.unpersist()


@pytest.mark.parametrize("how", ["chosen", "cached", "joined end to end", "from rows"])
def test_rows_of_frames_that_keep_an_order_are_streamed(how: str) -> None:
    session = sparks.session()
    plain = session.createDataFrame(pa.table({"n": [3, 1, 2, 2]}))
    frame = {
        "chosen": lambda: plain.where("n < 3").selectExpr("n + 1 AS n"),
        "cached": lambda: plain.cache(),
        "joined end to end": lambda: plain.union(plain),
        "from rows": lambda: session.createDataFrame([(3,), (1,)], "n int"),
    }[how]()
    expected = {"chosen": [2, 3, 3], "cached": [3, 1, 2, 2], "joined end to end": [3, 1, 2, 2] * 2, "from rows": [3, 1]}
    with open_table(frame) as table:
        assert [value for batch in table.batches() for value in batch.column(0).to_pylist()] == expected[how]
    frame.unpersist()


def test_texts_are_told_apart_whatever_their_collation() -> None:
    frame = sparks.session().sql("SELECT * FROM VALUES ('a' COLLATE UNICODE_CI), ('A' COLLATE UNICODE_CI) AS t(c)")
    with open_table(frame) as table:
        assert table.columns()[0].kind is Kind.STRING
        assert table.counts("c").labels("c") == ("A", "a")


def test_settings_and_views_of_others_are_left_alone() -> None:
    session = sparks.session()
    before, views = session.conf.get("spark.sql.session.timeZone"), session.catalog.listTables("global_temp")
    with open_table(session.createDataFrame(pa.table({"n": [1]}))) as table:
        assert session.conf.get("spark.sql.session.timeZone") == before
        assert table.rows == 1
        assert len(session.catalog.listTables("global_temp")) == len(views) + 1
    table.close()
    assert session.catalog.listTables("global_temp") == views
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_counting_is_cancelled_in_spark() -> None:
    session = sparks.session()
    endless = session.range(10**13).selectExpr("CAST(sqrt(id) AS INT) AS n")
    # Libraries that are loaded by now, polars and the driver of PostgreSQL, put handlers of their own before Python's.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    with open_table(endless) as table:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            table.counts("n")
    assert not session.sparkContext.statusTracker().getActiveJobsIds()


def test_whoever_waits_is_told_how_many_tasks_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_TOLD_EVERY", 0.01)
    numbers = sparks.session().range(0, 10**8, 1, 16).selectExpr("CAST(id % 7 AS INT) AS n")
    told: list[tuple[int, int]] = []
    with open_table(numbers) as table, told_while_waiting(lambda done, total: told.append((done, total))):
        assert table.counts("n").n == 10**8
    assert len({done for done, _ in told}) > 2
    assert all(done <= total for done, total in told)
    assert told[-1][0] == told[-1][1] >= 16


def test_what_is_not_there_is_told_in_one_sentence(tmp_path: Path) -> None:
    session = sparks.session()
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 secret value PAR1")
    pq.write_table(pa.table({"n": pa.array([], pa.int64())}), tmp_path / "none.parquet")
    pq.write_table(pa.table({"n": [1], "N": [2]}), tmp_path / "case.parquet")
    at = f"spark://{sparks.MASTER}#"
    for address, said in {
        f"{at}{tmp_path}/nowhere.parquet": "There is no file or folder",
        f"{at}{tmp_path}/empty": "no Parquet or ORC files",
        f"{at}{tmp_path}/bad.parquet": "not whole",
        f"{at}{tmp_path}/none.parquet": "has no rows",
        f"{at}no_such_table": "There is no table",
        f"{at}a b c": "does not name a table",
        f"{at}people.csv": "Parquet or ORC",
        "spark://local[2]": "A Spark address is",
        "spark://user:password@host:7077#t": "A Spark address is",
        "spark://127.0.0.1:1#t": "runs in this process",
    }.items():
        with pytest.raises(LeakgaugeError) as caught:
            open_table(address)
        assert said in str(caught.value), address
        assert "password" not in str(caught.value)
        assert caught.value.__context__ is None
    with open_table(f"{at}{tmp_path}/case.parquet") as table:
        assert (table.counts("n").labels("n"), table.counts("N").labels("N")) == ((1,), (2,))
        with pytest.raises(ColumnError, match="no column 'm'"):
            table.counts("m")
    for option in ({"decimal": ","}, {"encoding": "gb18030"}, {"date_format": "%d/%m/%Y"}):
        with pytest.raises(TableError, match=r"say|does not apply"):
            open_table(f"{at}{tmp_path}/case.parquet", **option)  # type: ignore[arg-type]
    nested = session.sql("SELECT map('a', 1) AS m, array(1) AS l, 1 AS n, parse_json('1') AS v")
    with open_table(nested) as table:
        with pytest.raises(ColumnError, match="'m' holds nested"):
            table.counts("m")
        for name in ("m", "v"):
            with pytest.raises(ColumnError, match="cannot group"):
                table.group_sizes([("n", name)])
        assert table.group_sizes([("n", "l")])[0].alone == 1
    with pytest.raises(TableError, match="named 'n'"):
        open_table(nested.select("n", "n"))


def test_a_file_that_goes_or_changes_is_told(tmp_path: Path) -> None:
    address = sparks.parquet(pa.table({"n": [1, 2]}), tmp_path)
    with open_table(address) as table:
        (tmp_path / "t.parquet").unlink()
        with pytest.raises(LeakgaugeError, match="have gone since"):
            table.counts("n")


def test_what_spark_needs_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyspark

    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(TableError, match=r"needs Java 17 or later, and there is none"):
        sessions._require_java()
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin" / "java"
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    with pytest.raises(TableError, match=r"is Java 11"):
        sessions._require_java()
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with pytest.raises(EngineError, match="Nobody answers"):
            require_reachable(f"spark://127.0.0.1:{nobody.getsockname()[1]}")
    monkeypatch.setattr(pyspark, "__version__", "3.5.1")
    with pytest.raises(TableError, match=r"Spark 4\.3 is needed, and pyspark 3\.5\.1"):
        open_table(f"spark://{sparks.MASTER}#t")
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(TableError, match=r"leakgauge\[spark\]"):
        open_table(f"spark://{sparks.MASTER}#t")


def test_a_cluster_without_workers_is_told_in_spark_s_own_time(tmp_path: Path) -> None:
    cluster = sparks.Cluster(tmp_path, workers=0)
    try:
        said = cluster.refusal("/none.parquet", "spark.scheduler.maxRegisteredResourcesWaitingTime=2s")
    finally:
        cluster.stop()
    assert said.endswith("has no workers free within 2 seconds; start one, or wait for other applications to end.\n")
    assert said.count("\n") == 1


@pytest.mark.nightly
def test_a_cluster_of_another_version_is_told_with_both_versions(tmp_path: Path) -> None:
    other = os.environ.get("LEAKGAUGE_OTHER_SPARK")
    if other is None:
        pytest.skip("LEAKGAUGE_OTHER_SPARK names no folder of another pyspark, such as that of 4.0")
    cluster = sparks.Cluster(tmp_path, workers=1, spark=Path(other))
    try:
        start = time.monotonic()
        said = cluster.refusal("/none.parquet")
    finally:
        cluster.stop()
    assert re.search(r"runs Spark \d+\.\d+\.\d+, and here it is Spark 4\.3", said)
    # Spark itself would try for a minute.
    assert time.monotonic() - start < 50


_LETTERS = ("flu", "北京", 'a "b"', "none")
_HALF = 50_000
_PLAN = ReleasePlan(
    {
        "illness": f"randomized-response:epsilon=1,letters={'|'.join(_LETTERS)}",
        "age": "laplace:epsilon=1,lower=0,upper=120",
    },
    public=["a city 😀", "decade", "day"],
    bins={"decade": "width:10"},
)


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of two files with the same 50,000 rows, which are two partitions."""
    folder = tmp_path_factory.mktemp("people") / "people"
    folder.mkdir()
    draws = np.random.default_rng(3)
    rows = pa.table(
        {
            "illness": pa.array([_LETTERS[at] for at in draws.integers(4, size=_HALF)]),
            "age": draws.integers(0, 121, _HALF),
            "a city 😀": pa.array(["A", "B", None, "'"] * (_HALF // 4)),
            "decade": draws.integers(0, 100, _HALF),
            "day": pa.array([date(2020, 1, 1), None] * (_HALF // 2)),
            "name": pa.array([f"person {at}" for at in range(_HALF)]),
        }
    )
    for at in range(2):
        pq.write_table(rows, folder / f"{at}.parquet")
    return str(folder)


def _spends(ledger: Ledger) -> list[Entry]:
    return [entry for entry in ledger.entries("people") if entry.kind is EntryKind.SPEND]


def _released(address: str, to: Path, plan: ReleasePlan = _PLAN, **more: Any) -> Release:
    sparks.session()
    with open_table(f"spark://{sparks.MASTER}#{address}") as table:
        return release(plan, table, to, on_workers=True, **more)


def test_workers_draw_a_release_by_its_law_and_share_no_noise(
    people: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "_TOLD_EVERY", 0.01)
    with open_ledger(tmp_path / "ledger", create=True) as ledger:
        ledger.open_account("people", Unlimited())
        told: list[tuple[Stage, int]] = []
        made = _released(
            people,
            tmp_path / "out.parquet",
            ledger=ledger,
            dataset="people",
            progress=lambda stage, rows: told.append((stage, rows)),
        )
        assert (Stage.DRAWING, 2 * _HALF) in told
        assert verify(made, ledger=ledger).holds
        assert len(_spends(ledger)) == 1
    assert made.rows == 2 * _HALF
    with open_table(tmp_path / "out.parquet") as opened, open_table(people) as original:
        given, given_public, found = (
            pa.Table.from_batches(original.batches("illness", "age")),
            pa.Table.from_batches(in_bins(original, {"decade": Width(10)}).batches("a city 😀", "decade", "day")),
            pa.Table.from_batches(opened.batches()),
        )
    # Rows leave in a random order, from one worker among those from others; its key puts them back.
    public = ["a city 😀", "decade", "day"]
    assert found.select(public).to_pydict() != given_public.to_pydict()
    found = found.take(pa.array(places(made)))
    # Public columns show that they are where they were, and the bins are those of the plan.
    assert found.select(public).to_pydict() == given_public.to_pydict()
    assert found.column_names == ["illness", "age", "a city 😀", "decade", "day"]
    channel = parse_mechanism(_PLAN.columns["illness"]).channel()  # type: ignore[arg-type]
    assert channel is not None
    before, after = (np.array(one.column("illness").to_pylist()) for one in (given, found))
    for at, letter in enumerate(channel.inputs):
        seen = [int((after[before == letter] == output).sum()) for output in channel.outputs]
        assert chisquare(seen, channel.matrix[at] * sum(seen)).pvalue > 1e-6
    noise = np.asarray(found.column("age")) - np.asarray(given.column("age"))
    assert abs(noise.mean()) < 5 * noise.std() / np.sqrt(len(noise))
    # The two partitions have the same rows, and other noise.
    first, second = noise[:_HALF], noise[_HALF:]
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.03
    kept = ReleasePlan(_PLAN.columns, _PLAN.public, _PLAN.bins, keep_order=True)
    again = _released(people, tmp_path / "again.parquet", kept)
    with open_table(tmp_path / "again.parquet") as opened:
        assert pa.Table.from_batches(opened.batches(*public)).to_pydict() == given_public.to_pydict()
    assert again.record.output.sha256 != made.record.output.sha256
    min(again.output.iterdir()).unlink()
    assert not verify(again).holds
    assert not [place for place in tmp_path.iterdir() if place.name.startswith(".")]


def test_what_workers_cannot_do_is_refused_before_anything_is_spent(people: str, tmp_path: Path) -> None:
    sparks.session()
    suppressing = ReleasePlan({"age": _PLAN.columns["age"]}, public=["decade"], suppress_below=5)
    with (
        open_table(f"spark://{sparks.MASTER}#{people}") as table,
        open_table(people) as elsewhere,
        open_ledger(tmp_path / "ledger", create=True) as ledger,
    ):
        ledger.open_account("people", Unlimited())

        def refused(
            said: str, plan: ReleasePlan = _PLAN, at: Table = table, to: str = "o.parquet", **more: Any
        ) -> None:
            with pytest.raises(LeakgaugeError, match=said):
                release(plan, at, tmp_path / to, on_workers=True, ledger=ledger, dataset="people", **more)

        refused("end it in .parquet", to="o.csv")
        refused("No workers", at=elsewhere)
        refused("No workers", suppressing)
        (tmp_path / "folder.parquet").mkdir()
        refused("is a folder", to="folder.parquet", overwrite=True)
        assert not _spends(ledger)
        with pytest.raises(OptionError, match="one seed"):
            release(_PLAN, table, tmp_path / "o.parquet", on_workers=True, randomness=Simulated(1))
    assert {place.name for place in tmp_path.iterdir() if "ledger" not in place.name} == {"folder.parquet"}


_RUNS = [pytest.param(2, id="twice"), pytest.param(20, id="twenty times", marks=pytest.mark.nightly)]


@pytest.mark.parametrize("times", _RUNS)
def test_a_worker_killed_during_a_release_leaves_all_of_it_or_nothing(times: int, tmp_path: Path) -> None:
    rows, files = 120_000, 12
    (tmp_path / "people").mkdir()
    illness = np.array(["flu", "none", "cold"])[np.random.default_rng(1).integers(3, size=rows)]
    whole = pa.table({"illness": illness, "number": np.arange(rows)})
    for at in range(files):
        pq.write_table(whole.slice(at * rows // files, rows // files), tmp_path / "people" / f"{at:02d}.parquet")
    with open_ledger(tmp_path / "ledger", create=True) as ledger:
        ledger.open_account("people", Unlimited())
    cluster = sparks.Cluster(tmp_path)
    mechanism = "randomized-response:epsilon=1,letters=flu|none|cold"
    driver = cluster.driver(f"spark://{cluster.address}#{tmp_path / 'people'}", str(tmp_path / "ledger"), mechanism)
    assert driver.stdin is not None
    assert driver.stdout is not None
    moments = np.random.default_rng()
    try:
        with open_table(tmp_path / "people") as table:
            expected = table.counts("illness").array().tolist()
        assert json.loads(driver.stdout.readline()) == {"counts": expected, "rows": rows}
        for run in range(times):
            place = tmp_path / f"{run}.parquet"
            driver.stdin.write(f"{place}\n")
            driver.stdin.flush()
            assert json.loads(driver.stdout.readline()) == {"spent": True}
            time.sleep(moments.uniform(0, 2))
            killed = cluster.workers.pop(0)
            killed.kill()
            killed.wait()
            if run + 1 < times:
                cluster.workers.append(cluster.start_worker())
            answer = json.loads(driver.stdout.readline())
            if "failed" in answer:
                assert not place.exists()
                continue
            assert verify(tmp_path / f"{run}.parquet.json").holds
            released = pa.concat_tables([pq.read_table(file) for file in sorted(place.iterdir())])
            # Every row once: whatever attempts there were, one of them is there.
            assert sorted(released.column("number").to_pylist()) == list(range(rows))
    finally:
        driver.kill()
        driver.communicate()
        cluster.stop()
    with open_ledger(tmp_path / "ledger") as ledger:
        assert len(_spends(ledger)) == times

"""Releases into PostgreSQL: the law, the record, and whatever is killed, stopped or full on the way."""
# ruff: noqa: DTZ901  (columns without a time zone are what is tested)

from __future__ import annotations

import json
import math
import os
import signal
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats

from leakgauge.case.columns import released_columns
from leakgauge.cli import main
from leakgauge.errors import (
    ColumnError,
    EngineError,
    FileError,
    LeakgaugeError,
    OptionError,
    TableError,
    UncertainError,
)
from leakgauge.release import ReleasePlan, release, verify
from leakgauge.release.execution import Stage
from leakgauge.release.ledger import ApproximateLimit, open_ledger
from leakgauge.release.ledger.entry import Kind
from leakgauge.tables import open_table
from leakgauge.tables.pairing import paired_counts
from tests.forks import PROCESSES
from tests.postgres import PASSWORD, Server, in_postgresql, nearly_full, running_server, small_disk
from tests.release.people import people

LETTERS = ("cold", "flu", "none")
PLAN = ReleasePlan(
    {
        "age": "laplace:epsilon=1,lower=0,upper=120,grid=1",
        "illness": "randomized-response:epsilon=1,letters=flu|none|cold",
    },
    public=["city", "seen", "answer"],
)
TO = "#released.people"


@pytest.fixture
def sql(server: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("SET client_min_messages = warning")
        connection.execute("DROP SCHEMA IF EXISTS released CASCADE")
        connection.execute("CREATE SCHEMA released")
        yield connection


@pytest.fixture
def place(server: str, sql: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The database, without the password; the working folder is empty, but for a ledger."""
    monkeypatch.chdir(tmp_path)
    with open_ledger(tmp_path / "budget", create=True) as ledger:
        ledger.open_account("people", ApproximateLimit(1000.0, 0.0))
    return server.replace(f":{PASSWORD}", "")


def _there(sql: psycopg.Connection[Any]) -> list[str]:
    found = sql.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'released' ORDER BY 1").fetchall()
    return [name for (name,) in found]


def _spends(folder: Path) -> int:
    with open_ledger(folder / "budget") as ledger:
        ledger.check()
        return sum(entry.kind is Kind.SPEND for entry in ledger.entries("people"))


def test_the_law_row_by_row(place: str, server: str, sql: psycopg.Connection[Any]) -> None:
    source = in_postgresql(server, people(100_000))
    with open_table(source) as table:
        made = release(PLAN, table, place + TO)
        with open_table(made.source) as released:
            assert released.rows == 100_000
            back = open_table(pa.table(released_columns(released, ["illness", "city"], made.order)))
        pairs = paired_counts(table, back, "illness")
        assert paired_counts(table, back, "city").array().tolist() == [[50_000, 0], [0, 50_000]]
    assert pairs.labels("original") == pairs.labels("released") == LETTERS
    found = pairs.array()
    kept = math.e / (math.e + 2)
    law = np.full((3, 3), (1 - kept) / 2) + np.eye(3) * (kept - (1 - kept) / 2)
    # Six degrees of freedom; a right law fails once in a million runs.
    surprise = stats.chisquare(found, found.sum(axis=1, keepdims=True) * law, axis=1).statistic.sum()
    assert surprise < stats.chi2.isf(1e-6, 6)
    assert verify(made).holds


def test_a_release_and_its_record(place: str, server: str, sql: psycopg.Connection[Any], tmp_path: Path) -> None:
    with open_table(in_postgresql(server, people(200))) as table, open_ledger(tmp_path / "budget") as ledger:
        made = release(PLAN, table, place + TO, ledger=ledger, dataset="people")
        assert verify(made, ledger=ledger).holds
    assert _there(sql) == ["people"] and _spends(tmp_path) == 1
    types = sql.execute(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'released' ORDER BY 1"
    ).fetchall()
    assert types == [("age", "bigint"), ("answer", "text"), ("city", "text"), ("illness", "text"), ("seen", "date")]
    assert made.record_file == Path("released.people.json") and Path("released.people.public.json").is_file()
    for name in ("released.people.json", "released.people.public.json"):
        written = Path(name).read_text(encoding="utf-8")
        assert json.loads(written)["output"]["file"] == place.replace("tester@", "") + TO
        assert "tester" not in written and PASSWORD not in written
        # No server is asked on a record's word.
        unasked = verify(name)
        assert unasked.holds and any(str(one.reason).endswith("name it with --released") for one in unasked.checks)
        assert verify(name, released=place + TO).holds
    sql.execute("UPDATE released.people SET city = 'Bergen' WHERE city = 'Oslo'")
    assert not verify("released.people.json", released=place + TO).holds
    sql.execute("DROP TABLE released.people")


def test_on_the_command_line(place: str, server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "plan.toml").write_text('public = ["city"]\n[columns]\nage = "laplace:epsilon=1,lower=0,upper=120"\n')
    asked = [in_postgresql(server, people(50)), "--plan", "plan.toml", "-o", place + TO]
    assert main(["release", *asked, "--record", "kept.json", "--ledger", "budget", "--dataset", "people"]) == 0
    assert "kept.json" in capsys.readouterr().out
    assert main(["verify", "kept.json", "--released", place + TO, "--ledger", "budget"]) == 0
    assert main(["release", *asked]) == 2
    assert "exists; name another" in capsys.readouterr().err


def test_what_is_there_is_replaced_only_on_request(place: str, server: str, sql: psycopg.Connection[Any]) -> None:
    sql.execute("CREATE TABLE released.people AS SELECT 1 AS old")
    with open_table(in_postgresql(server, people(20))) as table:
        with pytest.raises(FileError, match="exists; name another table, or say --overwrite"):
            release(PLAN, table, place + TO)
        assert sql.execute("SELECT old FROM released.people").fetchall() == [(1,)]
        made = release(PLAN, table, place + TO, overwrite=True)
        assert verify(made).holds and _there(sql) == ["people"]
        with open_table(place + TO), pytest.raises(FileError, match="is open elsewhere; close it there"):
            release(PLAN, table, place + TO, overwrite=True)


BAD: dict[str, tuple[str, type[LeakgaugeError], str]] = {
    "no table": ("", OptionError, "names no table to write"),
    "schema": ("#releasd.people", TableError, "has no schema 'releasd'; did you mean 'released'?"),
    "right": ("#guarded.people", TableError, "may not be written by this user"),
    "view": ("#released.view", FileError, "is not a table of this user's"),
}


@pytest.mark.parametrize("case", BAD)
def test_refused_before_anything_is_spent(place: str, sql: psycopg.Connection[Any], tmp_path: Path, case: str) -> None:
    to, kind, said = BAD[case]
    sql.execute("DROP SCHEMA IF EXISTS guarded")
    sql.execute("CREATE SCHEMA guarded")
    sql.execute("CREATE VIEW released.view AS SELECT 1 AS n")
    sql.execute("DROP ROLE IF EXISTS writer")
    sql.execute("CREATE ROLE writer LOGIN")
    who = place.replace("tester@", "writer@") if case == "right" else place
    try:
        with open_table(people(20)) as table, open_ledger(tmp_path / "budget") as ledger:
            with pytest.raises(kind) as caught:
                release(PLAN, table, who + to, ledger=ledger, dataset="people", overwrite=True)
            assert said in str(caught.value)
        assert _spends(tmp_path) == 0 and sorted(path.name for path in tmp_path.glob("*.json")) == []
    finally:
        sql.execute("DROP ROLE writer")


ODD = {
    "every": pa.array(["\0"] * 500),
    "last": pa.array(["a"] * 499 + ["b\0"]),
    "different": pa.array([f"{at}" for at in range(99_999)] + ["b\0"]),
    "before Christ": pa.array([0] * 499 + [-735_000], pa.int32()).cast(pa.date32()),
    "endless": pa.array([0] * 499 + [2**63 - 1], pa.int64()).cast(pa.timestamp("us")),
}


@pytest.mark.parametrize("case", ODD)
def test_values_that_the_server_cannot_hold(
    place: str, sql: psycopg.Connection[Any], tmp_path: Path, case: str
) -> None:
    rows = pa.table({"odd": ODD[case], "age": pa.array(range(len(ODD[case])), pa.int64())})
    plan = ReleasePlan({"age": "laplace:epsilon=1,lower=0,upper=120"}, public=["odd"])
    refused = pytest.raises(ColumnError, match="values that PostgreSQL cannot hold")
    with open_table(rows) as table, open_ledger(tmp_path / "budget") as ledger, refused:
        release(plan, table, place + TO, ledger=ledger, dataset="people")
    assert _spends(tmp_path) == 0 and _there(sql) == []


def test_letters_that_the_server_cannot_hold(place: str, sql: psycopg.Connection[Any], tmp_path: Path) -> None:
    plan = ReleasePlan({"illness": "randomized-response:epsilon=9,letters=flu|none|cold|\0"})
    refused = pytest.raises(ColumnError, match="'illness' would have values that PostgreSQL cannot hold")
    with open_table(people(20)) as table, open_ledger(tmp_path / "budget") as ledger, refused:
        release(plan, table, place + TO, ledger=ledger, dataset="people")
    assert _spends(tmp_path) == 0 and _there(sql) == []


def test_dates_at_the_ends_of_the_calendar(place: str, sql: psycopg.Connection[Any]) -> None:
    rows = pa.table({"d": [date.min, date.max], "s": [datetime.min, datetime.max], "age": [1, 2]})
    with open_table(rows) as table:
        release(ReleasePlan({"age": "laplace:epsilon=1,lower=0,upper=9"}, public=["d", "s"]), table, place + TO)
    assert sql.execute("SELECT d, s FROM released.people ORDER BY 1").fetchall() == [
        (date.min, datetime.min),
        (date.max, datetime.max),
    ]


@pytest.mark.parametrize("full", ["rows", "journal"])
def test_a_full_disk(full: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(people(200_000), "people.parquet")
    (tmp_path / "plan.toml").write_text('public = ["name"]\n[columns]\nage = "laplace:epsilon=1,lower=0,upper=120"\n')
    assert main(["ledger", "open", "budget", "--dataset", "people", "--epsilon", "5"]) == 0
    with small_disk(16) as disk, running_server(journal=disk if full == "journal" else None) as server:
        with psycopg.connect(server, autocommit=True) as sql:
            if full == "rows":
                sql.execute(f"CREATE TABLESPACE small LOCATION '{disk}'".encode())
                sql.execute("ALTER DATABASE postgres SET default_tablespace = small")
        filler = nearly_full(disk)
        capsys.readouterr()
        to = server.replace(f":{PASSWORD}", "") + "#people"
        assert main(["release", "people.parquet", "--plan", "plan.toml", "-o", to, "--ledger", "budget"]) == 3
        said = capsys.readouterr().err
        no_room = "could not be written: the server has no room left; nothing of it was kept.\n"
        lost = "was lost before the release was whole; nothing of it was kept.\n"
        # A server that cannot even note what it does goes down, at times before it says why.
        assert said.endswith(no_room if full == "rows" else (no_room, lost))
        assert said.count("\n") == 1
        filler.unlink()
        server.restart()
        with psycopg.connect(server) as sql:
            assert sql.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall() == []
    assert _spends(tmp_path) == 1 and list(tmp_path.glob("*.json")) == []


def releasing(source: str, to: str, folder: str, stage: str) -> None:
    """What the killed process does; at a stage it kills itself."""

    def fall(reached: Stage, drawn: int, /) -> None:
        if reached == stage:
            os.kill(os.getpid(), signal.SIGKILL)

    os.chdir(folder)
    with open_ledger(Path(folder) / "budget") as ledger, open_table(source) as table:
        release(PLAN, table, to, ledger=ledger, dataset="people", progress=fall)


@pytest.mark.parametrize("stage", [Stage.SPENT, Stage.DRAWING, Stage.DRAFTED, Stage.RECORDED, Stage.RELEASED])
def test_killed_at_a_step(
    place: str,
    server: str,
    sql: psycopg.Connection[Any],
    tmp_path: Path,
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = in_postgresql(server, people(1000))
    # Processes are forked from one that finds these tests from where it was started.
    monkeypatch.chdir(Path(__file__).parents[2])
    worker = PROCESSES.Process(target=releasing, args=(source, place + TO, str(tmp_path), stage.value))
    worker.start()
    worker.join(120)
    assert worker.exitcode == -signal.SIGKILL
    there = stage is Stage.RELEASED
    assert _there(sql) == (["people"] if there else [])
    assert _spends(tmp_path) == 1
    if there:
        assert verify(tmp_path / "released.people.json", released=place + TO).holds


@pytest.fixture
def own_server() -> Iterator[Server]:
    with running_server() as server:
        yield server


@pytest.mark.parametrize("stage", [Stage.DRAWING, Stage.RECORDED])
def test_the_server_is_stopped(own_server: Server, place: str, tmp_path: Path, stage: Stage) -> None:
    address = own_server.replace(f":{PASSWORD}", "")

    def stop(reached: Stage, drawn: int, /) -> None:
        if reached is stage:
            own_server.stop()

    with psycopg.connect(own_server, autocommit=True) as sql:
        sql.execute("CREATE SCHEMA released")
    lost = pytest.raises(EngineError, match="was lost")
    with open_table(people(200_000)) as table, open_ledger(tmp_path / "budget") as ledger, lost:
        release(PLAN, table, address + TO, ledger=ledger, dataset="people", progress=stop)
    own_server.start()
    with psycopg.connect(own_server, autocommit=True) as sql:
        assert _there(sql) == []
    assert _spends(tmp_path) == 1


def test_a_connection_lost_in_the_commit(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = psycopg.Connection.commit

    def lost(connection: psycopg.Connection[Any]) -> None:
        commit(connection)
        raise psycopg.OperationalError

    monkeypatch.setattr(psycopg.Connection, "commit", lost)
    with open_table(people(20)) as table, open_ledger(tmp_path / "budget") as ledger:
        with pytest.raises(UncertainError, match="if the table is there it is whole, and its record belongs to it"):
            release(PLAN, table, place + TO, ledger=ledger, dataset="people")
        # A release without a record must not be.
        assert verify("released.people.json", released=place + TO).holds
    assert _spends(tmp_path) == 1


def test_audited_where_it_is(place: str, server: str, capsys: pytest.CaptureFixture[str]) -> None:
    source = in_postgresql(server, people(300))
    with open_table(source) as table:
        release(PLAN, table, place + TO)
    asked = ["audit", "released.people.json", "--original", source, "--secret", "illness"]
    assert main(asked) == 2
    assert "not opened on a record's word; name the table with --released" in capsys.readouterr().err
    assert main([*asked, "--released", place + TO, "-o", "audit.json"]) == 0
    judged = ["assess", "released.people.json", "audit.json", "--original", source, "--released", place + TO]
    assert main([*judged, "--secret", "illness"]) in (0, 1)
    assert "Recommendation" in capsys.readouterr().out

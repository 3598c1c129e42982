"""Tables in PostgreSQL: the types of its columns, the snapshot they are read from, and what goes wrong on the way."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pytest

from leakgauge.errors import ColumnError, EngineError, LeakgaugeError, TableError
from leakgauge.tables import Kind, Table, open_table, read_hierarchy
from leakgauge.tables.binnings import Calendar, CalendarUnit, Quantiles, Width
from leakgauge.tables.postgresql.failures import refusal
from leakgauge.tables.sql.table import SqlTable
from tests.postgres import PASSWORD, Server, running_server

SECRET = "sesame-4711"
PAIRS = "(SELECT count(*) FROM t a, t b WHERE (a.n * b.n::bigint) % 7 = v.n)"
ENDLESS = f"CREATE VIEW endless AS SELECT v.n, {PAIRS} AS k FROM t v"
"""A view with one column that takes hours."""


@pytest.fixture
def sql(server: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection to a database that is empty."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("SET client_min_messages = warning")
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
        yield connection


@pytest.fixture
def address(server: str, sql: object) -> str:
    return server.replace(f":{PASSWORD}", "")


def _column(table: Table, name: str) -> list[Any]:
    return [value for batch in table.batches(name) for value in batch.column(0).to_pylist()]


def _said(source: str, kind: type[LeakgaugeError] = TableError) -> str:
    with pytest.raises(kind) as caught:
        open_table(source)
    everything = "".join(traceback.format_exception(caught.value)) + repr(caught.value.__context__)
    assert SECRET not in everything and PASSWORD not in everything
    message = str(caught.value)
    assert "\n" not in message
    return message


KINDS = {
    "text": (Kind.STRING, "'b'", "b"),
    "varchar(9)": (Kind.STRING, "'b'", "b"),
    "char(9)": (Kind.STRING, "'b'", "b"),
    "name": (Kind.STRING, "'b'", "b"),
    "uuid": (Kind.STRING, "'00000000-0000-0000-0000-00000000000A'", "00000000-0000-0000-0000-00000000000a"),
    "mood": (Kind.STRING, "'calm'", "calm"),
    "json": (Kind.STRING, "'\"b\"'", "b"),
    "jsonb": (Kind.STRING, "'7'", "7"),
    "inet": (Kind.STRING, "'10.0.0.1'", "10.0.0.1/32"),
    "boolean": (Kind.BOOL, "true", True),
    "smallint": (Kind.INT, "-3", -3),
    "bigint": (Kind.INT, "9223372036854775807", 2**63 - 1),
    "numeric(18,0)": (Kind.INT, "7", 7),
    "numeric(38,0)": (Kind.INT, "9" * 38, int("9" * 38)),
    "numeric(4,-2)": (Kind.INT, "1200", 1200),
    "positive": (Kind.INT, "7", 7),
    "numeric(9,2)": (Kind.FLOAT, "1.50", 1.5),
    "numeric(60,0)": (Kind.FLOAT, "1e59", 1e59),
    "numeric": (Kind.FLOAT, "0.1", 0.1),
    "real": (Kind.FLOAT, "0.5", 0.5),
    "double precision": (Kind.FLOAT, "0.1", 0.1),
}


def test_kinds(address: str, sql: psycopg.Connection[Any]) -> None:
    sql.execute("CREATE TYPE mood AS ENUM ('calm', 'b')")
    sql.execute("CREATE DOMAIN whole AS numeric(9,0)")
    sql.execute("CREATE DOMAIN positive AS whole CHECK (VALUE > 0)")
    others = ["integer[]", "bytea", "interval", "point", "time"]
    columns = [f'"{name}" {name}' for name in (*KINDS, *others)]
    sql.execute(f"CREATE TABLE t ({', '.join(columns)})".encode())
    texts = [text for _, text, _ in KINDS.values()]
    sql.execute(f"INSERT INTO t VALUES ({', '.join(texts)}, '{{1}}', 'x', '1 day', '(1,2)', '12:30')".encode())
    with open_table(f"{address}#t") as table:
        kinds = {column.name: column.kind for column in table.columns()}
        assert kinds == {name: kind for name, (kind, _, _) in KINDS.items()} | dict.fromkeys(others, Kind.OTHER)
        for name, (_, _, label) in KINDS.items():
            assert table.counts(name).labels(name) == (label,), name
            assert _column(table, name) == [label], name
        assert [_column(table, name) for name in others] == [["{1}"], ["\\x78"], ["1 day"], ["(1,2)"], ["12:30:00"]]
        for name in others:
            with pytest.raises(ColumnError, match="times of day" if name == "time" else "nested or binary"):
                table.counts(name)
        # What cannot be counted can still single people out.
        assert [one.groups for one in table.group_sizes([(name,) for name in others])] == [1] * 5


def test_values_that_have_no_place(address: str, sql: psycopg.Connection[Any]) -> None:
    sql.execute("CREATE TABLE t (n numeric(9,0), d date, s timestamp, f double precision, g double precision)")
    sql.execute("INSERT INTO t VALUES ('NaN', 'infinity', '-infinity', 'Infinity', 1e308), (1, NULL, NULL, 1, 1e308)")
    with open_table(f"{address}#t") as table:
        assert (table.counts("n").labels("n"), _column(table, "n")) == ((1, None), [None, 1])
        for name in ("d", "s"):
            with pytest.raises(ColumnError, match=f"'{name}' holds a date outside the years 1 to 9999"):
                table.counts(name)
        for name in ("f", "g"):
            with pytest.raises(ColumnError, match="infinite"):
                table.moments(name)
        with pytest.raises(ColumnError, match="too large for bins of width"):
            table.counts("g", bins={"g": Width(0.1)})
        # A query that failed takes nothing from the next one.
        assert table.moments("n")["n"].mean == 1


def test_texts_are_told_apart_by_their_bytes(address: str, sql: psycopg.Connection[Any]) -> None:
    sql.execute("CREATE EXTENSION citext")
    sql.execute("CREATE COLLATION alike (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    sql.execute("CREATE TABLE t (c citext, d text COLLATE alike, e text)")
    rows = [("a",) * 3, ("A",) * 3, ("a ",) * 3, ("é",) * 3, ("e\u0301",) * 3, ("",) * 3, (None,) * 3]
    with sql.cursor() as cursor:
        cursor.executemany("INSERT INTO t VALUES (%s, %s, %s)", rows)
    with open_table(f"{address}#t") as table:
        for name in ("c", "d", "e"):
            assert table.counts(name).labels(name) == ("", "A", "a", "a ", "e\u0301", "é", None)
            assert len(set(table.digests([(name,)])[0].tolist())) == 7
        assert [one.groups for one in table.group_sizes([("c",), ("d",), ("c", "d", "e")])] == [7] * 3


def test_levels_are_looked_up_by_the_server(address: str, sql: psycopg.Connection[Any], tmp_path: Path) -> None:
    sql.execute("CREATE TABLE t (town text, f double precision, on_leave boolean)")
    sql.execute("INSERT INTO t VALUES ('it''s', 1e16, true), ('B', -0.0, false), (NULL, 0.1, NULL)")
    levels = {
        "town": "it's,west\nB,east\n,nowhere\n",
        "f": "10000000000000000,much\n0,little\n.10,little\n",
        "on_leave": "true,away\nfalse,here\n",
    }
    with open_table(f"{address}#t") as table:
        for name, lines in levels.items():
            (tmp_path / name).write_text(lines, encoding="utf-8")
        bins = {name: read_hierarchy(tmp_path / name).level(1) for name in levels}
        rows = pa.Table.from_batches(table.batches(*levels, bins=bins)).to_pydict()
        assert rows == {
            "town": ["west", "east", "nowhere"],
            "f": ["much", "little", "little"],
            "on_leave": ["away", "here", None],
        }
        assert table.counts("town", bins={"town": bins["town"]}).labels("town") == ("east", "nowhere", "west")


def test_moments_in_time_are_in_utc_whatever_the_server_says(address: str, sql: psycopg.Connection[Any]) -> None:
    sql.execute("ALTER ROLE tester SET TimeZone = 'Asia/Shanghai'")
    try:
        sql.execute("CREATE TABLE t AS SELECT '2020-01-31 23:30+00'::timestamptz AS s, '2020-01-31'::date AS d")
        with open_table(f"{address}#t") as table:
            for name in ("s", "d"):
                (month,) = table.counts(name, bins={name: Calendar(CalendarUnit.MONTH)}).labels(name)
                assert str(month).startswith("[2020-01-01")
    finally:
        sql.execute("ALTER ROLE tester RESET TimeZone")


def test_answers_are_of_the_moment_of_opening(address: str, sql: psycopg.Connection[Any]) -> None:
    sql.execute("CREATE TABLE t AS SELECT g AS n, g % 7 AS k FROM generate_series(1, 20000) AS g")
    sql.execute("CREATE INDEX ON t (k)")
    sql.execute("ALTER TABLE t SET (autovacuum_enabled = false)")
    with open_table(f"{address}#t") as table:
        assert isinstance(table, SqlTable)
        before = table.fingerprint()
        first = _column(table, "n")
        assert first == list(range(1, 20001))
        stream = table.batches("n", size=100)
        next(stream)
        sql.execute("DELETE FROM t WHERE n < 15000")
        sql.execute("UPDATE t SET n = -n WHERE k = 0")
        sql.execute("INSERT INTO t SELECT g, 100 FROM generate_series(1, 5000) AS g")
        sql.execute("VACUUM ANALYZE t")
        assert sum(batch.num_rows for batch in stream) == 19900
        # Read through the index that has all that is asked for, rows would come in another order.
        assert _column(table, "n") == first
        assert _column(table, "k") == [n % 7 for n in first]
        assert table.fingerprint() == before
        assert table.rows == table.counts("k").n == 20000
        sql.execute("SET lock_timeout = 200")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            sql.execute("TRUNCATE t")
        sql.execute("RESET lock_timeout")
    with open_table(f"{address}#t") as table:
        assert isinstance(table, SqlTable) and table.fingerprint() != before


def test_parts_of_a_table_come_in_one_order(address: str, sql: psycopg.Connection[Any]) -> None:
    sql.execute("CREATE TABLE t (n integer, k integer) PARTITION BY LIST (k)")
    sql.execute("CREATE TABLE t2 PARTITION OF t FOR VALUES IN (2)")
    sql.execute("CREATE TABLE t1 PARTITION OF t FOR VALUES IN (1)")
    sql.execute("INSERT INTO t SELECT g, 1 + g % 2 FROM generate_series(1, 1000) AS g")
    with open_table(f"{address}#t") as table:
        numbers, parts = _column(table, "n"), _column(table, "k")
        assert [1 + number % 2 for number in numbers] == parts
        assert sorted(numbers) == list(range(1, 1001))


def test_a_view_is_counted_but_not_read_row_by_row(address: str, sql: psycopg.Connection[Any]) -> None:
    sql.execute("CREATE TABLE t AS SELECT g AS n FROM generate_series(1, 10) AS g")
    sql.execute("CREATE VIEW v AS SELECT n, n > 5 AS large FROM t")
    sql.execute("CREATE MATERIALIZED VIEW kept AS SELECT * FROM v")
    with open_table(f"{address}#v") as table:
        assert table.counts("large", "n", bins={"n": Quantiles(2)}).n == 10
        assert table.group_sizes([("n",)])[0].alone == 10
        for rows in (table.batches("n"), iter(lambda: table.digests([("n",)]), None)):
            with pytest.raises(TableError, match="can be counted but not read row by row; save it as a table"):
                next(rows)
    with open_table(f"{address}#kept") as table:
        assert _column(table, "n") == list(range(1, 11))


def test_a_stream_that_nobody_finishes_is_let_go(address: str, sql: psycopg.Connection[Any]) -> None:
    sql.execute("CREATE TABLE t AS SELECT g AS n, repeat('x', 100) AS t FROM generate_series(1, 300000) AS g")
    with open_table(f"{address}#t") as table:
        rows = table.batches()
        next(rows)
        start = time.monotonic()
        rows.close()  # type: ignore[attr-defined]
        assert time.monotonic() - start < 5
        assert table.rows == 300000
    _until(lambda: sql.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'leakgauge'"), 0)


def _until(ask: Any, expected: int) -> None:
    for _ in range(100):
        if ask().fetchall() == [(expected,)]:
            return
        time.sleep(0.05)
    pytest.fail("some connections were not closed")


@pytest.fixture
def empty(server: str) -> Iterator[str]:
    """The address of a database of the test's own."""
    with psycopg.connect(server, autocommit=True) as sql:
        sql.execute("CREATE DATABASE found")
        yield server.rpartition("/")[0] + "/found"
        sql.execute("DROP DATABASE found WITH (FORCE)")


def test_tables_are_found_by_their_names(empty: str) -> None:
    with psycopg.connect(empty, autocommit=True) as sql:
        _require_found(empty.replace(f":{PASSWORD}", ""), sql)


def _require_found(address: str, sql: psycopg.Connection[Any]) -> None:
    place = address.replace("tester@", "")
    assert _said(address) == f"{place} has no tables; name another database."
    sql.execute('CREATE TABLE "People" AS SELECT 1 AS n')
    with open_table(address) as table:
        assert table.rows == 1
    sql.execute("CREATE SCHEMA IF NOT EXISTS clinic")
    sql.execute('CREATE TABLE IF NOT EXISTS clinic."a.b#c" AS SELECT 2 AS n')
    assert "has 2 tables; name one by adding '#clinic.a.b#c' to the address." in _said(address)
    assert "has no table 'people'; did you mean 'People'?" in _said(f"{address}#people")
    assert "has no table 'clinik.a.b'; did you mean 'clinic.a.b#c'?" in _said(f"{address}#clinik.a.b")
    for name in ("People", "public.People", "clinic.a.b#c"):
        with open_table(f"{address}#{name}") as table:
            assert table.rows == 1
            with pytest.raises(ColumnError, match="has no column 'm'; known are 'n'"):
                table.counts("m")
    sql.execute("CREATE TABLE nothing (n integer)")
    table.close()
    table.close()
    with pytest.raises(TableError, match="was closed; open it again"):
        table.counts("n")
    assert _said(f"{address}#nothing").endswith("nothing' has no rows; there is nothing to measure.")


def test_texts_are_not_read_as_numbers(address: str) -> None:
    with pytest.raises(TableError, match="leave --thousands, --decimal and --date-format out"):
        open_table(f"{address}#t", thousands=",")
    with pytest.raises(TableError, match="so --encoding does not apply"):
        open_table(f"{address}#t", encoding="latin-1")


def test_a_role_without_the_right(address: str, sql: psycopg.Connection[Any]) -> None:
    sql.execute("CREATE TABLE t AS SELECT 1 AS seen, 2 AS hidden")
    sql.execute("DROP ROLE IF EXISTS guest")
    sql.execute("CREATE ROLE guest LOGIN")
    guest = address.replace("tester@", "guest@") + "#t"
    try:
        sql.execute("GRANT USAGE ON SCHEMA public TO guest")
        assert "may not be read by this user; ask its owner for the right to SELECT" in _said(guest)
        sql.execute("GRANT SELECT (seen) ON t TO guest")
        with open_table(guest) as table:
            assert [column.name for column in table.columns()] == ["seen"]
            assert table.counts("seen").n == 1
    finally:
        sql.execute("DROP OWNED BY guest")
        sql.execute("DROP ROLE guest")


def test_unreachable() -> None:
    said = "cannot be reached; check the host and the port, and that the server runs."
    assert (
        _said(f"postgresql://{SECRET}@127.0.0.1:1/x#t", EngineError)
        == f"PostgreSQL at postgresql://127.0.0.1:1/x {said}"
    )
    assert said in _said("postgresql://host.invalid/x#t", EngineError)


def test_a_server_that_asks_for_a_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = "refuses the connection; check the database and the user, and the password in PGPASSWORD or ~/.pgpass."
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "passwords"))
    with running_server(asks=True) as server:
        with psycopg.connect(server) as sql:
            sql.execute("CREATE TABLE t AS SELECT 1 AS n")
        address = server.replace(f":{PASSWORD}", "")
        assert refused in _said(f"{address}#t")
        assert "offers no connection as safe as required; check sslmode" in _said(f"{address}?sslmode=require#t")
        for option in (f"{SECRET}=1", f"connect_timeout={SECRET}", f"sslmode={SECRET}"):
            assert "is unknown or has a value that it cannot have" in _said(f"{address}?{option}#t")
        monkeypatch.setenv("PGPASSWORD", SECRET)
        assert refused in _said(f"{address}#t")
        monkeypatch.setenv("PGPASSWORD", PASSWORD)
        assert refused in _said(f"{address}nowhere#t")
        assert refused in _said(address.replace("tester@", f"{SECRET}@") + "#t")
        assert "has no table 'people'; known are 't'" in _said(f"{address}#people")
        with open_table(f"{address}#t") as table, pytest.raises(ColumnError, match="has no column 'm'; known are 'n'"):
            table.counts("m")
        monkeypatch.delenv("PGPASSWORD")
        (tmp_path / "passwords").write_text(f"127.0.0.1:*:*:tester:{PASSWORD}\n")
        (tmp_path / "passwords").chmod(0o600)
        with open_table(f"{address}#t") as table:
            assert table.rows == 1


def test_a_refusal_is_known_in_any_language() -> None:
    said = 'connection to server at "127.0.0.1", port 5432 failed: 致命错误:  用户 "x" Password 认证失败'
    assert "refuses the connection" in str(refusal(said, "postgresql://127.0.0.1/x"))


def test_a_server_that_never_answers() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"postgresql://{SECRET}@127.0.0.1:{silent.getsockname()[1]}/x?connect_timeout=2#t"
        start = time.monotonic()
        asking = subprocess.Popen(
            [sys.executable, "-m", "leakgauge", "measure", address, "--secret", "n"],
            env=os.environ | {"PGPASSWORD": PASSWORD},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with silent.accept()[0]:
            seen = Path(f"/proc/{asking.pid}/cmdline").read_text(encoding="utf-8")
            out, said = asking.communicate(timeout=60)
    assert time.monotonic() - start < 30 and asking.returncode == 3
    assert PASSWORD not in seen + out + said and SECRET not in out + said
    assert said.count("\n") == 1 and "cannot be reached; check the host and the port" in said


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", None)
    assert "needs the extra 'postgresql'; install leakgauge[postgresql]" in _said("postgresql://host/db#t")


def test_drivers_are_loaded_only_for_such_addresses() -> None:
    asked = "import sys, leakgauge, leakgauge.cli; print([n for n in sys.modules if n.startswith(('adbc', 'psycopg'))])"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


def test_ctrl_c_cancels_the_query(address: str, sql: psycopg.Connection[Any]) -> None:
    sql.execute("CREATE TABLE t AS SELECT g AS n FROM generate_series(1, 100000) AS g")
    sql.execute(ENDLESS)
    # Polars, once it is loaded, puts a handler of its own before Python's.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with open_table(f"{address}#endless") as table:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            table.counts("k")
        assert time.monotonic() - start < 20
        assert table.counts("n").n == 100000


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server that a test may stop."""
    with running_server() as server:
        yield server


def test_a_server_that_goes_away(own_server: Server) -> None:
    with psycopg.connect(own_server, autocommit=True) as sql:
        sql.execute("CREATE TABLE t AS SELECT g AS n, repeat('x', 500) AS t FROM generate_series(1, 100000) AS g")
        sql.execute(ENDLESS)
        address = own_server.replace(f":{PASSWORD}", "")
        others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'leakgauge'"
        with open_table(f"{address}#t") as table:
            rows = table.batches(size=1000)
            next(rows)
            sql.execute(others)
            lost = "was lost; look at the server, then open the table again"
            with pytest.raises(EngineError, match=lost):
                list(rows)
            with pytest.raises(EngineError, match=lost):
                table.counts("n")
            with pytest.raises(EngineError, match=lost):
                list(table.batches("n"))
    with open_table(f"{address}#endless") as table:
        stopping = threading.Timer(0.5, own_server.stop)
        stopping.start()
        with pytest.raises(EngineError, match=lost):
            table.counts("k")
        stopping.join()

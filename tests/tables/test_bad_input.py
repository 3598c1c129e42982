"""Bad input ends in one sentence that never holds a value of the table."""

from __future__ import annotations

import gzip
import os
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leakgauge.errors import ColumnError, LeakgaugeError, OptionError, TableError
from leakgauge.tables import open_table
from leakgauge.tables.binnings import Calendar, CalendarUnit, Edges, Quantiles, Width

SECRET = "Zebra77"


def _bytes(name: str, data: bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / name).write_bytes(data)
        return folder / name

    return write


def _truncated_parquet(folder: Path) -> Path:
    pq.write_table(pa.table({"a": [SECRET] * 1000}), folder / "whole.parquet")
    return _bytes("t.parquet", (folder / "whole.parquet").read_bytes()[:-20])(folder)


def _damaged_parquet(folder: Path) -> Path:
    pq.write_table(pa.table({"a": [f"{SECRET}{at}" for at in range(1000)]}), folder / "whole.parquet")
    data = bytearray((folder / "whole.parquet").read_bytes())
    data[4:2000] = b"\xff" * 1996
    return _bytes("t.parquet", bytes(data))(folder)


def _sqlite(folder: Path) -> Path:
    connection = sqlite3.connect(folder / "t.db")
    connection.execute(f"CREATE TABLE t (a TEXT DEFAULT '{SECRET}')")
    connection.commit()
    connection.close()
    return folder / "t.db"


def _several_tables(folder: Path) -> Path:
    with duckdb.connect(folder / "t.duckdb") as connection:
        connection.execute("CREATE TABLE one AS SELECT 1 AS a")
        connection.execute("CREATE TABLE two AS SELECT 2 AS a")
    return folder / "t.duckdb"


def _no_tables(folder: Path) -> Path:
    duckdb.connect(folder / "t.duckdb").close()
    return folder / "t.duckdb"


def _folder(folder: Path) -> Path:
    (folder / "inside").mkdir()
    return folder / "inside"


row = SECRET.encode()
BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing file": (lambda folder: folder / "none.csv", "There is no file"),
    "folder": (_folder, "folder without Parquet"),
    "empty csv": (_bytes("t.csv", b""), "is empty"),
    "empty parquet": (_bytes("t.parquet", b""), "is empty"),
    "empty json": (_bytes("t.jsonl", b""), "is empty"),
    "empty database": (_bytes("t.duckdb", b""), "is empty"),
    "header only": (_bytes("t.csv", b"a,b\n"), "has no rows"),
    "no header": (_bytes("t.csv", b"\n" + row + b",1\n"), "has no header"),
    "unnamed column": (_bytes("t.csv", b"a,\n" + row + b",1\n"), "Column 2 of"),
    "same name twice": (_bytes("t.csv", b"a,b,a\n" + row + b",1,2\n"), "Columns 1 and 3 of"),
    "too many fields": (_bytes("t.csv", b"a,b\n1,2\n3," + row + b",5\n"), "3 fields, but the header has 2 (line 3)"),
    "too few fields": (_bytes("t.csv", b"a,b\n1,2\n" + row + b"\n"), "1 fields, but the header has 2 (line 3)"),
    "open quote": (_bytes("t.csv", b'a,b\n"' + row + b",2\n3,4\n"), "quote that does not close"),
    "open quote in header": (_bytes("t.csv", b'"a,b\n' + row + b",2\n3,4\n"), "header"),
    "text after quote": (_bytes("t.csv", b'a,b\n"' + row + b'" x,2\n3,4\n'), "quote that does not close"),
    "mixed line ends": (_bytes("t.csv", b"a,b\r\n1,x\n2," + row + b"\r\n3,z"), "lines end alike"),
    "latin-1": (_bytes("t.csv", b"a,b\n" + row + b"\xe9,2\n"), "not UTF-8 text"),
    "late latin-1": (
        _bytes("t.csv", b"a,b\n" + b"1,2\n" * 500_000 + row + b"\xe9,2\n"),
        "not UTF-8 text (line 500002)",
    ),
    "utf-16": (_bytes("t.csv", f"a,b\n{SECRET},2\n".encode("utf-16")), "not UTF-8 text"),
    "utf-16 without mark": (_bytes("t.csv", f"a,b\n{SECRET},2\n".encode("utf-16-le")), "not UTF-8 text"),
    "binary": (_bytes("t.csv", bytes(range(256)) * 9 + row), "not UTF-8 text"),
    "very long line": (_bytes("t.csv", b"a,b\n1," + row * 500_000 + b"\n"), "longer than 2 MB (line 2)"),
    "not gzip": (_bytes("t.csv.gz", row), "not compressed as its name says"),
    "half gzip": (
        _bytes("t.csv.gz", gzip.compress(b"a,b\n" + os.urandom(9999).hex().encode())[:-99]),
        "create it again",
    ),
    "truncated parquet": (_truncated_parquet, "not a complete Parquet file"),
    "csv named parquet": (_bytes("t.parquet", b"a,b\n" + row + b",2\n"), "not a complete Parquet file"),
    "bad json": (_bytes("t.jsonl", b'{"a": 1}\n{"a": ' + row + b"}\n"), "not well-formed JSON"),
    "latin-1 json": (_bytes("t.jsonl", b'{"a": "' + row + b'\xe9"}\n'), "not UTF-8 text"),
    "not a database": (_bytes("t.duckdb", row * 999), "not a DuckDB database"),
    "sqlite": (_sqlite, "not a DuckDB database"),
    "several tables": (_several_tables, "has 2 tables; name one by adding '#one' to the address."),
    "unknown table": (lambda folder: f"{_several_tables(folder)}#tow", "has no table 'tow'; did you mean 'two'?"),
    "no tables": (_no_tables, "has no tables"),
    "table of a csv": (lambda folder: f"{_bytes('t.csv', b'a')(folder)}#t", "not a database"),
    "unknown ending": (_bytes("t.docx", row), "unknown ending"),
    "pattern": (lambda folder: folder / "no-*.parquet", "No file matches"),
    "http": (lambda folder: "https://example.org/t.parquet", "'https' addresses cannot be opened"),
    "s3": (lambda folder: "s3://bucket/t.parquet", "'s3' addresses cannot be opened"),
    "password": (lambda folder: f"postgres://me:{SECRET}@host/db", "holds a password, which other programs can see"),
    "password option": (lambda folder: f"postgresql://host/db?password={SECRET}#t", "holds a password"),
    "not an address": (lambda folder: f"postgresql://[{SECRET}/db#t", "is not well-formed"),
    "object": (lambda folder: [SECRET], "An object of type list is not a table"),
    "no columns": (lambda folder: pa.table({}), "has no columns"),
    "no rows": (lambda folder: pa.table({"a": pa.array([], pa.int64())}), "has no rows"),
    "mixed objects": (lambda folder: pd.DataFrame({"a": [1, SECRET, b"x"]}, dtype=object), "mixes kinds"),
    "numbers as names": (lambda folder: pd.DataFrame({1: [SECRET]}), "distinct texts as names"),
    "two columns alike": (lambda folder: pa.table([pa.array([1])] * 2, names=["a", "a"]), "named 'a'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_sources(case: str, tmp_path: Path) -> None:
    write, said = BAD[case]
    source = write(tmp_path)
    with pytest.raises(TableError) as caught:
        open_table(source)
    message = str(caught.value)
    assert said in message
    assert message.count("\n") == 0
    everything = "".join(traceback.format_exception(caught.value))
    if caught.value.__context__ is not None:
        assert SECRET not in str(caught.value.__context__)
    assert SECRET not in message
    assert f"{SECRET}," not in everything


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _bytes("t.csv", b"a\n1\n")(tmp_path)

    def refuse(*_: object) -> None:  # the superuser may read everything, so the refusal is played
        raise PermissionError

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(TableError, match="may not be read"):
        open_table(path)


def test_a_database_open_elsewhere(tmp_path: Path) -> None:
    path = _several_tables(tmp_path)
    with duckdb.connect(path), pytest.raises(TableError, match="in use elsewhere"):
        open_table(f"{path}#one")
    with open_table(f"{path}#one") as table:
        assert table.rows == 1


def test_a_view_may_not_read_other_files(tmp_path: Path) -> None:
    other = _bytes("other.csv", b"a\n1\n")(tmp_path)
    with duckdb.connect(tmp_path / "t.duckdb") as connection:
        connection.execute(f"CREATE VIEW v AS SELECT * FROM read_csv('{other}')")
    with pytest.raises(LeakgaugeError, match="refers to other files"):
        open_table(tmp_path / "t.duckdb")


TABLE = pa.table(
    {
        "age": [1, 2, 3],
        "name": ["a", "b", SECRET],
        "list": [[1], [2], [3]],
        "struct": [{"a": 1}] * 3,
        "day": pa.array([0, 1, 2], pa.date32()),
        "clock": pa.array([0, 1, 2], pa.time64("us")),
        "infinite": [1.0, float("inf"), 2.0],
        "far": pa.array([2**31 - 5, 1, 2], pa.date32()),
    }
)


@pytest.mark.parametrize(
    ("columns", "bins", "said"),
    [
        (["agee"], {}, "has no column 'agee'; did you mean 'age'?"),
        (["AGE"], {}, "has no column 'AGE'; did you mean 'age'?"),
        (["age", "age"], {}, "'age' is named twice"),
        ([], {}, "No column to count was named"),
        (["list"], {}, "nested or binary"),
        (["struct"], {}, "nested or binary"),
        (["clock"], {}, "holds times of day, which cannot be counted"),
        (["name"], {"name": Width(1)}, "holds text, and equal widths need numbers"),
        (["name"], {"name": Quantiles(2)}, "holds text, and quantiles need numbers or dates"),
        (["name"], {"name": Edges((1,))}, "holds text, and edges need numbers or dates"),
        (["age"], {"age": Calendar(CalendarUnit.YEAR)}, "calendar bins need dates"),
        (["day"], {"day": Calendar(CalendarUnit.HOUR)}, "dates without hours"),
        (["day"], {"day": Edges((1,))}, "the edge 1 does not fit"),
        (["age"], {"name": Width(1)}, "'name', which is not counted"),
        (["far"], {}, "years 1 to 9999"),
    ],
)
def test_bad_columns(columns: list[str], bins: dict[str, Width], said: str) -> None:
    with open_table(TABLE) as table, pytest.raises(ColumnError) as caught:
        table.counts(*columns, bins=bins)
    assert said in str(caught.value)
    assert SECRET not in str(caught.value)


def test_bad_moments_and_batches() -> None:
    with open_table(TABLE) as table:
        with pytest.raises(ColumnError, match="holds text, but moments need numbers"):
            table.moments("name")
        with pytest.raises(ColumnError, match="infinite"):
            table.moments("infinite")
        with pytest.raises(ColumnError, match="no column"):
            table.batches("nothing")
        with pytest.raises(OptionError, match="give at least 1"):
            table.batches("age", size=0)
        assert pa.Table.from_batches(table.batches("list")).num_rows == 3


def test_too_many_distinct_values(tmp_path: Path) -> None:
    path = str(tmp_path / "t.parquet")
    pq.write_table(pa.table({"a": range(2000), "b": [0, 1] * 1000}), path)
    with open_table(path) as table:
        assert table.counts("a", limit=2000).shape == (2000,)
        with pytest.raises(ColumnError, match="Counting 'a' gives more than 1999 distinct values; bin a column"):
            table.counts("a", limit=1999)
        with pytest.raises(ColumnError, match="Counting 'a' × 'b' gives more than 10 distinct combinations"):
            table.counts("a", "b", limit=10)
        with pytest.raises(OptionError, match="at least 1"):
            table.counts("a", limit=0)


def test_damage_found_only_while_counting(tmp_path: Path) -> None:
    with open_table(_damaged_parquet(tmp_path)) as table, pytest.raises(TableError, match="create it again") as caught:
        table.counts("a")
    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None


def test_an_interrupt_stops_counting(tmp_path: Path) -> None:
    code = """
import signal, sys, threading, os
import duckdb
from leakgauge.tables import open_table
from leakgauge.tables.binnings import Width
path = sys.argv[1]
with duckdb.connect(path) as c:
    c.execute("CREATE VIEW v AS SELECT i FROM range(100000000000) AS t(i)")
table = open_table(path)
threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    table.counts("i", bins={"i": Width(1e12)})
except KeyboardInterrupt:
    print("stopped")
"""
    run = [sys.executable, "-c", code, str(tmp_path / "t.duckdb")]
    assert subprocess.run(run, capture_output=True, text=True, timeout=60, check=False).stdout == "stopped\n"


def test_a_file_that_vanishes_or_changes(tmp_path: Path) -> None:
    path = _bytes("t.csv", b"a,b\n1,2\n")(tmp_path)
    with open_table(path) as table:
        path.write_bytes(f"a,b\n{SECRET},2\n".encode())
        with pytest.raises(LeakgaugeError) as caught:
            table.counts("a")
        assert SECRET not in str(caught.value)
        path.unlink()
        with pytest.raises(LeakgaugeError):
            table.counts("b")


def test_a_closed_table_says_so(tmp_path: Path) -> None:
    table = open_table(TABLE)
    table.close()
    table.close()
    with pytest.raises(LeakgaugeError):
        table.counts("age")

"""Opening: what a CSV column becomes, what is imported, what the connection may do."""

from __future__ import annotations

import csv
import shlex
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from time import process_time

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leakgauge.errors import TableError
from leakgauge.tables import Kind, open_table
from leakgauge.tables.opening import source_files


def _kinds(path: Path, text: str) -> dict[str, Kind]:
    path.write_text(text, encoding="utf-8")
    with open_table(path) as table:
        return {column.name: column.kind for column in table.columns()}


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", "", "+3"], Kind.INT),
        (["1", "2.5", "1e5", ".5", "inf", "nan"], Kind.FLOAT),
        (["7", "007"], Kind.STRING),
        (["00", "1"], Kind.STRING),
        (["-01", "1"], Kind.STRING),
        ([" 7", "7"], Kind.STRING),
        (["12345678901234567890", "1"], Kind.STRING),
        (["1"] * 30_000 + ["late text"], Kind.STRING),
        (["true", "False"], Kind.BOOL),
        (["2020-01-31", "2020-02-01"], Kind.DATE),
        (["2020-01-31", "2020-02-31"], Kind.STRING),
        (["01/02/2020", "02/02/2020"], Kind.STRING),
        (["2020-01-31 10:00", "2020-02-01T10:00:00.5"], Kind.TIMESTAMP),
        (["#", "a"], Kind.STRING),
        (["", ""], Kind.STRING),
        ([""] * 300_000 + ["2.5"], Kind.FLOAT),
        (["250.1", "250.10", "12E3", "120E2"], Kind.FLOAT),
    ],
)
def test_csv_kinds(tmp_path: Path, values: list[str], kind: Kind) -> None:
    text = "v,w\n" + "".join(f"{value},x\n" for value in values)
    assert _kinds(tmp_path / "t.csv", text)["v"] is kind


def test_codes_with_leading_zeros_are_not_merged(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("code\n007\n7\n07\n7\n")
    with open_table(tmp_path / "t.csv") as table:
        counts = table.counts("code")
    assert counts.labels("code") == ("007", "07", "7")
    assert counts.array().tolist() == [1, 1, 2]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_and_byte_order_mark(tmp_path: Path, delimiter: str) -> None:
    assert _kinds(tmp_path / "t.csv", f"\ufeffa{delimiter}b\r\n1{delimiter}x\r\n") == {"a": Kind.INT, "b": Kind.STRING}


def test_names_that_differ_in_case_only(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,A\n1,2\n")
    with open_table(str(tmp_path / "t.csv")) as table:
        assert (table.counts("a").labels("a"), table.counts("A").labels("A")) == ((1,), (2,))


def test_engine_types() -> None:
    table = pa.table(
        {
            "money": pa.array([Decimal("1.50"), None], pa.decimal128(10, 2)),
            "whole": pa.array([Decimal(10) ** 20, None], pa.decimal128(30, 0)),
            "large": pa.array([2**64 - 1, None], pa.uint64()),
            "small": pa.array([0.5, None], pa.float32()),
            "nano": pa.array([1_000, None], pa.timestamp("ns")),
            "choice": pa.array(["x", None]).dictionary_encode(),
        }
    )
    with open_table(table) as opened:
        kinds = [column.kind for column in opened.columns()]
        assert kinds == [Kind.FLOAT, Kind.INT, Kind.INT, Kind.FLOAT, Kind.TIMESTAMP, Kind.STRING]
        first = {name: opened.counts(name).labels(name)[0] for name in table.column_names}
    assert (first["money"], first["whole"], first["large"], first["small"]) == (1.5, 10**20, 2**64 - 1, 0.5)
    assert type(first["whole"]) is int
    assert first["choice"] == "x"


def test_pandas_categories_and_zones() -> None:
    frame = pd.DataFrame({"c": pd.Categorical(["b", "a", None]), "z": pd.to_datetime(["2020-01-01"] * 3, utc=True)})
    with open_table(frame) as table:
        assert table.counts("c").labels("c") == ("a", "b", None)
        assert table.counts("z").shape == (1,)


def test_importing_the_room_imports_no_engine() -> None:
    code = "import sys, leakgauge.tables; print([m for m in ('duckdb', 'pyarrow', 'pandas') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_connection_reads_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    (tmp_path / "other.csv").write_text("a\n1\n")
    with open_table(tmp_path / "t.csv") as table:
        connection = table._connection  # type: ignore[attr-defined]
        with pytest.raises(duckdb.PermissionException):
            connection.read_csv(str(tmp_path / "other.csv")).fetchall()
        with pytest.raises(duckdb.InvalidInputException):
            connection.execute("SET enable_external_access = true")
        assert connection.sql("SELECT current_setting('temp_directory')").fetchall() == [("",)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.csv", "t.csv"]


@pytest.mark.parametrize("name", ["adult_train.parquet", "adult_train.csv.gz"])
def test_adult(data: Path, name: str) -> None:
    with (data / "adult_marital_x_occupation_all32561_with_missing.csv").open(encoding="utf-8") as stream:
        header, *rows = list(csv.reader(stream))
    with open_table(data / name) as people:
        counts = people.counts("marital_status", "occupation")
        assert people.rows == 32561
        assert people.counts("age", "occupation").n == 32561
    assert counts.labels("occupation") == tuple(header[1:])
    assert counts.labels("marital_status") == tuple(row[0] for row in rows)
    assert counts.array().tolist() == [[int(cell) for cell in row[1:]] for row in rows]
    with open_table(data / name, missing=["?"]) as people:
        assert people.counts("occupation").labels("occupation")[-1] is None
        assert "?" not in people.counts("occupation").labels("occupation")


def test_the_files_behind_an_address(tmp_path: Path) -> None:
    for name in ("b.parquet", "a.pq", "notes.txt", "odd#name.csv"):
        (tmp_path / name).touch()

    def found(address: str) -> list[str]:
        return [path.relative_to(tmp_path).as_posix() for path in source_files(str(tmp_path / address))]

    assert found("notes.txt") == ["notes.txt"]
    assert found("odd#name.csv") == ["odd#name.csv"]
    assert found("people.duckdb#adults") == found("people.duckdb") == ["people.duckdb"]
    assert source_files(str(tmp_path)) == [tmp_path / "a.pq", tmp_path / "b.parquet"]
    assert found("*.parquet") == ["b.parquet"]
    assert found("none-*.parquet") == ["none-*.parquet"]
    (tmp_path / "folder").mkdir()
    assert found("folder") == ["folder"]


@pytest.mark.parametrize(("name", "neighbour"), [("t[12]", "t1"), ("t*", "tt"), ("t?", "tt"), ("[t", "t")])
@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_a_name_that_looks_like_a_pattern(tmp_path: Path, name: str, neighbour: str, ending: str) -> None:
    for stem, value in ((name, 1), (neighbour, 2)):
        path = tmp_path / (stem + ending)
        if ending == ".parquet":
            pq.write_table(pa.table({"a": [value]}), path)
        else:
            path.write_text(f"a\n{value}\n" if ending == ".csv" else f'{{"a": {value}}}\n')
    assert source_files(str(tmp_path / (name + ending))) == [tmp_path / (name + ending)]
    with open_table(tmp_path / (name + ending)) as table:
        assert (table.rows, table.counts("a").labels("a")) == (1, (1,))


def test_a_file_in_a_folder_that_looks_like_a_pattern(tmp_path: Path) -> None:
    for folder, value in (("[ab]", 1), ("a", 2)):
        (tmp_path / folder).mkdir()
        pq.write_table(pa.table({"a": [value]}), tmp_path / folder / "t.parquet")
    with open_table(tmp_path / "[ab]") as table:
        assert table.counts("a").labels("a") == (1,)


def test_many_columns_are_opened_quickly(tmp_path: Path) -> None:
    kinds = [("17", Kind.INT), ("2.5", Kind.FLOAT), ("text", Kind.STRING), ("2020-01-31", Kind.DATE)] * 250
    header, row = ",".join(f"n{at}" for at in range(1000)), ",".join(text for text, _ in kinds)
    (tmp_path / "t.csv").write_text(header + "\n" + (row + "\n") * 30)
    start = process_time()
    with open_table(tmp_path / "t.csv") as table:
        assert [column.kind for column in table.columns()] == [kind for _, kind in kinds]
    assert process_time() - start < 5


@pytest.mark.parametrize("name", ["people.csv", "people.parquet"])
def test_the_name_of_a_folder_is_not_a_column(tmp_path: Path, name: str) -> None:
    place = tmp_path / "sex=0.4" / name
    place.parent.mkdir()
    people = pd.DataFrame({"sex": ["f", "m"], "age": [30, 40]})
    if name.endswith("csv"):
        people.to_csv(place, index=False)
    else:
        people.to_parquet(place)
    with open_table(place) as table:
        assert [one.name for one in table.columns()] == ["sex", "age"]
        assert table.counts("sex").labels("sex") == ("f", "m")


def test_the_suggested_table_of_a_database_can_be_pasted(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as made:
        for name in ("it's one", "two"):
            made.execute(f'CREATE TABLE "{name}" AS SELECT 1 AS n')
    with pytest.raises(TableError, match=r"has 2 tables; name one by adding .* to the address") as refused:
        open_table(tmp_path / "t.duckdb")
    (address,) = shlex.split(f"{tmp_path / 't.duckdb'}{refused.value.fields['example']}")
    with open_table(address) as table:
        assert table.rows == 1

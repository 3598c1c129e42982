"""Cells of a release that spreadsheet programs would run: named, never changed."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv

from leakgauge.artefacts.codec import encode
from leakgauge.release import ReleasePlan, release, verify
from leakgauge.release.files import Formulas
from leakgauge.tables import open_table
from tests.cli.running import run

RUN = ["=HYPERLINK(1)", "+SUM(1)", "-2+3+cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1", "=1", "＝1", "+1e5x"]
HARMLESS = ["", "-", "+", "-1", "+1.5e-3", "-3%", "+49 170 1234", "-2024/01/02", "[-1, 1)", "a=b", " =1", "'=1", "'-x"]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_formulas_are_told_from_numbers_and_other_texts(kind: pa.DataType) -> None:
    for text in (*RUN, *HARMLESS):
        found = Formulas()
        batches = [
            pa.record_batch({"a": column}) for column in (pa.array(["x", None, text]).cast(kind), pa.array(["y"]))
        ]
        assert [*found.in_batches(batches)] == batches
        assert found.columns == (("a",) if text in RUN else ()), text


def test_a_value_of_a_dictionary_that_no_row_has_is_not_in_the_file() -> None:
    found = Formulas()
    columns = {"a": pa.DictionaryArray.from_arrays([0], ["x", "=1"]), "=b": pa.array([1])}
    [*found.in_batches([pa.record_batch(columns)])]
    assert found.columns == ("=b",)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = {"illness": ["=flu()", "none"] * 6, "city": ["@x", "y"] * 6, "age": [-1, 2] * 6, "note": ["-", "b"] * 6}
    csv.write_csv(pa.table(rows), path)
    return path


def test_a_release_names_the_columns_and_keeps_the_values(table: Path, tmp_path: Path) -> None:
    plan = ReleasePlan({"illness": "randomized-response:epsilon=1,letters==flu()|none"}, public=["city", "age", "note"])
    for name, named in (("out.csv", ["illness", "city"]), ("out.parquet", [])):
        made = release(plan, open_table(table), tmp_path / name)
        assert encode(made.record)["output"]["formulas"] == encode(made.public_record)["output"]["formulas"] == named
        assert verify(made).holds
    assert sorted(csv.read_csv(tmp_path / "out.csv").column("city").to_pylist()) == ["@x"] * 6 + ["y"] * 6


@pytest.mark.parametrize(("language", "says"), [("en", "would run cells of city as"), ("zh", "会把 city 的单元格当作")])
def test_the_screen_says_so_once(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str, says: str
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('public = ["city", "note"]\n[columns]\nage = "laplace:epsilon=1,lower=0,upper=120"\n')
    code, out, _ = run(capsys, "release", table, "--plan", plan, "-o", tmp_path / "out.csv", "--language", language)
    assert code == 0 and out.replace("\n", " ").count(says) == 1
    code, out, _ = run(capsys, "release", table, "--plan", plan, "-o", tmp_path / "out.parquet", "--language", language)
    assert code == 0 and says not in out.replace("\n", " ")

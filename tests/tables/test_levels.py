"""Levels: files in ARX's form, and what is counted, streamed and grouped by them."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest

from leakgauge.errors import ColumnError, FileError, OptionError
from leakgauge.tables import Hierarchy, Levels, in_bins, open_table, read_hierarchy
from leakgauge.tables.binnings import Width, parse_binnings
from leakgauge.tables.levels import level_file, parse_levels

EDUCATION = """\
Bachelors;Undergraduate;Higher education;*
Some-college;Undergraduate;Higher education;*
11th;High School;Secondary education;*
HS-grad;High School;Secondary education;*
Prof-school;Professional Education;Higher education;*
Assoc-acdm;Professional Education;Higher education;*
9th;High School;Secondary education;*
Masters;Graduate;Higher education;*
1st-4th;Primary School;Primary education;*
"""
"""Lines of ARX's own hierarchy of Adult's education."""


@pytest.fixture
def education(tmp_path: Path) -> Path:
    place = tmp_path / "education.csv"
    place.write_text(EDUCATION, encoding="utf-8")
    return place


def written(place: Path, text: str | bytes) -> Path:
    place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return place


def test_a_file_of_arx(education: Path) -> None:
    found = read_hierarchy(education)
    assert (len(found.values), found.highest, found.file) == (9, 3, "education.csv")
    assert found.level(0).coarser == found.values
    assert found.level(1).labels == (
        "Graduate",
        "High School",
        "Primary School",
        "Professional Education",
        "Undergraduate",
    )
    assert found.level(3).labels == ("*",)
    with pytest.raises(OptionError, match=r"'education.csv' has no level 4; .* to 3\."):
        found.level(4)


@pytest.mark.parametrize(
    "text", ["a,x,*\nb,x,*\n", "a;x;*\r\nb;x;*\r\n", "a\tx\t*\n\nb\tx\t*", "\ufeffa;x;*\nb;x;*\n", '"a";"x";*\nb;x;*']
)
def test_other_spellings(text: str, tmp_path: Path) -> None:
    assert read_hierarchy(written(tmp_path / "h.csv", text)) == Hierarchy(("a", "b"), (("x", "x"), ("*", "*")), "h.csv")


def test_a_value_may_hold_the_other_signs(tmp_path: Path) -> None:
    found = read_hierarchy(written(tmp_path / "h.csv", '"cook; baker",food\n"judge, lawyer",law\n'))
    assert found.values == ("cook; baker", "judge, lawyer")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a\nb\n", "Line 1 of .* has a value without coarser ones"),
        ("a;x;*\nb;x\n", "Line 2 of .* has 2 fields, but the first line has 3"),
        ("a;x\nb;x\na;y\n", "Line 3 of .* has the same value as line 1"),
        ("a;x\nb;\n", "Line 2 of .* has an empty coarser value"),
        ("a;x;1\nb;x;2\n", "Level 2 of .* is not coarser than level 1: lines 1 and 2 agree"),
        (b"caf\xe9;x\n", "is not text in UTF-8"),
        ('a;"x\n', "check its quotation marks"),
    ],
)
def test_what_is_not_a_hierarchy(text: str | bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=said) as error:
        read_hierarchy(written(tmp_path / "h.csv", text))
    assert "caf" not in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="There is no file"):
        read_hierarchy(tmp_path / "h.csv")
    with pytest.raises(FileError, match="cannot be read"):
        read_hierarchy(tmp_path)


def test_how_levels_are_written(education: Path, tmp_path: Path) -> None:
    colon = written(tmp_path / "a:b=c.csv", EDUCATION)
    columns = ("job", "job=old")
    found = parse_levels([f"job=old={colon}:2", f"job={education}"], columns)
    assert {name: number for name, (_, number) in found.items()} == {"job=old": 2, "job": None}
    assert level_file("a:b.csv:12") == (Path("a:b.csv"), 12)
    assert level_file("a:b.csv") == (Path("a:b.csv"), None)
    assert parse_binnings([], ["job"], ["job=education.csv:1"], tmp_path) == {"job": read_hierarchy(education).level(1)}


@pytest.mark.parametrize(
    ("bins", "levels", "said"),
    [
        ([], ["job"], "is not a column, '=' and a file"),
        ([], ["city={}:1"], "names a column that has no role here"),
        ([], ["job={}:1", "job={}:2"], "--levels is given twice for column 'job'"),
        (["job=width:10"], ["job={}:1"], "Column 'job' has both bins and levels"),
        ([], ["job={}"], r"does not say which level; write e\.g\. job=education\.csv:1"),
        ([], ["job={}:7"], "has no level 7"),
    ],
)
def test_misuse(bins: list[str], levels: list[str], said: str, education: Path) -> None:
    with pytest.raises(OptionError, match=said):
        parse_binnings(bins, ["job"], [text.format(education) for text in levels])


@pytest.mark.parametrize("takes_levels", [True, False])
def test_levels_are_counted_streamed_and_grouped_alike(takes_levels: bool, education: Path) -> None:
    """By the engine, and for one that does not look levels up itself."""
    values = ["HS-grad", "9th", "Masters", None, "Bachelors", "HS-grad", "1st-4th"] * 30
    levels = read_hierarchy(education).level(1)
    coarser = dict(zip(levels.values, levels.coarser, strict=True))
    expected = [None if value is None else coarser[value] for value in values]
    age = [at % 4 for at in range(len(values))]
    with open_table(pa.table({"education": values, "age": age})) as table:
        table.takes_levels = takes_levels
        seen = in_bins(table, {"education": levels})
        assert seen.bins == {"education": levels}
        rows = pa.Table.from_batches(list(seen.batches("education", "age", size=50)))
        assert rows.column("education").to_pylist() == expected
        assert rows.column("age").to_pylist() == age
        counts = seen.counts("education", "age")
        assert counts.labels("education") == (*sorted({one for one in expected if one}), None)
        found = {
            (counts.labels("education")[one], counts.labels("age")[other]): int(count)
            for one, other, count in zip(*counts.codes, counts.counts, strict=True)
        }
        assert found == Counter(zip(expected, age, strict=True))
        (sizes,) = seen.group_sizes([("education", "age")])
        assert (sizes.groups, sizes.smallest) == (len(found), min(found.values()))
        assert in_bins(table, {"education": levels, "age": Width(2)}).counts("age", "education").shape == (2, 5)
        with pytest.raises(ColumnError, match="moments need"):
            seen.moments("education")


@pytest.mark.parametrize("takes_levels", [True, False])
@pytest.mark.parametrize(
    ("column", "lines", "expected"),
    [
        (pa.array([3.0, 4.5, None]), {"3": "low", "4.50": "high"}, ["low", "high", None]),
        (pa.array([3, 4, None]), {"3.0": "low", "+04": "high"}, ["low", "high", None]),
        (pa.array([True, False, None]), {"TRUE": "yes", "false": "no"}, ["yes", "no", None]),
        (pa.array([date(2024, 1, 5), None]), {"2024-01-05": "winter"}, ["winter", None]),
        (pa.array(["3", "3.0", None, ""]), {"3": "a", "3.0": "b", "": "none"}, ["a", "b", "none", "none"]),
        (pa.array([2**60, 2**60 + 1]), {str(2**60): "a", str(2**60 + 1): "b"}, ["a", "b"]),
    ],
)
def test_values_are_matched_by_what_they_are(
    column: pa.Array, lines: dict[str, str], expected: list[str], takes_levels: bool
) -> None:
    levels = Levels(tuple(lines), tuple(lines.values()), 1, "h.csv")
    with open_table(pa.table({"x": column})) as table:
        table.takes_levels = takes_levels
        rows = pa.Table.from_batches(list(in_bins(table, {"x": levels}).batches("x")))
    assert rows.column("x").to_pylist() == expected


def test_a_value_that_is_not_listed_is_counted_and_not_told(education: Path) -> None:
    levels = read_hierarchy(education).level(2)
    with open_table(pa.table({"job": ["9th", "Preschool", "Doctorate", "Preschool", None]})) as table:
        for use in (
            lambda: in_bins(table, {"job": levels}),
            lambda: table.counts("job", bins={"job": levels}),
            lambda: table.group_sizes([("job",)], {"job": levels}),
            lambda: table.batches("job", bins={"job": levels}),
        ):
            with pytest.raises(
                ColumnError, match=r"'education.csv' does not list 2 of the values of column 'job'"
            ) as e:
                use()
            assert "Preschool" not in str(e.value)
        table.takes_levels = False
        with pytest.raises(ColumnError, match=r"'education.csv' does not list 2 of the values of column 'job'"):
            in_bins(table, {"job": levels})


@pytest.mark.parametrize(("values", "coarser"), [((), ()), (("a", "b"), ("x",)), (("a", "a"), ("x", "x"))])
def test_every_value_has_one_coarser_value(values: tuple[str, ...], coarser: tuple[str, ...]) -> None:
    with pytest.raises(OptionError, match="give one coarser value for each, and no value twice"):
        Levels(values, coarser, 1, "h.csv")


def test_levels_of_a_database_that_is_only_read(education: Path, tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(str(tmp_path / "people.duckdb")) as database:
        database.execute("CREATE TABLE people AS SELECT unnest(['9th', 'Masters', '9th']) AS job")
    with open_table(tmp_path / "people.duckdb") as table:
        for level, labels in ((1, ("Graduate", "High School")), (2, ("Higher education", "Secondary education"))):
            seen = in_bins(table, {"job": read_hierarchy(education).level(level)})
            assert seen.counts("job").labels("job") == labels
            assert seen.group_sizes([("job",)])[0].groups == 2


def test_two_lines_for_one_number() -> None:
    with open_table(pa.table({"x": [1.0, 2.0]})) as table:
        alike = Levels(("1", "1.0", "2"), ("a", "a", "b"), 1, "h.csv")
        assert in_bins(table, {"x": alike}).counts("x").labels("x") == ("a", "b")
        with pytest.raises(ColumnError, match="has two lines for one value of 'x', which differ in level 1"):
            in_bins(table, {"x": Levels(("1", "1.0", "2"), ("a", "b", "b"), 1, "h.csv")})


def test_a_level_and_bins_of_another_column(education: Path) -> None:
    levels = read_hierarchy(education).level(2)
    with open_table(pa.table({"job": ["9th", "11th", "Masters"], "age": [31, 38, 45]})) as table:
        seen = in_bins(table, {"job": levels, "age": Width(10)})
        assert seen.counts("age", "job").array().tolist() == [[0, 2], [1, 0]]
        with pytest.raises(ColumnError, match="is already in bins"):
            seen.counts("job", bins={"job": levels})

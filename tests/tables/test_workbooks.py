"""Sheets of workbooks and files of SPSS, Stata and SAS, written by other programs and read as tables."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import msoffcrypto.format.ooxml
import openpyxl
import pandas as pd
import pyreadstat
import pytest

from leakgauge.errors import TableError
from leakgauge.tables import Kind, open_table
from leakgauge.tables.opening import source_files

SEEN = datetime.fromisoformat("2020-01-31T10:30")
HEADER: list[Any] = ["id", "cost", "born", "seen", "smokes", 2024, "error", "hour", "mixed", "only"]
ROWS: list[list[Any]] = [
    [1, 1.5, date(2020, 1, 31), SEEN, True, "007", "#N/A", time(10, 3), 5, None],
    [2, 2, date(2020, 2, 1), datetime.fromisoformat("2020-02-01"), False, "1,234", "#N/A", time(11, 3), "x", None],
    [None, None, None, None, None, None, "#DIV/0!", None, date(2020, 1, 31), None],
    [4, 4, date(2020, 2, 3), None, None, "5", 7, None, True, None],
]


def workbook(path: Path, *, rows: list[list[Any]] | None = None, further: tuple[str, ...] = ("Notes",)) -> Path:
    """A table that starts at B3, and other sheets with a cell each."""
    made = openpyxl.Workbook()
    sheet = made.worksheets[0]
    sheet.title = "People"
    whole: list[list[Any]] = [HEADER, *ROWS] if rows is None else rows
    for down, row in enumerate(whole):
        for across, value in enumerate(row):
            sheet.cell(3 + down, 2 + across, value)
    sheet.cell(20, 20).number_format = "0.00"
    for name in further:
        made.create_sheet(name)["A1"] = "remark"
    made.save(path)
    return path


def test_the_cells_of_a_sheet_keep_their_kinds(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx")
    assert source_files(f"{path}#People") == [path]
    with open_table(f"{path}#People") as table:
        kinds = {column.name: column.kind for column in table.columns()}
        found = {name: table.counts(name).labels(name) for name, kind in kinds.items() if kind is not Kind.OTHER}
        rows = table.rows
    assert rows == 4
    whole, text = Kind.INT, Kind.STRING
    expected = [whole, Kind.FLOAT, Kind.DATE, Kind.TIMESTAMP, Kind.BOOL, text, whole, Kind.OTHER, text, text]
    assert kinds == dict(zip(map(str, HEADER), expected, strict=True))
    assert found["id"] == (1, 2, 4, None)
    assert found["born"] == (date(2020, 1, 31), date(2020, 2, 1), date(2020, 2, 3), None)
    assert found["2024"] == ("007", "1,234", "5", None)
    assert found["error"] == (7, None)
    assert found["mixed"] == ("2020-01-31", "5", "true", "x")
    assert found["only"] == (None,)


def test_texts_of_cells_are_read_as_asked(tmp_path: Path) -> None:
    rows = [["n", "day"], ["1.234,5", "31/12/2020"], ["7", "?"]]
    path = workbook(tmp_path / "t.xlsx", rows=rows, further=())
    with open_table(path, thousands=".", decimal=",", date_format="dd/mm/yyyy", missing="?") as table:
        assert table.counts("n").labels("n") == (7.0, 1234.5)
        assert table.counts("day").labels("day") == (date(2020, 12, 31), None)
    with open_table(path, no_header=True) as table:
        assert [column.name for column in table.columns()] == ["column1", "column2"] and table.rows == 3


def test_a_sheet_need_not_be_named_where_one_holds_something(tmp_path: Path) -> None:
    made = openpyxl.load_workbook(workbook(tmp_path / "t.xlsx", further=("Codes",)))
    made["Codes"].sheet_state = "hidden"
    made.create_sheet("Sheet3")
    made.save(tmp_path / "t.xlsx")
    with open_table(tmp_path / "t.xlsx") as table:
        assert table.rows == 4
    with open_table(f"{tmp_path / 't.xlsx'}#Codes", no_header=True) as table:
        assert table.counts("column1").labels("column1") == ("remark",)


CELL = """<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>"""
SPACES = "".join(
    f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table")
)
CONTENT = (
    f"<office:document-content{SPACES}><office:body><office:spreadsheet><table:table table:name='People'>"
    "{}</table:table></office:spreadsheet></office:body></office:document-content>"
)


def test_an_open_document(tmp_path: Path) -> None:
    lines = "".join(f"<table:table-row>{CELL.format(text)}</table:table-row>" for text in ("city", "Köln", "B"))
    with zipfile.ZipFile(tmp_path / "t.ods", "w") as made:
        made.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        made.writestr("META-INF/manifest.xml", "<manifest/>")
        made.writestr("content.xml", CONTENT.format(lines))
    with open_table(tmp_path / "t.ods") as table:
        assert table.counts("city").labels("city") == ("B", "Köln")


def test_the_name_of_a_sheet_may_hold_the_sign_before_it(tmp_path: Path) -> None:
    with open_table(f"{workbook(tmp_path / 't.xlsx', further=('No #2',))}#No #2", no_header=True) as table:
        assert table.rows == 1


def encrypted(folder: Path) -> Path:
    with workbook(folder / "plain.xlsx").open("rb") as plain, (folder / "t.xlsx").open("wb") as target:
        msoffcrypto.format.ooxml.OOXMLFile(plain).encrypt("secret", target)
    return folder / "t.xlsx"


def garbage(name: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / name).write_bytes(b"Zebra77" * 99)
        return folder / name

    return write


def of_rows(*rows: list[Any]) -> Callable[[Path], Path]:
    return lambda folder: workbook(folder / "t.xlsx", rows=list(rows), further=())


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "encrypted": (encrypted, "is protected by a password; save it without one"),
    "not a workbook": (garbage("t.xlsx"), "is not a complete workbook"),
    "not an old workbook": (garbage("t.xls"), "is not a complete workbook"),
    "not an open document": (garbage("t.ods"), "is not a complete workbook"),
    "two sheets": (lambda folder: workbook(folder / "t.xlsx"), "has 2 sheets; name one, as in 't.xlsx#People'"),
    "no such sheet": (
        lambda folder: f"{workbook(folder / 't.xlsx')}#Peple",
        "no sheet 'Peple'; did you mean 'People'?",
    ),
    "empty": (of_rows(), "t.xlsx#People' is empty"),
    "header alone": (of_rows(["a", "b"]), "has no rows"),
    "no name": (of_rows(["a", None], [1, "Zebra77"]), "Column 2 of"),
    "a title above the header": (of_rows(["Zebra77"], ["a", "b"], [1, 2]), "Column 2 of"),
    "same name twice": (of_rows(["a", "a"], [1, "Zebra77"]), "Columns 1 and 2 of"),
    "not an SPSS file": (garbage("t.sav"), "t.sav' is damaged"),
    "not a Stata file": (garbage("t.dta"), "t.dta' is damaged"),
    "not a SAS file": (garbage("t.sas7bdat"), "t.sas7bdat' is damaged"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_workbooks(tmp_path: Path, case: str) -> None:
    write, said = BAD[case]
    with pytest.raises(TableError) as caught:
        open_table(write(tmp_path))
    assert said in str(caught.value)
    assert "Zebra77" not in str(caught.value) and "\n" not in str(caught.value)


ANSWERS = pd.DataFrame(
    {
        "sex": [1.0, 2.0, 2.0, 9.0],
        "region": [1.0, 2.0, 3.0, 1.0],
        "score": [1.0, 2.5, None, 4.0],
        "name": ["a", "", "c", "d"],
        "born": [date(2020, 1, 31)] * 4,
        "seen": [SEEN] * 4,
    }
)
LABELS: Any = {
    "sex": {1: "man", 2: "woman", 9: "refused"},
    "region": {1: "north", 2: "south"},
    "score": {1: "low", 4: "low"},
}


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta", "xpt", "por"])
def test_statistics_files(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    if ending in ("sav", "zsav"):
        missing: Any = {"sex": [9]}
        pyreadstat.write_sav(
            ANSWERS, path, compress=ending == "zsav", variable_value_labels=LABELS, missing_ranges=missing
        )
    elif ending == "dta":
        pyreadstat.write_dta(ANSWERS, path, variable_value_labels={name: LABELS[name] for name in ("sex", "region")})
    elif ending == "por":
        pyreadstat.write_por(ANSWERS, path)
    else:
        pyreadstat.write_xport(ANSWERS, path)
    with open_table(path) as table:
        kinds = {column.name.lower(): column.kind for column in table.columns()}
        found = {column.name.lower(): table.counts(column.name).labels(column.name) for column in table.columns()}
    # Labels where they cover the column and are distinct; 9 is missing where the file says so.
    sexes = {"sav": ("man", "woman", None), "zsav": ("man", "woman", None), "dta": ("man", "refused", "woman")}
    assert found["sex"] == sexes.get(ending, (1, 2, 9))
    assert found["region"] == (1, 2, 3)
    assert found["score"] == (1.0, 2.5, 4.0, None)
    assert found["name"] == ("a", "c", "d", None)
    assert found["born"] == (date(2020, 1, 31),)
    assert found["seen"] == (SEEN,)
    assert (kinds["region"], kinds["score"], kinds["born"]) == (Kind.INT, Kind.FLOAT, Kind.DATE)


def test_without_the_extra_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyreadstat.write_sav(ANSWERS, tmp_path / "t.sav")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(TableError, match=r"needs the extra 'statistics'; install leakgauge\[statistics\]"):
        open_table(tmp_path / "t.sav")


def test_durations_are_text(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", rows=[["took"], [timedelta(hours=30)]], further=())
    with open_table(path) as table:
        assert table.columns()[0].kind is Kind.STRING

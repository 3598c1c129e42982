"""Small files of workbooks that ask for far more memory than anybody has: refused in one sentence, at once."""

from __future__ import annotations

import resource
import zipfile
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from leakgauge.errors import TableError
from leakgauge.tables import open_table
from tests.forks import PROCESSES

_MEMORY = 4 << 30
_TYPES = """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="xml" ContentType="application/xml"/>
</Types>"""
_RELATED = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_ODS = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">
<office:body><office:spreadsheet><table:table table:name="S">{}</table:table></office:spreadsheet></office:body>
</office:document-content>"""


def xlsx(path: Path, rows: str) -> Path:
    """A workbook of one sheet with these rows, as nobody's program would write it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("[Content_Types].xml", _TYPES)
        related = f'<Relationship Id="r1" Type="{_OFFICE}/{{}}" Target="{{}}"/>'
        made.writestr("_rels/.rels", _RELATED.format(related.format("officeDocument", "xl/workbook.xml")))
        made.writestr(
            "xl/_rels/workbook.xml.rels", _RELATED.format(related.format("worksheet", "worksheets/sheet1.xml"))
        )
        sheets = '<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets>'
        made.writestr("xl/workbook.xml", f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">{sheets}</workbook>')
        made.writestr(
            "xl/worksheets/sheet1.xml", f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>'
        )
    return path


def ods(path: Path, rows: str) -> Path:
    """The same as LibreOffice names things."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        made.writestr("META-INF/manifest.xml", "<manifest/>")
        made.writestr("content.xml", _ODS.format(rows))
    return path


def _cell(at: str) -> str:
    return f'<c r="{at}" t="inlineStr"><is><t>x</t></is></c>'


def _far(place: Path) -> Path:
    rows = f'<row r="1">{_cell("A1")}{_cell("B1")}</row><row r="1048576">{_cell("XFD1048576")}</row>'
    return xlsx(place / "far.xlsx", rows)


def _unnumbered(place: Path) -> Path:
    rows = f'<row>{"<c><v>1</v></c>" * 16384}</row><row r="1048576"><c><v>1</v></c></row>'
    return xlsx(place / "unnumbered.xlsx", rows)


def _repeated(place: Path) -> Path:
    return xlsx(place / "repeated.xlsx", '<row r="1">' + "<c><v>1</v></c>" * 4_000_000 + "</row>")


def _repeated_rows(place: Path) -> Path:
    rows = f'<table:table-row table:number-rows-repeated="1048576">{_ods_cell("x", 60)}</table:table-row>'
    return ods(place / "rows.ods", rows)


def _all_cells(place: Path) -> Path:
    rows = f'<table:table-row table:number-rows-repeated="1048576">{_ods_cell("x", 16384)}</table:table-row>'
    return ods(place / "all.ods", rows)


def _ods_cell(text: str, times: int = 1) -> str:
    kind = f'office:value-type="string" table:number-columns-repeated="{times}"'
    return f"<table:table-cell {kind}><text:p>{text}</text:p></table:table-cell>"


def _opened(path: Path, said: Connection) -> None:
    """Open a table with little memory, in a process that can be lost."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    try:
        open_table(path).close()
    except TableError as error:
        said.send(str(error))


@pytest.mark.parametrize("made", [_far, _unnumbered, _repeated, _repeated_rows, _all_cells])
def test_a_workbook_larger_than_memory_is_refused(tmp_path: Path, made: Callable[[Path], Path]) -> None:
    path = made(tmp_path)
    assert path.stat().st_size < 2 << 20
    heard, said = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(target=_opened, args=(path, said))
    process.start()
    process.join(60)
    assert process.exitcode == 0 and heard.poll()
    told = heard.recv()
    assert repr(str(path)) in told and "MiB of memory" in told and told.endswith("save its table alone, as CSV.")


def test_made_by_hand_a_workbook_is_read(tmp_path: Path) -> None:
    """So the others are refused for their size alone."""
    small = xlsx(tmp_path / "small.xlsx", f'<row r="1">{_cell("A1")}{_cell("B1")}</row>')
    same = ods(tmp_path / "small.ods", f"<table:table-row>{_ods_cell('x', 2)}</table:table-row>")
    for path in (small, same):
        with open_table(path, no_header=True) as table:
            assert (table.rows, [column.name for column in table.columns()]) == (1, ["column1", "column2"])

"""The format of workbooks that Excel and LibreOffice open, as far as sheets of texts, numbers and formulas need it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from leakgauge.visible import on_one_line

PLAIN, BOLD, INPUT = range(3)
"""Styles of cells; those that people type in are yellow."""
_BEFORE: Final = (1980, 1, 1, 0, 0, 0)
"""The time of every part of the file."""


@dataclass(frozen=True)
class Formula:
    """A formula; over several cells, such as ``B2:C3``, if it gives a matrix."""

    text: str
    over: str | None = None


@dataclass
class Sheet:
    """Cells by row and column, from 1."""

    name: str
    cells: dict[tuple[int, int], tuple[str | float | Formula, int]] = field(default_factory=dict)

    def put(self, row: int, column: int, *values: str | float | Formula, style: int = PLAIN) -> None:
        """Put values into a row, one beside the other."""
        for at, value in enumerate(values):
            self.cells[row, column + at] = (value, style)


def letter(column: int) -> str:
    """A column as spreadsheets name it: 1 is A, 27 is AA."""
    before, at = divmod(column - 1, 26)
    return (letter(before) if before else "") + chr(ord("A") + at)


_HEADER: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_STYLES: Final = (
    f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/>'
    '<sz val="11"/><name val="Calibri"/></font></fonts><fills count="3"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFFFF2CC"/>'
    '</patternFill></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="3"><xf/><xf fontId="1" applyFont="1"/><xf fillId="2" applyFill="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


def packed(sheets: Sequence[Sheet]) -> bytes:
    """The file of a workbook; the same sheets are the same file."""
    numbers = range(1, len(sheets) + 1)
    parts = {
        "[Content_Types].xml": (
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
            f'PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/><Override PartName="/xl/styles.xml" '
            f'ContentType="{_TYPES}.styles+xml"/>'
            + "".join(
                f'<Override PartName="/xl/worksheets/sheet{at}.xml" ContentType="{_TYPES}.worksheet+xml"/>'
                for at in numbers
            )
            + "</Types>"
        ),
        "_rels/.rels": (
            f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="rId1" Type="{_OFFICE}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>'
        ),
        "xl/workbook.xml": (
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
            + "".join(
                f'<sheet name={quoteattr(one.name)} sheetId="{at}" r:id="rId{at}"/>'
                for at, one in zip(numbers, sheets, strict=True)
            )
            # No result is stored, so every program computes on opening.
            + '</sheets><calcPr calcId="191029" fullCalcOnLoad="1"/></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": (
            f'<Relationships xmlns="{_RELATIONS}">'
            + "".join(
                f'<Relationship Id="rId{at}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{at}.xml"/>'
                for at in numbers
            )
            + f'<Relationship Id="rId0" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>'
        ),
        "xl/styles.xml": _STYLES,
        **{f"xl/worksheets/sheet{at}.xml": _sheet_xml(one) for at, one in zip(numbers, sheets, strict=True)},
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _BEFORE), _HEADER + text, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _sheet_xml(sheet: Sheet) -> str:
    lines = []
    for row in sorted({row for row, _ in sheet.cells}):
        cells = sorted((column, cell) for (at, column), cell in sheet.cells.items() if at == row)
        lines.append(f'<row r="{row}">' + "".join(_cell(f"{letter(c)}{row}", *cell) for c, cell in cells) + "</row>")
    widths = "".join(f'<col min="{at}" max="{at}" width="24" customWidth="1"/>' for at in (1, 5))
    return f'<worksheet xmlns="{_MAIN}"><cols>{widths}</cols><sheetData>{"".join(lines)}</sheetData></worksheet>'


def _cell(place: str, value: str | float | Formula, style: int) -> str:
    head = f'<c r="{place}"' + (f' s="{style}"' if style else "")
    if isinstance(value, Formula):
        matrix = "" if value.over is None else f' t="array" ref="{value.over}"'
        return f"{head}><f{matrix}>{escape(value.text)}</f></c>"
    if isinstance(value, str):
        return f'{head} t="inlineStr"><is><t xml:space="preserve">{escape(on_one_line(value))}</t></is></c>'
    return f"{head}><v>{float(value)!r}</v></c>"

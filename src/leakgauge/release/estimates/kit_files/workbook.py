"""A workbook whose formulas estimate shares and means from counted rows, in Excel and LibreOffice alike.

A sheet per column that a spreadsheet can correct. The counts of the whole release are filled in; whoever types the
counts of a group of rows over them gets the estimates of that group. The file has formulas and no results of ours.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from leakgauge.artefacts.estimates import Kit
from leakgauge.probability import Channel
from leakgauge.release.estimates.kit_files.channels import written
from leakgauge.release.estimates.kit_files.dictionary import Entry
from leakgauge.tables.table import Moments
from leakgauge.visible import on_one_line

MOST_VALUES: Final = 60
"""The largest channel that a spreadsheet inverts: of MINVERSE, some programs allow 64 rows."""
_BEFORE: Final = (1980, 1, 1, 0, 0, 0)
"""The time of every part of the file: the same kit is the same file."""
_FIRST: Final = 10
"""The first row of a table of values."""
_Z2: Final = "NORMSINV(0.975)^2"
_PLAIN, _BOLD, _INPUT = range(3)


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

    def put(self, row: int, column: int, *values: str | float | Formula, style: int = _PLAIN) -> None:
        """Put values into a row, one beside the other."""
        for at, value in enumerate(values):
            self.cells[row, column + at] = (value, style)


def workbook(
    kit: Kit, found: Iterable[Entry], channels: Mapping[str, Channel], moments: Mapping[str, Moments]
) -> bytes | None:
    """The workbook; None where the kit has no column that a spreadsheet can correct."""
    sheets: list[Sheet] = []
    for one in found:
        name = f"{len(sheets) + 1} {_sheet_name(one.name)}"
        sheet = _of_column(name, one, kit, channels.get(one.name), moments.get(one.name))
        sheets += [] if sheet is None else [sheet]
    return _packed(sheets) if sheets else None


def _of_column(name: str, one: Entry, kit: Kit, channel: Channel | None, moments: Moments | None) -> Sheet | None:
    read, counts = one.read, one.released.counts
    if read is None or read.unreadable is not None:
        return None
    sheet = Sheet(name)
    sheet.put(1, 1, on_one_line(one.name), style=_BOLD)
    if read.noise is not None:
        if moments is None or moments.mean is None or moments.variance is None:
            return None
        _mean(sheet, moments, kit.rows_per_unit, float(read.noise.slope), float(read.noise.intercept))
        return sheet
    if counts is None:
        return None
    rows = {**counts, **({"": one.released.missing} if one.released.missing else {})}
    if read.keeps_shares:
        known = channel is not None and set(channel.inputs) == set(channel.outputs)
        values = written(channel.outputs) if channel is not None and known else sorted(rows)
        table = {value: rows.get(value, 0) for value in values}
        if not known:
            table["(any other value)"] = 0
        _counted(sheet, table, kit.rows_per_unit)
        return sheet if len(table) <= MOST_VALUES else None
    if channel is None or len(channel.inputs) != len(channel.outputs) or len(channel.inputs) > MOST_VALUES:
        return None
    _corrected(sheet, channel, rows, kit.rows_per_unit)
    return sheet


def _top(sheet: Sheet, rows: Formula | float, per_unit: int, doubt: str) -> None:
    """The numbers that all lines of a sheet use: B5 the rows, B6 the rows of one person, B7 z² over the rows."""
    sheet.put(
        2, 1, "Yellow cells are typed in: the rows of the whole release, or those of a group (COUNTIFS, a pivot)."
    )
    sheet.put(3, 1, "黄色单元格为输入：整个发布文件的行数，或某一组的行数（COUNTIFS 或数据透视表）。")
    sheet.put(5, 1, "rows / 行数", rows)
    sheet.put(6, 1, "rows per person / 每人行数", per_unit, style=_INPUT)
    sheet.put(7, 1, "z² / n", Formula(doubt))


def _counted(sheet: Sheet, table: Mapping[str, int], per_unit: int) -> None:
    """Shares that the release keeps, with Wilson's interval and half the rows."""
    last = _FIRST + len(table) - 1
    _top(sheet, Formula(f"SUM(B{_FIRST}:B{last})"), per_unit, f"2*{_Z2}*B6/B5")
    sheet.put(_FIRST - 1, 1, "value / 值", "rows / 行数", "share / 占比", "low / 下限", "high / 上限", style=_BOLD)
    for at, (value, rows) in enumerate(table.items(), start=_FIRST):
        sheet.put(at, 1, value or "(missing)")
        sheet.put(at, 2, rows, style=_INPUT)
        root = f"SQRT(MAX((2*C{at}+$B$7)^2-4*(1+$B$7)*C{at}^2,0))"
        low, high = (f"(2*C{at}+$B$7{sign}{root})/(2+2*$B$7)" for sign in "-+")
        sheet.put(
            at, 3, Formula(f"B{at}/$B$5"), Formula(f"MAX(0,MIN(C{at},{low}))"), Formula(f"MIN(1,MAX(C{at},{high}))")
        )


def _corrected(sheet: Sheet, channel: Channel, rows: Mapping[str, int], per_unit: int) -> None:
    """Shares corrected for a square channel: p̂ = W'q with W = Q⁻¹, each with its score interval."""
    size = len(channel.inputs)
    last, end = _FIRST + size - 1, _letter(size + 1)
    tops = [last + 4 + block * (size + 3) for block in range(3)]
    chances, inverse = (f"$B${top}:${end}${top + size - 1}" for top in tops[:2])
    _top(sheet, Formula(f"SUM(B{_FIRST}:B{last})"), per_unit, f"{_Z2}*B6/B5")
    sheet.put(
        8,
        1,
        Formula(
            f'IF(AND(MIN(F{_FIRST}:F{last})>=-0.000000001,MAX(F{_FIRST}:F{last})<=1.000000001),"",'
            '"An estimate is below 0 or above 1: take the numbers of estimate.R or estimate.py instead.")'
        ),
    )
    heads = (
        "released value / 发布值",
        "rows / 行数",
        "q",
        "",
        "true value / 真实值",
        "p̂",
        "share / 占比",
        "low / 下限",
    )
    sheet.put(_FIRST - 1, 1, *heads, "high / 上限", "a", "b", "2p̂+d(a-b)", "√", "spread", style=_BOLD)
    outputs, inputs = written(channel.outputs), written(channel.inputs)
    for at in range(size):
        row, column = _FIRST + at, _letter(at + 2)
        sheet.put(row, 1, outputs[at] or "(missing)")
        sheet.put(row, 2, rows.get(outputs[at], 0), style=_INPUT)
        sheet.put(row, 3, Formula(f"B{row}/$B$5"))
        sheet.put(row, 5, inputs[at] or "(missing)", *_line(row, column, tops, size, last))
    titles = (
        "Q: how likely each released value (column) is for each true value (row)",
        "W: the inverse of Q",
        "Q times the squares of W",
    )
    for top, title in zip(tops, titles, strict=True):
        sheet.put(top - 2, 1, title, style=_BOLD)
        heads, sides = (inputs, outputs) if top == tops[1] else (outputs if top == tops[0] else inputs, inputs)
        sheet.put(top - 1, 2, *(one or "(missing)" for one in heads), style=_BOLD)
        for at, side in enumerate(sides):
            sheet.put(top + at, 1, side or "(missing)")
    for at, line in enumerate(channel.matrix.tolist()):
        sheet.put(tops[0] + at, 2, *line)
    for top, formula in ((tops[1], f"MINVERSE({chances})"), (tops[2], f"MMULT({chances},{inverse}^2)")):
        sheet.put(top, 2, Formula(formula, f"B{top}:{end}{top + size - 1}"))


def _line(row: int, column: str, tops: list[int], size: int, last: int) -> Iterator[Formula]:
    """The estimate of one true value: p̂, the share within 0 to 1, its interval, and what these are computed from."""
    score = f"${column}${tops[1]}:${column}${tops[1] + size - 1}"
    square = f"${column}${tops[2]}:${column}${tops[2] + size - 1}"
    shares = f"$G${_FIRST}:$G${last}"
    out = f"OR(M{row}=0,L{row}+M{row}<0,L{row}-M{row}>2+2*$B$7)"
    yield Formula(f"SUMPRODUCT($C${_FIRST}:$C${last},{score})")
    yield Formula(f"MAX(0,MIN(1,F{row}))")
    yield Formula(f"MAX(0,MIN(G{row},IF({out},G{row}-N{row},(L{row}-M{row})/(2+2*$B$7))))")
    yield Formula(f"MIN(1,MAX(G{row},IF({out},G{row}+N{row},(L{row}+M{row})/(2+2*$B$7))))")
    yield Formula(f"{column}{tops[2] + row - _FIRST}")
    yield Formula(
        f"MAX(0,IF(1-G{row}>0.000000001,(SUMPRODUCT({shares},{square})-G{row}*J{row})/(1-G{row}),"
        f"(SUM({square})-J{row})/{max(size - 1, 1)}))"
    )
    yield Formula(f"2*F{row}+$B$7*(J{row}-K{row})")
    yield Formula(f"SQRT(MAX(0,L{row}^2-4*(1+$B$7)*(F{row}^2-$B$7*K{row})))")
    yield Formula(f"SQRT($B$7*MAX(0,G{row}*J{row}+(1-G{row})*K{row}-G{row}^2))")


def _mean(sheet: Sheet, moments: Moments, per_unit: int, slope: float, intercept: float) -> None:
    """The mean of noisy numbers, with the interval that their own spread gives."""
    assert moments.mean is not None
    assert moments.variance is not None
    _top(sheet, moments.n, per_unit, f"{_Z2}*B6/B5")
    sheet.put(5, 2, moments.n, style=_INPUT)
    sheet.put(9, 1, "AVERAGE")
    sheet.put(9, 2, moments.mean, style=_INPUT)
    sheet.put(10, 1, "DEVSQ")
    sheet.put(10, 2, moments.variance * (moments.n - 1), style=_INPUT)
    sheet.put(11, 1, "slope / 斜率", slope)
    sheet.put(12, 1, "intercept / 截距", intercept)
    sheet.put(14, 1, "mean / 均值", Formula("(B9-B12)/B11"), style=_BOLD)
    half = "SQRT(B7*B10/(B5*(1-B7)))/ABS(B11)"
    sheet.put(15, 1, "low / 下限", Formula(f'IF(B7<1,B14-{half},"-∞")'))
    sheet.put(16, 1, "high / 上限", Formula(f'IF(B7<1,B14+{half},"∞")'))


def _letter(column: int) -> str:
    """A column as spreadsheets name it: 1 is A, 27 is AA."""
    before, at = divmod(column - 1, 26)
    return (_letter(before) if before else "") + chr(ord("A") + at)


def _sheet_name(name: str) -> str:
    # Signs that no sheet may have in its name; long names are cut.
    return "".join(sign if sign.isalnum() or sign in " _-" else "_" for sign in on_one_line(name))[:25]


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
    '<cellXfs count="3"><xf/><xf fontId="1" applyFont="1"/><xf fillId="2" applyFill="1"/></cellXfs></styleSheet>'
)


def _packed(sheets: list[Sheet]) -> bytes:
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
        lines.append(f'<row r="{row}">' + "".join(_cell(f"{_letter(c)}{row}", *cell) for c, cell in cells) + "</row>")
    widths = "".join(f'<col min="{at}" max="{at}" width="24" customWidth="1"/>' for at in (1, 5))
    return f'<worksheet xmlns="{_MAIN}"><cols>{widths}</cols><sheetData>{"".join(lines)}</sheetData></worksheet>'


def _cell(place: str, value: str | float | Formula, style: int) -> str:
    head = f'<c r="{place}"' + (f' s="{style}"' if style else "")
    if isinstance(value, Formula):
        matrix = "" if value.over is None else f' t="array" ref="{value.over}"'
        return f"{head}><f{matrix}>{escape(value.text)}</f></c>"
    if isinstance(value, str):
        return f'{head} t="inlineStr"><is><t xml:space="preserve">{escape(on_one_line(value))}</t></is></c>'
    return f"{head}><v>{value!r}</v></c>"

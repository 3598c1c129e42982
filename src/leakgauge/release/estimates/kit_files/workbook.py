"""A workbook whose formulas estimate shares and means from counted rows, in Excel and LibreOffice alike.

A sheet per column that a spreadsheet can correct. The counts of the whole release are filled in; whoever types the
counts of a group of rows over them gets the estimates of that group. The file has formulas and no results of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from leakgauge.artefacts.estimates import Kit
from leakgauge.probability import Channel
from leakgauge.release.estimates.correction import confused_values
from leakgauge.release.estimates.kit_files.channels import written
from leakgauge.release.estimates.kit_files.dictionary import Entry
from leakgauge.release.estimates.kit_files.xlsx import BOLD, INPUT, Formula, Sheet, letter, packed
from leakgauge.tables.table import Moments
from leakgauge.visible import on_one_line

MOST_VALUES: Final = 60
"""The largest channel that a spreadsheet inverts: of MINVERSE, some programs allow 64 rows."""
_FIRST: Final = 10
"""The first row of a table of values."""
_Z2: Final = "NORMSINV(0.975)^2"
_ENDS: Final = ("low / 下限", "high / 上限")
_MISSING: Final = "(missing)"
_ANY_GROUP: Final = (
    "Yellow cells are typed in: the counts of all rows, or of a group by published columns (COUNTIFS, a pivot table).",
    "黄色单元格为输入：所有行的计数，或按公开列分组后某一组的计数（COUNTIFS 或数据透视表）。",
)


def _kept_groups(names: Iterable[str]) -> tuple[str, str]:
    """Whose counts may be typed in where the release keeps the shares of all rows, and cross-tables only with some."""
    told = ", ".join(map(on_one_line, names))
    if not told:
        return (
            "Yellow cells are the counts of all rows. Do not type in those of a group: cross-tables are not kept.",
            "黄色单元格为所有行的计数。请勿填入某一组的计数：交叉表未被保持。",
        )
    return (
        f"Yellow cells are typed in: the counts of all rows, or of a group by {told} only; others are not kept.",
        f"黄色单元格为输入：所有行的计数，或仅按 {told} 分组后某一组的计数；其他交叉表未被保持。",
    )


def workbook(
    kit: Kit, found: Iterable[Entry], channels: Mapping[str, Channel], moments: Mapping[str, Moments]
) -> bytes | None:
    """The workbook; None where the kit has no column that a spreadsheet can correct."""
    sheets: list[Sheet] = []
    for one in found:
        name = f"{len(sheets) + 1} {_sheet_name(one.name)}"
        sheet = _of_column(name, one, kit, channels.get(one.name), moments.get(one.name))
        sheets += [] if sheet is None else [sheet]
    return packed(sheets) if sheets else None


def _of_column(name: str, one: Entry, kit: Kit, channel: Channel | None, moments: Moments | None) -> Sheet | None:
    read, counts = one.read, one.released.counts
    # Formulas know nothing of the error of a channel that was rebuilt: their intervals would be too narrow.
    if read is None or read.unreadable is not None or read.since is not None:
        return None
    sheet = Sheet(name)
    sheet.put(1, 1, on_one_line(one.name), style=BOLD)
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
        _counted(sheet, table, kit.rows_per_unit, _kept_groups(read.keeps_with))
        return sheet if len(table) <= MOST_VALUES else None
    if channel is None or len(channel.inputs) != len(channel.outputs) or len(channel.inputs) > MOST_VALUES:
        return None
    if confused_values(channel):
        return None
    _corrected(sheet, channel, rows, kit.rows_per_unit)
    return sheet


def _top(sheet: Sheet, rows: Formula | float, per_unit: int, doubt: str, groups: tuple[str, str] = _ANY_GROUP) -> None:
    """The numbers that all lines of a sheet use: B5 the rows, B6 the rows of one person, B7 z² over the rows."""
    for row, said in enumerate(groups, start=2):
        sheet.put(row, 1, said)
    sheet.put(5, 1, "rows / 行数", rows)
    sheet.put(6, 1, "rows per person / 每人行数", per_unit, style=INPUT)
    sheet.put(7, 1, "z² / n", Formula(doubt))


def _counted(sheet: Sheet, table: Mapping[str, int], per_unit: int, groups: tuple[str, str]) -> None:
    """Shares that the release keeps, with Wilson's interval and half the rows."""
    last = _FIRST + len(table) - 1
    _top(sheet, Formula(f"SUM(B{_FIRST}:B{last})"), per_unit, f"2*{_Z2}*B6/B5", groups)
    sheet.put(_FIRST - 1, 1, "value / 值", "rows / 行数", "share / 占比", *_ENDS, style=BOLD)
    for at, (value, rows) in enumerate(table.items(), start=_FIRST):
        sheet.put(at, 1, value or _MISSING)
        sheet.put(at, 2, rows, style=INPUT)
        root = f"SQRT(MAX((2*C{at}+$B$7)^2-4*(1+$B$7)*C{at}^2,0))"
        low, high = (f"(2*C{at}+$B$7{sign}{root})/(2+2*$B$7)" for sign in "-+")
        sheet.put(
            at, 3, Formula(f"B{at}/$B$5"), Formula(f"MAX(0,MIN(C{at},{low}))"), Formula(f"MIN(1,MAX(C{at},{high}))")
        )


def _corrected(sheet: Sheet, channel: Channel, rows: Mapping[str, int], per_unit: int) -> None:
    """Shares corrected for a square channel: p̂ = W'q with W = Q⁻¹, each with its score interval."""
    size = len(channel.inputs)
    last, end = _FIRST + size - 1, letter(size + 1)
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
    heads = ("released value / 发布值", "rows / 行数", "q", "", "true value / 真实值", "p̂", "share / 占比", *_ENDS)
    sheet.put(_FIRST - 1, 1, *heads, "a", "b", "2p̂+d(a-b)", "√", "spread", style=BOLD)
    released, true = ([one or _MISSING for one in written(side)] for side in (channel.outputs, channel.inputs))
    for at, output in enumerate(written(channel.outputs)):
        row = _FIRST + at
        sheet.put(row, 1, released[at])
        sheet.put(row, 2, rows.get(output, 0), style=INPUT)
        sheet.put(row, 3, Formula(f"B{row}/$B$5"))
        sheet.put(row, 5, true[at], *_line(row, letter(at + 2), tops, size, last))
    blocks = (
        ("Q: how likely each released value (column) is for each true value (row)", true, released),
        ("W: the inverse of Q", released, true),
        ("Q times the squares of W", true, true),
    )
    for top, (title, sides, names) in zip(tops, blocks, strict=True):
        sheet.put(top - 2, 1, title, style=BOLD)
        sheet.put(top - 1, 2, *names, style=BOLD)
        for at, side in enumerate(sides):
            sheet.put(top + at, 1, side)
    for at, chance in enumerate(channel.matrix.tolist()):
        sheet.put(tops[0] + at, 2, *chance)
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
    sheet.put(5, 2, moments.n, style=INPUT)
    sheet.put(9, 1, "AVERAGE")
    sheet.put(9, 2, moments.mean, style=INPUT)
    sheet.put(10, 1, "DEVSQ")
    sheet.put(10, 2, moments.variance * (moments.n - 1), style=INPUT)
    sheet.put(11, 1, "slope / 斜率", slope)
    sheet.put(12, 1, "intercept / 截距", intercept)
    sheet.put(14, 1, "mean / 均值", Formula("(B9-B12)/B11"), style=BOLD)
    half = "SQRT(B7*B10/(B5*(1-B7)))/ABS(B11)"
    sheet.put(15, 1, "low / 下限", Formula(f'IF(B7<1,B14-{half},"-∞")'))
    sheet.put(16, 1, "high / 上限", Formula(f'IF(B7<1,B14+{half},"∞")'))


def _sheet_name(name: str) -> str:
    # Signs that no sheet may have in its name; long names are cut.
    return "".join(sign if sign.isalnum() or sign in " _-" else "_" for sign in on_one_line(name))[:25]

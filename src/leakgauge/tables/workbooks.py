"""Workbooks of Excel and LibreOffice: one of their sheets as a table."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from leakgauge.errors import TableError, did_you_mean
from leakgauge.tables import arrow as pa
from leakgauge.tables.cells import column_of_cells, text_of_cell
from leakgauge.tables.csv_files import require_names
from leakgauge.tables.reading import Reading
from leakgauge.tables.workbook_trial import DAMAGED, FITS

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

WORKBOOKS: Final = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_TRIAL: Final = Path(__file__).with_name("workbook_trial.py")
_LEAST_MEMORY: Final = 256 << 20
_PER_BYTE: Final = 100
"""Bytes of memory for each byte of a file: those that people save take about 20, and 40 where all cells are alike."""
_ENCRYPTED = b"E\0n\0c\0r\0y\0p\0t\0"
"""How the name of what holds an encrypted workbook begins, wherever a file calls it so."""


def read_workbook(path: Path, sheet: str | None, reading: Reading) -> pa.Table:
    """A sheet as a table; if none is named, the only one that is not empty.

    Its first row that is not empty is the header. Empty rows and columns around the table are left out; a cell that is
    empty, or holds an error such as #N/A, is missing. Formulas count as the values that were stored with them.

    Raises:
        TableError: a workbook that is encrypted, damaged or empty, or takes far more memory than its file suggests; one
            that has no such sheet, or several and none is named.
    """
    from python_calamine import CalamineError, PasswordError, load_workbook

    place = repr(str(path))
    _require_moderate(path, sheet, place)
    try:
        # Python's own error, where there is one, is an OSError and told by who opened the file before.
        with load_workbook(str(path)) as workbook:
            name = _sheet(workbook, sheet, path)
            rows = workbook.get_sheet_by_name(name).to_python(skip_empty_area=True)
    except (CalamineError, PasswordError) as error:
        failure = _failure(error, path, place)
    else:
        names, columns = _table(rows, repr(f"{path}#{name}"), reading)
        return pa.table([column_of_cells(cells) for cells in columns], names=names)
    raise failure


def _require_moderate(path: Path, sheet: str | None, place: str) -> None:
    """Refuse a small file that is read as something too large for memory, for want of which this process would end."""
    most = _LEAST_MEMORY + _PER_BYTE * path.stat().st_size
    command = [sys.executable, "-P", str(_TRIAL), str(path.absolute()), sheet or "", str(most)]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode
    if ended == DAMAGED:
        raise TableError("{place} is not a complete workbook; save it again as .xlsx or CSV.", place=place)
    if ended != FITS:
        raise TableError(
            "{place} would take more than {most:,} MiB of memory, because of cells far from the table or contents that "
            "repeat without end; save its table alone, as CSV.",
            place=place,
            most=most >> 20,
        )


def _failure(error: Exception, path: Path, place: str) -> TableError:
    from python_calamine import PasswordError

    if isinstance(error, PasswordError) or _ENCRYPTED in path.read_bytes():
        return TableError("{place} is protected by a password; save it without one.", place=place)
    return TableError("{place} is not a complete workbook; save it again as .xlsx or CSV.", place=place)


def _sheet(workbook: CalamineWorkbook, wanted: str | None, path: Path) -> str:
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    place = repr(str(path))
    sheets = [one for one in workbook.sheets_metadata if one.typ == SheetTypeEnum.WorkSheet]
    known = [one.name for one in sheets]
    if wanted is not None:
        if wanted not in known:
            raise TableError(
                "{place} has no sheet {wanted!r}; {hint}", place=place, wanted=wanted, hint=did_you_mean(wanted, known)
            )
        return wanted
    shown = [one.name for one in sheets if one.visible == SheetVisibleEnum.Visible]
    filled = shown if len(shown) == 1 else [name for name in shown if workbook.get_sheet_by_name(name).height]
    if not filled:
        raise TableError("{place} is empty; it needs a header and rows.", place=place)
    if len(filled) > 1:
        raise TableError(
            "{place} has {number} sheets; name one, as in {example!r}.",
            place=place,
            number=len(filled),
            example=f"{path.name}#{filled[0]}",
        )
    return filled[0]


def _table(rows: Sequence[Sequence[Any]], place: str, reading: Reading) -> tuple[list[str], list[list[Any]]]:
    """The names of the columns and their cells, what is empty around them left out."""
    filled = [at for at, row in enumerate(rows) if any(cell != "" for cell in row)]
    if not filled:
        raise TableError("{place} is empty; it needs a header and rows.", place=place)
    kept = rows[filled[0] : filled[-1] + 1]
    columns = [list(cells) for cells in zip(*kept, strict=True)]
    columns = [cells for cells in columns if any(cell != "" for cell in cells)]
    if reading.no_header:
        return [f"column{at + 1}" for at in range(len(columns))], columns
    names = [text_of_cell(cells[0]) for cells in columns]
    require_names(names, place)
    return names, [cells[1:] for cells in columns]

"""A workbook read as a spreadsheet program reads it, with the few functions that ours use."""

from __future__ import annotations

import math
import re
import zipfile
from pathlib import Path
from statistics import NormalDist
from typing import Any, Final
from xml.etree import ElementTree

import numpy as np

_MAIN: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_REFERENCE: Final = re.compile(r'("[^"]*")|\$?([A-Z]+)\$?(\d+)(?::\$?([A-Z]+)\$?(\d+))?(?!\()')
_FUNCTIONS: Final[dict[str, Any]] = {
    "SUM": lambda cells: float(np.sum(cells)),
    "MIN": lambda *cells: float(min(np.min(cell) for cell in cells)),
    "MAX": lambda *cells: float(max(np.max(cell) for cell in cells)),
    "SQRT": math.sqrt,
    "ABS": abs,
    "AND": lambda *all_of: all(all_of),
    "OR": lambda *any_of: any(any_of),
    "NORMSINV": NormalDist().inv_cdf,
    "MINVERSE": np.linalg.inv,
    "MMULT": lambda left, right: left @ right,
    "SUMPRODUCT": lambda left, right: float((left * right).sum()),
    # Only the branch that is chosen is computed.
    "IF": lambda test, yes, no: yes() if test else no(),
}


class Sheet:
    """One sheet: cells by their place, such as ``sheet["B5"]``; what is typed over a cell counts."""

    def __init__(self, root: ElementTree.Element) -> None:
        self._values: dict[str, Any] = {}
        self._formulas: dict[str, tuple[str, str]] = {}
        for cell in root.iter(f"{_MAIN}c"):
            place, formula = cell.attrib["r"], cell.find(f"{_MAIN}f")
            if formula is not None:
                self._formulas |= {
                    one: (place, str(formula.text)) for one in _places(formula.attrib.get("ref", place)).ravel()
                }
            elif cell.attrib.get("t") == "inlineStr":
                self._values[place] = "".join(cell.itertext())
            else:
                self._values[place] = float(str(cell.findtext(f"{_MAIN}v")))
        self._typed = dict(self._values)

    def __getitem__(self, place: str) -> Any:
        if place not in self._values and place in self._formulas:
            first, formula = self._formulas[place]
            found = self._computed(formula)
            for at, one in np.ndenumerate(np.atleast_2d(found)):
                letter, row = re.fullmatch(r"([A-Z]+)(\d+)", first).groups()  # type: ignore[union-attr]
                self._values[f"{_letter(_number(letter) + at[1])}{int(row) + at[0]}"] = one
        return self._values.get(place)

    def type_in(self, **cells: float) -> None:
        """Put numbers into cells and compute again."""
        self._typed |= cells
        self._values = dict(self._typed)

    def column(self, letter: str, first: int) -> list[Any]:
        """The cells of a column from a row on, down to the first empty one."""
        found: list[Any] = []
        while (value := self[f"{letter}{first + len(found)}"]) is not None:
            found.append(value)
        return found

    def _computed(self, formula: str) -> Any:
        def looked_up(found: re.Match[str]) -> str:
            if found[1]:
                return found[1]
            first, last = f"{found[2]}{found[3]}", f"{found[4]}{found[5]}"
            return f"cells({first!r})" if found[4] is None else f"cells({first!r}, {last!r})"

        text = _REFERENCE.sub(looked_up, formula).replace("^", "**")
        text = re.sub(r"(?<![<>=])=(?!=)", "==", text)
        return eval(_lazily(text), {"cells": self._cells, **_FUNCTIONS})

    def _cells(self, first: str, last: str | None = None) -> Any:
        if last is None:
            return self[first]
        return np.array([[self[one] for one in line] for line in _places(f"{first}:{last}")], dtype=float)


def _lazily(text: str) -> str:
    """The branches of every IF as functions."""
    found = re.search(r"\bIF\((?!.*\bIF\()", text)
    if found is None:
        return text.replace("iF(", "IF(")
    depth, cuts, at = 0, [], found.end()
    while depth >= 0:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0 and text[at] == ",":
            cuts.append(at)
        at += 1
    test, yes, no = text[found.end() : cuts[0]], text[cuts[0] + 1 : cuts[1]], text[cuts[1] + 1 : at - 1]
    return _lazily(f"{text[: found.start()]}iF({test},lambda: {yes},lambda: {no}){text[at:]}")


def sheets(path: Path) -> dict[str, Sheet]:
    """The sheets of a workbook by their names."""
    with zipfile.ZipFile(path) as packed:
        book = ElementTree.fromstring(packed.read("xl/workbook.xml"))
        names = [one.attrib["name"] for one in book.iter(f"{_MAIN}sheet")]
        roots = [ElementTree.fromstring(packed.read(f"xl/worksheets/sheet{at + 1}.xml")) for at in range(len(names))]
    return {name: Sheet(root) for name, root in zip(names, roots, strict=True)}


def _places(over: str) -> Any:
    ends = re.fullmatch(r"([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?", over)
    assert ends is not None
    left, top = _number(ends[1]), int(ends[2])
    right, bottom = (left, top) if ends[3] is None else (_number(ends[3]), int(ends[4]))
    return np.array([[f"{_letter(c)}{r}" for c in range(left, right + 1)] for r in range(top, bottom + 1)])


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _letter(number: int) -> str:
    before, at = divmod(number - 1, 26)
    return (_letter(before) if before else "") + chr(ord("A") + at)

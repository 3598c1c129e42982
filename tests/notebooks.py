"""Notebooks kept as scripts: cells between ``# %%`` lines, and below each cell what it shows, as a comment.

``python -m tests.notebooks FILE`` runs a script and writes what its cells show now.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

CELL = "# %%"
SHOWN = "# → "


def executed(script: Path) -> str:
    """The script with what each cell shows now in place of what it showed."""
    names: dict[str, Any] = {"__name__": "__notebook__"}
    cells = script.read_text(encoding="utf-8").split(f"{CELL}")
    return CELL.join(_executed(cell, names) for cell in cells)


def _executed(cell: str, names: dict[str, Any]) -> str:
    if not cell.startswith("\n"):
        # Before the first cell, or words.
        return cell
    code = "\n".join(line for line in cell.splitlines() if not line.startswith(SHOWN.rstrip())).rstrip()
    *before, last = ast.parse(code).body
    assert isinstance(last, ast.Expr), "a cell ends with what it shows"
    exec(compile(ast.Module(before, []), "cell", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return "\n".join([code, *(f"{SHOWN}{line}".rstrip() for line in in_words(value._repr_html_())), "\n"])


def in_words(html: str) -> list[str]:
    """The texts, and of each table the caption and the rows, cells between bars."""
    return [line for block in ElementTree.fromstring(html).iter() for line in _lines(block)]


def _lines(block: ElementTree.Element) -> list[str]:
    if block.tag in ("p", "li", "caption"):
        return ["".join(block.itertext())]
    if block.tag == "tr":
        return [" | ".join("".join(cell.itertext()) for cell in block).rstrip(" |")]
    return []


if __name__ == "__main__":
    place = Path(sys.argv[1])
    place.write_text(executed(place).rstrip("\n") + "\n", encoding="utf-8")

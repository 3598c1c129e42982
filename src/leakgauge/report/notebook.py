"""Values of ours in a notebook: blocks as HTML, everything escaped, nothing that runs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from leakgauge.artefacts.report import Grid
from leakgauge.languages import ENGLISH
from leakgauge.report.html import fragment
from leakgauge.telling.blocks import Content, blocks_of
from leakgauge.telling.notebook import MOST, shown
from leakgauge.telling.voice import Voice

# Notebooks set every cell flush right, which makes sentences hard to read; numbers stand below each other.
_NUMBER: Final = re.compile(r'<td(?=[^<>]*><span class="number">[^<]*</span></td>)')
_TEXT: Final = re.compile(r"<(td|th|caption)\b(?! style)")


def html(value: object) -> str:
    """A value as HTML, in English."""
    return html_of(shown(value, Voice()))


def html_of(contents: Iterable[Content]) -> str:
    """Blocks as HTML; of a large table the first rows, and how many more there are."""
    # What is written has been escaped: every sign of a cell is of a cell.
    numbered = _NUMBER.sub('<td style="text-align:right"', fragment(_cut(contents), ENGLISH))
    made = _TEXT.sub(r'<\1 style="text-align:left"', numbered)
    return f"<div>{made}</div>"


def _cut(contents: Iterable[Content]) -> Iterable[Content]:
    for block in blocks_of(contents):
        if isinstance(block, Grid) and len(block.rows) > MOST:
            yield replace(block, rows=block.rows[:MOST])
            yield Voice().note("More rows: {rows}.", rows=Voice().number(len(block.rows) - MOST))
        else:
            yield block

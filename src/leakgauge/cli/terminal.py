"""Blocks on a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.table import Column, Table
from rich.text import Text

from leakgauge.artefacts.report import Code, Grid, Paragraph, Points
from leakgauge.cli.language import current
from leakgauge.telling.blocks import blocks_of, text_of
from leakgauge.telling.voice import Voice

if TYPE_CHECKING:
    from leakgauge.artefacts.dossier import Dossier
    from leakgauge.cli.output import Parts
    from leakgauge.telling.blocks import Content, Inline
    from leakgauge.telling.numbers import Number

_NAME: Final = 30
"""The widest that the names of rows may make other columns narrower."""
_TONES: Final = {"warning": "bold red", "caution": "bold yellow", "good": "bold green"}


def voice_of(dossier: Dossier | None = None) -> Voice:
    """The voice of the running verb; of a dossier, or of results that stand by themselves."""
    from leakgauge.telling.shown import Shown

    return Voice(language=current()) if dossier is None else Voice(Shown(dossier), current())


def terminal(contents: Iterable[Content]) -> Parts:
    """The blocks for a terminal; pictures are left to reports and pages."""
    parts: Parts = []
    for block in blocks_of(contents):
        if isinstance(block, Paragraph):
            parts.append(Text(_text(block.parts), _TONES.get(block.tone, "")))
        elif isinstance(block, Points):
            marks = (f"{at}." if block.numbered else "·" for at in range(1, len(block.items) + 1))
            parts += [Text(f"{mark} {_text(item)}") for mark, item in zip(marks, block.items, strict=True)]
        elif isinstance(block, Grid):
            # As a title of the table it would be broken where the table is narrow.
            parts += [*([Text(block.caption, "italic")] if block.caption else []), _table(block)]
        elif isinstance(block, Code):
            parts += [Text(f"  {line}", no_wrap=True) for line in block.text.splitlines()]
    return parts


def _table(block: Grid[Number]) -> Table:
    # Names are never cut off: part of a name identifies no column. Those of the rows stand on one line where they fit.
    names = max((cell_len(_text(row[0])) for row in block.rows), default=0)
    columns = [Column(name, overflow="fold") for name in block.head]
    columns[0].min_width = min(names, _NAME)
    table = Table(*columns)
    for row in block.rows:
        table.add_row(*map(_text, row))
    return table


def _text(parts: Inline) -> str:
    return text_of(parts, current())

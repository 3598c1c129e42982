"""Blocks on a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Column, Table
from rich.text import Text

from leakgauge.artefacts.dossier import Dossier
from leakgauge.artefacts.report import Code, Grid, Paragraph, Points, Tiles
from leakgauge.cli.language import current, wrapped
from leakgauge.telling.blocks import Content, Inline, Number, blocks_of, text_of
from leakgauge.telling.shown import Shown
from leakgauge.telling.voice import Voice

_TONES: Final = {"warning": "bold red", "caution": "bold yellow", "good": "bold green"}
_MANY: Final = 7
"""Columns beyond which a table has no lines, and narrow heads: they would break its numbers."""
_NARROW: Final = 10
"""Letters of such a head."""


def voice_of(dossier: Dossier | None = None) -> Voice:
    """The voice of the running verb; of a dossier, or of results that stand by themselves."""
    return Voice(language=current()) if dossier is None else Voice(Shown(dossier), current())


def terminal(contents: Iterable[Content]) -> list[RenderableType]:
    """The blocks for a terminal; pictures are left to reports and pages."""
    parts: list[RenderableType] = []
    for block in blocks_of(contents):
        if isinstance(block, Paragraph):
            parts.append(Text(_text(block.parts), _TONES.get(block.tone, "")))
        elif isinstance(block, Points):
            marks = (f"{at}." if block.numbered else "·" for at in range(1, len(block.items) + 1))
            parts += [Text(f"{mark} {_text(item)}") for mark, item in zip(marks, block.items, strict=True)]
        elif isinstance(block, Grid):
            # As a title of the table it would be broken where the table is narrow.
            parts += [*([Text(block.caption, "italic")] if block.caption else []), _table(block)]
        elif isinstance(block, Tiles):
            parts += [*([Text(block.caption, "italic")] if block.caption else []), _tiles(block)]
        elif isinstance(block, Code):
            parts += [Text(f"  {line}", no_wrap=True) for line in block.text.splitlines()]
    return parts


def _tiles(block: Tiles[Number]) -> Table:
    """A row for each number."""
    has_limits = any(one.limit for one in block.tiles)
    table = Table(*(Column(overflow="fold") for _ in range(3 + has_limits)), show_header=False)
    for one in block.tiles:
        limit = [Text(_text(one.limit), "bold red" if one.met is False else "")] if has_limits else []
        table.add_row(one.title, Text(_text(one.shown), "bold"), _text(one.words), *limit)
    return table


def _table(block: Grid[Number]) -> Table:
    # Names are never cut off: part of a name identifies no column.
    if len(block.head) > _MANY:
        heads = (Text("\n".join(wrapped(name, _NARROW))) for name in block.head)
        columns = (Column(head, overflow="fold") for head in heads)
        table = Table(*columns, box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    else:
        table = Table(*(Column(name, overflow="fold") for name in block.head))
    for row in block.rows:
        table.add_row(*map(_text, row))
    return table


def _text(parts: Inline) -> str:
    return text_of(parts, current())

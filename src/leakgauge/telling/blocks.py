"""Findings as data: texts, tables, lists, pictures and code, and numbers that name the file they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from leakgauge.artefacts import report as stored
from leakgauge.artefacts.report import Grid, N, Paragraph, Picture, Points
from leakgauge.languages import Language
from leakgauge.sentences import Sentence
from leakgauge.telling.numbers import Number, written


class Edition(Enum):
    """The audience of a document: those who may see the table, or everybody."""

    INTERNAL = "internal"
    EXTERNAL = "external"


Inline: TypeAlias = tuple[str | Number, ...]
"""Text with numbers in it."""
Block: TypeAlias = stored.Block[Number]
Section: TypeAlias = stored.Section[Number]
Content: TypeAlias = Block | Inline
"""A block, or a text that is a plain paragraph of its own."""


def blocks_of(contents: Iterable[Content]) -> tuple[Block, ...]:
    """The blocks; a text by itself is a plain paragraph."""
    return tuple(Paragraph("plain", one) if isinstance(one, tuple) else one for one in contents)


def inlines(block: Block) -> Iterator[Inline]:
    """The texts of a block."""
    if isinstance(block, Paragraph):
        yield block.parts
    elif isinstance(block, Points):
        yield from block.items
    elif isinstance(block, Grid):
        yield from (cell for row in block.rows for cell in row)


def numbers_of(block: Block) -> list[Number]:
    """The numbers in the texts of a block."""
    return [part for inline in inlines(block) for part in inline if isinstance(part, Number)]


def text_of(parts: Inline, language: Language) -> str:
    """A text with its numbers written."""
    return "".join(part if isinstance(part, str) else written(part, language) for part in parts)


def sentence(language: Language, template: str, **fields: object) -> Inline:
    """A template in a language with its fields; numbers, and texts with numbers in them, stay what they are."""
    kept: Mapping[str, Inline] = {
        name: value if isinstance(value, tuple) else (value,)
        for name, value in fields.items()
        if isinstance(value, Number | tuple)
    }
    # They are put in as marks that no text has, and found again: a translation may order them anew.
    marks = {name: Sentence(f"\x00{name}\x00") for name in kept}
    pieces = language.say(template, **{**fields, **marks}).split("\x00")
    return tuple(
        part for at, piece in enumerate(pieces) for part in (kept[piece] if at % 2 else (piece,)) if part != ""
    )


def with_parts(
    sections: Sequence[Section], text: Callable[[str], str], number: Callable[[Number], N]
) -> tuple[stored.Section[N], ...]:
    """The sections with every text and every number changed but for code and pictures."""

    def inline(parts: Inline) -> tuple[str | N, ...]:
        return tuple(text(part) if isinstance(part, str) else number(part) for part in parts)

    def block(one: Block) -> stored.Block[N]:
        if isinstance(one, Paragraph):
            return Paragraph(one.tone, inline(one.parts))
        if isinstance(one, Points):
            return Points(one.numbered, tuple(map(inline, one.items)))
        if isinstance(one, Grid):
            rows = tuple(tuple(map(inline, row)) for row in one.rows)
            return Grid(text(one.caption), tuple(map(text, one.head)), rows)
        return Picture(text(one.caption), one.told, one.spec) if isinstance(one, Picture) else one

    return tuple(stored.Section(one.key, text(one.title), tuple(map(block, one.blocks))) for one in sections)

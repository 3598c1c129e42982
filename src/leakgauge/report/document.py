"""A document as data: sections of text, tables, pictures, and numbers that name the file they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from importlib.metadata import version
from typing import TypeAlias

from leakgauge.artefacts.codec import sealed
from leakgauge.artefacts.report import (
    Parts,
    ToldCode,
    ToldDocument,
    ToldGrid,
    ToldNumber,
    ToldParagraph,
    ToldPicture,
    ToldPoints,
    ToldReport,
    ToldSection,
)
from leakgauge.languages import Language
from leakgauge.report.figures.figure import Figure
from leakgauge.report.numbers import Number, written


class Edition(Enum):
    """For whom a document is: those who may see the table, or everybody."""

    INTERNAL = "internal"
    EXTERNAL = "external"


Part: TypeAlias = str | Number
Inline: TypeAlias = tuple[Part, ...]
"""Text with numbers in it."""


@dataclass(frozen=True)
class Paragraph:
    """Some sentences. ``tone`` is ``plain``, ``good``, ``warning`` or ``note``."""

    parts: Inline
    tone: str = "plain"


@dataclass(frozen=True)
class Points:
    """A list, numbered or not."""

    items: tuple[Inline, ...]
    numbered: bool = False


@dataclass(frozen=True)
class Grid:
    """A table: a head and rows, cell by cell."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Inline, ...], ...]


@dataclass(frozen=True)
class Picture:
    """A figure with its caption; what it shows in words is the figure's own."""

    figure: Figure
    caption: str


@dataclass(frozen=True)
class Code:
    """Text to be copied: commands, a script."""

    text: str


Block: TypeAlias = Paragraph | Points | Grid | Picture | Code
Content: TypeAlias = Block | Inline
"""A block, or a text that is a plain paragraph of its own."""


@dataclass(frozen=True)
class Section:
    """A part of a document. ``key`` is the same in every language, and its anchor."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """A whole report in one language, for those who may see the table or for everybody."""

    title: str
    language: Language
    edition: Edition
    sections: tuple[Section, ...]

    def numbers(self) -> Iterator[Number]:
        """Every number in its text and tables, in order."""
        for section in self.sections:
            for block in section.blocks:
                yield from (part for inline in inlines(block) for part in inline if isinstance(part, Number))


def inlines(block: Block) -> Iterator[Inline]:
    """The texts of a block."""
    if isinstance(block, Paragraph):
        yield block.parts
    elif isinstance(block, Points):
        yield from block.items
    elif isinstance(block, Grid):
        for row in block.rows:
            yield from row


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
    marks = {name: f"\x00{name}\x00" for name in kept}
    pieces = language.say(template, **{**fields, **marks}).split("\x00")
    return tuple(
        part for at, piece in enumerate(pieces) for part in (kept[piece] if at % 2 else (piece,)) if part != ""
    )


def with_parts(
    document: Document, text: Callable[[str], str], number: Callable[[Number], Number] = lambda same: same
) -> Document:
    """The document with every text and every number changed but for code and pictures."""

    def inline(parts: Inline) -> Inline:
        return tuple(text(part) if isinstance(part, str) else number(part) for part in parts)

    def block(one: Block) -> Block:
        if isinstance(one, Paragraph):
            return replace(one, parts=inline(one.parts))
        if isinstance(one, Points):
            return replace(one, items=tuple(map(inline, one.items)))
        if isinstance(one, Grid):
            rows = tuple(tuple(map(inline, row)) for row in one.rows)
            return replace(one, caption=text(one.caption), head=tuple(map(text, one.head)), rows=rows)
        return replace(one, caption=text(one.caption)) if isinstance(one, Picture) else one

    sections = (replace(one, title=text(one.title), blocks=tuple(map(block, one.blocks))) for one in document.sections)
    return replace(document, title=text(document.title), sections=tuple(sections))


def twin(documents: Sequence[Document]) -> ToldReport:
    """The report's twin, sealed."""
    return sealed(ToldReport(version("leakgauge"), tuple(map(_document, documents))))


def _document(document: Document) -> ToldDocument:
    sections = [
        ToldSection(one.key, one.title, tuple(_block(block, document.language) for block in one.blocks))
        for one in document.sections
    ]
    return ToldDocument(document.title, document.language.code, document.edition.value, tuple(sections))


def _block(block: Block, language: Language) -> ToldParagraph | ToldPoints | ToldGrid | ToldPicture | ToldCode:
    if isinstance(block, Paragraph):
        return ToldParagraph(block.tone, _parts(block.parts, language))
    if isinstance(block, Points):
        return ToldPoints(block.numbered, tuple(_parts(one, language) for one in block.items))
    if isinstance(block, Grid):
        rows = tuple(tuple(_parts(cell, language) for cell in row) for row in block.rows)
        return ToldGrid(block.caption, block.head, rows)
    if isinstance(block, Picture):
        return ToldPicture(block.caption, block.figure.told, block.figure.spec)
    return ToldCode(block.text)


def _parts(parts: Inline, language: Language) -> Parts:
    return tuple(part if isinstance(part, str) else _number(part, language) for part in parts)


def _number(one: Number, language: Language) -> ToldNumber:
    return ToldNumber(one.value, one.unit, one.low, one.high, one.confidence, one.source, written(one, language))

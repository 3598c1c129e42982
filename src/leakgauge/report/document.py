"""A document as data: sections of text, tables, pictures, and numbers that name the file they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from leakgauge.languages import Language
from leakgauge.report.figures.figure import Figure


class Edition(Enum):
    """For whom a document is: those who may see the table, or everybody."""

    INTERNAL = "internal"
    EXTERNAL = "external"


@dataclass(frozen=True)
class Number:
    """A number in a document, traceable to a file.

    Attributes:
        value: the number; ``"infinity"`` where it is infinite; a text such as ``"<10"`` where a count is masked.
        unit: in the words of the artefact, such as ``bits``; empty where it has none.
        source: the file in the job's folder and the JSON pointer in it, such as ``audit.json#/attacks/0/success``.
        low: the lower end of its interval; None where it is exact.
        high: likewise.
        confidence: of the interval.
        count: whether it counts people or rows: such numbers are masked in the external edition where they are small.
        digits: significant digits that are shown.
        percent: whether a share is shown as a percentage.
    """

    value: float | str
    unit: str
    source: str
    low: float | str | None = None
    high: float | str | None = None
    confidence: float | None = None
    count: bool = False
    digits: int = 4
    percent: bool = False


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


@dataclass(frozen=True)
class Section:
    """A part of a document. ``key`` is the same in every language, and its anchor."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """A whole report in one language.

    Attributes:
        title: of the report.
        language: it is written in.
        edition: for whom it is.
        sections: in order.
    """

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

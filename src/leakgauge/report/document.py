"""A document as data: sections of text, tables, pictures, and numbers that name the file they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from importlib.metadata import version
from typing import TypeAlias

from leakgauge.artefacts import report as stored
from leakgauge.artefacts.codec import sealed
from leakgauge.artefacts.report import Grid, N, Paragraph, Picture, Points, ToldDocument, ToldNumber, ToldReport
from leakgauge.languages import Language
from leakgauge.report.numbers import Number, written
from leakgauge.sentences import Sentence


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


@dataclass(frozen=True)
class Document:
    """A whole report in one language, for those who may see the table or for everybody.

    Attributes:
        sections: the first one is the decision, all others are its annex.
        reference: what it is filed under; empty where nothing was recorded.
    """

    title: str
    language: Language
    edition: Edition
    sections: tuple[Section, ...]
    reference: str = ""

    @property
    def annex(self) -> tuple[Section, ...]:
        """Everything that the decision rests on."""
        return self.sections[1:]

    def numbers(self) -> Iterator[Number]:
        """Every number in its text and tables, in order."""
        for block in (block for section in self.sections for block in section.blocks):
            yield from numbers_of(block)


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


def sources_of(documents: Sequence[Document]) -> dict[str, int]:
    """Where every number comes from, in the order in which they are read, and numbered from 1."""
    found = dict.fromkeys(number.source for document in documents for number in document.numbers())
    return {source: at for at, source in enumerate(found, 1)}


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


def retold(
    document: Document, text: Callable[[str], str], number: Callable[[Number], Number] = lambda same: same
) -> Document:
    """The document with every text and every number changed but for code and pictures."""
    return replace(document, title=text(document.title), sections=with_parts(document.sections, text, number))


def twin(documents: Sequence[Document]) -> ToldReport:
    """The report's twin, sealed."""
    return sealed(ToldReport(version("leakgauge"), tuple(map(_told, documents))))


def _told(document: Document) -> ToldDocument:
    def number(one: Number) -> ToldNumber:
        said = written(one, document.language)
        return ToldNumber(one.value, one.unit, one.low, one.high, one.confidence, one.source, said)

    sections = with_parts(document.sections, str, number)
    return ToldDocument(document.title, document.language.code, document.edition.value, sections)

"""A document as data: sections of text, tables, pictures, and numbers that name the file they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

from leakgauge.artefacts.codec import sealed
from leakgauge.artefacts.report import ToldDocument, ToldNumber, ToldReport
from leakgauge.languages import Language
from leakgauge.telling.blocks import Edition, Number, Section, numbers_of, with_parts, written


@dataclass(frozen=True)
class Document:
    """A whole report in one language, for those who may see the table or for everybody.

    Attributes:
        sections: the first one is the decision, all others are its annex.
        reference: what it is filed under; empty where nothing was recorded.
        stamp: what every page says of it, where it must not be taken for approved.
    """

    title: str
    language: Language
    edition: Edition
    sections: tuple[Section, ...]
    reference: str = ""
    stamp: str = ""

    @property
    def annex(self) -> tuple[Section, ...]:
        """Everything that the decision rests on."""
        return self.sections[1:]

    def numbers(self) -> Iterator[Number]:
        """Every number in its text and tables, in order."""
        for block in (block for section in self.sections for block in section.blocks):
            yield from numbers_of(block)


def sources_of(documents: Sequence[Document]) -> dict[str, int]:
    """Where every number comes from, in the order in which they are read, and numbered from 1."""
    found = dict.fromkeys(number.source for document in documents for number in document.numbers())
    return {source: at for at, source in enumerate(found, 1)}


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
    return ToldDocument(
        document.title, document.language.code, document.edition.value, sections, document.stamp or None
    )

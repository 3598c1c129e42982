"""A document as data: sections of text, tables, pictures, and numbers that name the file they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import groupby

from msgspec import structs

from leakgauge.artefacts import report as stored
from leakgauge.artefacts.codec import sealed
from leakgauge.artefacts.report import Picture, ToldDocument, ToldNumber, ToldReport
from leakgauge.languages import Language
from leakgauge.telling.blocks import Edition, Number, Section, numbers_of, with_parts, written
from leakgauge.telling.titles import question


@dataclass(frozen=True)
class Question:
    """A question, and the sections that answer it; no title where sections answer none in particular."""

    key: str
    title: str
    sections: tuple[Section, ...]


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
    def annex(self) -> tuple[Question, ...]:
        """Everything that the decision rests on, by the questions that it answers."""
        groups = groupby(self.sections[1:], lambda one: one.question)
        return tuple(Question(key, question(self.language, key), tuple(some)) for key, some in groups)

    def numbers(self) -> Iterator[Number]:
        """Every number in its text and tables, in order."""
        for block in (block for section in self.sections for block in section.blocks):
            yield from numbers_of(block)


def printed(document: Document) -> Document:
    """The document as pages show it: without what only its data have, and without sections of that alone."""
    shown = (
        structs.replace(one, blocks=tuple(block for block in one.blocks if block.printed)) for one in document.sections
    )
    return replace(document, sections=tuple(one for one in shown if one.blocks))


def where_the_rest_is(document: Document) -> str:
    """Where the sources of the numbers are, and what is not printed; empty where readers get the pages alone."""
    if document.edition is Edition.EXTERNAL:
        return ""
    return document.language.say(
        "report.json, beside this report, has the file and place that every number comes from, the numbers behind "
        "every picture, and the tables that are too long to print."
    )


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

    sections = tuple(
        structs.replace(one, blocks=tuple(map(_drawn_once, one.blocks)))
        for one in with_parts(document.sections, str, number)
    )
    return ToldDocument(
        document.title, document.language.code, document.edition.value, sections, document.stamp or None
    )


def _drawn_once(block: stored.Block[ToldNumber]) -> stored.Block[ToldNumber]:
    """A picture without that for a telephone, which shows nothing else; any other block as it is."""
    return structs.replace(block, narrow=None) if isinstance(block, Picture) else block

"""The twin of a report: the same as data."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

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
from leakgauge.report.document import Block, Document, Grid, Inline, Number, Paragraph, Picture, Points
from leakgauge.report.writing import written


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

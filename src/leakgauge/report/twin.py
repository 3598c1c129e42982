"""A report as data: every section, block and number, and where each number comes from."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from leakgauge.artefacts.codec import digest_of
from leakgauge.claims.quantities import number_json
from leakgauge.report.document import (
    Block,
    Document,
    Grid,
    Inline,
    Number,
    Paragraph,
    Part,
    Picture,
    Points,
)
from leakgauge.report.writing import written

REPORT_SCHEMA = "leakgauge/report/1"


def report_json(documents: Sequence[Document]) -> dict[str, Any]:
    """The fields of the report's twin, with a digest over all others."""
    whole = {
        "schema": REPORT_SCHEMA,
        "version": version("leakgauge"),
        "documents": [_document(document) for document in documents],
    }
    return {**whole, "digest": digest_of(whole)}


def _document(document: Document) -> dict[str, Any]:
    return {
        "title": document.title,
        "language": document.language.code,
        "edition": document.edition.value,
        "sections": [
            {
                "key": section.key,
                "title": section.title,
                "blocks": [_block(block, document) for block in section.blocks],
            }
            for section in document.sections
        ],
    }


def _block(block: Block, document: Document) -> dict[str, Any]:
    def inline(parts: Inline) -> list[Any]:
        return [_part(part, document) for part in parts]

    if isinstance(block, Paragraph):
        return {"kind": "paragraph", "tone": block.tone, "parts": inline(block.parts)}
    if isinstance(block, Points):
        return {"kind": "points", "numbered": block.numbered, "items": [inline(one) for one in block.items]}
    if isinstance(block, Grid):
        rows = [[inline(cell) for cell in row] for row in block.rows]
        return {"kind": "grid", "caption": block.caption, "head": list(block.head), "rows": rows}
    if isinstance(block, Picture):
        return {
            "kind": "picture",
            "caption": block.caption,
            "told": block.figure.told,
            "spec": dict(block.figure.spec),
        }
    return {"kind": "code", "text": block.text}


def _part(part: Part, document: Document) -> str | dict[str, Any]:
    return part if isinstance(part, str) else _number(part, document)


def _number(number: Number, document: Document) -> dict[str, Any]:
    """The fields of a number: what it is, where it comes from and how the report writes it."""
    return {
        "value": _plain(number.value),
        "unit": number.unit,
        "low": None if number.low is None else _plain(number.low),
        "high": None if number.high is None else _plain(number.high),
        "confidence": number.confidence,
        "source": number.source,
        "written": written(number, document.language),
    }


def _plain(value: float | str) -> float | str:
    return number_json(value) if isinstance(value, float) else value
